//! Osbo once more, slow and plain, straight from the rule text: the judge of the fast engine.

use crate::{play::place, slow::SlowBoard};
use knotpost_rules::{Position, Scores, Turn};
use proptest::prelude::*;
use std::collections::{BTreeSet, HashMap};

/// Column and row, counted as coordinates are.
type Cell = (i32, i32);
type Design = HashMap<Cell, char>;
/// Face, design from 0, cell.
type Piece = (char, usize, Cell);

/// North, east, south, west.
const TOWARDS: [Cell; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];

fn opens(letter: char, side: usize) -> bool {
    let edges = ["S", "W", "N", "E", "NS", "EW", "SW", "NW", "NE", "ES", "ESW", "NSW", "NEW", "NES", "NESW"];
    edges[(letter as u8 - b'a') as usize].contains(['N', 'E', 'S', 'W'][side])
}

fn kind(letter: char) -> char {
    match letter {
        'a'..='d' => 't',
        'e' | 'f' => 's',
        'g'..='j' => 'c',
        'k'..='n' => 'b',
        _ => 'x',
    }
}

fn step(cell: Cell, side: usize) -> Cell {
    (cell.0 + TOWARDS[side].0, cell.1 + TOWARDS[side].1)
}

fn pointed(design: &Design) -> BTreeSet<Cell> {
    let all = design.iter().flat_map(|(cell, letter)| {
        (0..4).filter(|side| opens(*letter, *side)).map(|side| step(*cell, side)).collect::<Vec<_>>()
    });
    all.filter(|cell| !design.contains_key(cell)).collect()
}

fn fits_window(design: &Design, size: i32) -> bool {
    let cells: Vec<Cell> = design.keys().copied().chain(pointed(design)).collect();
    let spread =
        |of: fn(&Cell) -> i32| cells.iter().map(of).max().unwrap() - cells.iter().map(of).min().unwrap() + 1;
    spread(|cell| cell.0) <= size && spread(|cell| cell.1) <= size
}

/// The design with a die more, if that is legal.
fn lay(design: &Design, letter: char, cell: Cell, size: i32) -> Option<Design> {
    if design.contains_key(&cell) || !pointed(design).contains(&cell) {
        return None;
    }
    for side in 0..4 {
        let other = design.get(&step(cell, side));
        if other.is_some_and(|other| opens(*other, (side + 2) % 4) != opens(letter, side)) {
            return None;
        }
    }
    let mut next = design.clone();
    next.insert(cell, letter);
    fits_window(&next, size).then_some(next)
}

#[derive(Clone, Debug)]
pub(super) struct SlowGame {
    size: i32,
    designs: Vec<Design>,
    roll: Vec<char>,
}

impl SlowGame {
    pub(super) fn read(position: &str, size: i32) -> Self {
        let parts: Vec<&str> = position.split(' ').collect();
        let designs = parts[0].split(';').map(|text| {
            let (corner, rows) = text.split_once(':').unwrap();
            let (column, row) = corner.split_at(1);
            let left = i32::from(column.as_bytes()[0] - b'a') + 1;
            let top: i32 = row.parse().unwrap();
            let mut design = Design::new();
            for (down, line) in (0..).zip(rows.split('/')) {
                for (right, letter) in (0..).zip(line.chars()).filter(|(_, letter)| *letter != '.') {
                    design.insert((left + right, top - down), letter);
                }
            }
            design
        });
        Self { size, designs: designs.collect(), roll: parts[1].chars().filter(|c| *c != '-').collect() }
    }

    fn single(&self) -> Vec<(Piece, Self)> {
        let mut all = Vec::new();
        for (index, design) in self.designs.iter().enumerate() {
            for cell in pointed(design) {
                for letter in 'a'..='o' {
                    let Some(die) = self.roll.iter().position(|rolled| *rolled == kind(letter)) else {
                        continue;
                    };
                    if let Some(after) = lay(design, letter, cell, self.size) {
                        let mut next = self.clone();
                        next.designs[index] = after;
                        next.roll.remove(die);
                        all.push(((letter, index, cell), next));
                    }
                }
            }
        }
        all
    }

    /// Every sequence of placements, complete or not, with the designs it ends in.
    fn sequences(&self) -> Vec<(Vec<Piece>, Self)> {
        let mut all = vec![(Vec::new(), self.clone())];
        let mut at = 0;
        while at < all.len() {
            let (made, game) = all[at].clone();
            for (piece, next) in game.single() {
                all.push(([made.clone(), vec![piece]].concat(), next));
            }
            at += 1;
        }
        all
    }

    /// The legal turns by their text with the designs after them, and the dice and designs they must have.
    fn legal(&self) -> (HashMap<String, Vec<Design>>, (usize, usize)) {
        let amount =
            |made: &[Piece]| (made.len(), made.iter().map(|piece| piece.1).collect::<BTreeSet<_>>().len());
        let all = self.sequences();
        let most = all.iter().map(|(made, _)| amount(made)).max().unwrap();
        let legal = all.into_iter().filter(|(made, _)| !made.is_empty() && amount(made) == most);
        (legal.map(|(made, game)| (spell(&made), game.designs)).collect(), most)
    }

    /// The legal turns by their text; none when nothing can be placed.
    pub(super) fn turns(&self) -> BTreeSet<String> {
        self.legal().0.into_keys().collect()
    }

