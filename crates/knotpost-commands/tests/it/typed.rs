//! Commands that were put together, held against what a line could say.

use knotpost_commands::{
    Action, BoardSet, Command, Credentials, DirectorAction, ErrorCode, ExampleContext, GivenOption,
    MOST_LINE_BYTES, MOST_NAMES, Password, SeekChange, ServerOptions, Setting, Vacation, Verb, check, parse,
    read_word,
};
use proptest::prelude::*;

use super::{fred, read, vocabulary, who, words};

/// A command of every verb, and what else may be said with some.
fn commands() -> Vec<Command> {
    let examples = Verb::all().iter().map(|verb| verb.spec().example(&ExampleContext::default()));
    let more = [
        "osbox help moves",
        "list osbox osbo",
        "set fred secret moves=mine timezone=Europe/Vienna",
        "osbox set fred secret confirm=on",
        "vacation fred secret 2027-02-28",
        "vacation fred secret off",
        "resend fred secret osbox 101",
        "test display fred",
        "puzzle osbox 60 f12",
        "osbox challenge -size=5 -no_capture --nagtime=2.5 --unrated ann bob",
        "osbox seek fred secret 3 -size=5 --totaltime=7",
        "osbox limit fred secret none",
        "osbox move 101 fred secret f12#7",
        "move 101 fred secret --",
        "osbox queue 101 fred secret if:f9 f10 f12#3",
        "osbox submit 101 fred secret pass",
        "osbox preview 101#3 f1 f2",
        "osbox preview new 2 -size=3 f1",
        "osbox subscribe fred secret all",
        "osbox unsubscribe 101 fred secret",
        "osbox notify fred secret 101 102",
        "osbox show tournament",
        "osbox show 101#2 102",
        "osbox showas fred secret 101 102#-1",
        "osbox games ann bob next",
        "osbox history ann",
        "tournaments over",
        "tournament t12 b",
        "tournament t12 2",
        "announce fred secret osbox roundrobin -size=5 --players=4-8 --closed -roundtime=0.5",
        "direct fred secret t12 extend 2.5",
        "direct fred secret t12 expel ann",
        "direct fred secret t12 award 101 tie",
        "direct fred secret t12 award 101 2",
        "osbox export 101#4",
    ];
    examples.chain(more.map(str::to_owned)).map(|line| read(&line)).collect()
}

