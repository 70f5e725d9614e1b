//! First step of a command: slow work that needs no transaction. Checks text, rates and password, hashes a
//! new password.
//!
//! Nothing is carried out here; see `execute`.

mod advising;
mod counting;
mod login;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use knotpost_commands::{Command, Password};

use self::advising::{MOST_SECONDS, seconds_of, take_advice, too_much_thinking};
pub(crate) use self::counting::{check_rate, check_reader, check_readers};
use self::counting::{count_all, count_rate, find_proven};
use self::login::{Passwords, check_passwords};
use crate::app::App;
use crate::identity::Login;
use crate::identity::authentication::SlowWork;
use crate::requests::board_reply::{Answered, prepare_answer};
use crate::requests::{Prepared, Request};
use knotpost_model::Comment;
use knotpost_storage::StoreError;

const SHORTEST_PASSWORD: usize = 6;

pub async fn prepare(app: &Arc<App>, request: Request) -> Result<Prepared, StoreError> {
    let Some(prepared) = prepare_request(app, request, SlowWork::Allowed).await? else {
        return Err(StoreError::Closed);
    };
    Ok(prepared)
}

/// As [`prepare`]; `None` if a password would have to be hashed.
pub async fn prepare_at_once(app: &Arc<App>, request: Request) -> Result<Option<Prepared>, StoreError> {
    let mut prepared = prepare_request(app, request, SlowWork::Refused).await?;
    // Counted only now: the request will not be prepared a second time.
    if let Some(prepared) = &mut prepared {
        count_all(app, prepared);
    }
    Ok(prepared)
}

/// Reads a request as an answer to a board mail, or as the command in it.
async fn prepare_request(
    app: &Arc<App>,
    mut request: Request,
    slow_work: SlowWork,
) -> Result<Option<Prepared>, StoreError> {
    if let Some(board_reply) = request.board_reply.take() {
        match prepare_answer(app, &request.origin, board_reply).await? {
            Answered::Prepared(mut prepared) => {
                if slow_work == SlowWork::Allowed {
                    count_rate(app, &mut prepared);
                }
                let advised = take_advice(app, &mut prepared, slow_work).await?;
                return Ok(advised.then_some(*prepared));
            }
            Answered::Complete { line, body } => {
                request = Request::of_line(line, body, request.origin, &app.vocabulary);
            }
            Answered::Nothing => {}
        }
    }
    prepare_command(app, request, slow_work).await
}

fn prepare_command(
    app: &Arc<App>,
    request: Request,
    slow_work: SlowWork,
) -> BoxFuture<'_, Result<Option<Prepared>, StoreError>> {
    Box::pin(async move {
        let Request { command, line, body, origin, board_reply: _ } = request;
        let command = command.and_then(|command| knotpost_commands::check(command, &app.vocabulary));
        let mut prepared = Prepared::new(command, origin);
        if let Some(line) = &line {
            prepared.echo = line.masked(&app.vocabulary);
        }
        if matches!(prepared.command, Ok(Command::Multiple)) {
            return prepare_lines(app, prepared, &body, slow_work).await;
        }
        prepared.body = Comment::new(&body);
        name_sender(app, &mut prepared).await?;
        redact_body(&mut prepared);
        prepared.proven = find_proven(app, &prepared).await?;
        let done = check_passwords(app, &mut prepared, slow_work).await? == Passwords::Checked;
        let is_signup = matches!(prepared.command, Ok(Command::Signup { .. }));
        if done && slow_work == SlowWork::Allowed && !is_signup {
            count_rate(app, &mut prepared);
        }
        let done = done && take_advice(app, &mut prepared, slow_work).await?;
        let is_right = matches!(prepared.login, Login::NotNeeded | Login::Known { .. });
        if let Some(line) = line.filter(|_| !is_right) {
            prepared.echo = line.masked_cautiously(&app.vocabulary);
        }
        Ok(done.then_some(prepared))
    })
}

/// A Subject such as `Osbox Board 101 Error PASSWORD o1` names no userid; the sender's is used, and the
/// password checked as ever.
async fn name_sender(app: &App, prepared: &mut Prepared) -> Result<(), StoreError> {
    let Some(sender) = &prepared.origin.sender else { return Ok(()) };
    let Ok(command) = &mut prepared.command else { return Ok(()) };
    if !knotpost_commands::takes_state_for_userid(command) {
        return Ok(());
    }
    let mut tx = app.store.query().await?;
    let mut readers = tx.users_at(&sender.key()).await?;
    if let (Command::Move { who, .. }, [reader]) = (command, readers.as_mut_slice())
        && tx.find_user(&who.userid).await?.is_none()
    {
        who.userid = std::mem::take(&mut reader.userid);
    }
    Ok(())
}

fn redact_body(prepared: &mut Prepared) {
    let Ok(command) = &prepared.command else { return };
    let given = command.credentials().and_then(|who| who.password.as_ref());
    let chosen = match command {
        Command::ChangePassword { new, .. } => Some(new),
        Command::Signup { who, .. } => who.password.as_ref(),
        _ => None,
    };
    for password in given.into_iter().chain(chosen).map(Password::expose) {
        if password.len() >= SHORTEST_PASSWORD && prepared.body.contains(password) {
            prepared.body = Comment::new(&prepared.body.replace(password, knotpost_commands::MASK));
        }
    }
}

/// Prepares the lines of a `multiple` as commands without bodies; nesting is refused.
async fn prepare_lines(
    app: &Arc<App>,
    mut prepared: Prepared,
    body: &str,
    slow_work: SlowWork,
) -> Result<Option<Prepared>, StoreError> {
    let lines = match knotpost_commands::command_lines(body) {
        Ok(lines) => lines,
        Err(error) => {
            prepared.command = Err(error);
            return Ok(Some(prepared));
        }
    };
    let mut seconds = MOST_SECONDS;
    for line in lines {
        let mut request = Request::of_line(line, "", prepared.origin.clone(), &app.vocabulary);
        match seconds.checked_sub(seconds_of(&request.command)) {
            Some(left) => seconds = left,
            None => request.command = Err(too_much_thinking()),
        }
        let Some(line) = prepare_command(app, request, slow_work).await? else { return Ok(None) };
        prepared.lines.push(line);
    }
    Ok(Some(prepared))
}
