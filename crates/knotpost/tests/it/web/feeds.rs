//! Feeds: who gets them, and what they tell.

use super::tell;

tell! {
    feeds_are_switched_on_renewed_and_ended_on_the_settings_page,
    a_wrong_address_tells_nothing_and_is_counted,
    feeds_end_with_the_password_and_the_account,
    turns_tell_of_the_boards_that_wait,
    a_move_taken_back_updates_its_entry,
    deadlines_are_moments_at_which_time_is_up,
    no_deadline_runs_in_vacations_and_pauses,
    rounds_of_tournaments_end_in_the_calendar,
    what_has_not_changed_is_not_sent_again,
    nothing_that_players_write_breaks_a_feed;
    on_postgres:
    feeds_are_switched_on_renewed_and_ended_on_the_settings_page,
    turns_tell_of_the_boards_that_wait,
    rounds_of_tournaments_end_in_the_calendar,
}

mod stories {
    use axum::body::Body;
    use axum::http::Request;
    use knotpost_commands::{Days, DirectorAction};
    use knotpost_core::admin::{AdminAction, Administrator, BoardAction, UserEdit, administer};
    use knotpost_model::BoardRef;

    use super::super::browser::Browser;
    use crate::harness::{DAY, HOUR, Page, Place, TestApp, edit_user};
    use crate::tournaments::club::{Club, T1};

    const TURNS: &str = "/api/v1/users/ann/turns.atom";
    const ATOM: &str = "http://www.w3.org/2005/Atom";

    /// The addresses on a user's settings page, of the feeds of turns and of deadlines, without the server.
    async fn addresses(browser: &mut Browser<'_>) -> Option<[String; 2]> {
        let page = browser.get("/settings").await;
        let value = |id: &str| {
            let (_, rest) = page.text.split_once(&format!("id=\"{id}\" readonly value=\""))?;
            let address = rest.split('"').next()?.strip_prefix("http://knotpost.example")?;
            Some(address.to_owned())
        };
        Some([value("feed-turns")?, value("feed-deadlines")?])
    }

    async fn switch_on(browser: &mut Browser<'_>) -> [String; 2] {
        browser.submit("/settings", &[("act", "new_feeds")]).await;
        addresses(browser).await.expect("they are shown")
    }

