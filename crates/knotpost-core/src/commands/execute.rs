//! Last step of a command: reads and writes inside one transaction, which a refusal leaves as it was.

use std::sync::Arc;

use knotpost_commands::Command;

use crate::app::App;
use crate::boards::{Board, Code, Refusal, ServiceError};
use crate::commands;
use crate::commands::prepare;
use crate::commands::{Access, CommandResponse};
use crate::identity::limits::Charge;
use crate::identity::{Login, undoing};
use crate::mailing::bounces::http_notices;
use crate::mailing::styles::Wishes;
use crate::mailing::unsubscribe;
use crate::play::joining;
use crate::replies::answer::Failure;
use crate::replies::sheet::Listing;
use crate::replies::{Answer, Audience, BoardFacts, ErrorReply, Heading, LineResult, Reply, Sheet};
use crate::requests::command_log::log_command;
use crate::requests::link_reply::LinkReply;
use crate::requests::{Admission, Ready, Request, board_reply, first_line, reader};
use knotpost_model::{BoardRef, Millis};
use knotpost_storage::{ReadTx, RequestKey, StoreError, Unwritten};

/// Answer of a command, and what it uses up.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) answer: Answer,
    /// Charged once the transaction is committed.
    pub(crate) charges: Vec<Charge>,
}

impl Outcome {
    fn of(mut answer: Answer, ready: &Ready) -> Self {
        let readers = std::mem::take(&mut answer.mailed);
        let charges = match &ready.admission {
            Admission::Counted(asker) if answer.changed && !answer.is_free => {
                vec![Charge { asker: asker.clone(), readers }]
            }
            _ => Vec::new(),
        };
        Self { answer, charges }
    }

    fn refused(refusal: Refusal, ready: &Ready, now: Millis) -> Self {
        Self { answer: refused(refusal, ready, now), charges: Vec::new() }
    }

    /// Work after the commit.
    fn finish(&self, app: &App, ready: &Ready, since: Millis) {
        let answer = &self.answer;
        ready.after_commit(&app.limits, &app.credentials, &self.charges);
        log_command(app.clock.as_ref(), app.games.registry, ready, &answer.boards, answer.outcome(), since);
        if answer.changed {
            app.signals.outbox.notify_one();
            app.signals.tell_boards(&answer.boards);
        }
    }
}

/// Carries out a command in a transaction of its own, or answers a query from one snapshot. A refusal is an answer
/// too.
pub async fn execute(app: &Arc<App>, request: Request) -> Result<Answer, StoreError> {
    let since = app.clock.now();
    let ready = Box::pin(prepare(app, request)).await?;
    execute_ready(app, Arc::new(ready), since).await
}

async fn execute_ready(app: &Arc<App>, ready: Arc<Ready>, since: Millis) -> Result<Answer, StoreError> {
    let (now, room) = (app.clock.now(), commands::most_answered(&ready));
    let outcome = if ready.is_query() {
        let mut tx = app.store.read().await?;
        let outcome = Box::pin(apply(&mut Access::Read(&mut tx), app, &ready, room, now)).await?;
        lay_out(&mut tx, &ready, outcome).await?
    } else {
        let ready = Arc::clone(&ready);
        let work = app.write(async move |tx, app| {
            match Box::pin(act(&mut Access::Write(tx), app, &ready, room, now)).await {
                Ok(outcome) => Ok(lay_out(tx, &ready, outcome).await?),
                Err(ServiceError::Refused(refusal)) => {
                    let outcome = Outcome::refused(*refusal, &ready, now);
                    Err(Unwritten::Refused(lay_out(tx, &ready, outcome).await?))
                }
                Err(ServiceError::Store(error)) => Err(error.into()),
            }
        });
        match work.await {
            Ok(outcome) | Err(Unwritten::Refused(outcome)) => outcome,
            Err(Unwritten::Store(error)) => return Err(error),
        }
    };
    outcome.finish(app, &ready, since);
    Ok(outcome.answer)
}

#[derive(Clone, Debug)]
pub enum Saved {
    /// New or replayed.
    Response(CommandResponse),
    /// The key was used for another request.
    OtherRequest,
}

const IDEMPOTENCY_MS: i64 = 24 * 3_600_000;
/// Bytes of answers after which a `multiple` with a key refuses further queries: its answer is stored.
const MOST_STORED: usize = 40_000;

