//! Verbs that only look.

use knotpost_commands::{BoardAt, Command, ErrorCode, Selector};

use super::{code, fred, read, words};

fn osbox() -> String {
    "osbox".to_owned()
}

fn at(number: u32, at: Option<i64>) -> BoardAt {
    BoardAt { number, at }
}

#[test]
fn show_takes_boards_or_users_but_not_both() {
    assert_eq!(
        read("osbox show 101 #102#3"),
        Command::ShowBoards { game: osbox(), boards: vec![at(101, None), at(102, Some(3))] }
    );
    for (line, selector) in [
        ("osbox show fred ann", None),
        ("osbox show fred tournament ann", Some(Selector::Tournament)),
        ("osbox show ALL fred ann", Some(Selector::All)),
    ] {
        let expected = Command::ShowUsers { game: osbox(), users: words(&["fred", "ann"]), selector };
        assert_eq!(read(line), expected, "{line}");
    }
    for bad in ["101 fred", "fred 101", "fred next active", "board", "board fred", "#"] {
        assert_eq!(code(&format!("osbox show {bad}")), ErrorCode::WrongArguments, "{bad}");
    }
}

#[test]
fn a_shortened_selector_is_a_userid() {
    assert_eq!(
        read("osbox show fred acti"),
        Command::ShowUsers { game: osbox(), users: words(&["fred", "acti"]), selector: None }
    );
}

#[test]
fn everything_at_once_is_too_much_mail() {
    for line in ["osbox show", "osbox show all", "osbox show next", "osbox show standard"] {
        assert_eq!(code(line), ErrorCode::TooMuchMail, "{line}");
    }
    let all = Command::ShowUsers { game: osbox(), users: Vec::new(), selector: Some(Selector::Tournament) };
    assert_eq!(read("osbox show tournament"), all);
}

#[test]
fn showas_takes_boards_or_a_selector() {
    let show =
        |boards: Vec<BoardAt>, selector| Command::ShowAs { game: osbox(), who: fred(), boards, selector };
    assert_eq!(read("osbox showas fred secret"), show(Vec::new(), None));
    assert_eq!(read("osbox showas fred secret 101#2 102"), show(vec![at(101, Some(2)), at(102, None)], None));
    assert_eq!(read("osbox showas fred secret next"), show(Vec::new(), Some(Selector::Next)));
    for bad in ["fred", "fred secret next 101", "fred secret ann"] {
        assert_eq!(code(&format!("osbox showas {bad}")), ErrorCode::WrongArguments, "{bad}");
    }
}

#[test]
fn tables_take_users() {
    let games = |users: &[&str], selector| Command::Games { game: osbox(), users: words(users), selector };
    assert_eq!(read("osbox games"), games(&[], None));
    assert_eq!(read("osbox game fred active"), games(&["fred"], Some(Selector::Active)));
    assert_eq!(code("osbox games tournament"), ErrorCode::BadValue);
    assert_eq!(read("osbox history"), Command::History { game: osbox(), users: Vec::new() });
    assert_eq!(read("osbox hist fred"), Command::History { game: osbox(), users: words(&["fred"]) });
    assert_eq!(read("osbox ratings"), Command::Standings { game: osbox() });
    assert_eq!(read("osbox stand"), Command::Standings { game: osbox() });
    assert_eq!(code("osbox standings fred"), ErrorCode::WrongArguments);
}

#[test]
fn records_and_help_pages_are_asked_for() {
    assert_eq!(read("osbox export 101#5"), Command::Export { game: osbox(), board: at(101, Some(5)) });
    assert_eq!(code("osbox export"), ErrorCode::WrongArguments);
    assert_eq!(code("osbox export fred"), ErrorCode::WrongArguments);
    assert_eq!(read("Osbox Help"), Command::Help { subjects: words(&["osbox"]) });
    assert_eq!(read("help Osbox challenge"), Command::Help { subjects: words(&["osbox", "challenge"]) });
}
