//! Every game, played through commands to its end; and what the server does for some of them.

use super::tell;

tell! {
    each_game_is_played_to_its_end,
    a_swap_makes_the_players_change_sides,
    no_roll_is_seen_before_its_turn,
    a_first_roll_that_fits_nowhere_is_passed_by_the_server,
    the_last_player_of_osbo_may_play_on,
    a_game_that_is_switched_off_is_played_to_its_end_and_begun_no_more,
    a_player_who_is_called_like_a_game_goes_on,
}

mod stories {
    use knotpost_core::boards::{Replayed, Standing, replay_next};
    use knotpost_core::queries::{BoardView, view_board};
    use knotpost_model::BoardRef;
    use knotpost_rules::Position;
    use sha2::{Digest as _, Sha256};

    use crate::harness::{Letter, Place, TestApp};

    const PLAYERS: [&str; 4] = ["ann", "bob", "cleo", "dan"];

    /// A legal move, complete: the way into the middle of what there is.
    fn choose(position: &dyn Position, chance: usize) -> String {
        let mut begun = String::new();
        while let Some(steps) = position.steps(&begun).unwrap() {
            if steps.next.is_empty() {
                return begun;
            }
            begun.clone_from(&steps.next[chance % steps.next.len()]);
        }
        let legal = position.legal_moves();
        legal[chance % legal.len()].clone()
    }

    async fn view(app: &TestApp, game: &str, number: u32) -> BoardView {
        view_board(&app.app, &BoardRef { game: game.to_owned(), number }, None).await.unwrap()
    }

    fn mover(view: &BoardView) -> Option<&str> {
        match view.board.standing() {
            Standing::ToMove(seat) => Some(view.board.userid_at(i64::from(seat.number()))),
            Standing::Over(_) => None,
        }
    }

    /// Plays at most `most` moves; says whether the game is over then.
    async fn play(app: &TestApp, game: &str, number: u32, most: usize) -> bool {
        for turn in 0..most {
            let view = view(app, game, number).await;
            let Some(userid) = mover(&view) else { return true };
            let play = choose(&*view.board.position, turn * 7 + 3);
            let answer = app.post(&format!("{game} move {number} {userid} {userid}-secret {play}"), "").await;
            assert_eq!(answer.outcome(), "200 ok", "{play}: {}", answer.text);
        }
        mover(&view(app, game, number).await).is_none()
    }

    pub(super) async fn a_first_roll_that_fits_nowhere_is_passed_by_the_server(place: Place) {
        let app = TestApp::with_players(place, &PLAYERS[..2]).await;
        let mut passed = 0;
        for number in 101..116 {
            app.post("osbo challenge -size=3 ann bob", "").await;
            let view = view(&app, "osbo", number).await;
            assert!(view.board.position.forced().is_none(), "board {number} waits for a pass");
            let letters = app.letters();
            let Some(first) = view.board.entries.first() else { continue };
            passed += 1;
            assert!(first.row.auto, "{first:?}");
            for letter in letters {
                assert!(letter.text.contains("pass (Auto)"), "{}", letter.text);
                let to_move = mover(&view).unwrap();
                assert_eq!(letter.subject, format!("New Osbo Board {number} {to_move}"));
            }
        }
        assert!(passed > 0, "a first roll that fits nowhere");
    }

