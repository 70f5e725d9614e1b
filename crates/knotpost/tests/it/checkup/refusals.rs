//! `config check` names whatever `serve` refuses, and nothing else, and leaves no trace.

use std::fs;
use std::net::TcpListener;

use serde_json::Value;

use crate::harness::free_address;
use crate::process::running::{Ended, Place};

/// A set-up that a server refuses: what is done to a sound one, and what the finding is about and says.
struct Fault {
    variables: Vec<(&'static str, String)>,
    subject: &'static str,
    words: &'static str,
    prepare: fn(&Place),
}

impl Fault {
    fn setting(name: &'static str, value: &str, subject: &'static str, words: &'static str) -> Self {
        Self { variables: vec![(name, value.to_owned())], subject, words, prepare: |_| {} }
    }

    fn file(subject: &'static str, words: &'static str, prepare: fn(&Place)) -> Self {
        Self { variables: Vec::new(), subject, words, prepare }
    }

    fn and(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    fn place(&self) -> Place {
        let place =
            self.variables.iter().fold(Place::new(), |place, (name, value)| place.with(name, value.as_str()));
        (self.prepare)(&place);
        place
    }
}

fn faults(taken: &str) -> Vec<Fault> {
    let set = Fault::setting;
    vec![
        set("KNOTPOST_HTTP__LISTEN", taken, "http.listen", taken_words()),
        set("KNOTPOST_SMTP__LISTEN", taken, "smtp.listen", taken_words()),
        set("KNOTPOST_LMTP__LISTEN", taken, "lmtp.listen", taken_words()),
        set("KNOTPOST_LMTP__LISTEN", "unix:/nowhere/lmtp", "lmtp.listen", "/nowhere/lmtp"),
        set("KNOTPOST_SERVER__SOCKET", "/nowhere/socket", "server.socket", "/nowhere/socket"),
        set("KNOTPOST_SERVER__DATA", "/dev/null/data", "server.data", "/dev/null/data"),
        set("KNOTPOST_GAMES__DISABLED", "shogi", "games.disabled", "shogi"),
        set("KNOTPOST_GAMES__TITLES", "xiangqi=Chess", "games.titles", "xiangqi"),
        set("KNOTPOST_MAIL__TRANSPORT", "pigeon:home", "mail.transport", "sendmail:PATH"),
        set("KNOTPOST_MAIL__TRANSPORT", "maildir:/dev/null/out", "mail.transport", "folder"),
        set("KNOTPOST_MAIL__TLS_CA", "/nowhere/ca.pem", "mail.tls_ca", "/nowhere/ca.pem"),
        set("KNOTPOST_PUSH__SUBJECT", "games@example.org", "push.subject", "mailto:"),
        set("KNOTPOST_MAILDIR__WATCH", "mail/out", "maildir.watch", "outgoing mail"),
        set("KNOTPOST_DKIM__KEY", "/nowhere/dkim.pem", "dkim.key", "cannot be read")
            .and("KNOTPOST_DKIM__SELECTOR", "mail"),
        set("KNOTPOST_SMTP__TLS_CERT", "/nowhere/cert.pem", "smtp.tls_cert", "/nowhere/cert.pem")
            .and("KNOTPOST_SMTP__TLS_KEY", "/nowhere/key.pem"),
        set("KNOTPOST_DATABASE__URL", "sqlite:/nowhere/x.db", "database.url", "/nowhere"),
        set("KNOTPOST_DATABASE__URL", "postgres://127.0.0.1:1/x", "database.url", "refused"),
        set("KNOTPOST_SERVER__PUBLIC_URL", "https://games.example/games", "server.public_url", "no path"),
        set("KNOTPOST_INBOUND__SECRET", "x", "inbound.secret", "16 characters"),
        set("KNOTPOST_RETENTION__INBOX_DAYS", "7", "retention.inbox_days", "30"),
        Fault::file("configuration", "listne", |place| {
            place.write("knotpost.toml", "[http]\nlistne = \"127.0.0.1:0\"\n");
        }),
        Fault::file("configuration", "line 1", |place| {
            place.write("knotpost.toml", "this is not TOML");
        }),
        Fault::file("secrets.key_file", "does not hold a key", |place| {
            fs::create_dir(place.data()).unwrap();
            place.write("data/secret.key", "short");
        }),
        Fault::file("database.url", "knotpost.db", |place| {
            fs::create_dir(place.data()).unwrap();
            place.write("data/knotpost.db", "this is a letter, and no database at all. ".repeat(100));
        }),
        Fault::file("database.url", "missing or empty", |place| {
            fs::create_dir(place.data()).unwrap();
            place.write("data/knotpost.db-running", "running");
        }),
    ]
}

fn taken_words() -> &'static str {
    "cannot be listened on"
}

fn files(place: &Place) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    let mut folders = vec![place.root().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            files.push(path.display().to_string());
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    files.sort();
    files
}

fn findings(ended: &Ended) -> Vec<Value> {
    let said: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
    let findings = said["findings"].as_array().unwrap().clone();
    findings.into_iter().filter(|finding| finding["level"] == "error").collect()
}

#[tokio::test]
async fn whatever_serve_refuses_is_named_before() {
    let holder = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = holder.local_addr().unwrap().to_string();
    for fault in faults(&taken) {
        let place = fault.place();
        let before = files(&place);
        let ended = place.run(&["config", "check"]).await;
        assert_eq!(ended.code(), 78, "{}: {ended:?}", fault.subject);
        let lines: Vec<&str> = ended.stdout.lines().filter(|line| line.starts_with("error: ")).collect();
        let [line] = lines[..] else { panic!("{}: one finding a fault: {ended:?}", fault.subject) };
        let begins = format!("error: {}: ", fault.subject);
        assert!(
            line.starts_with(&begins) && line.contains(fault.words),
            "{begins} … {}: {line}",
            fault.words
        );
        assert!(line.contains(". To fix it: "), "{line}");
        assert_eq!(files(&place), before, "{}: nothing was made", fault.subject);

        let ended = place.run(&["config", "check", "--json"]).await;
        let found = findings(&ended);
        assert_eq!((found.len(), found[0]["subject"].as_str()), (1, Some(fault.subject)), "{ended:?}");

        // PostgreSQL that is not there is waited for.
        let waits = fault.variables.iter().any(|(_, value)| value.starts_with("postgres:"));
        if !waits {
            let Err(refused) = place.try_start().await else { panic!("{} was taken: {line}", fault.subject) };
            assert!([1, 78].contains(&refused.code()), "{refused:?}");
        }
    }
}

#[tokio::test]
async fn all_settings_that_are_wrong_are_named_at_once() {
    let place = Place::new().with("KNOTPOST_LOG__LEVEL", "loud").with("KNOTPOST_TIME__NAG_DAYS", "many");
    place.write("knotpost.toml", "[server]\nadress = \"x\"\naddress = \"nobody\"\n");
    let ended = place.run(&["config", "check"]).await;
    assert_eq!((ended.code(), ended.stdout.lines().count()), (78, 4), "{ended:?}");
    for words in ["adress", "log.level", "nag_days", "server.address"] {
        assert!(ended.stdout.contains(words), "{words}: {ended:?}");
    }
}

#[tokio::test]
async fn a_sound_set_up_passes_before_its_first_start_and_while_its_server_runs() {
    let place = Place::new();
    for _ in 0..2 {
        let said = place.run(&["config", "check"]).await.succeed();
        assert_eq!(said, "Nothing is wrong: `knotpost serve` can start.\n");
    }
    assert!(!place.data().exists(), "nothing was made");
    let server = place.start().await;
    place.run(&["config", "check"]).await.succeed();
    server.stop().await;
    let said = place.run(&["config", "check", "--json"]).await.succeed();
    assert_eq!(said, "{\"findings\":[],\"sound\":true}\n");

    let place = place.with("KNOTPOST_SMTP__LISTEN", free_address().to_string());
    let server = place.start().await;
    place.run(&["config", "check"]).await.succeed();
    server.kill().await;
    // The socket and the mark of the server that was killed are in nobody's way.
    place.run(&["config", "check"]).await.succeed();
}

#[tokio::test]
async fn what_serve_only_warns_of_is_a_warning() {
    let place = Place::new()
        .with("KNOTPOST_MAIL__TRANSPORT", "smtp://relay.example")
        .with("KNOTPOST_SERVER_NAME", "Games");
    let ended = place.run(&["config", "check"]).await;
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!((ended.code(), lines.len()), (0, 4), "{ended:?}");
    assert!(lines[..3].iter().all(|line| line.starts_with("warning: ")), "{ended:?}");
    for words in ["KNOTPOST_SERVER__NAME", "server.public_url", "server.address"] {
        assert!(ended.stdout.contains(words), "{words}: {ended:?}");
    }
    assert!(lines[3].starts_with("Apart from that nothing is wrong"), "{ended:?}");
}

/// One list for all three: what a start logs, `config check` says before, and `doctor` says.
#[tokio::test]
async fn whatever_serve_warns_of_is_told_before() {
    let name_taken: fn(&Place) = |place| {
        let sql = "INSERT INTO users (userid, userid_key, role, state, created_at)
                   VALUES ('knotbot-3', 'knotbot-3', 'player', 'active', 0)";
        place.alter(sql);
    };
    let open_folder: fn(&Place) = |place| {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(place.data(), fs::Permissions::from_mode(0o755)).unwrap();
    };
    let nothing: fn(&Place) = |_| {};
    let public = ("KNOTPOST_SERVER__PUBLIC_URL", "https://games.example");
    let relay = ("KNOTPOST_MAIL__TRANSPORT", "smtp://127.0.0.1:1");
    #[expect(clippy::type_complexity, reason = "a table of one test")]
    let warnings: [(&str, Vec<(&str, &str)>, fn(&Place), usize); 11] = [
        ("no setting", vec![("KNOTPOST_SERVER_NAME", "x")], nothing, 1),
        ("nobody else finds anything", vec![relay], nothing, 2),
        ("nobody can answer", vec![relay], nothing, 2),
        ("strangers connect from there", vec![("KNOTPOST_HTTP__TRUSTED_PROXIES", "0.0.0.0/0")], nothing, 1),
        ("strangers connect from there", vec![("KNOTPOST_SMTP__RELAYS", "::/0")], nothing, 1),
        ("without TLS for other machines", vec![("KNOTPOST_HTTP__LISTEN", "0.0.0.0:0"), public], nothing, 1),
        ("there is no Maildir", vec![("KNOTPOST_MAILDIR__WATCH", "mail/nowhere")], nothing, 1),
        ("there is no folder", vec![("KNOTPOST_MAIL__TEMPLATES", "/nowhere")], nothing, 1),
        ("may read or change", vec![], open_folder, 1),
        ("people have these userids", vec![], name_taken, 1),
        ("limit of open files", vec![("KNOTPOST_HTTP__MAX_CONNECTIONS", "4000000")], nothing, 1),
    ];
    for (words, variables, prepare, count) in warnings {
        let place = Place::new().migrated().await;
        let place = variables.into_iter().fold(place, |place, (name, value)| place.with(name, value));
        prepare(&place);
        let ended = place.run(&["config", "check"]).await;
        let told: Vec<&str> = ended.stdout.lines().filter(|line| line.starts_with("warning: ")).collect();
        assert_eq!((ended.code(), told.len()), (0, count), "{words}: {ended:?}");
        assert!(told.iter().any(|line| line.contains(words)), "{words}: {ended:?}");
        let said = place.run(&["doctor"]).await.stdout;
        assert!(told.iter().all(|line| said.contains(line)), "{words}: {said}");
        let log = place.start().await.stop().await.stderr;
        let logged: Vec<&str> = log.lines().filter(|line| line.contains(" WARN ")).collect();
        assert!(logged.len() == count && logged.iter().any(|line| line.contains(words)), "{words}: {log}");
    }
}

#[tokio::test]
async fn a_database_of_another_schema_or_key_is_named() {
    let place = Place::new().migrated().await;
    let beside = place.clone();
    let change = |sql: &str| beside.alter(sql);
    change("INSERT INTO server_facts (name, value) VALUES ('key', 'of another server')");
    let ended = place.run(&["config", "check"]).await;
    assert_eq!(ended.code(), 0, "{ended:?}");
    assert!(ended.stdout.starts_with("warning: secrets.key_file: "), "{ended:?}");
    change("DELETE FROM server_facts");

    let newest = "(SELECT max(version) FROM _sqlx_migrations)";
    change(&format!("UPDATE _sqlx_migrations SET success = 0 WHERE version = {newest}"));
    place.run(&["config", "check"]).await.succeed();
    let place = place.with("KNOTPOST_DATABASE__MIGRATE", "off");
    let ended = place.run(&["config", "check"]).await;
    assert_eq!(ended.code(), 78, "{ended:?}");
    assert!(ended.stdout.contains("knotpost migrate"), "{ended:?}");
    change("UPDATE _sqlx_migrations SET success = 1");

    change(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'later', 1, x'00', 0)",
    );
    let ended = place.run(&["config", "check"]).await;
    assert_eq!(ended.code(), 78, "{ended:?}");
    assert!(ended.stdout.contains("newer knotpost"), "{ended:?}");
    change("DELETE FROM _sqlx_migrations WHERE version = 9999");

    fs::remove_file(place.data().join("secret.key")).unwrap();
    let ended = place.run(&["config", "check"]).await;
    assert!(ended.stdout.contains("secret.key") && ended.stdout.contains("from the backup"), "{ended:?}");
    assert!(!place.data().join("secret.key").exists(), "none was made");
}
