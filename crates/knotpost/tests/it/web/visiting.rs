//! What somebody without an account finds, and what is said after forms.

use super::tell;

tell! {
    a_visitor_plays_both_sides_without_an_account,
    a_visitor_plays_the_computer_without_an_account,
    practice_is_kept_as_a_board_of_the_account,
    eight_of_ten_visitors_score_in_their_first_game,
    the_first_push_is_the_only_choice_and_wins,
    a_push_closes_a_knot_on_the_start_page_of_visitors,
    a_page_says_for_which_session_it_was_made,
    lessons_judge_a_move_by_the_rules,
    an_address_with_a_wrong_move_shows_the_board_before_it,
    a_seek_is_played_on_its_own_terms,
    the_days_for_each_move_are_chosen_on_the_page,
    the_next_game_that_waits_is_one_key_away,
    who_signs_up_on_the_page_is_mailed_as_they_chose,
    signing_up_goes_on_with_the_page_that_was_wanted,
    what_is_wrong_with_a_new_account_is_said_at_its_field,
    rules_show_boards_as_drawings,
    each_step_of_a_turn_says_what_it_asks_for,
    a_bar_asks_to_confirm_the_address_until_that_is_done,
    saved_settings_say_so,
    guessed_addresses_lead_somewhere,
    games_are_found_by_kind_and_word_and_favourites_come_first,
    the_start_page_has_few_buttons,
    who_is_away_is_told,
    a_message_is_written_from_the_page_of_a_user,
    a_board_against_oneself_is_listed_for_its_player_alone,
}

mod stories {
    use super::super::browser::Browser;
    use crate::harness::{Place, TestApp};
    use knotpost_core::config::Confirm;

    /// Fields of a form.
    type Fields<'a> = &'a [(&'a str, &'a str)];

    const GAMES: [&str; 4] = ["osbox", "osbo", "obsidio", "boxilies"];

    /// The addresses of links to a board to try, in the order of the page.
    fn links(page: &str, with: &str) -> Vec<String> {
        let addresses = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
        addresses
            .filter(|address| address.contains(with))
            .map(|address| address.replace("&amp;", "&"))
            .collect()
    }

    /// Follows choices until a move can be played, and plays it.
    async fn take_a_turn(visitor: &mut Browser<'_>, mut address: String) -> String {
        for _ in 0..6 {
            let page = visitor.get(&address).await;
            assert_eq!(page.status, 200, "{address}");
            if let Some(play) = page.text.split("class=\"button\" href=\"").nth(1)
                && page.text.contains(">Play ")
            {
                return play.split('"').next().unwrap().replace("&amp;", "&");
            }
            // A way back is shorter; a place before its face may be no place for the first face.
            let mut on = links(&page.text, "choose=").into_iter().filter(|link| !link.contains("spot="));
            let on = on.find(|link| link.len() > address.len());
            address = on.unwrap_or_else(|| panic!("{}", page.text));
        }
        panic!("no move after six choices: {address}");
    }

    pub(super) async fn a_visitor_plays_both_sides_without_an_account(place: Place) {
        let app = TestApp::with_players(place, &[]).await;
        let mut visitor = Browser::new(&app);
        for game in GAMES {
            let page = visitor.get(&format!("/games/{game}")).await;
            let address = format!("/try/{game}");
            assert!(links(&page.text, &address).contains(&address), "one click leads to {game}");
            let mut address = address;
            for turn in 1..=4 {
                address = take_a_turn(&mut visitor, address).await;
                let played = address.split("moves=").nth(1).unwrap();
                assert_eq!(played.split('&').next().unwrap().split('~').count(), turn, "{address}");
            }
            let page = visitor.get(&address).await;
            assert!(
                page.text.contains(" to move.</strong>") && page.text.contains(" played "),
                "{}",
                page.text
            );
            assert!(page.text.contains("Take back"), "{}", page.text);
            assert_eq!(page.header("x-robots-tag"), "noindex, nofollow");
        }
        assert!(visitor.cookie.is_none(), "nothing is stored, not even a cookie");
        assert!(visitor.get("/").await.text.contains("No games right now."), "such boards are in no list");
    }

    /// The address behind the one button of the start page.
    async fn begin(visitor: &mut Browser<'_>) -> String {
        let start = visitor.get("/").await.text;
        let (_, button) = start.split_once("class=\"button begin\" href=\"").expect("a button to begin");
        button.split('"').next().unwrap().replace("&amp;", "&")
    }

