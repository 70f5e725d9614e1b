//! Mails of people, in the forms that their programs give them, from the message to the board.

use super::tell;

tell! {
    mails_of_people_do_what_they_meant,
    a_mail_with_a_large_picture_is_taken,
    a_mail_whose_words_are_hidden_is_told_why,
    reactions_are_neither_moves_nor_words_nor_errors,
    two_mails_of_one_id_with_other_words_are_two,
    two_users_of_one_mailbox_are_told_apart,
}

mod stories {
    use std::path::Path;

    use crate::harness::{ADDRESS, HOUR, Letter, Place, TestApp};

    /// A new board of ann and bob; the mail that ann gets about it.
    async fn begin(app: &TestApp) -> Letter {
        app.clock.advance(HOUR);
        app.post("osbox challenge ann bob", "").await;
        app.work().await;
        letter_to(&app.letters(), "ann@ann.example")
    }

    fn letter_to(letters: &[Letter], to: &str) -> Letter {
        letters.iter().find(|letter| letter.to == to).unwrap_or_else(|| panic!("no mail to {to}")).clone()
    }

    /// Sends a mail of this head and text as ann's answer to a mail.
    async fn answer(app: &TestApp, letter: &Letter, id: &str, entity: &str) -> String {
        let to = letter.reply_to.clone().expect("it can be answered");
        let raw = format!(
            "From: Ann <ann@ann.example>\r\nTo: {to}\r\nSubject: Re: {}\r\nMessage-ID: <{id}@ann.example>\r\n{}",
            letter.subject,
            entity.replace('\n', "\r\n")
        );
        app.hand_in("ann@ann.example", &[&to], &raw).await
    }

    pub(super) async fn mails_of_people_do_what_they_meant(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        let folder =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../knotpost-mail/tests/fixtures/mail/people");
        let mut mails: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
        mails.retain(|path| path.extension().is_some_and(|extension| extension == "eml"));
        mails.sort();
        assert!(mails.len() >= 18, "{mails:?}");
        for (number, path) in (101..).zip(&mails) {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let letter = begin(&app).await;
            let to = letter.reply_to.clone().expect("it can be answered");
            let raw = std::fs::read(path).unwrap();
            let from_address = raw.windows(4).position(|four| four == b"\nTo:").unwrap() + 1;
            let rest = raw[from_address..].iter().position(|byte| *byte == b'\n').unwrap() + from_address;
            let head = format!("From: Carla Roth <ann@ann.example>\nTo: {to}");
            let mail = [head.as_bytes(), &raw[rest..]].concat();
            app.receive_at(Some("ann@ann.example"), &[&to], &mail).await;
            app.work().await;
            let letters = app.letters();
            let want = std::fs::read_to_string(path.with_extension("want")).unwrap();
            let (found, comment) = want.split_once("\n\n").unwrap_or((&want, ""));
            let is_move = found.trim() == "body: a8";
            let board = app.get(&format!("/api/v1/boards/osbox/{number}")).await.json();
            assert_eq!(board["ply"], i64::from(is_move), "{name}: {board}");
            let told: String = letters.iter().map(|letter| letter.text.as_str()).collect();
            assert!(!told.contains("Roth"), "{name}: {told}");
            if is_move {
                let told = letter_to(&letters, "bob@bob.example").text;
                assert_eq!(told.contains("ann writes:"), !comment.trim().is_empty(), "{name}: {told}");
                assert!(told.contains(comment.trim()), "{name}: {told}");
            } else {
                assert!(told.contains("no words of yours"), "{name}: {told}");
            }
        }
    }

    pub(super) async fn a_mail_with_a_large_picture_is_taken(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        let letter = begin(&app).await;
        let picture =
            "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAx\n".repeat(50_000);
        let entity = format!(
            "Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n<div>a8</div><img src=\"cid:logo\">\n--b\nContent-Type: image/png\nContent-ID: <logo>\nContent-Transfer-Encoding: base64\n\n{picture}--b--\n"
        );
        assert!(entity.len() > 3_500_000);
        assert_eq!(answer(&app, &letter, "logo", &entity).await, "executed");
        assert_eq!(app.get("/api/v1/boards/osbox/101").await.json()["ply"], 1);
    }

    pub(super) async fn a_mail_whose_words_are_hidden_is_told_why(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        let letter = begin(&app).await;
        let smime = "Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\nContent-Transfer-Encoding: base64\n\nMIIBoAYJKoZIhvcNAQcDoIIBkTCCAY0=\n";
        let pgp = "Content-Type: multipart/encrypted; protocol=\"application/pgp-encrypted\"; boundary=b\n\n--b\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--b\nContent-Type: application/octet-stream; name=encrypted.asc\n\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n--b--\n";
        let inline = "Content-Type: text/plain\n\n-----BEGIN PGP MESSAGE-----\n\nhQEMAresign\n-----END PGP MESSAGE-----\n";
        let winmail = "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: application/ms-tnef; name=winmail.dat\nContent-Transfer-Encoding: base64\n\neJ8+\n--b--\n";
        let picture =
            "Content-Type: image/png; name=x.png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n";
        let cases = [
            ("smime", smime, "is encrypted"),
            ("pgp", pgp, "is encrypted"),
            ("inline", inline, "is encrypted"),
            ("winmail", winmail, "`winmail.dat`"),
            ("picture", picture, "no text that could be read"),
            ("empty", "\n\n", "no text that could be read"),
        ];
        let before = app.tables().await.of_the_games();
        for (id, entity, why) in cases {
            assert_eq!(answer(&app, &letter, id, entity).await, "answered_error", "{id}");
            let told = app.letters();
            assert!(told.len() == 1 && told[0].text.contains(why), "{id}: {told:?}");
            assert!(told[0].text.contains("plain text"), "{id}: {}", told[0].text);
        }
        app.clock.advance(HOUR);
        // At the server's own address the Subject counts; of one that is no command nothing else is known.
        for (subject, told) in [("Hello", "is encrypted"), ("osbox move 101 ann", "is missing after `move`")]
        {
            let headers = format!("Subject: {subject}\r\nMessage-ID: <{subject}@x>\r\n");
            let smime = smime.replace('\n', "\r\n");
            let (head, body) = smime.split_once("\r\n\r\n").unwrap();
            app.mail_with("ann@ann.example", &format!("{headers}{head}\r\n"), body).await;
            let letters = app.letters();
            assert!(letters.len() == 1 && letters[0].text.contains(told), "{subject}: {letters:?}");
        }
        let without = format!("From: ann@ann.example\r\nTo: {ADDRESS}\r\n{}", smime.replace('\n', "\r\n"));
        let refused = app.hand_in("ann@ann.example", &[ADDRESS], &without).await;
        assert!(refused.contains("550") && refused.contains("is encrypted"), "{refused}");
        assert_eq!(app.tables().await.of_the_games(), before);
    }

