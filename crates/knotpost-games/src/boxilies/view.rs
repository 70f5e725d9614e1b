//! The look of a Boxilies board: the stones with their arrows, and below them the stones of both hands.

use super::{
    Boxilies, BoxiliesMove, SIZE,
    moves::Cell,
    rules::seat_name,
    stones::{Lie, Stone},
};
use knotpost_rules::{
    Game, Part, PartKind, Seat, Seats, Show,
    view::{CellSize, Fate, Margin, News, Panel, Piece, ScoreLine, View, Viewer, join_words},
};

const CELL_SIZE: CellSize = CellSize { width: 9, height: 5 };

/// The cell of the last stone, and the cells of the stones that it captured, a bit each.
#[derive(Clone, Copy, Debug)]
pub struct LastStone {
    seat: Seat,
    cell: Cell,
    captured: u16,
}

impl LastStone {
    const fn captures(self, cell: Cell) -> bool {
        self.captured >> cell.index() & 1 == 1
    }

    fn tell(self) -> Option<News> {
        let captured = Cell::ALL.into_iter().filter(|cell| self.captures(*cell));
        let cells: Vec<String> = captured.map(|cell| cell.to_string()).collect();
        let stones = if cells.len() == 1 { "the stone" } else { "the stones" };
        let action = format!("captures {stones} on {}", join_words(&cells));
        (!cells.is_empty()).then(|| News { side: seat_name(self.seat), action, gain: 0 })
    }
}

impl Show for Boxilies {
    type Trace = Option<LastStone>;

    fn note(&self, last: &mut Option<LastStone>, before: &Self, mv: Option<&BoxiliesMove>) {
        let seat = before.next;
        let owned = |game: &Self| game.owned.get(seat.index()).copied().unwrap_or(0);
        *last = mv.map(|mv| LastStone {
            seat,
            cell: mv.cell,
            captured: owned(self) & !owned(before) & before.occupied(),
        });
    }

    fn view(&self, last: &Option<LastStone>, _: Viewer) -> View {
        let seats = || Seats::first(super::SEATS).iter();
        let hands = seats().filter_map(|seat| draw_hand(self, seat));
        let scores = seats().zip(self.owned).map(|(seat, cells)| ScoreLine {
            seat,
            name: seat_name(seat),
            role: if self.retired.contains(seat) { "out".to_owned() } else { mark_of(seat).to_owned() },
            score: cells.count_ones().to_string(),
        });
        View {
            panels: std::iter::once(draw_board(self, *last)).chain(hands).collect(),
            scores: scores.collect(),
            news: last.and_then(LastStone::tell),
            legend: write_legend(self),
            ..View::default()
        }
    }

    fn parts(mv: &BoxiliesMove) -> Vec<Part> {
        let turns = mv.lie.turns();
        vec![
            Part::spot("", &mv.lie.stone()),
            Part::spot(":", &mv.cell),
            Part { text: format!(":{turns}"), kind: PartKind::Turns(turns) },
        ]
    }
}

/// The sign of a seat's stones.
const fn mark_of(seat: Seat) -> &'static str {
    if seat.number() == 1 { "A" } else { "B" }
}

fn draw_board(game: &Boxilies, last: Option<LastStone>) -> Panel {
    let fate = |cell| match last {
        Some(last) if last.cell == cell => Fate::Placed,
        Some(last) if last.captures(cell) => Fate::Captured,
        _ => Fate::Stays,
    };
    let piece =
        |cell| game.stone_at(cell).map_or(Piece::Empty, |(owner, lie)| piece_of(lie, owner, fate(cell)));
    let labels =
        |names: [&str; SIZE]| Margin { labels: names.map(str::to_owned).to_vec(), ..Margin::default() };
    let (rows, columns) = (labels(["3", "2", "1"]), labels(["a", "b", "c"]));
    Panel {
        columns: SIZE,
        cells: Cell::ALL.map(piece).to_vec(),
        spots: Cell::ALL.map(|cell| cell.to_string()).to_vec(),
        margins: [rows.clone(), columns.clone(), rows, columns],
        cell_size: CELL_SIZE,
        ..Panel::default()
    }
}

const fn piece_of(lie: Lie, owner: Seat, fate: Fate) -> Piece {
    Piece::Stone { name: lie.stone().name(), sides: lie.arrows(), owner, fate }
}

/// The stones a seat has left, not turned; nothing for an empty hand.
fn draw_hand(game: &Boxilies, seat: Seat) -> Option<Panel> {
    let hand = game.hands.get(seat.index()).filter(|hand| !hand.is_empty())?;
    Some(Panel {
        title: format!("     Stones left to {}:", seat_name(seat)),
        seat: Some(seat),
        columns: hand.len(),
        cells: hand.stones().map(|stone| piece_of(Lie::new(stone, 0), seat, Fate::Stays)).collect(),
        spots: if seat == game.next {
            hand.stones().map(|stone| stone.to_string()).collect()
        } else {
            Vec::new()
        },
        cell_size: CELL_SIZE,
        ..Panel::default()
    })
}

/// The meaning of the signs, and the way to type a move.
fn write_legend(game: &Boxilies) -> String {
    let Some(mv) = game.example_move() else {
        return "No stone can be placed any more.".to_owned();
    };
    let (stone, cell) = (mv.lie.stone(), mv.cell);
    let swap = if game.may_swap() {
        format!("\n\n{} may type `swap` instead of a first move.", seat_name(game.next))
    } else {
        String::new()
    };
    format!(
        "A move is a stone of your hand, an empty cell and, if you like, turns:\n\
         {stone}:{cell} places stone {stone} on {cell} as it is drawn in the hand; {stone}:{cell}:1\n\
         turns it a quarter clockwise before, so that its upper side faces right.{swap}\n\n\
         Numbers are arrows. A stands for stones of First, B for those of Second.\n\
         * marks the stone placed last, ! the stones that it captured."
    )
}

/// Every stone with its arrows, a line a total.
pub(super) fn list_stones() -> String {
    let entry =
        |stone: Stone| format!("{stone} {}", Lie::new(stone, 0).arrows().map(|n| n.to_string()).concat());
    let line = |total| Stone::of_total(total).map(entry).collect::<Vec<_>>();
    let lines = (1..=super::Hand::MAX).flat_map(|total| {
        let entries = line(total);
        entries.chunks(7).map(|some| format!("   {}", some.join("  "))).collect::<Vec<_>>()
    });
    lines.collect::<Vec<_>>().join("\n")
}
