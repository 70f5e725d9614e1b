//! How much time players have, how much they have used, and what the clock must do about it. Sums
//! over what is stored of a board: asks neither the database nor the machine for anything.

use crate::boards::{Board, Standing};
use crate::config;
use knotpost_model::{Millis, Pauses, Period, Span, UserKey};
use knotpost_rules::Seat;
use knotpost_storage::BoardRow;

/// A day in milliseconds.
pub(crate) const DAY: Span = Span(86_400_000);

/// How much time the players of a board have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimits {
    /// Reminder after this long without a move, and daily from then on.
    pub nag: Span,
    /// Loss after this long without a move.
    pub forfeit: Span,
    /// Time of one player for all their moves.
    pub total: Option<Span>,
}

impl Default for TimeLimits {
    fn default() -> Self {
        Self::new(None, None, None, &config::Time::default())
    }
}

impl TimeLimits {
    /// The limits of a stored board.
    pub fn of(row: &BoardRow, defaults: &config::Time) -> Self {
        Self::new(row.nag_ms, row.forfeit_ms, row.total_ms, defaults)
    }

    /// Limits in milliseconds; what is not given is the server's default. A board whose time is
    /// up before the default reminder would come is reminded after a third of that time.
    pub fn new(nag: Option<i64>, forfeit: Option<i64>, total: Option<i64>, defaults: &config::Time) -> Self {
        let days = |days: f64| Span((days * DAY.0 as f64).round() as i64);
        let forfeit = forfeit.map_or(days(defaults.forfeit_days), Span);
        let usual = days(defaults.nag_days);
        let nag = nag.map_or(if usual < forfeit { usual } else { Span(forfeit.0 / 3) }, Span);
        Self { nag, forfeit, total: total.map(Span) }
    }
}

/// The limits that hold until every player has moved. Limits that nobody has agreed to yet are no shorter than a day.
pub(crate) fn limits_at_first(board: &Board) -> TimeLimits {
    let limits = board.timing.limits;
    let first = board.seats.first().map(|row| row.user_id);
    let is_alone = board.seats.iter().all(|row| Some(row.user_id) == first);
    if is_alone || !board.timing.needs_consent {
        return limits;
    }
    let forfeit = limits.forfeit.max(DAY);
    let total = limits.total.map(|total| total.max(DAY));
    // A reminder still comes before the loss.
    let nag = limits.nag.max(DAY.min(Span(forfeit.0 / 3)));
    TimeLimits { nag, forfeit, total }
}

/// The limits that hold now.
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

/// The time of a board that does not count: for everybody, and for single players.
#[derive(Clone, Debug, Default)]
pub struct BoardPauses {
    /// Outages of the server, and time before a move that was taken back.
    pub everybody: Vec<Period>,
    pub vacations: Vec<(UserKey, Period)>,
}

impl BoardPauses {
    /// What does not count for this user.
    fn of(&self, user: Option<UserKey>) -> Pauses {
        let own = self.vacations.iter().filter(|(key, _)| Some(*key) == user).map(|(_, period)| *period);
        self.everybody.iter().copied().chain(own).collect()
    }
}

/// The time of a board: its limits, and what does not count.
#[derive(Clone, Debug, Default)]
pub struct Timing {
    /// How much time the players have.
    pub limits: TimeLimits,
    /// What does not count. Empty on a board whose time nobody looks at.
    pub pauses: BoardPauses,
    /// Whether the limits are a challenger's alone, who need not be asked before every player has moved. Known where
    /// `pauses` are; where it is not, a board falls due too early rather than too late, and is judged then.
    pub needs_consent: bool,
}

/// What the clock must do about a board where somebody is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Nothing before that moment.
    Wait(Millis),
    /// Remind the player, and look again at `next`.
    Nag {
        /// The next look.
        next: Millis,
        /// When their time is up.
        end: Millis,
    },
    /// The player's time is up.
    Lost {
        up: TimeUp,
        /// Since when.
        end: Millis,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeUp {
    Move,
    /// That for all moves.
    Total,
}

/// When the player to move loses, unless they move before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastMoment {
    pub up: TimeUp,
    pub at: Millis,
}

/// Since when the player to move is waited for, pauses not taken off.
pub(crate) fn waiting_since(board: &Board) -> Millis {
    board.entries.last().map_or(board.row.started_at, |entry| entry.row.at)
}

fn user_at(board: &Board, seat: i64) -> Option<UserKey> {
    board.seats.iter().find(|row| row.seat == seat).map(|row| row.user_id)
}