/// Every text in a command but userids and passwords of its sender, with whether it may begin with a dash.
fn texts(command: &mut Command) -> Vec<&mut String> {
    match command {
        Command::Help { subjects: texts }
        | Command::Signup { addresses: texts, .. }
        | Command::Add { addresses: texts, .. }
        | Command::ChangeAddress { addresses: texts, .. }
        | Command::Signoff { addresses: texts, .. }
        | Command::List { games: texts }
        | Command::Message { to: texts, .. }
        | Command::Relate { users: texts, .. }
        | Command::AllShow { users: texts, .. }
        | Command::AllGames { users: texts, .. } => texts.iter_mut().collect(),
        Command::PasswordReset { userid } => vec![userid],
        Command::Players { begin } => begin.iter_mut().collect(),
        Command::Profile { userid, other } => [userid].into_iter().chain(other).collect(),
        Command::Puzzle { game, play, .. } => game.iter_mut().chain(play).collect(),
        Command::TestDisplay { userid } => userid.iter_mut().collect(),
        Command::Set { game, values, .. } => {
            game.iter_mut().chain(values.iter_mut().map(|setting| &mut setting.value)).collect()
        }
        Command::Tournament { tournament, .. }
        | Command::Enter { tournament, .. }
        | Command::Withdraw { tournament, .. } => vec![tournament],
        Command::LadderChallenge { tournament, opponent, .. } => {
            [tournament].into_iter().chain(opponent).collect()
        }
        Command::Announce { game, form, options, terms, .. } => {
            [game, form].into_iter().chain(options.iter_mut().chain(terms).flat_map(of_option)).collect()
        }
        Command::Direct { tournament, action, .. } => match action {
            DirectorAction::Admit(userid) | DirectorAction::Expel(userid) | DirectorAction::Hand(userid) => {
                vec![tournament, userid]
            }
            DirectorAction::Start
            | DirectorAction::Cancel
            | DirectorAction::Extend(_)
            | DirectorAction::Award { .. }
            | DirectorAction::Say => vec![tournament],
        },
        Command::Challenge { game, players, options, .. } => {
            [game].into_iter().chain(players).chain(options.iter_mut().flat_map(of_option)).collect()
        }
        Command::Seek { game, options, .. } => {
            [game].into_iter().chain(options.iter_mut().flat_map(of_option)).collect()
        }
        Command::Move { game, action: one, .. } => game.iter_mut().chain(action(one)).collect(),
        Command::Submit { game, action: one, .. } => [game].into_iter().chain(action(one)).collect(),
        Command::Queue { game, moves, .. } => {
            let moves = moves.iter_mut().flat_map(|queued| {
                queued.condition.iter_mut().chain(action(&mut queued.action)).collect::<Vec<_>>()
            });
            [game].into_iter().chain(moves).collect()
        }
        Command::Preview { game, moves, .. } => {
            [game].into_iter().chain(moves.iter_mut().filter_map(action)).collect()
        }
        Command::PreviewNew { game, moves, options, .. } => {
            let options = options.iter_mut().flat_map(of_option);
            [game].into_iter().chain(moves.iter_mut().filter_map(action)).chain(options).collect()
        }
        Command::ShowUsers { game, users, .. }
        | Command::Games { game, users, .. }
        | Command::History { game, users } => [game].into_iter().chain(users).collect(),
        Command::Resend { game, .. } | Command::Tournaments { game, .. } => game.iter_mut().collect(),
        Command::Chat { game, .. }
        | Command::Confirm { game, .. }
        | Command::Accept { game, .. }
        | Command::Reject { game, .. }
        | Command::Rematch { game, .. }
        | Command::Hint { game, .. }
        | Command::Favourite { game, .. }
        | Command::Analyse { game, .. }
        | Command::Limit { game, .. }
        | Command::Subscribe { game, .. }
        | Command::Unsubscribe { game, .. }
        | Command::Notify { game, .. }
        | Command::ShowBoards { game, .. }
        | Command::ShowAs { game, .. }
        | Command::Standings { game }
        | Command::Export { game, .. } => vec![game],
        Command::ChangePassword { .. }
        | Command::Delete { .. }
        | Command::ExportMe { .. }
        | Command::Broadcast { .. }
        | Command::Multiple
        | Command::About { .. }
        | Command::Vacation { .. } => Vec::new(),
    }
}

fn action(action: &mut Action) -> Option<&mut String> {
    if let Action::Move(text) = action { Some(text) } else { None }
}

fn of_option(option: &mut GivenOption) -> Vec<&mut String> {
    [&mut option.name].into_iter().chain(&mut option.value).collect()
}

/// Who a command is from.
fn sender(command: &mut Command) -> Option<&mut Credentials> {
    match command {
        Command::Signup { who, .. }
        | Command::Add { who, .. }
        | Command::ChangePassword { who, .. }
        | Command::Message { who, .. }
        | Command::Relate { who, .. }
        | Command::Set { who, .. }
        | Command::Move { who, .. }
        | Command::Seek { who, .. }
        | Command::Subscribe { who, .. }
        | Command::Announce { who, .. }
        | Command::Enter { who, .. }
        | Command::Withdraw { who, .. }
        | Command::Direct { who, .. }
        | Command::LadderChallenge { who, .. } => Some(who),
        _ => None,
    }
}

/// What is no word, whatever is meant by it.
fn no_words() -> [(String, ErrorCode); 7] {
    let long = "a".repeat(100_000);
    [
        (String::new(), ErrorCode::BadValue),
        ("f1 resign".to_owned(), ErrorCode::BadValue),
        ("f1\nosbox resign 101 fred secret".to_owned(), ErrorCode::BadValue),
        ("f1\r".to_owned(), ErrorCode::BadValue),
        ("f1\u{1}".to_owned(), ErrorCode::BadValue),
        ("f1\u{a0}x".to_owned(), ErrorCode::BadValue),
        (long, ErrorCode::TooLarge),
    ]
}

#[test]
fn no_field_of_any_command_holds_more_than_a_word() {
    let mut tried = 0;
    for command in commands() {
        let count = texts(&mut command.clone()).len();
        for field in 0..count {
            for (text, code) in no_words() {
                let mut changed = command.clone();
                texts(&mut changed)[field].clone_from(&text);
                let error = check(&changed, &vocabulary()).unwrap_err();
                assert_eq!(error.code, code, "{command:?} {field} {text:.40?}: {error}");
                assert!(error.message.len() < 1000 && !error.message.contains('\n'), "{error}");
                tried += 1;
            }
        }
    }
    assert!(tried > 300, "{tried}");
}