    fn fill_tips(design: &mut Design, size: i32) {
        loop {
            let only_tip = |cell: &Cell| {
                let legal: Vec<char> =
                    ('a'..='o').filter(|letter| lay(design, *letter, *cell, size).is_some()).collect();
                let tips = !legal.is_empty() && legal.iter().all(|letter| kind(*letter) == 't');
                tips.then(|| legal[0])
            };
            let found = pointed(design).into_iter().find_map(|cell| Some((cell, only_tip(&cell)?)));
            let Some((cell, letter)) = found else { return };
            design.insert(cell, letter);
        }
    }
}

fn spell(made: &[Piece]) -> String {
    let texts = made.iter().map(|(letter, design, (column, row))| {
        format!("{letter}{}{}{row}", design + 1, char::from(b'a' + *column as u8 - 1))
    });
    texts.collect::<Vec<_>>().join(",")
}

/// The closed paths of a design, longest first.
fn paths(design: &Design) -> Vec<u32> {
    let dice = design.iter().map(|((column, row), letter)| ((-*row, *column), *letter)).collect();
    let mut lengths: Vec<u32> =
        SlowBoard { size: 15, dice }.closed_paths().iter().map(|path| path.strands as u32).collect();
    lengths.sort_unstable_by(|one, other| other.cmp(one));
    lengths
}

/// Every complete turn the parts lead to.
pub(super) fn turns_by_parts(game: &dyn Position) -> BTreeSet<String> {
    let mut complete = BTreeSet::new();
    let mut begun = vec![String::new()];
    while let Some(text) = begun.pop() {
        let next = game.steps(&text).unwrap().unwrap().next;
        if next.is_empty() && !text.is_empty() {
            complete.insert(text);
        } else {
            begun.extend(next);
        }
    }
    complete
}

/// Plays a game that the slow model follows; choices come from `wanted`.
fn follow(size: i32, players: usize, auto: bool, seed: u8, wanted: &[u32]) -> Result<(), TestCaseError> {
    let options = format!("-size={size}{}", if auto { " -auto_tips" } else { "" });
    let registry = knotpost_games::registry();
    let osbo = registry.find("osbo").unwrap();
    let parsed = osbo.parse_options(&crate::play::given(&options), players).unwrap();
    let mut fast = osbo.setup(&parsed, players, &knotpost_rules::Seed([seed; 32]));
    for choice in wanted {
        let before = fast.position();
        let slow = SlowGame::read(&before, size);
        let over = slow.designs.iter().all(|design| pointed(design).is_empty());
        prop_assert_eq!(fast.status().is_over(), over, "{}", &before);
        prop_assert_eq!(fast.scores(), Scores::Paths(slow.designs.iter().map(paths).collect()));
        if over {
            break;
        }
        let (legal, most) = slow.legal();
        let quota = fast.steps("").unwrap().unwrap().quota;
        prop_assert_eq!((quota[0].1 as usize, quota[1].1 as usize), most, "{}", &before);
        let mut listed: Vec<&String> = legal.keys().collect();
        listed.sort_unstable();
        if players == 2 {
            prop_assert!(turns_by_parts(fast.as_ref()).iter().eq(listed.iter().copied()), "{}", &before);
        }
        refuse_others(fast.as_mut(), &slow, &legal, *choice)?;
        let mut designs = slow.designs.clone();
        let turn = if let Some(text) = listed.get(*choice as usize % listed.len().max(1)) {
            prop_assert_eq!(fast.forced(), None);
            designs.clone_from(&legal[*text]);
            Turn::Move(text)
        } else {
            prop_assert_eq!(fast.forced(), Some(Turn::Pass));
            Turn::Pass
        };
        fast.play(turn).unwrap();
        if auto {
            for design in &mut designs {
                SlowGame::fill_tips(design, size);
            }
        }
        prop_assert_eq!(SlowGame::read(&fast.position(), size).designs, designs, "{} {:?}", &before, turn);
    }
    Ok(())
}

/// Sequences that are no legal turns are refused and change nothing.
fn refuse_others(
    fast: &mut dyn Position,
    slow: &SlowGame,
    legal: &HashMap<String, Vec<Design>>,
    choice: u32,
) -> Result<(), TestCaseError> {
    let before = fast.position();
    let index = choice as usize % slow.designs.len();
    for cell in pointed(&slow.designs[index]).into_iter().take(2) {
        for letter in 'a'..='o' {
            let one = spell(&[(letter, index, cell)]);
            let two = spell(&[(letter, index, cell), ('o', index, (cell.0, cell.1 + 1))]);
            for text in [one, two].into_iter().filter(|text| !legal.contains_key(text)) {
                prop_assert!(fast.play(Turn::Move(&text)).is_err(), "{} {}", &before, text);
                prop_assert_eq!(fast.position(), &before[..]);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3))]

    #[test]
    fn fast_game_of_two_agrees_with_the_slow_judge(
        size in 3i32..=4, auto: bool, seed: u8, wanted in prop::collection::vec(any::<u32>(), 24),
    ) {
        follow(size, 2, auto, seed, &wanted)?;
    }
}

#[test]
fn fast_game_of_three_agrees_with_the_slow_judge_late_in_the_game() {
    let positions = [
        "b3:dfb;b3:df;b3:df bct 1",
        "b3:df;b3:df;a5:jfg/e../ih. ssx 1",
        "c3:a/c;c3:a/c;b3:df ccs 1",
        "c3:a/c;c3:a/c;b3:df bst 2",
    ];
    for position in positions {
        let game = place("osbo", "-size=3", 3, position);
        let (legal, most) = SlowGame::read(position, 3).legal();
        let quota = game.steps("").unwrap().unwrap().quota;
        assert_eq!((quota[0].1 as usize, quota[1].1 as usize), most, "{position}");
        assert_eq!(turns_by_parts(game.as_ref()), legal.into_keys().collect(), "{position}");
    }
}
