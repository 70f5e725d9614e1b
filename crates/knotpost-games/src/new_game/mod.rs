//! The folder of a game that does not exist yet: it compiles, a stone can be placed, and nobody wins. An author goes on
//! from there.

use knotpost_rules::{kit::Names, view::Shape};

#[cfg(test)]
pub mod houses;
#[cfg(test)]
pub mod place;
#[cfg(test)]
pub mod shift;
#[cfg(test)]
mod tests;

/// The board of a new game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Board {
    /// Rows and columns.
    Square,
    /// A rhombus of hexagons, as in Hex.
    Hex,
    /// A triangle of hexagons.
    Triangle,
    /// A hexagon of hexagons.
    Hexagon,
    /// Points where lines cross.
    Points,
    /// Two rows of houses with seeds.
    Houses,
}

impl Board {
    /// All boards with the words they are chosen by.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Square, "square"),
        (Self::Hex, "hex"),
        (Self::Triangle, "triangle"),
        (Self::Hexagon, "hexagon"),
        (Self::Points, "points"),
        (Self::Houses, "houses"),
    ];

    /// Its own words in the files.
    const fn describe(self) -> Kind {
        match self {
            Self::Square => Kind {
                shape: Shape::Square,
                doubled: false,
                names: Names { lettered_rows: false, from_below: true, without_i: false },
                sizes: [4, 8, 19],
                places: [["c3", "d4"], ["c3", "d4"]],
                shifts: [["c1-c2", "c8-c7"], ["c1-c2", "c4-c3"]],
            },
            Self::Hex => Kind {
                shape: Shape::Slanted,
                doubled: false,
                names: Names { lettered_rows: false, from_below: false, without_i: false },
                sizes: [5, 11, 19],
                places: [["f6", "g5"], ["c3", "d4"]],
                shifts: [["c11-c10", "c1-c2"], ["c5-c4", "c1-c2"]],
            },
            Self::Triangle => Kind {
                shape: Shape::Triangle,
                doubled: false,
                names: Names { lettered_rows: false, from_below: false, without_i: false },
                sizes: [5, 11, 19],
                places: [["h8", "g9"], ["d4", "c5"]],
                shifts: [["e11-e10", "i4-i5"], ["c5-c4", "d3-d4"]],
            },
            Self::Hexagon => Kind {
                shape: Shape::Hexagon,
                doubled: true,
                names: Names { lettered_rows: true, from_below: false, without_i: false },
                sizes: [3, 6, 10],
                places: [["f6", "g7"], ["c3", "d4"]],
                shifts: [["k6-j6", "a1-b1"], ["e3-d3", "a1-b1"]],
            },
            Self::Points => Kind {
                shape: Shape::Points,
                doubled: false,
                names: Names { lettered_rows: false, from_below: true, without_i: true },
                sizes: [5, 9, 19],
                places: [["e5", "d4"], ["c3", "d4"]],
                shifts: [["c1-c2", "c9-c8"], ["c1-c2", "c5-c4"]],
            },
            Self::Houses => Kind {
                shape: Shape::Houses,
                doubled: false,
                names: Names { lettered_rows: false, from_below: true, without_i: false },
                sizes: [0; 3],
                places: [["c", "d"], ["a", "f"]],
                shifts: [["", ""]; 2],
            },
        }
    }
}

