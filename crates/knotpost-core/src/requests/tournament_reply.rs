//! Replies to mails about a tournament: one word, without a password.

use knotpost_commands::{Command, Credentials, ErrorCode, ParseError};

use crate::app::App;
use crate::identity::{Login, Origin};
use crate::requests::{Authenticated, Quote};
use knotpost_model::{Comment, TournamentName};
use knotpost_storage::UserRow;

/// The command behind the word on the first line.
pub(super) fn read(
    app: &App,
    origin: &Origin,
    (tournament, reader): (TournamentName, &UserRow),
    line: &str,
    comment: &str,
) -> Authenticated {
    let quote = Quote::Harmless(knotpost_commands::mask_cautiously(line, &app.vocabulary));
    let command = in_full(tournament, Credentials::without_password(reader.userid.as_str()), line);
    Authenticated {
        body: Comment::new(comment.trim()),
        login: Login::of_reader(reader),
        ..Authenticated::unproven(command, quote, origin.clone())
    }
}

fn in_full(tournament: TournamentName, who: Credentials, line: &str) -> Result<Command, ParseError> {
    let word = line.trim().trim_end_matches(['.', '!', ',']).to_ascii_lowercase();
    let tournament = tournament.to_string();
    match word.as_str() {
        "enter" => Ok(Command::Enter { who, tournament }),
        "withdraw" => Ok(Command::Withdraw { who, tournament }),
        "tournament" => Ok(Command::Tournament { tournament, part: None }),
        _ => {
            let message = "the first line of a reply to a mail about a tournament is `enter`, `withdraw` or `tournament`";
            Err(ParseError::new(ErrorCode::UnknownCommand, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_is_enough_and_no_other_is_guessed() {
        let read = |line: &str| in_full(TournamentName(12), Credentials::without_password("ann"), line);
        let (who, tournament) = (Credentials::without_password("ann"), "t12".to_owned());
        for line in ["withdraw", " Withdraw. ", "WITHDRAW!"] {
            assert_eq!(
                read(line),
                Ok(Command::Withdraw { who: who.clone(), tournament: tournament.clone() }),
                "{line}"
            );
        }
        assert_eq!(read("tournament"), Ok(Command::Tournament { tournament, part: None }));
        for line in ["", "with", "withdraw?", "enter please", "thanks"] {
            assert!(read(line).is_err(), "{line}");
        }
    }
}
