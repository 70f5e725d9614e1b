//! Osbox once more, slow and plain, straight from the rule text: the judge of the fast engine.

use std::collections::{BTreeSet, HashMap};

/// A cell by row from the top and column from the left, counted from 0.
type Cell = (i32, i32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Hand {
    Clockwise,
    Counter,
}

/// One end of a strand: a cell, an open edge of it (0 north, clockwise), and the side of that edge.
type End = (Cell, usize, Hand);

const TOWARDS: [Cell; 4] = [(-1, 0), (0, 1), (1, 0), (0, -1)];

/// The open edges of a face as the table of letters gives them.
fn open_edges(letter: char) -> Vec<usize> {
    let names = match letter {
        'a' => "S",
        'b' => "W",
        'c' => "N",
        'd' => "E",
        'e' => "NS",
        'f' => "EW",
        'g' => "SW",
        'h' => "NW",
        'i' => "NE",
        'j' => "ES",
        'k' => "ESW",
        'l' => "NSW",
        'm' => "NEW",
        'n' => "NES",
        'o' => "NESW",
        other => panic!("no face {other}"),
    };
    (0..4).filter(|edge| names.contains(['N', 'E', 'S', 'W'][*edge])).collect()
}

/// A closed path: how many strands, how many passes through crossings, which cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SlowPath {
    pub(crate) strands: usize,
    pub(crate) passes: usize,
    pub(crate) cells: BTreeSet<Cell>,
}

impl SlowPath {
    pub(crate) fn is_thin(&self) -> bool {
        let rows: BTreeSet<_> = self.cells.iter().map(|cell| cell.0).collect();
        let columns: BTreeSet<_> = self.cells.iter().map(|cell| cell.1).collect();
        rows.len() == 1 || columns.len() == 1
    }
}

#[derive(Clone, Debug)]
pub(crate) struct SlowBoard {
    pub(crate) size: i32,
    pub(crate) dice: HashMap<Cell, char>,
}

impl SlowBoard {
    pub(crate) fn read(rows: &str) -> Self {
        let mut dice = HashMap::new();
        let lines: Vec<&str> = rows.split('/').collect();
        for (row, line) in lines.iter().enumerate() {
            for (column, letter) in line.chars().enumerate().filter(|(_, letter)| *letter != '.') {
                dice.insert((row as i32, column as i32), letter);
            }
        }
        Self { size: lines.len() as i32, dice }
    }

    pub(crate) fn write(&self) -> String {
        let cell = |row, column| self.dice.get(&(row, column)).copied().unwrap_or('.');
        let rows =
            (0..self.size).map(|row| (0..self.size).map(|column| cell(row, column)).collect::<String>());
        rows.collect::<Vec<_>>().join("/")
    }

    pub(crate) fn closed_paths(&self) -> Vec<SlowPath> {
        let (mut strands, mut crossings) = (HashMap::<End, End>::new(), HashMap::<End, End>::new());
        for (&cell, &letter) in &self.dice {
            let open = open_edges(letter);
            for (place, &edge) in open.iter().enumerate() {
                let next = open[(place + 1) % open.len()];
                strands.insert((cell, edge, Hand::Clockwise), (cell, next, Hand::Counter));
                strands.insert((cell, next, Hand::Counter), (cell, edge, Hand::Clockwise));
                let neighbour = (cell.0 + TOWARDS[edge].0, cell.1 + TOWARDS[edge].1);
                let facing = (edge + 2) % 4;
                if self.dice.get(&neighbour).is_some_and(|other| open_edges(*other).contains(&facing)) {
                    for hand in [Hand::Clockwise, Hand::Counter] {
                        crossings.insert((cell, edge, hand), (neighbour, facing, hand));
                    }
                }
            }
        }
        let mut left: BTreeSet<End> = strands.keys().copied().collect();
        let mut paths = Vec::new();
        while let Some(start) = left.pop_first() {
            let mut path = SlowPath { strands: 0, passes: 0, cells: BTreeSet::new() };
            let mut end = start;
            loop {
                path.cells.insert(end.0);
                let other = strands[&end];
                left.remove(&end);
                left.remove(&other);
                path.strands += 1;
                let Some(&beyond) = crossings.get(&other) else { break };
                path.passes += 1;
                end = beyond;
                if end == start {
                    paths.push(path);
                    break;
                }
            }
        }
        // A path met first in its middle is seen to leave on one side only; its rest is open too and never returns.
        paths
    }

    /// Pushes and returns the cells of the dice placed or moved; `None` when the line is full.
    pub(crate) fn push(&mut self, letter: char, entry: i32) -> Option<BTreeSet<Cell>> {
        let n = self.size;
        let along = (entry - 1) % n;
        let line: Vec<Cell> = (0..n)
            .map(|depth| match (entry - 1) / n {
                0 => (along, depth),
                1 => (along, n - 1 - depth),
                2 => (depth, along),
                _ => (n - 1 - depth, along),
            })
            .collect();
        let gap = line.iter().position(|cell| !self.dice.contains_key(cell))?;
        for depth in (1..=gap).rev() {
            let moved = self.dice[&line[depth - 1]];
            self.dice.insert(line[depth], moved);
        }
        self.dice.insert(line[0], letter);
        Some(line[..=gap].iter().copied().collect())
    }
}

/// The options that matter for scoring.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlowRules {
    pub(crate) capture: bool,
    pub(crate) thin: bool,
    pub(crate) by_dice: bool,
}

/// Plays a move as the rules tell it; gives the gain, `None` when the line is full.
pub(crate) fn play(board: &mut SlowBoard, rules: SlowRules, letter: char, entry: i32) -> Option<u32> {
    let touched = board.push(letter, entry)?;
    let mut scoring = board.closed_paths();
    scoring.retain(|path| !path.cells.is_disjoint(&touched) && (rules.thin || !path.is_thin()));
    let cells: BTreeSet<Cell> = scoring.iter().flat_map(|path| path.cells.clone()).collect();
    if rules.capture {
        board.dice.retain(|cell, _| !cells.contains(cell));
    }
    let crossings: usize = scoring.iter().map(|path| path.passes).sum();
    Some(if rules.by_dice { cells.len() } else { crossings } as u32)
}
