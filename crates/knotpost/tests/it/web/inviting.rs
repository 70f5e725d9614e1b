//! Links that invite.

use super::tell;

tell! {
    whoever_opens_a_link_first_plays,
    a_guest_signs_up_and_comes_back_to_the_invitation,
    an_invitation_is_withdrawn_and_ends,
    nobody_guesses_or_takes_their_own,
    an_invitation_stays_open_where_somebody_cannot_play,
    twenty_invitations_are_enough;
    on_postgres: an_invitation_stays_open_where_somebody_cannot_play,
}

mod stories {
    use super::super::browser::Browser;
    use crate::harness::{DAY, Page, Place, TestApp, edit_user};
    use knotpost_core::admin::UserEdit;

    const OVER: &str = "invitation is over";

    async fn begin(place: Place) -> TestApp {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.work().await;
        app.letters();
        app
    }

    /// The links on a page, the oldest first.
    fn links(page: &Page) -> Vec<String> {
        let plain = page.text.replace("&#x2f;", "/");
        let rest = plain.split("/invite/").skip(1);
        let mut found: Vec<String> =
            rest.filter_map(|rest| rest.split('"').next()).map(|token| format!("/invite/{token}")).collect();
        found.dedup();
        found
    }

    /// A new link of this browser's user.
    async fn invite(browser: &mut Browser<'_>, fields: &[(&str, &str)]) -> String {
        let fields = [&[("act", "invite"), ("game", "osbox")], fields].concat();
        let page = browser.submit("/challenge", &fields).await;
        links(&page).pop().expect("a link")
    }

