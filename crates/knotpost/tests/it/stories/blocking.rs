//! Blocking one player: every way to somebody who wants to hear no more of you, and back.

use super::tell;

tell! {
    who_is_blocked_begins_no_board_with_them,
    who_is_blocked_is_not_heard,
    a_second_account_at_one_address_is_blocked_too,
    tournaments_pair_whoever_entered,
    whom_one_blocks_and_follows_is_told_to_nobody_else;
    on_postgres: who_is_blocked_begins_no_board_with_them, who_is_blocked_is_not_heard,
    whom_one_blocks_and_follows_is_told_to_nobody_else,
}

mod stories {
    use knotpost_core::admin::UserEdit;

    use crate::harness::{Letter, Place, TestApp, edit_user, show_all};

    async fn ok(app: &TestApp, line: &str, body: &str) -> String {
        let page = app.post(line, body).await;
        assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
        page.text
    }

    async fn refused(app: &TestApp, line: &str, body: &str, outcome: &str) -> String {
        let page = app.post(line, body).await;
        assert_eq!(page.outcome(), outcome, "{line}: {}", page.text);
        page.text
    }

    async fn boards(app: &TestApp) -> usize {
        app.tables().await.rows("boards").len()
    }

    fn to<'a>(letters: &'a [Letter], name: &str) -> Vec<&'a Letter> {
        letters.iter().filter(|letter| letter.to == format!("{name}@{name}.example")).collect()
    }

    /// A finished board 101 of ann and bob, and a block.
    async fn begin(place: Place) -> TestApp {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        ok(&app, "osbox challenge -size=3 ann bob", "").await;
        app.play_on("osbox", 101, 2).await;
        ok(&app, "osbox resign 101 ann ann-secret", "").await;
        app.work().await;
        app.letters();
        app.mail("ann@ann.example", "block ann ann-secret bob", "").await;
        app
    }

    pub(super) async fn who_is_blocked_begins_no_board_with_them(place: Place) {
        let app = begin(place).await;
        app.mail("bob@bob.example", "osbox challenge bob ann", "").await;
        app.mail("bob@bob.example", "osbox rematch 101 bob bob-secret", "").await;
        app.mail("cyd@cyd.example", "osbox challenge cyd bob ann", "").await;
        app.mail("ann@ann.example", "osbox challenge ann bob", "").await;
        let letters = app.letters();
        insta::assert_snapshot!("challenges_of_the_blocked", show_all(&letters));
        assert!(to(&letters, "bob").iter().all(|letter| !letter.text.contains("block")), "{letters:?}");
        // The answer is that of somebody who takes no challenges.
        let told = refused(&app, "obsidio challenge bob ann", "", "422 invalid_challenge").await;
        ok(&app, "obsidio reject cyd cyd-secret", "").await;
        let unwilling = refused(&app, "obsidio challenge bob cyd", "", "422 invalid_challenge").await;
        assert_eq!(told.replace("ann", "cyd"), unwilling);
        // Both seek the same, one after the other: each waits for somebody else.
        for (first, second) in [("ann", "bob"), ("bob", "ann")] {
            for name in [first, second] {
                ok(&app, &format!("osbo seek {name} {name}-secret 1"), "").await;
            }
            assert_eq!(boards(&app).await, 1);
            for name in [first, second] {
                ok(&app, &format!("osbo seek {name} {name}-secret 0"), "").await;
            }
        }
        ok(&app, "osbo seek bob bob-secret 1", "").await;
        ok(&app, "osbo seek ann ann-secret 1", "").await;
        ok(&app, "osbo seek cyd cyd-secret 2", "").await;
        assert_eq!(boards(&app).await, 3, "both are paired with cyd");
        // Whoever has proven who they are reads the reason.
        let told = refused(&app, "osbox rematch 101 ann ann-secret", "", "422 invalid_challenge").await;
        assert!(told.contains("Blocked by you: bob"), "{told}");
        // The end of it.
        app.work().await;
        app.letters();
        app.mail("ann@ann.example", "unblock ann ann-secret BOB", "").await;
        insta::assert_snapshot!("unblocked", show_all(&app.letters()));
        ok(&app, "osbox rematch 101 bob bob-secret", "").await;
    }

    pub(super) async fn who_is_blocked_is_not_heard(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        ok(&app, "osbox challenge -size=3 ann bob cyd", "").await;
        ok(&app, "osbox challenge -size=3 bob cyd", "").await;
        ok(&app, "osbox subscribe 102 ann ann-secret", "").await;
        app.work().await;
        let first = to(&app.letters(), "ann")[0].clone();
        ok(&app, "message bob bob-secret ann", "Before").await;
        app.work().await;
        let message = to(&app.letters(), "ann")[0].clone();
        app.mail("ann@ann.example", "block ann ann-secret bob", "").await;
        insta::assert_snapshot!("blocked", show_all(&app.letters()));
        // A message is refused as by somebody who takes none, a reply to the last one too.
        let told = refused(&app, "message bob bob-secret ann", "Listen", "403 not_allowed").await;
        assert!(told.contains("ann takes no messages."), "{told}");
        ok(&app, "message bob bob-secret ann cyd", "Listen").await;
        let told = refused(&app, "message ann ann-secret bob", "No", "403 not_allowed").await;
        assert!(told.contains("You have blocked bob."), "{told}");
        app.reply("ann@ann.example", &message, "Now this").await;
        app.work().await;
        let letters = app.letters();
        assert!(to(&letters, "bob").iter().all(|letter| !letter.text.contains("Now this")), "{letters:?}");
        // On their common board no words pass either way; she hears nothing of bob on other ones.
        for name in ["ann", "bob"] {
            let line = format!("osbox chat 101 {name} {name}-secret");
            let told = refused(&app, &line, "Words", "403 not_allowed").await;
            assert!(told.contains("your words were not passed on"), "{told}");
        }
        ok(&app, "osbox chat 101 cyd cyd-secret", "Hello both").await;
        app.work().await;
        app.letters();
        app.mail("bob@bob.example", "osbox chat 102 bob bob-secret", "To cyd alone").await;
        app.work().await;
        let letters = app.letters();
        assert_eq!((to(&letters, "ann").len(), to(&letters, "cyd").len()), (0, 1), "{letters:?}");
        // Outside of their boards too: whoever watches cannot speak to whom blocks them.
        ok(&app, "osbox challenge -size=3 ann cyd", "").await;
        ok(&app, "osbox subscribe 103 bob bob-secret", "").await;
        refused(&app, "osbox chat 103 bob bob-secret", "I see you", "403 not_allowed").await;
        refused(&app, "osbox chat 102 ann ann-secret", "And I you", "403 not_allowed").await;
        // A move counts; the words with it are dropped, and only their writer is told.
        app.work().await;
        app.letters();
        assert_eq!(app.reply("ann@ann.example", &first, "d1\nTake that").await, "executed");
        app.mail("bob@bob.example", "osbox move 101 bob bob-secret a7", "Bad words").await;
        app.work().await;
        let letters = app.letters();
        let (mine, others): (Vec<_>, Vec<_>) =
            letters.iter().partition(|letter| letter.text.contains("Your words were not passed on"));
        assert_eq!(mine.len(), 2, "{}", show_all(&letters));
        assert!(others.len() >= 4, "{}", show_all(&letters));
        assert!(!show_all(&letters).contains("Bad words\n\n") && !show_all(&letters).contains("bob writes"));
        // So with offers, resignations and declined challenges.
        app.mail("bob@bob.example", "osbox move 102 bob bob-secret propose", "To cyd").await;
        app.mail("bob@bob.example", "osbox resign 101 bob bob-secret", "Parting words").await;
        app.work().await;
        assert!(!show_all(&app.letters()).contains("Parting words"));
        let said = app.tables().await.rows("remarks").join("\n");
        for words in ["Words", "I see you", "And I you", "Take that", "Bad words", "Parting words"] {
            assert!(!said.contains(words), "{words}: {said}");
        }
        assert!(said.contains("Hello both") && said.contains("To cyd alone") && said.contains("To cyd"));
        // Words to everybody.
        ok(&app, "obsidio challenge bob cyd", "").await;
        app.play_on("obsidio", 101, 2).await;
        ok(&app, "obsidio resign 101 bob bob-secret", "").await;
        app.work().await;
        app.letters();
        let page = app.post("broadcast bob bob-secret", "Everybody").await;
        assert_eq!(page.outcome(), "200 ok", "{}", page.text);
        for _ in 0..3 {
            app.work().await;
        }
        let letters = app.letters();
        assert!(to(&letters, "ann").is_empty(), "{}", show_all(&letters));
        assert_eq!(to(&letters, "cyd").len(), 1, "{}", show_all(&letters));
    }

    pub(super) async fn a_second_account_at_one_address_is_blocked_too(place: Place) {
        let app = begin(place).await;
        app.letters();
        app.mail("bob@bob.example", "signup robert robert-secret", "").await;
        // Nobody has confirmed its address yet: whoever wrote it there may be anybody.
        ok(&app, "osbox challenge robert ann", "").await;
        ok(&app, "osbox resign 102 ann ann-secret", "").await;
        app.confirm().await;
        let told = refused(&app, "osbox challenge robert ann", "", "422 invalid_challenge").await;
        assert!(told.contains("Not willing: ann"), "{told}");
        refused(&app, "message robert robert-secret ann", "It is me", "403 not_allowed").await;
        ok(&app, "osbox challenge ann cyd", "").await;
        refused(&app, "osbox chat 103 robert robert-secret", "It is me", "403 not_allowed").await;
        for name in ["ann", "robert"] {
            ok(&app, &format!("osbo seek {name} {name}-secret 1"), "").await;
        }
        assert!(app.tables().await.rows("boards").iter().all(|board| !board.contains("osbo,")));
        assert_eq!(app.get("/api/v1/boards/osbo/101").await.status, 404);
    }

    pub(super) async fn tournaments_pair_whoever_entered(place: Place) {
        let app = begin(place).await;
        ok(&app, "announce bob bob-secret osbox ladder", "A ladder").await;
        for name in ["bob", "ann"] {
            ok(&app, &format!("enter {name} {name}-secret t1"), "").await;
        }
        ok(&app, "ladder challenge ann ann-secret t1 bob", "").await;
        app.letters();
        let page = app.post("osbox chat 102 bob bob-secret", "Gotcha").await;
        assert_eq!(page.outcome(), "403 not_allowed", "{}", page.text);
    }

    pub(super) async fn whom_one_blocks_and_follows_is_told_to_nobody_else(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd", "dan"]).await;
        app.mail("ann@ann.example", "follow ann ann-secret bob cyd", "").await;
        app.mail("ann@ann.example", "block ann ann-secret cyd", "").await;
        app.mail("ann@ann.example", "follow ann ann-secret cyd", "").await;
        app.mail("ann@ann.example", "follow ann ann-secret", "").await;
        app.mail("ann@ann.example", "unfollow ann ann-secret bob", "").await;
        app.mail("ann@ann.example", "block ann ann-secret", "").await;
        let letters = app.letters();
        assert!(letters.iter().all(|letter| letter.to == "ann@ann.example"), "{}", show_all(&letters));
        insta::assert_snapshot!("lists_of_relations", show_all(&letters));
        edit_user(&app.app, "dan", UserEdit::Role("admin")).await.unwrap();
        for (line, outcome) in [
            ("block ann ann-secret ann", "422 bad_value"),
            ("block ann ann-secret nobody", "404 no_such_user"),
            ("follow ann ann-secret nobody", "404 no_such_user"),
            ("follow ann ann-secret ANN", "422 bad_value"),
            ("block ann ann-secret dan", "403 not_allowed"),
            ("block ann wrong-secret bob", "401 bad_credentials"),
        ] {
            refused(&app, line, "", outcome).await;
        }
        // One that fails changes nothing of the others.
        refused(&app, "block ann ann-secret bob nobody", "", "404 no_such_user").await;
        assert!(!ok(&app, "block ann ann-secret", "").await.contains("bob"));
        // With either of the two it goes.
        ok(&app, "block bob bob-secret cyd", "").await;
        ok(&app, "follow dan dan-secret bob", "").await;
        edit_user(&app.app, "cyd", UserEdit::Delete).await.unwrap();
        assert_eq!(app.tables().await.rows("relations").len(), 1);
        refused(&app, "follow ann ann-secret cyd", "", "404 no_such_user").await;
        edit_user(&app.app, "dan", UserEdit::Delete).await.unwrap();
        assert!(app.tables().await.rows("relations").is_empty());
    }
}
