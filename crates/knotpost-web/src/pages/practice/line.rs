//! A line of moves from a position. The address of its page holds it: nothing is stored, so it needs no account, is in
//! no list and sends no mail.

use knotpost_picture::{describe, linked_svg};
use knotpost_rules::{Cast, Now, Position, Scores, Seat, SeatNames, Status, Turn as Played, Viewer};
use minijinja::{Value, context};
use serde::Deserialize;

use crate::pages::join;
use crate::pages::turn::{Ground, Turn, TurnPage};
use crate::session::with_query;

/// Moves of an address; longer than any game with default options.
pub(in crate::pages) const MOST_MOVES: usize = 150;
/// Separator of moves in an address; in no move of any game.
pub(in crate::pages) const BETWEEN: char = '~';

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::pages) struct Look {
    /// Moves of a board before the line.
    pub(in crate::pages) ply: Option<i64>,
    pub(in crate::pages) moves: String,
    pub(in crate::pages) choose: String,
    /// Place for the next die, chosen before its face.
    pub(in crate::pages) spot: Option<String>,
    pub(in crate::pages) deal: u8,
    /// Level of the computer player on the other side; without one the visitor plays both.
    pub(in crate::pages) level: Option<u8>,
}

pub(in crate::pages) struct Origin {
    /// Without the query.
    pub(in crate::pages) path: String,
    /// Names and values of its query.
    pub(in crate::pages) kept: Vec<(&'static str, String)>,
    /// Most moves of the visitor.
    pub(in crate::pages) most: usize,
    /// Userids by seat; empty for the visitor alone.
    pub(in crate::pages) players: Vec<String>,
    pub(in crate::pages) sides: SeatNames,
}

/// A move of a line; forced turns do not count.
pub(in crate::pages) struct Made {
    pub(in crate::pages) seat: Seat,
    pub(in crate::pages) by: String,
    pub(in crate::pages) text: String,
    pub(in crate::pages) gain: u32,
}

pub(in crate::pages) struct Line {
    origin: Origin,
    position: Box<dyn Position>,
    moves: Vec<Made>,
    told: String,
    /// True if the rest of the address was no legal move.
    is_cut: bool,
    /// The one move that is offered.
    wanted: Option<String>,
}

impl Line {
    pub(in crate::pages) fn begin(origin: Origin, position: Box<dyn Position>) -> Self {
        Self { origin, position, moves: Vec::new(), told: String::new(), is_cut: false, wanted: None }
    }

    /// Offers this move alone.
    pub(in crate::pages) fn guide(&mut self, play: &str) {
        self.wanted = Some(play.to_owned());
    }

    /// Starts the line after these moves; `None` if one of them is illegal.
    pub(in crate::pages) fn after(mut self, moves: &str) -> Option<Self> {
        for play in words(moves) {
            self.play(play).then_some(())?;
        }
        self.moves.clear();
        Some(self)
    }

    /// Stops at the first illegal move.
    pub(in crate::pages) fn play_all(&mut self, moves: &str) {
        for play in words(moves) {
            if self.moves.len() == self.origin.most || !self.play(play) {
                self.is_cut = true;
                break;
            }
        }
    }

    /// Makes a move and the forced turns after it; false if it is illegal.
    fn play(&mut self, text: &str) -> bool {
        let Ok(played) = self.position.play(Played::from_word(text)) else { return false };
        let by = self.name(played.seat);
        self.told = match played.gain {
            0 => format!("{by} played {}", played.text),
            gain => format!("{by} played {}: +{gain}", played.text),
        };
        if played.canonical == SWAP
            && let [one, other, ..] = self.origin.players.as_mut_slice()
        {
            std::mem::swap(one, other);
        }
        self.moves.push(Made { seat: played.seat, by, text: played.canonical, gain: played.gain });
        for _ in 0..MOST_MOVES {
            let Some(turn) = self.position.forced() else { break };
            let Ok(passed) = self.position.play(turn) else { break };
            self.told = format!("{}; {} has no move and passes", self.told, self.name(passed.seat));
        }
        true
    }

    /// Userid, or the side if one user has several.
    fn name(&self, seat: Seat) -> String {
        let players = &self.origin.players;
        let userid = players.get(seat.index());
        let own = userid.filter(|userid| players.iter().filter(|other| other == userid).count() == 1);
        own.cloned()
            .unwrap_or_else(|| self.origin.sides.get(seat.index()).copied().unwrap_or("A player").to_owned())
    }

    pub(in crate::pages) fn moves(&self) -> &[Made] {
        &self.moves
    }

    /// Makes a move for another player, if the line goes on and it is not the visitor's turn.
    pub(in crate::pages) fn answer(&mut self, text: &str) -> bool {
        self.waits_for_other() && self.play(text)
    }

    pub(in crate::pages) fn waits_for_other(&self) -> bool {
        let goes_on = matches!(self.position.status(), Status::ToAct(_)) && !self.is_cut;
        goes_on && self.moves.len() < self.origin.most && self.mover() != YOU
    }

    pub(in crate::pages) fn here(&self) -> String {
        self.page_after(self.moves.len())
    }

    /// Page before the visitor's last move; if they play all sides, before the last move.
    fn earlier(&self) -> Option<String> {
        let is_own = |made: &Made| self.origin.players.is_empty() || made.by == YOU;
        let last = self.moves.iter().rposition(is_own)?;
        Some(self.page_after(last))
    }

