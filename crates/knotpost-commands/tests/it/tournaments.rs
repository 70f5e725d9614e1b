//! Verbs of tournaments.

use knotpost_commands::{
    Command, Days, DirectorAction, ErrorCode, GivenOption, TOURNAMENT_OPTIONS, TournamentPart,
    TournamentSelector, mask, parse,
};

use super::{code, fred, read, vocabulary};

fn given(name: &str, value: Option<&str>) -> GivenOption {
    GivenOption { name: name.to_owned(), value: value.map(str::to_owned) }
}

#[test]
fn an_announcement_names_game_and_form_and_divides_its_options() {
    let announced = |options, terms| Command::Announce {
        game: "osbox".to_owned(),
        who: fred(),
        form: "roundrobin".to_owned(),
        options,
        terms,
    };
    assert_eq!(read("announce fred secret osbox RoundRobin"), announced(Vec::new(), Vec::new()));
    let terms = vec![given("players", Some("4-8")), given("closed", None), given("nagtime", Some("0.5"))];
    let line = "announce -size=5 fred secret osbo roundrobin -pl=4-8 --clos -nag=0.5";
    let Command::Announce { game, options, terms: read_terms, .. } = read(line) else { panic!("{line}") };
    assert_eq!((game.as_str(), options, read_terms), ("osbo", vec![given("size", Some("5"))], terms));
    for option in TOURNAMENT_OPTIONS {
        let value = option.example.map(|value| format!("={value}")).unwrap_or_default();
        let line = format!("announce fred secret osbox roundrobin -{}{value}", option.name);
        assert_eq!(read(&line), announced(Vec::new(), vec![given(option.name, option.example)]), "{line}");
    }
}

#[test]
fn a_bad_announcement_is_refused_with_what_there_is() {
    for (line, expected, named) in [
        ("announce fred secret osbox", ErrorCode::WrongArguments, "missing"),
        ("announce fred secret osbox roundrobin now", ErrorCode::WrongArguments, "more words"),
        ("announce fred secret chess roundrobin", ErrorCode::UnknownGame, "osbox"),
        ("announce fred secret osbox knockout", ErrorCode::BadValue, "roundrobin"),
        ("announce fred secret osbox roundrobin -players", ErrorCode::BadOption, "-players=4-8"),
        ("announce fred secret osbox roundrobin -closed=yes", ErrorCode::BadOption, "alone"),
        (
            "announce fred secret osbox roundrobin -lives=5",
            ErrorCode::BadOption,
            "-roundtime=60 (roundrobin, swiss, league; default 120, swiss 30, league 90)",
        ),
        ("announce fred secret osbox roundrobin -hand=1a", ErrorCode::BadOption, "-size=..."),
    ] {
        assert_eq!(code(line), expected, "{line}");
        let error = parse(line, &vocabulary()).unwrap_err();
        assert!(error.message.contains(named), "{line}: {error}");
    }
}

#[test]
fn tournaments_are_named_by_t_and_a_number() {
    for word in ["t12", "T12", "t012"] {
        assert_eq!(
            read(&format!("enter fred secret {word}")),
            Command::Enter { who: fred(), tournament: "t12".to_owned() }
        );
    }
    assert_eq!(
        read("withdraw fred secret t1"),
        Command::Withdraw { who: fred(), tournament: "t1".to_owned() }
    );
    let show = |part| Command::Tournament { tournament: "t1".to_owned(), part };
    assert_eq!(read("tournament t1"), show(None));
    assert_eq!(read("tournament t1 B"), show(Some(TournamentPart::Group("b".to_owned()))));
    assert_eq!(read("tournament t1 2"), show(Some(TournamentPart::Round(2))));
    assert_eq!(code("tournament t1 first"), ErrorCode::BadValue);
    assert_eq!(code("tournament t1 0"), ErrorCode::BadValue);
    for line in
        ["enter fred secret", "enter fred secret 12", "enter fred secret t", "tournament", "tournament osbox"]
    {
        assert_eq!(code(line), ErrorCode::WrongArguments, "{line}");
    }
    assert_eq!(code("enter fred secret t1 -closed"), ErrorCode::BadOption);
}

