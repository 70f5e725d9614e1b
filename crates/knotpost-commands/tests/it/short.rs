//! Short commands at a reply address.

use knotpost_commands::{Action, ErrorCode, QueuedMove, ShortCommand, parse_short};

use super::vocabulary;

fn read(line: &str) -> ShortCommand {
    parse_short(line, &vocabulary()).unwrap()
}

fn act(action: Action, number: Option<u32>) -> ShortCommand {
    ShortCommand::Act { action, number }
}

fn text(word: &str) -> Action {
    Action::Move(word.to_owned())
}

#[test]
fn one_word_is_a_move_or_an_action() {
    assert_eq!(read("f12"), act(text("f12"), None));
    assert_eq!(read(" F12#8\r\n"), act(text("F12"), Some(8)));
    assert_eq!(read("move f12"), act(text("f12"), None));
    assert_eq!(read("3b:c2:1"), act(text("3b:c2:1"), None));
    for (word, action) in [
        ("resign", Action::Resign),
        ("Pass", Action::Pass),
        ("—", Action::Pass),
        ("swap", Action::Swap),
        ("propose", Action::Propose),
        ("undo", Action::Undo),
        ("accept", Action::Accept),
        ("reject", Action::Reject),
    ] {
        assert_eq!(read(word), act(action, None), "{word}");
    }
}

#[test]
fn other_words_do_more() {
    assert_eq!(read("confirm"), ShortCommand::Confirm);
    assert_eq!(read("show"), ShortCommand::Show);
    assert_eq!(read("hint"), ShortCommand::Hint);
    assert_eq!(read("preview f1 --"), ShortCommand::Preview { moves: vec![text("f1"), Action::Pass] });
    let moves = vec![
        QueuedMove { condition: None, action: text("f1") },
        QueuedMove { condition: Some("g2".to_owned()), action: text("a3") },
    ];
    assert_eq!(read("queue f1 if:g2 a3"), ShortCommand::Queue { moves });
    assert_eq!(read("chat"), ShortCommand::Chat { text: String::new() });
    assert_eq!(read("Chat  well –  played!"), ShortCommand::Chat { text: "well –  played!".to_owned() });
}

#[test]
fn more_words_than_a_move_has_are_refused() {
    for (line, expected) in [
        ("", ErrorCode::UnknownCommand),
        ("f12 g4", ErrorCode::WrongArguments),
        ("thank you for the game", ErrorCode::WrongArguments),
        ("confirm it", ErrorCode::WrongArguments),
        ("queue", ErrorCode::WrongArguments),
        ("queue if:f1", ErrorCode::WrongArguments),
        ("preview", ErrorCode::WrongArguments),
        ("preview resign", ErrorCode::WrongArguments),
        ("f12#x", ErrorCode::BadValue),
    ] {
        assert_eq!(parse_short(line, &vocabulary()).unwrap_err().code, expected, "{line}");
    }
}
