//! The look of an Obsidio board: shades, tokens, what the last token sees, and what the mover can type.

use super::{
    Obsidio, ObsidioMove,
    grid::{Cells, Shade, Square},
    rules::{SECOND, seat_name},
    text,
};
use knotpost_rules::{
    Game, Part, Seat, Show,
    view::{
        Figure, Ground, Look, Margin, News, Panel, Piece, ScoreLine, Shape, Sight, View, Viewer, join_words,
    },
};

/// The meaning of the signs.
const KEY: &str = "Signs: . dark cell  , light cell  * target  + cell in sight";
/// Columns of a legend line.
const WIDTH: usize = 72;

/// The targets that the last move claimed, and whose they are now.
#[derive(Clone, Copy, Debug)]
pub struct LastClaims {
    seat: Seat,
    cells: Cells,
}

impl LastClaims {
    fn tell(self) -> News {
        let cells: Vec<String> = self.cells.iter().map(|square| square.to_string()).collect();
        let targets = if cells.len() == 1 { "the target" } else { "the targets" };
        let action = format!("claims {targets} on {}", join_words(&cells));
        News { side: seat_name(self.seat), action, gain: self.cells.len() }
    }
}

impl Show for Obsidio {
    type Trace = Option<LastClaims>;

    fn note(&self, last: &mut Option<LastClaims>, before: &Self, _: Option<&ObsidioMove>) {
        let seat = before.next;
        let cells = self.side(seat).claimed - before.side(seat).claimed;
        *last = (!cells.is_empty()).then_some(LastClaims { seat, cells });
    }

    fn view(&self, last: &Option<LastClaims>, _: Viewer) -> View {
        let size = self.size;
        let seen = if self.win.is_some() { Cells::NONE } else { self.seen_from_origin() };
        let cells = (0..size).rev().flat_map(|row| (0..size).map(move |column| Square::new(column, row)));
        let rows = Margin {
            owner: "",
            labels: (1..=size).rev().map(|number| number.to_string()).collect(),
            entered: self.origin.map(|square| usize::from(size - 1 - square.row())),
        };
        let columns = Margin {
            owner: "",
            labels: (b'a'..).take(usize::from(size)).map(|letter| char::from(letter).to_string()).collect(),
            entered: self.origin.map(|square| usize::from(square.column())),
        };
        let panel = Panel {
            shape: Shape::Square,
            columns: usize::from(size),
            spots: cells.clone().map(|square| square.to_string()).collect(),
            cells: cells.map(|square| piece_at(self, square, seen)).collect(),
            margins: [rows.clone(), columns.clone(), rows, columns],
            ..Panel::default()
        };
        View {
            panels: vec![panel],
            scores: list_scores(self),
            news: last.map(LastClaims::tell),
            legend: write_legend(self),
            ..View::default()
        }
    }

    fn parts(mv: &ObsidioMove) -> Vec<Part> {
        let squares = mv.squares().iter().enumerate();
        squares.map(|(place, square)| Part::spot(if place == 0 { "" } else { "," }, square)).collect()
    }
}

fn piece_at(game: &Obsidio, square: Square, seen: Cells) -> Piece {
    let sign = match (text::sign(game, square), square.shade()) {
        ('.', _) if seen.contains(square) => '+',
        ('.', Shade::Light) => ',',
        (sign, _) => sign,
    };
    let owner = match sign {
        'x' | 'X' => Some(Seat::FIRST),
        'o' | 'O' => Some(SECOND),
        _ => None,
    };
    let ground = if square.shade() == Shade::Light { Ground::Light } else { Ground::Dark };
    let figure = match sign {
        '*' | 'X' | 'O' => Figure::Target,
        'x' | 'o' => Figure::Counter,
        _ => Figure::Nothing,
    };
    let sight = if sign == '+' { Sight::Seen } else { Sight::Unseen };
    Piece::Token { sign, owner, look: Look { ground, figure, sight } }
}

