//! Tournaments by mail alone: from the announcement to the final table.

use super::tell;

tell! {
    a_round_robin_of_four_is_played_to_its_table_by_mail,
    a_swiss_tournament_of_six_is_played_to_its_table_by_mail,
    a_ladder_is_climbed_by_mail,
    a_league_goes_on_from_season_to_season_by_mail,
    news_wait_for_the_mail_of_the_day,
    lists_say_what_is_open_and_what_a_tournament_is_like,
    a_reply_to_a_mail_about_a_tournament_is_one_word,
    what_cannot_be_is_refused_with_what_would_work;
    undeployed:
    standings_of_a_game_end_with_its_running_tournaments;
    on_postgres: a_round_robin_of_four_is_played_to_its_table_by_mail,
    a_swiss_tournament_of_six_is_played_to_its_table_by_mail, a_ladder_is_climbed_by_mail,
    news_wait_for_the_mail_of_the_day,
}

mod stories {
    use knotpost_core::queries::view_board;
    use knotpost_model::BoardRef;

    use crate::harness::{HOUR, Letter, Place, TestApp, show_all};

    const PLAYERS: [&str; 4] = ["ann", "bob", "cyd", "dan"];

    /// A server where these have signed up, and ann has finished a board.
    async fn begin(place: Place, names: &[&str]) -> TestApp {
        let app = TestApp::with_players(place, names).await;
        app.stay_alive().await;
        app.post("osbox challenge ann bob", "").await;
        app.play_on("osbox", 101, 2).await;
        let page = app.post("osbox resign 101 ann ann-secret", "").await;
        assert_eq!(page.outcome(), "200 ok", "{}", page.text);
        app.tick().await;
        app.letters();
        app
    }

    async fn mail(app: &TestApp, name: &str, line: &str, body: &str) -> Vec<Letter> {
        app.mail(&format!("{name}@{name}.example"), line, body).await;
        app.stay_alive().await;
        app.tick().await;
        let letters = app.letters();
        for letter in &letters {
            for line in letter.text.lines() {
                assert!(line.chars().count() <= 72 || line.contains("http"), "{}: {line}", letter.subject);
            }
        }
        letters
    }

    async fn only(app: &TestApp, name: &str, line: &str, body: &str) -> Letter {
        let mut letters = mail(app, name, line, body).await;
        assert_eq!(letters.len(), 1, "{line}: {}", show_all(&letters));
        letters.remove(0)
    }

    /// Whoever comes later in the alphabet gives up, on their turn.
    async fn play_board(app: &TestApp, number: u32) -> Vec<Letter> {
        let name = BoardRef { game: "osbox".to_owned(), number };
        let board = view_board(&app.app, &name, None).await.expect("a board").board;
        let seats = [board.userid_at(1).to_owned(), board.userid_at(2).to_owned()];
        let loser = seats.iter().max().expect("two players");
        app.play_on("osbox", number, if *loser == seats[0] { 2 } else { 3 }).await;
        app.letters();
        mail(app, loser, &format!("osbox resign {number} {loser} {loser}-secret"), "").await
    }

    pub(super) async fn a_round_robin_of_four_is_played_to_its_table_by_mail(place: Place) {
        let app = begin(place, &PLAYERS).await;
        let line = "announce ann ann-secret osbox roundrobin -players=4-4 -roundtime=60";
        let told = only(&app, "ann", line, "Winter cup\n\nFor everybody who likes short games.").await;
        insta::assert_snapshot!("announced", told);
        for name in ["ann", "bob", "cyd"] {
            only(&app, name, &format!("enter {name} {name}-secret t1"), "").await;
        }
        app.clock.advance(HOUR);
        let told = mail(&app, "dan", "enter dan dan-secret t1", "").await;
        insta::assert_snapshot!("started", show_all(&told));
        let standings = only(&app, "eve", "osbox standings", "").await;
        let pools: Vec<Vec<&str>> = standings
            .text
            .lines()
            .skip_while(|line| !line.starts_with("Pool"))
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert_eq!(
            pools.first().map(Vec::as_slice),
            Some(&["Pool", "Name", "W", "L", "T"][..]),
            "{standings}"
        );
        assert!(pools.contains(&vec!["t1", "a", "dan", "0", "0", "0"]), "{standings}");
        let mut last = Vec::new();
        for number in 102..=107 {
            last = play_board(&app, number).await;
        }
        let over = |letter: &&Letter| letter.subject == "Tournament t1 Winter cup is over";
        assert_eq!(last.iter().filter(over).count(), 4, "{}", show_all(&last));
        let won =
            last.iter().filter(over).find(|letter| letter.to.starts_with("ann@")).expect("a mail to ann");
        insta::assert_snapshot!("over", won);
        insta::assert_snapshot!("final_table", only(&app, "eve", "tournament t1", "").await);
        // Nothing more is mailed.
        app.pass(72 * HOUR).await;
        assert!(app.letters().is_empty());
    }