    pub(super) async fn whoever_opens_a_link_first_plays(place: Place) {
        let app = begin(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        let link = invite(&mut ann, &[("option_size", "3"), ("unrated", "on"), ("first", "them")]).await;
        let shown = app.get(&link).await;
        assert!(
            shown.text.contains("ann invites you to Osbox") && shown.text.contains("3x3"),
            "{}",
            shown.text
        );
        assert!(shown.text.contains("You move first.") && shown.text.contains("unrated"));
        let (mut bob, mut cyd) = (Browser::of(&app, "bob").await, Browser::of(&app, "cyd").await);
        for _ in 0..2 {
            assert!(bob.get(&link).await.text.contains("Accept and begin"), "looking at it changes nothing");
        }
        let page = bob.post(&link, &[]).await;
        assert_eq!((page.status.as_u16(), page.header("location")), (303, "/boards/osbox/101"));
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!(board["rated"], false, "{board}");
        assert_eq!(
            (&board["players"][0]["userid"], &board["players"][1]["userid"]),
            (&"bob".into(), &"ann".into())
        );
        assert!(board["options"].to_string().contains('3'), "{board}");
        app.work().await;
        let mut told: Vec<String> = app.letters().into_iter().map(|letter| letter.to).collect();
        told.sort();
        assert_eq!(told, ["ann@ann.example", "bob@bob.example"]);
        for browser in [&mut bob, &mut cyd] {
            assert!(browser.post(&link, &[]).await.text.contains(OVER), "once");
            assert!(browser.get(&link).await.text.contains(OVER));
        }
        assert!(!ann.get("/challenge").await.text.contains("/invite/"), "it is no more among hers");
        assert_eq!(app.get("/api/v1/boards/osbox/102").await.status, 404);
    }

    pub(super) async fn a_guest_signs_up_and_comes_back_to_the_invitation(place: Place) {
        let app = begin(place).await;
        let link = invite(&mut Browser::of(&app, "ann").await, &[]).await;
        let mut guest = Browser::new(&app);
        let page = guest.get(&link).await;
        let plain = page.text.replace("&#x2f;", "/");
        assert!(
            plain.contains(&format!("/signup?next={link}")) && plain.contains(&format!("/login?next={link}"))
        );
        assert!(!page.text.contains("Accept and begin"));
        assert!(guest.post(&link, &[]).await.header("location").starts_with("/login"));
        let page =
            guest.post("/login", &[("userid", "cyd"), ("password", "cyd-secret"), ("next", &link)]).await;
        assert_eq!(page.header("location"), link);
        assert_eq!(guest.post(&link, &[]).await.header("location"), "/boards/osbox/101");
    }

    pub(super) async fn an_invitation_is_withdrawn_and_ends(place: Place) {
        let app = begin(place).await;
        let (mut ann, mut bob) = (Browser::of(&app, "ann").await, Browser::of(&app, "bob").await);
        let link = invite(&mut ann, &[]).await;
        let id = link.trim_start_matches("/invite/").split('-').next().unwrap().to_owned();
        let withdraw = [("act", "withdraw"), ("game", "osbox"), ("id", id.as_str())];
        assert_eq!(bob.post("/challenge", &withdraw).await.status, 403, "it is not theirs");
        assert_eq!(bob.get(&link).await.status, 200);
        assert_eq!(ann.post("/challenge", &withdraw).await.header("location"), "/challenge?game=osbox#links");
        assert!(bob.post(&link, &[]).await.text.contains(OVER));
        // The same number again is another invitation.
        app.clock.advance(1);
        let other = invite(&mut ann, &[]).await;
        assert_ne!(link, other);
        assert!(bob.get(&link).await.text.contains(OVER));
        app.clock.advance(14 * DAY);
        assert!(
            bob.post(&other, &[]).await.text.contains(OVER) || bob.get("/").await.text.contains("Log in")
        );
        assert!(app.get(&other).await.text.contains(OVER));
        assert!(!Browser::of(&app, "ann").await.get("/challenge").await.text.contains("/invite/"));
    }

    pub(super) async fn nobody_guesses_or_takes_their_own(place: Place) {
        let app = begin(place).await;
        let (mut ann, mut bob) = (Browser::of(&app, "ann").await, Browser::of(&app, "bob").await);
        let link = invite(&mut ann, &[]).await;
        let page = ann.get(&link).await;
        assert!(page.text.contains("your own invitation") && !page.text.contains("Accept and begin"));
        let page = ann.post(&link, &[]).await;
        assert!(page.status == 403 && page.text.contains("give the link to somebody else"), "{}", page.text);
        let (head, last) = link.split_at(link.len() - 1);
        let wrong = format!("{head}{}", if last == "0" { "1" } else { "0" });
        let other = link.replacen("/invite/", "/invite/9", 1);
        for path in [wrong.as_str(), &other, "/invite/1", "/invite/1-", "/invite/-", "/invite/x-y"] {
            assert_eq!(bob.get(path).await.status, 404, "{path}");
            let page = bob.post(path, &[]).await;
            assert!(page.status.is_client_error(), "{path}: {}", page.text);
        }
        for fields in [[("option_size", "99")], [("option_size", "3 --unrated")]] {
            let fields = [&[("act", "invite"), ("game", "osbox")][..], &fields].concat();
            assert!(ann.post("/challenge", &fields).await.status.is_client_error());
        }
        assert_eq!(bob.post(&link, &[]).await.status, 303);
    }

    pub(super) async fn an_invitation_stays_open_where_somebody_cannot_play(place: Place) {
        let app = begin(place).await;
        let (mut ann, mut bob) = (Browser::of(&app, "ann").await, Browser::of(&app, "bob").await);
        let link = invite(&mut ann, &[]).await;
        app.post("osbox reject ann ann-secret", "").await;
        let page = bob.post(&link, &[]).await;
        assert!(
            page.text.contains("takes no challenges of this game now; the invitation stays open"),
            "{}",
            page.text
        );
        app.post("osbox accept ann ann-secret", "").await;
        for (one, other) in [("ann", "bob"), ("bob", "ann")] {
            app.post(&format!("block {one} {one}-secret {other}"), "").await;
            let page = bob.post(&link, &[]).await;
            let words = format!("{one} takes no challenges of this game now; the invitation stays open");
            assert!(page.text.to_lowercase().contains(&words), "{}", page.text);
            app.post(&format!("unblock {one} {one}-secret {other}"), "").await;
        }
        assert_eq!(bob.post(&link, &[]).await.status, 303);
        let link = invite(&mut ann, &[]).await;
        edit_user(&app.app, "ann", UserEdit::Delete).await.unwrap();
        assert!(bob.post(&link, &[]).await.text.contains(OVER), "it goes with its maker");
    }

    pub(super) async fn twenty_invitations_are_enough(place: Place) {
        let app = begin(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        let make = [("act", "invite"), ("game", "obsidio")];
        let mut made = 0;
        let page = loop {
            let page = ann.post("/challenge", &make).await;
            if page.status != 303 {
                break page;
            }
            made += 1;
            assert!(made <= 20);
        };
        assert!(page.text.contains("are enough") || page.text.contains("many invitations"), "{}", page.text);
        assert!(made == 20 || page.status == 429, "{made}");
    }
}
