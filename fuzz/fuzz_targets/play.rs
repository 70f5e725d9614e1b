//! Any text as options and turns of any game: a refused turn changes nothing, an accepted one replays by its canonical
//! spelling, and the last position reads back.
#![no_main]

use knotpost_fuzz::Table;
use knotpost_rules::{Position, Turn};
use libfuzzer_sys::fuzz_target;

/// More turns than this tell nothing new.
const MOST_TURNS: usize = 60;

/// A number stands for one of the legal moves, so that a game gets anywhere.
fn name_move(word: &str, position: &dyn Position) -> Option<String> {
    let number: usize = word.parse().ok()?;
    let moves = position.legal_moves();
    moves.get(number % moves.len().max(1)).cloned()
}

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (first, turns) = text.split_once('\n').unwrap_or((&text, ""));
    let Some(table) = Table::read(first) else { return };
    let (mut position, mut replay) = (table.set_up(), table.set_up());
    for word in turns.split_whitespace().take(MOST_TURNS) {
        let legal = name_move(word, position.as_ref());
        let before = (position.position(), position.clone_box());
        let _ = position.steps(word);
        match position.play(Turn::from_word(legal.as_deref().unwrap_or(word))) {
            Ok(played) => {
                let again = replay.play(Turn::from_word(&played.canonical));
                assert_eq!(again.as_ref(), Ok(&played));
                assert_eq!(replay.position(), position.position());
            }
            Err(error) => {
                assert!(legal.is_none(), "{legal:?} is listed, but {error}");
                assert_eq!((position.position(), position.scores()), (before.0, before.1.scores()));
            }
        }
    }
    table.check(position.as_ref());
});