    pub(super) async fn a_swiss_tournament_of_six_is_played_to_its_table_by_mail(place: Place) {
        let names = ["ann", "bob", "cyd", "dan", "eve", "fay"];
        let app = begin(place, &names).await;
        let line = "announce ann ann-secret osbox swiss -players=6-6 -roundtime=20";
        let told = only(&app, "ann", line, "Spring open").await;
        insta::assert_snapshot!("announced_swiss", told);
        let mut told = Vec::new();
        for name in names {
            app.clock.advance(HOUR);
            told = mail(&app, name, &format!("enter {name} {name}-secret t1"), "").await;
        }
        insta::assert_snapshot!("started_swiss", show_all(&told));
        let empty = only(&app, "zoe", "tournament t1", "").await;
        assert!(!empty.text.contains(" -0 "), "{empty}");
        let mut last = Vec::new();
        for number in 102..=113 {
            if number == 108 {
                // Three rounds are to come, and the loser of both games so far leaves.
                let out = mail(&app, "fay", "withdraw fay fay-secret t1", "").await;
                assert!(
                    out.iter().any(|letter| letter.text.contains("You are out of t1.")),
                    "{}",
                    show_all(&out)
                );
                insta::assert_snapshot!(
                    "swiss_of_three_rounds",
                    only(&app, "eve", "tournament t1", "").await
                );
            }
            let board = app.get(&format!("/api/v1/boards/osbox/{number}")).await.json();
            if board["state"] == "active" {
                last = play_board(&app, number).await;
            }
        }
        let over = |letter: &&Letter| letter.subject == "Tournament t1 Spring open is over";
        assert_eq!(last.iter().filter(over).count(), 5, "{}", show_all(&last));
        let won = last.iter().filter(over).find(|letter| letter.to.starts_with("ann@"));
        insta::assert_snapshot!("over_swiss", won.expect("a mail to ann"));
        insta::assert_snapshot!("final_swiss_table", only(&app, "eve", "tournament t1", "").await);
        app.pass(72 * HOUR).await;
        assert!(app.letters().is_empty());
    }

    pub(super) async fn a_ladder_is_climbed_by_mail(place: Place) {
        let app = begin(place, &PLAYERS).await;
        let line = "announce ann ann-secret osbox ladder -size=4 -window=2";
        let told = only(&app, "ann", line, "Long ladder\n\nFor everybody, at any time.").await;
        insta::assert_snapshot!("ladder_announced", told);
        for name in ["ann", "bob", "cyd"] {
            only(&app, name, &format!("enter {name} {name}-secret t1"), "").await;
        }
        let told = only(&app, "dan", "enter dan dan-secret t1", "").await;
        assert!(told.text.contains("You have entered t1."), "{told}");
        app.clock.advance(HOUR);
        let told = mail(&app, "dan", "ladder challenge dan dan-secret t1", "").await;
        insta::assert_snapshot!("ladder_challenged", show_all(&told));
        let told = only(&app, "dan", "ladder challenge dan dan-secret t1 ann", "").await;
        insta::assert_snapshot!("ladder_refused", told);
        app.play_on("osbox", 102, 2).await;
        app.letters();
        let told = mail(&app, "bob", "osbox resign 102 bob bob-secret", "").await;
        assert!(
            told.iter().all(|letter| letter.text.contains("Tournament t1 Long ladder, a ladder")),
            "{told:?}"
        );
        insta::assert_snapshot!("ladder_after_a_game", only(&app, "eve", "tournament t1", "").await);
        let told = only(&app, "bob", "ladder challenge bob bob-secret t1 dan", "").await;
        assert!(told.text.replace('\n', " ").contains("ended less than 14 days ago"), "{told}");
        let told = mail(&app, "cyd", "withdraw cyd cyd-secret t1", "").await;
        assert!(told.iter().any(|letter| letter.text.contains("You are out of t1.")), "{}", show_all(&told));
        assert!(told.iter().any(|letter| letter.subject.ends_with("cyd is out")), "{}", show_all(&told));
        let list = only(&app, "eve", "tournaments osbox active", "").await;
        assert!(list.text.contains("ladder") && list.text.contains("Long ladder"), "{list}");
        let help = only(&app, "eve", "help ladder", "").await;
        assert!(help.text.contains("ladder challenge USERID PASSWORD t1"), "{help}");
    }

