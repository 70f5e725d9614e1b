//! A turn while it is composed on a page, in any order of its parts: choices, next choices, and the resulting board.
//! It knows a position, not its source: a board, a line of moves, a lesson.

mod choices;

use knotpost_core::boards::{Choosing, choose};
use knotpost_rules::view::{Fate, Figure, Piece, Sight};
use knotpost_rules::{Cast, Choice, Choices, PartKind, Position, Seat, SeatNames, View, knot::Face};

/// More parts than a move has.
const MOST_PARTS: usize = 40;

pub(super) trait TurnPage {
    /// Address for a begun move, and a place for a die chosen before its face.
    fn address(&self, begun: &str, spot: Option<&str>) -> String;
}

#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) position: &'a dyn Position,
    pub(super) cast: &'a Cast,
    pub(super) sides: SeatNames,
    /// As listed; may be empty.
    pub(super) last: &'a str,
}

impl Ground<'_> {
    /// Interprets the choice for the player to move.
    fn choose(&self, text: &str) -> Choosing {
        choose(self.position, self.cast, text)
    }

    pub(super) fn side(&self, seat: Seat) -> &'static str {
        self.sides.get(seat.index()).copied().unwrap_or("Player")
    }
}

/// A face that can be placed, with its places.
struct Way {
    face: Face,
    begun: String,
    spots: Vec<String>,
}

pub(super) struct Turn<'a> {
    ground: Ground<'a>,
    pub(super) choosing: Choosing,
    turns: Vec<Choice>,
    parts: Vec<PartKind>,
    ways: Vec<Way>,
    /// Move before the face.
    stage: String,
    spot: Option<String>,
}

fn are_turns(choices: &Choices) -> bool {
    !choices.next.is_empty() && choices.next.iter().all(|choice| matches!(choice.kind, PartKind::Turns(_)))
}

impl<'a> Turn<'a> {
    pub(super) fn read(ground: Ground<'a>, text: &str, spot: Option<&str>) -> Self {
        let (choosing, turns) = choose_lying(ground, text);
        let parts = list_parts(ground.position, &choosing.begun);
        let places_face = |choices: &Choices| choices.next.iter().any(|choice| is_face(&choice.kind));
        let stage = match parts.last() {
            Some(PartKind::Face(_)) => Some(choosing.before.clone()),
            _ if places_face(&choosing.choices) => Some(choosing.begun.clone()),
            _ => None,
        };
        let ways = stage.as_ref().map(|stage| list_ways(ground.position, stage)).unwrap_or_default();
        let is_way = |spot: &&str| ways.iter().any(|way| way.spots.iter().any(|name| name == spot));
        let has_face = matches!(parts.last(), Some(PartKind::Face(_)));
        let spot = spot.filter(|_| !has_face).filter(is_way).map(str::to_owned);
        Self { ground, choosing, turns, parts, ways, stage: stage.unwrap_or_default(), spot }
    }

    /// Offers nothing but what leads to this move.
    pub(super) fn only(mut self, wanted: &str) -> Self {
        self.choosing.choices.next.retain(|choice| wanted.starts_with(&choice.begun));
        self.ways.retain_mut(|way| {
            way.spots.retain(|spot| format!("{}{spot}", way.begun) == wanted);
            !way.spots.is_empty()
        });
        self
    }

    /// Face that is chosen and not placed yet.
    fn held(&self) -> Option<&Way> {
        match self.parts.last() {
            Some(PartKind::Face(_)) => self.ways.iter().find(|way| way.begun == self.choosing.begun),
            _ => None,
        }
    }

    pub(super) fn draw(&self, present: &View) -> View {
        if let Some(preview) = &self.choosing.preview {
            return preview.clone();
        }
        let mut view = present.clone();
        let mut face = None;
        for part in &self.parts {
            match part {
                PartKind::Face(chosen) => face = Some(*chosen),
                PartKind::Spot(name) => place(&mut view, name, face.take(), self.ground.position.next_seat()),
                PartKind::From(_) | PartKind::To(_) | PartKind::Turns(_) | PartKind::Word => {}
            }
        }
        if matches!(self.parts.last(), Some(PartKind::Spot(_))) {
            self.show_sight(&mut view);
        }
        view
    }

    /// Marks the lines of sight of the latest token.
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

/// Shows a stone that can be turned as it would lie, unturned at first.
fn choose_lying(ground: Ground<'_>, text: &str) -> (Choosing, Vec<Choice>) {
    let choosing = ground.choose(text);
    if are_turns(&choosing.choices)
        && let Some(first) = choosing.choices.next.first()
    {
        let lying = Choosing { choices: Choices::default(), ..ground.choose(&first.begun) };
        if lying.preview.is_some() {
            return (lying, choosing.choices.next);
        }
    }
    let before = ground.choose(&choosing.before);
    if choosing.preview.is_some() && !choosing.before.is_empty() && are_turns(&before.choices) {
        return (choosing, before.choices.next);
    }
    (choosing, Vec::new())
}

const fn is_face(kind: &PartKind) -> bool {
    matches!(kind, PartKind::Face(_))
}

fn list_parts(position: &dyn Position, begun: &str) -> Vec<PartKind> {
    let (mut so_far, mut parts) = (String::new(), Vec::new());
    while so_far != begun && parts.len() < MOST_PARTS {
        let next = position.choices(&so_far).next.into_iter();
        let fitting = next.filter(|choice| begun.starts_with(&choice.begun));
        let Some(choice) = fitting.max_by_key(|choice| choice.begun.len()) else { break };
        so_far = choice.begun;
        parts.push(choice.kind);
    }
    parts
}

fn list_ways(position: &dyn Position, begun: &str) -> Vec<Way> {
    let mut ways = Vec::new();
    for choice in position.choices(begun).next {
        let PartKind::Face(face) = choice.kind else { continue };
        let places = position.choices(&choice.begun).next.into_iter();
        let spots = places.filter_map(|place| match place.kind {
            PartKind::Spot(name) => Some(name),
            _ => None,
        });
        ways.push(Way { face, spots: spots.collect(), begun: choice.begun });
    }
    ways
}

/// Places a piece of the player to move.
fn place(view: &mut View, name: &str, face: Option<Face>, mover: Seat) {
    let sign = view.scores.iter().find(|line| line.seat == mover);
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
                (*shown, *owner) = (sign, Some(mover));
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
