//! The second step of a command: what reads and writes, inside one transaction. A refusal leaves the transaction
//! as it was.

use std::sync::Arc;

use knotpost_commands::Command;

use super::answer::Failure;
use super::credentials::same_hash;
use super::opponents::Willingness;
use super::proving::logged_out;
use super::sheet::Listing;
use super::watching::Watch;
use super::{
    Answer, Audience, Board, BoardFacts, Channel, Code, ErrorReply, Heading, LineResult, Login, Prepared,
    Refusal, Reply, Request, ServiceError, Sheet, accounts, answering, boards, challenge, confirming,
    departure, help, looking, messages, moves, opponents, preferences, prepare, queries, queue, reader,
    records, resending, resets, samples, standings, strangers, submission, vacations, watching,
};
use crate::app::App;
use crate::domain::{BoardRef, Millis, UserKey};
use crate::store::{Foreseen, MoverRow, RequestKey, SavedResponse, StoreError, Tx, UserRow, UserState};

/// Executes a command over HTTP or for the operator: prepared, applied, committed.
///
/// # Errors
/// When the database fails.
pub async fn execute(app: &Arc<App>, request: Request) -> Result<Answer, StoreError> {
    let prepared = Arc::new(Box::pin(prepare(app, request)).await?);
    let now = app.clock.now();
    if prepared.is_query() {
        let mut tx = app.store.read().await?;
        return Box::pin(apply(&mut tx, app, &prepared, now)).await;
    }
    let foreseen = moves::foresee(app, &prepared);
    let (shared, done) = (Arc::clone(app), Arc::clone(&prepared));
    let work = app.store.write_move(foreseen, move |tx| {
        let (app, prepared) = (Arc::clone(&shared), Arc::clone(&prepared));
        Box::pin(async move { apply_alone(tx, &app, &prepared, now).await })
    });
    let answer = work.await?;
    done.after_commit(app);
    if answer.changed {
        app.signals.outbox.notify_one();
        app.signals.tell_boards(&answer.boards);
    }
    Ok(answer)
}

/// What became of a request with a key.
#[derive(Clone, Debug)]
pub enum Saved {
    /// The answer: given now, or when the same request came before.
    Response(SavedResponse),
    /// The key was used for another request.
    OtherRequest,
}

/// An answer is given again for so long.
const IDEMPOTENCY_MS: i64 = 24 * 3_600_000;

/// As [`execute`], but the same request under the same key is carried out once: the answer is kept
/// in the transaction that made it. `keys` are the digests of key and request; a key belongs to the
/// user who proved himself, otherwise to the network address.
///
/// # Errors
/// When the database fails.
pub async fn execute_once<P>(
    app: &Arc<App>,
    request: Request,
    keys: (String, String),
    present: Arc<P>,
) -> Result<Saved, StoreError>
where
    P: Fn(&Answer) -> SavedResponse + Send + Sync + 'static,
{
    let prepared = Arc::new(Box::pin(prepare(app, request)).await?);
    let (now, shared) = (app.clock.now(), Arc::clone(app));
    let digest = format!("{} {}", keys.0, prepared.key_scope());
    let key = RequestKey { digest, since: now.plus(-IDEMPOTENCY_MS) };
    let foreseen = moves::foresee(app, &prepared);
    let foreseen = foreseen.map(|one| Foreseen { request: Some(key.clone()), ..one });
    let keys = Arc::new((key, keys.1));
    let done = Arc::clone(&prepared);
    let (saved, boards) = app
        .store
        .write_move(foreseen, move |tx| {
            let (app, prepared, keys, present) =
                (Arc::clone(&shared), Arc::clone(&prepared), Arc::clone(&keys), Arc::clone(&present));
            Box::pin(async move {
                prepared.set_made(false);
                if let Some(saved) = tx.saved_response(&keys.0).await? {
                    if let Some(refusal) = refuse_former_user(tx, &prepared).await? {
                        let answer = refused(refusal, &prepared, now);
                        return Ok((Saved::Response(present(&answer)), Vec::new()));
                    }
                    let same = saved.request_digest == keys.1;
                    let saved = if same { Saved::Response(saved) } else { Saved::OtherRequest };
                    return Ok((saved, Vec::new()));
                }
                let answer = apply(tx, &app, &prepared, now).await?;
                let response = SavedResponse { request_digest: keys.1.clone(), ..present(&answer) };
                // An answer that says `later` must not stand for the next try.
                if !matches!(response.status, 429 | 503) {
                    tx.save_response(&keys.0.digest, &response, now).await?;
                }
                let boards = if answer.changed { answer.boards } else { Vec::new() };
                Ok((Saved::Response(response), boards))
            })
        })
        .await?;
    done.after_commit(app);
    app.signals.outbox.notify_one();
    app.signals.tell_boards(&boards);
    Ok(saved)
}