#[test]
fn a_list_of_tournaments_takes_a_game_and_a_choice_in_any_order() {
    let list = |game: Option<&str>, which| Command::Tournaments { game: game.map(str::to_owned), which };
    assert_eq!(read("tournaments"), list(None, None));
    assert_eq!(read("Tournaments Over"), list(None, Some(TournamentSelector::Over)));
    for line in ["tournaments osbox open", "tournaments open osbox"] {
        assert_eq!(read(line), list(Some("osbox"), Some(TournamentSelector::Open)), "{line}");
    }
    assert_eq!(code("tournaments osbox osbo"), ErrorCode::WrongArguments);
    assert_eq!(code("tournaments open all"), ErrorCode::WrongArguments);
    assert_eq!(code("tournaments chess"), ErrorCode::UnknownGame);
}

#[test]
fn a_director_says_what_to_do_in_a_word() {
    let ann = || "ann".to_owned();
    let actions = [
        ("start", DirectorAction::Start),
        ("Cancel", DirectorAction::Cancel),
        ("say", DirectorAction::Say),
        ("extend 7,5", DirectorAction::Extend(Days::from_word("7.5").unwrap())),
        ("admit ann", DirectorAction::Admit(ann())),
        ("expel ann", DirectorAction::Expel(ann())),
        ("hand ann", DirectorAction::Hand(ann())),
        ("award #101 2", DirectorAction::Award { board: 101, seat: Some(2) }),
        ("award 101 TIE", DirectorAction::Award { board: 101, seat: None }),
    ];
    for (words, action) in actions {
        assert!(DirectorAction::ALL.iter().any(|(word, _)| *word == action.as_str()), "{words}");
        let line = format!("direct fred secret t1 {words}");
        assert_eq!(
            read(&line),
            Command::Direct { who: fred(), tournament: "t1".to_owned(), action },
            "{line}"
        );
    }
    for (words, expected) in [
        ("", ErrorCode::WrongArguments),
        ("pause", ErrorCode::WrongArguments),
        ("start now", ErrorCode::WrongArguments),
        ("extend", ErrorCode::WrongArguments),
        ("extend soon", ErrorCode::BadValue),
        ("admit 7", ErrorCode::WrongArguments),
        ("award 101", ErrorCode::WrongArguments),
        ("award ann 1", ErrorCode::WrongArguments),
        ("award 101 0", ErrorCode::BadValue),
        ("award 101 ann", ErrorCode::BadValue),
    ] {
        assert_eq!(code(&format!("direct fred secret t1 {words}")), expected, "{words}");
    }
    let error = parse("direct fred secret t1 strat", &vocabulary()).unwrap_err();
    assert!(error.message.contains("`extend`") && error.suggestions == ["start"], "{error}");
}

#[test]
fn a_challenge_on_a_ladder_may_leave_the_opponent_out() {
    let challenge = |opponent: Option<&str>| Command::LadderChallenge {
        who: fred(),
        tournament: "t1".to_owned(),
        opponent: opponent.map(str::to_owned),
    };
    assert_eq!(read("ladder challenge fred secret t1"), challenge(None));
    assert_eq!(read("Ladder Challenge fred secret T01 ann"), challenge(Some("ann")));
    for line in [
        "ladder challenge fred secret",
        "ladder challenge fred secret ann",
        "ladder challenge fred secret t1 ann bob",
        "ladder challenge fred secret t1 7",
    ] {
        assert_eq!(code(line), ErrorCode::WrongArguments, "{line}");
    }
    assert_eq!(code("ladder challenge fred secret t1 -window=3"), ErrorCode::BadOption);
}

#[test]
fn a_line_of_tournaments_keeps_all_but_its_password() {
    for (line, expected) in [
        (
            "announce carolina secret1 osbox roundrobin -players=4-8",
            "announce carolina ******** osbox roundrobin -players=4-8",
        ),
        ("enter carolina secret1 t12", "enter carolina ******** t12"),
        ("direct carolina secret1 t12 expel freddie", "direct carolina ******** t12 expel freddie"),
        ("ladder challenge carolina secret1 t12 freddie", "ladder challenge carolina ******** t12 freddie"),
        ("enter carolina secret1", "enter ******** ********"),
        ("enter secret1 t12", "enter ******** ********"),
    ] {
        assert_eq!(mask(line, &vocabulary()), expected, "{line}");
    }
}
