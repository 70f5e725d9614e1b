//! Games as records: written out, read by the rules alone, taken in elsewhere, never twice.

use super::tell;

tell! {
    a_record_is_mailed_and_served,
    what_is_exported_is_imported_and_exported_the_same,
    made_up_games_survive_import_and_export,
    who_left_is_placed_alike_by_server_and_play,
    who_leaves_the_server_out_of_turn_says_so_in_the_record,
    a_game_that_ends_by_forfeit_says_so_everywhere,
    a_game_is_taken_in_once,
    hostile_files_are_refused_whole,
    a_record_too_long_for_a_mail_is_linked_to,
    dead_stones_are_agreed_upon_in_three_mails_and_go_travels_as_sgf,
    chess_is_typed_as_in_books_and_travels_as_pgn;
    on_postgres: who_leaves_the_server_out_of_turn_says_so_in_the_record,
}

mod stories {
    use std::fmt::Write as _;

    use knotpost_core::boards::commitment;
    use knotpost_core::records::{Import, Imported, Strangers, export_record, import};
    use knotpost_model::BoardRef;
    use knotpost_rules::{GivenOption, Position, Record, Seed, Status, Turn, record::RecordMove};
    use proptest::prelude::*;
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;

    use crate::harness::{DAY, Place, TestApp};

    const PLAYERS: [&str; 4] = ["ann", "bob", "cleo", "dan"];

    async fn export(app: &TestApp, game: &str, number: u32) -> String {
        export_record(&app.app, &BoardRef { game: game.to_owned(), number }, None).await.unwrap()
    }

    async fn take(app: &TestApp, text: &str) -> Vec<Imported> {
        match import(&app.app, text, Strangers::Refuse, |_, _| {}).await.unwrap() {
            Import::Done(games) => games,
            Import::Refused(errors) => panic!("{errors:?}\n{text}"),
        }
    }

    async fn refusal(app: &TestApp, text: &str) -> String {
        match import(&app.app, text, Strangers::Refuse, |_, _| {}).await.unwrap() {
            Import::Done(games) => panic!("{games:?}"),
            Import::Refused(errors) => errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
        }
    }

    fn new(game: &str, number: u32) -> Imported {
        Imported::New(BoardRef { game: game.to_owned(), number })
    }

    fn known(game: &str, number: u32) -> Imported {
        Imported::Known(BoardRef { game: game.to_owned(), number })
    }

