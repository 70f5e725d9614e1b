//! Draws by agreement and moves taken back.

use super::tell;

tell! {
    a_draw_is_proposed_rejected_and_agreed_on,
    a_move_is_taken_back_when_the_others_agree,
    with_three_players_both_others_must_agree,
    a_swap_taken_back_gives_the_sides_back,
    an_open_proposal_is_told_to_whoever_looks,
    a_resignation_clears_a_proposal,
    draws_are_agreed_on_by_mail_and_survive_as_records,
    a_draw_that_nobody_answers_counts_at_forfeit_time,
    an_undo_keeps_the_dice,
    with_three_players_an_undo_needs_both_others,
    an_undo_drops_queues,
    words_that_wait_outlast_an_undo,
    no_offer_of_ones_own_beats_the_clock,
    nothing_is_decided_while_somebody_who_has_to_answer_is_away,
    with_three_players_the_others_have_their_time_to_answer,
    a_refused_offer_is_not_repeated,
}

mod stories {
    use knotpost_core::admin::{AdminAction, Administrator, BoardAction, administer};
    use knotpost_core::boards::{Replayed, replay_next};
    use knotpost_core::records::{Import, Imported, Strangers, export_record, import};
    use knotpost_model::BoardRef;
    use serde_json::{Value, json};

    use crate::harness::{DAY, HOUR, Letter, Place, TestApp, show_all};

    async fn begin(place: Place, challenge: &str, moves: &[&str]) -> TestApp {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.mail("ann@ann.example", challenge, "").await;
        for play in moves {
            assert_eq!(app.post(play, "").await.outcome(), "200 ok", "{play}");
        }
        app.work().await;
        app.letters();
        app
    }

    const OPENING: [&str; 2] = ["osbox move 101 ann ann-secret f1", "osbox move 101 bob bob-secret e9"];

    async fn outcome(app: &TestApp, line: &str) -> String {
        app.post(line, "").await.outcome()
    }

    pub(super) async fn a_draw_is_proposed_rejected_and_agreed_on(place: Place) {
        let app = begin(place, "osbox challenge ann bob", &OPENING).await;
        app.mail("bob@bob.example", "osbox move 101 bob bob-secret propose", "Shall we?").await;
        insta::assert_snapshot!("draw_proposed", show_all(&app.letters()));
        assert_eq!(outcome(&app, "osbox move 101 bob bob-secret accept").await, "409 already_proposed");
        assert_eq!(outcome(&app, "osbox move 101 bob bob-secret propose").await, "409 already_proposed");
        assert_eq!(outcome(&app, "osbox move 101 ann ann-secret undo").await, "409 already_proposed");
        assert_eq!(outcome(&app, "osbox move 101 ann ann-secret reject").await, "200 ok");
        assert_eq!(outcome(&app, "osbox move 101 ann ann-secret accept").await, "409 nothing_proposed");
        assert_eq!(outcome(&app, "osbox move 101 bob bob-secret propose").await, "409 conflict", "refused");
        assert_eq!(outcome(&app, "osbox move 101 bob bob-secret undo").await, "200 ok", "another offer");
        assert_eq!(outcome(&app, "osbox move 101 ann ann-secret f2").await, "200 ok");
        assert_eq!(outcome(&app, "osbox move 101 ann ann-secret accept").await, "409 nothing_proposed");
        assert_eq!(outcome(&app, "osbox move 101 ann ann-secret propose").await, "200 ok");
        app.work().await;
        app.letters();
        app.mail("bob@bob.example", "osbox move 101 bob bob-secret accept", "").await;
        insta::assert_snapshot!("draw_agreed", show_all(&app.letters()));
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!((&board["state"], &board["result"]["tie"]), (&"over".into(), &true.into()));
        assert_eq!(board["result"]["reason"], "agreement");
        assert_eq!(outcome(&app, "osbox move 101 bob bob-secret e10").await, "409 game_over");
        check_replay(&app).await;
    }

