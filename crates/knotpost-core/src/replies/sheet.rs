//! A board as facts for whoever draws it: the text mail, the page, the API.

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

/// How many rounds of the move list a mail shows.
const ROUNDS: usize = 4;

/// A seat and who sits there.
#[derive(Clone, Debug, Serialize)]
pub struct Seat {
    /// Name of the side.
    pub side: String,
    /// The player.
    pub userid: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct ListedMove {
    /// Counting from 1 over all players.
    pub number: i64,
    /// The seat that made it, from 1.
    pub seat: i64,
    /// As shown, with `(Auto)` when the server made it.
    pub text: String,
}

/// Whose turn it is, or how it ended.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is this player's turn.
    Turn(String),
    /// These won, over the next best by so many points where that says something.
    Won {
        /// The winner.
        userid: String,
        /// The lead in points, when the points decided.
        lead: Option<u32>,
        /// Why, when it was not the points: `resignation`, `forfeit`.
        reason: &'static str,
    },
    /// These share the first place.
    Tie(Vec<String>),
}

impl fmt::Display for Verdict {
    /// The sentence about it. Clients in the wild look for `It is (\S+)'s turn`.
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
            Self::Won { userid, .. } => write!(f, "Game won by {userid}."),
            Self::Tie(userids) => write!(f, "The game was a tie. ({})", userids.join(", ")),
        }
    }
}

/// A move that its player has not confirmed.
#[derive(Clone, Debug, Serialize)]
pub struct Submitted {
    /// Whose it is.
    pub userid: String,
    /// The move.
    pub play: String,
}

impl fmt::Display for Submitted {
    /// Whose turn it is: still theirs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { userid, play } = self;
        write!(f, "It is {userid}'s turn: {play} waits for `confirm`.")
    }
}

/// Something somebody said.
#[derive(Clone, Debug, Serialize)]
pub struct Spoken {
    /// Who: `ann`, or `The challenger`.
    pub who: String,
    /// The words.
    pub text: String,
}

/// A board with everything a board mail says.
#[derive(Clone, Debug, Serialize)]
pub struct Sheet {
    /// What kind of mail this is.
    pub heading: Heading,
    /// The game's name.
    pub game: String,
    /// The game's title.
    pub title: String,
    /// The board's number; `None` in a preview of a new board.
    pub number: Option<u32>,
    /// Options that differ from the defaults.
    pub options: String,
    /// What the reader should know, a line each.
    pub notes: Vec<String>,
    /// What a computer player would do, where the reader asked for it; `notes` say it in words.
    #[serde(skip)]
    pub hint: Option<Box<Hint>>,
    /// Whose turn, or how it ended.
    pub verdict: Verdict,
    /// How many moves the board has by now, where a position before the last of them is shown.
    #[serde(skip)]
    pub earlier_of: Option<usize>,
    /// The move that is shown as made and waits for its player to confirm it.
    pub submitted: Option<Submitted>,
    /// The seats in turn order.
    pub seats: Vec<Seat>,
    /// The moves shown.
    pub moves: Vec<ListedMove>,
    /// The board.
    #[serde(skip)]
    pub drawing: RenderedPosition,
    /// A command the reader could send now.
    pub example: Option<String>,
    /// How the reader stops watching a board on which they do not play.
    pub unsubscribe: Option<String>,
    /// How the reader declines a new board.
    pub decline: Option<String>,
    /// How the reader asks for another game when this one is over.
    pub rematch: Option<String>,
    /// What the reader is asked to reply, when they can reply without a password.
    #[serde(skip)]
    pub answers: Option<Answers>,
    /// Whether all mails about the board have one Subject.
    #[serde(skip)]
    pub fixed_subject: bool,
    /// Whether a move works that is added to the Subject of the mail, with the password.
    #[serde(skip)]
    pub by_subject: bool,
    /// Who watches.
    pub subscribers: Vec<String>,
    /// Who had no move after the last one, in a sentence.
    #[serde(skip)]
    pub passed: Option<String>,
    /// What was said.
    pub spoken: Vec<Spoken>,
    /// What can be checked of the dice, when it is to be shown.
    pub chance: Option<Chance>,
    /// Times, when they are to be shown.
    pub times: Option<TimeFacts>,
    /// What a rated board did to its players' ratings, a line each.
    pub ratings: Vec<String>,
    /// The number of the last move.
    pub ply: usize,
    /// Where the drawing is found again.
    #[serde(skip)]
    pub basis: PictureRef,
}

/// Which moves a sheet lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// The last four rounds, or all when it is over.
    Recent,
    Whole,
}

impl Sheet {
    /// The sheet of a board as it stands in memory, for `reader` when that is a player.
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
            notes: facts.notes.iter().map(|note| note.told_to(reader)).collect(),
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

    /// Which position it is, when it is not the present one. The sentence about the turn stays as programs look for it.
    pub fn moment(&self) -> Option<String> {
        let made = self.earlier_of?;
        Some(match self.ply {
            0 => "As it was at the start.".to_owned(),
            ply => format!("As it was after move {ply} of {made}."),
        })
    }

    /// What faces or cells mean and how moves are typed; nothing when it is over.
    pub fn legend(&self) -> String {
        match self.verdict {
            Verdict::Turn(_) => self.drawing.legend(),
            Verdict::Won { .. } | Verdict::Tie(_) => String::new(),
        }
    }

    /// The same for a page with a picture, which draws what text has to.
    pub fn legend_for_pages(&self) -> String {
        match self.verdict {
            Verdict::Turn(_) => self.drawing.legend_for_pages(),
            Verdict::Won { .. } | Verdict::Tie(_) => String::new(),
        }
    }

    /// What the last move earned and took, and whom it left without a move: a line each.
    pub fn news(&self) -> Option<String> {
        let earned = self.drawing.view().news.as_ref().map(ToString::to_string);
        let lines: Vec<String> = earned.into_iter().chain(self.passed.clone()).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// Shows the board as its reader wants it.
    pub(crate) fn set_layout(&mut self, layout: Layout) {
        self.drawing = self.drawing.in_layout(layout);
    }

    /// Whether this player is to move.
    pub fn is_turn_of(&self, userid: &str) -> bool {
        matches!(&self.verdict, Verdict::Turn(mover) if mover.eq_ignore_ascii_case(userid))
    }

    /// Adds something that was said.
    #[must_use]
    pub fn with_spoken(mut self, spoken: Option<Spoken>) -> Self {
        self.spoken.extend(spoken);
        self
    }

    /// Tells the reader how they can reply, where they can.
    #[must_use]
    pub fn with_answers(mut self, answers: Option<Answers>) -> Self {
        self.answers = answers;
        self
    }

    /// Adds what became of the players' ratings.
    #[must_use]
    pub fn with_ratings(mut self, lines: Vec<String>) -> Self {
        self.ratings = lines;
        self
    }
}

/// Whether this reader watches the board and does not play on it.
fn is_subscriber(board: &Board, facts: &BoardFacts, reader: &str) -> bool {
    let is_it = |name: &String| name.eq_ignore_ascii_case(reader);
    facts.subscribers.iter().any(is_it) && !board.seats.iter().any(|seat| is_it(&seat.userid))
}

/// Who had no move after the last one, so that the server passed for them.
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

/// By how many points the winner leads, when points decided.
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
