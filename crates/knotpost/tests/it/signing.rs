//! Signatures on our mail, judged by two who did not make them: mail-auth and dkimpy.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use data_encoding::BASE64;
use knotpost_core::config::Config;
use knotpost_model::{Millis, Verdict};
use knotpost_transport::inbound::{Authenticator, Envelope, Way, parse};
use knotpost_transport::outbound::{Auto, KeyError, Letter, Signer, compose};
use serde_json::{Value, json};

use crate::dns::{NameServer, Zone};
use crate::harness::{ADDRESS, Place, TestApp};
use crate::process::running::leave_out;

/// The variable that names the folder in which the Python packages dkimpy and pynacl lie.
const DKIMPY: &str = "KNOTPOST_TEST_DKIMPY";
const DATE: i64 = 1_795_168_800_000;

pub(crate) fn key_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/dkim").join(name)
}

fn settings(key: &str) -> Config {
    let mut config = Config::default();
    ADDRESS.clone_into(&mut config.server.address);
    "mail".clone_into(&mut config.dkim.selector);
    config.dkim.key = key.to_owned().into();
    config
}

/// The signer of one of the keys.
pub(crate) fn signer(name: &str) -> Signer {
    Signer::from_config(&settings(key_file(name).to_str().unwrap())).unwrap().unwrap()
}

/// Letters that differ in everything that a signature has to survive.
fn letters() -> Vec<Vec<u8>> {
    let plain = Letter {
        from: ("Knotpost".into(), ADDRESS.into()),
        to: "fred@example.net".into(),
        to_name: None,
        subject: "Osbox Board 123 fred **".into(),
        html: None,
        text: "Your turn, fred.\n\n  a b c  \n1 / \\ .\t\n\n\n".into(),
        message_id: "knotpost.17@knotpost.example".into(),
        date: DATE,
        in_reply_to: Some("m1@mail.example.net".into()),
        references: vec!["board.123@knotpost.example".into(), "m1@mail.example.net".into()],
        auto: Auto::Replied,
        list_id: Some(("Osbox".into(), "osbox.knotpost.example".into())),
        reply_to: Some("games+r.abcdef234567@knotpost.example".into()),
        x_loop: ADDRESS.into(),
        unsubscribe: Some("https://knotpost.example/unsubscribe/abc".into()),
        unsubscribe_to: Some("games+r.abcdef234567@knotpost.example".into()),
    };
    let foreign = Letter {
        from: ("Brieftaube \"Käthe\" 鳩".into(), ADDRESS.into()),
        subject: "Zug von jürgen ♜♞ — ein langer Betreff, der über mehrere Zeilen geht und geht".into(),
        text: "Zug: ♜ é = 100 %\n.\n..\nFrom here\n".into(),
        reply_to: None,
        in_reply_to: None,
        references: Vec::new(),
        list_id: None,
        ..plain.clone()
    };
    let long = Letter { text: "x".repeat(3000) + " \n" + &"y ".repeat(700), ..plain.clone() };
    let empty = Letter { text: String::new(), ..foreign.clone() };
    let mut letters: Vec<Vec<u8>> =
        [plain, foreign, long, empty].iter().map(|letter| compose(letter, &[]).unwrap()).collect();
    letters.push(ALTERNATIVE.replace('\n', "\r\n").into_bytes());
    letters.push(b"From: games@knotpost.example\r\nSubject: no body\r\n".to_vec());
    letters
}

const ALTERNATIVE: &str = "From: Knotpost <games@knotpost.example>
To: fred@example.net
Subject: =?utf-8?Q?Zug_von_j=C3=BCrgen?=
Date: Fri, 20 Nov 2026 10:00:00 +0000
Message-ID: <a@knotpost.example>
MIME-Version: 1.0
Content-Type: multipart/alternative;
\tboundary=\"==b\"

--==b
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

J=C3=BCrgen  is to move.

--==b
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: quoted-printable

<p>J=C3=BCrgen  is to move.</p><pre>  a b \t</pre>

--==b--
";

async fn verdict(judge: &Authenticator, raw: &[u8]) -> Verdict {
    let envelope = Envelope {
        way: Way::Pipe,
        peer: None,
        helo: None,
        mail_from: Some(ADDRESS.to_owned()),
        recipients: vec!["fred@example.net".to_owned()],
    };
    let message = parse(raw).unwrap();
    judge.verify(&envelope, raw, &message).await.unwrap().best_dkim()
}