#[test]
fn nobody_is_named_by_more_than_a_word() {
    for command in commands() {
        for (text, code) in no_words() {
            let mut changed = command.clone();
            let Some(who) = sender(&mut changed) else { continue };
            who.userid.clone_from(&text);
            assert_eq!(check(&changed, &vocabulary()).unwrap_err().code, code, "{command:?}");
            sender(&mut changed).unwrap().userid = "fred".to_owned();
            sender(&mut changed).unwrap().password = Some(Password::given(&text));
            let error = check(&changed, &vocabulary()).unwrap_err();
            assert_eq!(error.code, code, "{command:?}: {error}");
        }
    }
}

#[test]
fn what_reads_as_an_option_is_none_and_no_user() {
    for text in ["-x", "--unrated", "-size=5", "-unrated"] {
        for mut command in commands() {
            let before = command.clone();
            for field in 0..texts(&mut command).len() {
                let mut changed = command.clone();
                text.clone_into(texts(&mut changed)[field]);
                match check(&changed, &vocabulary()) {
                    Err(_) => {}
                    // A value of an option, or the reply that a queued move waits for: both are words of the game.
                    Ok(Command::Challenge { options, .. } | Command::Seek { options, .. }) => {
                        assert!(options.iter().any(|option| option.value.as_deref() == Some(text)));
                    }
                    Ok(Command::Announce { options, terms, .. }) => {
                        let mut given = options.iter().chain(&terms);
                        assert!(given.any(|option| option.value.as_deref() == Some(text)));
                    }
                    Ok(Command::PreviewNew { options, .. }) => {
                        assert!(options.iter().any(|option| option.value.as_deref() == Some(text)));
                    }
                    Ok(Command::Queue { moves, .. }) => assert_eq!(moves[0].condition.as_deref(), Some(text)),
                    Ok(_) => panic!("{before:?} {field} {text}"),
                }
            }
        }
    }
}

#[test]
fn what_is_wrong_is_told_as_of_a_line() {
    let play = |game: &str, board, text: &str, number| Command::Move {
        game: Some(game.to_owned()),
        board,
        who: Credentials::without_password("fred"),
        action: Action::from_word(text),
        number,
    };
    let challenge = |players: &[&str], options: Vec<GivenOption>| Command::Challenge {
        game: "osbox".to_owned(),
        players: words(players),
        options,
        server: ServerOptions::default(),
    };
    let option = |name: &str, value: Option<&str>| {
        vec![GivenOption { name: name.to_owned(), value: value.map(str::to_owned) }]
    };
    let set = |name, value: &str| Command::Set {
        who: fred(),
        game: None,
        values: vec![Setting { name, value: value.to_owned() }],
    };
    for (command, line) in [
        (play("chess", 101, "f1", None), "chess move 101 fred secret f1"),
        (play("osbox", 0, "f1", None), "osbox move 0 fred secret f1"),
        (play("osbox", 101, "f1", Some(0)), "osbox move 101 fred secret f1#0"),
        (play("osbox", 101, "-x", None), "osbox move 101 fred secret -x"),
        (challenge(&["fred", "7"], Vec::new()), "osbox challenge fred 7"),
        (challenge(&[], Vec::new()), "osbox challenge"),
        (challenge(&["fred", "ann"], option("colour", None)), "osbox challenge fred ann -colour"),
        (challenge(&["fred", "ann"], option("size", None)), "osbox challenge fred ann -size"),
        (challenge(&["fred", "ann"], option("capture", Some("1"))), "osbox challenge fred ann -capture=1"),
        (set("timezone", "Nowhere!"), "set fred secret timezone=Nowhere!"),
        (set("colour", "red"), "set fred secret colour=red"),
        (set("digest", "24"), "set fred secret digest=24"),
        (Command::Add { who: fred(), addresses: words(&["nowhere"]) }, "add fred secret nowhere"),
        (Command::Signup { who: who("move", "chocolate"), addresses: Vec::new() }, "signup move chocolate"),
        (Command::Signup { who: who("fsmith", "abc"), addresses: Vec::new() }, "signup fsmith abc"),
        (
            Command::ChangePassword { who: fred(), new: Password::given("abc") },
            "change password fred secret abc",
        ),
    ] {
        let told = parse(line, &vocabulary()).unwrap_err();
        let mut error = check(&command, &vocabulary()).unwrap_err();
        if line.starts_with("osbox challenge") {
            assert_eq!(error.board, None);
        }
        error.suggestions.clone_from(&told.suggestions);
        assert_eq!(error, told, "{line}");
    }
    let told = parse("vacation fred secret never", &vocabulary()).unwrap_err();
    assert_eq!(Vacation::from_field("never", &vocabulary()).unwrap_err(), told);
    assert_eq!(Vacation::from_field("12", &vocabulary()).unwrap(), Vacation::Days(12));
}

