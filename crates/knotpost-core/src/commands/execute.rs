//! Second step of a command: reads and writes inside one transaction, unchanged on a refusal.

use std::sync::Arc;

use knotpost_commands::Command;

use crate::app::App;
use crate::boards::{Board, Code, Refusal, ServiceError};
use crate::commands;
use crate::commands::prepare;
use crate::commands::{Access, CommandResponse};
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
use crate::requests::{Prepared, Request, board_reply, first_line, reader};
use knotpost_model::{BoardRef, Millis};
use knotpost_storage::{ReadTx, RequestKey, StoreError, Unwritten, WriteTx};

pub async fn execute(app: &Arc<App>, request: Request) -> Result<Answer, StoreError> {
    let since = app.clock.now();
    let prepared = Arc::new(Box::pin(prepare(app, request)).await?);
    let now = app.clock.now();
    if prepared.is_query() && prepared.standpoint.is_none() {
        return execute_query(app, &prepared, now, since).await;
    }
    let done = Arc::clone(&prepared);
    let work = app.write(async move |tx, app| match Box::pin(apply_alone(tx, app, &prepared, now)).await {
        Ok(answer) => Ok(lay_out(tx, &prepared, answer).await?),
        Err(Unwritten::Refused(answer)) => Err(Unwritten::Refused(lay_out(tx, &prepared, answer).await?)),
        Err(Unwritten::Store(error)) => Err(error.into()),
    });
    let answer = match work.await {
        Ok(answer) | Err(Unwritten::Refused(answer)) => answer,
        Err(Unwritten::Store(error)) => return Err(error),
    };
    done.after_commit(app);
    log_command(app, &done, &answer.boards, answer.outcome(), since);
    if answer.changed {
        app.signals.outbox.notify_one();
        app.signals.tell_boards(&answer.boards);
    }
    Ok(answer)
}

async fn execute_query(
    app: &App,
    prepared: &Prepared,
    now: Millis,
    since: Millis,
) -> Result<Answer, StoreError> {
    let mut tx = app.store.read().await?;
    let answer = Box::pin(answer_query(&mut tx, app, prepared, now)).await?;
    let answer = lay_out(&mut tx, prepared, answer).await?;
    log_command(app, prepared, &answer.boards, answer.outcome(), since);
    Ok(answer)
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
    let prepared = Arc::new(Box::pin(prepare(app, request)).await?);
    let now = app.clock.now();
    if prepared.is_query() {
        let answer = execute_query(app, &prepared, now, since).await?;
        return Ok(Saved::Response(present(&answer)));
    }
    let digest = format!("{} {}", keys.0, prepared.key_scope());
    let key = RequestKey { digest, since: now.plus(-IDEMPOTENCY_MS) };
    let (request_digest, done) = (keys.1, Arc::clone(&prepared));
    let (saved, boards, outcome) = app
        .write(async move |tx, app| {
            prepared.set_made(false);
            if let Some(saved) = tx.saved_response(&key).await? {
                if let Some(refusal) = refuse_former_user(tx, &prepared).await? {
                    let answer = refused(refusal, &prepared, now);
                    return Ok((Saved::Response(present(&answer)), Vec::new(), answer.outcome()));
                }
                let same = saved.request_digest == request_digest;
                let saved = if same { Saved::Response(saved.into()) } else { Saved::OtherRequest };
                return Ok((saved, Vec::new(), "repeated"));
            }
            let answer = match prepared.command {
                Ok(Command::Multiple) => apply_lines(tx, app, &prepared, MOST_STORED, now).await?,
                _ => Box::pin(apply(tx, app, &prepared, now)).await?,
            };
            let answer = lay_out(tx, &prepared, answer).await?;
            let response = present(&answer).into_row(request_digest.clone());
            if is_to_store(&answer, &prepared, response.status) {
                tx.save_response(&key.digest, &response, now).await?;
            }
            let outcome = answer.outcome();
            let boards = if answer.changed { answer.boards } else { Vec::new() };
            Ok::<_, StoreError>((Saved::Response(response.into()), boards, outcome))
        })
        .await?;
    done.after_commit(app);
    log_command(app, &done, &boards, outcome, since);
    app.signals.outbox.notify_one();
    app.signals.tell_boards(&boards);
    Ok(saved)
}

