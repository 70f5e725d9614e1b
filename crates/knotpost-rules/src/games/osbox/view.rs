//! What an Osbox board looks like: entry numbers at their places, owners at their sides, scores, the faces.

use super::{Osbox, moves::Line, moves::SIDES, place_at};
use crate::{
    knot::Side,
    seat::Seats,
    view::{Fate, Margin, Panel, Piece, ScoreLine, View, draw_faces},
};

/// The view of a position, last move marked.
pub(super) fn draw(game: &Osbox) -> View {
    let size = game.rules.size;
    let cells = (0..size).flat_map(|row| (0..size).map(move |column| piece_at(game, row, column)));
    let panel = Panel {
        columns: usize::from(size),
        cells: cells.collect(),
        margins: [Side::West, Side::North, Side::East, Side::South].map(|side| margin(game, side)),
        ..Panel::default()
    };
    View { panels: vec![panel], scores: list_scores(game), legend: write_legend(game), ..View::default() }
}

fn piece_at(game: &Osbox, row: u8, column: u8) -> Piece {
    let place = place_at(row, column);
    if let Some(face) = game.dice.face(place) {
        return Piece::Die { face, fate: Fate::Stays };
    }
    let removed = game.last.faces.face(place).filter(|_| game.last.removed.contains(place));
    removed.map_or(Piece::Empty, |face| Piece::Die { face, fate: Fate::Removed })
}

/// Entry numbers and owner of a side; empty for a side nobody pushes from.
fn margin(game: &Osbox, side: Side) -> Margin {
    let size = game.rules.size;
    if !game.rules.is_used(side) {
        return Margin::default();
    }
    let before = SIDES.iter().take_while(|other| **other != side).count() as u8 * size;
    let line = game.last.entry.and_then(|entry| Line::behind(entry, size)).filter(|line| line.from == side);
    let entered = line.map(|line| match side {
        Side::West | Side::East => usize::from(line.first.row()) - 1,
        Side::North | Side::South => usize::from(line.first.column()) - 1,
    });
    Margin {
        owner: game.rules.owner(side).map_or("", |seat| game.rules.seat_name(seat)),
        labels: (1..=size).map(|along| (before + along).to_string()).collect(),
        entered,
    }
}

fn list_scores(game: &Osbox) -> Vec<ScoreLine> {
    let seats = Seats::first(game.rules.seats);
    let line = |(seat, points): (_, &u32)| {
        let sides = game.rules.sides_of(seat);
        let role = if game.retired.contains(seat) {
            "out".to_owned()
        } else {
            sides.trim_start_matches("the ").to_owned()
        };
        ScoreLine { seat, name: game.rules.seat_name(seat), role, score: points.to_string() }
    };
    seats.iter().zip(&game.points).map(line).collect()
}

/// The faces as they will lie, and how to type a move.
fn write_legend(game: &Osbox) -> String {
    let example = super::Game::example_move(game);
    let sentence = match example {
        Some(mv) => format!(
            "A move is a face and an entry number: {mv} pushes die {} in at entry {}.",
            mv.face.letter(),
            mv.entry
        ),
        None => "The board is full.".to_owned(),
    };
    format!("{sentence}\n\n{}", draw_faces())
}
