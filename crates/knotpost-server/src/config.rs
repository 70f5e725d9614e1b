//! The configuration: every key, its default, and where it may come from.
//!
//! `knotpost.toml` is overridden by environment variables `KNOTPOST_<SECTION>__<KEY>`, and those
//! by the command line. This is the only room that reads the environment.

mod check;
mod sections;

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use sections::{
    Accounts, AuthPolicy, Confirm, Database, Dkim, FileMode, Games, Http, Inbound, KeepRaw, Limits, Lmtp,
    Log, LogFormat, Mail, Maildir, Migrate, Retention, Secrets, Server, Smtp, StrangerPolicy, Time, Webhooks,
};

/// The file that is read from the working folder when no other is named.
const DEFAULT_FILE: &str = "knotpost.toml";
const PREFIX: &str = "KNOTPOST_";

/// A word of the environment that is no setting, such as who has the shell; `None`: it is not there, or no text.
#[expect(clippy::disallowed_methods, reason = "this is the room that reads the environment")]
pub fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|word| !word.is_empty())
}

/// All settings of a server.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "each section says what it is for")]
pub struct Config {
    pub server: Server,
    pub http: Http,
    pub smtp: Smtp,
    pub lmtp: Lmtp,
    pub maildir: Maildir,
    pub mail: Mail,
    pub database: Database,
    pub accounts: Accounts,
    pub limits: Limits,
    pub time: Time,
    pub games: Games,
    pub inbound: Inbound,
    pub dkim: Dkim,
    pub webhooks: Webhooks,
    pub retention: Retention,
    pub secrets: Secrets,
    pub log: Log,
}

/// Why the configuration cannot be used. The text names the key and the place it came from.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file or a variable could not be read as what it should be.
    #[error("{0}")]
    Read(String),
    /// A value is well-formed but not usable.
    #[error("{key}: {problem}")]
    Value {
        /// `section.key`
        key: &'static str,
        /// What is wrong and what would do.
        problem: String,
    },
    /// The file that was named does not exist.
    #[error("there is no configuration file {}", .0.display())]
    Missing(PathBuf),
}

impl Config {
    /// Reads the file (`file`, or `knotpost.toml` when it exists) and the environment.
    ///
    /// # Errors
    /// For unknown keys, ill-typed values, and values that cannot work.
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
    pub fn load(file: Option<&Path>) -> Result<Self, ConfigError> {
        let as_text =
            |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
        Self::from_sources(file, std::env::vars_os().filter_map(as_text))
    }

    fn from_sources(
        file: Option<&Path>,
        environment: impl Iterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        let mut builder = config::Config::builder();
        if let Some(file) = file {
            if !file.is_file() {
                return Err(ConfigError::Missing(file.to_owned()));
            }
            builder = builder.add_source(config::File::from(file).format(config::FileFormat::Toml));
        } else {
            let default = config::File::from(Path::new(DEFAULT_FILE)).format(config::FileFormat::Toml);
            builder = builder.add_source(default.required(false));
        }
        // Only names with the double underscore are ours: others belong to scripts around the server.
        let ours: HashMap<String, String> =
            environment.filter(|(name, _)| name.starts_with(PREFIX) && name.contains("__")).collect();
        let environment = config::Environment::with_prefix("KNOTPOST")
            .prefix_separator("_")
            .separator("__")
            .list_separator(",")
            .with_list_parse_key("games.disabled")
            .with_list_parse_key("http.trusted_proxies")
            .with_list_parse_key("smtp.relays")
            .with_list_parse_key("inbound.trusted_authserv")
            .with_list_parse_key("inbound.dns")
            .try_parsing(true)
            .source(Some(ours));
        let read = |error: config::ConfigError| ConfigError::Read(error.to_string());
        let mut settings: Self =
            builder.add_source(environment).build().map_err(read)?.try_deserialize().map_err(read)?;
        // A variable that is empty is an empty list, but is read as one with an empty word.
        for list in
            [&mut settings.games.disabled, &mut settings.inbound.trusted_authserv, &mut settings.inbound.dns]
        {
            list.retain(|word| !word.trim().is_empty());
        }
        check::check(&settings)?;
        Ok(settings)
    }

    /// The effective settings as TOML, secrets masked.
    ///
    /// # Errors
    /// When a value has no TOML form.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }

    /// The folder of mail templates that are used instead of the built-in ones, when there is one.
    pub fn mail_templates(&self) -> PathBuf {
        if self.mail.templates.as_os_str().is_empty() {
            self.server.data.join("templates")
        } else {
            self.mail.templates.clone()
        }
    }

    /// Whether addresses must be confirmed before anything but the confirmation goes there.
    pub fn confirms_addresses(&self) -> bool {
        match self.accounts.confirm_addresses {
            Confirm::On => true,
            Confirm::Off => false,
            Confirm::Auto => {
                !(self.mail.transport.starts_with("maildir:") || &*self.mail.transport == "memory:")
            }
        }
    }

    /// The Maildir that other programs deliver into; `None`: none is watched.
    pub fn watched_maildir(&self) -> Option<PathBuf> {
        let watch = &self.maildir.watch;
        (!watch.is_empty()).then(|| self.server.data.join(watch))
    }

