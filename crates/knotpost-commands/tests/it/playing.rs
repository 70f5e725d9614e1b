//! Verbs that start, play and watch boards.

use knotpost_commands::{
    Action, BoardSet, Command, Days, ErrorCode, GivenOption, LimitChange, QueuedMove, SeekChange,
    ServerOptions, Verb,
};

use super::{code, fred, read, words};

fn osbox() -> String {
    "osbox".to_owned()
}

fn text(word: &str) -> Action {
    Action::Move(word.to_owned())
}

fn given(name: &str, value: Option<&str>) -> GivenOption {
    GivenOption { name: name.to_owned(), value: value.map(str::to_owned) }
}

#[test]
fn a_challenge_carries_options_of_game_and_server() {
    let line = "osbox challenge ann -any bob --nag=2.5 -forfeittime=14 -score=dice --unrated ann";
    let Command::Challenge { game, players, options, server } = read(line) else { panic!("no challenge") };
    assert_eq!((game, players), (osbox(), words(&["ann", "bob", "ann"])));
    assert_eq!(options, [given("any_side", None), given("score", Some("dice"))]);
    let expected = ServerOptions {
        nagtime: Days::from_word("2.5"),
        forfeittime: Days::from_word("14"),
        totaltime: None,
        unrated: true,
        computer: None,
    };
    assert_eq!(server, expected);
}

#[test]
fn the_dashes_decide_between_options_of_one_beginning() {
    let Command::Challenge { server, .. } = read("osbox challenge ann --t=90") else {
        panic!("no challenge")
    };
    assert_eq!(server.totaltime, Days::from_word("90"));
    let Command::Challenge { options, .. } = read("osbox challenge ann -n") else { panic!("no challenge") };
    assert_eq!(options, [given("no_capture", None)]);
    assert_eq!(code("osbox challenge ann -thi"), ErrorCode::BadOption);
}

#[test]
fn bad_options_are_refused() {
    for bad in [
        "-colour=red",
        "-size",
        "-size=",
        "-any_side=1",
        "--nagtime",
        "--nagtime=0",
        "--nagtime=soon",
        "--unrated=1",
        "--unrated --unrated",
        "--totaltime=5 -totaltime=6",
        "-thick_knotsx",
    ] {
        assert_eq!(code(&format!("osbox challenge ann bob {bad}")), ErrorCode::BadOption, "{bad}");
    }
    assert_eq!(code("osbox move 101 fred secret f12 -size=5"), ErrorCode::BadOption);
    assert_eq!(code("osbox challenge"), ErrorCode::WrongArguments);
    assert_eq!(code("osbox challenge ann 101"), ErrorCode::WrongArguments);
}

#[test]
fn every_action_is_a_move() {
    for (word, action) in [
        ("f12", text("f12")),
        ("F:12", text("F:12")),
        ("pass", Action::Pass),
        ("swap", Action::Swap),
        ("Propose", Action::Propose),
        ("undo", Action::Undo),
        ("accept", Action::Accept),
        ("REJECT", Action::Reject),
        ("resign", Action::Resign),
        ("prop", text("prop")),
    ] {
        let command = read(&format!("osbox move 101 fred secret {word}#3"));
        let expected =
            Command::Move { game: Some(osbox()), board: 101, who: fred(), action, number: Some(3) };
        assert_eq!(command, expected, "{word}");
    }
    assert_eq!(read("osbox move 101 fred secret swap").verb(), Verb::Swap);
}

/// Books mark a mate by `#` behind the move.
#[test]
fn a_sign_behind_a_move_is_no_number() {
    for word in ["Qxf7#", "Qxf7#!", "Qxf7+"] {
        for (line, number) in [(word.to_owned(), None), (format!("{word}#8"), Some(8))] {
            let command = read(&format!("osbox move 101 fred secret {line}"));
            let expected =
                Command::Move { game: Some(osbox()), board: 101, who: fred(), action: text(word), number };
            assert_eq!(command, expected, "{line}");
        }
    }
}

#[test]
fn a_bad_move_line_is_told_apart() {
    for (line, expected) in [
        ("osbox move 101 fred secret", ErrorCode::WrongArguments),
        ("osbox move 101 fred secret f12 g4", ErrorCode::WrongArguments),
        ("osbox move fred secret f12 101", ErrorCode::WrongArguments),
        ("osbox move 101#3 fred secret f12", ErrorCode::WrongArguments),
        ("osbox move 101 fred secret f12#x", ErrorCode::BadValue),
        ("osbox move 101 fred secret f12#0", ErrorCode::BadValue),
        ("osbox move 101 fred secret #3", ErrorCode::BadValue),
    ] {
        assert_eq!(code(line), expected, "{line}");
    }
}

#[test]
fn moves_queue_up_with_conditions() {
    let line = "osbox queue 123 fred secret f1#7 if:f9 g4 if:f12 a1 pass";
    let queued =
        |condition: Option<&str>, action| QueuedMove { condition: condition.map(str::to_owned), action };
    let moves = vec![
        queued(None, text("f1")),
        queued(Some("f9"), text("g4")),
        queued(Some("f12"), text("a1")),
        queued(None, Action::Pass),
    ];
    let expected = Command::Queue { game: osbox(), board: 123, who: fred(), moves, number: Some(7) };
    assert_eq!(read(line), expected);
    for synonym in ["qmove", "moveq", "qboard", "boardq"] {
        assert_eq!(read(&line.replace("queue", synonym)), expected, "{synonym}");
    }
    for bad in ["if:f9", "f1 if:", "if:f9 if:f1 g4", "f1 if:f9", "resign", "propose"] {
        assert_eq!(code(&format!("osbox queue 123 fred secret {bad}")), ErrorCode::BadValue, "{bad}");
    }
    assert_eq!(code("osbox queue 123 fred secret"), ErrorCode::WrongArguments);
}

