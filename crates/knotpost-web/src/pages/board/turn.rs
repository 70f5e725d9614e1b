//! A move as far as it is put together on a board's page: what was chosen, what can be chosen next, in either order, and what
//! the board would be.

use knotpost_core::boards::{Board, Choosing, choose};
use knotpost_rules::view::{Fate, Figure, Piece, Sight};
use knotpost_rules::{Choice, Choices, PartKind, Seat, View, knot::Face};

/// More parts than a move has.
const MOST_PARTS: usize = 40;

/// A face that can be placed, and where.
pub(super) struct Way {
    pub(super) face: Face,
    /// The move so far, with the face.
    pub(super) begun: String,
    /// The places for it.
    pub(super) spots: Vec<String>,
}

/// A move as far as it is put together.
pub(super) struct Turn {
    pub(super) choosing: Choosing,
    /// The ways in which a stone that has been placed can be turned.
    pub(super) turns: Vec<Choice>,
    /// What was chosen, part by part.
    pub(super) parts: Vec<PartKind>,
    /// Where faces are placed: the faces, of which one may be chosen.
    pub(super) ways: Vec<Way>,
    /// The move before the face.
    pub(super) stage: String,
    /// The place that was chosen before its face.
    pub(super) spot: Option<String>,
}

pub(super) fn are_turns(choices: &Choices) -> bool {
    !choices.next.is_empty() && choices.next.iter().all(|choice| matches!(choice.kind, PartKind::Turns(_)))
}

impl Turn {
    /// What was begun, as a page's address says it.
    pub(super) fn read(board: &Board, text: &str, spot: Option<&str>) -> Self {
        let (choosing, turns) = choose_lying(board, text);
        let parts = list_parts(board, &choosing.begun);
        let places_face = |choices: &Choices| choices.next.iter().any(|choice| is_face(&choice.kind));
        let stage = match parts.last() {
            Some(PartKind::Face(_)) => Some(choosing.before.clone()),
            _ if places_face(&choosing.choices) => Some(choosing.begun.clone()),
            _ => None,
        };
        let ways = stage.as_ref().map(|stage| list_ways(board, stage)).unwrap_or_default();
        let is_way = |spot: &&str| ways.iter().any(|way| way.spots.iter().any(|name| name == spot));
        let has_face = matches!(parts.last(), Some(PartKind::Face(_)));
        let spot = spot.filter(|_| !has_face).filter(is_way).map(str::to_owned);
        Self { choosing, turns, parts, ways, stage: stage.unwrap_or_default(), spot }
    }

    /// Whether a face has been chosen that is not placed yet.
    pub(super) fn held(&self) -> Option<&Way> {
        match self.parts.last() {
            Some(PartKind::Face(_)) => self.ways.iter().find(|way| way.begun == self.choosing.begun),
            _ => None,
        }
    }

    /// The board with what has been chosen so far on it.
    pub(super) fn draw(&self, present: &View, mover: Option<Seat>) -> View {
        if let Some(preview) = &self.choosing.preview {
            return preview.clone();
        }
        let mut view = present.clone();
        let mut face = None;
        for part in &self.parts {
            match part {
                PartKind::Face(chosen) => face = Some(*chosen),
                PartKind::Spot(name) => place(&mut view, name, face.take(), mover),
                PartKind::Turns(_) | PartKind::Word => {}
            }
        }
        if matches!(self.parts.last(), Some(PartKind::Spot(_))) {
            self.show_sight(&mut view);
        }
        view
    }

    /// After a first token it is that one which looks along its lines.
    fn show_sight(&self, view: &mut View) {
        let is_next = |name: &String| {
            self.choosing.choices.next.iter().any(|choice| choice.kind == PartKind::Spot(name.clone()))
        };
        for panel in view.panels.iter_mut().filter(|panel| panel.is_of_tokens()) {
            for (piece, name) in panel.cells.iter_mut().zip(&panel.spots) {
                if let Piece::Token { look, .. } = piece {
                    look.sight = if is_next(name) { Sight::Seen } else { Sight::Unseen };
                }
            }
        }
    }
}

/// A stone that can be turned is shown as it would lie, unturned at first.
fn choose_lying(board: &Board, text: &str) -> (Choosing, Vec<Choice>) {
    let choosing = choose(board, text);
    if are_turns(&choosing.choices)
        && let Some(first) = choosing.choices.next.first()
    {
        let lying = Choosing { choices: Choices::default(), ..choose(board, &first.begun) };
        if lying.preview.is_some() {
            return (lying, choosing.choices.next);
        }
    }
    let before = choose(board, &choosing.before);
    if choosing.preview.is_some() && !choosing.before.is_empty() && are_turns(&before.choices) {
        return (choosing, before.choices.next);
    }
    (choosing, Vec::new())
}

const fn is_face(kind: &PartKind) -> bool {
    matches!(kind, PartKind::Face(_))
}

/// What a move that has been begun consists of.
fn list_parts(board: &Board, begun: &str) -> Vec<PartKind> {
    let (mut so_far, mut parts) = (String::new(), Vec::new());
    while so_far != begun && parts.len() < MOST_PARTS {
        let next = board.position.choices(&so_far).next.into_iter();
        let fitting = next.filter(|choice| begun.starts_with(&choice.begun));
        let Some(choice) = fitting.max_by_key(|choice| choice.begun.len()) else { break };
        so_far = choice.begun;
        parts.push(choice.kind);
    }
    parts
}

/// The faces that can be placed next, with their places.
fn list_ways(board: &Board, begun: &str) -> Vec<Way> {
    let mut ways = Vec::new();
    for choice in board.position.choices(begun).next {
        let PartKind::Face(face) = choice.kind else { continue };
        let places = board.position.choices(&choice.begun).next.into_iter();
        let spots = places.filter_map(|place| match place.kind {
            PartKind::Spot(name) => Some(name),
            _ => None,
        });
        ways.push(Way { face, spots: spots.collect(), begun: choice.begun });
    }
    ways
}

/// Puts a piece of the player to move on a spot.
fn place(view: &mut View, name: &str, face: Option<Face>, mover: Option<Seat>) {
    let sign = mover.and_then(|seat| view.scores.iter().find(|line| line.seat == seat));
    let sign = sign.and_then(|line| line.name.chars().next()).map_or('x', |sign| sign.to_ascii_lowercase());
    for panel in &mut view.panels {
        let (Some(index), is_of_tokens) =
            (panel.spots.iter().position(|spot| spot == name), panel.is_of_tokens())
        else {
            continue;
        };
        let columns = panel.columns.max(1);
        let Some(piece) = panel.cells.get_mut(index) else { continue };
        match (face, &mut *piece) {
            (Some(face), _) => *piece = Piece::Die { face, fate: Fate::Placed },
            (None, Piece::Token { sign: shown, owner, look }) if is_of_tokens => {
                (*shown, *owner) = (sign, mover);
                if look.figure != Figure::Target {
                    look.figure = Figure::Counter;
                }
                let [left, top, ..] = &mut panel.margins;
                (left.entered, top.entered) = (Some(index / columns), Some(index % columns));
            }
            (None, _) => {}
        }
    }
}
