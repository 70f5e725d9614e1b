//! Osbo for two on 3x3, solved for every roll. Designs that are the same when turned, mirrored or moved are one design, so
//! that all positions are solved in seconds. Shares nothing with the searches.

use knotpost_games::osbo::Osbo;
use knotpost_rules::{AnyGame, Game, GameOptions, PositionError, Scores, Seed, knot::Face};
use std::{
    collections::{HashMap, HashSet},
    ops::ControlFlow,
};

const SIZE: i8 = 3;
/// What is next to a cell, in the order of the bits of [`Face::sides`].
const STEPS: [(i8, i8); 4] = [(-1, 0), (0, 1), (1, 0), (0, -1)];
/// On how many of six faces each kind of die is, see [`kind_of`].
const FACES: [f64; KINDS] = [1.0, 1.0, 2.0, 1.0, 1.0];
const KINDS: usize = 5;

/// The dice of a design, each with its row, its column and its open sides. Turned, mirrored or moved it is worth the same,
/// so only one of these is kept.
type Design = Vec<(i8, i8, u8)>;

fn kind_of(sides: u8) -> usize {
    match sides.count_ones() {
        1 => 0,
        2 if sides == 5 || sides == 10 => 1,
        2 => 2,
        3 => 3,
        _ => 4,
    }
}

fn die_at(design: &Design, row: i8, column: i8) -> Option<u8> {
    design.iter().find(|die| (die.0, die.1) == (row, column)).map(|die| die.2)
}

/// The empty cells that open sides point to.
fn list_loose(design: &Design) -> HashSet<(i8, i8)> {
    let mut loose = HashSet::new();
    for (row, column, sides) in design {
        for (side, (down, right)) in STEPS.into_iter().enumerate() {
            let cell = (row + down, column + right);
            if sides >> side & 1 == 1 && die_at(design, cell.0, cell.1).is_none() {
                loose.insert(cell);
            }
        }
    }
    loose
}

fn fits(design: &Design) -> bool {
    let cells = list_loose(design).into_iter().chain(design.iter().map(|die| (die.0, die.1)));
    let (rows, columns): (Vec<i8>, Vec<i8>) = cells.unzip();
    let span =
        |lines: &[i8]| lines.iter().max().zip(lines.iter().min()).map_or(0, |(most, least)| most - least);
    span(&rows) < SIZE && span(&columns) < SIZE
}

/// The least of the eight ways to turn and mirror a design, at the top left.
fn normalise(design: &Design) -> Design {
    let mut turned = design.clone();
    let mut ways = Vec::new();
    for way in 0..8 {
        for (row, column, sides) in &mut turned {
            if way == 4 {
                (*column, *sides) = (-*column, *sides & 5 | (*sides & 2) << 2 | (*sides & 8) >> 2);
            }
            (*row, *column, *sides) = (*column, -*row, (*sides << 1 | *sides >> 3) & 15);
        }
        let top = turned.iter().map(|die| die.0).min().unwrap_or_default();
        let left = turned.iter().map(|die| die.1).min().unwrap_or_default();
        let mut moved: Design = turned.iter().map(|die| (die.0 - top, die.1 - left, die.2)).collect();
        moved.sort_unstable();
        ways.push(moved);
    }
    ways.into_iter().min().unwrap_or_default()
}

/// The designs that a die of a kind makes of this one.
fn lay(design: &Design, kind: usize) -> HashSet<Design> {
    let mut made = HashSet::new();
    for (row, column) in list_loose(design) {
        let joins = |sides: &u8| {
            STEPS.into_iter().enumerate().all(|(side, (down, right))| {
                let beside = die_at(design, row + down, column + right);
                beside.is_none_or(|beside| sides >> side & 1 == beside >> ((side + 2) % 4) & 1)
            })
        };
        for sides in (1..16).filter(|sides| kind_of(*sides) == kind).filter(joins) {
            let mut changed = design.clone();
            changed.push((row, column, sides));
            if fits(&changed) {
                made.insert(normalise(&changed));
            }
        }
    }
    made
}

/// As a position string has it.
fn write(design: &Design) -> String {
    let letter =
        |row, column| die_at(design, row, column).and_then(Face::from_sides).map_or('.', Face::letter);
    let (bottom, right) = design.iter().fold((0, 0), |most, die| (most.0.max(die.0), most.1.max(die.1)));
    let rows: Vec<String> =
        (0..=bottom).map(|row| (0..=right).map(|column| letter(row, column)).collect()).collect();
    format!("a5:{}", rows.join("/"))
}

fn read(text: &str) -> Design {
    let rows = text.split_once(':').map_or(text, |(_, rows)| rows).split('/');
    let dice = (0..).zip(rows).flat_map(|(row, cells)| {
        let faces = (0..).zip(cells.chars().map(Face::from_letter));
        faces.filter_map(move |(column, face)| Some((row, column, face?.sides())))
    });
    normalise(&dice.collect())
}

/// Every position, each solved when it is asked for.
pub(crate) struct Solved {
    numbers: HashMap<Design, usize>,
    /// By design and kind of die, what a die makes of the design.
    laid: Vec<[Vec<usize>; KINDS]>,
    /// The lengths of closed paths, of closed designs.
    paths: Vec<Vec<u32>>,
    /// By the design of the player on turn and the other one, the chance of the player on turn before the roll.
    known: Vec<Option<f64>>,
}