    pub(super) async fn reactions_are_neither_moves_nor_words_nor_errors(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        let letter = begin(&app).await;
        app.post("osbox chat 101 bob bob-secret", "Good luck!").await;
        app.work().await;
        let chat = letter_to(&app.letters(), "ann@ann.example");
        let before = app.tables().await.of_the_games();
        let gmail = "Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain; charset=utf-8\n\n\u{1f44d}\n\nAnn reacted via Gmail\n--b\nContent-Type: text/vnd.google.email-reaction+json; charset=utf-8\n\n{\"emoji\":\"\u{1f44d}\",\"version\":1}\n--b\nContent-Type: text/html; charset=utf-8\n\n<p>\u{1f44d}</p>\n--b--\n";
        let outlook = "Content-Type: text/plain; charset=utf-8\n\nAnn Meier reacted to your message:\n________________________________\nFrom: Knotpost\nSent: Tuesday\nTo: Ann\nSubject: Osbox\n\nresign\n";
        let page = "Content-Type: text/html; charset=utf-8\n\n<html><body><table><tr><td><img src=\"cid:x\"></td><td>Ann Meier reacted to your message:</td></tr></table></body></html>\n";
        let tapback = "Content-Type: text/plain; charset=utf-8\n\nLiked “Osbox Board 101: your turn”\n";
        for (number, entity) in [gmail, outlook, page, tapback].into_iter().enumerate() {
            for (what, letter) in [("board", &letter), ("chat", &chat)] {
                let became = answer(&app, letter, &format!("{what}{number}"), entity).await;
                assert_eq!(became, "kept", "{entity}");
            }
        }
        assert_eq!(app.letters().len(), 0);
        let tables = app.tables().await;
        let kept = tables.rows("inbox").iter().filter(|row| row.contains("reaction")).count();
        assert_eq!(kept, 8, "each is kept with its reason");
        assert_eq!(tables.of_the_games(), before);
    }

    pub(super) async fn two_mails_of_one_id_with_other_words_are_two(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        begin(&app).await;
        begin(&app).await;
        for board in ["101", "102"] {
            let headers =
                format!("Subject: osbox move {board} ann ann-secret f1\r\nMessage-ID: <1@phone>\r\n");
            app.mail_with("ann@ann.example", &headers, "").await;
            assert_eq!(app.get(&format!("/api/v1/boards/osbox/{board}")).await.json()["ply"], 1, "{board}");
            app.letters();
            app.mail_with("ann@ann.example", &headers, "").await;
            assert_eq!(app.get(&format!("/api/v1/boards/osbox/{board}")).await.json()["ply"], 1, "{board}");
            let told = app.letters();
            assert!(told.len() == 1 && told[0].text.contains("carried out before"), "{told:?}");
        }
    }

    pub(super) async fn two_users_of_one_mailbox_are_told_apart(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("add bob bob-secret ann@ann.example", "").await;
        app.work().await;
        app.confirm().await;
        app.letters();
        app.post("osbox challenge ann bob", "").await;
        app.work().await;
        let letters = app.letters();
        let of = |name: &str| {
            let to = format!("\r\nTo: {name} <ann@ann.example>\r\n");
            let found = letters.iter().find(|letter| String::from_utf8_lossy(&letter.bytes).contains(&to));
            found.unwrap_or_else(|| panic!("no mail to {name}: {letters:?}")).clone()
        };
        for name in ["ann", "bob"] {
            let letter = of(name);
            assert!(letter.text.starts_with(&format!("For {name}\n")), "{}", letter.text);
            assert!(letter.html.is_some_and(|html| html.contains(&format!(">For {name}</p>"))));
        }
        let alone = letter_to(&letters, "bob@bob.example");
        assert!(!alone.text.starts_with("For "), "nobody else reads it: {}", alone.text);
        assert!(String::from_utf8_lossy(&alone.bytes).contains("\r\nTo: bob <bob@bob.example>\r\n"));
        // It is ann's turn.
        app.reply("ann@ann.example", &of("bob"), "a8").await;
        let told = letter_to(&app.letters(), "ann@ann.example");
        assert!(told.text.contains("You replied to a mail for bob."), "{}", told.text);
        assert_eq!(app.get("/api/v1/boards/osbox/101").await.json()["ply"], 0);
        app.reply("ann@ann.example", &of("ann"), "a8").await;
        assert_eq!(app.get("/api/v1/boards/osbox/101").await.json()["ply"], 1);
    }
}
