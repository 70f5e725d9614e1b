//! First steps of a command: a request is authenticated, admitted by its rate, and made ready by the slow work that
//! needs no transaction: hashes of passwords, and the search of a computer player.
//!
//! Nothing is carried out here; see `execute`.

mod admission;
mod advising;
mod login;

use std::sync::Arc;

use knotpost_commands::{Command, ParseError, Password};

use self::admission::{admit, find_proven};
pub(crate) use self::admission::{check_rate, check_reader, check_readers};
use self::advising::{MOST_SECONDS, needs_search, seconds_of, take_advice, too_much_thinking};
use self::login::{check_signup, chosen_password, find_login, hash_chosen};
use crate::app::App;
use crate::identity::authentication::SlowWork;
use crate::identity::{Login, Origin};
use crate::requests::board_reply::{Answered, authenticate_reply};
use crate::requests::{Admission, Admitted, Authenticated, Quote, Ready, Request};
use knotpost_model::Comment;
use knotpost_storage::{Store, StoreError};

const SHORTEST_PASSWORD: usize = 6;

/// A command, and the lines of a `multiple`.
type Sent = (Authenticated, Vec<Authenticated>);

pub async fn prepare(app: &Arc<App>, request: Request) -> Result<Ready, StoreError> {
    let Some(sent) = authenticate(app, request, SlowWork::Allowed).await? else {
        return Err(StoreError::Closed);
    };
    admit_and_make_ready(app, sent).await
}

/// As [`prepare`]; `None` if there is slow work to do. Nothing is counted then: the request will be prepared a second
/// time.
pub async fn prepare_at_once(app: &Arc<App>, request: Request) -> Result<Option<Ready>, StoreError> {
    let Some(sent) = authenticate(app, request, SlowWork::Refused).await? else { return Ok(None) };
    for command in sent.1.iter().chain([&sent.0]) {
        if needs_search(app, command).await? {
            return Ok(None);
        }
    }
    admit_and_make_ready(app, sent).await.map(Some)
}

async fn admit_and_make_ready(app: &Arc<App>, (command, lines): Sent) -> Result<Ready, StoreError> {
    let mut ready = Vec::with_capacity(lines.len());
    for line in lines {
        ready.push(make_ready(app, admit(&app.limits, line), Vec::new()).await?);
    }
    make_ready(app, admit(&app.limits, command), ready).await
}

/// Finds out who answers a mail, or sends a command; `None`: slow work is refused.
async fn authenticate(
    app: &Arc<App>,
    mut request: Request,
    slow_work: SlowWork,
) -> Result<Option<Sent>, StoreError> {
    if let Some(board_reply) = request.board_reply.take() {
        match authenticate_reply(app, &request.origin, board_reply).await? {
            Answered::Authenticated(sent) => return Ok(Some((*sent, Vec::new()))),
            Answered::Complete { line, body } => {
                request = Request::of_line(line, body, request.origin, &app.vocabulary);
            }
            Answered::Nothing => {}
        }
    }
    if !matches!(request.command, Ok(Command::Multiple)) {
        let sent = authenticate_command(app, request, slow_work).await?;
        return Ok(sent.map(|sent| (sent, Vec::new())));
    }
    let Request { line, body, origin, .. } = request;
    let (command, texts) = match knotpost_commands::command_lines(&body) {
        Ok(texts) => (Ok(Command::Multiple), texts),
        Err(error) => (Err(error), Vec::new()),
    };
    let (mut lines, mut seconds) = (Vec::with_capacity(texts.len()), MOST_SECONDS);
    for text in texts {
        let mut request = Request::of_line(text, "", origin.clone(), &app.vocabulary);
        match seconds.checked_sub(seconds_of(&request.command)) {
            Some(left) => seconds = left,
            None => request.command = Err(too_much_thinking()),
        }
        let Some(line) = authenticate_command(app, request, slow_work).await? else { return Ok(None) };
        lines.push(line);
    }
    let quote = line.map_or(Quote::None, Quote::Typed);
    Ok(Some((Authenticated::unproven(command, quote, origin), lines)))
}

async fn authenticate_command(
    app: &Arc<App>,
    request: Request,
    slow_work: SlowWork,
) -> Result<Option<Authenticated>, StoreError> {
    let Request { command, line, body, origin, board_reply: _ } = request;
    let mut command = command.and_then(|command| knotpost_commands::check(&command, &app.vocabulary));
    if slow_work == SlowWork::Refused && chosen_password(&command).is_some() {
        return Ok(None);
    }
    name_sender(&app.store, &mut command, &origin).await?;
    let body = redact(&command, &body);
    let proven = find_proven(&app.store, &command, &origin).await?;
    let Some(login) = find_login(app, &command, &origin, slow_work).await? else { return Ok(None) };
    let quote = line.map_or(Quote::None, Quote::Typed);
    Ok(Some(Authenticated { quote, body, origin, command, login, proven, standpoint: None }))
}

/// Does the slow work of a command. The password of a signup is checked only now that it was counted.
async fn make_ready(app: &Arc<App>, admitted: Admitted, lines: Vec<Ready>) -> Result<Ready, StoreError> {
    let Admitted { sent, admission } = admitted;
    let (login, preparation) = match (&sent.command, &sent.login, &admission) {
        (Ok(Command::Signup { who, .. }), _, Admission::Free | Admission::Counted(_)) => {
            check_signup(app, &sent.origin, who).await?
        }
        (Ok(Command::ChangePassword { new, .. }), Login::Known { .. }, _) => {
            hash_chosen(&app.credentials, &sent.origin, new, sent.login.clone()).await
        }
        _ => (sent.login.clone(), take_advice(app, &sent, &admission).await?),
    };
    Ok(Ready {
        echo: sent.quote.echo(&login, &app.vocabulary),
        body: sent.body,
        origin: sent.origin,
        command: sent.command,
        login,
        proven: sent.proven,
        standpoint: sent.standpoint,
        admission,
        preparation,
        lines,
    })
}

/// A Subject such as `Osbox Board 101 Error PASSWORD o1` names no userid; the sender's is used, and the
/// password checked as ever.
async fn name_sender(
    store: &Store,
    command: &mut Result<Command, ParseError>,
    origin: &Origin,
) -> Result<(), StoreError> {
    let (Some(sender), Ok(command)) = (&origin.sender, command) else { return Ok(()) };
    if !knotpost_commands::takes_state_for_userid(command) {
        return Ok(());
    }
    let mut tx = store.query().await?;
    let mut readers = tx.users_at(&sender.key()).await?;
    if let (Command::Move { who, .. }, [reader]) = (command, readers.as_mut_slice())
        && tx.find_user(&who.userid).await?.is_none()
    {
        who.userid = std::mem::take(&mut reader.userid);
    }
    Ok(())
}

/// Text of a command, passwords masked.
fn redact(command: &Result<Command, ParseError>, body: &str) -> Comment {
    let given = command.as_ref().ok().and_then(Command::credentials).and_then(|who| who.password.as_ref());
    let mut text = Comment::new(body);
    for password in given.into_iter().chain(chosen_password(command)).map(Password::expose) {
        if password.len() >= SHORTEST_PASSWORD && text.contains(password) {
            text = Comment::new(&text.replace(password, knotpost_commands::MASK));
        }
    }
    text
}