/// Not stored: refusals of unauthenticated requests, of which anybody can make any number, and refusals that
/// say `later`.
fn is_to_store(answer: &Answer, prepared: &Prepared, status: i64) -> bool {
    let is_final = !matches!(status, 429 | 503);
    is_final && (answer.changed || prepared.is_authenticated())
}

/// Withholds a stored answer from a user whose password or session no longer holds.
async fn refuse_former_user(tx: &mut ReadTx, prepared: &Prepared) -> Result<Option<Refusal>, StoreError> {
    if !matches!(prepared.login, Login::Known { .. }) {
        return Ok(None);
    }
    match commands::authorize(tx, prepared).await {
        Ok(_) => Ok(None),
        Err(ServiceError::Refused(refusal)) => Ok(Some(*refusal)),
        Err(ServiceError::Store(error)) => Err(error),
    }
}

/// Applies a prepared command inside `tx`. A refusal is an answer too and leaves the transaction as it was;
/// on an error `tx` must be rolled back.
pub async fn apply(
    tx: &mut WriteTx,
    app: &App,
    prepared: &Prepared,
    now: Millis,
) -> Result<Answer, StoreError> {
    if matches!(prepared.command, Ok(Command::Multiple)) {
        return apply_lines(tx, app, prepared, commands::most_answered(prepared), now).await;
    }
    let answered = if prepared.is_query() {
        act_and_note(tx, app, prepared, now).await
    } else {
        tx.part(async |tx| act_and_note(tx, app, prepared, now).await).await
    };
    or_refused(answered, prepared, now)
}

/// As [`apply`], alone in `tx`: the answer of a refusal is an error.
async fn apply_alone(
    tx: &mut WriteTx,
    app: &App,
    prepared: &Prepared,
    now: Millis,
) -> Result<Answer, Unwritten<Answer>> {
    if matches!(prepared.command, Ok(Command::Multiple)) {
        return Ok(apply_lines(tx, app, prepared, commands::most_answered(prepared), now).await?);
    }
    match act_and_note(tx, app, prepared, now).await {
        Ok(answer) => Ok(answer),
        Err(ServiceError::Refused(refusal)) => Err(Unwritten::Refused(refused(*refusal, prepared, now))),
        Err(ServiceError::Store(error)) => Err(error.into()),
    }
}

fn or_refused(
    answered: Result<Answer, ServiceError>,
    prepared: &Prepared,
    now: Millis,
) -> Result<Answer, StoreError> {
    match answered {
        Ok(answer) => Ok(answer),
        Err(ServiceError::Refused(refusal)) => Ok(refused(*refusal, prepared, now)),
        Err(ServiceError::Store(error)) => Err(error),
    }
}

/// Answers a query that is no reply to a mail. A refusal is an answer too.
async fn answer_query(
    tx: &mut ReadTx,
    app: &App,
    prepared: &Prepared,
    now: Millis,
) -> Result<Answer, StoreError> {
    if matches!(prepared.command, Ok(Command::Multiple)) {
        let mut results = LineResults::of(prepared, commands::most_answered(prepared));
        for line in &prepared.lines {
            let answer = match results.refuse(line, now) {
                Some(refused) => refused,
                None => Box::pin(answer_query(tx, app, line, now)).await?,
            };
            results.add(app, line, answer);
        }
        return Ok(results.into_answer(now));
    }
    prepared.set_made(false);
    let answered = match &prepared.command {
        Ok(command) => commands::run(Access::Read(tx), app, prepared, command, now).await,
        Err(error) => Err(reader::refuse_line(tx, app, prepared, error).await?.into()),
    };
    or_refused(answered, prepared, now)
}

async fn apply_lines(
    tx: &mut WriteTx,
    app: &App,
    prepared: &Prepared,
    room: usize,
    now: Millis,
) -> Result<Answer, StoreError> {
    let mut results = LineResults::of(prepared, room);
    for line in &prepared.lines {
        let answer = match results.refuse(line, now) {
            Some(refused) => refused,
            None => Box::pin(apply(tx, app, line, now)).await?,
        };
        results.add(app, line, answer);
    }
    Ok(results.into_answer(now))
}

struct LineResults<'p> {
    prepared: &'p Prepared,
    room: usize,
    lines: Vec<LineResult>,
    boards: Vec<BoardRef>,
    failure: Option<Failure>,
    changed: bool,
}

impl<'p> LineResults<'p> {
    fn of(prepared: &'p Prepared, room: usize) -> Self {
        Self { prepared, room, lines: Vec::new(), boards: Vec::new(), failure: None, changed: false }
    }