    pub(super) async fn a_record_is_mailed_and_served(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "obsidio challenge -size=5 ann bob", "Hello bob").await;
        app.clock.advance(90_000);
        app.mail("ann@ann.example", "obsidio move 101 ann ann-secret c3", "A {good} start \\o/").await;
        app.clock.advance(3_600_000);
        app.mail("bob@bob.example", "obsidio swap 101 bob bob-secret", "Yours was better.\nMine now.").await;
        app.mail("bob@bob.example", "obsidio chat 101 bob bob-secret", "This is between us.").await;
        app.letters();
        app.mail("someone@elsewhere.example", "obsidio export 101", "").await;
        app.mail("someone@elsewhere.example", "obsidio export 101#1", "").await;
        let mut letters = app.letters();
        app.clock.advance(60_000);
        app.mail("ann@ann.example", "obsidio move 101 ann ann-secret c1", "").await;
        app.mail("bob@bob.example", "obsidio resign 101 bob bob-secret", "Well played").await;
        app.letters();
        app.mail("someone@elsewhere.example", "obsidio export 101", "").await;
        app.mail("someone@elsewhere.example", "obsidio export 102", "").await;
        letters.extend(app.letters());
        assert!(letters.iter().all(|letter| letter.to == "someone@elsewhere.example"));
        assert_eq!(letters.len(), 4);
        let shown: Vec<String> = letters.iter().map(ToString::to_string).collect();
        insta::assert_snapshot!("records", shown.concat());
        let page = app.get("/api/v1/boards/obsidio/101/record").await;
        assert_eq!(page.header("content-type"), "text/plain; charset=utf-8");
        assert_eq!(page.text, export(&app, "obsidio", 101).await);
        let record: Record = page.text.parse().unwrap();
        assert_eq!(record.to_string(), page.text);
        assert_eq!(record.moves[0].comment.as_deref(), Some("A {good} start \\o/"));
        assert_eq!(app.get("/api/v1/boards/obsidio/102/record").await.status, 404);
        let first = app.get("/api/v1/boards/obsidio/101/record?ply=1").await.text;
        assert!(first.contains("[Players \"ann bob\"]") && first.contains("[Result \"*\"]"), "{first}");
        assert!(!first.contains("[Seed") && !first.contains("between us"));
    }

    pub(super) async fn chess_is_typed_as_in_books_and_travels_as_pgn(place: Place) {
        let app = TestApp::with_all_games(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "chess challenge ann bob", "").await;
        for (name, mv) in
            [("ann", "e4"), ("bob", "e5"), ("ann", "Bc4"), ("bob", "Nc6"), ("ann", "Qh5"), ("bob", "Nf6")]
        {
            let line = format!("chess move 101 {name} {name}-secret {mv}");
            app.mail(&format!("{name}@{name}.example"), &line, "").await;
        }
        app.mail("ann@ann.example", "chess move 101 ann ann-secret Qxf7#", "Well played.").await;
        let page = app.get("/api/v1/boards/chess/101/record.pgn").await;
        assert_eq!(page.header("content-type"), "application/x-chess-pgn");
        let moves = "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# {Well played.} 1-0";
        assert!(page.text.contains("[White \"ann\"]") && page.text.contains(moves), "{}", page.text);
        assert_eq!(take(&app, &page.text).await, [new("chess", 102)]);
        let moves = |record: String| record.parse::<Record>().unwrap().moves;
        assert_eq!(moves(export(&app, "chess", 102).await), moves(export(&app, "chess", 101).await));
        let foreign = "[Event \"x\"]\n[White \"ann\"]\n[Black \"bob\"]\n\n1.d4 d5 {quiet} 1/2-1/2";
        assert_eq!(take(&app, foreign).await, [new("chess", 103)]);
        assert!(export(&app, "chess", 103).await.contains("3. draw"));
    }

    pub(super) async fn dead_stones_are_agreed_upon_in_three_mails_and_go_travels_as_sgf(place: Place) {
        let app = TestApp::with_all_games(place, &["ann", "bob"]).await;
        app.mail("ann@ann.example", "go challenge -small ann bob", "").await;
        let lines = [
            "ann move c3",
            "bob move g7",
            "ann move pass",
            "bob move pass",
            "ann move dead:g7",
            "bob move dead:-",
            "ann move agree",
        ];
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            let [name, verb, rest @ ..] = words.as_slice() else { unreachable!() };
            let line = format!("go {verb} 101 {name} {name}-secret {}", rest.join(" "));
            app.mail(&format!("{name}@{name}.example"), line.trim(), "").await;
        }
        let page = app.get("/api/v1/boards/go/101/record.sgf").await;
        assert_eq!(page.header("content-type"), "application/x-go-sgf");
        assert!(
            page.text.contains(";B[cg]\n;W[gc]\n;B[]\n;W[]\n;KN[dead:g7]\n;KN[dead:-]\n;KN[agree]"),
            "{}",
            page.text
        );
        assert!(page.text.contains("PB[ann]PW[bob]") && page.text.contains("RE[W+]"), "{}", page.text);
        for (path, status) in
            [("go/101/record.pgn", 422), ("go/101/nothing", 422), ("hex/101/record.sgf", 422)]
        {
            assert_eq!(app.get(&format!("/api/v1/boards/{path}")).await.status, status, "{path}");
        }
        assert_eq!(take(&app, &page.text).await, [new("go", 102)]);
        let moves = |record: String| record.parse::<Record>().unwrap().moves;
        assert_eq!(moves(export(&app, "go", 102).await), moves(export(&app, "go", 101).await));
        let foreign = "(;GM[1]SZ[9]PB[ann]PW[bob]RE[B+R];B[ee];W[cc])";
        assert_eq!(take(&app, foreign).await, [new("go", 103)]);
        let told = refusal(&app, "(;GM[1]SZ[9]PB[ann]PW[bob]RE[B+R];B[ee];W[ee])").await;
        assert!(told.contains("move 2, `e5`: e5 is taken"), "{told}");
    }

    /// Plays a board by commands to its end.
    async fn play_out(app: &TestApp, game: &str, number: u32) {
        for turn in 0..400_usize {
            let board = app.get(&format!("/api/v1/boards/{game}/{number}")).await.json();
            let Some(userid) = board["to_move"][0].as_str() else { return };
            let record: Record = export(app, game, number).await.parse().unwrap();
            let position = replay(&record);
            let word = choose(position.as_ref(), turn * 5 + 1);
            app.clock.advance(61_500);
            let line = format!("{game} move {number} {userid} {userid}-secret {word}");
            let answer = app.post(&line, if turn == 2 { "said {so}\n\\" } else { "" }).await;
            assert_eq!(answer.outcome(), "200 ok", "{line}: {}", answer.text);
        }
        panic!("{game} {number} does not end");
    }

    /// The position of a board being played; its dice are those of the board.
    fn replay(record: &Record) -> Box<dyn Position> {
        let registry = knotpost_games::registry_of(&["osbox", "osbo", "obsidio", "boxilies"]);
        let game = registry.find(record.tag("Game").unwrap()).unwrap();
        let players = record.tag("Players").unwrap().split_whitespace().count();
        let options: Vec<_> =
            record.tag("Options").unwrap().split_whitespace().filter_map(GivenOption::from_word).collect();
        let options = game.parse_options(&options, players).unwrap();
        let mut position = game.setup(&options, players, &Seed::default());
        for entry in &record.moves {
            position.play(Turn::from_word(&entry.text)).unwrap();
        }
        position
    }

    /// A legal move, complete: the way into the middle of what there is.
    fn choose(position: &dyn Position, chance: usize) -> String {
        if let Some(word) = position.forced() {
            return if word == Turn::Pass { "pass" } else { "swap" }.to_owned();
        }
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

    pub(super) async fn what_is_exported_is_imported_and_exported_the_same(place: Place) {
        let app = TestApp::with_players(place, &PLAYERS).await;
        let other = TestApp::with_players(Place::Sqlite, &PLAYERS).await;
        other.clock.advance(100 * 86_400_000);
        for (line, game) in [
            ("osbox challenge -size=2 ann bob", "osbox"),
            ("osbox challenge -size=2 ann bob cleo", "osbox"),
            ("obsidio challenge -size=5 ann bob", "obsidio"),
        ] {
            let made = app.post(line, "").await.json();
            let number = made["boards"][0]["number"].as_u64().unwrap() as u32;
            play_out(&app, game, number).await;
            let record = export(&app, game, number).await;
            assert!(record.contains("{said {so\\}\\n\\\\}"), "{record}");
            assert_eq!(take(&other, &record).await, [new(game, number)]);
            assert_eq!(export(&other, game, number).await, record);
        }
        other.work().await;
        assert_eq!(other.letters().len(), 0, "nobody is mailed about old games");
        let history = other.post("osbox history", "").await.json();
        let text = history["replies"][0]["text"].as_str().unwrap().to_owned();
        assert!(text.contains(" 101 ") && text.contains(" 102 "), "{text}");
        let board = other.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!((&board["state"], &board["rated"]), (&"over".into(), &false.into()));
        assert_eq!(other.post("osbox challenge ann bob", "").await.json()["boards"][0]["number"], 103);
        let mut replayed = knotpost_core::boards::Replayed::default();
        assert!(
            knotpost_core::boards::replay_next(&other.app.store, &other.app.games, &mut replayed)
                .await
                .unwrap()
        );
        assert_eq!(replayed.differences, []);
    }

    /// What decides a made-up game: the seed, each move, when somebody gives up, what is said, how long it took.
    type Whims = ([u8; 32], usize, usize, Vec<(usize, Option<String>, u32)>);

    fn whims() -> impl Strategy<Value = Whims> {
        let said = prop::option::weighted(0.2, "auto|[ -~]{1,20}|[{}\\\\\n a]{1,8}|\\PC{1,12}");
        let entry = (any::<usize>(), said, 0..100_000_u32);
        (any::<[u8; 32]>(), 0..6_usize, 1..200_usize, prop::collection::vec(entry, 260))
    }

    /// A game as `export` would write it, made up by the rules alone.
    fn make_up(game: &str, number: u32, (seed, kind, patience, entries): &Whims) -> String {
        let registry = knotpost_games::registry_of(&["osbox", "osbo", "obsidio", "boxilies"]);
        let rules = registry.find(game).unwrap();
        let meta = rules.meta();
        let players = (*meta.players.start() + kind % 3).min(*meta.players.end());
        let given: &[&str] = match game {
            "osbox" | "osbo" => &["-size=3"],
            "obsidio" => &["-size=5"],
            _ => &[],
        };
        let given: Vec<_> = given.iter().filter_map(|word| GivenOption::from_word(word)).collect();
        let options = rules.parse_options(&given, players).unwrap();
        let mut position = rules.setup(&options, players, &Seed(*seed));
        let (mut moves, mut rolls, mut times, mut clock) = (Vec::new(), Vec::new(), Vec::new(), 0);
        let (mut result, mut left) = (None, (1..=players).collect::<Vec<_>>());
        for (index, (chance, said, seconds)) in entries.iter().enumerate() {
            let Status::ToAct(seat) = position.status() else { break };
            rolls.extend(position.roll());
            clock += seconds;
            times.push(clock.to_string());
            let auto = position.forced().is_some();
            let text = if index >= *patience {
                position.retire(seat);
                left.retain(|other| *other != usize::from(seat.number()));
                if chance % 2 == 0 { "resign" } else { "forfeit" }.to_owned()
            } else {
                let word = choose(position.as_ref(), *chance);
                let played = position.play(Turn::from_word(&word)).unwrap();
                played.canonical
            };
            let comment = said.clone().filter(|said| !said.trim().is_empty() && !auto);
            moves.push(RecordMove { number: index as u32 + 1, text, auto, comment });
            let plays_on = players > 2 && game == "osbo";
            if left.len() == 1 && !plays_on && !position.status().is_over() {
                let by = if moves.last().unwrap().text == "forfeit" { "forfeit" } else { "resignation" };
                result = Some((left[0].to_string(), by.to_owned()));
                break;
            }
            if left.is_empty() {
                result = Some(score(position.result_by_scores().winners().as_slice(), position.as_ref()));
                break;
            }
        }
        if let Status::Over(outcome) = position.status() {
            let (winners, by_score) = score(&outcome.winners(), position.as_ref());
            result =
                Some((winners, if outcome.reason == "score" { by_score } else { outcome.reason.to_owned() }));
        }
        let (result, reason) = result.expect("everybody gives up in the end");
        let seed = Seed(*seed).to_string();
        let mut tags = vec![
            ("Game", game.to_owned()),
            ("Board", number.to_string()),
            ("Rules", meta.rules_version.to_string()),
            ("Options", options.to_string()),
            ("Players", PLAYERS[..players].join(" ")),
            ("Seed", seed.clone()),
        ];
        if !rolls.is_empty() {
            tags.push(("Rolls", rolls.join(" ")));
        }
        if meta.abilities.has(knotpost_rules::Ability::Dice) {
            tags.push(("Commitment", commitment(game, &number.to_string(), &seed)));
        }
        tags.extend([
            ("Started", "2020-01-02T03:04:05Z".to_owned()),
            ("Ended", format!("2020-12-31T23:{:02}:59Z", number % 60)),
            ("Result", result),
            ("Termination", reason),
            ("Times", times.join(" ")),
            ("Mood", "\"fine\" \\o/ [x] {y}".to_owned()),
            ("Mood", "twice".to_owned()),
        ]);
        let tags = tags.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Record { tags, moves }.to_string()
    }

    fn score(winners: &[knotpost_rules::Seat], position: &dyn Position) -> (String, String) {
        let winners: Vec<String> = winners.iter().map(ToString::to_string).collect();
        (winners.join(","), format!("score {}", position.scores()))
    }

    pub(super) async fn made_up_games_survive_import_and_export(place: Place) {
        let app = TestApp::with_players(place, &PLAYERS).await;
        let mut runner = TestRunner::deterministic();
        let (mut file, mut expected) = (String::new(), Vec::new());
        for case in 0..12_u32 {
            for game in ["osbox", "osbo", "obsidio", "boxilies"] {
                let whims = whims().new_tree(&mut runner).unwrap().current();
                let record = make_up(game, 101 + case, &whims);
                writeln!(file, "{record}").unwrap();
                expected.push((game, 101 + case, record));
            }
        }
        let imported = take(&app, &file).await;
        for ((game, number, record), imported) in expected.iter().zip(&imported) {
            assert_eq!(imported, &new(game, *number));
            assert_eq!(&export(&app, game, *number).await, record);
            same_result_as_play(&app, game, *number).await;
        }
        let again = take(&app, &file).await;
        assert!(again.iter().all(|game| matches!(game, Imported::Known(_))), "{again:?}");
        let mut replayed = knotpost_core::boards::Replayed::default();
        while knotpost_core::boards::replay_next(&app.app.store, &app.app.games, &mut replayed).await.unwrap()
        {
        }
        assert_eq!((replayed.boards, replayed.differences), (expected.len(), vec![]));
    }

    /// The result of a finished board as the server tells it and as `knotpost play` finds it in its record.
    async fn same_result_as_play(app: &TestApp, game: &str, number: u32) -> serde_json::Value {
        let board = app.get(&format!("/api/v1/boards/{game}/{number}")).await.json();
        let file = app.data.path().join(format!("{game}-{number}.record"));
        let record = export(app, game, number).await;
        std::fs::write(&file, &record).unwrap();
        let ran = tokio::process::Command::new(env!("CARGO_BIN_EXE_knotpost"))
            .args(["play", "--json", "--record"])
            .arg(&file)
            .output()
            .await
            .unwrap();
        assert!(ran.status.success(), "{ran:?}\n{record}");
        let printed = String::from_utf8(ran.stdout).unwrap();
        let last: serde_json::Value = serde_json::from_str(printed.lines().last().unwrap()).unwrap();
        assert_eq!(board["result"], last["result"], "{record}");
        last["result"].clone()
    }

    pub(super) async fn who_leaves_the_server_out_of_turn_says_so_in_the_record(place: Place) {
        let app = TestApp::with_players(place, &PLAYERS).await;
        for line in [
            "osbox challenge ann bob cleo",
            "osbox move 101 ann ann-secret o1",
            "osbox move 101 bob bob-secret o9",
            "osbox move 101 cleo cleo-secret o5",
            "delete cleo cleo-secret",
            "osbox move 101 ann ann-secret o2",
            "delete ann ann-secret",
        ] {
            let answer = app.post(line, "").await;
            assert_eq!(answer.outcome(), "200 ok", "{line}: {}", answer.text);
        }
        let result = same_result_as_play(&app, "osbox", 101).await;
        assert_eq!(result["placings"], serde_json::json!([2, 1, 3]));
        let record = export(&app, "osbox", 101).await;
        assert!(record.contains("4. resign:3") && record.contains("6. resign:1"), "{record}");
        // Another seed, which decides nothing here, makes it another game.
        let seed = record.split_once("[Seed \"").expect("a seed").1.split_once('"').expect("its end").0;
        let other = record.replace(seed, &"0".repeat(64)).replace("[Board \"101\"]", "[Board \"500\"]");
        assert_eq!(take(&app, &other).await, [new("osbox", 500)]);
        assert_eq!(export(&app, "osbox", 500).await, other);
        let mut replayed = knotpost_core::boards::Replayed::default();
        while knotpost_core::boards::replay_next(&app.app.store, &app.app.games, &mut replayed).await.unwrap()
        {
        }
        assert_eq!(replayed.differences, []);
        for word in ["resign:3", "resign:4", "resign:0", "resign:x"] {
            let forged = other.replace("6. resign:1", &format!("6. {word}"));
            assert!(refusal(&app, &forged).await.contains("move 6"), "{word}");
        }
    }

    pub(super) async fn who_left_is_placed_alike_by_server_and_play(place: Place) {
        let app = TestApp::with_players(place, &PLAYERS).await;
        let lines = async |lines: &[&str]| {
            for line in lines {
                let answer = app.post(line, "").await;
                assert_eq!(answer.outcome(), "200 ok", "{line}: {}", answer.text);
            }
        };
        let result = |placings: &[u8], reason: &str| {
            let winners: Vec<_> = (1..=placings.len()).filter(|seat| placings[seat - 1] == 1).collect();
            serde_json::json!({
                "winners": winners, "tie": winners.len() > 1, "reason": reason, "placings": placings
            })
        };
        lines(&["osbox challenge ann bob cleo", "osbox challenge ann bob cleo dan"]).await;
        for (number, players) in [(101, 3), (102, 4)] {
            // Left, top, right, bottom: the first entry of each one's side.
            for (userid, entry) in PLAYERS.iter().take(players).zip([1, 9, 5, 13]) {
                lines(&[&format!("osbox move {number} {userid} {userid}-secret o{entry}")]).await;
            }
        }
        // Of three two give up: who did so later is second, whatever the scores.
        lines(&["osbox resign 101 ann ann-secret", "osbox resign 101 bob bob-secret"]).await;
        assert_eq!(same_result_as_play(&app, "osbox", 101).await, result(&[3, 2, 1], "resignation"));
        // Of four two give up and the others agree on a draw.
        lines(&["osbox resign 102 ann ann-secret", "osbox resign 102 bob bob-secret"]).await;
        lines(&["osbox move 102 cleo cleo-secret propose", "osbox move 102 dan dan-secret accept"]).await;
        assert_eq!(same_result_as_play(&app, "osbox", 102).await, result(&[4, 3, 1, 1], "agreement"));
    }

    pub(super) async fn a_game_that_ends_by_forfeit_says_so_everywhere(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.tick().await;
        app.post("osbox challenge -size=4 ann bob", "").await;
        app.play_on("osbox", 101, 3).await;
        app.pass(22 * DAY).await;
        let result = same_result_as_play(&app, "osbox", 101).await;
        assert_eq!(
            result,
            serde_json::json!({
                "winners": [1], "tie": false, "reason": "forfeit", "placings": [1, 2]
            })
        );
    }

    pub(super) async fn a_record_too_long_for_a_mail_is_linked_to(place: Place) {
        let app = TestApp::with_players(place, &PLAYERS).await;
        let speech = "\u{1f3b2}".repeat(8000);
        let entries = (0..260).map(|index| (index * 7 + 3, Some(speech.clone()), 60)).collect();
        let record = make_up("osbo", 101, &([1; 32], 0, 199, entries));
        assert!(record.len() > 256 << 10, "{}", record.len());
        assert_eq!(take(&app, &record).await, [new("osbo", 101)]);
        let refused = app.post("osbo export 101", "").await;
        assert_eq!(refused.outcome(), "422 too_much_mail");
        assert!(
            refused.text.contains("http://knotpost.example/api/v1/boards/osbo/101/record"),
            "{}",
            refused.text
        );
        assert_eq!(app.get("/api/v1/boards/osbo/101/record").await.text, record);
    }

    /// A game that was finished on a server.
    async fn finished(app: &TestApp) -> String {
        app.post("osbox challenge -size=2 ann bob", "").await;
        app.post("osbox move 101 ann ann-secret f1", "").await;
        app.post("osbox move 101 bob bob-secret o7", "").await;
        app.post("osbox resign 101 ann ann-secret", "").await;
        export(app, "osbox", 101).await
    }

    pub(super) async fn a_game_is_taken_in_once(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        let record = finished(&app).await;
        assert_eq!(take(&app, &record).await, [known("osbox", 101)], "it was played here");
        let other = TestApp::with_players(Place::Sqlite, &["ann", "bob"]).await;
        other.post("osbox challenge ann bob", "").await;
        assert_eq!(take(&other, &record).await, [new("osbox", 102)], "its number is taken");
        assert_eq!(take(&other, &record).await, [known("osbox", 102)]);
        let renumbered = export(&other, "osbox", 102).await;
        assert_eq!(renumbered, record.replace("[Board \"101\"]", "[Board \"102\"]"));
        assert_eq!(take(&other, &renumbered).await, [known("osbox", 102)]);
        assert_eq!(take(&app, &renumbered).await, [known("osbox", 101)], "back where it came from");
        let other_words = record.replace("\n1. f1", "\n1. f1 {hm}");
        assert_eq!(take(&other, &other_words).await, [known("osbox", 102)], "comments make no other game");
        let foreign = "[Game \"osbox\"]\n[Options \"-size=2\"]\n[Players \"ANN Bob\"]\n[Event \"Club\"]\n\n1. f1 2. o7 3. resign\n";
        assert_eq!(
            take(&other, &format!("{foreign}\n{foreign}")).await,
            [new("osbox", 103), known("osbox", 103)]
        );
        let told = export(&other, "osbox", 103).await;
        assert!(told.contains("[Players \"ann bob\"]") && told.contains("[Event \"Club\"]"), "{told}");
    }

    pub(super) async fn hostile_files_are_refused_whole(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        let good = finished(&app).await.replace("[Board \"101\"]", "[Board \"500\"]").replace("f1", "f2");
        let before = app.tables().await;
        let change = |from: &str, to: &str| {
            assert!(good.contains(from), "{from} is not in\n{good}");
            good.replacen(from, to, 1)
        };
        let table = [
            (String::new(), "line 1: there is no game record"),
            ("hello".to_owned(), "line 1: in the record that begins here: `hello` stands where"),
            (format!("{good}\n[Game osbox]\n"), "line 15: this is not a tag"),
            (change("\"osbox\"", "\"chess\""), "there is no game `chess`; games are"),
            (change("[Game \"osbox\"]\n", ""), "[Game] is missing"),
            (change("-size=2", "-size=99"), "99"),
            (change("ann bob", "ann nobody"), "there is no user `nobody`"),
            (change("ann bob", "ann"), "players; [Players] names 1"),
            (
                change("[Rules \"1\"]", "[Rules \"7\"]"),
                "it was played under rules 7 of Osbox; here are rules 1",
            ),
            (change("1. f2", "1. f99"), "move 1, `f99`"),
            (change("2. o7", "3. o7"), "move 3 stands where move 2 should be"),
            (change("3. resign", ""), "[Times] has 3 entries for 2 moves"),
            (change("3. resign", "3. o1"), "the game is not over; only finished games"),
            (change("3. resign", "3. resign 4. f1"), "entries for 4 moves"),
            (change("[Result \"2\"]", "[Result \"1\"]"), "[Result] is `1`, but the moves lead to `2`"),
            (change("[Seed \"", "[Seed \"xy"), "[Seed]"),
            (change("[Started \"20", "[Started \"90"), "[Started] is"),
            (change("[Started \"", "[Started \"yesterday "), "[Started] is not a time"),
            (change("[Game", "[Game \"osbox\"]\n[Started \"1\"]\n[Times \"0\"]\n[Game"), "line 1"),
            (change("2. o7", "2. o7 {never closed"), "a comment is not closed"),
            (change("2. o7", "2. o7 {\u{0}}"), "the comment on move 2 holds a control character"),
            (change("[Result", "[Note \"a\u{1b}[31m\"]\n[Result"), "[Note] holds a control character"),
            (change("2. o7", &format!("2. o7 {{{}}}", "x".repeat(9000))), "has more than 8100 characters"),
            (
                change("[Result", &format!("[Note \"{}\"]\n[Result", "x".repeat(2001))),
                "[Note] has more than 2000",
            ),
            (change("[Result", &format!("{}[Result", "[Note \"x\"]\n".repeat(60))), "more than 60 tags"),
            (format!("[Game \"osbox\"]\n\n{}", "1. f1 ".repeat(10_001)), "more than 10000 moves"),
            (" ".repeat((16 << 20) + 1), "more than 16 MiB"),
        ];
        for (text, reason) in table {
            // A good game in front of it is not taken either.
            for text in [text.clone(), format!("{good}\n{text}")] {
                if text.trim() == good.trim() {
                    continue;
                }
                let told = refusal(&app, &text).await;
                assert!(
                    told.contains(reason.trim_start_matches("line 1: ").trim_start_matches("line 15: ")),
                    "{reason}: {told}"
                );
                assert!(told.starts_with("line "), "{told}");
            }
        }
        assert_eq!(app.tables().await, before);
    }
}