/// What a user's earlier answer is refused with, when he no longer is who he was a moment ago.
async fn refuse_former_user(tx: &mut Tx, prepared: &Prepared) -> Result<Option<Refusal>, StoreError> {
    if !matches!(prepared.login, Login::Known { .. }) {
        return Ok(None);
    }
    match authorize(tx, prepared).await {
        Ok(_) => Ok(None),
        Err(ServiceError::Refused(refusal)) => Ok(Some(*refusal)),
        Err(ServiceError::Store(error)) => Err(error),
    }
}

/// Carries out a prepared command inside `tx`. A refusal is an answer too; it leaves the
/// transaction as it was.
///
/// # Errors
/// When the database fails; the transaction is then to be rolled back.
pub async fn apply(tx: &mut Tx, app: &App, prepared: &Prepared, now: Millis) -> Result<Answer, StoreError> {
    if matches!(prepared.command, Ok(Command::Multiple)) {
        return apply_lines(tx, app, prepared, now).await;
    }
    let query = prepared.is_query();
    if !query {
        tx.savepoint();
    }
    let result = act_and_note(tx, app, prepared, now).await;
    match result {
        Ok(answer) => {
            if !query {
                tx.release_savepoint().await?;
            }
            Ok(answer)
        }
        Err(ServiceError::Refused(refusal)) => {
            if !query {
                tx.rollback_to_savepoint().await?;
            }
            Ok(refused(*refusal, prepared, now))
        }
        Err(ServiceError::Store(error)) => Err(error),
    }
}

/// As [`apply`], when there is nothing else in `tx`: a refusal may undo all of it.
async fn apply_alone(tx: &mut Tx, app: &App, prepared: &Prepared, now: Millis) -> Result<Answer, StoreError> {
    if matches!(prepared.command, Ok(Command::Multiple)) {
        return apply_lines(tx, app, prepared, now).await;
    }
    match act_and_note(tx, app, prepared, now).await {
        Ok(answer) => Ok(answer),
        Err(ServiceError::Refused(refusal)) => {
            tx.undo_all();
            Ok(refused(*refusal, prepared, now))
        }
        Err(ServiceError::Store(error)) => Err(error),
    }
}

async fn apply_lines(tx: &mut Tx, app: &App, prepared: &Prepared, now: Millis) -> Result<Answer, StoreError> {
    let (mut lines, mut boards, mut failure, mut changed) = (Vec::new(), Vec::new(), None, false);
    let mut room = most_answered(prepared);
    for line in &prepared.lines {
        let is_query = line.is_query();
        let answer = match room {
            0 if is_query => refused(too_much_asked(), line, now),
            _ => Box::pin(apply(tx, app, line, now)).await?,
        };
        if is_query {
            room = room.saturating_sub(app.composer.text(&answer.reply).map_or(0, |(_, text)| text.len()));
        }
        let ok = answer.failure.is_none();
        failure = failure.or(answer.failure);
        changed |= answer.changed;
        boards.extend(answer.boards);
        lines.push(LineResult { line: line.echo.clone(), ok, reply: answer.reply });
    }
    if lines.is_empty() {
        return Ok(refused(no_lines(), prepared, now));
    }
    Ok(Answer { failure, reply: Reply::Multiple { lines }, audience: Audience::Sender, boards, changed })
}