    async fn check_replay(app: &TestApp) {
        let mut replayed = Replayed::default();
        while replay_next(&app.app.store, &app.app.games, &mut replayed).await.unwrap() {}
        assert_eq!(replayed.differences, []);
    }

    async fn board(app: &TestApp, game: &str) -> Value {
        app.get(&format!("/api/v1/boards/{game}/101")).await.json()
    }

    /// To whom mails with these words went.
    fn readers_of(letters: &[Letter], words: &str) -> Vec<String> {
        let told = letters
            .iter()
            .flat_map(|letter| std::iter::repeat_n(letter.to.clone(), letter.text.matches(words).count()));
        let mut told: Vec<String> = told.collect();
        told.sort();
        told
    }

    pub(super) async fn words_that_wait_outlast_an_undo(place: Place) {
        let app = begin(place, "osbox challenge ann bob", &OPENING).await;
        app.mail("cyd@cyd.example", "osbox subscribe 101 cyd cyd-secret", "").await;
        app.letters();
        let everybody = ["ann@ann.example", "bob@bob.example", "cyd@cyd.example"];
        for (words, wish) in [("Well played.", "all"), ("Once more!", "digest")] {
            assert_eq!(outcome(&app, &format!("set cyd cyd-secret moves={wish}")).await, "200 ok");
            app.work().await;
            app.letters();
            app.post("osbox chat 101 cyd cyd-secret", words).await;
            assert_eq!(outcome(&app, "osbox move 101 bob bob-secret undo").await, "200 ok");
            assert_eq!(outcome(&app, "osbox move 101 ann ann-secret accept").await, "200 ok");
            app.work().await;
            let letters = app.letters();
            assert_eq!(readers_of(&letters, words), everybody, "{wish}: {}", show_all(&letters));
            let chat = letters.iter().find(|letter| letter.to.starts_with("cyd@")).unwrap();
            assert_eq!(chat.text.contains("taken back"), wish == "all", "{}", chat.text);
            assert_eq!(outcome(&app, OPENING[1]).await, "200 ok");
            // Words of somebody who does not play come once an hour.
            app.pass(HOUR).await;
        }
        app.work().await;
        app.letters();
        app.post("osbox chat 101 ann ann-secret", "What a pity.").await;
        let board = BoardRef { game: "osbox".to_owned(), number: 101 };
        let back = AdminAction::Board { board, action: BoardAction::TakeBack, why: String::new() };
        administer(&app.app, &Administrator::of_shell("root"), back).await.unwrap();
        app.work().await;
        let letters = app.letters();
        assert_eq!(readers_of(&letters, "What a pity."), everybody, "{}", show_all(&letters));
    }

    pub(super) async fn a_move_is_taken_back_when_the_others_agree(place: Place) {
        let app = begin(place, "osbox challenge ann bob", &OPENING[..1]).await;
        let before = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!(outcome(&app, OPENING[1]).await, "200 ok");
        app.work().await;
        app.letters();
        app.mail("bob@bob.example", "osbox move 101 bob bob-secret undo", "").await;
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret accept", "").await;
        insta::assert_snapshot!("undo_agreed", show_all(&app.letters()));
        let after = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!((&after["ply"], &after["position"]), (&before["ply"], &before["position"]));
        assert_eq!(outcome(&app, "osbox move 101 bob bob-secret f9#2").await, "200 ok");
    }

    pub(super) async fn with_three_players_both_others_must_agree(place: Place) {
        let app = begin(place, "osbo challenge ann bob cyd", &[]).await;
        assert_eq!(outcome(&app, "osbo move 101 cyd cyd-secret propose").await, "200 ok");
        assert_eq!(outcome(&app, "osbo move 101 ann ann-secret accept").await, "200 ok");
        assert_eq!(outcome(&app, "osbo move 101 ann ann-secret accept").await, "409 already_proposed");
        app.work().await;
        let texts: Vec<String> = app.letters().into_iter().map(|letter| letter.text).collect();
        assert!(texts.iter().any(|text| text.contains("Still to accept or reject: bob.")), "{texts:?}");
        assert_eq!(outcome(&app, "osbo move 101 bob bob-secret accept").await, "200 ok");
        let board = app.get("/api/v1/boards/osbo/101").await.json();
        assert_eq!(board["result"]["placings"], serde_json::json!([1, 1, 1]));
    }

