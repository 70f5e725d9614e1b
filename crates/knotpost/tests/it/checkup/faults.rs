//! `doctor` names each fault of a set-up that is sound otherwise, with its mend, and finds none in a sound one.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, chown};

use serde_json::Value;

use crate::dns::{NameServer, Zone};
use crate::process::recipes::recipe;
use crate::process::running::Place;
use crate::relay::{Answer, Relay, agreeable};
use crate::signing::{key_file, signer};

const RECORD: &str = "mail._domainkey.games.example";
const NOBODY: u32 = 65_534;

/// A set-up before its servers are started.
struct Sketch {
    zone: Zone,
    relay: Answer,
    /// What `mail.transport` says about the relay that listens there.
    transport: fn(&str) -> String,
    variables: Vec<(&'static str, String)>,
    prepare: fn(&Place),
    shell: Option<&'static str>,
}

impl Sketch {
    fn sound() -> Self {
        let zone = Zone::default()
            .mx("games.example", "mx.games.example")
            .txt("games.example", "v=spf1 mx -all")
            .a("games.example", [192, 0, 2, 2])
            .a("mx.games.example", [192, 0, 2, 1])
            .ptr("1.2.0.192.in-addr.arpa", "mx.games.example")
            .txt(RECORD, &signer("rsa.pem").record())
            .txt("_dmarc.games.example", "v=DMARC1; p=quarantine")
            .txt("_mta-sts.games.example", "v=STSv1; id=20261125")
            .a("mta-sts.games.example", [192, 0, 2, 2]);
        Self {
            zone,
            relay: agreeable,
            transport: |relay| format!("smtp://{relay}"),
            variables: Vec::new(),
            prepare: |_| {},
            shell: None,
        }
    }

    fn set(&mut self, name: &'static str, value: &str) {
        self.variables.push((name, value.to_owned()));
    }