fn list_scores(game: &Obsidio) -> Vec<ScoreLine> {
    let line = |(seat, role): (Seat, &str)| ScoreLine {
        seat,
        name: seat_name(seat),
        role: if game.retired.contains(seat) { "out".to_owned() } else { role.to_owned() },
        score: game.side(seat).claimed.len().to_string(),
    };
    [(Seat::FIRST, "tokens x, targets X"), (SECOND, "tokens o, targets O")].map(line).to_vec()
}

/// The mover's possibilities, with legal examples.
fn write_legend(game: &Obsidio) -> String {
    if let Some(win) = game.win {
        return format!("{} has won.", seat_name(win.seat));
    }
    let mut paragraphs = vec![KEY.to_owned(), describe_sight(game)];
    let claims = game.claimable();
    if !claims.is_empty() {
        paragraphs.push(list(&format!("{} can claim", seat_name(game.next)), claims));
    }
    if game.may_swap() {
        paragraphs.push(format!("{} may type `swap` instead of a first move.", seat_name(game.next)));
    }
    paragraphs.push(describe_moves(game));
    paragraphs.push(describe_goal(game));
    paragraphs.join("\n")
}

/// The cells at which a turn may start.
fn describe_sight(game: &Obsidio) -> String {
    let seen = game.seen_from_origin();
    match game.origin {
        _ if game.empty.is_empty() => "No cell is left for a token.".to_owned(),
        None => "The first token may go anywhere.".to_owned(),
        Some(origin) if seen.is_empty() => {
            format!("The last token, on {origin}, sees no empty cell: start on any.")
        }
        Some(origin) => {
            let shades = [("  dark", Shade::Dark), ("  light", Shade::Light)].map(|(name, shade)| {
                let cells = seen & Cells::all(game.size, shade);
                if cells.is_empty() { String::new() } else { list(name, cells) }
            });
            let lists = shades.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
            format!("The last token, on {origin}, sees the cells marked +:\n{lists}")
        }
    }
}

/// The form of each kind of turn that is possible.
fn describe_moves(game: &Obsidio) -> String {
    let firsts = game.first_cells();
    let dark = firsts.iter().find(|square| square.shade() == Shade::Dark);
    let lights = || firsts.iter().filter(|square| square.shade() == Shade::Light);
    let pair = lights().find_map(|first| Some(ObsidioMove::pair(first, game.second_cells(first).first()?)));
    let claims: Vec<String> = game.claimable().iter().take(2).map(|square| square.to_string()).collect();
    let lone = if pair.is_none() { lights().next() } else { None };
    let kinds = [
        dark.map(|square| format!("a dark cell ({square})")),
        pair.map(|mv| format!("two light cells ({mv})")),
        lone.map(|square| format!("a light cell ({square})")),
        (!claims.is_empty()).then(|| format!("targets ({})", claims.join(","))),
    ];
    let kinds: Vec<String> = kinds.into_iter().flatten().collect();
    match kinds.as_slice() {
        [] => format!("{} can neither place nor claim: pass.", seat_name(game.next)),
        [only] => format!("Type {only}."),
        [others @ .., last] => format!("Type {} or {last}.", others.join(", ")),
    }
}

fn describe_goal(game: &Obsidio) -> String {
    let all = game.targets.len();
    let last = if all.is_multiple_of(2) { "; of an even split the last claim" } else { "" };
    format!("{} of the {all} targets win{last}.", all / 2 + 1)
}

/// A heading and squares, broken into lines that are indented below it.
fn list(heading: &str, cells: Cells) -> String {
    let mut lines = vec![format!("{heading}:")];
    for square in cells.iter() {
        let word = format!(" {square}");
        match lines.last_mut() {
            Some(line) if line.len() + word.len() <= WIDTH => line.push_str(&word),
            _ => lines.push(format!("   {word}")),
        }
    }
    lines.join("\n")
}
