//! Ports and sockets, opened for a moment as a server opens them for good.

use std::path::Path;

use knotpost_core::config::{Config, unix_path};
use knotpost_platform::files::folder_of;

use super::{Findings, Running};
use crate::server::{Ports, bind, bind_lmtp, bind_socket};

/// Skips those that the server of this folder has open.
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
        Ports { lmtp: Some(own), .. } if *own == config.lmtp.listen => Ok(None),
        _ => bind_lmtp(config).await,
    };
    if let Err(error) = &lmtp
        && !unix_path(&config.lmtp.listen).is_some_and(comes_with_unit)
    {
        let mend = match unix_path(&config.lmtp.listen) {
            Some(_) => {
                "let `lmtp.listen` name a place in a folder that the user of the server may write to (a folder in /run \
                 is made by `RuntimeDirectory=` of a unit, each time the unit starts)"
            }
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
        && !comes_with_unit(&socket)
        && let Err(error) = bind_socket(config)
    {
        let mend = "let `server.socket` name a place in a folder that the user of the server may write to (a folder in \
                    /run is made by `RuntimeDirectory=` of a unit, each time the unit starts)";
        findings.error("server.socket", cause(&error), mend);
    }
}

const UNITS: [&str; 3] = ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"];

/// True if the folder is missing and a unit of this server makes it at its start.
fn comes_with_unit(socket: &Path) -> bool {
    let Some(name) = socket.parent().and_then(|folder| folder.strip_prefix("/run").ok()) else {
        return false;
    };
    !folder_of(socket).exists()
        && UNITS.iter().any(|folder| {
            let units = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let texts = units.filter(|unit| unit.file_name().as_encoded_bytes().starts_with(b"knotpost"));
            texts.filter_map(|unit| std::fs::read_to_string(unit.path()).ok()).any(|text| makes(&text, name))
        })
}

fn makes(unit: &str, name: &Path) -> bool {
    let lines = unit.lines().filter_map(|line| line.trim().strip_prefix("RuntimeDirectory="));
    lines.flat_map(str::split_whitespace).any(|made| Path::new(made) == name)
}

const OTHER_ADDRESS: &str = "stop the program that has the address, or choose another one; port 0 is any free one, and \
                             ports below 1024 need CAP_NET_BIND_SERVICE";

fn refused(key: &'static str, error: &anyhow::Error, findings: &mut Findings) {
    findings.error(key, cause(error), OTHER_ADDRESS);
}

fn cause(error: &anyhow::Error) -> String {
    let text = format!("{error:#}");
    match text.split_once(": ") {
        Some((key, rest)) if key.ends_with(".listen") => rest.to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_of_the_package_makes_the_folder_of_its_socket() {
        let unit = include_str!("../../../../deploy/knotpost.service");
        assert!(makes(unit, Path::new("knotpost")));
        assert!(!makes(unit, Path::new("other")) && !makes("[Service]\nUser=x\n", Path::new("knotpost")));
        assert!(makes("RuntimeDirectory=other knotpost\n", Path::new("knotpost")));
        assert!(
            !comes_with_unit(Path::new("/nowhere/deliver")) && !comes_with_unit(Path::new("/run/deliver"))
        );
    }
}
