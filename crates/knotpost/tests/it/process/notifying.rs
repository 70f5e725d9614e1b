//! What the service manager is told while a server starts, reloads and stops.

use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};

use super::running::{PATIENCE, Place};

/// The socket of a service manager.
struct Manager {
    socket: UnixDatagram,
}

impl Manager {
    fn listen(address: &SocketAddr) -> Self {
        let socket = UnixDatagram::bind_addr(address).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        Self { socket }
    }

    /// The next message.
    fn next(&self) -> String {
        let mut message = [0; 4096];
        let length = self.socket.recv(&mut message).expect("the manager is told");
        String::from_utf8(message[..length].to_vec()).unwrap()
    }

    /// What was said until this state came, that message included.
    fn until(&self, state: &str) -> Vec<String> {
        let mut messages = Vec::new();
        loop {
            messages.push(self.next());
            if messages.last().unwrap().lines().any(|line| line == state) {
                return messages;
            }
        }
    }
}

/// A server from its start to its stop.
async fn is_told(place: Place, manager: Manager) {
    let place = place.with("KNOTPOST_SMTP__TLS_CERT", "cert.pem").with("KNOTPOST_SMTP__TLS_KEY", "key.pem");
    let made = rcgen::generate_simple_self_signed(vec!["mail.example.org".to_owned()]).unwrap();
    place.write("key.pem", made.signing_key.serialize_pem());
    place.write("cert.pem", made.cert.pem());
    let server = place.start().await;
    let said = manager.until("READY=1");
    assert!(
        said.len() > 1 && said.iter().rev().skip(1).all(|said| said.starts_with("STATUS=Starting: ")),
        "{said:?}"
    );
    let listens = format!("STATUS=Ready: web on {}, SMTP on {}", server.http(), server.smtp());
    assert!(said.last().unwrap().ends_with(&listens), "{said:?}");

    server.signal("HUP").await;
    let begun = manager.next();
    let moment = begun.strip_prefix("RELOADING=1\nMONOTONIC_USEC=").expect(&begun);
    assert!(moment.lines().next().unwrap().parse::<u64>().unwrap() > 0, "{begun}");
    assert_eq!(manager.next(), format!("READY=1\n{listens}"));
    place.write("cert.pem", "no certificate");
    server.signal("HUP").await;
    assert!(manager.next().starts_with("RELOADING=1\n"));
    let refused = manager.next();
    assert!(
        refused.starts_with("READY=1\nSTATUS=Nothing was read again: ") && refused.contains("tls_cert"),
        "{refused}"
    );

    server.stop().await;
    assert!(manager.next().starts_with("STOPPING=1\nSTATUS=Stopping: "));
}

#[tokio::test]
async fn a_service_manager_is_told_of_start_reload_and_stop() {
    let place = Place::new();
    let path = place.root().join("notify");
    let manager = Manager::listen(&SocketAddr::from_pathname(&path).unwrap());
    is_told(place.with("NOTIFY_SOCKET", path.to_str().unwrap()), manager).await;
}

#[tokio::test]
async fn the_socket_of_a_service_manager_may_have_an_abstract_name() {
    let place = Place::new();
    let name = format!("knotpost{}", place.root().display());
    let manager = Manager::listen(&SocketAddr::from_abstract_name(&name).unwrap());
    is_told(place.with("NOTIFY_SOCKET", format!("@{name}")), manager).await;
}

#[tokio::test]
async fn a_start_that_fails_says_why_and_a_setting_that_is_wrong_is_not_tried_again() {
    let place =
        Place::new().with("KNOTPOST_SMTP__TLS_CERT", "lost.pem").with("KNOTPOST_SMTP__TLS_KEY", "lost.pem");
    let path = place.root().join("notify");
    let manager = Manager::listen(&SocketAddr::from_pathname(&path).unwrap());
    let place = place.with("NOTIFY_SOCKET", path.to_str().unwrap());
    let ended = place.run(&["serve"]).await;
    assert_eq!(ended.code(), 78, "RestartPreventExitStatus in the unit: {ended:?}");
    let said =
        std::iter::from_fn(|| Some(manager.next())).find(|said| !said.starts_with("STATUS=Starting: "));
    assert!(
        said.as_ref().is_some_and(|said| said.starts_with("STATUS=Failed: ") && said.contains("lost.pem")),
        "{said:?}"
    );
}

#[tokio::test]
async fn a_service_manager_that_has_gone_stops_no_server() {
    let place = Place::new();
    let path = place.root().join("gone");
    let place = place.with("NOTIFY_SOCKET", path.to_str().unwrap());
    let server = place.start().await;
    let ended = server.stop().await;
    assert!(ended.stderr.contains("NOTIFY_SOCKET"), "{ended:?}");
}
