//! Log line per command, after its commit: user, verb, board, outcome, duration. Contains none of the
//! sender's words: a password may stand where a userid belongs.

use knotpost_platform::clock::Clock;
use knotpost_rules::Registry;
use std::borrow::Cow;

use knotpost_commands::Verb;

use crate::identity::Login;
use crate::requests::Ready;
use knotpost_model::{BoardRef, Millis};

const UNKNOWN: &str = "-";

/// `outcome` is `done`, the code of a refusal, or the inbox reason of a mail.
pub(crate) fn log_command(
    clock: &dyn Clock,
    registry: &'static Registry,
    ready: &Ready,
    boards: &[BoardRef],
    outcome: &str,
    since: Millis,
) {
    let ms = clock.now().0.saturating_sub(since.0).max(0);
    let verb = ready.command.as_ref().map(|command| command.verb().spec().name());
    let shown = verb.as_deref().unwrap_or(UNKNOWN).to_owned();
    metrics::counter!("knotpost_commands_total", "verb" => shown, "outcome" => class_of(outcome))
        .increment(1);
    let verb = verb.as_deref().unwrap_or(UNKNOWN);
    let board = board_of(registry, ready, boards).unwrap_or(Cow::Borrowed(UNKNOWN));
    tracing::info!(who = user_of(ready).unwrap_or(UNKNOWN), verb, board = &*board, outcome, ms, "command");
}

/// Groups outcomes for the metrics, to keep the number of series low.
fn class_of(outcome: &str) -> &'static str {
    match outcome {
        "done" | "executed" | "multiple" => "done",
        "duplicate" => "repeated",
        "failed" => "failed",
        _ => "refused",
    }
}

pub(crate) fn begin_counting_commands() {
    for verb in Verb::all() {
        for outcome in ["done", "refused"] {
            let name = verb.spec().name();
            metrics::counter!("knotpost_commands_total", "verb" => name, "outcome" => outcome).increment(0);
        }
    }
}

fn user_of(ready: &Ready) -> Option<&str> {
    if ready.is_foreign() {
        return None;
    }
    if let Some(grant) = ready.grant() {
        return Some(&grant.user.userid);
    }
    match (&ready.login, &ready.command) {
        (Login::Known { .. }, Ok(command)) => Some(command.credentials()?.userid.as_str()),
        _ => ready.lines.iter().find_map(user_of),
    }
}

/// Changed board, or the board it is about.
fn board_of(registry: &'static Registry, ready: &Ready, boards: &[BoardRef]) -> Option<Cow<'static, str>> {
    if let Some(board) = boards.first() {
        return Some(Cow::Owned(board.to_string()));
    }
    let command = ready.command.as_ref().ok()?;
    let game = registry.find(command.game()?)?.meta().name;
    Some(command.board().map_or(Cow::Borrowed(game), |number| Cow::Owned(format!("{game} {number}"))))
}
