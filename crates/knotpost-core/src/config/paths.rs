//! Relative paths start at the folder of the configuration file, wherever a command is run; those of Maildirs
//! at the data folder.

use std::path::{Path, PathBuf};

use secrecy::{ExposeSecret as _, SecretString};

use super::{Config, unix_path};

pub(super) fn anchor(config: &mut Config, folder: &Path) {
    if folder.as_os_str().is_empty() {
        return;
    }
    let paths = [
        &mut config.server.data,
        &mut config.server.socket,
        &mut config.mail.templates,
        &mut config.mail.tls_ca,
        &mut config.secrets.key_file,
    ];
    for path in paths {
        anchor_path(path, folder);
    }
    for text in [&mut config.smtp.tls_cert, &mut config.smtp.tls_key] {
        *text = anchored(text, folder);
    }
    let key = config.dkim.key.expose_secret();
    if !key.contains("-----BEGIN") {
        config.dkim.key = SecretString::from(anchored(key, folder));
    }
    if let Some(path) = unix_path(&config.lmtp.listen).and_then(Path::to_str) {
        config.lmtp.listen = format!("unix:{}", anchored(path, folder));
    }
    if let Some(path) = config.database.url.strip_prefix("sqlite:") {
        let path = path.strip_prefix("//").unwrap_or(path);
        config.database.url.0 = format!("sqlite:{}", anchored(path, folder));
    }
    if let Some(path) = config.mail.transport.strip_prefix("sendmail:").filter(|path| path.contains('/')) {
        config.mail.transport.0 = format!("sendmail:{}", anchored(path, folder));
    }
}

fn anchor_path(path: &mut PathBuf, folder: &Path) {
    if !path.as_os_str().is_empty() {
        *path = folder.join(&*path);
    }
}

fn anchored(text: &str, folder: &Path) -> String {
    let mut path = PathBuf::from(text);
    anchor_path(&mut path, folder);
    path.to_string_lossy().into_owned()
}