    pub(super) async fn a_league_goes_on_from_season_to_season_by_mail(place: Place) {
        let names = ["ann", "bob", "cyd", "dan", "eve", "fay", "gus", "hal"];
        let app = begin(place, &names).await;
        let line =
            "announce ann ann-secret osbox league -players=8-16 -group=4 -move=1 -roundtime=30 -pause=2";
        let told = only(&app, "ann", line, "City league\n\nFor everybody in town.").await;
        insta::assert_snapshot!("league_announced", told);
        for name in names {
            app.clock.advance(HOUR);
            only(&app, name, &format!("enter {name} {name}-secret t1"), "").await;
        }
        let begun = mail(&app, "ann", "direct ann ann-secret t1 start", "").await;
        let of = |letters: &[Letter], name: &str, end: &str| {
            let found = letters.iter().find(|one| one.to.starts_with(name) && one.subject.ends_with(end));
            found.cloned().unwrap_or_else(|| panic!("{name} {end}: {}", show_all(letters)))
        };
        insta::assert_snapshot!("league_season_begun", of(&begun, "hal", "season 1 has begun"));
        let mut last = Vec::new();
        for number in 102..=113 {
            if number == 108 {
                insta::assert_snapshot!("league_table", only(&app, "zoe", "tournament t1", "").await);
            }
            last = play_board(&app, number).await;
        }
        insta::assert_snapshot!("league_season_over", of(&last, "dan", "season 1 is over"));
        insta::assert_snapshot!("league_between_seasons", only(&app, "zoe", "tournament t1", "").await);
        // Whoever enters in the pause plays in the last division.
        app.sign_up("ivy").await;
        app.tick().await;
        app.letters();
        let told = only(&app, "ivy", "enter ivy ivy-secret t1", "").await;
        assert!(told.text.contains("You have entered t1."), "{told}");
        app.pass(48 * HOUR).await;
        let begun = app.letters();
        insta::assert_snapshot!("league_second_season_begun", of(&begun, "dan", "season 2 has begun"));
        insta::assert_snapshot!("league_second_season", only(&app, "zoe", "tournament t1", "").await);
        let first = only(&app, "zoe", "tournament t1 1", "").await;
        assert!(first.text.contains("Division a, season 1"), "{first}");
        let told = mail(&app, "hal", "withdraw hal hal-secret t1", "").await;
        assert!(told.iter().any(|letter| letter.text.contains("You are out of t1.")), "{}", show_all(&told));
    }

    pub(super) async fn standings_of_a_game_end_with_its_running_tournaments(place: Place) {
        let names = ["ann", "bob", "cyd", "dan", "eve", "fay", "gus", "hal"];
        let app = begin(place, &names).await;
        let announce = async |terms: &str, title: &str| {
            only(&app, "ann", &format!("announce ann ann-secret osbox {terms}"), title).await;
        };
        let enter = async |names: &[&str], tournament: &str| {
            for name in names {
                mail(&app, name, &format!("enter {name} {name}-secret {tournament}"), "").await;
            }
        };
        let standings = async || {
            let told = only(&app, "zoe", "osbox standings", "").await;
            let pools = told.text.lines().skip_while(|line| !line.starts_with("Pool"));
            pools.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
        };
        announce("roundrobin -players=4-4", "Cup").await;
        enter(&names[..3], "t1").await;
        assert_eq!(standings().await, [""; 0], "it has not begun");
        enter(&names[3..4], "t1").await;
        play_board(&app, 102).await;
        let first = standings().await;
        assert_eq!(first[0], "Pool Name W L T");
        let players: Vec<&str> = first.iter().filter_map(|line| line.strip_prefix("t1 a ")).collect();
        assert_eq!(players, ["ann 1 0 0", "bob 0 1 0", "cyd 0 0 0", "dan 0 0 0"], "{first:?}");
        // The newest first, 20 players at most.
        announce("ladder", "Ladder").await;
        enter(&names, "t2").await;
        let second = standings().await;
        let is_player = |line: &&String| line.starts_with("t1 a ") || line.starts_with("t2 a ");
        let players: Vec<&String> = second.iter().filter(is_player).collect();
        assert_eq!((players.len(), players[0].as_str()), (12, "t2 a ann 0 0 0"), "{second:?}");
        for index in 0..10 {
            app.sign_up(&format!("zed{index}")).await;
            app.tick().await;
            app.letters();
            enter(&[&format!("zed{index}")], "t2").await;
        }
        let third = standings().await;
        assert_eq!(third.iter().filter(is_player).count(), 20, "{third:?}");
        assert!(third.iter().any(|line| line.contains("tournament t1")), "{third:?}");
    }