    /// The file of the secret key, for a server whose settings do not hold the key itself.
    pub fn key_file(&self) -> PathBuf {
        if self.secrets.key_file.as_os_str().is_empty() {
            self.server.data.join(crate::secret::KEY_FILE)
        } else {
            self.secrets.key_file.clone()
        }
    }

    /// How the store is opened.
    pub fn store_settings(&self) -> crate::store::Settings {
        crate::store::Settings {
            url: self.database.url.to_string(),
            data: self.server.data.clone(),
            max_connections: self.database.max_connections,
        }
    }
}

/// The path of a listener that is a Unix socket, written `unix:PATH`.
pub fn unix_path(listen: &str) -> Option<&Path> {
    listen.strip_prefix("unix:").map(Path::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
        Config::from_sources(None, variables.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())))
    }

    #[test]
    fn defaults_work_as_they_are() {
        let config = load(&[]).expect("the defaults");
        assert_eq!(config.http.listen, "127.0.0.1:8080");
        assert!(!config.confirms_addresses());
    }

    #[test]
    fn the_environment_overrides_keys_of_every_kind() {
        let config = load(&[
            ("KNOTPOST_HTTP__LISTEN", "127.0.0.1:0"),
            ("KNOTPOST_LIMITS__ENABLED", "false"),
            ("KNOTPOST_GAMES__DISABLED", "osbox"),
            ("KNOTPOST_TIME__NAG_DAYS", "2.5"),
            ("KNOTPOST_SOMETHING", "of another program"),
        ])
        .expect("usable");
        assert_eq!(config.http.listen, "127.0.0.1:0");
        assert!(!config.limits.enabled);
        assert_eq!(config.games.disabled, ["osbox"]);
        assert!((config.time.nag_days - 2.5).abs() < f64::EPSILON);
    }

    #[test]
    fn an_empty_variable_switches_off_what_a_default_switches_on() {
        let names = ["KNOTPOST_SMTP__LISTEN", "KNOTPOST_HTTP__TRUSTED_PROXIES", "KNOTPOST_GAMES__DISABLED"];
        let config = load(&names.map(|name| (name, ""))).expect("usable");
        assert_eq!(config.smtp.listen, "");
        assert!(config.http.trusted_proxies.is_empty() && config.games.disabled.is_empty());
        let bad = load(&[("KNOTPOST_TIME__NAG_DAYS", "")]).expect_err("no number");
        assert!(bad.to_string().contains("nag_days"), "{bad}");
    }

    #[test]
    fn unknown_keys_and_impossible_values_are_named() {
        let unknown = load(&[("KNOTPOST_HTTP__LISTNE", "x")]).expect_err("a misspelt key");
        assert!(unknown.to_string().contains("listne"), "{unknown}");
        let bad = load(&[("KNOTPOST_HTTP__LISTEN", "nowhere")]).expect_err("no address");
        assert!(bad.to_string().starts_with("http.listen: "), "{bad}");
    }

    #[test]
    fn ways_in_are_checked_before_anything_starts() {
        let good = load(&[
            ("KNOTPOST_LMTP__LISTEN", "unix:/run/knotpost/lmtp"),
            ("KNOTPOST_LMTP__SOCKET_MODE", "0666"),
            ("KNOTPOST_MAILDIR__WATCH", "mail/in"),
            ("KNOTPOST_INBOUND__SECRET", "a-long-enough-secret"),
        ])
        .expect("usable");
        assert_eq!(unix_path(&good.lmtp.listen), Some(Path::new("/run/knotpost/lmtp")));
        assert_eq!(good.lmtp.socket_mode.bits(), 0o666);
        assert_eq!(good.server.socket_mode.bits(), 0o660);
        assert_eq!(good.watched_maildir(), Some(PathBuf::from("./data/mail/in")));
        assert!(good.to_toml().expect("TOML").contains("socket_mode = \"0666\""));
        for (name, value, key) in [
            ("KNOTPOST_LMTP__LISTEN", "unix:", "lmtp.listen"),
            ("KNOTPOST_SMTP__LISTEN", "unix:/run/x", "smtp.listen"),
            ("KNOTPOST_SERVER__SOCKET_MODE", "rw-rw----", "octal"),
            ("KNOTPOST_SERVER__SOCKET_MODE", "0999", "octal"),
            ("KNOTPOST_MAILDIR__POLL_SECONDS", "0", "maildir.poll_seconds"),
            ("KNOTPOST_INBOUND__SECRET", "two words", "inbound.secret"),
        ] {
            let bad = load(&[(name, value)]).expect_err(value);
            assert!(bad.to_string().contains(key), "{value}: {bad}");
        }
    }

    #[test]
    fn shown_settings_hide_secrets() {
        let config = load(&[
            ("KNOTPOST_DATABASE__URL", "postgres://knot:hunter2-canary@localhost/knotpost"),
            ("KNOTPOST_MAIL__TRANSPORT", "smtp://me:hunter2-canary@localhost:587"),
            ("KNOTPOST_SECRETS__KEY", &"ab".repeat(32)),
        ])
        .expect("usable");
        let shown = config.to_toml().expect("TOML");
        assert!(!shown.contains("hunter2") && !shown.contains("abab"), "{shown}");
        assert!(shown.contains("postgres://knot:********@localhost/knotpost"), "{shown}");
        assert!(!format!("{config:?}").contains("hunter2-canary"));
    }
}
