//! Moves put together by pointing: which parts a move is made of, and how one that has been begun can go on. Where and
//! how the parts are shown is not known here.

use crate::{game::Game, knot::Face};

/// What a player points at to choose a part of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// A face of a knot die.
    Face(Face),
    /// A cell, a stone of a hand or an entry, by the name that the view gives it.
    Spot(String),
    /// So many quarter turns clockwise.
    Turns(u8),
    /// A word that stands for itself.
    Word,
}

/// A part of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it adds to the text of the move, a comma or colon before it included.
    pub text: String,
    /// What is pointed at.
    pub kind: PartKind,
}

impl Part {
    /// A face, by its letter.
    pub fn face(before: &str, face: Face) -> Self {
        Self { text: format!("{before}{}", face.letter()), kind: PartKind::Face(face) }
    }

    /// A spot, by its name.
    pub fn spot(before: &str, name: &impl ToString) -> Self {
        let name = name.to_string();
        Self { text: format!("{before}{name}"), kind: PartKind::Spot(name) }
    }
}

/// One way to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The move so far, with this part.
    pub begun: String,
    /// What is pointed at.
    pub kind: PartKind,
}

/// How a move that has been begun can go on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// The ways to go on, in the order of the moves they lead to.
    pub next: Vec<Choice>,
    /// Whether the move so far can be played as it is.
    pub is_complete: bool,
}

/// How `begun`, canonically spelt and cut off behind a part, can go on; empty at the start. What no legal move begins
/// with cannot.
pub(crate) fn choices<G: Game>(game: &G, begun: &str) -> Choices {
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
        match parts.next() {
            None => found.is_complete = true,
            Some(part) => {
                text.push_str(&part.text);
                if found.next.iter().all(|choice| choice.begun != text) {
                    found.next.push(Choice { begun: text, kind: part.kind });
                }
            }
        }
    }
    found
}

/// Moves one of which the begun one may become.
fn candidates<G: Game>(game: &G, begun: &str, found: &mut Choices) -> Vec<G::Move> {
    let mut base: Option<G::Move> = None;
    loop {
        let Some(steps) = game.steps(base.as_ref()) else { return listed(game, begun) };
        let next = steps.map_or_else(|_| Vec::new(), |steps| steps.next);
        if next.is_empty() {
            found.is_complete = base.is_some_and(|base| base.to_string() == begun);
            return Vec::new();
        }
        let whole = |text: &&String| {
            let rest = begun.strip_prefix(text.as_str());
            rest.is_some_and(|rest| !rest.starts_with(|sign: char| sign.is_alphanumeric()))
        };
        match next.iter().filter(whole).max_by_key(|text| text.len()).and_then(|text| text.parse().ok()) {
            Some(longer) => base = Some(longer),
            None => return next.iter().filter_map(|text| text.parse().ok()).collect(),
        }
    }
}

fn listed<G: Game>(game: &G, begun: &str) -> Vec<G::Move> {
    let mut moves = game.legal_moves();
    if let Ok(mv) = begun.parse::<G::Move>() {
        let longer = game.extensions(&mv);
        if !longer.is_empty() {
            moves.push(mv);
            moves.extend(longer);
        }
    }
    moves
}
