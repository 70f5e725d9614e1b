//! The line of the log about a command, written once it is committed: who, which verb, which board, what came of it,
//! and how long it took. None of a sender's words is in it: a password may stand where a userid belongs.

use std::borrow::Cow;

use knotpost_commands::Verb;

use crate::app::App;
use crate::identity::Login;
use crate::requests::Prepared;
use knotpost_model::{BoardRef, Millis};

/// In the place of what is not known.
const UNKNOWN: &str = "-";

/// Writes the line. `outcome` is `done`, the code of a refusal, or the reason that the inbox has for a mail.
pub(crate) fn log_command(app: &App, prepared: &Prepared, boards: &[BoardRef], outcome: &str, since: Millis) {
    let ms = app.clock.now().0.saturating_sub(since.0).max(0);
    let verb = prepared.command.as_ref().map(|command| command.verb().spec().name());
    let shown = verb.as_deref().unwrap_or(UNKNOWN).to_owned();
    metrics::counter!("knotpost_commands_total", "verb" => shown, "outcome" => class_of(outcome))
        .increment(1);
    let verb = verb.as_deref().unwrap_or(UNKNOWN);
    let board = board_of(app, prepared, boards).unwrap_or(Cow::Borrowed(UNKNOWN));
    tracing::info!(who = user_of(prepared).unwrap_or(UNKNOWN), verb, board = &*board, outcome, ms, "command");
}

/// The outcomes as the metrics have them: few, so that few numbers are kept.
fn class_of(outcome: &str) -> &'static str {
    match outcome {
        "done" | "executed" | "multiple" => "done",
        "duplicate" => "repeated",
        "failed" => "failed",
        _ => "refused",
    }
}

/// The counters begin at zero.
pub(crate) fn begin_counting_commands() {
    for verb in Verb::all() {
        for outcome in ["done", "refused"] {
            let name = verb.spec().name();
            metrics::counter!("knotpost_commands_total", "verb" => name, "outcome" => outcome).increment(0);
        }
    }
}

/// The user it proved to come from.
fn user_of(prepared: &Prepared) -> Option<&str> {
    if prepared.is_foreign() {
        return None;
    }
    if let Some(grant) = prepared.grant() {
        return Some(&grant.user.userid);
    }
    match (&prepared.login, &prepared.command) {
        (Login::Known { .. }, Ok(command)) => Some(command.credentials()?.userid.as_str()),
        _ => prepared.lines.iter().find_map(user_of),
    }
}

/// The board that changed, or that it is about.
fn board_of(app: &App, prepared: &Prepared, boards: &[BoardRef]) -> Option<Cow<'static, str>> {
    if let Some(board) = boards.first() {
        return Some(Cow::Owned(board.to_string()));
    }
    let command = prepared.command.as_ref().ok()?;
    let game = app.registry.find(command.game()?)?.meta().name;
    Some(command.board().map_or(Cow::Borrowed(game), |number| Cow::Owned(format!("{game} {number}"))))
}