#[test]
fn lists_are_bounded_and_hold_nothing_twice() {
    let message = |to: Vec<String>| Command::Message { who: fred(), to };
    let many = (0..=MOST_NAMES).map(|number| format!("u{number}x")).collect();
    assert_eq!(check(&message(many), &vocabulary()).unwrap_err().code, ErrorCode::TooMuchMail);
    let same = check(&message(words(&["ann", "ANN", "bob"])), &vocabulary()).unwrap();
    assert_eq!(same, message(words(&["ann", "bob"])));
    let boards = vec![1; 1000];
    let subscribe =
        Command::Subscribe { game: "osbox".to_owned(), who: fred(), boards: BoardSet::These(boards) };
    let Command::Subscribe { boards, .. } = check(&subscribe, &vocabulary()).unwrap() else { panic!() };
    assert_eq!(boards, BoardSet::These(vec![1]));
    // Together, too, words are no longer than a line.
    let long = vec!["a".repeat(MOST_LINE_BYTES / 30); 31];
    let help = Command::Help { subjects: long };
    assert_eq!(check(&help, &vocabulary()).unwrap_err().code, ErrorCode::TooLarge);
}

#[test]
fn what_is_written_in_full_may_be_shortened() {
    let seek = Command::Seek {
        game: "osbox".to_owned(),
        who: fred(),
        change: SeekChange::Want(1),
        options: vec![GivenOption { name: "NO_CAP".to_owned(), value: None }],
        server: ServerOptions::default(),
    };
    assert_eq!(check(&seek, &vocabulary()).unwrap(), read("osbox seek fred secret 1 -no_capture"));
    let address = Command::Add { who: fred(), addresses: words(&["<fred@x.y>,"]) };
    assert_eq!(check(&address, &vocabulary()).unwrap(), read("add fred secret fred@x.y"));
}

#[test]
fn a_field_is_one_word() {
    for (text, word) in [("f1", "f1"), ("a–b", "a-b"), ("„f1“", "f1"), ("\"f1\"", "f1"), ("z\u{200b}z", "zz")]
    {
        assert_eq!(read_word(text).as_deref(), Some(word), "{text}");
    }
    for text in ["", " ", "a b", "a\nb", "\t", "a\u{2800}b", "a\u{1}", "\u{200b}"] {
        assert_eq!(read_word(text), None, "{text:?}");
    }
    assert_eq!(Action::from_field("Resign"), Some(Action::Resign));
    assert_eq!(Action::from_field("Qxf7#"), Some(Action::Move("Qxf7#".to_owned())));
    for text in ["f1#3", "f1＃3", "**", ""] {
        assert_eq!(Action::from_field(text), None, "{text}");
    }
}

#[test]
fn what_was_read_from_a_line_passes_unchanged() {
    for command in commands() {
        assert_eq!(check(&command, &vocabulary()).unwrap(), command);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4 * ProptestConfig::default().cases, ..ProptestConfig::default() })]

    #[test]
    fn any_line_that_is_a_command_passes_unchanged(
        verb in prop::sample::select(Verb::all().to_vec()),
        more in prop::collection::vec(
            r#"(-size=[-"'a-z0-9]{0,3}|-no_cap|--unrated|-[a-z]{1,3}|\PC{1,5}|[a-z]{2,6}|"[a-z-]{1,4}"|if:[-#a-z0-9]{0,3}|[0-9]{1,3}(#-?[0-9])?|[a-z]{2}=[a-z]{2}|all|next|<[a-z]@[a-z]\.[a-z]>,)"#,
            0..4,
        ),
        kept in 0_usize..9,
    ) {
        let example = verb.spec().example(&ExampleContext::default());
        let front = example.split(' ').take(kept);
        let line = front.chain(more.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
        if let Ok(command) = parse(&line, &vocabulary()) {
            prop_assert_eq!(check(&command, &vocabulary()), Ok(command), "{}", line);
        }
    }
}