/// The time used in each seat up to `now`: moves, and the move that is waited for.
pub fn time_used(board: &Board, now: Millis) -> Vec<Span> {
    let mut used = time_of_moves(board);
    if let Standing::ToMove(seat) = board.standing()
        && let Some(used) = used.get_mut(seat.index())
    {
        let pauses = board.timing.pauses.of(user_at(board, i64::from(seat.number())));
        used.0 += pauses.counted(waiting_since(board), now).0;
    }
    used
}

/// The time of each seat that its limit for all moves counts. What was used while more was granted than that does not.
fn time_that_counts(board: &Board) -> Vec<Span> {
    let is_floored = limits_at_first(board).total != board.timing.limits.total;
    let free = if is_floored && board.entries.len() >= board.seats.len() { board.seats.len() } else { 0 };
    time_of_moves_from(board, free)
}

/// The time used in each seat for the moves made.
fn time_of_moves(board: &Board) -> Vec<Span> {
    time_of_moves_from(board, 0)
}

/// As [`time_of_moves`], without the first moves of the list.
fn time_of_moves_from(board: &Board, free: usize) -> Vec<Span> {
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

/// When the time of a seat is up that is waited for since then.
fn end_of_time(board: &Board, seat: Seat, pauses: &Pauses, since: Millis) -> LastMoment {
    let limits = limits_now(board);
    let forfeit = pauses.reach(since, limits.forfeit);
    let total = limits.total.map(|total| {
        let used = time_that_counts(board).get(seat.index()).copied().unwrap_or_default();
        pauses.reach(since, Span(total.0.saturating_sub(used.0).max(0)))
    });
    match total {
        Some(total) if total < forfeit => LastMoment { up: TimeUp::Total, at: total },
        _ => LastMoment { up: TimeUp::Move, at: forfeit },
    }
}

/// The time in which nobody loses after one in which nobody could act; no longer than the time for a move.
const GRACE: Span = Span(600_000);

/// The end of a time that was waited for since then, put off where it came in an outage or soon after it.
fn put_off(board: &Board, since: Millis, end: LastMoment) -> LastMoment {
    let grace = GRACE.0.min(limits_now(board).forfeit.0);
    let outages = board.timing.pauses.everybody.iter().map(|pause| pause.until);
    let back = outages.filter(|until| *until > since).map(|until| until.plus(grace)).max();
    LastMoment { at: back.map_or(end.at, |back| end.at.max(back)), ..end }
}

/// The end of a player's time to answer, who was asked then: they have as long as for a move.
pub(crate) fn end_of_answer(board: &Board, user: UserKey, asked: Millis) -> Millis {
    board.timing.pauses.of(Some(user)).reach(asked, limits_now(board).forfeit)
}

/// When the player to move loses; `None`: no time runs now, because the game is over, the board is paused or they are
/// away. Called with the pauses of the board.
pub(crate) fn last_moment(board: &Board, now: Millis) -> Option<LastMoment> {
    let Standing::ToMove(seat) = board.standing() else { return None };
    let pauses = board.timing.pauses.of(user_at(board, i64::from(seat.number())));
    let is_counted = pauses.reach(now, Span(1)) <= now.plus(1);
    let since = waiting_since(board).min(now);
    is_counted.then(|| put_off(board, since, end_of_time(board, seat, &pauses, since)))
}

/// What is to be done about a board; `None`: nothing ever, it is over.
pub fn judge(board: &Board, now: Millis) -> Option<(Seat, Judgement)> {
    let Standing::ToMove(seat) = board.standing() else { return None };
    let pauses = board.timing.pauses.of(user_at(board, i64::from(seat.number())));
    // A clock that went back must not leave a board waiting for the time it showed before.
    let since = waiting_since(board).min(now);
    let LastMoment { up, at: end } = put_off(board, since, end_of_time(board, seat, &pauses, since));
    let next_counted = pauses.reach(now, Span(1));
    if next_counted > now.plus(1) && now >= end {
        // Nothing happens to a player who is away, however late the clock looks.
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

/// The clock may look at a board so much earlier than needed, so that moves that follow each other soon need not put
/// that off a little each: to look at a board once in vain is less work than to change an index with every move.
const TOO_EARLY_MS: i64 = 3_600_000;

/// Notes on the board when the clock must look at it after a turn: never too late. Pauses that
/// are not known here only make that look come earlier than needed.
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

/// Whether the board was made with limits of its own.
pub(crate) fn has_own_limits(row: &BoardRow) -> bool {
    row.nag_ms.is_some() || row.forfeit_ms.is_some() || row.total_ms.is_some()
}