    /// ann and bob at a board, and ann's feeds.
    async fn begin(place: Place) -> (TestApp, [String; 2]) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.tick().await;
        app.post("osbox challenge -size=4 ann bob", "").await;
        let feeds = switch_on(&mut Browser::of(&app, "ann").await).await;
        (app, feeds)
    }

    /// An entry of a feed.
    #[derive(Debug, PartialEq)]
    struct Entry {
        id: String,
        title: String,
        updated: String,
        link: String,
        summary: String,
    }

    async fn read_turns(app: &TestApp, address: &str) -> (String, Vec<Entry>) {
        let page = app.get(address).await;
        assert_eq!(
            (page.status.as_u16(), page.header("content-type")),
            (200, "application/atom+xml; charset=utf-8"),
            "{}",
            page.text
        );
        let feed =
            roxmltree::Document::parse(&page.text).unwrap_or_else(|error| panic!("{error}: {}", page.text));
        let root = feed.root_element();
        assert!(root.has_tag_name((ATOM, "feed")));
        let text = |node: roxmltree::Node<'_, '_>, name: &str| -> String {
            let found: Vec<_> = node.children().filter(|child| child.has_tag_name((ATOM, name))).collect();
            assert_eq!(found.len(), 1, "one {name}");
            found[0].text().unwrap_or_default().to_owned()
        };
        let link = |node: roxmltree::Node<'_, '_>| -> String {
            let link = node.children().find(|child| child.has_tag_name((ATOM, "link"))).expect("a link");
            assert_eq!(link.attribute("rel"), Some("alternate"));
            link.attribute("href").expect("an address").to_owned()
        };
        for name in ["id", "title"] {
            assert!(!text(root, name).is_empty(), "{name}");
        }
        let entries = root.children().filter(|child| child.has_tag_name((ATOM, "entry")));
        let entries = entries.map(|entry| Entry {
            id: text(entry, "id"),
            title: text(entry, "title"),
            updated: text(entry, "updated"),
            link: link(entry),
            summary: text(entry, "summary"),
        });
        (text(root, "updated"), entries.collect())
    }

    /// The events of a calendar: each its properties, in order, unfolded.
    async fn read_deadlines(app: &TestApp, address: &str) -> Vec<Vec<(String, String)>> {
        let page = app.get(address).await;
        assert_eq!(
            (page.status.as_u16(), page.header("content-type")),
            (200, "text/calendar; charset=utf-8"),
            "{}",
            page.text
        );
        assert!(page.text.ends_with("\r\n") && !page.text.replace("\r\n", "").contains(['\r', '\n']));
        assert!(page.text.split("\r\n").all(|line| line.len() <= 75), "{}", page.text);
        let whole = page.text.replace("\r\n ", "");
        let mut lines: Vec<&str> = whole.trim_end().split("\r\n").collect();
        assert_eq!(lines.remove(0), "BEGIN:VCALENDAR");
        assert_eq!(lines.pop(), Some("END:VCALENDAR"));
        for line in ["VERSION:2.0", "CALSCALE:GREGORIAN"] {
            assert!(lines.contains(&line), "{line}: {whole}");
        }
        let mut events = Vec::new();
        for line in lines {
            let (name, value) = line.split_once(':').unwrap_or_else(|| panic!("no property: {line}"));
            match line {
                "BEGIN:VEVENT" => events.push(Vec::new()),
                _ if events.is_empty() => {}
                _ => events.last_mut().expect("an event").push((name.to_owned(), value.to_owned())),
            }
        }
        events
    }

    fn value<'a>(event: &'a [(String, String)], name: &str) -> &'a str {
        event.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    async fn pause(app: &TestApp, action: BoardAction) {
        let board = BoardRef { game: "osbox".to_owned(), number: 101 };
        let action = AdminAction::Board { board, action, why: String::new() };
        administer(&app.app, &Administrator::of_shell("root"), action).await.unwrap();
    }

    fn assert_no_feed(page: &Page) {
        assert_eq!((page.status.as_u16(), page.json()["code"].as_str()), (404, Some("not_found")));
        assert_eq!(page.header("cache-control"), "private, no-cache");
    }

    pub(super) async fn feeds_are_switched_on_renewed_and_ended_on_the_settings_page(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        let mut ann = Browser::of(&app, "ann").await;
        assert_eq!(addresses(&mut ann).await, None, "nobody has feeds who did not ask for them");
        let foreign = ann.post_from("cross-site", "/settings", &[("act", "new_feeds")]).await;
        assert_eq!(foreign.status, 403);
        assert_eq!(addresses(&mut ann).await, None);
        let first = switch_on(&mut ann).await;
        assert!(first[0].starts_with(&format!("{TURNS}?key=")) && first[0].len() == TURNS.len() + 5 + 42);
        assert_eq!(addresses(&mut ann).await.as_ref(), Some(&first), "they are shown again");
        let page = ann.get("/settings").await;
        assert!(page.text.contains("<link rel=\"alternate\" type=\"application/atom+xml\""), "{}", page.text);
        assert_eq!(page.header("cache-control"), "no-store");
        for address in &first {
            assert_eq!(app.get(address).await.status, 200);
        }
        let second = switch_on(&mut ann).await;
        assert_ne!(first, second);
        assert_no_feed(&app.get(&first[0]).await);
        assert_eq!(app.get(&second[0]).await.status, 200);
        let theirs = switch_on(&mut Browser::of(&app, "bob").await).await;
        let (_, key) = theirs[0].split_once('?').unwrap();
        assert_no_feed(&app.get(&format!("{TURNS}?{key}")).await);
        ann.submit("/settings", &[("act", "end_feeds")]).await;
        assert_eq!(addresses(&mut ann).await, None);
        assert_no_feed(&app.get(&second[0]).await);
        let third = switch_on(&mut ann).await;
        assert!(third != first && third != second, "an address that was given up never comes back");
        let mut tables = String::new();
        for row in app.tables().await.rows("feed_keys") {
            tables.push_str(row);
        }
        let key = third[0].split_once('=').unwrap().1;
        assert!(!tables.is_empty() && !tables.contains(key), "the database holds no key: {tables}");
    }

    pub(super) async fn a_wrong_address_tells_nothing_and_is_counted(place: Place) {
        let app = TestApp::start_with(place, |config| {
            config.limits.enabled = true;
            config.limits.password_tries = 4;
        })
        .await;
        app.sign_up("ann").await;
        app.sign_up("bob").await;
        let feeds = switch_on(&mut Browser::of(&app, "ann").await).await;
        let key = feeds[0].split_once('=').unwrap().1;
        let answers = [
            app.get(TURNS).await,
            app.get(&format!("{TURNS}?key={}", &key[..39])).await,
            app.get(&format!("/api/v1/users/bob/turns.atom?key={key}")).await,
            app.get(&format!("/api/v1/users/nobody/deadlines.ics?key={key}")).await,
        ];
        for page in &answers {
            assert_no_feed(page);
            assert_eq!(page.text, answers[0].text, "no difference tells what is wrong");
        }
        let page = app.get(&format!("{TURNS}?key=guess")).await;
        assert_eq!((page.status.as_u16(), page.json()["code"].as_str()), (429, Some("rate_limited")));
        assert!(page.header("retry-after").parse::<u64>().unwrap() > 0);
        assert_eq!(app.get(&feeds[0]).await.status, 200, "the right one is not held back");
    }

    pub(super) async fn feeds_end_with_the_password_and_the_account(place: Place) {
        let (app, before) = begin(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        edit_user(&app.app, "ann", UserEdit::Suspend).await.unwrap();
        assert_no_feed(&app.get(&before[0]).await);
        edit_user(&app.app, "ann", UserEdit::Lift).await.unwrap();
        assert_eq!(app.get(&before[0]).await.status, 200);
        ann.log_in("ann", "ann-secret").await;
        let fields = [("act", "password"), ("present", "ann-secret"), ("new", "ann-secret-2")];
        ann.submit("/settings", &fields).await;
        assert_no_feed(&app.get(&before[0]).await);
        let after = addresses(&mut ann).await.expect("they stay switched on");
        assert_ne!(before, after);
        assert_eq!(app.get(&after[1]).await.status, 200);
        app.post("delete ann ann-secret-2", "").await;
        assert_no_feed(&app.get(&after[1]).await);
        assert_eq!(app.tables().await.rows("feed_keys").len(), 0);
    }

    pub(super) async fn turns_tell_of_the_boards_that_wait(place: Place) {
        let (app, [turns, _]) = begin(place).await;
        app.post("obsidio challenge bob ann", "").await;
        let (updated, entries) = read_turns(&app, &turns).await;
        assert_eq!(entries.len(), 1, "obsidio waits for bob");
        assert_eq!(
            (entries[0].title.as_str(), entries[0].link.as_str(), entries[0].updated.as_str()),
            (
                "Osbox 101: your turn against bob",
                "http://knotpost.example/boards/osbox/101",
                "2026-11-20T10:00:00Z"
            )
        );
        assert_eq!(
            (entries[0].id.as_str(), updated.as_str()),
            ("tag:knotpost.example,2026:turns/osbox/101/0", "2026-11-20T10:00:00Z")
        );
        app.clock.advance(HOUR);
        app.post("obsidio move 101 bob bob-secret c3", "Your turn!").await;
        app.clock.advance(HOUR);
        let (updated, entries) = read_turns(&app, &turns).await;
        let titles: Vec<&str> = entries.iter().map(|entry| entry.title.as_str()).collect();
        assert_eq!(titles, ["Obsidio 101: your turn against bob", "Osbox 101: your turn against bob"]);
        assert_eq!(updated, "2026-11-20T11:00:00Z", "of the latest entry, not of the request");
        assert!(entries[0].id.ends_with("/obsidio/101/1"));
        for words in [
            "Move 1, by bob on 2026-11-20 11:00 UTC: c3.",
            "bob: Your turn!",
            "Row 3",
            "lost on 2026-12-11 11:00 UTC",
        ] {
            assert!(entries[0].summary.contains(words), "{words}: {}", entries[0].summary);
        }
        assert_eq!(read_turns(&app, &turns).await, (updated, entries), "it stays as it is");
        assert_eq!(app.post("obsidio move 101 ann ann-secret swap", "").await.outcome(), "200 ok");
        assert_eq!(read_turns(&app, &turns).await.1.len(), 1, "what was answered is gone");
        pause(&app, BoardAction::Pause).await;
        assert_eq!(read_turns(&app, &turns).await.1, []);
        app.clock.advance(HOUR);
        pause(&app, BoardAction::Resume).await;
        let (_, entries) = read_turns(&app, &turns).await;
        assert_eq!(entries[0].updated, "2026-11-20T13:00:00Z", "it is his turn again");
        app.post("osbox move 101 ann ann-secret resign", "").await;
        assert_eq!(read_turns(&app, &turns).await.1, []);
    }

    pub(super) async fn a_move_taken_back_updates_its_entry(place: Place) {
        let (app, [turns, deadlines]) = begin(place).await;
        let (_, before) = read_turns(&app, &turns).await;
        app.clock.advance(HOUR);
        app.post("osbox move 101 ann ann-secret d1", "").await;
        app.clock.advance(HOUR);
        app.post("osbox move 101 ann ann-secret undo", "").await;
        assert_eq!(app.post("osbox move 101 bob bob-secret accept", "").await.outcome(), "200 ok");
        let (_, after) = read_turns(&app, &turns).await;
        assert_eq!((after.len(), &after[0].id), (1, &before[0].id));
        assert_eq!(after[0].updated, "2026-11-20T12:00:00Z");
        let events = read_deadlines(&app, &deadlines).await;
        assert_eq!(value(&events[0], "DTSTART"), "20261211T120000Z", "the time begins anew");
    }

    pub(super) async fn deadlines_are_moments_at_which_time_is_up(place: Place) {
        let (app, [_, deadlines]) = begin(place).await;
        app.clock.advance(HOUR);
        app.post("osbox challenge -size=4 -nag=1 -forfeit=2 ann bob", "").await;
        app.post("osbox challenge -size=4 bob ann", "").await;
        let events = read_deadlines(&app, &deadlines).await;
        assert_eq!(events.len(), 2, "the third waits for bob: {events:?}");
        let facts = |event| {
            ["UID", "DTSTAMP", "DTSTART", "URL", "DTEND", "TRIGGER"].map(|name| value(event, name).to_owned())
        };
        assert_eq!(
            facts(&events[0]),
            [
                "deadline-osbox-102-0@knotpost.example",
                "20261120T110000Z",
                "20261122T110000Z",
                "http://knotpost.example/boards/osbox/102",
                "",
                "-P1D"
            ]
        );
        assert_eq!(
            facts(&events[1])[..3],
            ["deadline-osbox-101-0@knotpost.example", "20261120T100000Z", "20261211T100000Z"]
        );
        assert_eq!(value(&events[1], "SUMMARY"), "Osbox 101: time is up against bob");
        let alarm: Vec<&str> =
            events[1].iter().map(|(name, _)| name.as_str()).skip_while(|name| *name != "BEGIN").collect();
        assert_eq!(alarm[..5], ["BEGIN", "ACTION", "DESCRIPTION", "TRIGGER", "END"]);
        // The board is lost in the very second the calendar names.
        app.pass(2 * DAY - HOUR).await;
        assert_eq!(read_deadlines(&app, &deadlines).await.len(), 2);
        app.pass(HOUR).await;
        assert_eq!(read_deadlines(&app, &deadlines).await.len(), 1);
    }

    pub(super) async fn no_deadline_runs_in_vacations_and_pauses(place: Place) {
        let (app, [turns, deadlines]) = begin(place).await;
        pause(&app, BoardAction::Pause).await;
        assert!(read_deadlines(&app, &deadlines).await.is_empty());
        app.clock.advance(DAY);
        pause(&app, BoardAction::Resume).await;
        let events = read_deadlines(&app, &deadlines).await;
        assert_eq!(value(&events[0], "DTSTART"), "20261212T100000Z", "a day later");
        assert_eq!(value(&events[0], "DTSTAMP"), "20261121T100000Z");
        app.post("vacation ann ann-secret 5", "").await;
        assert!(read_deadlines(&app, &deadlines).await.is_empty());
        let (_, entries) = read_turns(&app, &turns).await;
        assert!(entries[0].summary.contains("No time runs"), "it is his turn all the same: {entries:?}");
        app.clock.advance(5 * DAY);
        let events = read_deadlines(&app, &deadlines).await;
        assert_eq!(value(&events[0], "DTSTART"), "20261217T100000Z");
        app.post("vacation bob bob-secret 5", "").await;
        assert_eq!(read_deadlines(&app, &deadlines).await.len(), 1, "only one's own time off counts");
    }

    pub(super) async fn rounds_of_tournaments_end_in_the_calendar(place: Place) {
        let club = Club::open(place, &["ann", "bob", "cyd"]).await;
        let [_, deadlines] = switch_on(&mut Browser::of(&club.app, "ann").await).await;
        club.begin("-players=3 -roundtime=10 -nagtime=19 -forfeittime=20", &["ann", "bob", "cyd"]).await;
        let rounds = async || {
            let mut events = read_deadlines(&club.app, &deadlines).await;
            events.retain(|event| value(event, "URL").contains("/tournaments/"));
            events
        };
        let events = rounds().await;
        let facts = ["UID", "DTSTART", "SUMMARY", "URL", "CATEGORIES", "TRIGGER"];
        assert_eq!(events.len(), 1, "{events:?}");
        assert_eq!(
            facts.map(|name| value(&events[0], name)),
            [
                "deadline-t1-1@knotpost.example",
                "20261130T100000Z",
                "Tournament t1 Winter cup: round 1 ends",
                "http://knotpost.example/tournaments/t1",
                "Osbox",
                "-P1D",
            ]
        );
        assert!(value(&events[0], "DESCRIPTION").starts_with("2 of your boards are not over."), "{events:?}");
        club.app.post("vacation ann ann-secret 5", "").await;
        club.direct("dir", T1, DirectorAction::Extend(Days::from_word("2").expect("days")), "")
            .await
            .unwrap();
        assert_eq!(
            value(&rounds().await[0], "DTSTART"),
            "20261202T100000Z",
            "put off, and no vacation stops it"
        );
        for other in ["bob", "cyd"] {
            club.resign(&club.board_of(T1, "ann", other).await, other).await;
        }
        assert_eq!(rounds().await, Vec::<Vec<(String, String)>>::new(), "her boards are over, theirs is not");
    }

    pub(super) async fn what_has_not_changed_is_not_sent_again(place: Place) {
        let (app, feeds) = begin(place).await;
        for feed in &feeds {
            let first = app.get(feed).await;
            for (name, value) in [
                ("cache-control", "private, no-cache"),
                ("referrer-policy", "no-referrer"),
                ("x-robots-tag", "noindex, nofollow"),
            ] {
                assert_eq!(first.header(name), value);
            }
            assert!(!first.text.contains(feed.split_once('=').unwrap().1), "the key is not in the document");
            let ask = || Request::get(feed).header("if-none-match", first.header("etag")).body(Body::empty());
            app.clock.advance(HOUR);
            let again = app.send(ask().unwrap()).await;
            assert_eq!((again.status.as_u16(), again.text.as_str()), (304, ""));
            assert_eq!(again.header("cache-control"), "private, no-cache");
        }
        app.post("osbox move 101 ann ann-secret d1", "").await;
        for feed in &feeds {
            let request = Request::get(feed).header("if-none-match", "\"old\"").body(Body::empty()).unwrap();
            assert_eq!(app.send(request).await.status, 200);
        }
    }

    pub(super) async fn nothing_that_players_write_breaks_a_feed(place: Place) {
        let app = TestApp::start_with(place, |config| {
            "K<not> & \"post\"; or, \\n so\r\nEND:VCALENDAR".clone_into(&mut config.server.name);
        })
        .await;
        app.sign_up("ann").await;
        let page = app.post("signup E.v-i_l E.v-i_l-secret evil@evil.example", "").await;
        assert_eq!(page.outcome(), "200 ok", "{}", page.text);
        let [turns, deadlines] = switch_on(&mut Browser::of(&app, "ann").await).await;
        let page = app.post("obsidio challenge E.v-i_l ann", "").await;
        assert_eq!(page.outcome(), "200 ok", "{}", page.text);
        let words = "]]></summary><entry>&#0;\u{1}\u{b}\u{1b}[31m\u{7f}\u{85}\u{ffff}\r\nEND:VEVENT\r\n<script>alert(1)</script>";
        let page = app.post("obsidio move 101 E.v-i_l E.v-i_l-secret c3", words).await;
        assert_eq!(page.outcome(), "200 ok", "{}", page.text);
        let (_, entries) = read_turns(&app, &turns).await;
        assert_eq!(entries.len(), 1);
        assert_eq!(entries[0].title, "Obsidio 101: your turn against E.v-i_l");
        for words in ["E.v-i_l: ]]></summary><entry>", "<script>alert(1)</script>"] {
            assert!(entries[0].summary.contains(words), "as written: {entries:?}");
        }
        let events = read_deadlines(&app, &deadlines).await;
        assert_eq!(events.len(), 1);
        assert_eq!(value(&events[0], "SUMMARY"), "Obsidio 101: time is up against E.v-i_l");
        let page = app.get(&deadlines).await;
        assert!(
            page.text.contains("NAME:K<not> & \"post\"\\; or\\, \\\\n so\\nEND:VCALENDAR"),
            "{}",
            page.text
        );
        // Whatever the userid, the user's own feeds are read too.
        let theirs = switch_on(&mut Browser::of(&app, "E.v-i_l").await).await;
        assert_eq!(read_turns(&app, &theirs[0]).await.1, []);
        assert!(read_deadlines(&app, &theirs[1].replace("E.v-i_l", "e.V-I_L")).await.is_empty());
    }
}
