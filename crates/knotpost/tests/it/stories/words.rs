//! Words passed on: messages to some, broadcasts to all.

use super::tell;

tell! {
    a_message_reaches_its_readers_without_addresses,
    a_message_needs_readers_who_want_it,
    messages_are_limited_for_sender_and_user,
    a_broadcast_reaches_everybody_who_takes_it,
    a_broadcast_must_be_earned_and_comes_once_a_day,
    a_broadcast_goes_on_where_it_was_interrupted,
    a_broadcast_ends_when_its_author_is_suspended_or_deleted;
    on_postgres: a_broadcast_must_be_earned_and_comes_once_a_day,
}

mod stories {
    use axum::body::Body;
    use axum::http::Request;
    use knotpost_core::admin::UserEdit;
    use knotpost_core::commands::pass_on_broadcast;

    use crate::harness::{Place, TestApp, edit_user, show_all};

    pub(super) async fn a_message_reaches_its_readers_without_addresses(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.mail(
            "ann@ann.example",
            "message ann ann-secret bob CYD bob",
            "Shall we play?\n\nMy word is ann-secret.",
        )
        .await;
        let letters = app.letters();
        insta::assert_snapshot!("message", show_all(&letters));
        for letter in &letters {
            let raw = String::from_utf8_lossy(&letter.bytes);
            let others = ["ann@", "bob@", "cyd@"].into_iter().filter(|name| !letter.to.starts_with(name));
            for other in others {
                assert!(!raw.contains(other), "{other} stands in a mail to {}", letter.to);
            }
            assert!(!raw.contains("ann-secret"), "the password went along");
        }
    }

    pub(super) async fn a_message_needs_readers_who_want_it(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.post("set cyd cyd-secret messages=off", "").await;
        app.work().await;
        app.letters();
        let before = app.tables().await.of_the_games();
        app.mail("ann@ann.example", "message ann ann-secret cyd nobody", "Hello").await;
        insta::assert_snapshot!("message_refused", show_all(&app.letters()));
        for (line, body, outcome) in [
            ("message ann ann-secret bob", "", "400 wrong_arguments"),
            ("message ann ann-secret", "Hello", "400 wrong_arguments"),
            ("message ann wrong-secret bob", "Hello", "401 bad_credentials"),
            ("message ann ann-secret cyd", "Hello", "403 not_allowed"),
            ("message ann ann-secret nobody", "Hello", "404 no_such_user"),
            ("broadcast ann ann-secret", "", "400 wrong_arguments"),
            ("broadcast ann wrong-secret", "Hello", "401 bad_credentials"),
            ("broadcast ann ann-secret", "Hello", "403 not_allowed"),
        ] {
            assert_eq!(app.post(line, body).await.outcome(), outcome, "{line}");
        }
        app.work().await;
        assert_eq!(app.letters().len(), 0);
        assert_eq!(app.tables().await.of_the_games(), before);
        app.mail("ann@ann.example", "message ann ann-secret bob cyd nobody", "Hello").await;
        let letters = app.letters();
        assert_eq!(
            letters.iter().map(|letter| letter.to.as_str()).collect::<Vec<_>>(),
            ["bob@bob.example", "ann@ann.example"]
        );
        assert_eq!(
            letters[1].text.replace('\n', " ").trim(),
            "Your message was passed on to bob. cyd takes no messages. Nobody here has the userid nobody."
        );
    }

    pub(super) async fn messages_are_limited_for_sender_and_user(place: Place) {
        let app = TestApp::start_with(place, |config| {
            config.limits.enabled = true;
            config.limits.messages_per_hour = 2;
            config.limits.password_tries = 100;
        })
        .await;
        for name in ["ann", "bob"] {
            app.sign_up(name).await;
        }
        for _ in 0..2 {
            assert_eq!(app.post("message ann ann-secret bob", "Hello").await.outcome(), "200 ok");
        }
        let third = app.post("message ann ann-secret bob", "Hello").await;
        assert_eq!(third.outcome(), "429 rate_limited");
        assert!(third.header("retry-after").parse::<u32>().unwrap() > 0);
        assert_eq!(app.post("message bob bob-secret ann", "Hi").await.outcome(), "429 rate_limited");
        app.work().await;
        app.letters();
        // From elsewhere the user is the same.
        app.mail("ann@ann.example", "message ann ann-secret bob", "Hello").await;
        assert_eq!(app.letters()[0].subject, "Error");
        app.mail("bob@bob.example", "message bob bob-secret ann", "Hi").await;
        assert_eq!(app.letters().len(), 2, "bob himself has sent none yet");
    }

    /// ann has finished a game.
    async fn with_veteran(place: Place, others: &[&str]) -> TestApp {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        for name in others {
            app.sign_up(name).await;
        }
        for line in [
            "osbox challenge ann bob",
            "osbox move 101 ann ann-secret f1",
            "osbox move 101 bob bob-secret f9",
            "osbox resign 101 ann ann-secret",
        ] {
            assert_eq!(app.post(line, "").await.outcome(), "200 ok", "{line}");
        }
        app.work().await;
        app.letters();
        app
    }