    pub(super) async fn a_swap_taken_back_gives_the_sides_back(place: Place) {
        let moves = ["obsidio move 101 ann ann-secret e5", "obsidio swap 101 bob bob-secret"];
        let app = begin(place, "obsidio challenge ann bob", &moves).await;
        assert_eq!(outcome(&app, "obsidio move 101 ann ann-secret propose").await, "422 not_supported");
        assert_eq!(outcome(&app, "obsidio move 101 bob bob-secret undo").await, "200 ok");
        assert_eq!(outcome(&app, "obsidio move 101 ann ann-secret accept").await, "200 ok");
        let board = app.get("/api/v1/boards/obsidio/101").await.json();
        assert_eq!((&board["players"][0]["userid"], &board["to_move"][0]), (&"ann".into(), &"bob".into()));
        assert_eq!(outcome(&app, "obsidio swap 101 bob bob-secret").await, "200 ok");
    }

    pub(super) async fn an_open_proposal_is_told_to_whoever_looks(place: Place) {
        let app = begin(place, "osbox challenge ann bob", &OPENING).await;
        app.tick().await;
        assert_eq!(board(&app, "osbox").await["proposal"], Value::Null);
        assert_eq!(outcome(&app, "osbox move 101 bob bob-secret propose").await, "200 ok");
        let open = json!({ "kind": "draw", "by": "bob", "waiting": ["ann"] });
        assert_eq!(board(&app, "osbox").await["proposal"], open);
        assert_eq!(app.get("/api/v1/boards/osbox/101?ply=1").await.json()["proposal"], Value::Null);
        app.work().await;
        app.letters();
        app.mail("cyd@cyd.example", "osbox show 101", "").await;
        app.mail("cyd@cyd.example", "osbox chat 101 cyd cyd-secret", "Take it!").await;
        let mut letters = app.letters();
        letters.truncate(2);
        app.pass(7 * DAY).await;
        letters.extend(app.letters());
        assert_eq!(letters.len(), 3);
        assert!(letters.iter().all(|letter| letter.text.contains("bob proposed a draw.")), "{letters:?}");
        insta::assert_snapshot!("proposal_told", show_all(&letters));
        assert_eq!(outcome(&app, "osbox move 101 ann ann-secret f2").await, "200 ok");
        assert_eq!(board(&app, "osbox").await["proposal"], Value::Null);
        let page = app.post("osbox show 101", "").await.text;
        assert!(!page.contains("proposed a draw"), "{page}");
    }

    pub(super) async fn a_resignation_clears_a_proposal(place: Place) {
        let app = begin(place, "osbox challenge ann bob", &OPENING).await;
        assert_eq!(outcome(&app, "osbox move 101 ann ann-secret propose").await, "200 ok");
        assert_eq!(outcome(&app, "osbox resign 101 bob bob-secret").await, "200 ok");
        assert_eq!(board(&app, "osbox").await["proposal"], Value::Null, "noted out of turn");
        assert_eq!(outcome(&app, "osbox move 101 bob bob-secret accept").await, "409 nothing_proposed");
        assert_eq!(outcome(&app, "osbox resign 101 bob bob-secret").await, "200 ok");
        assert_eq!(outcome(&app, "osbox move 101 bob bob-secret undo").await, "200 ok");
        assert_eq!(outcome(&app, "osbox resign 101 ann ann-secret").await, "200 ok");
        assert_eq!(outcome(&app, "osbox move 101 ann ann-secret accept").await, "409 game_over");
    }

