//! A board as facts for text mails, pages and the API.

use std::fmt;

use knotpost_rules::{Layout, Outcome, Seat as RulesSeat, Viewer};
use serde::Serialize;

use crate::boards::board::seat_at;
use crate::boards::picture_ref::PictureRef;
use crate::boards::{Board, Chance, RenderedPosition, Standing, chance};
use crate::replies::answers::{decline, rematch};
use crate::replies::hint::Hint;
use crate::replies::times::times;
use crate::replies::{Answers, BoardFacts, Heading, TimeFacts};
use knotpost_model::{Millis, MoveKind};

const ROUNDS: usize = 4;

#[derive(Clone, Debug, Serialize)]
pub struct Seat {
    pub side: String,
    pub userid: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct ListedMove {
    pub number: i64,
    pub seat: i64,
    /// With `(Auto)` if made by the server.
    pub text: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Turn(String),
    Won {
        userid: String,
        /// Lead in points, if points decided.
        lead: Option<u32>,
        /// `resignation` or `forfeit`, if points did not decide.
        reason: &'static str,
    },
    Tie(Vec<String>),
}

impl fmt::Display for Verdict {
    /// Clients in the wild look for `It is (\S+)'s turn`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turn(userid) => write!(f, "It is {userid}'s turn."),
            Self::Won { userid, lead: Some(1), .. } => write!(f, "Game won by {userid} by 1 point."),
            Self::Won { userid, lead: Some(points), .. } => {
                write!(f, "Game won by {userid} by {points} points.")
            }
            Self::Won { userid, reason: "resignation", .. } => {
                write!(f, "Game won by {userid} by resignation.")
            }
            Self::Won { userid, reason: "forfeit", .. } => write!(f, "Game won by {userid} on time."),
            Self::Won { userid, reason: "adjudication", .. } => {
                write!(f, "Game won by {userid} by adjudication.")
            }
            Self::Won { userid, reason: "deadline", .. } => {
                write!(f, "Game won by {userid} at the deadline.")
            }
            Self::Won { userid, .. } => write!(f, "Game won by {userid}."),
            Self::Tie(userids) => write!(f, "The game was a tie. ({})", userids.join(", ")),
        }
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct Submitted {
    pub userid: String,
    pub play: String,
}

impl fmt::Display for Submitted {
    /// It is still the same player's turn.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { userid, play } = self;
        write!(f, "It is {userid}'s turn: {play} waits for `confirm`.")
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct Spoken {
    /// Userid, or `The challenger`.
    pub who: String,
    pub text: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct Sheet {
    pub heading: Heading,
    pub game: String,
    pub title: String,
    /// `None` in a preview of a new board.
    pub number: Option<u32>,
    pub options: String,
    pub notes: Vec<String>,
    /// Hint requested by the reader; `notes` has it in words.
    #[serde(skip)]
    pub hint: Option<Box<Hint>>,
    pub verdict: Verdict,
    /// Total number of moves, if an earlier position is shown.
    #[serde(skip)]
    pub earlier_of: Option<usize>,
    pub submitted: Option<Submitted>,
    pub seats: Vec<Seat>,
    pub moves: Vec<ListedMove>,
    #[serde(skip)]
    pub drawing: RenderedPosition,
    pub example: Option<String>,
    pub unsubscribe: Option<String>,
    pub decline: Option<String>,
    pub rematch: Option<String>,
    /// Expected reply, if possible without a password.
    #[serde(skip)]
    pub answers: Option<Answers>,
    #[serde(skip)]
    pub fixed_subject: bool,
    /// True if a move appended to the Subject works, with the password.
    #[serde(skip)]
    pub by_subject: bool,
    pub subscribers: Vec<String>,
    /// Sentence about forced passes after the last move.
    #[serde(skip)]
    pub passed: Option<String>,
    pub spoken: Vec<Spoken>,
    pub chance: Option<Chance>,
    pub times: Option<TimeFacts>,
    pub ratings: Vec<String>,
    pub ply: usize,
    #[serde(skip)]
    pub basis: PictureRef,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// Last four rounds, or all when it is over.
    Recent,
    Whole,
}

impl Sheet {
    /// `reader` is set if they are a player.
    pub fn of(
        board: &Board,
        facts: &BoardFacts,
        reader: Option<&str>,
        listing: Listing,
        now: Millis,
    ) -> Self {
        let standing = board.standing();
        let made = usize::try_from(board.row.ply).unwrap_or_default();
        let earlier_of = (facts.heading == Heading::Show && board.entries.len() < made).then_some(made);
        let over = matches!(standing, Standing::Over(_));
        let whole = over || listing == Listing::Whole;
        let shown = if whole { board.entries.len() } else { facts.made.max(ROUNDS * board.seats.len()) };
        let skipped = board.entries.len().saturating_sub(shown);
        let viewer = viewer(board, reader);
        Self {
            heading: facts.heading,
            game: board.row.game.clone(),
            title: board.title().to_owned(),
            number: Some(board.row.number as u32),
            options: board.row.options.clone(),
            notes: facts.notes.iter().filter_map(|note| note.told_to(reader)).collect(),
            hint: None,
            verdict: verdict(board, &standing),
            submitted: None,
            earlier_of,
            seats: board
                .seats
                .iter()
                .map(|row| Seat { side: board.side(row.seat).to_owned(), userid: row.userid.clone() })
                .collect(),
            moves: board.entries.iter().skip(skipped).map(listed).collect(),
            drawing: RenderedPosition::of(
                (board.game, &*board.position),
                viewer,
                board.cast(&standing),
                facts.style.layout,
            ),
            example: example(board, &standing, reader)
                .filter(|_| earlier_of.is_none() && !facts.tell_of_pause()),
            unsubscribe: reader.filter(|reader| is_subscriber(board, facts, reader)).map(|reader| {
                format!("{} unsubscribe {} {reader} PASSWORD", board.row.game, board.row.number)
            }),
            decline: decline(board, facts, reader),
            rematch: rematch(board, reader).filter(|_| facts.heading != Heading::Chat),
            answers: None,
            fixed_subject: facts.style.fixed_subject,
            by_subject: facts.heading != Heading::Chat && !facts.style.fixed_subject,
            subscribers: facts.subscribers.clone(),
            passed: passed(board),
            spoken: Vec::new(),
            chance: chance(board).filter(|_| {
                over || facts.begins || !matches!(facts.heading, Heading::Summary | Heading::Chat)
            }),
            times: facts.times.clone().or_else(|| times(board, facts.heading, &facts.style, now)),
            ratings: Vec::new(),
            ply: board.entries.len(),
            basis: PictureRef::of(board, viewer),
        }
    }

    /// Names an earlier position. The turn sentence stays, as programs parse it.
    pub fn moment(&self) -> Option<String> {
        let made = self.earlier_of?;
        Some(match self.ply {
            0 => "As it was at the start.".to_owned(),
            ply => format!("As it was after move {ply} of {made}."),
        })
    }

    /// Meaning of faces or cells, and the notation; empty when it is over.
    pub fn legend(&self) -> String {
        if self.is_over() { String::new() } else { self.drawing.legend() }
    }

    pub fn legend_for_pages(&self) -> String {
        if self.is_over() { String::new() } else { self.drawing.legend_for_pages() }
    }

    fn is_over(&self) -> bool {
        !matches!(self.verdict, Verdict::Turn(_))
    }

    /// Points won and taken by the last move, and forced passes, a line each.
    pub fn news(&self) -> Option<String> {
        let earned = self.drawing.view().news.as_ref().map(ToString::to_string);
        let lines: Vec<String> = earned.into_iter().chain(self.passed.clone()).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    pub(crate) fn set_layout(&mut self, layout: Layout) {
        self.drawing = self.drawing.in_layout(layout);
    }

    pub fn is_turn_of(&self, userid: &str) -> bool {
        matches!(&self.verdict, Verdict::Turn(mover) if mover.eq_ignore_ascii_case(userid))
    }
}

fn is_subscriber(board: &Board, facts: &BoardFacts, reader: &str) -> bool {
    let is_it = |name: &String| name.eq_ignore_ascii_case(reader);
    facts.subscribers.iter().any(is_it) && !board.seats.iter().any(|seat| is_it(&seat.userid))
}

/// Players passed for by the server after the last move.
fn passed(board: &Board) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for entry in board.entries.iter().rev() {
        if !entry.row.auto || entry.row.kind != MoveKind::Pass {
            break;
        }
        let name = board.userid_at(entry.row.seat);
        if !names.contains(&name) {
            names.insert(0, name);
        }
    }
    let names = match names.as_slice() {
        [] => return None,
        [one] => (*one).to_owned(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    };
    Some(format!("{names} had no legal move: the server passed."))
}

fn listed(entry: &crate::boards::Entry) -> ListedMove {
    let auto = if entry.row.auto { " (Auto)" } else { "" };
    ListedMove { number: entry.row.number, seat: entry.row.seat, text: format!("{}{auto}", entry.text) }
}

fn viewer(board: &Board, reader: Option<&str>) -> Viewer {
    reader
        .and_then(|reader| board.seats.iter().find(|row| row.userid.eq_ignore_ascii_case(reader)))
        .map_or(Viewer::Spectator, |row| Viewer::Seat(seat_at(row.seat)))
}

fn verdict(board: &Board, standing: &Standing) -> Verdict {
    match standing {
        Standing::ToMove(seat) => Verdict::Turn(board.userid_at(i64::from(seat.number())).to_owned()),
        Standing::Over(outcome) => over(board, outcome),
    }
}

fn over(board: &Board, outcome: &Outcome) -> Verdict {
    let name = |seat: &RulesSeat| board.userid_at(i64::from(seat.number())).to_owned();
    let winners = outcome.winners();
    match winners.as_slice() {
        [winner] => Verdict::Won { userid: name(winner), lead: lead(board, outcome), reason: outcome.reason },
        several => Verdict::Tie(several.iter().map(name).collect()),
    }
}

fn lead(board: &Board, outcome: &Outcome) -> Option<u32> {
    let knotpost_rules::Scores::Points(points) = board.position.scores() else { return None };
    if outcome.reason != "score" {
        return None;
    }
    let winner = outcome.winners().first()?.index();
    let best = *points.get(winner)?;
    let next = points.iter().enumerate().filter(|(seat, _)| *seat != winner).map(|(_, p)| *p).max()?;
    best.checked_sub(next)
}

fn example(board: &Board, standing: &Standing, reader: Option<&str>) -> Option<String> {
    let Standing::ToMove(seat) = standing else { return None };
    let mover = board.userid_at(i64::from(seat.number()));
    let name = reader.unwrap_or(mover);
    if !name.eq_ignore_ascii_case(mover) {
        return None;
    }
    let play = board.position.example_move()?;
    Some(format!("{} move {} {name} PASSWORD {play}", board.row.game, board.row.number))
}

impl From<knotpost_storage::RemarkRow> for Spoken {
    fn from(row: knotpost_storage::RemarkRow) -> Self {
        Self { who: row.userid.unwrap_or_else(|| "The challenger".to_owned()), text: row.text }
    }
}