    pub(super) async fn the_first_push_is_the_only_choice_and_wins(place: Place) {
        let app = TestApp::with_players(place, &[]).await;
        let mut visitor = Browser::new(&app);
        let address = begin(&mut visitor).await;
        let page = visitor.get(&address).await.text;
        assert!(page.contains("Your first move."), "{page}");
        let (_, board) = page.split_once("id=\"board\"").unwrap();
        assert_eq!(board.matches("<a class=\"spot\"").count(), 1, "{board}");
        let played = take_a_turn(&mut visitor, address).await;
        let answered = visitor.get(&played).await;
        let page = visitor.get(answered.header("location")).await.text;
        assert_eq!(scores(&page)[0], 6, "{page}");
        assert!(!page.contains("Your first move.") && page.contains("<strong>Your turn.</strong>"), "{page}");
    }

    fn scores(page: &str) -> Vec<u32> {
        let points = page.split("Score </span>").skip(1).filter_map(|rest| rest.split('<').next());
        points.filter_map(|points| points.parse().ok()).collect()
    }

    /// A way to choose among a number of links, by the number of the click; greedy, it first looks for the move that wins
    /// most.
    struct Taste(&'static str, fn(usize, usize) -> usize);

    const GREEDY: &str = "greedy";
    /// Those of ten who score at least on an empty board, without the guided push.
    const FREE: usize = 1;

    const TASTES: [Taste; 10] = [
        Taste("the first", |_, _| 0),
        Taste("the last", |_, count| count - 1),
        Taste("the middle one", |_, count| count / 2),
        Taste("one after the other", |click, count| click % count),
        Taste("every third", |click, count| 3 * click % count),
        Taste("first and last by turns", |click, count| if click.is_multiple_of(2) { 0 } else { count - 1 }),
        Taste("by chance, 1", |click, count| by_chance(1, click) % count),
        Taste("by chance, 2", |click, count| by_chance(2, click) % count),
        Taste("by chance, 3", |click, count| by_chance(3, click) % count),
        Taste(GREEDY, |click, count| by_chance(4, click) % count),
    ];

    fn by_chance(seed: usize, click: usize) -> usize {
        (0..=click).fold(seed, |state, _| (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 65_536
    }

    /// The address of the preview of the move that wins most; `None`: none wins anything.
    async fn find_best(visitor: &mut Browser<'_>, address: &str, table: &str) -> Option<String> {
        let begun = table.split("data-begun=\"").skip(1).filter_map(|rest| {
            let (begun, rest) = rest.split_once('"')?;
            let spots = rest.strip_prefix(" data-spots=\"")?.split('"').next()?;
            Some((begun, spots))
        });
        let all: Vec<&str> =
            table.split("data-spot=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let joint = if address.contains('?') { '&' } else { '?' };
        let mut best = (0, None);
        for (begun, spots) in begun {
            let spots = if spots == "*" { all.clone() } else { spots.split(' ').collect() };
            for spot in spots {
                let preview = format!("{address}{joint}choose={begun}{spot}");
                let page = visitor.get(&preview).await.text;
                let gain = page.split_once("class=\"turn").map_or("", |(_, turn)| turn);
                let gain = gain.split_once("class=\"gain\">+").and_then(|(_, gain)| gain.split('<').next());
                let gain = gain.and_then(|gain| gain.parse().ok()).unwrap_or(0);
                if gain > best.0 && page.contains("class=\"send\"") {
                    best = (gain, Some(preview));
                }
            }
        }
        best.1
    }

    /// Plays to the end by clicks of that taste; the points of the visitor.
    async fn play_by_taste(visitor: &mut Browser<'_>, mut address: String, taste: &Taste) -> u32 {
        for click in 0..400 {
            let mut page = visitor.get(&address).await;
            if page.status == 303 {
                address = page.header("location").to_owned();
                page = visitor.get(&address).await;
            }
            assert_eq!(page.status, 200, "{address}: {}", page.text);
            // The same die pushed in at the same place again and again comes to no end.
            if page.text.contains("as long as a line can be") {
                assert!(page.text.contains("Play again"), "{}", page.text);
                return scores(&page.text)[0];
            }
            if page.text.contains("The game is over") {
                let (_, end) = page.text.split_once("class=\"end\"><h2>").expect("a card");
                let is_mine = ["You won ", "You lost ", "Draw, "].iter().any(|words| end.starts_with(words));
                assert!(is_mine && end.contains("Play again") && end.contains("Next level"), "{end}");
                let points = scores(&page.text)[0];
                assert_eq!(end.contains("Your best move: "), points > 0, "{end}");
                return points;
            }
            let (_, table) = page.text.split_once("id=\"table\"").unwrap();
            if let Some((_, send)) = table.split_once("class=\"send\"") {
                let play = send.split("href=\"").nth(1).unwrap();
                play.split('"').next().unwrap().replace("&amp;", "&").clone_into(&mut address);
                continue;
            }
            let begun = |link: &str| link.split("choose=").nth(1).map_or(0, str::len);
            let so_far = begun(&address);
            if taste.0 == GREEDY
                && so_far == 0
                && let Some(best) = find_best(visitor, &address, table).await
            {
                address = best;
                continue;
            }
            let ways: Vec<String> = links(table, "choose=")
                .into_iter()
                .filter(|link| !link.contains("spot=") && begun(link) > so_far)
                .collect();
            assert!(!ways.is_empty(), "{address}: {table}");
            address.clone_from(&ways[taste.1(click, ways.len())]);
        }
        panic!("{}: no end after 400 clicks", taste.0);
    }

    pub(super) async fn eight_of_ten_visitors_score_in_their_first_game(place: Place) {
        let app = TestApp::start_with(place, |config| config.limits.enabled = false).await;
        let mut told = Vec::new();
        for taste in &TASTES {
            let mut visitor = Browser::new(&app);
            let address = begin(&mut visitor).await;
            told.push((taste.0, play_by_taste(&mut visitor, address, taste).await));
        }
        let lucky = told.iter().filter(|(_, points)| *points > 0).count();
        assert!(lucky >= 8, "{told:?}");
        // The free game, on an empty board and without the guided push.
        let mut free = Vec::new();
        for taste in &TASTES {
            let mut visitor = Browser::new(&app);
            free.push((taste.0, play_by_taste(&mut visitor, "/try/osbox?level=1".to_owned(), taste).await));
        }
        println!("guided: {told:?}; free: {free:?}");
        let lucky = free.iter().filter(|(_, points)| *points > 0).count();
        assert!(lucky >= FREE, "{free:?}");
    }

    pub(super) async fn a_push_closes_a_knot_on_the_start_page_of_visitors(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        let page = app.get("/").await.text;
        let (_, picture) = page.split_once("hero-board").expect("a board");
        let picture = picture.split("</a>").next().unwrap();
        assert!(picture.contains("class=\"pushing from-left cells-3\""), "{picture}");
        assert!(
            picture.contains("class=\"gain\"") && picture.contains("closes a knot of 6: +6."),
            "{picture}"
        );
        assert_eq!(picture.matches("id=\"pushed\"").count(), 1, "the line is the picture once more");
        assert!(page.contains("href=\"/puzzles\""));
        let own = Browser::of(&app, "ann").await.get("/").await.text;
        assert!(
            !own.contains("pushing") && own.contains("href=\"/puzzles\""),
            "who plays has boards to look at"
        );
    }

    pub(super) async fn a_page_says_for_which_session_it_was_made(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        app.post("osbox challenge -size=3 ann ann", "").await;
        let (mut one, mut other) = (Browser::of(&app, "ann").await, Browser::of(&app, "ann").await);
        let mut marks = Vec::new();
        for path in ["/", "/boards/osbox/101", "/settings"] {
            for browser in [&mut one, &mut other] {
                marks.push(browser.get(path).await.header("x-session-mark").to_owned());
            }
        }
        let pair = marks[..2].to_vec();
        assert!(pair[0].len() == 16 && pair[0] != pair[1], "{marks:?}");
        assert_eq!(marks, [pair.clone(), pair.clone(), pair].concat());
        let anybodys = ["/no-such-page", "/boards/osbox/999", "/confirm/x", "/unsubscribe/x", "/reset/x"];
        for path in anybodys {
            let page = one.get(path).await;
            assert_eq!(page.header("x-session-mark"), "", "{path}: no session was looked for");
        }
        one.post("/logout", &[]).await;
        for path in ["/", "/boards/osbox/101", "/login"] {
            assert_eq!(one.get(path).await.header("x-session-mark"), "-", "{path}");
        }
        for path in anybodys {
            assert_eq!(one.get(path).await.header("x-session-mark"), "", "{path}");
        }
    }

    pub(super) async fn a_visitor_plays_the_computer_without_an_account(place: Place) {
        let app = TestApp::with_players(place, &[]).await;
        let mut visitor = Browser::new(&app);
        for game in GAMES {
            let mut address = format!("/try/{game}?level=1");
            for turn in 1..=2 {
                let played = take_a_turn(&mut visitor, address.clone()).await;
                let answered = visitor.get(&played).await;
                assert_eq!(answered.status, 303, "{played}: {}", answered.text);
                address = answered.header("location").to_owned();
                assert!(address.contains("level=1"), "{address}");
                let moves = address.split("moves=").nth(1).unwrap();
                assert_eq!(moves.split('~').count(), 2 * turn, "{address}");
                let page = visitor.get(&address).await;
                assert!(page.text.contains("<strong>Your turn.</strong>"), "{}", page.text);
                assert!(page.text.contains("The computer played "), "{}", page.text);
                let back = page.text.split(">Take back<").next().unwrap().rsplit("href=\"").next().unwrap();
                let back = back.split('"').next().unwrap().replace("&amp;", "&");
                let page = visitor.get(&back).await;
                assert!(page.text.contains("<strong>Your turn.</strong>"), "{back}: {}", page.text);
            }
            // On the usual board of Osbox hardly any first game has a point.
            let page = visitor.get(&address).await;
            assert_eq!(page.text.contains("Practice is played with thin knots"), game == "osbox");
        }
        assert!(visitor.cookie.is_none());
        // The same address is answered in several ways: a won game cannot be won again by its moves.
        let mut answers = std::collections::BTreeSet::new();
        for _ in 0..6 {
            answers.insert(visitor.get("/try/osbox?moves=f1&level=5").await.header("location").to_owned());
        }
        assert!(answers.len() > 1, "{answers:?}");
        // The levels that think long are for players who have an account.
        let page = visitor.get("/try/osbox?moves=f1&level=8").await;
        assert!(page.text.contains("Vert to move.") && page.text.contains("both sides"), "{}", page.text);
    }

    pub(super) async fn practice_is_kept_as_a_board_of_the_account(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        app.enlist_bots().await;
        let (mut visitor, mut ann) = (Browser::new(&app), Browser::of(&app, "ann").await);
        app.letters();
        for game in GAMES {
            let played = take_a_turn(&mut visitor, format!("/try/{game}?level=2&deal=3")).await;
            let address = visitor.get(&played).await.header("location").to_owned();
            assert!(visitor.get(&address).await.text.contains("Sign up and keep this game"));
            let page = ann.get(&address).await;
            assert!(page.text.contains("Keep this game"), "{}", page.text);
            let moves = page.text.split("name=\"moves\" value=\"").nth(1).unwrap().split('"').next().unwrap();
            let form = [("moves", moves), ("deal", "3"), ("level", "2")];
            let path = format!("/try/{game}");
            assert!(visitor.post(&path, &form).await.header("location").starts_with("/login"));
            let kept = ann.submit(&path, &form).await;
            assert!(kept.text.contains("Your turn"), "{}", kept.text);
            let board = app.get(&format!("/api/v1/boards/{game}/101")).await.json();
            let stored: Vec<&str> = board["moves"]
                .as_array()
                .unwrap()
                .iter()
                .map(|made| made["text"].as_str().unwrap())
                .collect();
            assert_eq!(stored.len(), 2, "{board}");
            for (text, canonical) in stored.iter().zip(moves.split('~')) {
                assert!(text.contains(canonical), "{text} is not {canonical}");
            }
            assert_eq!(board["rated"], false);
            assert_eq!(board["players"][1]["userid"], "knotbot-2", "{board}");
            // A move that cannot be played leaves no board behind.
            let bad = ann.post(&path, &[("moves", "zz9"), ("level", "2")]).await;
            assert_eq!(bad.status, 422, "{}", bad.text);
            assert_eq!(app.get(&format!("/api/v1/boards/{game}/102")).await.status, 404);
        }
        app.work().await;
        assert!(app.letters().is_empty(), "the player sees it at once");
    }

    pub(super) async fn lessons_judge_a_move_by_the_rules(place: Place) {
        let app = TestApp::with_players(place, &[]).await;
        let mut visitor = Browser::new(&app);
        let list = visitor.get("/learn").await;
        for game in GAMES {
            assert!(list.text.contains(&format!("/learn/{game}/1")), "{game}");
            let played = take_a_turn(&mut visitor, format!("/learn/{game}/1")).await;
            let page = visitor.get(&played).await;
            assert!(page.text.contains("<strong>Right.</strong>"), "{}", page.text);
            assert!(page.text.contains(&format!("/learn/{game}/2")), "{}", page.text);
        }
        let page = visitor.get("/learn/osbox/2?moves=j1").await;
        assert!(page.text.contains("<strong>Right.</strong>"), "{}", page.text);
        let page = visitor.get("/learn/osbox/2?moves=a1").await;
        assert!(page.text.contains("Try again") && !page.text.contains("Right."), "{}", page.text);
        assert_eq!(visitor.get("/learn/osbox/6").await.status, 404);
    }

    pub(super) async fn an_address_with_a_wrong_move_shows_the_board_before_it(place: Place) {
        let app = TestApp::with_players(place, &[]).await;
        let mut visitor = Browser::new(&app);
        let page = visitor.get("/try/osbox?moves=f1&spot=9").await;
        assert!(page.text.contains("Which face at"), "the place can be chosen first: {}", page.text);
        assert!(page.text.contains("href=\"/try/osbox?moves=f1&amp;choose=e9\""), "{}", page.text);
        let page = visitor.get("/try/osbox?moves=f1~zz9~e9").await;
        assert!(page.text.contains("holds a move that cannot be played"), "{}", page.text);
        assert!(page.text.contains("Vert to move"), "{}", page.text);
        let long = "f1~".repeat(400);
        assert_eq!(visitor.get(&format!("/try/osbox?moves={long}")).await.status, 200);
        assert_eq!(visitor.get("/try/chess").await.status, 404);
    }

    pub(super) async fn a_seek_is_played_on_its_own_terms(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        let mut ann = Browser::of(&app, "ann").await;
        let page =
            ann.submit("/challenge", &[("game", "obsidio"), ("option_size", "7"), ("act", "seek")]).await;
        assert!(page.text.contains("7x7"), "{}", page.text);
        let mut bob = Browser::of(&app, "bob").await;
        let start = bob.get("/").await;
        assert!(start.text.contains("name=\"terms\" value=\"-size=7\""), "{}", start.text);
        let play = [("game", "obsidio"), ("terms", "-size=7"), ("act", "join")];
        let answer = bob.post("/challenge", &play).await;
        assert_eq!(answer.header("location"), "/boards/obsidio/101", "{}", answer.text);
        assert!(bob.get("/boards/obsidio/101").await.text.contains("-size=7"));
        let smuggled = [("game", "obsidio"), ("terms", "\nsignoff bob"), ("act", "join")];
        assert_eq!(bob.post("/challenge", &smuggled).await.status, 422);
    }

    pub(super) async fn signing_up_goes_on_with_the_page_that_was_wanted(place: Place) {
        let app = TestApp::with_players(place, &[]).await;
        let mut visitor = Browser::new(&app);
        let page = visitor.get("/login?next=/challenge%3Fgame%3Dosbox").await;
        let signup = links(&page.text, "/signup?next=").pop().unwrap();
        let page = visitor.get(&signup).await;
        assert!(page.text.contains("name=\"next\" value=\"/challenge?game=osbox\""), "{}", page.text);
        let fields = [
            ("userid", "dora"),
            ("password", "dora-secret"),
            ("address", "dora@dora.example"),
            ("next", "/challenge?game=osbox"),
        ];
        let answer = visitor.post("/signup", &fields).await;
        assert_eq!(answer.header("location"), "/challenge?game=osbox", "{}", answer.text);
    }

    pub(super) async fn a_bar_asks_to_confirm_the_address_until_that_is_done(place: Place) {
        let app = TestApp::start_with(place, |config| config.accounts.confirm_addresses = Confirm::On).await;
        app.mail("gus@gus.example", "signup gus gus-secret gus@gus.example", "").await;
        app.work().await;
        assert_eq!(app.letters().len(), 1);
        let mut gus = Browser::of(&app, "gus").await;
        let bar = "We sent a mail to <strong>gus@gus.example</strong>";
        for path in ["/", "/settings", "/games"] {
            assert!(gus.get(path).await.text.contains(bar), "{path}");
        }
        gus.submit("/settings/confirm-again", &[]).await;
        app.work().await;
        let again = app.letters();
        assert!(again.len() == 1 && again[0].text.contains("/confirm/"), "{again:?}");
        // The share of an address is small, and the page says so.
        gus.submit("/settings/confirm-again", &[]).await;
        let refused = gus.post("/settings/confirm-again", &[]).await;
        assert_eq!(refused.status, 429, "{}", refused.text);
        assert!(refused.text.contains("The last mail to gus@gus.example was sent"), "{}", refused.text);
        // An address that has had its share holds no other one up.
        app.post("add gus gus-secret gus@other.example", "").await;
        app.work().await;
        app.letters();
        gus.submit("/settings/confirm-again", &[]).await;
        app.work().await;
        app.confirm().await;
        assert!(!gus.get("/").await.text.contains("We sent a mail"));
    }

    pub(super) async fn saved_settings_say_so(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        let mut ann = Browser::of(&app, "ann").await;
        let page = ann.submit("/settings", &[("act", "preferences"), ("timezone", "Europe/Vienna")]).await;
        assert!(page.text.contains("Saved."), "{}", page.text);
        assert!(page.text.contains(" CE"), "times are those of the user's zone: {}", page.text);
    }

    pub(super) async fn guessed_addresses_lead_somewhere(place: Place) {
        let app = TestApp::with_players(place, &[]).await;
        let mut visitor = Browser::new(&app);
        for (path, next) in [("/boards", "/#boards"), ("/help", "/help/tutorial")] {
            let page = visitor.get(path).await;
            assert_eq!((page.status.as_u16(), page.header("location")), (303, next), "{path}");
        }
        for path in ["/games", "/users", "/standings", "/favicon.ico", "/robots.txt", "/manifest.webmanifest"]
        {
            assert_eq!(visitor.get(path).await.status, 200, "{path}");
        }
        assert!(visitor.get("/robots.txt").await.text.contains("Disallow: /try/"));
        assert!(visitor.get("/nothing/here").await.text.contains("/games/osbox"));
    }

    pub(super) async fn games_are_found_by_kind_and_word_and_favourites_come_first(place: Place) {
        let app = TestApp::with_all_games(place, &["ann"]).await;
        let mut visitor = Browser::new(&app);
        let listed = |page: &str| -> Vec<String> {
            let games = page.split("<li id=\"").skip(1);
            games.map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
        };
        let metas = app.app.games.registry.iter().map(knotpost_rules::AnyGame::meta);
        let connection: Vec<&str> = metas
            .filter(|meta| meta.kind == knotpost_rules::GameKind::Connection)
            .map(|meta| meta.name)
            .collect();
        assert!(connection.starts_with(&["hex", "y", "havannah"]), "{connection:?}");
        for (address, expected) in [
            ("/games?kind=connection", &connection[..]),
            ("/games?q=REVERSI", &["othello"]),
            ("/games?q=freeling+1981", &["havannah"]),
            ("/games?q=four+row", &["connect4"]),
            ("/games?kind=line&q=hex", &[]),
            ("/games?q=%3Cscript%3E", &[]),
        ] {
            let page = visitor.get(address).await;
            assert_eq!(listed(&page.text), expected, "{address}");
            assert!(!page.text.contains("<script>"), "{address}");
        }
        let all = app.app.games.registry.iter().count();
        assert_eq!(listed(&visitor.get("/games").await.text).len(), all);
        let moved = visitor.get("/games/Reversi").await;
        assert_eq!(moved.header("location"), "/games/othello");
        let refused = visitor.post("/games/hex", &[("favourite", "on")]).await;
        assert_ne!(refused.status, 200, "a visitor has no favourites");

        let mut ann = Browser::of(&app, "ann").await;
        app.work().await;
        app.letters();
        let page = ann.submit("/games/y", &[("favourite", "on")]).await;
        assert_eq!(page.text.matches('★').count(), 1, "{}", page.text);
        app.work().await;
        assert!(app.letters().is_empty(), "a star is no mail");
        app.post("havannah set ann ann-secret favourite=on", "").await;
        assert_eq!(ann.get("/games").await.text.matches('★').count(), 2);
        let buttons = |page: &str| -> Vec<String> {
            let games = page
                .split("Your games</h2>")
                .nth(1)
                .unwrap()
                .split("All games")
                .next()
                .unwrap()
                .split("/try/");
            games.skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
        };
        assert_eq!(buttons(&ann.get("/").await.text), ["havannah", "y"]);
        ann.submit("/games/y", &[("favourite", "off")]).await;
        assert_eq!(buttons(&ann.get("/").await.text), ["havannah"]);
    }

    pub(super) async fn the_start_page_has_few_buttons(place: Place) {
        let app = TestApp::with_all_games(place, &["ann", "bob"]).await;
        for game in app.app.games.registry.iter().map(|game| game.meta().name) {
            app.post(&format!("{game} challenge ann bob"), "").await;
            app.post(&format!("{game} set ann ann-secret favourite=on"), "").await;
        }
        let of_visitors = Browser::new(&app).get("/").await.text;
        assert_eq!(of_visitors.matches("class=\"button begin\"").count(), 1, "one button to begin with");
        for game in ["osbox", "hex", "connect4"] {
            let address = format!("/try/{game}");
            assert!(
                links(&of_visitors, &address).iter().any(|link| link.starts_with(&address)),
                "one click to {game}"
            );
        }
        let of_ann = Browser::of(&app, "ann").await.get("/").await.text;
        for page in [of_visitors, of_ann] {
            let (_, games) = page.split_once("id=\"games\"").expect("the games");
            let games = games.split("id=\"kinds\"").next().unwrap_or_default();
            let buttons = games.matches("class=\"button").count() + games.matches("<button").count();
            assert!(buttons <= 12, "{buttons} buttons");
            assert!(page.len() < 60_000, "{} bytes", page.len());
            assert!(
                page.contains("Four in a Row") && !page.contains(">Connect4"),
                "titles are those of the game"
            );
        }
    }

    pub(super) async fn the_days_for_each_move_are_chosen_on_the_page(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        let mut ann = Browser::of(&app, "ann").await;
        let form = ann.get("/challenge?game=osbox").await.text;
        for days in ["1", "3", "7", "21", "other"] {
            assert!(form.contains(&format!("name=\"days\" value=\"{days}\"")), "{days}: {form}");
        }
        let cases: [(Fields<'_>, &str, &str); 5] = [
            (&[], "after 7 days", "21 days"),
            (&[("days", "21")], "after 7 days", "21 days"),
            (&[("days", "14")], "after 7 days", "14 days"),
            (&[("days", "3")], "after 36 hours", "3 days"),
            (&[("days", "other"), ("own_days", "10")], "after 7 days", "10 days"),
        ];
        for (days, reminder, forfeit) in cases {
            let common = [("act", "challenge"), ("game", "osbox"), ("player2", "bob")];
            let page = ann.submit("/challenge", &[&common, days].concat()).await.text;
            let wanted = format!("A reminder comes {reminder}; whoever takes more than {forfeit} for a move");
            assert!(page.contains(&wanted), "{days:?}: {page}");
        }
        let common = [("act", "challenge"), ("game", "osbox"), ("player2", "bob"), ("days", "other")];
        for wrong in ["", "0", "4000", "soon"] {
            let page = ann.post("/challenge", &[common.as_slice(), &[("own_days", wrong)]].concat()).await;
            let is_usual = wrong.is_empty();
            assert_eq!(page.status, if is_usual { 303 } else { 422 }, "{wrong}: {}", page.text);
        }
        ann.submit("/challenge", &[("act", "seek"), ("game", "osbo"), ("days", "3")]).await;
        let seeks = Browser::new(&app).get("/").await.text;
        assert!(seeks.contains("3 days"), "{seeks}");
    }

    pub(super) async fn who_signs_up_on_the_page_is_mailed_as_they_chose(place: Place) {
        let app = TestApp::with_players(place, &["bob"]).await;
        let form = Browser::new(&app).get("/signup").await.text;
        assert!(form.contains("value=\"mine\" checked"), "{form}");
        app.enlist_bots().await;
        // Mails: of a game with the computer, of one's own move, of bob's.
        let cases = [
            ("nina", "", [false, false, true]),
            ("otto", "mine", [false, false, true]),
            ("pia", "all", [true; 3]),
        ];
        for (number, (userid, moves, wanted)) in (102..).step_by(2).zip(cases) {
            let (password, address) = (format!("{userid}-secret"), format!("{userid}@{userid}.example"));
            let fields =
                [("userid", userid), ("password", &password), ("address", &address), ("moves", moves)];
            assert_eq!(Browser::new(&app).post("/signup", &fields).await.status, 303);
            app.work().await;
            app.confirm().await;
            app.work().await;
            app.letters();
            let mails = async || {
                app.work().await;
                app.letters().iter().any(|letter| letter.to == address)
            };
            let say = async |line: String| {
                let page = app.post(&line, "").await;
                assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
            };
            let mut found = Vec::new();
            say(format!("osbox challenge -size=3 {userid} knotbot-1")).await;
            say(format!("osbox move {} {userid} {password} f1", number - 1)).await;
            found.push(mails().await);
            say(format!("osbox challenge -size=3 {userid} bob")).await;
            app.work().await;
            app.letters();
            say(format!("osbox move {number} {userid} {password} f1")).await;
            found.push(mails().await);
            say(format!("osbox move {number} bob bob-secret a9")).await;
            found.push(mails().await);
            assert_eq!(found, wanted, "{userid}");
        }
    }

    pub(super) async fn what_is_wrong_with_a_new_account_is_said_at_its_field(place: Place) {
        let app = TestApp::with_players(place, &["ann"]).await;
        let good = ["nina", "nina-secret", "nina@nina.example"];
        for (place, name, wrong) in [
            (0, "userid", "ann"),
            (0, "userid", "n!"),
            (1, "password", "a:bcdefg"),
            (2, "address", "nowhere"),
        ] {
            let mut given = good;
            given[place] = wrong;
            let [userid, password, address] = given;
            let fields = [("userid", userid), ("password", password), ("address", address)];
            let page = Browser::new(&app).post("/signup", &fields).await;
            assert!(page.status.is_client_error(), "{wrong}: {}", page.status);
            let (before, field) =
                page.text.split_once(" aria-invalid=\"true\"").expect("a field that is marked");
            assert!(
                before.ends_with(" required")
                    && before.rsplit("<input").next().unwrap().contains(&format!("id=\"{name}\"")),
                "{wrong}: {before}"
            );
            assert!(field.contains("id=\"wrong\" role=\"alert\""), "{wrong}: {field}");
            assert_eq!(page.text.matches("role=\"alert\"").count(), 1, "{wrong}: {}", page.text);
        }
    }

    pub(super) async fn rules_show_boards_as_drawings(place: Place) {
        let app = TestApp::with_all_games(place, &[]).await;
        let mut drawn = 0;
        for game in app.app.games.offered() {
            let (name, figures) = (game.meta().name, game.help().figures);
            let page = app.get(&format!("/games/{name}")).await.text;
            let prose = page.split_once("<div class=\"prose\">").expect("rules").1;
            assert_eq!(prose.matches(" class=\"picture").count(), figures.len(), "{name}");
            drawn += figures.len();
        }
        assert!(drawn >= GAMES.len(), "{drawn}");
    }

    pub(super) async fn each_step_of_a_turn_says_what_it_asks_for(place: Place) {
        let app = TestApp::with_players(place, &[]).await;
        let prompts = [
            ("/try/boxilies", "Pick one of your stones"),
            ("/try/obsidio", "Pick a place on the board"),
            ("/try/obsidio?choose=e4", "pick the cell of the second token, in sight of the first"),
            ("/try/osbox", "Pick a die, or a place for it"),
        ];
        for (address, prompt) in prompts {
            let page = app.get(address).await.text;
            assert!(page.contains(prompt), "{address}: {page}");
        }
    }

    pub(super) async fn the_next_game_that_waits_is_one_key_away(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        for _ in 0..3 {
            app.post("osbox challenge -size=3 ann bob", "").await;
        }
        let mut ann = Browser::of(&app, "ann").await;
        let board = "/boards/osbox/101";
        assert!(!ann.get(board).await.text.contains("data-next"), "it is her turn here");
        let move_ = [("act", "move"), ("move", "f1"), ("number", "1")];
        let page = ann.submit(board, &move_).await.text;
        assert!(page.contains("Next game (2)") && page.contains("data-keys=\"yes\""), "{page}");
        let (_, next) = page.split_once("data-next").unwrap();
        assert!(next.starts_with(" aria-keyshortcuts=\"n\""), "{next}");
        assert!(page.contains("href=\"/boards/osbox/102\" data-next"), "{page}");
        for number in [102, 103] {
            app.post(&format!("osbox move {number} ann ann-secret f1"), "").await;
        }
        assert!(!ann.get(board).await.text.contains("data-next"), "none waits");
        app.post("set ann ann-secret keys=off", "").await;
        assert!(ann.get(board).await.text.contains("data-keys=\"no\""));
    }

    pub(super) async fn who_is_away_is_told(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge ann bob", "").await;
        app.post("vacation bob bob-secret 9999-01-01", "").await;
        app.post("vacation bob bob-secret 20", "").await;
        let mut ann = Browser::of(&app, "ann").await;
        let page = ann.get("/users/bob").await;
        assert!(page.text.contains("bob is away until"), "{}", page.text);
        let start = ann.get("/").await;
        assert!(start.text.contains("(bob away)"), "{}", start.text);
        assert!(start.text.contains("Your turn in 1 game"), "{}", start.text);
    }

    pub(super) async fn a_message_is_written_from_the_page_of_a_user(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        let mut ann = Browser::of(&app, "ann").await;
        let page = ann.submit("/users/bob", &[("comment", "Another game tonight?")]).await;
        assert!(page.text.contains("Your message was sent."), "{}", page.text);
        assert_eq!(ann.post("/users/nobody", &[("comment", "Hello")]).await.status, 404);
        let answer = Browser::new(&app).post("/users/bob", &[("comment", "Buy now")]).await;
        assert!(answer.header("location").starts_with("/login"), "only users write");
    }

    pub(super) async fn a_board_against_oneself_is_listed_for_its_player_alone(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge ann ann", "").await;
        let listed = "/boards/osbox/101\"";
        let mut bob = Browser::of(&app, "bob").await;
        for path in ["/", "/users/ann"] {
            assert!(!bob.get(path).await.text.contains(listed), "{path}");
        }
        let mut ann = Browser::of(&app, "ann").await;
        assert!(ann.get("/").await.text.contains("both sides are yours"));
        assert!(ann.get("/users/ann").await.text.contains(listed));
    }
}
