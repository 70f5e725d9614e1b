//! The configuration: every key, its default, its sources.
//!
//! `knotpost.toml` is overridden by environment variables `KNOTPOST_<SECTION>__<KEY>`, and those by the
//! command line. No other module reads the environment.

mod check;
mod log_level;
mod masked;
mod parameters;
mod paths;
mod reference;
mod sections;
mod sources;
mod warnings;

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};

use knotpost_model::Address;

pub(crate) use check::REPLY_DAYS;
pub use log_level::filter_text;
pub use reference::{SectionText, SettingText, describe};
use sections::About;
pub use sections::{
    Accounts, Announcers, AuthPolicy, Bots, Confirm, Database, Dkim, FileMode, Games, Http, Inbound, KeepRaw,
    Limits, Lmtp, Log, LogFormat, Mail, Maildir, Migrate, Pace, Push, Retention, Secrets, Server, Smtp,
    StrangerPolicy, Time, Tournaments, Webhooks,
};
pub use warnings::Warning;

/// Read from the working folder if no other file is named.
const DEFAULT_FILE: &str = "knotpost.toml";

/// An environment variable that is no setting; `None`: unset, or not Unicode.
#[expect(clippy::disallowed_methods, reason = "this is the room that reads the environment")]
pub fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|word| !word.is_empty())
}

/// The sections, in the order of the documentation.
macro_rules! sections {
    ($($section:ident: $kind:ident),* $(,)?) => {
        #[derive(Clone, Debug, Default, Deserialize, Serialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct Config {
            $(pub $section: $kind,)*
            /// Usable values that are probably a mistake, logged at the start.
            #[serde(skip)]
            pub warnings: Vec<Warning>,
        }

        const SECTIONS: &[(&str, About)] = &[$((stringify!($section), $kind::ABOUT)),*];
    };
}

sections! {
    server: Server,
    http: Http,
    smtp: Smtp,
    lmtp: Lmtp,
    maildir: Maildir,
    inbound: Inbound,
    mail: Mail,
    dkim: Dkim,
    database: Database,
    accounts: Accounts,
    limits: Limits,
    time: Time,
    games: Games,
    bots: Bots,
    tournaments: Tournaments,
    webhooks: Webhooks,
    push: Push,
    retention: Retention,
    secrets: Secrets,
    log: Log,
}

/// Unusable configuration. The text names the key and its source.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("{0}")]
    Read(String),
    #[error("{key}: {problem}")]
    Value {
        /// `section.key`
        key: &'static str,
        problem: String,
    },
    /// A file named explicitly does not exist.
    #[error("there is no configuration file {}", .0.display())]
    Missing(PathBuf),
}

impl ConfigError {
    /// `None`: the text names the place.
    pub fn key(&self) -> Option<&'static str> {
        match self {
            Self::Value { key, .. } => Some(key),
            Self::Read(_) | Self::Missing(_) => None,
        }
    }

    pub fn mend(&self) -> String {
        match self {
            Self::Value { key, .. } => {
                let variable = key.to_ascii_uppercase().replace('.', sources::SEPARATOR);
                format!(
                    "change `{key}` in the configuration file, or the variable {}{variable}",
                    sources::PREFIX
                )
            }
            Self::Read(_) => {
                "correct it there; all settings are listed in docs/reference/settings.md and knotpost.toml(5)"
                    .to_owned()
            }
            Self::Missing(_) => "name the configuration file of the server with --config".to_owned(),
        }
    }
}

impl Config {
    /// Reads the file (`file`, or `knotpost.toml` if it exists) and the environment. Relative paths belong to
    /// the folder of that file. Unknown keys, ill-typed values and values that cannot work are errors.
    pub fn load(file: Option<&Path>) -> Result<Self, ConfigError> {
        usable(Self::examine(file))
    }

    /// As [`Config::load`], with all errors instead of the first. Settings in error have their defaults.
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
    pub fn examine(file: Option<&Path>) -> (Self, Vec<ConfigError>) {
        Self::examine_sources(file, std::env::vars_os())
    }