    pub(super) async fn news_wait_for_the_mail_of_the_day(place: Place) {
        let app = begin(place, &["ann", "bob", "cyd"]).await;
        for name in ["ann", "bob"] {
            app.post(&format!("osbox set {name} {name}-secret moves=digest"), "").await;
        }
        app.tick().await;
        app.letters();
        let heads = |letters: &[Letter]| -> Vec<String> {
            let of_tournaments = letters.iter().filter(|letter| !letter.subject.contains("Board"));
            of_tournaments.map(|letter| format!("{} {}", &letter.to[..3], letter.subject)).collect()
        };
        only(&app, "ann", "announce ann ann-secret osbox roundrobin -players=3-3 -roundtime=1", "Cup").await;
        for name in ["ann", "bob"] {
            only(&app, name, &format!("enter {name} {name}-secret t1"), "").await;
        }
        app.clock.advance(HOUR);
        let begun = mail(&app, "cyd", "enter cyd cyd-secret t1", "").await;
        let begun = heads(&begun);
        for name in ["ann", "bob", "cyd"] {
            assert!(begun.contains(&format!("{name} Tournament t1 Cup: round 1 has begun")), "{begun:?}");
        }
        let told = mail(&app, "ann", "direct ann ann-secret t1 say", "Good games.").await;
        assert_eq!(
            heads(&told)[1..],
            ["cyd Tournament t1 Cup: words of the director"],
            "{}",
            show_all(&told)
        );
        // The mail of the day comes at 7, and has the first reminder too.
        for _ in 0..20 {
            app.pass(HOUR).await;
        }
        let letters = app.letters();
        let is_digest = |letter: &&Letter| letter.subject.contains("today") && letter.to.starts_with("bob");
        let digest = letters.iter().find(is_digest).expect("a mail of the day");
        assert!(digest.subject.ends_with(", news of tournaments"), "{digest}");
        insta::assert_snapshot!("digest_with_news", digest);
        // The next one would come after the deadline, so that the second reminder does not wait for it.
        app.pass(3 * HOUR).await;
        let reminded = heads(&app.letters());
        for name in ["ann", "bob", "cyd"] {
            assert!(
                reminded.contains(&format!("{name} Tournament t1 Cup: the deadline is near")),
                "{reminded:?}"
            );
        }
        app.pass(24 * HOUR).await;
        let over = app.letters();
        let of_bob: Vec<&Letter> = over.iter().filter(|letter| letter.to.starts_with("bob")).collect();
        assert_eq!(of_bob.len(), 1, "{}", show_all(&over));
        insta::assert_snapshot!("digest_with_final_table", of_bob[0]);
        assert!(heads(&over).contains(&"cyd Tournament t1 Cup is over".to_owned()), "{}", show_all(&over));
    }

    pub(super) async fn lists_say_what_is_open_and_what_a_tournament_is_like(place: Place) {
        let app = begin(place, &["ann", "bob"]).await;
        let line = "announce ann ann-secret osbox roundrobin -size=5 -players=4-40 -group=8 -start=2027-01-31 -fill=2 \
                    -totaltime=20 -unrated";
        // The day must be to come, whatever day the clock of the test begins with.
        let day = app.app.clock.now().plus(30 * 24 * HOUR).to_rfc3339();
        let line = line.replace("2027-01-31", &day[..10]);
        let told = only(&app, "ann", &line, "A longer title of a tournament, which takes two lines").await;
        assert!(told.text.contains("the first 2 of each go on"), "{told}");
        assert!(told.text.contains("Computer players of level 2"), "{told}");
        only(&app, "bob", "enter bob bob-secret t1", "").await;
        let again = only(&app, "bob", "enter bob bob-secret t1", "").await;
        assert!(again.text.contains("You have entered t1.") && again.text.contains("1 of 40"), "{again}");
        let list = only(&app, "bob", "tournaments osbox open", "").await;
        assert!(list.text.contains("1/40") && list.text.contains(&day[..10]), "{list}");
        let none = only(&app, "bob", "tournaments over", "").await;
        assert!(none.text.contains("There is no such tournament."), "{none}");
        let out = only(&app, "bob", "withdraw bob bob-secret t1", "").await;
        assert!(out.text.contains("You are out of t1.") && out.text.contains("0 of 40"), "{out}");
        let help = only(&app, "eve", "help tournaments", "").await;
        assert!(
            help.text.contains("-players=4-8 (default 4-10, swiss 6-64, ladder 2-1000, league")
                && help.text.contains("direct USERID"),
            "{help}"
        );
    }