impl Solved {
    pub(crate) fn new(game: &dyn AnyGame, options: &GameOptions) -> Result<Self, PositionError> {
        let start: Design = vec![(0, 0, 15)];
        let (mut numbers, mut designs) = (HashMap::from([(start.clone(), 0)]), vec![start]);
        let mut laid: Vec<[Vec<usize>; KINDS]> = Vec::new();
        while let Some(design) = designs.get(laid.len()).cloned() {
            laid.push(std::array::from_fn(|kind| {
                let made = lay(&design, kind).into_iter().map(|made| {
                    *numbers.entry(made).or_insert_with_key(|made| {
                        designs.push(made.clone());
                        designs.len() - 1
                    })
                });
                made.collect()
            }));
        }
        let count = designs.len();
        let mut paths = vec![Vec::new(); count];
        for (design, paths) in
            designs.iter().zip(&mut paths).filter(|(design, _)| list_loose(design).is_empty())
        {
            let text = write(design);
            let position =
                game.parse_position(options, 2, &Seed::default(), &format!("{text};{text} - 1"))?;
            let scores = position.game().downcast_ref::<Osbo>().map(Game::scores);
            if let Some(Scores::Paths(lengths)) = scores {
                *paths = lengths.into_iter().next().unwrap_or_default();
            }
        }
        Ok(Self { numbers, laid, paths, known: vec![None; count * count] })
    }

    fn is_closed(&self, design: usize) -> bool {
        self.laid[design].iter().all(Vec::is_empty)
    }

    fn place(&self, own: usize, other: usize) -> usize {
        own * self.laid.len() + other
    }

    /// The chance of the player on turn before the roll.
    fn solve(&mut self, own: usize, other: usize) -> f64 {
        let (here, there) = (self.place(own, other), self.place(other, own));
        if let Some(known) = self.known[here] {
            return known;
        }
        let chance = if self.is_closed(own) && self.is_closed(other) {
            0.5 + 0.5 * f64::from(self.paths[own].cmp(&self.paths[other]) as i8)
        } else {
            let (sum, passing) = self.try_rolls(own, other);
            if passing > 0.0 {
                // Who passes may get the turn back by a pass: two equations in two unknowns.
                let (sum_there, passing_there) = self.try_rolls(other, own);
                let ends = 1.0 - passing * passing_there;
                let chance = (sum + passing * (1.0 - sum_there - passing_there)) / ends;
                self.known[there] = Some(sum_there + passing_there * (1.0 - chance));
                chance
            } else {
                sum
            }
        };
        self.known[here] = Some(chance);
        chance
    }

    /// The sum over all rolls of their probability times the chance of the best turn, and the probability of a pass.
    fn try_rolls(&mut self, own: usize, other: usize) -> (f64, f64) {
        let (mut sum, mut passing) = (0.0, 0.0);
        for (one, faces) in FACES.into_iter().enumerate() {
            for (two, others) in FACES.into_iter().enumerate().skip(one) {
                let orders = if one == two { 1.0 } else { 2.0 };
                let probability = orders * faces * others / 36.0;
                let best =
                    self.list_turns(own, other, (one, two)).into_iter().fold(None, |best, (own, other)| {
                        let chance = 1.0 - self.solve(other, own);
                        Some(best.map_or(chance, |best| f64::max(best, chance)))
                    });
                match best {
                    Some(best) => sum += probability * best,
                    None => passing += probability,
                }
            }
        }
        (sum, passing)
    }

    /// The designs after each turn with a roll: as many dice as possible, then as many designs as possible.
    fn list_turns(&self, own: usize, other: usize, (one, two): (usize, usize)) -> Vec<(usize, usize)> {
        let lay = |design: usize, kind: usize| self.laid[design][kind].iter().copied();
        let both = |design| {
            let first = lay(design, one).flat_map(move |laid| lay(laid, two));
            first.chain(lay(design, two).flat_map(move |laid| lay(laid, one)))
        };
        let spread =
            |one, two| lay(own, one).flat_map(move |own| lay(other, two).map(move |other| (own, other)));
        let mut turns: Vec<_> = spread(one, two).chain(spread(two, one)).collect();
        if turns.is_empty() {
            turns.extend(both(own).map(|own| (own, other)).chain(both(other).map(|other| (own, other))));
        }
        if turns.is_empty() {
            let single = |design| lay(design, one).chain(lay(design, two));
            turns.extend(single(own).map(|own| (own, other)).chain(single(other).map(|other| (own, other))));
        }
        turns
    }

    /// The chance of the player on turn after each of their turns, by the key of the position.
    pub(crate) fn judge(&mut self, osbo: &Osbo) -> HashMap<u64, f64> {
        let mut sealed = osbo.clone();
        sealed.seal_chance();
        let seat = sealed.next_seat().index();
        let mut worths = HashMap::new();
        sealed.each_move(&mut |mv| {
            let mut after = sealed.clone();
            if after.play(&mv).is_ok() {
                let text = after.to_string();
                let designs = text.split(' ').next().unwrap_or_default().split(';');
                let numbers: Vec<usize> = designs.map(|design| self.numbers[&read(design)]).collect();
                worths.insert(after.key(), 1.0 - self.solve(numbers[1 - seat], numbers[seat]));
            }
            ControlFlow::Continue(())
        });
        worths
    }
}