    fn refuse(&self, line: &Prepared, now: Millis) -> Option<Answer> {
        (self.room == 0 && line.is_query()).then(|| refused(commands::too_much_asked(), line, now))
    }

    fn add(&mut self, app: &App, line: &Prepared, answer: Answer) {
        if line.is_query() {
            let length = app.composer.text(&answer.reply).map_or(0, |(_, text)| text.len());
            self.room = self.room.saturating_sub(length);
        }
        let ok = answer.failure.is_none();
        self.failure = self.failure.take().or(answer.failure);
        self.changed |= answer.changed;
        self.boards.extend(answer.boards);
        self.lines.push(LineResult { line: line.echo.clone(), ok, reply: answer.reply });
    }

    fn into_answer(self, now: Millis) -> Answer {
        let Self { prepared, lines, boards, failure, changed, .. } = self;
        if lines.is_empty() {
            return refused(commands::no_lines(), prepared, now);
        }
        Answer { failure, boards, changed, ..Answer::to_sender(Reply::Multiple { lines }) }
    }
}

/// Applies the authenticated requester's layout preferences to the boards in the answer, and adds notices.
/// Mails are laid out when composed; pages show notices themselves.
async fn lay_out(tx: &mut ReadTx, prepared: &Prepared, mut answer: Answer) -> Result<Answer, StoreError> {
    let is_shown = answer.audience == Audience::Sender && answer.reply.has_board();
    if let Some(user) = prepared.user().filter(|_| is_shown) {
        answer.reply = Wishes::of(tx, user).await?.lay_out(&answer.reply).into_owned();
    }
    let is_proven = answer.failure.as_ref().is_none_or(|failure| failure.code != Code::BadCredentials);
    if let Some(user) = prepared.user().filter(|_| is_proven && !prepared.has_session()) {
        answer.notices = http_notices(tx, user).await?;
    }
    Ok(answer)
}

fn refused(refusal: Refusal, prepared: &Prepared, now: Millis) -> Answer {
    let board = refusal.board.as_deref();
    let who = prepared.command.as_ref().ok().and_then(Command::credentials);
    // A private view needs a sender who proved to be the player, and still is.
    let is_proven = prepared.is_authenticated() && refusal.code != Code::BadCredentials;
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
        echo: prepared.echo.clone(),
        game: refusal.game,
        number: board.map(|board| board.row.number as u32),
        is_invalid_challenge: failure.code == Code::InvalidChallenge,
        sheet,
    };
    Answer { failure: Some(failure), boards, ..Answer::to_sender(Reply::Error(Box::new(reply))) }
}

/// Carries out a command and records whether it counts against its rate limit. A reset records that itself:
/// its answer is the same either way.
async fn act_and_note(
    tx: &mut WriteTx,
    app: &App,
    prepared: &Prepared,
    now: Millis,
) -> Result<Answer, ServiceError> {
    prepared.set_made(false);
    let answer = act(tx, app, prepared, now).await?;
    if answer.changed && !matches!(prepared.command, Ok(Command::PasswordReset { .. })) {
        prepared.set_made(true);
    }
    Ok(answer)
}

async fn act(tx: &mut WriteTx, app: &App, prepared: &Prepared, now: Millis) -> Result<Answer, ServiceError> {
    board_reply::check_standpoint(tx, prepared).await?;
    match prepared.link_reply() {
        Some(LinkReply::Confirm(answered)) => {
            return Box::pin(joining::answer_reply(tx, app, answered, now)).await;
        }
        Some(LinkReply::Undo(objection)) => {
            return Ok(Box::pin(undoing::answer_reply(tx, app, objection, now)).await?);
        }
        Some(LinkReply::Unsubscribe(wanted)) => {
            return Ok(Box::pin(unsubscribe::accept(tx, app, wanted, now)).await?);
        }
        None => {}
    }
    let command = match (&prepared.command, prepared.grant()) {
        (Ok(command), _) => command,
        (Err(error), Some(grant)) => {
            let said = (prepared.echo.as_str(), &*prepared.body);
            return Err(first_line::refuse(tx, app, grant, error, said).await?.into());
        }
        (Err(error), None) => return Err(reader::refuse_line(tx, app, prepared, error).await?.into()),
    };
    commands::run(Access::Write(tx), app, prepared, command, now).await
}
