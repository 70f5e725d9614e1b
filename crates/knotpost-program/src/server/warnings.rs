//! Warnings of a start: `serve` logs them; `config check` and `doctor` show the same list.

use std::path::Path;

use knotpost_core::config::{AuthPolicy, Config, FileMode, Warning};
use knotpost_platform::files::is_open_to_others;
use knotpost_transport::inbound::Records;

use super::absolute;
use super::descriptors::descriptor_warning;

pub fn start_warnings(config: &Config) -> Vec<Warning> {
    let mut told = config.warnings.clone();
    told.extend(missing_folders(config));
    told.extend(open_files(config));
    told.extend(no_name_server(config));
    told.extend(descriptor_warning(config));
    told
}

/// Names configured folders that are absent. A program that delivers mail may make its own later.
fn missing_folders(config: &Config) -> Vec<Warning> {
    let mut told = Vec::new();
    if let Some(folder) = config.watched_maildir().filter(|folder| !folder.join("new").is_dir()) {
        let problem = format!(
            "there is no Maildir {} (no folder `new` in it): no mail is taken from there until there is one",
            absolute(&folder).display()
        );
        let mend = "let the program that delivers make it, or correct `maildir.watch`";
        told.push(Warning::new("maildir.watch", problem, mend));
    }
    let templates = &config.mail.templates;
    if !templates.as_os_str().is_empty() && !templates.is_dir() {
        let problem =
            format!("there is no folder {}: all mails have the built-in text", absolute(templates).display());
        told.push(Warning::new("mail.templates", problem, "make it, or correct `mail.templates`"));
    }
    told
}

fn no_name_server(config: &Config) -> Option<Warning> {
    if config.inbound.auth_policy == AuthPolicy::Off {
        return None;
    }
    let error = Records::new(config).err()?;
    let problem = format!("no name server is known: senders of mail cannot be verified ({error})");
    Some(Warning::new("inbound.dns", problem, "correct /etc/resolv.conf, or let `inbound.dns` name one"))
}

fn open_files(config: &Config) -> Vec<Warning> {
    let data = &config.server.data;
    if is_open_to_others(data) == Some(true) {
        let shown = absolute(data);
        let shown = shown.display();
        let problem = format!(
            "others on this machine may read or change what is in {shown}, mail and password hashes among it"
        );
        let mend = format!(
            "run `chmod 700 {shown}`. For a `knotpost deliver` of other users let `server.socket` name a place outside"
        );
        return vec![Warning::new("server.data", problem, mend)];
    }
    let mode = config.server.socket_mode.bits();
    let lets_others_in = mode & 0o022 != 0 && config.server.socket_mode != FileMode::default();
    if lets_others_in && config.server.socket.as_os_str().is_empty() && !is_within_reach(&config.socket()) {
        let socket = absolute(&config.socket());
        let problem = format!(
            "server.socket_mode is {mode:04o}, but others cannot enter the folder of {}",
            socket.display()
        );
        let mend = "let `server.socket` name a place outside the data folder";
        return vec![Warning::new("server.socket", problem, mend)];
    }
    let database = config.store_settings().sqlite_file();
    let files = database.into_iter().chain([config.key_file()]).filter(|file| is_within_reach(file));
    let open = files.filter(|file| is_open_to_others(file) == Some(true));
    open.map(|file| {
        let shown = absolute(&file);
        let shown = shown.display();
        let problem = format!("others on this machine may read {shown}");
        Warning::new("server.data", problem, format!("run `chmod 600 {shown}`"))
    })
    .collect()
}

pub(crate) fn is_within_reach(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::metadata(folder).is_ok_and(|found| found.mode() & 0o011 != 0)
}