/// As [`execute`], with idempotency: the answer is stored in the transaction that made it. `keys` are digests
/// of key and request; a key belongs to the logged-in user, otherwise to the network address.
///
/// Ignored for queries, which can be repeated.
pub async fn execute_once<P>(
    app: &Arc<App>,
    request: Request,
    keys: (String, String),
    present: Arc<P>,
) -> Result<Saved, StoreError>
where
    P: Fn(&Answer) -> CommandResponse + Send + Sync + 'static,
{
    let since = app.clock.now();
    let ready = Arc::new(Box::pin(prepare(app, request)).await?);
    if ready.is_query() {
        let answer = execute_ready(app, ready, since).await?;
        return Ok(Saved::Response(present(&answer)));
    }
    let now = app.clock.now();
    let digest = format!("{} {}", keys.0, ready.key_scope());
    let key = RequestKey { digest, since: now.plus(-IDEMPOTENCY_MS) };
    let (request_digest, done) = (keys.1, Arc::clone(&ready));
    let work = app.write(async move |tx, app| {
        if let Some(saved) = tx.saved_response(&key).await? {
            if let Some(refusal) = refuse_former_user(tx, &ready).await? {
                let outcome = Outcome::refused(refusal, &ready, now);
                return Ok((Saved::Response(present(&outcome.answer)), Some(outcome)));
            }
            let same = saved.request_digest == request_digest;
            let saved = if same { Saved::Response(saved.into()) } else { Saved::OtherRequest };
            return Ok((saved, None));
        }
        let outcome = Box::pin(apply(&mut Access::Write(tx), app, &ready, MOST_STORED, now)).await?;
        let outcome = lay_out(tx, &ready, outcome).await?;
        let response = present(&outcome.answer).into_row(request_digest.clone());
        if is_to_store(&outcome.answer, &ready, response.status) {
            tx.save_response(&key.digest, &response, now).await?;
        }
        Ok::<_, StoreError>((Saved::Response(response.into()), Some(outcome)))
    });
    let (saved, outcome) = work.await?;
    match outcome {
        Some(outcome) => outcome.finish(app, &done, since),
        None => log_command(app.clock.as_ref(), app.games.registry, &done, &[], "repeated", since),
    }
    Ok(saved)
}

/// Not stored: refusals of unauthenticated requests, of which anybody can make any number, and refusals that
/// say `later`.
fn is_to_store(answer: &Answer, ready: &Ready, status: i64) -> bool {
    let is_final = !matches!(status, 429 | 503);
    is_final && (answer.changed || ready.is_authenticated())
}

/// Withholds a stored answer from a user whose password or session no longer holds.
async fn refuse_former_user(tx: &mut ReadTx, ready: &Ready) -> Result<Option<Refusal>, StoreError> {
    if !matches!(ready.login, Login::Known { .. }) {
        return Ok(None);
    }
    match commands::authorize(tx, ready).await {
        Ok(_) => Ok(None),
        Err(ServiceError::Refused(refusal)) => Ok(Some(*refusal)),
        Err(ServiceError::Store(error)) => Err(error),
    }
}

/// Carries out a command inside `tx`, which goes on after it. A refusal is an answer too and leaves the
/// transaction as it was. Bytes of answers after which a `multiple` refuses further queries are `room`.
pub(crate) async fn apply(
    tx: &mut Access<'_>,
    app: &App,
    ready: &Ready,
    room: usize,
    now: Millis,
) -> Result<Outcome, StoreError> {
    let acted = match tx {
        Access::Write(tx) if ready.lines.is_empty() && !ready.is_query() => {
            tx.part(async |tx| act(&mut Access::Write(tx), app, ready, room, now).await).await
        }
        tx => act(tx, app, ready, room, now).await,
    };
    match acted {
        Ok(outcome) => Ok(outcome),
        Err(ServiceError::Refused(refusal)) => Ok(Outcome::refused(*refusal, ready, now)),
        Err(ServiceError::Store(error)) => Err(error),
    }
}

