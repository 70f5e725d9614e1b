//! Ports and sockets. They are opened for a moment, as a server opens them for good.

use knotpost_core::config::{Config, unix_path};

use super::{Findings, Running};
use crate::server::{Ports, bind, bind_lmtp, bind_socket};

/// Those that the server of this folder has open are its own.
pub(super) async fn check(config: &Config, running: &Running, findings: &mut Findings) {
    let ports = running.ports().cloned().unwrap_or_default();
    // All stay open until the last one is: two settings may name the same port.
    let mut open = Vec::new();
    for (key, listen, own) in
        [("http.listen", &config.http.listen, ports.http), ("smtp.listen", &config.smtp.listen, ports.smtp)]
    {
        if own.is_some_and(|own| own.to_string() == *listen) {
            continue;
        }
        match bind(key, listen).await {
            Ok(listener) => open.extend(listener),
            Err(error) => refused(key, &error, findings),
        }
    }
    let lmtp = match &ports {
        Ports { lmtp: Some(own), .. } if own.to_string() == config.lmtp.listen => Ok(None),
        _ => bind_lmtp(config).await,
    };
    if let Err(error) = &lmtp {
        let mend = match unix_path(&config.lmtp.listen) {
            Some(_) => "make its folder, writable for the user that runs the server, or change `lmtp.listen`",
            None => OTHER_ADDRESS,
        };
        findings.error("lmtp.listen", cause(error), mend);
    }
    let socket = config.socket();
    // A server makes its data folder first.
    let is_default = socket.parent() == Some(config.server.data.as_path());
    let comes_later = is_default && !config.server.data.exists();
    if matches!(running, Running::No)
        && !comes_later
        && let Err(error) = bind_socket(config)
    {
        let mend = "make its folder, writable for the user that runs the server, or let `server.socket` name another \
                    place";
        findings.error("server.socket", cause(&error), mend);
    }
}

const OTHER_ADDRESS: &str = "stop the program that has the address, or choose another one; port 0 is any free one, and \
                             ports below 1024 need CAP_NET_BIND_SERVICE";

fn refused(key: &'static str, error: &anyhow::Error, findings: &mut Findings) {
    findings.error(key, cause(error), OTHER_ADDRESS);
}

/// Without the name of the setting, which the finding has.
fn cause(error: &anyhow::Error) -> String {
    let text = format!("{error:#}");
    match text.split_once(": ") {
        Some((key, rest)) if key.ends_with(".listen") => rest.to_owned(),
        _ => text,
    }
}