/// Bytes of answers to the questions of one `multiple`, behind which further ones are refused; what it changes is told
/// all the same.
fn most_answered(prepared: &Prepared) -> usize {
    // Such a mail is answered with no more than that.
    let is_unproven = prepared.origin.channel == Channel::Mail && prepared.user().is_none();
    if is_unproven { 40_000 } else { 400_000 }
}

fn too_much_asked() -> Refusal {
    Refusal::new(Code::TooMuchMail, "the answers to the lines before this one fill the mail already")
        .hint("Ask the rest in another mail.")
}

fn no_lines() -> Refusal {
    Refusal::new(Code::WrongArguments, "there is no command in the text of this `multiple`")
        .hint("Write one command per line into the body; lines that start with # or > are skipped.")
}

/// An answer that tells why not.
fn refused(refusal: Refusal, prepared: &Prepared, now: Millis) -> Answer {
    let board = refusal.board.as_deref();
    let who = prepared.command.as_ref().ok().and_then(Command::credentials);
    // Only who proved to be a player, and still is, sees the board as that player does.
    let is_he = prepared.is_authenticated() && refusal.code != Code::BadCredentials;
    let reader = who.filter(|_| is_he).map(|who| who.userid.as_str());
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

/// The user a command acts for. The password was checked before the transaction began; here it is
/// made sure that it is still his.
pub(super) async fn authorize(tx: &mut Tx, prepared: &Prepared) -> Result<UserRow, ServiceError> {
    let row = match proven_user(prepared)? {
        Some((user, None)) => tx.user(user).await?,
        Some((user, Some(key))) => tx.user_with_token(user, key).await?,
        None => None,
    };
    if let Login::Known { session: Some(session), .. } = &prepared.login
        && tx.session(session).await?.is_none()
    {
        return Err(logged_out().into());
    }
    Ok(admit(prepared, row)?)
}

/// As [`authorize`], for a command about a board: who is refused sees the board he named.
pub(super) async fn authorize_on(
    tx: &mut Tx,
    prepared: &Prepared,
    board: Board,
) -> Result<(Board, UserRow), ServiceError> {
    match authorize(tx, prepared).await {
        Ok(user) => Ok((board, user)),
        Err(ServiceError::Refused(refusal)) => Err(refusal.about(board).into()),
        Err(error) => Err(error),
    }
}

/// As [`authorize_on`], for a move. In one question with the user: what he wants about confirming his moves in this
/// game.
pub(super) async fn authorize_mover(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    board: Board,
) -> Result<(Board, MoverRow), ServiceError> {
    let row = match proven_user(prepared) {
        Ok(Some((user, key))) => tx.mover(user, &board.row.game, key).await?.filter(|row| row.has_key),
        Ok(None) => None,
        Err(refusal) => return Err(refusal.about(board).into()),
    };
    let (user, confirm) = row.map_or((None, None), |row| (Some(row.user), row.confirm));
    match admit(prepared, user) {
        Ok(user) => Ok((board, MoverRow { user, confirm, has_key: true })),
        Err(refusal) => {
            // He may be right by now, with another password or key.
            if let Login::Known { user, .. } = prepared.login {
                app.acquaintances.forget(user);
            }
            Err(refusal.about(board).into())
        }
    }
}

/// Who the command says it is from, where his password was right or his key, which then is there as well.
fn proven_user(prepared: &Prepared) -> Result<Option<(UserKey, Option<i64>)>, Refusal> {
    if prepared.overloaded {
        let mut refusal = Refusal::new(
            Code::Unavailable,
            "the server is too busy to check passwords; try again in a minute",
        );
        refusal.retry_after = Some(60);
        return Err(refusal);
    }
    match &prepared.login {
        Login::TooMany(seconds) => {
            let message =
                format!("too many tries with this userid; try again in {} minutes", seconds.div_ceil(60));
            let mut refusal = Refusal::new(Code::RateLimited, message);
            refusal.retry_after = Some(*seconds);
            Err(refusal)
        }
        Login::Stale => Err(Refusal::new(
            Code::NotAllowed,
            "this needs your password, given within the last ten minutes",
        )
        .hint("Addresses decide who gets your next password: being logged in is not enough to change them.")
        .hint("Write the password itself into the command, or give it on the settings page.")),
        Login::Known { user, key, .. } => Ok(Some((*user, *key))),
        _ => Ok(None),
    }
}

/// The user as he is stored now, when he is still the one whose password was right.
fn admit(prepared: &Prepared, row: Option<UserRow>) -> Result<UserRow, Refusal> {
    if let (Login::Known { hash, .. }, Some(row)) = (&prepared.login, row)
        && row.state == UserState::Active
        && row.password_hash.as_deref().is_some_and(|stored| same_hash(stored, hash))
    {
        return Ok(row);
    }
    if matches!(prepared.login, Login::Known { key: Some(_), .. }) {
        return Err(Refusal::new(Code::BadCredentials, "this token is not good any more")
            .hint("Make another one on the settings page."));
    }
    Err(Refusal::new(Code::BadCredentials, "the userid or the password is wrong")
        .hint("Userids ignore case, passwords do not; the userid comes first, then the password."))
}

/// Carries a command out and notes whether it made what its rate counts. A reset notes that by itself: its answer is
/// the same whether or not anything was made.
async fn act_and_note(
    tx: &mut Tx,
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

async fn act(tx: &mut Tx, app: &App, prepared: &Prepared, now: Millis) -> Result<Answer, ServiceError> {
    answering::check_standpoint(tx, prepared).await?;
    if let Some(answered) = prepared.confirming() {
        return confirming::act(tx, app, answered, now).await;
    }
    let command = match (&prepared.command, prepared.pass()) {
        (Ok(command), _) => command,
        (Err(error), Some(pass)) => {
            return Err(answering::refuse_answer(tx, app, pass, error).await?.into());
        }
        (Err(error), None) => return Err(reader::refuse_line(tx, app, prepared, error).await?.into()),
    };
    match command {
        Command::Help { subjects } => help::help(tx, app, prepared, subjects).await,
        Command::Signup { who, addresses } => {
            strangers::check_sign_up(tx, app, &prepared.origin, addresses.len()).await?;
            accounts::sign_up(tx, app, prepared, who, addresses, now).await
        }
        Command::Add { addresses, .. } => accounts::add(tx, app, prepared, addresses, now).await,
        Command::ChangePassword { .. } => accounts::change_password(tx, app, prepared, now).await,
        Command::ChangeAddress { addresses, .. } => {
            accounts::change_addresses(tx, app, prepared, addresses, now).await
        }
        Command::List { games } => queries::list(tx, app, games).await,
        Command::Challenge { game, players, options, server } => {
            challenge::challenge(tx, app, prepared, game, players, options, server, now).await
        }
        Command::Move { game, board, who, action, number } => {
            let turn = moves::Turning {
                game: game.as_deref(),
                board: *board,
                userid: &who.userid,
                action,
                number: *number,
            };
            moves::act(tx, app, prepared, turn, now).await
        }
        Command::Vacation { until, .. } => vacations::vacation(tx, app, prepared, *until, now).await,
        Command::Queue { .. } => queue::act(tx, app, prepared, command, now).await,
        Command::Chat { game, board, .. } => boards::chat(tx, app, prepared, game, *board, now).await,
        Command::ShowBoards { game, boards } => queries::show_boards(tx, app, game, boards, now).await,
        Command::ShowUsers { game, users, selector } => {
            queries::show_users(tx, app, game, users, *selector, now).await
        }
        Command::ShowAs { game, boards, selector, .. } => {
            looking::show_as(tx, app, prepared, game, boards, *selector, now).await
        }
        Command::AllShow { users, selector } => looking::all_show(tx, app, users, *selector, now).await,
        Command::AllGames { users, selector } => looking::all_games(tx, app, users, *selector).await,
        Command::Export { game, board } => records::export(tx, app, game, *board).await,
        Command::Subscribe { game, boards, .. } => {
            watching::subscribe(tx, app, prepared, game, boards, Watch::Begin, now).await
        }
        Command::Unsubscribe { game, boards, .. } => {
            watching::subscribe(tx, app, prepared, game, boards, Watch::End, now).await
        }
        Command::Notify { game, boards, .. } => watching::notify(tx, app, prepared, game, boards, now).await,
        Command::Games { game, users, selector } => queries::games(tx, app, game, users, *selector).await,
        Command::Accept { game, .. } => {
            opponents::set_willingness(tx, app, prepared, game, Willingness::Accept, now).await
        }
        Command::Reject { game, .. } => {
            opponents::set_willingness(tx, app, prepared, game, Willingness::Reject, now).await
        }
        Command::Limit { game, change, .. } => opponents::limit(tx, app, prepared, game, *change, now).await,
        Command::Seek { game, change, options, server, .. } => {
            opponents::seek(tx, app, prepared, game, *change, options, server, now).await
        }
        Command::Standings { game } => standings::standings(tx, app, game, now).await,
        Command::History { game, users } => queries::history(tx, app, game, users).await,
        Command::Preview { game, board, at, moves } => {
            queries::preview(tx, app, game, *board, *at, moves, now).await
        }
        Command::PreviewNew { game, players, moves, options } => {
            queries::preview_new(app, game, *players as usize, moves, options, now)
        }
        Command::Set { game, values, .. } => {
            preferences::set(tx, app, prepared, game.as_deref(), values, now).await
        }
        Command::Signoff { addresses, .. } => accounts::sign_off(tx, app, prepared, addresses, now).await,
        Command::Delete { .. } => departure::delete(tx, app, prepared, now).await,
        Command::PasswordReset { userid } => resets::ask(tx, app, prepared, userid, now).await,
        Command::Message { to, .. } => messages::message(tx, app, prepared, to, now).await,
        Command::Broadcast { .. } => messages::broadcast(tx, app, prepared, now).await,
        Command::TestDisplay { userid } => samples::test_display(app, userid.as_deref()),
        // Its lines are carried out one by one before this point is reached.
        Command::Multiple => Err(no_lines().into()),
        Command::Submit { game, board, action, number, .. } => {
            submission::submit(tx, app, prepared, game, *board, (action, *number), now).await
        }
        Command::Confirm { game, board, .. } => {
            submission::confirm(tx, app, prepared, game, *board, now).await
        }
        Command::Resend { game, board, .. } => {
            resending::resend(tx, app, prepared, game.as_deref(), *board, now).await
        }
    }
}

/// What whoever sends again what was done is answered: the board as it stands now.
pub(super) fn answer_already_played(
    prepared: &Prepared,
    board: Option<&Board>,
    reader: Option<&str>,
    now: Millis,
) -> Reply {
    let facts = BoardFacts::plain(Heading::Show);
    let sheet = board.map(|board| Box::new(Sheet::of(board, &facts, reader, Listing::Whole, now)));
    Reply::AlreadyPlayed { echo: prepared.echo.clone(), sheet }
}

/// What a mail that came before is answered: the board as it stands now.
///
/// # Errors
/// When the database fails.
pub async fn already_played(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    now: Millis,
) -> Result<Reply, StoreError> {
    let named = prepared.command.as_ref().ok().and_then(|command| Some((command.game()?, command.board()?)));
    let board = match named {
        Some((game, number)) => Board::load(tx, app, game, number).await?,
        None => None,
    };
    Ok(answer_already_played(prepared, board.as_ref(), None, now))
}
