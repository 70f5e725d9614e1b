//! Answers to board mails: short commands without a password.
//!
//! Knows the value of a claim (see `mailing::reply_grant`) and the full command behind a short one, not the
//! layout of mails.

use knotpost_commands::{BoardAt, Command, Credentials, ParseError, ShortCommand};

use crate::app::App;
use crate::boards::{Board, Code, Refusal, ServiceError};
use crate::identity::{Login, Origin};
use crate::mailing::pending_confirmation;
use crate::mailing::pending_confirmation::Words;
use crate::mailing::reply_grant::{
    About, Claim, ReplyGrant, Verdict, answers_words, find_answered, find_message, find_tournament, judge,
};
use crate::requests::link_reply::LinkReply;
use crate::requests::{Authenticated, Quote, Ready, first_line, talk, tournament_reply};
use knotpost_model::{Comment, Millis};
use knotpost_storage::{ReadTx, StoreError, WriteTx};

#[derive(Clone, Debug)]
pub struct BoardReply {
    pub claim: Claim,
    pub line: Result<String, ParseError>,
    pub comment: String,
    pub credit: Credit,
}

/// Trust in the From address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credit {
    Believed,
    Unproven,
}

/// Entitlement of an answer's sender.
#[derive(Debug)]
pub(crate) enum Standpoint {
    Own(Box<ReplyGrant>),
    /// With a player's grant, but from a foreign address or by a Message-ID alone; stored until they confirm.
    Foreign(Box<ReplyGrant>, Words),
    /// In a player's name without the required proof.
    Unproven(Box<ReplyGrant>),
    /// Grant invalid, expired or used.
    BadGrant,
    /// Reply to a confirmation question that is not a yes.
    Undecided,
    /// A mail that acts as a link does.
    Link(Box<LinkReply>),
}

pub(crate) enum Answered {
    Authenticated(Box<Authenticated>),
    Complete { line: String, body: String },
    Nothing,
}

impl Ready {
    pub fn has_bad_grant(&self) -> bool {
        matches!(self.standpoint, Some(Standpoint::BadGrant))
    }

    /// True if a player's mail was answered, but perhaps by somebody else: from a foreign address, or without
    /// proof.
    pub fn is_foreign(&self) -> bool {
        matches!(self.standpoint, Some(Standpoint::Foreign(..) | Standpoint::Unproven(_)))
    }

    pub fn is_unproven(&self) -> bool {
        matches!(self.standpoint, Some(Standpoint::Unproven(_)))
    }

    pub(crate) fn link_reply(&self) -> Option<&LinkReply> {
        match &self.standpoint {
            Some(Standpoint::Link(reply)) => Some(reply),
            _ => None,
        }
    }

    /// True if it came to an address that can only end mails.
    pub(crate) fn only_ends(&self) -> bool {
        self.link_reply().is_some_and(LinkReply::only_ends)
    }

    pub(crate) fn grant(&self) -> Option<&ReplyGrant> {
        match &self.standpoint {
            Some(Standpoint::Own(grant)) => Some(grant),
            _ => None,
        }
    }
}

