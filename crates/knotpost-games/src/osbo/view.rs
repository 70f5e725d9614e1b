//! The look of an Osbo board: every design in its box with coordinates, the roll, the scores, the faces.

use super::{MAX_SEATS, Osbo, OsboMove, design::Design, dice::Kind, moves::Cell};
use knotpost_rules::{
    Game, Part, Seat, Seats, Show,
    knot::{Face, Place, Places},
    view::{Fate, Margin, News, Panel, Piece, RolledDie, ScoreLine, View, Viewer, draw_faces, join_words},
};

/// The last turn that laid dice.
#[derive(Clone, Debug, Default)]
pub struct LastTurn {
    seat: Option<Seat>,
    /// Its dice, a set a design.
    fresh: [Places; MAX_SEATS],
}

impl Show for Osbo {
    type Trace = LastTurn;

    fn note(&self, last: &mut LastTurn, before: &Self, mv: Option<&OsboMove>) {
        if mv.is_some() {
            *last = LastTurn { seat: Some(before.next), ..LastTurn::default() };
        }
        for ((design, before), fresh) in self.designs.iter().zip(&before.designs).zip(&mut last.fresh) {
            fresh.extend(design.beyond(before));
        }
    }

    fn view(&self, last: &LastTurn, _: Viewer) -> View {
        let seats = Seats::first(self.rules.seats);
        let panels = seats.iter().zip(self.designs()).zip(&last.fresh);
        View {
            panels: panels.map(|((seat, design), fresh)| draw_design(self, seat, design, *fresh)).collect(),
            scores: seats
                .iter()
                .zip(self.designs())
                .zip(self.scores().texts())
                .map(|((seat, design), text)| score(self, seat, design, text))
                .collect(),
            roll: list_roll(self),
            news: tell(self, last),
            legend: write_legend(self),
            faces: if self.current_roll().is_ok() { &Face::ALL } else { &[] },
            ..View::default()
        }
    }

    fn parts(mv: &OsboMove) -> Vec<Part> {
        let parts = mv.placements().iter().enumerate().flat_map(|(place, die)| {
            let comma = if place == 0 { "" } else { "," };
            [Part::face(comma, die.face), Part::spot("", &format!("{}{}", die.design, die.cell))]
        });
        parts.collect()
    }
}

/// The paths that the last turn closed, longest first in each design.
fn tell(game: &Osbo, last: &LastTurn) -> Option<News> {
    let mut paths = Vec::new();
    for ((design, fresh), number) in game.designs().iter().zip(&last.fresh).zip(1..) {
        if *fresh == Places::default() {
            continue;
        }
        // A path closed before is no news; equal lengths cancel out one by one.
        let mut known = design.without(*fresh).path_lengths();
        for length in design.path_lengths() {
            match known.iter().position(|other| *other == length) {
                Some(at) => drop(known.swap_remove(at)),
                None => paths.push(format!("a path of {length} in design {number}")),
            }
        }
    }
    let action = format!("closes {}", join_words(&paths));
    let side = game.rules.seat_name(last.seat?);
    (!paths.is_empty()).then_some(News { side, action, gain: 0 })
}

/// The dice that wait to be placed; none when over or not rolled yet.
fn list_roll(game: &Osbo) -> Vec<RolledDie> {
    let Ok(roll) = game.current_roll() else { return Vec::new() };
    let dice = roll.0.dice().iter();
    let die = |kind: &Kind| {
        let name = kind.name();
        let face = kind.faces().iter().min_by_key(|face| face.letter())?;
        Some(RolledDie { face, name, letters: list_letters(*kind) })
    };
    dice.filter_map(die).collect()
}

/// The letters of a kind's rotations, in their order.
fn list_letters(kind: Kind) -> String {
    let mut letters: Vec<String> = kind.faces().iter().map(|face| face.letter().to_string()).collect();
    letters.sort_unstable();
    letters.join(" ")
}

/// The box of the dice and of the cells they point to.
fn draw_design(game: &Osbo, seat: Seat, design: &Design, fresh: Places) -> Panel {
    let bounds = design.bounds();
    let piece = |place: Place| match design.face(place) {
        Some(face) if fresh.contains(place) => Piece::Die { face, fate: Fate::Placed },
        Some(face) => Piece::Die { face, fate: Fate::Stays },
        None => Piece::Empty,
    };
    let cell = |row, column| Cell::at(Place::new(row, column), design.grid());
    let rows = (bounds.top..=bounds.bottom).map(|row| cell(row, bounds.left).row().to_string());
    let columns = (bounds.left..=bounds.right).map(|column| cell(bounds.top, column).letter().to_string());
    let margin = |labels: &[String]| Margin { labels: labels.to_vec(), ..Margin::default() };
    let (rows, columns): (Vec<_>, Vec<_>) = (rows.collect(), columns.collect());
    Panel {
        title: format!("Design {seat} ({})", game.rules.seat_name(seat)),
        seat: Some(seat),
        closer: Some(seat),
        columns: usize::from(bounds.width()),
        cells: bounds.places().map(piece).collect(),
        spots: bounds.places().map(|place| format!("{seat}{}", Cell::at(place, design.grid()))).collect(),
        margins: [&rows, &columns, &rows, &columns].map(|labels| margin(labels)),
        ..Panel::default()
    }
}

fn score(game: &Osbo, seat: Seat, design: &Design, score: String) -> ScoreLine {
    let mut role = if design.is_closed() { "closed" } else { "open" }.to_owned();
    if game.retired.contains(seat) {
        role.push_str(", out");
    }
    ScoreLine { seat, name: game.rules.seat_name(seat), role, score }
}

/// The roll, how much the turn must place, how to type it, and the faces.
fn write_legend(game: &Osbo) -> String {
    format!("{}\n\n{}", describe_turn(game), draw_faces())
}

fn describe_turn(game: &Osbo) -> String {
    let (roll, quota) = match game.current_roll() {
        Ok(turn) => turn,
        Err(super::OsboIllegal::Over) => {
            return "The game is over: no design has an open edge left.".to_owned();
        }
        Err(_) => return "The dice of the next turn are not rolled yet.".to_owned(),
    };
    let mut lines = vec![format!("The roll of {}:", game.rules.seat_name(game.next))];
    let kinds = Kind::ALL.into_iter().filter_map(|kind| {
        let count = roll.dice().iter().filter(|die| **die == kind).count();
        (count > 0).then_some((kind, count))
    });
    for (kind, count) in kinds {
        lines.push(format!("  {count} x {} ({})", kind.name(), list_letters(kind)));
    }
    let Some(example) = game.example_move() else {
        lines.push("None of these dice can be placed: the turn is a pass.".to_owned());
        return lines.join("\n");
    };
    let dice = if quota.dice == 1 { "1 die".to_owned() } else { format!("{} dice", quota.dice) };
    let designs = if quota.designs == 1 {
        "1 design".to_owned()
    } else {
        format!("{} different designs", quota.designs)
    };
    lines.push(format!("This turn places {dice} on {designs}."));
    lines.push(String::new());
    lines.push("A move lists the dice, joined by commas: a face, the number of the".to_owned());
    lines.push("design, a cell. For example:".to_owned());
    lines.push(format!("  {example}"));
    lines.join("\n")
}