    pub(super) async fn draws_are_agreed_on_by_mail_and_survive_as_records(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        let other = TestApp::with_players(Place::Sqlite, &["ann", "bob"]).await;
        other.clock.advance(100 * DAY);
        app.tick().await;
        for game in ["osbox", "osbo", "boxilies"] {
            app.mail("ann@ann.example", &format!("{game} challenge ann bob"), "").await;
            app.play_on(game, 101, 5).await;
            app.letters();
            app.mail("ann@ann.example", &format!("{game} move 101 ann ann-secret propose"), "").await;
            app.mail("bob@bob.example", &format!("Re: {game} move 101 bob bob-secret accept"), "Fine").await;
            let letters = app.letters();
            assert_eq!(letters.len(), 4);
            insta::assert_snapshot!(format!("draw_in_{game}"), show_all(&letters[3..]));
            let over = board(&app, game).await;
            assert_eq!(over["result"]["reason"], "agreement", "{game}");
            assert_eq!(over["result"]["placings"], json!([1, 1]), "{game}");
            let name = BoardRef { game: game.to_owned(), number: 101 };
            let record = export_record(&app.app, &name, None).await.unwrap();
            assert!(record.contains("[Termination \"agreement\"]"), "{record}");
            let taken = import(&other.app, &record, Strangers::Refuse, |_, _| {}).await.unwrap();
            assert!(
                matches!(&taken, Import::Done(games) if games == &[Imported::New(name.clone())]),
                "{taken:?}"
            );
            assert_eq!(export_record(&other.app, &name, None).await.unwrap(), record);
            assert_eq!(board(&other, game).await["result"], over["result"], "{game}");
        }
        check_replay(&app).await;
        check_replay(&other).await;
        let name = BoardRef { game: "osbox".to_owned(), number: 101 };
        let record = export_record(&app.app, &name, None).await.unwrap();
        let untrue = record.replace("[Result \"1,2\"]", "[Result \"1\"]");
        assert_ne!(untrue, record);
        let taken = import(&other.app, &untrue, Strangers::Refuse, |_, _| {}).await.unwrap();
        assert!(matches!(taken, Import::Refused(_)), "{taken:?}");
    }

    pub(super) async fn a_draw_that_nobody_answers_counts_at_forfeit_time(place: Place) {
        let app = begin(place, "osbox challenge ann bob --forfeittime=2", &OPENING).await;
        app.tick().await;
        assert_eq!(outcome(&app, "osbox move 101 bob bob-secret propose").await, "200 ok");
        app.pass(2 * DAY - HOUR).await;
        assert_eq!(board(&app, "osbox").await["state"], "active");
        app.letters();
        app.pass(HOUR).await;
        insta::assert_snapshot!("silent_draw", show_all(&app.letters()));
        let over = board(&app, "osbox").await;
        assert_eq!((&over["result"]["reason"], &over["result"]["tie"]), (&"agreement".into(), &true.into()));
        check_replay(&app).await;
    }

    /// What a later look must find the same: the position with its roll, and how many moves led there.
    fn state(board: &Value) -> (Value, Value, Value) {
        (board["position"].clone(), board["ply"].clone(), board["to_move"].clone())
    }

    pub(super) async fn an_undo_keeps_the_dice(place: Place) {
        let app = begin(place, "osbo challenge ann bob", &[]).await;
        app.tick().await;
        app.play_on("osbo", 101, 4).await;
        let before = board(&app, "osbo").await;
        app.play_on("osbo", 101, 1).await;
        let after = board(&app, "osbo").await;
        assert_ne!(state(&before), state(&after));
        assert_eq!(outcome(&app, "osbo move 101 ann ann-secret undo").await, "200 ok");
        assert_eq!(outcome(&app, "osbo move 101 bob bob-secret accept").await, "200 ok");
        assert_eq!(state(&board(&app, "osbo").await), state(&before), "the same roll again");
        app.play_on("osbo", 101, 1).await;
        assert_eq!(state(&board(&app, "osbo").await), state(&after), "and the same one after it");
        check_replay(&app).await;
    }