    fn line_below<'a>(letter: &'a Letter, head: &str) -> &'a str {
        let mut lines = letter.text.lines().skip_while(|line| !line.starts_with(head));
        lines.nth(1).unwrap_or_else(|| panic!("no `{head}` in {}", letter.text)).trim()
    }

    /// Whoever kept the first and the last mail can check the dice.
    fn check_promise(letters: &[Letter], game: &str, number: u32) {
        let new = letters.iter().find(|letter| letter.subject.starts_with("New ")).unwrap();
        let promised = line_below(new, "its digest is");
        let last = letters.last().unwrap();
        let what = if game == "boxilies" { "deal" } else { "dice" };
        let seed = line_below(last, &format!("The {what} of this board came from the seed"));
        let digest = Sha256::digest(format!("knotpost-dice-1 {game} {number} {seed}").as_bytes());
        let digest = knotpost_platform::secret::to_hex(&digest);
        assert_eq!((promised, line_below(last, "whose digest")), (digest.as_str(), digest.as_str()));
    }

    pub(super) async fn each_game_is_played_to_its_end(place: Place) {
        let app = TestApp::with_players(place, &PLAYERS).await;
        let boards = [
            ("osbox", "-size=2", 2, 101),
            ("osbox", "-size=3 -any_side", 3, 102),
            ("osbo", "-size=3", 2, 101),
            ("osbo", "-size=3 -auto_tips", 3, 102),
            ("osbo", "-size=3", 4, 103),
            ("obsidio", "-size=5", 2, 101),
            ("boxilies", "", 2, 101),
            ("boxilies", "-deal=open", 2, 102),
        ];
        for (game, options, players, number) in boards {
            app.letters();
            let line = format!("{game} challenge {options} {}", PLAYERS[..players].join(" "));
            assert_eq!(app.post(&line, "").await.outcome(), "200 ok", "{line}");
            // Mails that wait while the board moves on would give way.
            app.work().await;
            assert!(play(&app, game, number, 400).await, "{line} comes to an end");
            app.work().await;
            let letters = app.letters();
            let title = view(&app, game, number).await.board.title();
            let last = letters.iter().filter(|letter| letter.subject == format!("{title} Board {number}"));
            let mut told: Vec<_> = last.map(|letter| letter.to.clone()).collect();
            told.sort();
            let expected: Vec<_> =
                PLAYERS[..players].iter().map(|name| format!("{name}@{name}.example")).collect();
            assert_eq!(told, expected, "{line}: everybody reads how it ended");
            if game == "osbo" || game == "boxilies" {
                let anns: Vec<Letter> =
                    letters.into_iter().filter(|letter| letter.to.starts_with("ann")).collect();
                check_promise(&anns, game, number);
            }
        }
    }

    /// The account was there before the game.
    pub(super) async fn a_player_who_is_called_like_a_game_goes_on(place: Place) {
        let before = TestApp::with_players(place, &["ann", "hex", "havannah", "reversi"]).await;
        let app = before.start_again_with_all_games().await;
        for name in ["hex", "havannah", "reversi"] {
            let refused = app.post(&format!("signup {name} {name}-secret {name}@{name}.example"), "").await;
            assert_ne!(refused.outcome(), "200 ok", "{name} is a game now");
        }
        for line in [
            "osbox challenge -size=3 hex havannah",
            "osbox move 101 hex hex-secret f1",
            "osbox show 101",
            "osbox games hex",
            "all games hex havannah",
            "osbox limit havannah havannah-secret 5",
            "set hex hex-secret nags=off",
            "hex set hex hex-secret favourite=on",
            "hex challenge -size=5 havannah hex",
            "hex move 101 havannah havannah-secret c3",
            "reversi challenge reversi ann",
            "othello move 101 reversi reversi-secret d3",
            "hex show 101",
            "hex games hex",
            "hex history hex",
        ] {
            let answer = app.post(line, "").await;
            assert_eq!(answer.outcome(), "200 ok", "{line}: {}", answer.text);
        }
        let said = app.post("message hex hex-secret havannah", "Hello").await;
        assert_eq!(said.outcome(), "200 ok", "{}", said.text);
        app.work().await;
        let letters = app.letters();
        let boards: Vec<&Letter> =
            letters.iter().filter(|letter| letter.subject == "Hex Board 101 hex").collect();
        assert!(boards.iter().any(|letter| letter.to == "hex@hex.example"), "{letters:?}");
        assert_eq!(app.get("/users/hex").await.status, 200);
    }

    pub(super) async fn a_game_that_is_switched_off_is_played_to_its_end_and_begun_no_more(place: Place) {
        let before = TestApp::with_players(place, &PLAYERS[..2]).await;
        before.post("obsidio challenge -size=5 ann bob", "").await;
        before.post("obsidio seek ann ann-secret 1 -size=5", "").await;
        before.work().await;
        let config = before.app.config.clone();
        let app = TestApp::start_drawing(1 << 40, Place::Sqlite, |changed| {
            *changed = config;
            changed.games.disabled = vec!["Obsidio".to_owned()];
        })
        .await;
        app.clock.advance(before.app.clock.now().0 - app.app.clock.now().0);

        let begin =
            ["obsidio challenge -size=5 ann bob", "obsidio seek bob bob-secret 1 -size=5", "puzzle obsidio"];
        for line in begin {
            let answer = app.post(line, "").await;
            assert_eq!(answer.outcome(), "404 unknown_game", "{line}");
            assert!(answer.text.contains("those that have begun are played to their end"), "{}", answer.text);
        }
        assert_eq!(app.post("obsidio seek ann ann-secret 0", "").await.outcome(), "200 ok");
        app.work().await;
        app.letters();
        let offered = app.get("/api/v1/games").await.text;
        assert!(offered.contains("\"osbox\"") && !offered.contains("\"obsidio\""), "{offered}");
        let page = app.get("/games/obsidio").await;
        assert!(page.status == 200 && page.text.contains("those that have begun are played to their end"));
        assert!(!page.text.contains("/challenge?game=obsidio") && !page.text.contains("/try/obsidio"));

        let first = mover(&view(&app, "obsidio", 101).await).unwrap().to_owned();
        let address = format!("{first}@{first}.example");
        app.mail(&address, &format!("obsidio move 101 {first} {first}-secret c3"), "").await;
        app.work().await;
        let told = app.letters();
        assert_eq!(told.len(), 2, "{told:?}");
        assert_eq!(app.get("/api/v1/boards/obsidio/101").await.json()["to_move"][0], "bob");
        assert!(play(&app, "obsidio", 101, 400).await, "it comes to an end");
        assert_eq!(app.post("obsidio rematch 101 ann ann-secret", "").await.outcome(), "404 unknown_game");
    }

    pub(super) async fn a_swap_makes_the_players_change_sides(place: Place) {
        let app = TestApp::with_players(place, &PLAYERS).await;
        let begun =
            ["obsidio challenge -size=5 ann bob", "boxilies challenge -swap -hand=1a,2b,3b,4j,5n ann bob"];
        for (challenge, first) in begun.into_iter().zip(["c3", "3b:b2"]) {
            let game = challenge.split(' ').next().unwrap();
            app.post(challenge, "").await;
            let swap = |who: &str| format!("{game} swap 101 {who} {who}-secret");
            assert_eq!(app.post(&swap("ann"), "").await.outcome(), "409 swap_too_late");
            app.post(&format!("{game} move 101 ann ann-secret {first}"), "").await;
            app.work().await;
            let told = app.letters();
            let asks = |letter: &Letter| letter.text.contains(" may type `swap` instead of a first move.");
            assert!(told.iter().any(asks), "{told:?}");
            let words = app.get(&format!("/api/v1/boards/{game}/101/legal")).await.json();
            assert!(words.to_string().contains("\"swap\""), "{words}");
            assert_eq!(app.post(&swap("bob"), "").await.outcome(), "200 ok");
            app.work().await;
            let letters = app.letters();
            assert_eq!(letters.len(), 2);
            let says = |letter: &Letter| letter.text.contains("bob swapped: the players have changed sides.");
            assert!(letters.iter().all(says));
            let board = app.get(&format!("/api/v1/boards/{game}/101")).await.json();
            assert_eq!(board["to_move"][0], "ann");
            assert_eq!(
                (&board["players"][0]["userid"], &board["players"][1]["userid"]),
                (&"bob".into(), &"ann".into())
            );
            let moved: Vec<_> =
                board["moves"].as_array().unwrap().iter().map(|entry| entry["userid"].clone()).collect();
            assert_eq!(moved, ["ann", "bob"], "who moved stays who moved");
            let before = app.get(&format!("/api/v1/boards/{game}/101?ply=1")).await.json();
            assert_eq!(
                before["players"][0]["userid"], "ann",
                "before the swap they sat as they were challenged"
            );
            assert_eq!(app.post(&swap("ann"), "").await.outcome(), "409 swap_too_late");
            assert!(play(&app, game, 101, 200).await);
        }
        // Without its option Boxilies has no swap.
        app.post("boxilies challenge ann bob", "").await;
        play(&app, "boxilies", 102, 1).await;
        let page = app.post("boxilies swap 102 bob bob-secret", "").await;
        assert!(page.text.contains("there is no swap on this board"), "{}", page.text);
    }

    pub(super) async fn no_roll_is_seen_before_its_turn(place: Place) {
        let app = TestApp::with_players(place, &PLAYERS).await;
        app.post("osbo challenge ann bob", "").await;
        let now = view(&app, "osbo", 101).await;
        let play = choose(&*now.board.position, 0);
        let once = app.post(&format!("osbo preview 101 {play}"), "").await;
        assert_eq!(once.outcome(), "200 ok");
        let twice = app.post(&format!("osbo preview 101 {play} {play}"), "").await;
        assert_eq!(twice.outcome(), "422 illegal_move");
        assert!(twice.text.contains("not rolled yet"), "{}", twice.text);
        let board = app.get("/api/v1/boards/osbo/101").await.json();
        assert!(board["seed"].is_null() && board["seed_commitment"].as_str().unwrap().len() == 64);
        let legal = app.get("/api/v1/boards/osbo/101/legal").await.json();
        assert!(legal["dice"].as_u64().unwrap() >= 1 && legal["designs"].as_u64().unwrap() >= 1, "{legal}");
    }

    pub(super) async fn the_last_player_of_osbo_may_play_on(place: Place) {
        let app = TestApp::with_players(place, &PLAYERS).await;
        app.post("osbo challenge ann bob cleo", "").await;
        assert!(!play(&app, "osbo", 101, 3).await);
        for _ in 0..2 {
            let now = view(&app, "osbo", 101).await;
            let userid = mover(&now).unwrap().to_owned();
            assert_eq!(
                app.post(&format!("osbo resign 101 {userid} {userid}-secret"), "").await.outcome(),
                "200 ok"
            );
        }
        let board = app.get("/api/v1/boards/osbo/101").await.json();
        assert_eq!((&board["state"], &board["to_move"][0]), (&"active".into(), &"cleo".into()));
        assert_eq!(app.post("osbo resign 101 cleo cleo-secret", "").await.outcome(), "200 ok");
        let board = app.get("/api/v1/boards/osbo/101").await.json();
        assert_eq!(board["state"], "over");
        assert_eq!(board["result"]["reason"], "score");
        assert!(board["position"].as_str().unwrap().contains(" - "), "nothing is rolled any more: {board}");
        let mut replayed = Replayed::default();
        assert!(replay_next(&app.app.store, &app.app.games, &mut replayed).await.unwrap());
        assert_eq!(replayed.differences, []);
    }
}