/// The parts of the files that are a board's own.
struct Kind {
    shape: Shape,
    /// True if the board is twice its size across, less one.
    doubled: bool,
    names: Names,
    /// The least, the usual and the greatest size.
    sizes: [u8; 3],
    /// Two turns on a usual and on the least board, which are drawn.
    places: [[&'static str; 2]; 2],
    shifts: [[&'static str; 2]; 2],
}

/// The moves of a new game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// A stone on a cell.
    Place,
    /// A man from a cell to another.
    Shift,
}

impl Moves {
    /// Both with the words they are chosen by.
    pub const ALL: [(Self, &'static str); 2] = [(Self::Place, "place"), (Self::Shift, "shift")];
}

/// The reason no folder is made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// Not a word that can name a game and its module.
    #[error("`{0}` cannot name a game: take a letter and then letters and digits in lower case, at most 12")]
    Name(String),
    /// A word of the language or of the kit.
    #[error("`{0}` is a word that the file itself needs: take another one")]
    Word(String),
    /// Houses are sown.
    #[error("the houses of a board are sown: leave out --moves")]
    Houses,
}

/// Words that Rust keeps for itself and that no module can have.
const KEYWORDS: &str = "abstract as async await become box break const continue crate do dyn else enum extern false \
    final fn for gen if impl in let loop macro match mod move mut override priv pub ref return self static struct super \
    trait true try type typeof unsafe unsized use virtual where while yield";

/// The tests of the folder. The first goes when the rules are there, and `game_tests!` takes the place of both.
const TESTS: &str = r#"
#[cfg(test)]
mod tests {
    #[test]
    fn write_the_rules() {
        panic!("write the rules, then let `game_tests!` stand here, see docs/adding-a-game.md");
    }

    #[test]
    fn its_boards_and_its_page_can_be_drawn() {
        crate::tests::draw_boards::<super::Sample>(include_str!("tests/boards.txt"));
        crate::tests::write_page::<super::Sample>();
    }
}
"#;

/// A file by its path in the folder, and its text.
pub type File = (&'static str, String);

/// The files of a folder.
///
/// # Errors
/// The name or the moves do not fit.
pub fn write(name: &str, board: Board, moves: Option<Moves>) -> Result<Vec<File>, Unfit> {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    if name.len() > 12 || !name.starts_with(|sign: char| sign.is_ascii_lowercase()) || !name.bytes().all(fits)
    {
        return Err(Unfit::Name(name.to_owned()));
    }
    if KEYWORDS.split_whitespace().any(|word| word == name) {
        return Err(Unfit::Word(name.to_owned()));
    }
    let kind = board.describe();
    let (rules, help) = match (board, moves) {
        (Board::Houses, None) => (include_str!("houses/mod.rs"), include_str!("houses/help.txt")),
        (Board::Houses, Some(_)) => return Err(Unfit::Houses),
        (_, Some(Moves::Shift)) => (include_str!("shift/mod.rs"), include_str!("shift/help.txt")),
        _ => (include_str!("place/mod.rs"), include_str!("place/help.txt")),
    };
    let (turns, example) =
        if moves == Some(Moves::Shift) { (kind.shifts, "c1-c2") } else { (kind.places, "c3") };
    let title = capitalise(name);
    let is_taken = |text: &str| text.split(|sign: char| !sign.is_alphanumeric()).any(|word| word == title);
    if is_taken(rules) {
        return Err(Unfit::Word(name.to_owned()));
    }
    let [least, usual, most] = kind.sizes;
    let across = if kind.doubled { "2 * size - 1" } else { "size" };
    let rules = rules
        .replace("Shape::Square, size, size", &format!("Shape::{:?}, {across}, {across}", kind.shape))
        .replace(
            "Names { lettered_rows: false, from_below: true, without_i: false }",
            &format!("{:?}", kind.names),
        )
        .replace(
            "min: 4, max: 8, default: \"6\"",
            &format!("min: {least}, max: {most}, default: \"{usual}\""),
        );
    let smallest = if board == Board::Houses { String::new() } else { format!("-size={least}") };
    let boards = format!("|{}\n{smallest}|{}\n", turns[0].join(" "), turns[1].join(" "));
    let call = |text: &str| text.replace("Sample", &title).replace("sample", name);
    Ok(vec![
        ("mod.rs", call(&format!("{rules}{TESTS}"))),
        ("help.txt", help.replace(example, turns[0][0])),
        ("tests/boards.txt", boards),
    ])
}

/// The line of the list `games!` for a game of this name.
pub fn line(name: &str) -> String {
    format!("{name}::{}: default_bot(),", capitalise(name))
}

/// The name of the type.
fn capitalise(name: &str) -> String {
    let (first, rest) = name.split_at_checked(1).unwrap_or((name, ""));
    first.to_uppercase() + rest
}