    fn examine_sources(
        file: Option<&Path>,
        environment: impl Iterator<Item = (OsString, OsString)>,
    ) -> (Self, Vec<ConfigError>) {
        let (mut settings, mut problems) = sources::read(file, environment);
        problems.extend(check::check(&settings));
        // Canonical origin: lower case, no default port.
        if let Ok(url) = url::Url::parse(&settings.server.public_url)
            && url.origin().is_tuple()
        {
            settings.server.public_url = url.origin().ascii_serialization();
        }
        parameters::drop_unknown(&mut settings);
        if let Ok(listener) = settings.http.listen.parse::<SocketAddr>()
            && listener.port() != 0
        {
            settings.lead_links_to(listener);
        }
        warnings::add(&mut settings);
        if let Some(folder) = file.and_then(Path::parent) {
            paths::anchor(&mut settings, folder);
        }
        (settings, problems)
    }

    pub fn file_has_secrets(file: &Path) -> bool {
        let (config, _) = Self::examine_sources(Some(file), std::iter::empty());
        let secrets = [&config.inbound.secret, &config.secrets.key];
        let urls = [&config.database.url, &config.mail.transport];
        secrets.iter().any(|secret| !secret.expose_secret().is_empty())
            // Usually the name of a file.
            || config.dkim.key.expose_secret().contains("-----BEGIN")
            || urls.iter().any(|url| url.masked() != url.0)
    }

    pub fn file(named: Option<&Path>) -> Option<PathBuf> {
        let file = named.unwrap_or(Path::new(DEFAULT_FILE));
        file.is_file().then(|| file.to_owned())
    }

    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }

    pub fn socket(&self) -> PathBuf {
        self.or_in_data(&self.server.socket, "knotpost.sock")
    }

    fn or_in_data(&self, path: &Path, name: &str) -> PathBuf {
        if path.as_os_str().is_empty() { self.server.data.join(name) } else { path.to_owned() }
    }

    /// Browser pushes are a form of webhook.
    pub fn tells_browsers(&self) -> bool {
        self.webhooks.enabled && self.push.enabled
    }

    /// Contact for push services (RFC 8292).
    pub fn push_subject(&self) -> String {
        if self.push.subject.is_empty() {
            format!("mailto:{}", self.server.address)
        } else {
            self.push.subject.clone()
        }
    }

    pub fn mail_templates(&self) -> PathBuf {
        self.or_in_data(&self.mail.templates, "templates")
    }

    /// True if links use a port known only once the listener is open.
    pub fn links_follow_port(&self) -> bool {
        self.server.public_url == Server::default().public_url && self.http.listen.ends_with(":0")
    }

    /// Points links at this listener, unless `server.public_url` is set.
    pub fn lead_links_to(&mut self, listener: SocketAddr) {
        if self.server.public_url != Server::default().public_url {
            return;
        }
        let host = match listener.ip() {
            IpAddr::V4(host) if host.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(host) if host.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            host => host,
        };
        self.server.public_url = format!("http://{}", SocketAddr::new(host, listener.port()));
    }

    pub fn really_mails(&self) -> bool {
        !(self.mail.transport.starts_with("maildir:") || &*self.mail.transport == "memory:")
    }

    pub fn public_host(&self) -> Option<String> {
        let url = url::Url::parse(&self.server.public_url).ok()?;
        Some(url.host_str()?.trim_matches(['[', ']']).to_owned())
    }

    /// True if the domain of `server.address` is local to this machine.
    pub fn has_loopback_address(&self) -> bool {
        let domain = self.server.address.rsplit_once('@').map_or("", |(_, domain)| domain);
        warnings::is_loopback_host(&domain.to_ascii_lowercase())
    }

    /// True if links in mails are local to this machine.
    pub fn has_loopback_url(&self) -> bool {
        warnings::is_loopback(&self.server.public_url)
    }

    pub fn helo(&self) -> String {
        let domain = || {
            let address = self.server.address.parse::<Address>();
            address.map_or_else(|_| "localhost".to_owned(), |address| address.domain().to_owned())
        };
        if self.mail.helo.is_empty() { domain() } else { self.mail.helo.clone() }
    }

    /// True if unconfirmed addresses get nothing but their confirmation mail.
    pub fn confirms_addresses(&self) -> bool {
        match self.accounts.confirm_addresses {
            Confirm::On => true,
            Confirm::Off => false,
            Confirm::Auto => self.really_mails(),
        }
    }

    pub fn watched_maildir(&self) -> Option<PathBuf> {
        let watch = &self.maildir.watch;
        (!watch.is_empty()).then(|| self.server.data.join(watch))
    }

    pub fn key_file(&self) -> PathBuf {
        self.or_in_data(&self.secrets.key_file, knotpost_platform::secret::KEY_FILE)
    }

    /// Place of the secret key, for backup advice.
    pub fn key_place(&self) -> String {
        if self.secrets.key.expose_secret().is_empty() {
            self.key_file().display().to_string()
        } else {
            "the key in the configuration (`secrets.key`)".to_owned()
        }
    }

    pub fn store_settings(&self) -> knotpost_storage::Settings {
        knotpost_storage::Settings {
            url: self.database.url.to_string(),
            data: self.server.data.clone(),
            max_connections: self.database.max_connections,
        }
    }
}

