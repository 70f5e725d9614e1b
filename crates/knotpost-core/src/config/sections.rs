use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize, Serializer};

use super::masked::{MASK, mask_url};
use knotpost_model::{Networks, words};

/// Operator's documentation of a section and its keys, from the doc comments.
#[derive(Clone, Copy, Debug)]
pub(super) struct About {
    pub(super) section: &'static [&'static str],
    pub(super) keys: &'static [(&'static str, &'static [&'static str])],
}

/// Declares a section: keys, types, defaults. Doc comments become the settings reference.
macro_rules! section {
    ($(#[doc = $doc:literal])* $name:ident { $(
        $(#[doc = $key_doc:literal])* $(#[serde($($serde:tt)*)])? $key:ident : $kind:ty = $default:expr
    ),* $(,)? }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, Deserialize, Serialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name { $($(#[doc = $key_doc])* $(#[serde($($serde)*)])? pub $key: $kind),* }

        impl $name {
            pub(super) const ABOUT: About =
                About { section: &[$($doc),*], keys: &[$((stringify!($key), &[$($key_doc),*])),*] };
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($key: $default),* }
            }
        }
    };
}

section! {
    /// Name and addresses of this server.
    Server {
        /// The name in the From of all mail.
        name: String = "Knotpost".to_owned(),
        /// The address that players write to: ASCII before the `@`, and no `+` in it.
        address: String = "pbmserv@localhost".to_owned(),
        /// The address at which browsers reach the server; links in mails begin with it: `http://` or `https://`, a host,
        /// and a port where it needs one. No path: the server has the host for itself. Left at its default, links lead
        /// to the address and port of `http.listen`.
        public_url: String = "http://127.0.0.1:8080".to_owned(),
        /// The one responsible for the server, named on the page about privacy: an address of mail or of a page, or a
        /// line of text; empty: the postmaster.
        contact: String = String::new(),
        /// The folder for everything that the server writes.
        data: PathBuf = PathBuf::from("./data"),
        /// The socket of `knotpost deliver`; empty: `knotpost.sock` in the data folder.
        socket: PathBuf = PathBuf::new(),
        /// The permissions of that socket, octal, in quotes or as `0o660`: the users who may run `knotpost
        /// deliver`.
        socket_mode: FileMode = FileMode::default(),
    }
}

section! {
    /// The web and API listener.
    Http {
        /// Address and port of the web and the API; port 0: any free one; empty: off.
        listen: String = "127.0.0.1:8080".to_owned(),
        /// Addresses and networks of proxies whose `X-Forwarded-For` is believed.
        trusted_proxies: Networks = Networks::default(),
        /// Connections to the web at once.
        max_connections: u32 = 1000,
        /// Connections at once from one client: an IPv4 address, or a /64 of IPv6. Trusted proxies are exempt.
        max_per_client: u32 = 200,
    }
}

section! {
    /// The SMTP listener.
    Smtp {
        /// Address and port of SMTP; port 0: any free one; empty: off.
        listen: String = "127.0.0.1:2525".to_owned(),
        /// The certificate chain, a PEM file; with `smtp.tls_key` STARTTLS is offered. Read again at SIGHUP.
        tls_cert: String = String::new(),
        /// The key of that certificate, a PEM file. Read again at SIGHUP.
        tls_key: String = String::new(),
        /// Addresses and networks of mail servers that relay to this one, by SMTP or LMTP: their clients are
        /// told apart by `Received`.
        relays: Networks = Networks::default(),
    }
}

section! {
    /// The LMTP listener.
    Lmtp {
        /// Address and port of LMTP, or `unix:PATH`; empty: off.
        listen: String = String::new(),
        /// The permissions of that Unix socket, octal, in quotes or as `0o660`.
        socket_mode: FileMode = FileMode::default(),
    }
}

section! {
    /// A folder that another program delivers into.
    Maildir {
        /// A Maildir that another program delivers into, relative to the data folder; empty: none.
        watch: String = String::new(),
        /// Seconds between two scans of that folder, 0.01 to 86400.
        poll_seconds: f64 = 1.0,
    }
}

section! {
    /// The way out.
    Mail {
        /// The way out: `maildir:[PATH]`, `smtp://…`, `smtps://…` or `sendmail:[PATH]`. A relative Maildir
        /// belongs to the data folder.
        transport: Url = Url("maildir:".to_owned()),
        /// The name in `EHLO` when mail is sent by SMTP: a domain, or an address such as `[192.0.2.1]`; empty:
        /// the domain of `server.address`.
        helo: String = String::new(),
        /// A PEM file with the certificates of authorities that are trusted for the relay beside the built-in ones;
        /// empty: none.
        tls_ca: PathBuf = PathBuf::new(),
        /// Mails that leave in an hour at most, failed attempts included; the others wait, and leave later in their
        /// order. Each server counts for itself, anew after a start; 0: no limit.
        per_hour: u32 = 0,
        /// Tell nobody anything and lose nobody a game: no mail, no webhook and no browser is told, the clock and the
        /// computer players stand still, and no folder is emptied of mail. What was written meanwhile leaves after a
        /// start without it. For a copy that is looked at; `knotpost restore --copy` needs no setting.
        hold: bool = false,
        /// The folder of mail templates of your own; empty: `templates` in the data folder. Read again at
        /// SIGHUP.
        templates: PathBuf = PathBuf::new(),
    }
}

section! {
    /// The database.
    Database {
        /// `sqlite:[PATH]`, empty: `knotpost.db` in the data folder; or `postgres://…`, of one host: several are
        /// behind HAProxy.
        url: Url = Url("sqlite:".to_owned()),
        /// Connections at most; on SQLite those for reading, each of which keeps up to 4 MB of the file in
        /// memory.
        max_connections: u32 = 8,
        /// `serve`, `import` and `admin user add` bring the schema up to date: `auto`, or `off`, when only
        /// `knotpost migrate` does. No other command changes it.
        migrate: Migrate = Migrate::Auto,
        /// After an unclean stop, a SQLite file of up to this many MiB is checked before the server listens, a
        /// larger one while it works.
        check_first_mib: u64 = 256,
    }
}

section! {
    /// Users' accounts.
    Accounts {
        /// New addresses must be confirmed: `on`, `off`, or `auto`, which is on with every transport
        /// but `maildir:`.
        confirm_addresses: Confirm = Confirm::Auto,
    }
}

section! {
    /// Rates. They protect a public server; loop protection is not among them and always on.
    Limits {
        /// The rates of this section apply. Protection against loops of mail and the budgets for
        /// answers are always on.
        enabled: bool = true,
        /// New accounts per sender and per host.
        signups_per_hour: u32 = 10,
        /// Challenges per sender and per host.
        challenges_per_hour: u32 = 60,
        /// Requests about a forgotten password, per sender, per host and per userid.
        resets_per_hour: u32 = 5,
        /// Challenges that one user gets from senders who are not authenticated.
        challenges_of_strangers_per_day: u32 = 20,
        /// Messages and broadcasts, per user and per host; words and proposals on one board, per user.
        messages_per_hour: u32 = 30,
        /// Wrong passwords in 15 minutes for an account, from each host it is known at; three times as many from
        /// all other hosts together.
        password_tries: u32 = 10,
        /// Treatment of mail of strangers: `open`, `known` or `closed`. `knotpost admin strangers` changes
        /// it while the server runs.
        strangers: StrangerPolicy = StrangerPolicy::Open,
        /// Requests per network address.
        http_per_minute: u32 = 600,
    }
}

section! {
    /// Reminders and losses on time.
    Time {
        /// Reminder after this many days without a move, then daily; not more than `time.forfeit_days`.
        nag_days: f64 = 7.0,
        /// Loss after this many days without a move.
        forfeit_days: f64 = 21.0,
    }
}

section! {
    /// The games on offer.
    Games {
        /// Names of games of which no new boards begin here. Boards that have begun are played to their end.
        disabled: Vec<String> = Vec::new(),
        /// Other titles of games, by their names, such as `{ connect4 = "Four" }`: for places where a title is a trademark.
        /// Commands keep their words.
        titles: BTreeMap<String, String> = BTreeMap::new(),
    }
}

section! {
    /// The server's own computer players.
    Bots {
        /// The server's own computer players play.
        enabled: bool = true,
        /// Moves that are decided on at the same time, 1 to 64.
        threads: u32 = 1,
        /// Most milliseconds of processor time for one move, 1 to 60000.
        move_ms: u32 = 1000,
        /// Most seconds of processor time in an hour, for all their moves together, 1 to 230400.
        hour_cpu_s: u32 = 1200,
        /// Pace of their answers: `quick`, or `human`: after 20 seconds to 4 minutes.
        pace: Pace = Pace::Quick,
        /// Boards with them are rated.
        rated: bool = false,
    }
}

section! {
    /// Mail in.
    Inbound {
        /// The secret of `POST /inbound`, at least 16 characters of ASCII without blanks; empty: there is no such
        /// address.
        #[serde(serialize_with = "mask_secret")]
        secret: SecretString = SecretString::default(),
        /// Largest mail taken, 1024 or more; of its texts the first 512 KiB are read.
        max_bytes: usize = 4_194_304,
        /// Use of SPF, DKIM and DMARC of received mail: `off`, `annotate`, `require-for-tokens` or
        /// `reject-fail`.
        auth_policy: AuthPolicy = AuthPolicy::Annotate,
        /// Hosts whose `Authentication-Results` are believed, as `mx.games.example` or, when they hand mail
        /// over from elsewhere, with their addresses: `mx.games.example 192.0.2.7`.
        trusted_authserv: Vec<String> = Vec::new(),
        /// Name servers asked about senders, such as `127.0.0.1` or `[::1]:5353`; none: those of the system.
        dns: Vec<String> = Vec::new(),
        /// Mails that are kept, encrypted, for 7 days after processing: `never`, `failed` or `all`.
        keep_raw: KeepRaw = KeepRaw::Failed,
        /// Mails of one host, or of one known sender, that may wait to be processed; more are put off.
        waiting_per_host: u32 = 250,
        /// Mails with one domain in From that may wait; mail that is proven to come from there has as many
        /// places again.
        waiting_per_domain: u32 = 500,
        /// Mails that may wait in all; proven ones and those of known senders have as many places again.
        waiting_total: u32 = 5000,
    }
}

section! {
    /// Tournaments.
    Tournaments {
        /// Tournaments can be announced and entered. Those that run are played to their end.
        enabled: bool = true,
        /// Users who may announce one: `users` from their first finished board on, or only `admins`.
        announce: Announcers = Announcers::Users,
        /// Tournaments that a user directs at once; administrators as many as they like.
        running_per_director: u32 = 2,
        /// Tournaments that a user can be in at once.
        entries_per_user: u32 = 5,
        /// Boards that all entries of a user can bring at once.
        boards_per_user: u32 = 30,
    }
}

section! {
    /// Programs of users that are told what happens on their boards.
    Webhooks {
        /// Users' programs and browsers receive events.
        enabled: bool = true,
        /// They may be on this machine, in its networks, on port 80 and without TLS.
        allow_private: bool = false,
        /// Limit of one request to one of them, 1 to 60.
        timeout_seconds: u64 = 10,
    }
}

section! {
    /// Browsers that tell their users whose turn it is (web push).
    Push {
        /// Browsers can be switched on, and are told; nor are they while `webhooks.enabled` is `false`.
        enabled: bool = true,
        /// Contact of push services about this server (the `sub` of VAPID), as `mailto:games@example.org` or
        /// `https://games.example/`; empty: `mailto:` and `server.address`.
        subject: String = String::new(),
    }
}

section! {
    /// Signing of outgoing mail, in the name of the domain of `server.address`.
    Dkim {
        /// The part of the DNS name under which the public key is found; with `dkim.key` mail is signed; empty:
        /// it is not.
        selector: String = String::new(),
        /// The private key, RSA of 2048 to 4096 bits or Ed25519: the path of a PEM file, or the PEM itself.
        /// Read again at SIGHUP.
        #[serde(serialize_with = "mask_secret")]
        key: SecretString = SecretString::default(),
    }
}

section! {
    /// Days that records of mail and the audit log are kept.
    Retention {
        /// Records of received mail, 30 or more.
        inbox_days: u32 = 90,
        /// Records of sent mail, 90 or more: as long, a mail can be answered by a reply.
        outbox_days: u32 = 90,
        /// The audit log, 1 or more.
        audit_days: u32 = 730,
        /// Days that mail stays in the Maildir of `mail.transport = "maildir:"`; 0: for ever.
        maildir_days: u32 = 0,
    }
}

section! {
    /// The server's secret.
    Secrets {
        /// The secret key: 64 hexadecimal digits, or keys marked as in the key file; empty: it is in
        /// `secrets.key_file`.
        #[serde(serialize_with = "mask_secret")]
        key: SecretString = SecretString::default(),
        /// The file that holds the key instead, made when it is absent; empty: `secret.key` in the data folder.
        key_file: PathBuf = PathBuf::new(),
    }
}

section! {
    /// Messages for the operator.
    Log {
        /// `text` for people or `json` for machines.
        format: LogFormat = LogFormat::Text,
        /// `error`, `warn`, `info`, `debug` or `trace`, or a filter such as `info,sqlx=warn`.
        level: String = "info".to_owned(),
    }
}

macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$variant_doc])* $variant),* }
    };
}