    pub(in crate::pages) fn mover(&self) -> String {
        self.name(self.position.next_seat())
    }

    pub(in crate::pages) fn position(&self) -> &dyn Position {
        &*self.position
    }

    /// In the visitor's own terms.
    fn result(&self, winners: &[Seat]) -> String {
        let (more, less) = match self.position.scores() {
            Scores::Points(points) if points.len() == 2 => {
                (points.iter().max().copied(), points.iter().min().copied())
            }
            _ => (None, None),
        };
        let tally = |one: Option<u32>, other: Option<u32>| {
            one.zip(other).map(|(one, other)| format!(" {one}-{other}")).unwrap_or_default()
        };
        match winners {
            [winner] if self.name(*winner) == YOU => format!("You won{}", tally(more, less)),
            [winner] if self.name(*winner) == COMPUTER => format!("You lost{}", tally(less, more)),
            [winner] => format!("{} won{}", self.name(*winner), tally(more, less)),
            _ => format!("Draw{}", tally(more, less).replacen(' ', ", ", 1)),
        }
    }

    fn cast(&self) -> Cast {
        let now = match self.position.status() {
            Status::ToAct(seat) => Now::Turn(seat),
            Status::Over(outcome) => Now::from(&outcome),
        };
        Cast { players: self.origin.players.clone(), now: Some(now) }
    }

    fn page_with<'a>(&self, moves: impl Iterator<Item = &'a str>, begun: &str, spot: Option<&str>) -> String {
        let kept = self.origin.kept.iter().map(|(name, value)| (*name, value.as_str()));
        let moves = join_moves(moves);
        let own = [("moves", moves.as_str()), ("choose", begun), ("spot", spot.unwrap_or_default())];
        with_query(&self.origin.path, kept.chain(own))
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.moves.iter().map(|made| made.text.as_str())
    }

    fn page_after(&self, count: usize) -> String {
        self.page_with(self.texts().take(count), "", None)
    }

    fn seats(&self, is_over: bool) -> Vec<Value> {
        let scores = self.position.scores().texts();
        let next = self.position.next_seat();
        let seat = |(index, side): (usize, &&str)| {
            let seat = u8::try_from(index + 1).ok().and_then(Seat::new)?;
            let score = scores.get(index).cloned().unwrap_or_default();
            let (name, is_next) = (self.name(seat), seat == next && !is_over);
            let side = if name == **side { "" } else { *side };
            Some(context! { number => index + 1, name, side, score, is_next })
        };
        self.origin.sides.iter().enumerate().filter_map(seat).collect()
    }

    pub(in crate::pages) fn facts(&self, title: &str, look: &Look) -> Value {
        let cast = self.cast();
        let over = match self.position.status() {
            Status::Over(outcome) => Some(self.result(&outcome.winners())),
            Status::ToAct(_) => None,
        };
        let ground = Ground {
            position: &*self.position,
            cast: &cast,
            sides: self.origin.sides,
            last: self.moves.last().map_or("", |made| &made.text),
        };
        let may_go_on = over.is_none() && self.moves.len() < self.origin.most;
        let turn = may_go_on.then(|| {
            let turn = Turn::read(ground, &look.choose, look.spot.as_deref());
            if let Some(wanted) = &self.wanted { turn.only(wanted) } else { turn }
        });
        let present = self.position.view(Viewer::Spectator).with_cast(cast.clone());
        let shown = turn.as_ref().map(|turn| turn.draw(&present));
        let links = turn.as_ref().map(|turn| turn.links(self, &present)).unwrap_or_default();
        let picture = linked_svg(shown.as_ref().unwrap_or(&present), title, &links);
        let list = |(index, made): (usize, &Made)| {
            let (text, by, gain, seat) = (&made.text, &made.by, made.gain, made.seat.number());
            context! { text, by, gain, seat, href => self.page_after(index + 1) }
        };
        let shared = context! {
            picture => Value::from_safe_string(picture),
            line => self.moves.iter().enumerate().map(list).collect::<Vec<_>>(),
            earlier => self.earlier(),
            is_cut => self.is_cut,
            told => self.told.clone(),
            count => self.moves.len(),
            played_moves => join_moves(self.texts()),
            here => self.here(),
            again => self.page_after(0),
            mover => self.mover(),
            seats => self.seats(over.is_some()),
            reading => describe(&present),
            over,
        };
        let Some(turn) = turn else {
            return join([context! { choosing => false, has_preview => false }, shared]);
        };
        let begun = turn.choosing.begun.as_str();
        let play = self.page_with(self.texts().chain([begun]), "", None);
        join([context! { play }, turn.facts(self), shared])
    }
}

impl TurnPage for Line {
    fn address(&self, begun: &str, spot: Option<&str>) -> String {
        self.page_with(self.texts(), begun, spot)
    }
}

pub(in crate::pages) const YOU: &str = "You";
pub(in crate::pages) const COMPUTER: &str = "The computer";

pub(in crate::pages) const SWAP: &str = "swap";

fn join_moves<'a>(moves: impl Iterator<Item = &'a str>) -> String {
    moves.collect::<Vec<_>>().join(&BETWEEN.to_string())
}

pub(super) fn words(moves: &str) -> impl Iterator<Item = &str> {
    moves.split(BETWEEN).filter(|play| !play.is_empty())
}