fn usable((settings, problems): (Config, Vec<ConfigError>)) -> Result<Config, ConfigError> {
    problems.into_iter().next().map_or(Ok(settings), Err)
}

/// Path of a listener written `unix:PATH`.
pub fn unix_path(listen: &str) -> Option<&Path> {
    listen.strip_prefix("unix:").map(Path::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
        let variables = variables.iter().map(|(k, v)| (OsString::from(k), OsString::from(v)));
        usable(Config::examine_sources(None, variables))
    }

    fn load_file(text: &str) -> Result<(Config, PathBuf), ConfigError> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("knotpost.toml");
        std::fs::write(&file, text).expect("it is written");
        let config = usable(Config::examine_sources(Some(&file), std::iter::empty()))?;
        Ok((config, folder.path().to_owned()))
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
            ("KNOTPOST_GAMES__TITLES", "othello=Turn Over, connect4 = Four"),
            ("KNOTPOST_TIME__NAG_DAYS", "2.5"),
            ("KNOTPOST_SOMETHING", "of another program"),
        ])
        .expect("usable");
        assert_eq!(config.http.listen, "127.0.0.1:0");
        assert!(!config.limits.enabled);
        assert_eq!(config.games.disabled, ["osbox"]);
        let titles: Vec<(&str, &str)> =
            config.games.titles.iter().map(|(name, title)| (name.as_str(), title.as_str())).collect();
        assert_eq!(titles, [("connect4", "Four"), ("othello", "Turn Over")]);
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
    fn all_that_is_wrong_is_found_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("knotpost.toml");
        let text = "stray = 1\n[htpp]\n[http]\nlistne = \"x\"\n[limits]\nenabled = \"maybe\"\n[server]\nname = \"Good\"\n";
        std::fs::write(&file, text).expect("it is written");
        let variables = [
            ("KNOTPOST_LOG__FORMAT", "xml"),
            ("KNOTPOST_SERVER__ADDRESS", "nobody"),
            ("KNOTPOST_SMTP__LISTEN", "nowhere"),
            ("KNOTPOST_RETENTION__INBOX_DAYS", "7"),
        ];
        let variables = variables.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let (config, problems) = Config::examine_sources(Some(&file), variables.into_iter());
        assert_eq!(config.server.name, "Good");
        let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
        for words in [
            "`stray`",
            "`htpp`",
            "`listne`",
            "limits.enabled",
            "`xml`",
            "server.address: ",
            "smtp.listen: ",
            "inbox_days: ",
        ] {
            assert_eq!(told.iter().filter(|told| told.contains(words)).count(), 1, "{words}: {told:#?}");
        }
        assert_eq!(told.len(), 8, "{told:#?}");
        assert!(problems.iter().all(|problem| !problem.mend().is_empty()));
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
            ("KNOTPOST_INBOUND__SECRET", "x", "inbound.secret"),
            ("KNOTPOST_INBOUND__SECRET", "fifteen-letters", "inbound.secret"),
        ] {
            let bad = load(&[(name, value)]).expect_err(value);
            assert!(bad.to_string().contains(key), "{value}: {bad}");
        }
    }

    #[test]
    fn the_name_in_ehlo_is_the_domain_of_the_address_unless_it_is_given() {
        let named = |helo: &str| {
            load(&[("KNOTPOST_SERVER__ADDRESS", "games@Games.example"), ("KNOTPOST_MAIL__HELO", helo)])
        };
        assert_eq!(load(&[]).expect("the defaults").helo(), "localhost");
        assert_eq!(named("").expect("usable").helo(), "games.example");
        for name in ["mx.example.org", "[192.0.2.1]", "[IPv6:2001:db8::1]"] {
            assert_eq!(named(name).expect(name).helo(), name);
        }
        for name in ["two words", "mx_1.example", "192.0.2.1]", "[192.0.2]", "a..b", "x\r\nRSET"] {
            let bad = named(name).expect_err(name);
            assert!(bad.to_string().starts_with("mail.helo: "), "{bad}");
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

    #[test]
    fn text_of_the_environment_stays_text_whatever_number_it_looks_like() {
        let key = "123e4567".repeat(8);
        let config = load(&[
            ("KNOTPOST_INBOUND__SECRET", "0012345678901234"),
            ("KNOTPOST_SERVER__NAME", "1.10"),
            ("KNOTPOST_SECRETS__KEY", &key),
            ("KNOTPOST_DKIM__SELECTOR", "2026"),
            ("KNOTPOST_DKIM__KEY", "true"),
            ("KNOTPOST_GAMES__DISABLED", "1.0, true"),
        ])
        .expect("usable");
        assert_eq!(config.inbound.secret.expose_secret(), "0012345678901234");
        assert_eq!((config.server.name.as_str(), config.dkim.selector.as_str()), ("1.10", "2026"));
        assert_eq!(config.secrets.key.expose_secret(), key);
        assert_eq!(config.dkim.key.expose_secret(), "true");
        assert_eq!(config.games.disabled, ["1.0", "true"]);
    }

    #[test]
    fn a_value_of_another_kind_is_refused_with_its_key_and_what_is_expected() {
        for (name, value, words) in [
            ("KNOTPOST_LIMITS__ENABLED", "perhaps", ["limits.enabled", "true or false"]),
            ("KNOTPOST_LIMITS__PASSWORD_TRIES", "many", ["limits.password_tries", "whole number"]),
            ("KNOTPOST_LIMITS__PASSWORD_TRIES", "-1", ["limits.password_tries", "-1"]),
            ("KNOTPOST_LOG__FORMAT", "xml", ["log.format", "`text`"]),
            ("KNOTPOST_DATABASE__MIGRATE", "nonsense !!", ["database.migrate", "`off`"]),
            ("KNOTPOST_INBOUND__AUTH_POLICY", "strict", ["inbound.auth_policy", "`reject-fail`"]),
            ("KNOTPOST_LOG__LEVEL", "verbose", ["log.level", "error, warn, info, debug, trace"]),
        ] {
            let bad = load(&[(name, value)]).expect_err(value).to_string();
            assert!(words.iter().all(|word| bad.contains(word)), "{name}: {bad}");
        }
        for (text, words) in [
            ("[server]\nname = 1.10", ["server.name", "in quotes"]),
            ("[inbound]\nsecret = 4711", ["inbound.secret", "in quotes"]),
            ("[limits]\nenabled = \"maybe\"", ["limits.enabled", "true or false"]),
            ("[log]\nformat = \"xml\"", ["log.format", "`json`"]),
            ("[http]\nlistne = \"x\"", ["`http`", "`listne`"]),
            ("[mail]\ntransport = \"smtp://me:geheim@x", ["knotpost.toml", "line 2"]),
        ] {
            let bad = load_file(text).expect_err(text).to_string();
            assert!(words.iter().all(|word| bad.contains(word)), "{text}: {bad}");
            assert!(!bad.contains("4711") && !bad.contains("geheim"), "no secret is repeated: {bad}");
        }
    }

    #[test]
    fn permissions_are_right_or_refused() {
        let mode = |text: &str| {
            load_file(&format!("[server]\nsocket_mode = {text}\n"))
                .map(|loaded| loaded.0.server.socket_mode.bits())
        };
        for (text, bits) in [
            ("0o660", 0o660),
            ("0o600", 0o600),
            ("432", 0o660),
            ("\"0660\"", 0o660),
            ("\"0o660\"", 0o660),
            ("\"660\"", 0o660),
            ("\"0666\"", 0o666),
        ] {
            assert_eq!(mode(text).expect(text), bits, "{text}");
        }
        for text in
            ["660", "600", "777", "0o666", "0o440", "0", "-1", "\"0432\"", "\"0060\"", "\"1660\"", "6.6"]
        {
            let bad = mode(text).expect_err(text).to_string();
            assert!(bad.contains("server.socket_mode") || bad.contains("socket_mode"), "{text}: {bad}");
        }
        assert!(mode("660").expect_err("not clear").to_string().contains("\"0660\""));
        assert!(mode("0o666").expect_err("not said").to_string().contains("\"0666\""));
    }

    #[test]
    fn relative_paths_belong_to_the_folder_of_the_file() {
        let text = "[server]\nsocket = \"run/deliver\"\n[smtp]\ntls_cert = \"c.pem\"\ntls_key = \"/k.pem\"\n\
                    [database]\nurl = \"sqlite:db/x.db\"\n[secrets]\nkey_file = \"key\"\n\
                    [mail]\ntransport = \"maildir:out\"\ntemplates = \"own\"\ntls_ca = \"ca.pem\"\n[maildir]\nwatch = \"in\"\n\
                    [lmtp]\nlisten = \"unix:lmtp\"\n[dkim]\nselector = \"s\"\nkey = \"dkim.pem\"\n";
        let (config, folder) = load_file(text).expect("usable");
        let data = folder.join("./data");
        assert_eq!(config.server.data, data);
        assert_eq!(config.socket(), folder.join("run/deliver"));
        assert_eq!(config.smtp.tls_cert, folder.join("c.pem").display().to_string());
        assert_eq!(config.smtp.tls_key, "/k.pem");
        assert_eq!(config.store_settings().sqlite_file(), Some(folder.join("db/x.db")));
        assert_eq!(config.key_file(), folder.join("key"));
        assert_eq!(config.mail_templates(), folder.join("own"));
        assert_eq!(config.mail.tls_ca, folder.join("ca.pem"));
        assert_eq!(unix_path(&config.lmtp.listen), Some(folder.join("lmtp").as_path()));
        assert_eq!(config.dkim.key.expose_secret(), folder.join("dkim.pem").display().to_string());
        // Maildirs are relative to the data folder.
        assert_eq!(&*config.mail.transport, "maildir:out");
        assert_eq!(config.watched_maildir(), Some(data.join("in")));
    }

    #[test]
    fn values_that_cannot_work_are_refused_and_doubtful_ones_told() {
        for (name, value, key) in [
            ("KNOTPOST_SERVER__DATA", "", "server.data"),
            ("KNOTPOST_SERVER__PUBLIC_URL", "http://", "server.public_url"),
            ("KNOTPOST_SERVER__PUBLIC_URL", "https://games.example/?x", "server.public_url"),
            ("KNOTPOST_SERVER__PUBLIC_URL", "https://games.example/#x", "server.public_url"),
            ("KNOTPOST_SERVER__PUBLIC_URL", "https://games.example/games", "server.public_url"),
            ("KNOTPOST_SERVER__PUBLIC_URL", "https://games.example/games/", "server.public_url"),
            ("KNOTPOST_SERVER__PUBLIC_URL", "https://games.example//", "server.public_url"),
            ("KNOTPOST_SERVER__PUBLIC_URL", "https://me:pw@games.example", "server.public_url"),
            ("KNOTPOST_SERVER__PUBLIC_URL", "https://me@games.example/", "server.public_url"),
            ("KNOTPOST_SERVER__PUBLIC_URL", "ftp://games.example", "server.public_url"),
            ("KNOTPOST_SERVER__PUBLIC_URL", "games.example", "server.public_url"),
            ("KNOTPOST_RETENTION__OUTBOX_DAYS", "89", "retention.outbox_days"),
            ("KNOTPOST_RETENTION__AUDIT_DAYS", "0", "retention.audit_days"),
            ("KNOTPOST_LIMITS__PASSWORD_TRIES", "0", "limits.password_tries"),
            ("KNOTPOST_LIMITS__HTTP_PER_MINUTE", "0", "limits.http_per_minute"),
            ("KNOTPOST_TIME__NAG_DAYS", "22", "time.nag_days"),
            ("KNOTPOST_TIME__NAG_DAYS", "NaN", "time.nag_days"),
            ("KNOTPOST_PUSH__SUBJECT", "games@example.org", "push.subject"),
            ("KNOTPOST_PUSH__SUBJECT", "mailto:nobody", "push.subject"),
            ("KNOTPOST_PUSH__SUBJECT", "http://games.example", "push.subject"),
        ] {
            let bad = load(&[(name, value)]).expect_err(name).to_string();
            assert!(bad.starts_with(key), "{name}: {bad}");
        }
        for subject in ["", "mailto:games@example.org", "https://games.example/about"] {
            load(&[("KNOTPOST_PUSH__SUBJECT", subject)]).expect(subject);
        }
        assert!(load(&[]).expect("the defaults").warnings.is_empty());
        let told = load(&[("KNOTPOST_MAIL__TRANSPORT", "smtp://relay.example")]).expect("usable").warnings;
        assert!(
            told.len() == 2
                && told[0].subject == "server.public_url"
                && told[1].problem.contains("@localhost"),
            "{told:?}"
        );
        for (given, used) in [
            ("https://games.example/", "https://games.example"),
            ("https://Games.Example:443", "https://games.example"),
            ("http://games.example:8080/", "http://games.example:8080"),
            ("http://[2001:DB8::1]", "http://[2001:db8::1]"),
        ] {
            let config = load(&[("KNOTPOST_SERVER__PUBLIC_URL", given)]).expect(given);
            assert_eq!(config.server.public_url, used, "as a browser names its origin");
        }
        for (variables, subject) in [
            (&[("KNOTPOST_HTTP__TRUSTED_PROXIES", "127.0.0.1, 0.0.0.0/0")][..], "http.trusted_proxies"),
            (&[("KNOTPOST_HTTP__TRUSTED_PROXIES", "::/0")], "http.trusted_proxies"),
            (&[("KNOTPOST_SMTP__RELAYS", "0.0.0.0/1, 128.0.0.0/1")], "smtp.relays"),
            (&[("KNOTPOST_SMTP__RELAYS", "2000::/3")], "smtp.relays"),
            (
                &[
                    ("KNOTPOST_HTTP__LISTEN", "0.0.0.0:8080"),
                    ("KNOTPOST_SERVER__PUBLIC_URL", "https://games.example"),
                ],
                "http.listen",
            ),
            (
                &[
                    ("KNOTPOST_HTTP__LISTEN", "[::]:80"),
                    ("KNOTPOST_SERVER__PUBLIC_URL", "https://games.example"),
                ],
                "http.listen",
            ),
        ] {
            let told = load(variables).expect("usable").warnings;
            assert!(told.len() == 1 && told[0].subject == subject, "{variables:?}: {told:?}");
        }
        for variables in [
            &[("KNOTPOST_HTTP__TRUSTED_PROXIES", "10.0.0.0/8, 172.16.0.0/12, fc00::/7, ::1")][..],
            &[("KNOTPOST_SMTP__RELAYS", "127.0.0.0/8, 2001:db8::/32")],
            &[("KNOTPOST_HTTP__LISTEN", "0.0.0.0:8080")],
            &[
                ("KNOTPOST_HTTP__LISTEN", "[::1]:80"),
                ("KNOTPOST_SERVER__PUBLIC_URL", "https://games.example"),
            ],
            &[
                ("KNOTPOST_HTTP__LISTEN", "0.0.0.0:8080"),
                ("KNOTPOST_HTTP__TRUSTED_PROXIES", "172.17.0.1"),
                ("KNOTPOST_SERVER__PUBLIC_URL", "https://games.example"),
            ],
        ] {
            assert!(load(variables).expect("usable").warnings.is_empty(), "{variables:?}");
        }
        let told = load(&[("KNOTPOST_SERVER_ADDRESS", "a@b.example"), ("KNOTPOST_TEST_POSTGRES", "x")]);
        let told = told.expect("usable").warnings;
        assert!(told.len() == 1 && told[0].mend.contains("KNOTPOST_SERVER__ADDRESS"), "{told:?}");
    }
}
