//! Answers to board mails: a short command, said by whom the mail was sent to.
//!
//! Knows what a claim is worth (see `pass`) and how a short command is said in full; not where in a mail it stood.

use knotpost_commands::{
    Action, BoardAt, Command, Credentials, ParseError, Password, ShortCommand, parse_short,
};
use knotpost_rules::Seed;

use super::board::parse_options;
use super::pass::{Pass, Verdict, judge};
use super::prepare::{Answering, Credit};
use crate::app::App;
use crate::domain::{Address, Millis};
use crate::store::StoreError;

/// What an answer to a board mail came to.
pub(super) enum Understood {
    /// Said by a player at his own address.
    Spoken {
        /// Who, and about which board.
        pass: Box<Pass>,
        /// What, or what is wrong with it.
        command: Result<Command, ParseError>,
        /// The text that belongs to it.
        body: String,
    },
    /// Sent with a player's pass from an address that is not his.
    Foreign(Box<Pass>),
    /// Sent in his name, which does not count without proof.
    Unproven(Box<Pass>),
    /// The pass is no good.
    BadPass,
    /// No answer to a board mail after all.
    Nothing,
}

/// Finds out who answers which board mail with what.
///
/// # Errors
/// When the database fails.
pub(super) async fn understand(
    app: &App,
    answering: &Answering,
    sender: Option<&Address>,
    now: Millis,
) -> Result<Understood, StoreError> {
    let mut tx = app.store.read().await?;
    let pass = match judge(&mut tx, app, &answering.claim, now).await? {
        Verdict::Good(pass) => pass,
        Verdict::Bad => return Ok(Understood::BadPass),
        Verdict::Unknown => return Ok(Understood::Nothing),
    };
    let held = match sender {
        Some(sender) => tx.address_id(pass.user.id, &sender.key()).await?,
        None => None,
    };
    if held.is_none() {
        return Ok(Understood::Foreign(pass));
    }
    if answering.credit == Credit::Unproven {
        return Ok(Understood::Unproven(pass));
    }
    let seats = tx.seats(pass.board.id).await?.len();
    let (command, said) = read(app, &pass, &answering.line, seats)?;
    let body = [said.as_str(), &answering.comment].join("\n").trim().to_owned();
    Ok(Understood::Spoken { pass, command, body })
}

/// The command of a line, and what of the line is text. A word that could be a move is one.
fn read(
    app: &App,
    pass: &Pass,
    line: &str,
    seats: usize,
) -> Result<(Result<Command, ParseError>, String), StoreError> {
    let short = match lone_move(app, pass, line, seats)? {
        Some(action) => Ok(action),
        None => parse_short(line, &app.vocabulary),
    };
    Ok(match short {
        Ok(ShortCommand::Chat { text }) => {
            (Ok(in_full(pass, ShortCommand::Chat { text: String::new() })), text)
        }
        Ok(short) => (Ok(in_full(pass, short)), String::new()),
        Err(error) => (Err(error), String::new()),
    })
}

fn lone_move(app: &App, pass: &Pass, line: &str, seats: usize) -> Result<Option<ShortCommand>, StoreError> {
    let line = line.trim();
    let (word, number) = match line.split_once('#') {
        Some((word, number)) => (word, number.parse::<u32>().ok()),
        None => (line, None),
    };
    if word.contains(char::is_whitespace) || (line.contains('#') && number.is_none()) {
        return Ok(None);
    }
    let corrupt = |what: String| StoreError::Corrupt(what);
    let game = app
        .registry
        .find(&pass.board.game)
        .ok_or_else(|| corrupt(format!("there is no game `{}`", pass.board.game)))?;
    let options = parse_options(game, &pass.board.options, seats).map_err(corrupt)?;
    let position = game.setup(&options, seats, &Seed::default());
    let action = Action::Move(word.to_owned());
    Ok(position.is_legal_syntax(word).then_some(ShortCommand::Act { action, number }))
}

/// A short command with everything that the pass says for it.
fn in_full(pass: &Pass, short: ShortCommand) -> Command {
    let (game, board) = (pass.board.game.clone(), pass.board.number as u32);
    // Who holds a pass has proven who he is; there is no password to check.
    let who = Credentials { userid: pass.user.userid.clone(), password: Password::given("") };
    match short {
        ShortCommand::Act { action, number } => {
            Command::Move { game: Some(game), board, who, action, number }
        }
        ShortCommand::Confirm => Command::Confirm { game, board, who },
        ShortCommand::Queue { moves } => Command::Queue { game, board, who, moves, number: None },
        ShortCommand::Preview { moves } => Command::Preview { game, board, at: None, moves },
        ShortCommand::Chat { .. } => Command::Chat { game, board, who },
        ShortCommand::Show => {
            Command::ShowAs { game, who, boards: vec![BoardAt { number: board, at: None }], selector: None }
        }
    }
}