choice! {
    Migrate {
        Auto,
        /// Only by `knotpost migrate`.
        Off,
    }
}

choice! {
    Confirm {
        /// With every transport that really mails.
        Auto,
        On,
        Off,
    }
}

choice! {
    Pace {
        /// Immediately.
        Quick,
        /// After half a minute to some minutes, as people do.
        Human,
    }
}

choice! {
    AuthPolicy {
        Off,
        /// Verdicts are recorded.
        Annotate,
        /// Reply addresses need a verified sender.
        RequireForTokens,
        RejectFail,
    }
}

words! {
    /// Treatment of mail from unauthenticated senders.
    #[derive(Deserialize, Serialize)]
    #[serde(rename_all = "kebab-case")]
    StrangerPolicy {
        /// Answered, within budgets, and they may sign up.
        Open = "open",
        /// Mail from unknown addresses is refused, unless it names a user and their password.
        Known = "known",
        /// Refused or unanswered, and nobody can sign up.
        Closed = "closed",
    }
}

choice! {
    Announcers {
        /// Everybody who has finished a board.
        Users,
        Admins,
    }
}

choice! {
    KeepRaw {
        Never,
        /// Messages whose processing failed, for 7 days.
        Failed,
        /// All, for 7 days.
        All,
    }
}

choice! {
    LogFormat {
        Text,
        Json,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileMode(u32);

/// Owner's read and write bits, without which the owner is locked out.
const OWNER: u32 = 0o600;
/// Write bit for everybody on the machine.
const EVERYBODY: u32 = 0o002;

impl Default for FileMode {
    fn default() -> Self {
        Self(0o660)
    }
}

impl FileMode {
    pub fn bits(self) -> u32 {
        self.0
    }
}

impl std::str::FromStr for FileMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("0o").unwrap_or(text);
        match u32::from_str_radix(digits, 8) {
            Ok(mode) if mode <= 0o777 && digits.starts_with(|c: char| c.is_ascii_digit()) => {
                if mode & OWNER == OWNER {
                    return Ok(Self(mode));
                }
                Err(format!(
                    "`{text}` locks the server itself out: the first digit is 6 or 7, as in \"0660\""
                ))
            }
            _ => Err(format!("`{text}` are no permissions in octal such as \"0660\"")),
        }
    }
}

