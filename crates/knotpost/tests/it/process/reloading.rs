//! What a server reads again when it is told to.

use super::letters::letters;
use super::running::{Place, has_neighbour, run_neighbour, wait_for};

/// A new certificate in the files that the settings name; a line of it that no other has.
fn renew(place: &Place) -> String {
    let made = rcgen::generate_simple_self_signed(vec!["mail.example.org".to_owned()]).unwrap();
    let pem = made.cert.pem();
    place.write("key.pem", made.signing_key.serialize_pem());
    place.write("cert.pem", &pem);
    pem.lines().rev().nth(2).unwrap().to_owned()
}

/// What a client sees of the certificate.
async fn handshake(port: u16) -> String {
    let address = format!("127.0.0.1:{port}");
    let arguments = ["s_client", "-starttls", "smtp", "-connect", &address];
    run_neighbour("openssl", &arguments).await.stdout
}

#[tokio::test]
async fn a_hangup_reads_certificate_and_templates_again_and_keeps_what_works() {
    if !has_neighbour("openssl") {
        return;
    }
    let place = Place::new()
        .with("KNOTPOST_SMTP__TLS_CERT", "cert.pem")
        .with("KNOTPOST_SMTP__TLS_KEY", "key.pem")
        .with_shell("exec \"$@\" 2>>log");
    let log = place.write("log", "");
    let logged = async |words: &str| {
        wait_for(words, async || std::fs::read_to_string(&log).unwrap().contains(words).then_some(())).await;
    };
    let first = renew(&place);
    let server = place.start().await;
    let port = server.smtp().port();
    server.sign_up_two().await;
    server.ask("osbox challenge ann bob").await;
    assert!(handshake(port).await.contains(&first));

    let second = renew(&place);
    std::fs::create_dir_all(place.data().join("templates/welcome")).unwrap();
    let template = place.data().join("templates/welcome/body.txt");
    std::fs::write(&template, "Words of our own.").unwrap();
    assert!(handshake(port).await.contains(&first), "files are not read by themselves");
    server.signal("HUP").await;
    logged("were read again").await;
    assert!(handshake(port).await.contains(&second));
    server.ask("signup eve eve-secret eve@example.org").await;
    place.wait_until_idle().await;
    assert!(letters(&place.maildir()).iter().any(|mail| mail.text.contains("Words of our own.")));

    // A template that is wrong keeps the new certificate back too: all or nothing.
    let third = renew(&place);
    std::fs::write(&template, "{% if %}").unwrap();
    server.signal("HUP").await;
    logged("nothing was read again").await;
    let shown = handshake(port).await;
    assert!(shown.contains(&second) && !shown.contains(&third));
    server.ask("osbox move 101 ann ann-secret a1").await;
    assert_eq!(server.moves(101).await, ["a1"], "the game goes on");
    server.stop().await;
}