/// Identifies sender, board mail and command of an answer.
pub(crate) async fn authenticate_reply(
    app: &App,
    origin: &Origin,
    board_reply: BoardReply,
) -> Result<Answered, StoreError> {
    let BoardReply { claim, line, comment, credit } = board_reply;
    let (line, wordless) = match line {
        Ok(line) => (line, None),
        Err(error) => (String::new(), Some(error)),
    };
    let is_complete = knotpost_commands::parse(&line, &app.vocabulary).is_ok();
    let (now, sender) = (app.clock.now(), (origin.sender.as_ref(), origin.aligned));
    let mut tx = app.store.read().await?;
    let mails = find_answered(&mut tx, &app.secret, &claim).await?;
    if is_complete && !answers_words(&mails) {
        return Ok(Answered::Complete { line, body: comment });
    }
    if let Some((author, reader)) = find_message(&mut tx, &mails, sender, now).await?
        && credit == Credit::Believed
    {
        if talk::is_command_of(&line, &reader.userid, &app.vocabulary) {
            return Ok(Answered::Complete { line, body: comment });
        }
        let sent = match wordless {
            Some(error) => Authenticated::unproven(Err(error), Quote::None, origin.clone()),
            None => talk::message(&app.vocabulary, origin, (&author, &reader), &line, &comment),
        };
        return Ok(Answered::Authenticated(Box::new(sent)));
    }
    if let Some((tournament, reader)) = find_tournament(&mut tx, &mails, sender, now).await?
        && credit == Credit::Believed
    {
        let sent = match wordless {
            Some(error) => Authenticated::unproven(Err(error), Quote::None, origin.clone()),
            None => tournament_reply::read(app, origin, (tournament, &reader), &line, &comment),
        };
        return Ok(Answered::Authenticated(Box::new(sent)));
    }
    if let Some(reply) = LinkReply::read(&mut tx, &mails, &line, now).await? {
        let quote = Quote::Harmless(knotpost_commands::mask_cautiously(&line, &app.vocabulary));
        return Ok(Answered::Authenticated(Box::new(Authenticated {
            standpoint: Some(Standpoint::Link(Box::new(reply))),
            ..Authenticated::unproven(Err(no_command()), quote, origin.clone())
        })));
    }
    let verdict = judge(&mut tx, app, (&claim, mails.as_slice()), sender, now).await?;
    let is_command = match &verdict {
        Verdict::Good(grant) if grant.about == About::Talk => {
            talk::is_command_of(&line, &grant.user.userid, &app.vocabulary)
        }
        _ => is_complete,
    };
    if is_command {
        return Ok(Answered::Complete { line, body: comment });
    }
    let (standpoint, said) = match verdict {
        Verdict::Unknown => return Ok(Answered::Nothing),
        Verdict::Bad => (Standpoint::BadGrant, None),
        Verdict::Good(grant) | Verdict::Unvouched(grant) if credit == Credit::Unproven => {
            (Standpoint::Unproven(grant), None)
        }
        Verdict::Good(grant) => {
            let said = match wordless {
                Some(error) => (Err(error), String::new()),
                None => read(&mut tx, app, &grant, &line, &comment).await?,
            };
            (Standpoint::Own(grant), Some(said))
        }
        Verdict::Foreign(grant) | Verdict::Unvouched(grant) => {
            let said = match wordless {
                Some(error) => (Err(error), String::new()),
                None => read(&mut tx, app, &grant, &line, &comment).await?,
            };
            let words = match &said {
                // Once confirmed, they are read as an answer about the board.
                (Ok(Command::Chat { .. }), text) => Words { line: "chat".to_owned(), comment: text.clone() },
                _ => Words { line: line.clone(), comment },
            };
            (Standpoint::Foreign(grant, words), Some(said))
        }
        Verdict::Held(_) if pending_confirmation::read_consent(&line).is_none() => {
            (Standpoint::Undecided, None)
        }
        Verdict::Held(grant) => {
            let words = pending_confirmation::words(&mut tx, &app.secret, &grant).await?;
            let said = read(&mut tx, app, &grant, &words.line, &words.comment).await?;
            (Standpoint::Own(grant), Some(said))
        }
    };
    let (command, body) = said.unwrap_or_else(|| (Err(no_command()), String::new()));
    let login = match &standpoint {
        Standpoint::Own(grant) => Login::of_reader(&grant.user),
        _ => Login::NotNeeded,
    };
    let echo = match &command {
        Ok(Command::Chat { .. }) | Err(_) => knotpost_commands::mask_cautiously(&line, &app.vocabulary),
        Ok(_) => line,
    };
    Ok(Answered::Authenticated(Box::new(Authenticated {
        body: Comment::new(&body),
        login,
        standpoint: Some(standpoint),
        ..Authenticated::unproven(command, Quote::Harmless(echo), origin.clone())
    })))
}

/// Placeholder for a line left unread, because its sender is not entitled.
pub(crate) fn no_command() -> ParseError {
    ParseError::new(knotpost_commands::ErrorCode::UnknownCommand, "the line was not read")
}

/// Refuses an unentitled answer, and consumes a held one: it is confirmed once.
pub(crate) async fn check_standpoint(tx: &mut WriteTx, standpoint: &Standpoint) -> Result<(), ServiceError> {
    match standpoint {
        Standpoint::BadGrant => Err(no_good().into()),
        Standpoint::Undecided => Err(Refusal::new(Code::WrongArguments, "this does not say `confirm`")
            .hint("To have the answer carried out, reply to the question again, with `confirm` as the first line.")
            .hint("If it was not yours, there is nothing to do: nothing was done.")
            .into()),
        Standpoint::Own(grant) => match grant.held {
            Some(held) if !tx.take_held_answer(held).await? => Err(no_good().into()),
            _ => Ok(()),
        },
        Standpoint::Foreign(..) | Standpoint::Unproven(_) | Standpoint::Link(_) => Ok(()),
    }
}