    pub(super) async fn with_three_players_an_undo_needs_both_others(place: Place) {
        let app = begin(place, "osbo challenge -size=3 ann bob cyd", &[]).await;
        app.tick().await;
        app.play_on("osbo", 101, 4).await;
        let before = board(&app, "osbo").await;
        app.play_on("osbo", 101, 1).await;
        app.letters();
        assert_eq!(outcome(&app, "osbo move 101 bob bob-secret undo").await, "200 ok");
        let waiting = |board: &Value| board["proposal"]["waiting"].clone();
        assert_eq!(waiting(&board(&app, "osbo").await), json!(["ann", "cyd"]));
        assert_eq!(outcome(&app, "osbo move 101 cyd cyd-secret accept").await, "200 ok");
        assert_eq!(board(&app, "osbo").await["ply"], 5, "ann has not agreed yet");
        assert_eq!(waiting(&board(&app, "osbo").await), json!(["ann"]));
        assert_eq!(outcome(&app, "osbo move 101 ann ann-secret accept").await, "200 ok");
        assert_eq!(state(&board(&app, "osbo").await), state(&before));
        assert_eq!(board(&app, "osbo").await["proposal"], Value::Null);
    }

    pub(super) async fn an_undo_drops_queues(place: Place) {
        let app = begin(place, "osbox challenge ann bob", &OPENING).await;
        assert_eq!(outcome(&app, "osbox queue 101 bob bob-secret e10").await, "200 ok");
        assert_eq!(outcome(&app, "osbox move 101 bob bob-secret undo").await, "200 ok");
        app.work().await;
        app.letters();
        assert_eq!(outcome(&app, "osbox move 101 ann ann-secret accept").await, "200 ok");
        app.work().await;
        let letters = app.letters();
        let dropped = letters.iter().find(|letter| letter.subject.ends_with("Error")).unwrap();
        assert!(dropped.text.contains("a move was taken back"), "{dropped}");
        assert_eq!(dropped.to, "bob@bob.example");
    }

    /// The end of the board, if it has one: `active`, `forfeit`, `agreement`.
    async fn end(app: &TestApp, game: &str) -> String {
        let board = board(app, game).await;
        let told = if board["state"] == "over" { &board["result"]["reason"] } else { &board["state"] };
        told.as_str().unwrap().to_owned()
    }

    pub(super) async fn no_offer_of_ones_own_beats_the_clock(place: Place) {
        for (offer, place) in ["propose", "undo"].into_iter().zip([place, Place::Sqlite]) {
            let app = begin(place, "osbox challenge ann bob --forfeittime=2", &OPENING).await;
            app.tick().await;
            assert_eq!(outcome(&app, &format!("osbox move 101 ann ann-secret {offer}")).await, "200 ok");
            app.pass(2 * DAY - HOUR).await;
            assert_eq!(end(&app, "osbox").await, "active", "{offer}");
            app.pass(HOUR).await;
            assert_eq!(end(&app, "osbox").await, "forfeit", "{offer}");
            assert_eq!(board(&app, "osbox").await["result"]["winners"], json!([2]), "{offer}");
        }
    }

    pub(super) async fn nothing_is_decided_while_somebody_who_has_to_answer_is_away(place: Place) {
        let places = [place, Place::Sqlite, Place::Sqlite];
        // Maker, kind and outcome of an offer while bob is away for five days: it is ann's turn, who has two.
        let cases =
            [("ann", "propose", "forfeit"), ("ann", "undo", "forfeit"), ("bob", "propose", "agreement")];
        for ((by, offer, expected), place) in cases.into_iter().zip(places) {
            let app = begin(place, "osbox challenge ann bob --forfeittime=2", &OPENING).await;
            app.tick().await;
            assert_eq!(outcome(&app, "vacation bob bob-secret 5").await, "200 ok");
            assert_eq!(outcome(&app, &format!("osbox move 101 {by} {by}-secret {offer}")).await, "200 ok");
            app.pass(2 * DAY).await;
            if by == "ann" {
                assert_eq!(end(&app, "osbox").await, "active", "{offer}: bob could not answer");
                app.pass(3 * DAY - HOUR).await;
                assert_eq!(end(&app, "osbox").await, "active", "{offer}");
                app.pass(HOUR).await;
            }
            assert_eq!(end(&app, "osbox").await, expected, "{by} {offer}");
        }
    }

