//! Lines as players of such servers have been sending them.

use knotpost_commands::{Action, BoardAt, Command, ErrorCode, GivenOption, Selector, ServerOptions};

use super::{code, fred, read, who, words};

fn osbox_move(number: Option<u32>) -> Command {
    Command::Move {
        game: Some("osbox".to_owned()),
        board: 101,
        who: fred(),
        action: Action::Move("f12".to_owned()),
        number,
    }
}

fn osbox_challenge() -> Command {
    Command::Challenge {
        game: "osbox".to_owned(),
        players: words(&["ann", "bob"]),
        options: vec![GivenOption { name: "size".to_owned(), value: Some("5".to_owned()) }],
        server: ServerOptions::default(),
    }
}

#[test]
fn a_new_user_signs_up_with_an_address() {
    let expected = Command::Signup { who: who("fsmith", "chocolate"), addresses: words(&["fms123@moo.com"]) };
    assert_eq!(read("signup fsmith chocolate fms123@moo.com"), expected);
}

#[test]
fn help_and_list_take_subjects() {
    assert_eq!(read("help tutorial"), Command::Help { subjects: words(&["tutorial"]) });
    assert_eq!(read("list osbox"), Command::List { games: words(&["osbox"]) });
}

#[test]
fn a_game_that_is_not_here_is_an_unknown_game() {
    assert_eq!(code("hex challenge -size=19 ann bob"), ErrorCode::UnknownGame);
}

#[test]
fn options_stand_anywhere_and_may_be_shortened() {
    for line in [
        "osbox challenge ann bob -size=5",
        "osbox challenge -size=5 ann bob",
        "osbox chall -si=5 ann bob",
        "-size=5 osbox challenge ann bob",
        "osbox challenge ann –size=5 bob",
        "osbox challenge ann --size=5 bob",
    ] {
        assert_eq!(read(line), osbox_challenge(), "{line}");
    }
}

#[test]
fn a_move_is_a_move_however_it_is_written() {
    for line in [
        "OSBOX MOVE 101 fred secret f12",
        "osbox move #101 fred secret f12",
        "osbox board 101 fred secret f12",
        "osbox mvoe 101 fred secret f12",
        "Re: Osbox Board 101 fred ** secret f12",
        "Re: Osbox Board 101 fred secret f12",
        "AW: Re: [games] Osbox Board 101 fred ** secret f12",
        "Re: New Osbox Board 101 fred secret f12",
        "Re: Nag: Osbox Board 101 fred secret f12",
        "osbox move 101 fred “secret” f12",
    ] {
        assert_eq!(read(line), osbox_move(None), "{line}");
    }
    assert_eq!(read("osbox move 101 fred secret f12#8"), osbox_move(Some(8)));
}

#[test]
fn only_a_move_may_lack_its_game() {
    for line in ["move 101 fred secret f12", "board 101 fred secret f12", "mvoe 101 fred secret f12"] {
        let command = read(line);
        assert!(matches!(command, Command::Move { game: None, board: 101, .. }), "{line}: {command:?}");
    }
    for line in ["resign 101 fred secret", "challenge ann bob", "show 101"] {
        assert_eq!(code(line), ErrorCode::UnknownCommand, "{line}");
    }
}

#[test]
fn boards_and_users_are_shown() {
    let osbox = || "osbox".to_owned();
    let at = |at| Command::ShowBoards { game: osbox(), boards: vec![BoardAt { number: 101, at }] };
    assert_eq!(read("osbox show board 101"), at(None));
    assert_eq!(read("osbox show 101"), at(None));
    assert_eq!(read("osbox show 101#-1"), at(Some(-1)));
    let next = Command::ShowUsers { game: osbox(), users: words(&["fred"]), selector: Some(Selector::Next) };
    assert_eq!(read("osbox show fred next"), next);
}

#[test]
fn resign_swap_and_skip_are_moves() {
    let act = |game: &str, action| Command::Move {
        game: Some(game.to_owned()),
        board: 101,
        who: fred(),
        action,
        number: None,
    };
    assert_eq!(read("osbox resign 101 fred secret"), act("osbox", Action::Resign));
    assert_eq!(read("obsidio swap 101 fred secret"), act("obsidio", Action::Swap));
    for skip in ["--", "-", "—", "–", "pass", "PASS"] {
        assert_eq!(read(&format!("osbox move 101 fred secret {skip}")), act("osbox", Action::Pass), "{skip}");
    }
}