    pub(super) async fn a_reply_to_a_mail_about_a_tournament_is_one_word(place: Place) {
        let app = begin(place, &["ann", "bob", "cyd"]).await;
        only(&app, "ann", "announce ann ann-secret osbox roundrobin", "Winter cup").await;
        let entered = only(&app, "bob", "enter bob bob-secret t1", "").await;
        let answer = async |from: &str, letter: &Letter, words: &str| {
            app.clock.advance(HOUR);
            app.reply(from, letter, words).await;
            app.work().await;
            app.letters()
        };
        let out = answer("bob@bob.example", &entered, "Withdraw").await;
        assert!(out.iter().any(|letter| letter.text.contains("You are out of t1.")), "{}", show_all(&out));
        let again = answer("bob@bob.example", &out[0], "enter\n\nI am back.").await;
        assert!(
            again.iter().any(|letter| letter.text.contains("You have entered t1.")),
            "{}",
            show_all(&again)
        );
        let shown = answer("bob@bob.example", &again[0], "tournament").await;
        assert!(shown[0].text.contains("1 of 10 players"), "{}", show_all(&shown));
        let error = answer("bob@bob.example", &again[0], "Thank you!").await;
        let told = "`enter`, `withdraw` or `tournament`";
        assert!(error[0].text.replace('\n', " ").contains(told), "{}", show_all(&error));
        // Nobody else speaks for bob.
        answer("cyd@cyd.example", &again[0], "withdraw").await;
        assert_eq!(app.get("/api/v1/tournaments/t1").await.json()["entered"], 1);
    }

    pub(super) async fn what_cannot_be_is_refused_with_what_would_work(place: Place) {
        let app = begin(place, &["ann", "bob", "cyd"]).await;
        let announce = |rest: &str| format!("announce ann ann-secret osbox {rest}");
        assert_eq!(app.post(&announce("roundrobin -players=2-3"), "Cup").await.outcome(), "200 ok");
        for (line, outcome, named) in [
            (announce("swiss -window=3"), "422 bad_option", "ladder"),
            ("ladder challenge bob bob-secret t1".to_owned(), "409 conflict", "no ladder"),
            (announce("swiss -group=4"), "422 bad_option", "of the form roundrobin"),
            (announce("swiss -players=4-6 -rounds=6"), "422 bad_option", "`-rounds=5`"),
            (announce("knockout"), "422 bad_value", "`roundrobin`"),
            (announce("roundrobin -players=1-4"), "422 bad_option", "from 2 to 1000"),
            (announce("roundrobin -start=2001-01-01"), "422 bad_option", "366 days"),
            (announce("roundrobin -size=99"), "422 bad_option", "size"),
            (
                "announce cyd cyd-secret osbox roundrobin".to_owned(),
                "403 not_allowed",
                "first finished board",
            ),
            ("enter bob bob-secret t9".to_owned(), "404 no_such_tournament", "`tournaments`"),
            ("tournament t9".to_owned(), "404 no_such_tournament", "`tournaments`"),
            ("tournament t1 z".to_owned(), "422 bad_value", "group `z`"),
            ("tournament t1 3".to_owned(), "422 bad_value", "round"),
            ("direct bob bob-secret t1 start".to_owned(), "403 not_allowed", ""),
            ("direct ann ann-secret t1 start".to_owned(), "409 conflict", "2"),
            ("direct ann ann-secret t1 pause".to_owned(), "400 wrong_arguments", "`extend`"),
        ] {
            let page = app.post(&line, "").await;
            assert!(page.outcome().starts_with(outcome), "{line}: {} {}", page.outcome(), page.text);
            assert!(page.text.contains(named), "{line}: {}", page.text);
        }
        let title = "x".repeat(61);
        let page = app.post(&announce("roundrobin"), &title).await;
        assert_eq!(page.outcome(), "422 bad_value", "{}", page.text);
        assert!(page.text.contains("1 to 60 characters, not 61"), "{}", page.text);
    }
}