    pub(super) async fn with_three_players_the_others_have_their_time_to_answer(place: Place) {
        let places = [place, Place::Sqlite, Place::Sqlite, Place::Sqlite];
        let cases =
            [("accept", "agreement"), ("reject", "forfeit"), ("", "agreement"), ("away", "agreement")];
        for ((answer, expected), place) in cases.into_iter().zip(places) {
            let app = begin(place, "osbo challenge ann bob cyd --forfeittime=2", &[]).await;
            app.tick().await;
            app.play_on("osbo", 101, 3).await;
            app.pass(DAY).await;
            assert_eq!(outcome(&app, "osbo move 101 bob bob-secret propose").await, "200 ok");
            app.work().await;
            let told = show_all(&app.letters());
            assert!(told.contains("If the time of ann runs out first, ann counts as accepting."), "{told}");
            if answer == "away" {
                assert_eq!(outcome(&app, "vacation cyd cyd-secret 5").await, "200 ok");
            }
            app.pass(DAY + HOUR).await;
            // Ann counts as agreeing, and waits for cyd, who has two days to answer.
            assert_eq!(board(&app, "osbo").await["ply"], 3, "{answer}");
            match answer {
                "" => app.pass(DAY).await,
                "away" => {
                    app.pass(4 * DAY).await;
                    assert_eq!(end(&app, "osbo").await, "active", "not while cyd is away");
                    app.pass(2 * DAY).await;
                }
                answer => {
                    assert_eq!(
                        outcome(&app, &format!("osbo move 101 cyd cyd-secret {answer}")).await,
                        "200 ok"
                    );
                    app.pass(1).await;
                }
            }
            if expected == "forfeit" {
                let board = board(&app, "osbo").await;
                assert!(board["ply"].as_i64() > Some(3), "ann is out: {board}");
                assert_eq!(board["state"], "active", "the others play on");
            } else {
                assert_eq!(end(&app, "osbo").await, expected, "{answer}");
            }
        }
    }

    fn flat(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub(super) async fn a_refused_offer_is_not_repeated(place: Place) {
        let app = begin(place, "osbo challenge -size=3 ann bob cyd --unrated", &[]).await;
        app.enlist_bots().await;
        app.tick().await;
        app.play_on("osbo", 101, 4).await;
        let act = async |user: &str, word: &str| {
            outcome(&app, &format!("osbo move 101 {user} {user}-secret {word}")).await
        };
        // Bob is to move, and has been reminded.
        app.pass(7 * DAY + HOUR).await;
        for offer in ["propose", "undo", "substitute"] {
            assert_eq!(act("ann", offer).await, "200 ok", "{offer}");
            assert_eq!(
                act("ann", "reject").await,
                "200 ok",
                "taken back by ann, {offer} was refused by nobody"
            );
            assert_eq!(act("ann", offer).await, "200 ok", "{offer}");
            assert_eq!(act("cyd", "reject").await, "200 ok", "{offer}");
            assert_eq!(act("ann", offer).await, "409 conflict", "{offer}");
            app.work().await;
            app.letters();
            app.mail("ann@ann.example", &format!("osbo move 101 ann ann-secret {offer}"), "").await;
            let told = show_all(&app.letters());
            assert!(
                flat(&told).contains("it was refused") && flat(&told).contains("has moved once more"),
                "{offer}: {told}"
            );
        }
        // An offer of somebody else makes it possible again.
        assert_eq!(act("cyd", "propose").await, "200 ok");
        assert_eq!(act("ann", "reject").await, "200 ok");
        assert_eq!(act("ann", "propose").await, "200 ok");
        assert_eq!(act("bob", "reject").await, "200 ok");
        // And so does a move of everybody.
        app.play_on("osbo", 101, 2).await;
        assert_eq!(act("ann", "undo").await, "409 conflict", "ann herself has not moved");
        app.play_on("osbo", 101, 1).await;
        for offer in ["propose", "undo"] {
            assert_eq!(act("ann", offer).await, "200 ok", "{offer}");
            assert_eq!(act("ann", "reject").await, "200 ok", "{offer}");
        }
    }
}