fn no_good() -> Refusal {
    let message = "this reply address is no longer good: it was used, it has run out, \
                   or your password or address has changed since";
    Refusal::new(Code::BadCredentials, message)
        .hint("Answer the latest mail about the board, or write the whole command into the Subject.")
}

/// Refuses to act on a board changed since its player wrote; the refusal shows the present board.
pub(crate) async fn check_sight(tx: &mut ReadTx, ready: &Ready, board: Board) -> Result<Board, ServiceError> {
    let Some(grant) = ready.grant() else { return Ok(board) };
    if grant.sight.is_present(&board) && shows_submission(tx, grant, &board).await? {
        return Ok(board);
    }
    let message = "the board is no longer as it was in the mail that you answered; this is how it is now";
    Err(Refusal::new(Code::WrongMoveNumber, message)
        .hint("Nothing was done. Reply to this mail, or to the latest one about the board.")
        .about(board)
        .into())
}

/// True unless the mail shows a submitted move that waits no longer, or another one does.
async fn shows_submission(tx: &mut ReadTx, grant: &ReplyGrant, board: &Board) -> Result<bool, StoreError> {
    let Some(shown) = &grant.sight.submitted else { return Ok(true) };
    let seat = board.seat_of(grant.user.id).map_or(1, |seat| seat.seat);
    let waits = tx.submission(board.row.id, seat).await?;
    Ok(waits.is_some_and(|row| row.ply == board.entries.len() as i64 && row.text == *shown))
}

/// Command and text of a line. A word that could be a move is one; in reply to chat, all but a move playable
/// now is chat.
async fn read(
    tx: &mut ReadTx,
    app: &App,
    grant: &ReplyGrant,
    line: &str,
    comment: &str,
) -> Result<(Result<Command, ParseError>, String), StoreError> {
    let seats = tx.seats(grant.board.id).await?.len();
    let play = first_line::read_move(app.games.registry, grant, line, seats)?;
    let short = match play {
        Some(play)
            if grant.about == About::Play
                || talk::is_playable(tx, app.clock.as_ref(), &app.games, grant, &play).await? =>
        {
            Ok(play)
        }
        _ if grant.about == About::Talk => Ok(ShortCommand::Chat { text: talk::words_of(line).to_owned() }),
        Some(play) => Ok(play),
        None => first_line::read_short(line, &app.vocabulary),
    };
    let (short, said) = match short {
        Ok(ShortCommand::Chat { text }) => (Ok(ShortCommand::Chat { text: String::new() }), text),
        short => (short, String::new()),
    };
    Ok((short.map(|short| in_full(grant, short)), [said.as_str(), comment].join("\n").trim().to_owned()))
}

fn in_full(grant: &ReplyGrant, short: ShortCommand) -> Command {
    let (game, board) = (grant.board.game.clone(), grant.board.number as u32);
    // The grant is the proof; there is no password to check.
    let who = Credentials::without_password(grant.user.userid.as_str());
    match short {
        ShortCommand::Act { action, number } => {
            Command::Move { game: Some(game), board, who, action, number }
        }
        ShortCommand::Confirm => Command::Confirm { game, board, who },
        ShortCommand::Rematch => Command::Rematch { game, board, who },
        ShortCommand::Hint => Command::Hint { game, board, who },
        ShortCommand::Queue { moves } => Command::Queue { game, board, who, moves, number: None },
        ShortCommand::Preview { moves } => Command::Preview { game, board, at: None, moves },
        ShortCommand::Chat { .. } => Command::Chat { game, board, who },
        ShortCommand::Show => {
            Command::ShowAs { game, who, boards: vec![BoardAt { number: board, at: None }], selector: None }
        }
    }
}

/// Stores an answer that may be somebody else's and asks the player to confirm it, within a rate limit; under a
/// policy that asks for proof it is only reported.
pub async fn ask_for_confirmation(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    now: Millis,
) -> Result<(), StoreError> {
    match &ready.standpoint {
        Some(Standpoint::Foreign(grant, words)) => {
            let sender = ready.origin.sender.as_ref().map(ToString::to_string).unwrap_or_default();
            let short = ready.command.as_ref().ok();
            pending_confirmation::hold(tx, app, grant, (words, short), (&sender, &ready.echo), now).await
        }
        Some(Standpoint::Unproven(grant)) => {
            pending_confirmation::tell_unproven(tx, app, grant, &ready.echo, now).await
        }
        _ => Ok(()),
    }
}