#[test]
fn bare_board_verbs_take_three_words() {
    assert_eq!(read("osbox chat 101 fred secret"), Command::Chat { game: osbox(), board: 101, who: fred() });
    assert_eq!(
        read("osbox conf 101 fred secret"),
        Command::Confirm { game: osbox(), board: 101, who: fred() }
    );
    for verb in ["chat", "confirm", "swap", "resign"] {
        assert_eq!(code(&format!("osbox {verb} 101 fred")), ErrorCode::WrongArguments, "{verb}");
        assert_eq!(code(&format!("osbox {verb} 101 fred secret x")), ErrorCode::WrongArguments, "{verb}");
        assert_eq!(code(&format!("osbox {verb} fred secret 101")), ErrorCode::WrongArguments, "{verb}");
    }
}

#[test]
fn submit_takes_what_can_stand_for_a_turn() {
    let submit = |action| Command::Submit { game: osbox(), board: 101, who: fred(), action, number: None };
    assert_eq!(read("osbox subm 101 fred secret f12"), submit(text("f12")));
    assert_eq!(read("osbox submit 101 fred secret --"), submit(Action::Pass));
    assert_eq!(code("osbox submit 101 fred secret resign"), ErrorCode::BadValue);
}

#[test]
fn previews_start_from_a_board_or_from_nothing() {
    let moves = vec![text("f12"), Action::Pass, text("g4")];
    assert_eq!(
        read("osbox prev 101#-2 f12 -- g4"),
        Command::Preview { game: osbox(), board: 101, at: Some(-2), moves: moves.clone() }
    );
    let options = vec![given("size", Some("5"))];
    assert_eq!(
        read("osbox preview new 2 f12 -- g4 -size=5"),
        Command::PreviewNew { game: osbox(), players: 2, moves, options }
    );
    assert!(matches!(read("osbox preview new 3"), Command::PreviewNew { players: 3, .. }));
    for bad in ["", "101", "fred f12", "new", "new x", "new 0"] {
        assert_eq!(code(&format!("osbox preview {bad}")), ErrorCode::WrongArguments, "{bad}");
    }
    assert_eq!(code("osbox preview 101 resign"), ErrorCode::BadValue);
    assert_eq!(code("osbox preview 101 f12 -size=5"), ErrorCode::BadOption);
}

#[test]
fn limits_and_advertisements_have_numbers() {
    let limit = |change| Command::Limit { game: osbox(), who: fred(), change };
    assert_eq!(read("osbox limit fred secret"), limit(LimitChange::Show));
    assert_eq!(read("osbox limit fred secret none"), limit(LimitChange::Unlimited));
    assert_eq!(read("osbox limit fred secret 5"), limit(LimitChange::AtMost(5)));
    assert_eq!(code("osbox limit fred secret many"), ErrorCode::BadValue);
    let seek = |line: &str| match read(line) {
        Command::Seek { change, options, .. } => (change, options.len()),
        other => panic!("{other:?}"),
    };
    assert_eq!(seek("osbox seek fred secret"), (SeekChange::Show, 0));
    assert_eq!(seek("osbox seek fred secret 0"), (SeekChange::Cancel, 0));
    assert_eq!(seek("osbox seek -size=5 fred secret 2 --unrated"), (SeekChange::Want(2), 1));
    assert_eq!(code("osbox seek fred secret -size=5"), ErrorCode::WrongArguments);
    assert_eq!(code("osbox seek fred secret 2 -3"), ErrorCode::BadOption);
    assert_eq!(read("osbox accept fred secret"), Command::Accept { game: osbox(), who: fred() });
    assert_eq!(read("osbox reject fred secret"), Command::Reject { game: osbox(), who: fred() });
}

#[test]
fn subscriptions_name_the_board_first_or_last() {
    let these = |boards: &[u32]| BoardSet::These(boards.to_vec());
    let sub = |boards| Command::Subscribe { game: osbox(), who: fred(), boards };
    assert_eq!(read("osbox sub 101 fred secret"), sub(these(&[101])));
    assert_eq!(read("osbox subscribe #101 fred secret"), sub(these(&[101])));
    assert_eq!(read("osbox subs fred secret 101 #102"), sub(these(&[101, 102])));
    assert_eq!(read("osbox subscribe fred secret all"), sub(BoardSet::All));
    let unsub = |boards| Command::Unsubscribe { game: osbox(), who: fred(), boards };
    assert_eq!(read("osbox unsub 101 fred secret"), unsub(these(&[101])));
    assert_eq!(read("osbox unsubs fred secret ALL"), unsub(BoardSet::All));
    for bad in ["", "fred secret", "101 fred", "101 fred secret 102", "fred secret all 101", "fred secret x"]
    {
        assert_eq!(code(&format!("osbox subscribe {bad}")), ErrorCode::WrongArguments, "{bad}");
    }
    let notify = |boards: &[u32]| Command::Notify { game: osbox(), who: fred(), boards: boards.to_vec() };
    assert_eq!(read("osbox notify fred secret"), notify(&[]));
    assert_eq!(read("osbox notify fred secret 101 102"), notify(&[101, 102]));
    assert_eq!(code("osbox notify fred secret x"), ErrorCode::WrongArguments);
}
