//! The look of an Osbox board: entry numbers at their places, owners at their sides, scores, the faces.

use super::{
    Capture, Osbox, OsboxMove,
    moves::{Line, SIDES},
    place_at,
};
use knotpost_rules::{
    Game, Part, Seat, Seats, Show,
    knot::{Face, Knotwork, Place, Run, Side},
    view::{Fate, Margin, News, Panel, Piece, ScoreLine, View, Viewer, draw_faces, join_words},
};

/// The effect of the last move.
#[derive(Clone, Debug, Default)]
pub struct LastMove {
    entry: Option<u8>,
    /// The cells that it pushed a die into, from the entry on.
    moved: Vec<usize>,
    /// The dice that it took off, where they lay.
    removed: Knotwork,
    /// The points it won, and the lengths of the knots that they are for.
    won: Option<Won>,
}

/// A move that scored.
#[derive(Clone, Debug)]
struct Won {
    seat: Seat,
    gain: u32,
    knots: Vec<u32>,
}

impl Show for Osbox {
    type Trace = LastMove;

    fn note(&self, last: &mut LastMove, before: &Self, mv: Option<&OsboxMove>) {
        let Some(mv) = mv else { return };
        *last = LastMove { entry: Some(mv.entry), removed: before.dice.clone(), ..LastMove::default() };
        if let Some(line) = self.rules.line(mv.entry) {
            last.moved = list_moved(before, line);
            let run = last.removed.push(mv.face, line.first, line.inward, self.rules.size);
            last.won = run.and_then(|run| find_won(self, before, &last.removed, run));
        }
        for place in places(self.rules.size).filter(|place| self.dice.face(*place).is_some()) {
            last.removed.remove(place);
        }
    }

    fn view(&self, last: &LastMove, _: Viewer) -> View {
        let panel = Panel {
            // Closed paths that stay may be of several players.
            closer: last.won.as_ref().map(|won| won.seat).filter(|_| self.rules.capture == Capture::Take),
            columns: usize::from(self.rules.size),
            cells: places(self.rules.size).map(|place| piece_at(self, last, place)).collect(),
            moved: last.moved.clone(),
            margins: [Side::West, Side::North, Side::East, Side::South].map(|side| margin(self, last, side)),
            ..Panel::default()
        };
        View {
            panels: vec![panel],
            scores: list_scores(self),
            news: last.won.as_ref().map(|won| tell(self, won)),
            legend: write_legend(self),
            faces: if self.example_move().is_some() { &Face::ALL } else { &[] },
            ..View::default()
        }
    }

    fn parts(mv: &OsboxMove) -> Vec<Part> {
        vec![Part::face("", mv.face), Part::spot("", &mv.entry)]
    }
}

/// The cells that a push along this line fills anew: up to the first gap, or to the other side.
fn list_moved(before: &Osbox, line: Line) -> Vec<usize> {
    let size = usize::from(before.rules.size);
    let (mut row, mut column) = (usize::from(line.first.row()) - 1, usize::from(line.first.column()) - 1);
    let mut moved = Vec::new();
    while row < size && column < size {
        moved.push(row * size + column);
        if before.dice.face(place_at(row as u8, column as u8)).is_none() {
            break;
        }
        (row, column) = match line.inward {
            Side::North => (row.wrapping_sub(1), column),
            Side::South => (row + 1, column),
            Side::West => (row, column.wrapping_sub(1)),
            Side::East => (row, column + 1),
        };
    }
    moved
}

/// The score of the push that ended in these dice; `None`: nothing.
fn find_won(game: &Osbox, before: &Osbox, pushed: &Knotwork, run: Run) -> Option<Won> {
    let seat = before.next;
    let points = |game: &Osbox| game.points.get(seat.index()).copied();
    let gain = points(game)?.checked_sub(points(before)?).filter(|gain| *gain > 0)?;
    let mut knots = Vec::new();
    pushed.closed_paths(run, |path| {
        if game.scores_path(path) {
            knots.push(path.length);
        }
    });
    knots.sort_unstable_by(|one, other| other.cmp(one));
    Some(Won { seat, gain, knots })
}

fn tell(game: &Osbox, won: &Won) -> News {
    let lengths: Vec<String> = won.knots.iter().map(u32::to_string).collect();
    let knots = if lengths.len() == 1 { "a knot" } else { "knots" };
    News {
        side: game.rules.seat_name(won.seat),
        action: format!("closes {knots} of {}", join_words(&lengths)),
        gain: won.gain,
    }
}

/// The cells, rows from the top.
fn places(size: u8) -> impl Iterator<Item = Place> {
    (0..size).flat_map(move |row| (0..size).map(move |column| place_at(row, column)))
}

fn piece_at(game: &Osbox, last: &LastMove, place: Place) -> Piece {
    if let Some(face) = game.dice.face(place) {
        return Piece::Die { face, fate: Fate::Stays };
    }
    last.removed.face(place).map_or(Piece::Empty, |face| Piece::Die { face, fate: Fate::Removed })
}

/// Entry numbers and owner of a side; empty for a side that no seat pushes from.
fn margin(game: &Osbox, last: &LastMove, side: Side) -> Margin {
    let size = game.rules.size;
    if !game.rules.is_used(side) {
        return Margin::default();
    }
    let before = SIDES.iter().take_while(|other| **other != side).count() as u8 * size;
    let line = last.entry.and_then(|entry| Line::through(entry, size)).filter(|line| line.from == side);
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
    let example = game.example_move();
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