/// Somebody who finds the public key in DNS.
async fn judge_of(signer: &Signer) -> (Authenticator, NameServer) {
    let zone = Zone::default().txt(&signer.record_name(), &signer.record());
    let server = NameServer::start(zone).await;
    let mut config = Config::default();
    config.inbound.dns = vec![server.address.clone()];
    (Authenticator::new(&config), server)
}

/// Whether a mail bears this signer's signature, unbroken.
pub(crate) async fn is_verified(signer: &Signer, mail: &[u8]) -> bool {
    let (judge, _server) = judge_of(signer).await;
    verdict(&judge, mail).await == Verdict::Pass
}

#[tokio::test]
async fn every_letter_is_signed_so_that_others_can_verify_it() {
    for key in ["rsa.pem", "rsa-pkcs1.pem", "ed25519.pem"] {
        let signer = signer(key);
        let (judge, _server) = judge_of(&signer).await;
        for letter in letters() {
            let signed = signer.sign(&letter, Millis(DATE)).unwrap();
            let shown = String::from_utf8_lossy(&signed).into_owned();
            assert_eq!(verdict(&judge, &signed).await, Verdict::Pass, "{key}:\n{shown}");
            assert!(signed.ends_with(&letter), "the letter itself is untouched");
            assert!(shown.lines().take_while(|line| !line.starts_with("Date")).all(|line| line.len() <= 998));
        }
    }
}

#[tokio::test]
async fn whatever_is_changed_or_added_later_breaks_the_signature() {
    let signer = signer("rsa.pem");
    let (judge, _server) = judge_of(&signer).await;
    let signed = String::from_utf8(signer.sign(&letters()[0], Millis(DATE)).unwrap()).unwrap();
    assert_eq!(verdict(&judge, signed.as_bytes()).await, Verdict::Pass);
    for (what, with) in [
        ("fred **", "fred *"),
        ("Your turn", "My turn"),
        ("<m1@", "<m2@"),
        ("+r.abc", "+r.abd"),
        ("/unsubscribe/abc", "/unsubscribe/abd"),
        ("text/plain", "text/html"),
        ("\r\nTo: ", "\r\nCc: eve@example.net\r\nTo: "),
        ("\r\nTo: ", "\r\nSender: eve@example.net\r\nTo: "),
        ("\r\nTo: fred", "\r\nTo: eve"),
        ("\r\nReply-To: ", "\r\nReply-To: eve@example.net\r\nReply-To: "),
    ] {
        assert!(signed.contains(what), "{what}");
        let changed = signed.replacen(what, with, 1);
        assert_ne!(verdict(&judge, changed.as_bytes()).await, Verdict::Pass, "{what} -> {with}");
    }
    let harmless = format!("Received: from a by b\r\n{}", signed.replace("  a b c  \r\n", "  a b c\r\n"));
    assert_eq!(verdict(&judge, harmless.as_bytes()).await, Verdict::Pass, "what mail servers do anyway");
}

#[test]
fn a_mail_sent_again_is_the_same_mail() {
    for key in ["rsa.pem", "ed25519.pem"] {
        let sign = |date| signer(key).sign(&letters()[1], Millis(date)).unwrap();
        assert_eq!(sign(DATE), sign(DATE));
        assert_ne!(sign(DATE), sign(DATE + 1000));
        assert!(String::from_utf8(sign(DATE)).unwrap().contains("; t=1795168800;"));
    }
}

#[tokio::test]
async fn what_the_server_sends_is_signed() {
    let key = key_file("rsa.pem");
    let app = TestApp::start_with(Place::Sqlite, |config| {
        "mail".clone_into(&mut config.dkim.selector);
        config.dkim.key = key.to_str().unwrap().to_owned().into();
    })
    .await;
    app.mail("ann@ann.example", "signup ann ann-secret", "").await;
    app.mail("ann@ann.example", "help", "").await;
    let letters = app.letters();
    let (judge, _server) = judge_of(&signer("rsa.pem")).await;
    assert_eq!(letters.len(), 2);
    for letter in letters {
        assert_eq!(verdict(&judge, &letter.bytes).await, Verdict::Pass);
    }
}

