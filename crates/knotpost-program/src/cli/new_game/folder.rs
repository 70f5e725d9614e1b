//! The folder of a game that does not exist yet, made of a sample of the games: each board differs from it in a few words,
//! which are values here.

use knotpost_rules::{kit::Names, view::Shape};

/// A file of the samples, which the games' own crate compiles and tests.
macro_rules! sample {
    ($path:literal) => {
        include_str!(concat!("../../../../knotpost-games/src/new_game/", $path))
    };
}

/// The board of a new game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Board {
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
    pub(super) const ALL: [(Self, &'static str); 6] = [
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
pub(super) enum Moves {
    /// A stone on a cell.
    Place,
    /// A man from a cell to another.
    Shift,
}

impl Moves {
    /// Both with the words they are chosen by.
    pub(super) const ALL: [(Self, &'static str); 2] = [(Self::Place, "place"), (Self::Shift, "shift")];
}

/// The reason no folder is made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unfit {
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
pub(super) type File = (&'static str, String);

/// The files of a folder.
///
/// # Errors
/// The name or the moves do not fit.
pub(super) fn write(name: &str, board: Board, moves: Option<Moves>) -> Result<Vec<File>, Unfit> {
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
        (Board::Houses, None) => (sample!("houses/mod.rs"), sample!("houses/help.txt")),
        (Board::Houses, Some(_)) => return Err(Unfit::Houses),
        (_, Some(Moves::Shift)) => (sample!("shift/mod.rs"), sample!("shift/help.txt")),
        _ => (sample!("place/mod.rs"), sample!("place/help.txt")),
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
pub(super) fn line(name: &str) -> String {
    format!("{name}::{}: default_bot(),", capitalise(name))
}

/// The name of the type.
fn capitalise(name: &str) -> String {
    let (first, rest) = name.split_at_checked(1).unwrap_or((name, ""));
    first.to_uppercase() + rest
}

#[cfg(test)]
mod tests {
    use super::{Board, Moves, Unfit, write};
    use knotpost_rules::kit::{Grid, Place, Shift};
    use knotpost_rules::view::Shape;

    #[test]
    fn a_name_that_cannot_be_a_game_is_refused() {
        for name in
            ["", "Zig", "1zig", "zig-zag", "zig_zag", "zigzagzigzags", "z\u{fc}g", "match", "self", "../x"]
        {
            assert!(write(name, Board::Square, None).is_err(), "{name}");
        }
        assert_eq!(write("match", Board::Hex, None), Err(Unfit::Word("match".to_owned())));
        assert_eq!(write("grid", Board::Hex, None), Err(Unfit::Word("grid".to_owned())));
        assert_eq!(write("zig", Board::Houses, Some(Moves::Shift)), Err(Unfit::Houses));
    }

    /// The stone or man goes to a cell that there is, on a board of this size.
    fn check_turn(board: Board, size: u8, turn: &str) {
        let kind = board.describe();
        let across = usize::from(if kind.doubled { 2 * size - 1 } else { size });
        let grid = Grid::new(kind.shape, across, across, kind.names);
        let cells = turn.parse::<Shift>().map(|Shift { from, to }| vec![from, to]);
        let cells = cells.or_else(|_| turn.parse::<Place>().map(|place| vec![place])).expect(turn);
        assert!(cells.iter().all(|cell| grid.find(*cell).is_some()), "{board:?} {size}: {turn}");
    }

    #[test]
    fn a_folder_is_made_for_each_board_and_nothing_of_the_sample_is_left() {
        for ((board, _), moves) in Board::ALL
            .into_iter()
            .flat_map(|board| [None, Some(Moves::Place), Some(Moves::Shift)].map(|moves| (board, moves)))
        {
            let Ok(files) = write("zig2", board, moves) else {
                assert!(board == Board::Houses && moves.is_some(), "{board:?}");
                continue;
            };
            let paths: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
            assert_eq!(paths, ["mod.rs", "help.txt", "tests/boards.txt"]);
            let kind = board.describe();
            let all: String = files.iter().map(|(_, text)| text.as_str()).collect();
            assert!(!all.to_lowercase().contains("sample"), "{all}");
            let wanted = [
                "pub type Zig2 = Play<".to_owned(),
                "name: \"zig2\",".to_owned(),
                format!("Grid::new(Shape::{:?}, ", kind.shape),
            ];
            assert!(wanted.iter().all(|words| all.contains(words)), "{all}");
            if kind.shape == Shape::Houses {
                continue;
            }
            assert!(all.contains(&format!("let names = {:?};", kind.names)), "{all}");
            let turns = if moves == Some(Moves::Shift) { kind.shifts } else { kind.places };
            for (size, turn) in [(kind.sizes[1], turns[0]), (kind.sizes[0], turns[1])] {
                for turn in turn {
                    check_turn(board, size, turn);
                }
            }
        }
    }
}
