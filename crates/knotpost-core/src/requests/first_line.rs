//! First line of a reply about a board: a move, a short command, or an error.

use knotpost_commands::{Action, ParseError, ShortCommand, Vocabulary, parse_short};
use knotpost_rules::{Position, Registry, Seed};

use crate::boards::board::parse_options;
use crate::boards::{Board, Code, Games, Refusal, Standing, forgive_move, without_marks};
use crate::mailing::reply_grant::ReplyGrant;
use knotpost_storage::{ReadTx, StoreError};

const LINES_BELOW: usize = 20;

/// Move in the game's notation; `None`: not a move.
pub(super) fn read_move(
    registry: &'static Registry,
    grant: &ReplyGrant,
    line: &str,
    seats: usize,
) -> Result<Option<ShortCommand>, StoreError> {
    let corrupt = |what: String| StoreError::Corrupt(what);
    let game = registry
        .find(&grant.board.game)
        .ok_or_else(|| corrupt(format!("there is no game `{}`", grant.board.game)))?;
    let options = parse_options(game, &grant.board.options, seats).map_err(corrupt)?;
    Ok(move_in(line, game.setup(&options, seats, &Seed::default()).as_ref()))
}

/// As [`read_move`], on a position of such a board.
fn move_in(line: &str, position: &dyn Position) -> Option<ShortCommand> {
    let cleaned = knotpost_commands::clean(line);
    let is_move = |word: &str| !word.contains(char::is_whitespace) && position.is_legal_syntax(word);
    let (word, number) = match cleaned.split_once('#') {
        Some((word, number)) if number.contains(|sign: char| sign.is_alphanumeric()) => {
            (word.trim_end(), Some(without_marks(number).parse::<u32>().ok()?))
        }
        // A `#` at the end belongs to the move: books write a mate so.
        _ => (cleaned.as_str(), None),
    };
    let play = if is_move(word) { word.to_owned() } else { forgive_move(word, &is_move)? };
    // A letter is a word of many languages: as a move it stands alone.
    if play.len() == 1 && !matches!(word.get(1..), Some("" | "." | "!")) {
        return None;
    }
    Some(ShortCommand::Act { action: Action::Move(play), number })
}

/// Short command, with or without punctuation and markup around it.
pub(super) fn read_short(line: &str, vocabulary: &Vocabulary) -> Result<ShortCommand, ParseError> {
    let read = parse_short(line, vocabulary);
    if !may_be_move(&read) {
        return read;
    }
    // A full stop after a command word is accepted too.
    let bare = parse_short(without_marks(line), vocabulary);
    if may_be_move(&bare) { read } else { bare }
}

fn may_be_move(read: &Result<ShortCommand, ParseError>) -> bool {
    matches!(read, Err(_) | Ok(ShortCommand::Act { action: Action::Move(_), .. }))
}

/// Error for a line that is no short command, with its board. `below` is the text under it.
pub(crate) async fn refuse(
    tx: &mut ReadTx,
    games: &Games,
    grant: &ReplyGrant,
    error: &ParseError,
    (line, below): (&str, &str),
) -> Result<Refusal, StoreError> {
    let code = Code::from_word(error.code.as_str()).unwrap_or(Code::WrongArguments);
    let mut refusal = Refusal::new(code, error.message.clone());
    let board = Board::load(tx, games, &grant.board.game, grant.board.number as u32).await?;
    if let Some(board) = &board {
        if let Some(play) = find_move(line, below, board) {
            refusal =
                refusal.hint(format!("If `{play}` is your move, write `{play}` alone on the first line."));
        } else if let Some(play) = board.position.example_move() {
            refusal = refusal.hint(format!("A move is the first line of the reply, alone: {play}"));
        }
        if may_decline(board, grant) {
            refusal = refusal.hint(
                "To decline this game, reply with `resign` alone on the first line: before your first move that is \
                 unrated.",
            );
        }
    }
    let refusal = refusal.hint(
        "Other first lines: resign, pass, swap, propose, undo, accept, reject, confirm, show, queue MOVE, \
               preview MOVE, chat. `help reply` explains them.",
    );
    Ok(match board {
        Some(board) => refusal.about(board),
        None => refusal,
    })
}

fn find_move(line: &str, below: &str, board: &Board) -> Option<String> {
    if !matches!(board.standing(), Standing::ToMove(_)) {
        return None;
    }
    let position: &dyn Position = &*board.position;
    let lines = below.lines().take(LINES_BELOW).filter_map(|line| match move_in(line, position)? {
        ShortCommand::Act { action: Action::Move(play), .. } => Some(play),
        _ => None,
    });
    let is_move = |word: &&str| position.is_legal_syntax(word);
    let words = line.split_whitespace().map(without_marks).filter(is_move).map(str::to_owned);
    lines.chain(words).find(|play| play.len() > 1)
}

/// True if the reader can still decline: they have not moved yet.
fn may_decline(board: &Board, grant: &ReplyGrant) -> bool {
    let Some(seat) = board.seat_of(grant.user.id) else { return false };
    matches!(board.standing(), Standing::ToMove(_))
        && board.entries.iter().all(|entry| entry.row.seat != seat.seat)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used)]
    use super::*;

    #[test]
    fn a_single_letter_is_a_move_only_by_itself() {
        let registry = knotpost_games::registry();
        let game = registry.find("connect4").expect("a game");
        let options = parse_options(game, "", 2).expect("its options");
        let position = game.setup(&options, 2, &Seed::default());
        for (line, is_move) in [
            ("d", true),
            ("D", true),
            ("d.", true),
            ("d!", true),
            ("d #3", true),
            ("d,", false),
            ("d?", false),
            ("my move is d", false),
            ("a fine game", false),
        ] {
            assert_eq!(move_in(line, position.as_ref()).is_some(), is_move, "{line}");
        }
    }
}