impl TryFrom<i64> for FileMode {
    type Error = String;

    /// TOML's `0o660` arrives as a number. A number written without `0o` has other bits, and none such gives
    /// the owner read and write, so it is refused.
    fn try_from(number: i64) -> Result<Self, String> {
        match u32::try_from(number) {
            Ok(mode) if mode <= 0o777 && mode & OWNER == OWNER && mode & EVERYBODY == 0 => Ok(Self(mode)),
            Ok(mode) if mode <= 0o777 && mode & OWNER == OWNER => Err(format!(
                "write \"{mode:04o}\" in quotes if everybody on the machine shall use the socket"
            )),
            _ => Err(format!(
                "the number {number} is not clear: write permissions in quotes, such as \"0660\""
            )),
        }
    }
}

impl<'de> Deserialize<'de> for FileMode {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Text(String),
            Number(i64),
        }
        match Written::deserialize(deserializer)? {
            Written::Text(text) => text.parse(),
            Written::Number(number) => Self::try_from(number),
        }
        .map_err(serde::de::Error::custom)
    }
}

impl Serialize for FileMode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("{:04o}", self.0))
    }
}

/// An address that may carry a password; masked wherever it is shown.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub struct Url(pub String);

impl std::ops::Deref for Url {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Url {
    pub fn masked(&self) -> String {
        mask_url(&self.0)
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.masked())
    }
}

fn mask_secret<S: Serializer>(secret: &SecretString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(if secret.expose_secret().is_empty() { "" } else { MASK })
}

impl Serialize for Url {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.masked())
    }
}
