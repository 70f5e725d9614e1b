//! Signing as an operator sets it up.

use super::running::{Place, wait_for};
use crate::signing::{is_verified, key_file, signer};

fn place_with(key: &str) -> Place {
    Place::new()
        .with("KNOTPOST_SERVER__ADDRESS", "games@knotpost.example")
        .with("KNOTPOST_DKIM__SELECTOR", "mail")
        .with("KNOTPOST_DKIM__KEY", key)
}

#[tokio::test]
async fn the_record_to_publish_is_printed_and_the_key_is_not() {
    let place = place_with(key_file("rsa.pem").to_str().unwrap());
    let printed = place.run(&["config", "dkim-record"]).await.succeed();
    let signer = signer("rsa.pem");
    assert!(printed.contains(&format!("; name   {}\n", signer.record_name())), "{printed}");
    assert!(printed.contains(&format!("; value  {}\n", signer.record())), "{printed}");
    assert!(
        printed
            .lines()
            .any(|line| line.starts_with("mail._domainkey.knotpost.example. IN TXT ( \"v=DKIM1; "))
    );
    let pem = std::fs::read_to_string(key_file("ed25519.pem")).unwrap();
    let inline = place_with(&pem);
    let shown = inline.run(&["config", "show"]).await.succeed();
    assert!(shown.contains("selector = \"mail\"") && shown.contains("********"), "{shown}");
    assert!(!shown.contains("PRIVATE") && !shown.contains(pem.lines().nth(1).unwrap()), "{shown}");
    let record = inline.run(&["config", "dkim-record"]).await.succeed();
    assert!(record.contains("v=DKIM1; k=ed25519; p="), "{record}");
    let none = Place::new().run(&["config", "dkim-record"]).await;
    assert_eq!(none.code(), 78);
    assert!(none.stderr.contains("dkim.key") && none.stderr.contains("openssl genpkey"), "{none:?}");
}

#[tokio::test]
async fn a_server_does_not_start_with_a_key_that_cannot_sign() {
    for (key, words) in [
        (key_file("rsa-1024.pem").to_str().unwrap(), "2048"),
        (key_file("ec.pem").to_str().unwrap(), "Ed25519"),
        ("/nowhere/key.pem", "cannot be read"),
    ] {
        let Err(ended) = place_with(key).try_start().await else { panic!("{key} was taken") };
        assert_ne!(ended.code(), 0);
        assert!(ended.stderr.contains("dkim.key") && ended.stderr.contains(words), "{ended:?}");
    }
    for (name, value, key) in [
        ("KNOTPOST_DKIM__SELECTOR", "two words", "dkim.selector"),
        ("KNOTPOST_DKIM__SELECTOR", "", "dkim.selector"),
        ("KNOTPOST_INBOUND__DNS", "dns.example.org", "inbound.dns"),
        ("KNOTPOST_INBOUND__TRUSTED_AUTHSERV", "mx.example.org elsewhere", "inbound.trusted_authserv"),
    ] {
        let ended = place_with(key_file("rsa.pem").to_str().unwrap()).with(name, value).run(&["serve"]).await;
        assert_eq!(ended.code(), 78, "{ended:?}");
        assert!(ended.stderr.contains(key), "{ended:?}");
    }
}

#[tokio::test]
async fn mail_in_the_folder_is_signed() {
    let place = place_with(key_file("rsa.pem").to_str().unwrap());
    let server = place.start().await;
    place.run(&["command", "signup ann ann-secret ann@ann.example"]).await;
    let mail = wait_for("the welcome", async || {
        let mut files = std::fs::read_dir(place.maildir().join("new")).ok()?;
        std::fs::read(files.next()?.ok()?.path()).ok()
    })
    .await;
    assert!(is_verified(&signer("rsa.pem"), &mail).await, "{}", String::from_utf8_lossy(&mail));
    server.stop().await;
}
