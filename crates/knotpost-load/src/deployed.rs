//! The deployed profile: a server set up as operators run it. Data and configuration are in different folders, an
//! unprivileged user runs it, and its clients have addresses of their own, behind a relay and a proxy.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash as _, Hasher as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use tokio::net::UdpSocket;
use tokio::task::JoinHandle;

use crate::server::Place;

/// The network for measuring (RFC 2544): 198.18.0.0/15.
const HOSTS: u32 = 0xc612_0000;
const MOST_HOSTS: u64 = 1 << 17;

/// The address of the client with this name; the same name always has the same address.
fn host_of(name: &str) -> Ipv4Addr {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    let number = u32::try_from(hasher.finish() % MOST_HOSTS).unwrap_or_default();
    Ipv4Addr::from(HOSTS | number)
}

/// The header line by which a proxy passes on the client's address. Servers trust it in the deployed profile alone.
pub(crate) fn forwarded_for(name: &str) -> String {
    format!("X-Forwarded-For: {}\r\n", host_of(name))
}

/// The header line by which a relay names the client that it received a mail from.
pub(crate) fn received_from(name: &str) -> String {
    let host = host_of(name);
    format!(
        "Received: from client ([{host}]) by mx.example.net with ESMTP;\n Sat, 21 Nov 2026 10:00:00 +0000\n"
    )
}

/// The data, in the folder of a deployed server.
pub(crate) const DATA: &str = "var/knotpost";
pub(crate) const SETTINGS: &str = "etc/knotpost.toml";
/// The user `nobody`, who owns no files.
const NOBODY: u32 = 65534;

/// True when the trial can run a program as another user; only root can.
fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// The command that replaces itself by a program run as an unprivileged user.
pub(crate) fn ordinary_user() -> Vec<String> {
    let user = [format!("--reuid={NOBODY}"), format!("--regid={NOBODY}"), "--clear-groups".to_owned()];
    let mut words = Vec::new();
    if is_root() {
        words.push("setpriv".to_owned());
        words.extend(user);
    }
    words.extend(["sh", "-c", "umask 022; exec \"$@\"", "sh"].map(str::to_owned));
    words
}

/// Makes the folders of a deployed server, copies the program to where every user may run it, and returns its path.
pub(crate) fn furnish(folder: &Path, program: &Path) -> anyhow::Result<PathBuf> {
    let own = folder.join("knotpost");
    fs::hard_link(program, &own).or_else(|_| fs::copy(program, &own).map(drop))?;
    let open = [folder.to_owned(), folder.join("etc"), folder.join("var")].map(|part| (part, 0o755));
    for (part, mode) in open.into_iter().chain([(folder.join(DATA), 0o700)]) {
        fs::create_dir_all(&part)?;
        fs::set_permissions(&part, fs::Permissions::from_mode(mode))?;
    }
    Ok(own)
}

/// Writes settings, named as in the environment without the prefix, into the configuration file of a deployed server; of
/// two with one name the later wins. From then on the server's user owns the data and may read the file.
pub(crate) fn write_settings(folder: &Path, settings: &[(String, String)]) -> anyhow::Result<()> {
    let mut sections: BTreeMap<String, BTreeMap<String, &str>> = BTreeMap::new();
    for (name, value) in settings {
        let name = name.to_ascii_lowercase();
        let (section, key) = name.split_once("__").with_context(|| format!("{name} is no setting"))?;
        sections.entry(section.to_owned()).or_default().insert(key.to_owned(), value);
    }
    let file = folder.join(SETTINGS);
    fs::write(&file, toml::to_string(&sections)?)?;
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640))?;
    if is_root() {
        chown(&file, Some(0), Some(NOBODY))?;
        let owner = format!("{NOBODY}:{NOBODY}");
        let given = Command::new("chown").args(["-R", &owner]).arg(folder.join("var")).status()?;
        ensure!(given.success(), "the data cannot be given to nobody");
    }
    Ok(())
}

/// The settings of an operator behind a relay and a proxy. Limits, bounds and confirmations keep their defaults.
pub(crate) fn behind_relay_and_proxy(place: Place, names: &NameServer) -> Place {
    place
        .with("SERVER__PUBLIC_URL", "http://play.example.net")
        .with("HTTP__TRUSTED_PROXIES", "127.0.0.1")
        .with("SMTP__RELAYS", "127.0.0.1")
        .with("INBOUND__DNS", names.address.to_string())
}

/// A name server that knows no name, so that no query leaves this machine.
pub(crate) struct NameServer {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl NameServer {
    pub(crate) async fn open() -> std::io::Result<Self> {
        let socket = UdpSocket::bind("127.0.0.1:0").await?;
        let address = socket.local_addr()?;
        let task = tokio::spawn(async move {
            let mut query = [0; 512];
            while let Ok((length, asker)) = socket.recv_from(&mut query).await {
                let answer = query.get(..length).and_then(no_such_name);
                // A client that has gone needs no answer.
                let _ = socket.send_to(&answer.unwrap_or_default(), asker).await;
            }
        });
        Ok(Self { address, task })
    }
}

/// The response to a query (RFC 1035, section 4.1): its id, `NXDOMAIN`, and the question section.
fn no_such_name(query: &[u8]) -> Option<Vec<u8>> {
    let rest = query.get(12..)?;
    let end = rest.iter().position(|byte| *byte == 0)? + 5;
    let mut answer = query.get(..2)?.to_vec();
    answer.extend([0x81, 0x83, 0, 1, 0, 0, 0, 0, 0, 0]);
    answer.extend(rest.get(..end)?);
    Some(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_spread_and_stay_with_their_names() {
        assert_eq!(host_of("ann"), host_of("ann"));
        assert_ne!(host_of("ann"), host_of("bob"));
        assert!(forwarded_for("ann").starts_with("X-Forwarded-For: 198.1"));
    }

    #[test]
    fn every_question_is_answered_by_its_own_words() {
        let query = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x01\x01a\x04test\x00\x00\x10\x00\x01more";
        let answer = no_such_name(query).expect("an answer");
        assert_eq!(
            answer,
            b"\x12\x34\x81\x83\x00\x01\x00\x00\x00\x00\x00\x00\x01a\x04test\x00\x00\x10\x00\x01"
        );
        assert_eq!(no_such_name(b"short"), None);
    }
}
