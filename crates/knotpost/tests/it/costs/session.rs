//! A listener for the mails of a test server, and a client that sends as much as it can.

use std::net::SocketAddr;
use std::sync::Arc;

use knotpost_transport::inbound::smtp::serve;
use knotpost_transport::inbound::{MailIntake, Protocol, SmtpSettings};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::harness::{ADDRESS, TestApp};
use crate::smtp_peer::{Client, self_signed};

/// A listener of a protocol, as long as it lives.
pub(super) struct Listener {
    pub(super) protocol: Protocol,
    address: SocketAddr,
    _guard: DropGuard,
}

impl Listener {
    pub(super) async fn of(app: &TestApp, protocol: Protocol) -> Self {
        let mut settings = SmtpSettings::new("mail.example.org", protocol);
        settings.max_message = app.app.config.inbound.max_bytes;
        settings.tls = Some(self_signed().1);
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        let cancel = CancellationToken::new();
        let intake = Arc::new(MailIntake::new(Arc::clone(&app.app)));
        tokio::spawn(serve(socket, Arc::new(settings), intake, cancel.clone()));
        Self { protocol, address, _guard: cancel.drop_guard() }
    }

    /// The word that this protocol greets with.
    pub(super) fn greeting(&self) -> &'static str {
        if self.protocol == Protocol::Smtp { "EHLO" } else { "LHLO" }
    }

    /// A client that was greeted.
    pub(super) async fn client(&self) -> Client<TcpStream> {
        Client::over(TcpStream::connect(self.address).await.unwrap()).await
    }

    /// A client with a message begun, for as many recipients as are asked for.
    pub(super) async fn client_in_a_message(&self, from: &str, recipients: usize) -> Client<TcpStream> {
        let mut client = self.client().await;
        assert!(client.ask(&format!("{} victim.example", self.greeting())).await.starts_with("250"));
        assert!(client.ask(&format!("MAIL FROM:<{from}>")).await.starts_with("250"));
        for _ in 0..recipients {
            assert!(client.ask(&format!("RCPT TO:<{ADDRESS}>")).await.starts_with("250"));
        }
        assert!(client.ask("DATA").await.starts_with("354"));
        client
    }
}

/// Sends everything at once and reads until the server ends the session: how many bytes it answered.
///
/// A server that refuses to go on may close before all is sent and all is read; then it is as if it had said less.
pub(super) async fn pour(client: Client<TcpStream>, bytes: &[u8]) -> usize {
    let (mut from_server, mut to_server) = client.stream.into_split();
    let writing = async {
        let _ = to_server.write_all(bytes).await;
        let _ = to_server.shutdown().await;
    };
    let reading = async {
        let (mut answered, mut buffer) = (0, vec![0; 64 * 1024]);
        loop {
            match from_server.read(&mut buffer).await {
                Ok(read) if read > 0 => answered += read,
                _ => return answered,
            }
        }
    };
    tokio::join!(writing, reading).1
}