    /// What `doctor` says about it: its exit code, and its findings.
    async fn examine(self) -> (i32, Vec<Value>) {
        let names = NameServer::start(self.zone).await;
        let relay = Relay::open(self.relay).await;
        let place = Place::new()
            .with("KNOTPOST_LIMITS__ENABLED", "true")
            .with("KNOTPOST_SERVER__ADDRESS", "pbm@games.example")
            .with("KNOTPOST_SERVER__PUBLIC_URL", "https://games.example")
            .with("KNOTPOST_INBOUND__DNS", &names.address)
            .with("KNOTPOST_MAIL__TRANSPORT", (self.transport)(&relay.place()))
            .with("KNOTPOST_DKIM__SELECTOR", "mail")
            .with("KNOTPOST_DKIM__KEY", "dkim.pem")
            .with("KNOTPOST_SMTP__TLS_CERT", "cert.pem")
            .with("KNOTPOST_SMTP__TLS_KEY", "key.pem");
        fs::set_permissions(place.root(), Permissions::from_mode(0o755)).unwrap();
        place.write("dkim.pem", fs::read(key_file("rsa.pem")).unwrap());
        certify(&place, 2090);
        for file in ["dkim.pem", "key.pem"] {
            fs::set_permissions(place.root().join(file), Permissions::from_mode(0o600)).unwrap();
        }
        let mut place = place.migrated().await;
        (self.prepare)(&place);
        for (name, value) in self.variables {
            place = place.with(name, value);
        }
        if let Some(shell) = self.shell {
            place = place.with_shell(shell);
        }
        ask_doctor(&place).await
    }
}

/// What `doctor` says of a set-up: its exit code and its findings, but for those about the disk, which is that of the
/// machine that runs the tests.
async fn ask_doctor(place: &Place) -> (i32, Vec<Value>) {
    let ended = place.run(&["doctor", "--json"]).await;
    let said: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
    assert_eq!(said["sound"], ended.code() == 0, "{ended:?}");
    let mut findings = said["findings"].as_array().unwrap().clone();
    let is_space =
        |finding: &Value| finding["problem"].as_str().is_some_and(|said| said.contains(" on the disk of "));
    findings.retain(|finding| !is_space(finding));
    (ended.code(), findings)
}

/// A certificate of its own for the server, which ends in this year.
fn certify(place: &Place, year: i32) {
    let mut wanted = rcgen::CertificateParams::new(vec!["mx.games.example".to_owned()]).unwrap();
    wanted.not_after = rcgen::date_time_ymd(year, 1, 1);
    let key = rcgen::KeyPair::generate().unwrap();
    place.write("cert.pem", wanted.self_signed(&key).unwrap().pem());
    place.write("key.pem", key.serialize_pem());
}

/// A fault: what it is about, words of the problem and of the mend, and what is changed.
struct Fault(&'static str, &'static str, &'static str, fn(&mut Sketch));

/// What `serve` would refuse or warn of.
const OF_SETTINGS: &[Fault] = &[
    Fault("configuration", "listne", "docs/reference/settings.md", |s| {
        s.prepare = |place| drop(place.write("knotpost.toml", "[http]\nlistne = \"x\"\n"));
    }),
    Fault("http.listen", "cannot be listened on", "port 0", |s| {
        s.set("KNOTPOST_HTTP__LISTEN", "192.0.2.1:1");
        s.set("KNOTPOST_HTTP__TRUSTED_PROXIES", "127.0.0.1");
    }),
    Fault("http.listen", "without TLS for other machines", "http.trusted_proxies", |s| {
        s.set("KNOTPOST_HTTP__LISTEN", "0.0.0.0:0");
    }),
    Fault("http.trusted_proxies", "0.0.0.0/0", "your own machines", |s| {
        s.set("KNOTPOST_HTTP__TRUSTED_PROXIES", "127.0.0.1, 0.0.0.0/0");
    }),
    Fault("smtp.relays", "0.0.0.0/0", "your own machines", |s| s.set("KNOTPOST_SMTP__RELAYS", "0.0.0.0/0")),
    Fault("server.public_url", "no path on one; write https://games.example", "`server.public_url`", |s| {
        s.set("KNOTPOST_SERVER__PUBLIC_URL", "https://games.example/games/");
    }),
    Fault("inbound.secret", "at least 16 characters", "`inbound.secret`", |s| {
        s.set("KNOTPOST_INBOUND__SECRET", "canary");
    }),
    Fault("maildir.watch", "there is no Maildir", "`maildir.watch`", |s| {
        s.set("KNOTPOST_MAILDIR__WATCH", "mail/nowhere");
    }),
    Fault("mail.templates", "there is no folder /nowhere", "`mail.templates`", |s| {
        s.set("KNOTPOST_MAIL__TEMPLATES", "/nowhere");
    }),
    Fault("bots.enabled", "knotbot-3", "admin user rename", |s| {
        s.prepare = |place| {
            place.alter(
                "INSERT INTO users (userid, userid_key, role, state, created_at)
                 VALUES ('knotbot-3', 'knotbot-3', 'player', 'active', 0)",
            );
        };
    }),
    Fault("server.socket", "/nowhere", "`server.socket`", |s| s.set("KNOTPOST_SERVER__SOCKET", "/nowhere/x")),
    Fault("games.disabled", "shogi", "`games.disabled`", |s| s.set("KNOTPOST_GAMES__DISABLED", "shogi")),
    Fault("secrets.key_file", "does not hold a key", "from the backup", |s| {
        s.prepare = |place| drop(place.write("data/secret.key", "taken from a note"));
    }),
    Fault("secrets.key_file", "no key file", "from the backup", |s| {
        s.prepare = |place| fs::remove_file(place.data().join("secret.key")).unwrap();
    }),
    Fault("secrets.key_file", "not the one", "--new-key", |s| {
        s.prepare = |place| place.alter("INSERT INTO server_facts (name, value) VALUES ('key', 'another')");
    }),
    Fault("dkim.key", "PEM", "`dkim.key`", |s| s.prepare = |place| drop(place.write("dkim.pem", "no key"))),
    Fault("smtp.tls_cert", "cert.pem", "`smtp.tls_cert`", |s| {
        s.prepare = |place| fs::remove_file(place.root().join("cert.pem")).unwrap();
    }),
    Fault("mail.templates", "welcome/body.txt", "remove the file", |s| {
        s.prepare = |place| {
            fs::create_dir_all(place.data().join("templates/welcome")).unwrap();
            place.write("data/templates/welcome/body.txt", "{{ open");
        };
    }),
    Fault("mail.transport", "/nowhere/sendmail", "install", |s| {
        s.transport = |_| "sendmail:/nowhere/sendmail".to_owned();
    }),
    Fault("database.url", "no folder", "make it", |s| {
        s.set("KNOTPOST_DATABASE__URL", "sqlite:/nowhere/x.db");
    }),
    Fault("database.url", "damaged", "backup", |s| {
        s.prepare = |place| drop(place.write("data/knotpost.db", "a letter, and no database. ".repeat(400)));
    }),
    Fault("database.url", "refused", "PostgreSQL", |s| {
        s.set("KNOTPOST_DATABASE__URL", "postgres://127.0.0.1:1/x");
    }),
    Fault("database.url", "newer knotpost", "install that version", |s| {
        s.prepare = |place| {
            place.alter(
                "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                 VALUES (9999, 'later', 1, x'00', 0)",
            );
        };
    }),
    Fault("server.address", "nobody can answer", "server.address", |s| {
        s.set("KNOTPOST_SERVER__ADDRESS", "games@localhost");
    }),
    Fault("server.public_url", "nobody else", "server.public_url", |s| {
        s.set("KNOTPOST_SERVER__PUBLIC_URL", "http://127.0.0.1:8080");
    }),
    Fault("KNOTPOST_SERVER_NAME", "no setting", "two underscores", |s| s.set("KNOTPOST_SERVER_NAME", "x")),
    Fault("server.data", "may read or change", "chmod 700", |s| {
        s.prepare = |place| fs::set_permissions(place.data(), Permissions::from_mode(0o755)).unwrap();
    }),
];

/// What shows on the machine.
const OF_THE_MACHINE: &[Fault] = &[
    Fault("dkim.key", "everybody on this machine", "chmod 640", |s| {
        s.prepare = |place| {
            fs::set_permissions(place.root().join("dkim.pem"), Permissions::from_mode(0o644)).unwrap();
        };
    }),
    Fault("smtp.tls_key", "everybody on this machine", "chmod 640", |s| {
        s.prepare = |place| {
            fs::set_permissions(place.root().join("key.pem"), Permissions::from_mode(0o644)).unwrap();
        };
    }),
    Fault("configuration", "everybody on this machine", "chmod 640", |s| {
        s.prepare = |place| {
            let file = place.write("knotpost.toml", "[inbound]\nsecret = \"a-long-enough-secret\"\n");
            fs::set_permissions(file, Permissions::from_mode(0o644)).unwrap();
        };
    }),
    Fault("smtp.tls_cert", "ended", "renew", |s| s.prepare = |place| certify(place, 2020)),
    Fault("http.max_connections", "limit of open files", "LimitNOFILE", |s| {
        s.shell = Some("ulimit -n 300; exec \"$@\"");
    }),
    Fault("disk", "knotpost.schema-0019.db", "rm ", |s| {
        s.prepare = |place| {
            let copy = fs::File::create(place.data().join("knotpost.schema-0019.db")).unwrap();
            let days = std::time::Duration::from_hours(31 * 24);
            copy.set_modified(std::time::SystemTime::UNIX_EPOCH + days).unwrap();
            fs::File::create(place.data().join("knotpost.schema-0020.db")).unwrap();
        };
    }),
    Fault("clock", "slow", "NTP", |s| {
        s.prepare = |place| {
            place.alter(
                "INSERT INTO duties (name, holder, alive_at, until_at) VALUES ('x', 'x', 4102444800000, 0)",
            );
        };
    }),
    Fault("smtp.relays", "192.0.2.77", "smtp.relays", |s| {
        s.prepare = |place| {
            for number in 0..12 {
                let sender = number % 4;
                place.alter(
                    &format!(
                        "INSERT INTO inbox (received_at, way, peer, recipients, size, sender, state, attempts, due_at)
                         VALUES ({number}, 'smtp', '192.0.2.77', 'x', 1, 'u{sender}@x.example', 'done', 0, 0)"
                    ),
                );
            }
        };
    }),
];

/// What shows when a server mails to the world.
const OF_MAIL: &[Fault] = &[
    Fault("mail.transport", "cannot be connected to", "firewall", |s| {
        s.transport = |_| "smtp://127.0.0.1:1".to_owned();
    }),
    Fault("mail.transport", "greeting", "mail.helo", |s| {
        s.relay = |line, number| match line.get(..4) {
            Some("EHLO" | "HELO") => "554 5.7.1 not you\r\n",
            _ => agreeable(line, number),
        };
    }),
    Fault("mail.transport", "encrypt", "certificate", |s| {
        s.transport = |relay| format!("smtp://{relay}?tls=required");
    }),
    Fault("mail.transport", "refuses the login", "password", |s| {
        s.transport = |relay| format!("smtp://me:canary@{relay}");
        s.relay = |line, number| match line.get(..4) {
            Some("EHLO") => "250-relay.example.net\r\n250 AUTH PLAIN LOGIN\r\n",
            Some("AUTH") => "535 5.7.8 no\r\n",
            _ => agreeable(line, number),
        };
    }),
    Fault("server.public_url", "without TLS", "proxy", |s| {
        s.set("KNOTPOST_SERVER__PUBLIC_URL", "http://games.example");
    }),
    Fault("server.public_url", "passkey", "a domain", |s| {
        s.set("KNOTPOST_SERVER__PUBLIC_URL", "https://192.0.2.1");
    }),
    Fault("server.public_url", "web.example", "A or AAAA", |s| {
        s.set("KNOTPOST_SERVER__PUBLIC_URL", "https://web.example");
    }),
    Fault("limits.enabled", "nothing limits", "true", |s| s.set("KNOTPOST_LIMITS__ENABLED", "false")),
    Fault("accounts.confirm_addresses", "somebody else", "auto", |s| {
        s.set("KNOTPOST_ACCOUNTS__CONFIRM_ADDRESSES", "off");
    }),
    Fault("dkim.selector", "not signed", "`dkim.key`", |s| {
        s.set("KNOTPOST_DKIM__SELECTOR", "");
        s.set("KNOTPOST_DKIM__KEY", "");
    }),
    Fault("dns", "no MX record", "IN MX 10", |s| {
        let zone = std::mem::take(&mut s.zone).without("games.example");
        s.zone = zone.txt("games.example", "v=spf1 mx -all").a("games.example", [192, 0, 2, 2]);
        s.zone = std::mem::take(&mut s.zone).ptr("2.2.0.192.in-addr.arpa", "games.example");
    }),
    Fault("dns", "takes no mail", "IN MX 10", |s| {
        let zone = std::mem::take(&mut s.zone).without("games.example");
        s.zone = zone
            .txt("games.example", "v=spf1 -all")
            .a("games.example", [192, 0, 2, 2])
            .mx("games.example", "");
    }),
    Fault("dns", "mx.games.example, has no address", "A or AAAA", |s| {
        s.zone = std::mem::take(&mut s.zone).without("mx.games.example");
    }),
    Fault("dns", "no SPF record", "v=spf1 mx", |s| {
        let zone = std::mem::take(&mut s.zone).without("games.example");
        s.zone = zone.mx("games.example", "mx.games.example").a("games.example", [192, 0, 2, 2]);
    }),
    Fault("dns", "2 SPF records", "publish one", |s| {
        s.zone = std::mem::take(&mut s.zone).txt("games.example", "v=spf1 -all");
    }),
    Fault("dns", "+all", "-all", |s| {
        let zone = std::mem::take(&mut s.zone).without("games.example").txt("games.example", "v=spf1 +all");
        s.zone = zone.mx("games.example", "mx.games.example").a("games.example", [192, 0, 2, 2]);
    }),
    Fault("dns", "no DKIM key", "dkim-record", |s| s.zone = std::mem::take(&mut s.zone).without(RECORD)),
    Fault("dns", "not that of `dkim.key`", "dkim-record", |s| {
        s.zone = std::mem::take(&mut s.zone).without(RECORD).txt(RECORD, "v=DKIM1; k=rsa; p=AAAA");
    }),
    Fault("dns", "no DMARC record", "v=DMARC1", |s| {
        s.zone = std::mem::take(&mut s.zone).without("_dmarc.games.example");
    }),
    Fault("dns", "no name (PTR record)", "PTR record with the name mx.games.example", |s| {
        s.zone = std::mem::take(&mut s.zone).without("1.2.0.192.in-addr.arpa");
    }),
    Fault("dns", "not its own", "PTR record", |s| {
        let zone = std::mem::take(&mut s.zone).without("1.2.0.192.in-addr.arpa");
        s.zone = zone.ptr("1.2.0.192.in-addr.arpa", "dialup.example");
    }),
    Fault("dns", "no usable id", "id=1", |s| {
        let zone = std::mem::take(&mut s.zone).without("_mta-sts.games.example");
        s.zone = zone.txt("_mta-sts.games.example", "v=STSv1; id=2026-11-25");
    }),
    Fault("dns", "where its policy would be", "mta-sts.games.example", |s| {
        s.zone = std::mem::take(&mut s.zone).without("mta-sts.games.example");
    }),
    Fault("dns", "name servers do not answer", "inbound.dns", |s| {
        s.zone = std::mem::take(&mut s.zone).failing("games.example");
    }),
];

/// What `doctor` says of the settings of the manual where DNS has these records, without the lines about the disk.
async fn doctor_of_the_manual(zone: Zone) -> (i32, String) {
    let names = NameServer::start(zone).await;
    let relay = Relay::open(agreeable).await;
    let place =
        Place::new().with("KNOTPOST_LIMITS__ENABLED", "true").with("KNOTPOST_INBOUND__DNS", &names.address);
    fs::set_permissions(place.root(), Permissions::from_mode(0o755)).unwrap();
    place.write("dkim.pem", fs::read(key_file("rsa.pem")).unwrap());
    fs::set_permissions(place.root().join("dkim.pem"), Permissions::from_mode(0o640)).unwrap();
    let mut settings = recipe("zero-toml");
    for (own, here) in [
        ("/var/lib/knotpost", "data"),
        ("/run/knotpost/deliver", "deliver"),
        ("/etc/knotpost/dkim.pem", "dkim.pem"),
        ("smtp://127.0.0.1", &format!("smtp://{}", relay.place())),
    ] {
        assert!(settings.contains(own), "{own}");
        settings = settings.replace(own, here);
    }
    place.write("knotpost.toml", settings);
    let place = place.migrated().await;
    let ended = place.run(&["doctor"]).await;
    let lines = ended.stdout.split_inclusive('\n').filter(|line| !line.contains(": disk: "));
    let said: String = lines.collect();
    (ended.code(), said.replace(&relay.place(), "127.0.0.1"))
}

#[tokio::test]
async fn the_manual_shows_what_doctor_says() {
    let machine =
        Zone::default().a("games.example", [192, 0, 2, 25]).a("mail.games.example", [192, 0, 2, 25]);
    let whole = machine
        .clone()
        .mx("games.example", "mail.games.example")
        .txt("games.example", "v=spf1 mx -all")
        .txt("_dmarc.games.example", "v=DMARC1; p=quarantine; rua=mailto:postmaster@games.example")
        .txt(RECORD, &signer("rsa.pem").record())
        .ptr("25.2.0.192.in-addr.arpa", "mail.games.example");
    assert_eq!(doctor_of_the_manual(machine).await, (1, recipe("doctor-before")));
    assert_eq!(doctor_of_the_manual(whole).await, (0, recipe("doctor-after")));
}

async fn expect_each(faults: &[Fault]) {
    let mut missed = Vec::new();
    for Fault(subject, problem, mend, spoil) in faults {
        let mut sketch = Sketch::sound();
        spoil(&mut sketch);
        let (_, found) = sketch.examine().await;
        let is_named = |finding: &Value| {
            let said = |key: &str| finding[key].as_str().unwrap();
            said("subject") == *subject && said("problem").contains(problem) && said("mend").contains(mend)
        };
        let is_one_line =
            found.iter().all(|finding| !finding["problem"].as_str().unwrap_or_default().contains("-----"));
        if found.len() != 1 || !is_one_line || !is_named(&found[0]) || found[0].to_string().contains("canary")
        {
            missed.push((subject, problem, mend, found));
        }
    }
    assert!(missed.is_empty(), "one finding a fault: {missed:#?}");
}

#[tokio::test]
async fn a_sound_set_up_has_no_findings() {
    assert_eq!(Sketch::sound().examine().await, (0, Vec::new()));
    let place = Place::new();
    let said = place.run(&["doctor"]).await.succeed();
    assert!(said.ends_with("othing is wrong: a server can run here.\n"), "{said}");
    assert_eq!(ask_doctor(&place).await, (0, Vec::new()));
    assert!(!place.data().exists(), "nothing was made");
}

#[tokio::test]
async fn each_fault_of_settings_is_named() {
    expect_each(OF_SETTINGS).await;
}

#[tokio::test]
async fn each_fault_of_the_machine_is_named() {
    expect_each(OF_THE_MACHINE).await;
}

#[tokio::test]
async fn each_fault_of_mail_is_named() {
    expect_each(OF_MAIL).await;
}

#[tokio::test]
async fn files_of_another_user_are_named() {
    let place = Place::new().migrated().await;
    if chown(place.data().join("secret.key"), Some(NOBODY), None).is_err() {
        // Only root can give a file away.
        return;
    }
    let (code, found) = ask_doctor(&place).await;
    assert_eq!((code, found.len()), (1, 1), "{found:#?}");
    let said = found[0].to_string();
    assert!(said.contains("secret.key") && said.contains("chown -R 0 "), "{said}");
    for file in
        [place.data()].into_iter().chain(fs::read_dir(place.data()).unwrap().map(|file| file.unwrap().path()))
    {
        chown(file, Some(NOBODY), None).unwrap();
    }
    let ended = place.run(&["doctor"]).await;
    assert_eq!(ended.code(), 0, "{ended:?}");
    assert!(ended.stdout.contains("sudo -u '#65534' knotpost"), "{ended:?}");
}
