//! Replies to chat and messages: chat, unless plainly a command or a move.

use knotpost_commands::{Action, Command, Credentials, ShortCommand, Vocabulary};
use knotpost_platform::clock::Clock;
use knotpost_rules::Turn;

use crate::boards::{Board, Games, Standing};
use crate::identity::{Login, Origin};
use crate::mailing::reply_grant::ReplyGrant;
use crate::requests::{Authenticated, Quote};
use knotpost_model::Comment;
use knotpost_storage::{ReadTx, StoreError, UserRow};

/// True if a line is a command rather than chat: it holds userid and password, or begins as a command and
/// names the user. It may hold the password and is passed on to nobody.
pub(super) fn is_command_of(line: &str, userid: &str, vocabulary: &Vocabulary) -> bool {
    match knotpost_commands::parse(line, vocabulary) {
        Ok(command) => command
            .credentials()
            .is_some_and(|who| who.password.is_some() && who.userid.eq_ignore_ascii_case(userid)),
        Err(error) => {
            error.verb.is_some() && line.split_whitespace().any(|word| word.eq_ignore_ascii_case(userid))
        }
    }
}

pub(super) fn words_of(line: &str) -> &str {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    if word.trim_end_matches(':').eq_ignore_ascii_case("chat") { rest.trim() } else { line }
}

/// True if the reader is to move and the move is legal.
pub(super) async fn is_playable(
    tx: &mut ReadTx,
    clock: &dyn Clock,
    games: &Games,
    grant: &ReplyGrant,
    short: &ShortCommand,
) -> Result<bool, StoreError> {
    let ShortCommand::Act { action: Action::Move(play), .. } = short else { return Ok(false) };
    let board = Board::load(tx, games, &grant.board.game, grant.board.number as u32).await?;
    let Some(mut board) = board else { return Ok(false) };
    let Standing::ToMove(next) = board.standing() else { return Ok(false) };
    let is_turn = board.seat_of(grant.user.id).is_some_and(|seat| seat.seat == i64::from(next.number()));
    Ok(is_turn && board.play(Turn::Move(play), false, clock.now()).is_ok())
}

pub(super) fn message(
    vocabulary: &Vocabulary,
    origin: &Origin,
    (author, reader): (&UserRow, &UserRow),
    line: &str,
    comment: &str,
) -> Authenticated {
    let who = Credentials::without_password(reader.userid.as_str());
    let quote = Quote::Harmless(knotpost_commands::mask_cautiously(line, vocabulary));
    let command = Ok(Command::Message { who, to: vec![author.userid.clone()] });
    Authenticated {
        body: Comment::new([line, comment].join("\n").trim()),
        login: Login::of_reader(reader),
        ..Authenticated::unproven(command, quote, origin.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_hold_a_password_is_no_talk() {
        let vocabulary = Vocabulary::default();
        for line in ["message bob ann-secret ann", "add ann ann-secret", "set ANN ann-secret colour=blue"] {
            assert!(
                is_command_of(line, "bob", &vocabulary) || is_command_of(line, "ann", &vocabulary),
                "{line}"
            );
        }
        for line in ["help!", "help me", "Thanks, ann!", "delete the thing", "list", "yes please"] {
            assert!(!is_command_of(line, "ann", &vocabulary), "{line}");
        }
    }

    #[test]
    fn the_word_chat_is_not_said() {
        for (line, words) in [
            ("chat hello there", "hello there"),
            ("Chat: hello", "hello"),
            ("chat", ""),
            (" hi ", "hi"),
            ("chats", "chats"),
        ] {
            assert_eq!(words_of(line), words);
        }
    }
}
