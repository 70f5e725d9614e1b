//! Moves put together by pointing: which parts a move is made of, and how one that has been begun can go on. Where and
//! how the parts are shown is not known here.

use crate::{
    game::{Game, Show},
    knot::Face,
};
use std::ops::ControlFlow;

/// A thing that a player points at to choose a part of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// A face of a knot die.
    Face(Face),
    /// A cell, a stone of a hand or an entry, by the name that the view gives it.
    Spot(String),
    /// The cell of a piece that is lifted, by its name.
    From(String),
    /// The cell where the lifted piece is set down, by its name.
    To(String),
    /// Quarter turns clockwise.
    Turns(u8),
    /// A word that stands for itself.
    Word,
}

impl PartKind {
    /// The name of a cell, stone or entry.
    pub fn spot(&self) -> Option<&str> {
        match self {
            Self::Spot(name) | Self::From(name) | Self::To(name) => Some(name),
            Self::Face(_) | Self::Turns(_) | Self::Word => None,
        }
    }
}

/// A part of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its text in the move, a comma or colon before it included.
    pub text: String,
    /// The thing pointed at.
    pub kind: PartKind,
}

impl Part {
    /// A face, by its letter.
    pub fn face(before: &str, face: Face) -> Self {
        Self { text: format!("{before}{}", face.letter()), kind: PartKind::Face(face) }
    }

    /// A word that stands for itself.
    pub fn word(text: &str) -> Self {
        Self { text: text.to_owned(), kind: PartKind::Word }
    }

    /// A spot, by its name.
    pub fn spot(before: &str, name: &impl ToString) -> Self {
        Self::named(before, name, PartKind::Spot)
    }

    /// The cell where a piece is lifted, by its name.
    pub fn from(before: &str, name: &impl ToString) -> Self {
        Self::named(before, name, PartKind::From)
    }

    /// The cell where the lifted piece is set down, by its name.
    pub fn to(before: &str, name: &impl ToString) -> Self {
        Self::named(before, name, PartKind::To)
    }

    fn named(before: &str, name: &impl ToString, kind: fn(String) -> PartKind) -> Self {
        let name = name.to_string();
        Self { text: format!("{before}{name}"), kind: kind(name) }
    }
}

/// One way to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The move so far, with this part.
    pub begun: String,
    /// The thing pointed at.
    pub kind: PartKind,
}

/// The ways on from a move that has been begun.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// The ways to go on, in the order of the moves they lead to.
    pub next: Vec<Choice>,
    /// True if the move so far can be played as it is.
    pub is_complete: bool,
}

/// The ways on from `begun`, canonically spelt and cut off behind a part; empty at the start. The beginning of no legal
/// move has none.
pub(crate) fn choices<G: Show>(game: &G, begun: &str) -> Choices {
    let mut found = Choices::default();
    for mv in candidates(game, begun, &mut found) {
        let mut text = String::new();
        let mut parts = G::parts(&mv).into_iter();
        while text != begun {
            let Some(part) = parts.next() else { break };
            text.push_str(&part.text);
        }
        if text != begun {
            continue;
        }
        if let Some(part) = parts.next() {
            text.push_str(&part.text);
            if found.next.iter().all(|choice| choice.begun != text) {
                found.next.push(Choice { begun: text, kind: part.kind });
            }
        }
    }
    found
}

/// Follows the steps that `begun` names and returns the moves with one step more, one of which it may become.
fn candidates<G: Show>(game: &G, begun: &str, found: &mut Choices) -> Vec<G::Move> {
    let mut base: Option<G::Move> = None;
    loop {
        let mut next = list_next(game, base.as_ref());
        if game.quota().is_some() {
            // The steps of such a game come in no particular order.
            next.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        }
        let is_named = |text: &str| {
            let rest = begun.strip_prefix(text);
            rest.is_some_and(|rest| !rest.starts_with(|sign: char| sign.is_alphanumeric()))
        };
        let named = next.iter().filter(|(text, _)| is_named(text)).max_by_key(|(text, _)| text.len());
        let Some((_, longer)) = named else {
            let complete = base.filter(|base| game.is_complete(base) && base.to_string() == begun);
            found.is_complete = complete.is_some();
            return next.into_iter().map(|(_, mv)| mv).collect();
        };
        base = Some(longer.clone());
    }
}

/// The moves, legal ones or beginnings of such, with one step more than `base`.
fn list_next<G: Game>(game: &G, base: Option<&G::Move>) -> Vec<(String, G::Move)> {
    let mut next = Vec::new();
    let join = &mut |step| {
        let mv = G::join(base, step);
        next.push((mv.to_string(), mv));
        ControlFlow::Continue(())
    };
    // A beginning of no move cannot go on.
    let _ = game.each_step(base, join);
    next
}