    pub(super) async fn a_broadcast_reaches_everybody_who_takes_it(place: Place) {
        let app = with_veteran(place, &["cyd", "dan", "eve"]).await;
        app.post("set cyd cyd-secret broadcasts=off", "").await;
        edit_user(&app.app, "dan", UserEdit::Suspend).await.unwrap();
        app.work().await;
        app.letters();
        app.mail("ann@ann.example", "broadcast ann ann-secret", "A tournament begins on Monday.").await;
        let letters = app.letters();
        insta::assert_snapshot!("broadcast", show_all(&letters));

        // The link in the head of the mail ends it without a password, by a button or a mail program's click.
        let letter = letters.iter().find(|letter| letter.to == "bob@bob.example").expect("a mail to bob");
        let raw = String::from_utf8_lossy(&letter.bytes).replace("\r\n ", "");
        assert!(raw.contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click"), "{raw}");
        let path = raw.split_once("<http://knotpost.example/unsubscribe/").expect("a link").1;
        let path = format!("/unsubscribe/{}", path.split_once('>').expect("its end").0);
        let before = app.tables().await;
        assert!(app.get(&path).await.text.contains("<form"));
        assert_eq!(app.tables().await, before, "looking changes nothing");
        assert_eq!(app.get(&format!("{path}0")).await.status, 422);
        let click = Request::post(&path).header("content-type", "application/x-www-form-urlencoded");
        let done = app.send(click.body(Body::from("List-Unsubscribe=One-Click")).unwrap()).await;
        assert_eq!(done.status, 200);
        app.clock.advance(86_400_000);
        app.mail("ann@ann.example", "broadcast ann ann-secret", "It has begun.").await;
        let letters = app.letters();
        assert!(letters.len() > 1 && letters.iter().all(|letter| letter.to != "bob@bob.example"));
    }

    pub(super) async fn a_broadcast_must_be_earned_and_comes_once_a_day(place: Place) {
        let app = with_veteran(place, &["cyd"]).await;
        assert_eq!(app.post("broadcast cyd cyd-secret", "Hello").await.outcome(), "403 not_allowed");
        edit_user(&app.app, "cyd", UserEdit::Role("admin")).await.unwrap();
        assert_eq!(app.post("broadcast cyd cyd-secret", "Hello").await.outcome(), "200 ok");
        let again = app.post("broadcast cyd cyd-secret", "Hello").await;
        assert_eq!(again.outcome(), "429 rate_limited");
        assert_eq!(app.post("broadcast ann ann-secret", "Hello").await.outcome(), "200 ok");
        app.clock.advance(86_400_000);
        assert_eq!(app.post("broadcast cyd cyd-secret", "Hello").await.outcome(), "200 ok");
        app.work().await;
        let letters = app.letters();
        assert_eq!(letters.iter().filter(|letter| letter.subject.starts_with("Broadcast")).count(), 9);
    }

    pub(super) async fn a_broadcast_ends_when_its_author_is_suspended_or_deleted(place: Place) {
        let app = with_veteran(place, &["cyd"]).await;
        for (author, edit) in [("ann", UserEdit::Suspend), ("bob", UserEdit::DeleteWithRemarks)] {
            let line = format!("broadcast {author} {author}-secret");
            assert_eq!(app.post(&line, "Buy my boards").await.outcome(), "200 ok");
            edit_user(&app.app, author, edit).await.unwrap();
            assert!(!pass_on_broadcast(&app.app).await.unwrap(), "{author}");
            app.work().await;
            let letters = app.letters();
            assert!(letters.iter().all(|letter| !letter.text.contains("Buy my boards")), "{letters:?}");
        }
        let tables = app.tables().await;
        let broadcasts = tables.rows("broadcasts");
        assert_eq!(broadcasts.len(), 2);
        assert_eq!(broadcasts.iter().filter(|row| row.contains("[removed]")).count(), 1, "{broadcasts:?}");
        edit_user(&app.app, "ann", UserEdit::Lift).await.unwrap();
        assert!(!pass_on_broadcast(&app.app).await.unwrap(), "it does not go on");
    }

    pub(super) async fn a_broadcast_goes_on_where_it_was_interrupted(place: Place) {
        let app = with_veteran(place, &[]).await;
        // More users than one part holds; their accounts are made by the administrator.
        for number in 0..230 {
            let addresses = vec![format!("u{number}@users.example")];
            let password = "users-secret".to_owned();
            if number == 0 {
                let add = UserEdit::Add { password, addresses };
                edit_user(&app.app, "user0", add).await.unwrap();
                continue;
            }
            let user = app.app.store.read().await.unwrap().find_user("user0").await.unwrap().unwrap();
            let hash = user.password_hash.unwrap();
            let write = app.app.store.write(async move |tx| {
                let new = knotpost_storage::NewUser {
                    userid: format!("user{number}"),
                    password_hash: hash.clone(),
                    at: knotpost_model::Millis(1),
                };
                let address = addresses[0].parse().unwrap();

                let key = tx.insert_user(&new).await?.unwrap();
                tx.add_address(key, &address, Some(new.at), new.at).await
            });
            write.await.unwrap();
        }
        app.post("broadcast ann ann-secret", "To all of you").await;
        assert!(pass_on_broadcast(&app.app).await.unwrap());
        let waiting = |rows: &[String]| rows.iter().filter(|row| row.contains("broadcast")).count();
        let part = waiting(app.tables().await.rows("outbox"));
        assert!((50..=110).contains(&part), "one part of it waits now: {part}");
        app.work().await;
        let letters = app.letters();
        let mut readers: Vec<&str> = letters
            .iter()
            .filter(|letter| letter.subject.starts_with("Broadcast"))
            .map(|letter| letter.to.as_str())
            .collect();
        assert_eq!(readers.len(), 232);
        readers.sort_unstable();
        readers.dedup();
        assert_eq!(readers.len(), 232, "each of them once");
    }
}
