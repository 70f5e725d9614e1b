//! Time limits, time used, and due actions of the clock: pure arithmetic over a loaded board.

use crate::boards::proposals::user_to_move;
use crate::boards::{Board, Standing};
use crate::config;
use knotpost_model::{Millis, Pauses, Period, Span, UserKey};
use knotpost_rules::Seat;
use knotpost_storage::BoardRow;

pub(crate) const DAY: Span = Span(86_400_000);

/// Time that players may take, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct TimeLimits {
    /// Until a player is reminded of their turn.
    #[serde(rename = "nag_ms")]
    #[schemars(with = "i64")]
    pub nag: Span,
    /// Until the player loses.
    #[serde(rename = "forfeit_ms")]
    #[schemars(with = "i64")]
    pub forfeit: Span,
    /// For all moves of a player together; `null`: no limit.
    #[serde(rename = "total_ms")]
    #[schemars(with = "Option<i64>")]
    pub total: Option<Span>,
}

impl Default for TimeLimits {
    fn default() -> Self {
        Self::new(None, None, None, &config::Time::default())
    }
}

impl TimeLimits {
    pub fn of(row: &BoardRow, defaults: &config::Time) -> Self {
        Self::new(row.nag_ms, row.forfeit_ms, row.total_ms, defaults)
    }

    /// Limits in milliseconds, with the server's defaults. If the game is lost before the default reminder,
    /// the reminder comes after a third of that time.
    pub fn new(nag: Option<i64>, forfeit: Option<i64>, total: Option<i64>, defaults: &config::Time) -> Self {
        let days = |days: f64| Span((days * DAY.0 as f64).round() as i64);
        let forfeit = forfeit.map_or(days(defaults.forfeit_days), Span);
        let usual = days(defaults.nag_days);
        let nag = nag.map_or(if usual < forfeit { usual } else { Span(forfeit.0 / 3) }, Span);
        Self { nag, forfeit, total: total.map(Span) }
    }
}

/// Limits until every player has moved: at least a day where nobody has agreed yet.
pub(crate) fn limits_at_first(board: &Board) -> TimeLimits {
    let limits = board.timing.limits;
    let first = board.seats.first().map(|row| row.user_id);
    let is_alone = board.seats.iter().all(|row| Some(row.user_id) == first);
    if is_alone || !board.timing.needs_consent {
        return limits;
    }
    let forfeit = limits.forfeit.max(DAY);
    let total = limits.total.map(|total| total.max(DAY));
    let nag = limits.nag.max(DAY.min(Span(forfeit.0 / 3)));
    TimeLimits { nag, forfeit, total }
}

fn limits_now(board: &Board) -> TimeLimits {
    if board.entries.len() < board.seats.len() { limits_at_first(board) } else { board.timing.limits }
}

/// `7 days`, `1 day`; with a fraction to the second.
pub(crate) fn length(span: Span) -> String {
    match (span.0 / DAY.0, span.0 % DAY.0) {
        (1, 0) => "1 day".to_owned(),
        (days, 0) => format!("{days} days"),
        _ => span.to_string(),
    }
}

#[derive(Clone, Debug, Default)]
pub struct BoardPauses {
    /// Outages, and time before an undo.
    pub everybody: Vec<Period>,
    pub vacations: Vec<(UserKey, Period)>,
}

impl BoardPauses {
    fn of(&self, user: Option<UserKey>) -> Pauses {
        let own = self.vacations.iter().filter(|(key, _)| Some(*key) == user).map(|(_, period)| *period);
        self.everybody.iter().copied().chain(own).collect()
    }
}