#[test]
fn a_key_that_cannot_sign_is_named_and_never_shown() {
    let error = |key: &str| Signer::from_config(&settings(key)).expect_err(key);
    let small = std::fs::read_to_string(key_file("rsa-1024.pem")).unwrap();
    assert!(matches!(error(&small), KeyError::Size));
    let curve = std::fs::read_to_string(key_file("ec.pem")).unwrap();
    assert!(matches!(error(&curve), KeyError::Kind));
    assert!(matches!(error("-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n"), KeyError::Pem));
    assert!(matches!(
        error("-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"),
        KeyError::Kind
    ));
    let missing = error("/nowhere/at/all/canary.pem");
    assert!(matches!(missing, KeyError::File(..)) && !missing.to_string().contains("canary"), "{missing}");
    let good = std::fs::read_to_string(key_file("ed25519.pem")).unwrap();
    for text in [good.clone(), good.replace('\n', "\\n")] {
        let signer = Signer::from_config(&settings(&text)).unwrap().unwrap();
        assert!(!format!("{signer:?}").contains("MC4CAQ"), "{signer:?}");
    }
}

// --- an independent judge ------------------------------------------------------

/// The folder of the Python packages, or `None` where there is none; in continuous integration there is.
fn dkimpy() -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "the runner hands over the packages by environment")]
    let (folder, ci) = (std::env::var_os(DKIMPY), std::env::var("CI"));
    if folder.is_none() {
        assert!(ci.as_deref() != Ok("true"), "{DKIMPY} names no folder; ./test --install makes one");
        leave_out("signatures judged by dkimpy, which is not there");
    }
    folder.map(PathBuf::from)
}

/// The results of these jobs, in their order.
fn ask(packages: &Path, jobs: &[Value]) -> Vec<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dkimpy.py");
    let mut child = Command::new("python3")
        .arg(script)
        .env("PYTHONPATH", packages)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = jobs.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success(), "dkimpy stumbled");
    let results = String::from_utf8(output.stdout).unwrap();
    let results: Vec<Value> = results.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(results.len(), jobs.len());
    results
}

#[test]
fn dkimpy_verifies_what_we_sign() {
    let Some(packages) = dkimpy() else { return };
    let mut jobs = Vec::new();
    for key in ["rsa.pem", "ed25519.pem"] {
        let signer = signer(key);
        let (name, record) = (signer.record_name(), signer.record());
        for letter in letters() {
            let signed = signer.sign(&letter, Millis(DATE)).unwrap();
            let longer = [&signed, b"\r\none line more\r\n".as_slice()].concat();
            let subject = signed.windows(9).position(|bytes| bytes == b"Subject: ").unwrap() + 9;
            let mut renamed = signed.clone();
            renamed[subject] ^= 1;
            let added = [b"Cc: eve@example.net\r\n".as_slice(), &signed].concat();
            for mail in [signed, longer, renamed, added] {
                jobs.push(json!({ "mail": BASE64.encode(&mail), "name": name, "record": record }));
            }
        }
    }
    for (index, verified) in ask(&packages, &jobs).iter().enumerate() {
        let mail = BASE64.decode(jobs[index]["mail"].as_str().unwrap().as_bytes()).unwrap();
        assert_eq!(*verified, json!(index % 4 == 0), "{}", String::from_utf8_lossy(&mail));
    }
}

#[tokio::test]
async fn what_dkimpy_signs_is_verified_by_us() {
    let Some(packages) = dkimpy() else { return };
    for (key, algorithm) in [("rsa.pem", "rsa-sha256"), ("ed25519.pem", "ed25519-sha256")] {
        let (judge, _server) = judge_of(&signer(key)).await;
        let mut jobs = Vec::new();
        for form in ["relaxed/relaxed", "simple/simple", "relaxed/simple", "simple/relaxed"] {
            for letter in letters().into_iter().take(5) {
                let (mail, file) = (BASE64.encode(&letter), key_file(key));
                jobs.push(
                    json!({ "mail": mail, "selector": "mail", "domain": "knotpost.example", "key": file,
                    "algorithm": algorithm, "form": form }),
                );
            }
        }
        for signed in ask(&packages, &jobs) {
            let signed = BASE64.decode(signed.as_str().unwrap().as_bytes()).unwrap();
            let shown = String::from_utf8(signed.clone()).unwrap();
            assert_eq!(verdict(&judge, &signed).await, Verdict::Pass, "{key}:\n{shown}");
            let tampered = shown.replacen("ubject: ", "ubject: Re: ", 1);
            assert_ne!(verdict(&judge, tampered.as_bytes()).await, Verdict::Pass);
        }
    }
}