/// Carries out a command. The caller rolls back after a refusal.
async fn act(
    tx: &mut Access<'_>,
    app: &App,
    ready: &Ready,
    room: usize,
    now: Millis,
) -> Result<Outcome, ServiceError> {
    if !ready.lines.is_empty() {
        return Ok(Box::pin(apply_lines(tx, app, &ready.lines, room, now)).await?);
    }
    if let Some(standpoint) = &ready.standpoint {
        board_reply::check_standpoint(tx.write()?, standpoint).await?;
    }
    let answer = match (ready.link_reply(), &ready.command, ready.grant()) {
        (Some(LinkReply::Confirm(answered)), ..) => {
            Box::pin(joining::answer_reply(tx.write()?, app, answered, now)).await?
        }
        (Some(LinkReply::Undo(objection)), ..) => {
            Box::pin(undoing::answer_reply(tx.write()?, app, objection, now)).await?
        }
        (Some(LinkReply::Unsubscribe(wanted)), ..) => {
            Box::pin(unsubscribe::accept(tx.write()?, app, wanted, now)).await?
        }
        (None, Ok(command), _) => Box::pin(commands::run(tx, app, ready, command, now)).await?,
        (None, Err(error), Some(grant)) => {
            let said = (ready.echo.as_str(), &*ready.body);
            return Err(first_line::refuse(tx.read(), &app.games, grant, error, said).await?.into());
        }
        (None, Err(error), None) => {
            return Err(reader::refuse_line(tx.read(), &app.games, ready, error).await?.into());
        }
    };
    Ok(Outcome::of(answer, ready))
}

/// Carries out the lines of a `multiple`, each of which may be refused alone.
async fn apply_lines(
    tx: &mut Access<'_>,
    app: &App,
    lines: &[Ready],
    mut room: usize,
    now: Millis,
) -> Result<Outcome, StoreError> {
    let (mut results, mut charges) = (Vec::with_capacity(lines.len()), Vec::new());
    let (mut failure, mut boards, mut changed) = (None, Vec::new(), false);
    for line in lines {
        let is_query = line.is_query();
        let outcome = if is_query && room == 0 {
            Outcome::refused(commands::too_much_asked(), line, now)
        } else {
            apply(tx, app, line, room, now).await?
        };
        let answer = outcome.answer;
        if is_query {
            let length = app.composer.text(&answer.reply).map_or(0, |(_, text)| text.len());
            room = room.saturating_sub(length);
        }
        let ok = answer.failure.is_none();
        failure = failure.or(answer.failure);
        changed |= answer.changed;
        boards.extend(answer.boards);
        charges.extend(outcome.charges);
        results.push(LineResult { line: line.echo.clone(), ok, reply: answer.reply });
    }
    let reply = Reply::Multiple { lines: results };
    Ok(Outcome { answer: Answer { failure, boards, changed, ..Answer::to_sender(reply) }, charges })
}

/// Applies the authenticated requester's layout preferences to the boards in the answer, and adds notices.
/// Mails are laid out when composed; pages show notices themselves.
async fn lay_out(tx: &mut ReadTx, ready: &Ready, mut outcome: Outcome) -> Result<Outcome, StoreError> {
    let answer = &mut outcome.answer;
    let is_shown = answer.audience == Audience::Sender && answer.reply.has_board();
    if let Some(user) = ready.user().filter(|_| is_shown) {
        answer.reply = Wishes::of(tx, user).await?.lay_out(&answer.reply).into_owned();
    }
    let is_proven = answer.failure.as_ref().is_none_or(|failure| failure.code != Code::BadCredentials);
    if let Some(user) = ready.user().filter(|_| is_proven && !ready.has_session()) {
        answer.notices = http_notices(tx, user).await?;
    }
    Ok(outcome)
}

fn refused(refusal: Refusal, ready: &Ready, now: Millis) -> Answer {
    let board = refusal.board.as_deref();
    let who = ready.command.as_ref().ok().and_then(Command::credentials);
    // A private view needs a sender who proved to be the player, and still is.
    let is_proven = ready.is_authenticated() && refusal.code != Code::BadCredentials;
    let reader = who.filter(|_| is_proven).map(|who| who.userid.as_str());
    let sheet = board.map(|board| {
        Box::new(Sheet::of(board, &BoardFacts::plain(Heading::Show), reader, Listing::Whole, now))
    });
    let failure =
        Failure { code: refusal.code, message: refusal.message.clone(), retry_after: refusal.retry_after };
    let boards: Vec<BoardRef> = board.map(Board::name).into_iter().collect();
    let reply = ErrorReply {
        message: refusal.message,
        hints: refusal.hints,
        echo: ready.echo.clone(),
        game: refusal.game,
        number: board.map(|board| board.row.number as u32),
        is_invalid_challenge: failure.code == Code::InvalidChallenge,
        sheet,
    };
    Answer { failure: Some(failure), boards, ..Answer::to_sender(Reply::Error(Box::new(reply))) }
}