#[derive(Clone, Debug, Default)]
pub struct Timing {
    pub limits: TimeLimits,
    pub pauses: BoardPauses,
    /// True if the challenger alone set the limits, before every player has moved. Without `pauses` a board
    /// falls due too early, not too late, and is judged then.
    pub needs_consent: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    Wait(Millis),
    Nag { next: Millis, end: Millis },
    Lost { up: TimeUp, end: Millis },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeUp {
    Move,
    /// True for the limit on all moves.
    Total,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastMoment {
    pub up: TimeUp,
    pub at: Millis,
}

/// Start of the current wait, pauses not deducted.
pub(crate) fn waiting_since(board: &Board) -> Millis {
    board.entries.last().map_or(board.row.started_at, |entry| entry.row.at)
}

fn pauses_of_mover(board: &Board) -> Pauses {
    board.timing.pauses.of(user_to_move(board))
}

pub fn time_used(board: &Board, now: Millis) -> Vec<Span> {
    let mut used = time_of_moves(board, 0);
    if let Standing::ToMove(seat) = board.standing()
        && let Some(used) = used.get_mut(seat.index())
    {
        used.0 += pauses_of_mover(board).counted(waiting_since(board), now).0;
    }
    used
}

/// Time per seat until `end`, where time off while it was somebody's turn counts as used.
pub(crate) fn time_used_at(board: &Board, end: Millis) -> Vec<Span> {
    let mut at_work = board.clone();
    at_work.timing.pauses.vacations.clear();
    time_used(&at_work, end.max(waiting_since(board)))
}

/// Time per seat that counts towards the total limit, without moves made under a more generous one.
fn time_that_counts(board: &Board) -> Vec<Span> {
    let is_floored = limits_at_first(board).total != board.timing.limits.total;
    let free = if is_floored && board.entries.len() >= board.seats.len() { board.seats.len() } else { 0 };
    time_of_moves(board, free)
}

/// Time per seat of all moves but the first `free`.
fn time_of_moves(board: &Board, free: usize) -> Vec<Span> {
    let pauses: Vec<Pauses> =
        board.seats.iter().map(|row| board.timing.pauses.of(Some(row.user_id))).collect();
    let mut used = vec![Span::default(); board.seats.len()];
    let mut since = board.row.started_at;
    for (index, entry) in board.entries.iter().enumerate() {
        let seat = usize::try_from(board.present_seat(index) - 1).unwrap_or(usize::MAX);
        if let (Some(used), Some(pauses)) = (used.get_mut(seat).filter(|_| index >= free), pauses.get(seat)) {
            used.0 += pauses.counted(since, entry.row.at).0;
        }
        since = entry.row.at;
    }
    used
}

fn end_of_time(board: &Board, seat: Seat, pauses: &Pauses, since: Millis) -> LastMoment {
    let limits = limits_now(board);
    let forfeit = pauses.reach(since, limits.forfeit);
    let total = limits.total.map(|total| {
        let used = time_that_counts(board).get(seat.index()).copied().unwrap_or_default();
        pauses.reach(since, Span(total.0.saturating_sub(used.0).max(0)))
    });
    let end = match total {
        Some(total) if total < forfeit => LastMoment { up: TimeUp::Total, at: total },
        _ => LastMoment { up: TimeUp::Move, at: forfeit },
    };
    let grace = GRACE.0.min(limits.forfeit.0);
    let outages = board.timing.pauses.everybody.iter().map(|pause| pause.until);
    let back = outages.filter(|until| *until > since).map(|until| until.plus(grace)).max();
    LastMoment { at: back.map_or(end.at, |back| end.at.max(back)), ..end }
}

/// Minimum time after an outage before anybody loses; at most the time for a move.
const GRACE: Span = Span(600_000);

/// Deadline for an answer: as long as for a move.
pub(crate) fn end_of_answer(board: &Board, user: UserKey, asked: Millis) -> Millis {
    board.timing.pauses.of(Some(user)).reach(asked, limits_now(board).forfeit)
}

/// Time at which the player to move loses; `None`: no clock runs (over, paused, on vacation). Needs the
/// pauses loaded.
pub(crate) fn last_moment(board: &Board, now: Millis) -> Option<LastMoment> {
    let Standing::ToMove(seat) = board.standing() else { return None };
    let pauses = pauses_of_mover(board);
    let is_counted = pauses.reach(now, Span(1)) <= now.plus(1);
    is_counted.then(|| end_of_time(board, seat, &pauses, waiting_since(board).min(now)))
}

pub fn judge(board: &Board, now: Millis) -> Option<(Seat, Judgement)> {
    let Standing::ToMove(seat) = board.standing() else { return None };
    let pauses = pauses_of_mover(board);
    // Guards against a clock set back.
    let since = waiting_since(board).min(now);
    let LastMoment { up, at: end } = end_of_time(board, seat, &pauses, since);
    let next_counted = pauses.reach(now, Span(1));
    if next_counted > now.plus(1) && now >= end {
        // A player on vacation never loses, however late the check.
        return Some((seat, Judgement::Wait(next_counted)));
    }
    if now >= end {
        return Some((seat, Judgement::Lost { up, end }));
    }
    let nag = match board.row.nagged_at.map(|at| Millis(at).min(now)).filter(|at| *at > since) {
        Some(nagged) => pauses.reach(nagged, DAY),
        None => pauses.reach(since, limits_now(board).nag),
    };
    let judgement = if now < nag {
        Judgement::Wait(nag.min(end))
    } else if next_counted > now.plus(1) {
        Judgement::Wait(next_counted.min(end))
    } else {
        Judgement::Nag { next: pauses.reach(now, DAY).min(end), end }
    };
    Some((seat, judgement))
}

/// Tolerance for an early check: moves in quick succession then need no index update each, at the price of
/// one check in vain.
const TOO_EARLY_MS: i64 = 3_600_000;

/// Sets the next check after a turn, never too late. Unknown pauses only make it earlier.
pub(crate) fn schedule(board: &mut Board, now: Millis) {
    board.row.nagged_at = None;
    if board.row.paused_at.is_some() {
        board.row.due_at = None;
        return;
    }
    let needed = judge(board, now).map(|(_, judgement)| match judgement {
        Judgement::Wait(at) => at.0,
        Judgement::Nag { .. } | Judgement::Lost { .. } => now.0,
    });
    let will_do = |due: i64| due > now.0 && needed.is_some_and(|at| due <= at && at - due <= TOO_EARLY_MS);
    if !board.row.due_at.is_some_and(will_do) {
        board.row.due_at = needed;
    }
}

pub(crate) fn has_own_limits(row: &BoardRow) -> bool {
    row.nag_ms.is_some() || row.forfeit_ms.is_some() || row.total_ms.is_some()
}
