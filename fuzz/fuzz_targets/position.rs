//! Any text as a position string of any game: what is read prints to a text that stands for the same position, and every
//! move listed there can be played.
#![no_main]

use knotpost_fuzz::Table;
use knotpost_rules::Turn;
use libfuzzer_sys::fuzz_target;

/// Moves tried of a long list.
const MOST_MOVES: usize = 40;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let Some(table) = Table::read(first) else { return };
    let position = match table.parse_position(rest) {
        Ok(position) => position,
        Err(error) => {
            assert!(!error.to_string().contains('\n'));
            return;
        }
    };
    table.check(position.as_ref());
    for mv in position.legal_moves().iter().take(MOST_MOVES) {
        let mut next = position.clone_box();
        next.play(Turn::Move(mv)).unwrap_or_else(|error| panic!("{mv}: {error}"));
        table.check(next.as_ref());
    }
    for word in position.legal_words() {
        let mut next = position.clone_box();
        next.play(Turn::from_word(word)).unwrap_or_else(|error| panic!("{word}: {error}"));
        table.check(next.as_ref());
    }
});
