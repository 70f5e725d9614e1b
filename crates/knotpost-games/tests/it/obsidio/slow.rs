//! Obsidio once more, slow and plain, straight from the rule text: the judge of the fast engine.

use std::collections::BTreeMap;

/// Column and row, counted from 1 at a1.
pub(crate) type Cell = (i32, i32);

const WAYS: [Cell; 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

#[derive(Clone, Debug)]
pub(crate) struct SlowBoard {
    pub(crate) size: i32,
    /// Every cell with its sign: `.`, `*`, `x`, `o`, `X` or `O`.
    pub(crate) cells: BTreeMap<Cell, char>,
    pub(crate) to_move: usize,
    pub(crate) origin: Option<Cell>,
    last_claimer: Option<usize>,
}

pub(crate) fn name(cell: Cell) -> String {
    format!("{}{}", (b'a' + cell.0 as u8 - 1) as char, cell.1)
}

pub(crate) fn cell(name: &str) -> Cell {
    let letter = name.chars().next().expect("a letter");
    (letter as i32 - 'a' as i32 + 1, name[1..].parse().expect("a number"))
}

fn is_target(cell: Cell) -> bool {
    cell.0 % 2 == 0 && cell.1 % 2 == 0
}

fn is_dark(cell: Cell) -> bool {
    (cell.0 + cell.1) % 2 == 0 && !is_target(cell)
}

fn is_light(cell: Cell) -> bool {
    (cell.0 + cell.1) % 2 == 1
}

impl SlowBoard {
    pub(crate) fn read(position: &str) -> Self {
        let parts: Vec<&str> = position.split(' ').collect();
        let rows: Vec<&str> = parts[0].split('/').collect();
        let size = rows.len() as i32;
        let mut cells = BTreeMap::new();
        for (down, row) in rows.iter().enumerate() {
            for (across, sign) in row.chars().enumerate() {
                cells.insert((across as i32 + 1, size - down as i32), sign);
            }
        }
        let origin = (parts[2] != "-").then(|| cell(parts[2]));
        Self { size, cells, to_move: parts[1].parse().unwrap(), origin, last_claimer: None }
    }

    pub(crate) fn write(&self) -> String {
        let row = |row| (1..=self.size).map(|column| self.cells[&(column, row)]).collect::<String>();
        let rows: Vec<String> = (1..=self.size).rev().map(row).collect();
        let origin = self.origin.map_or("-".to_owned(), name);
        format!("{} {} {origin}", rows.join("/"), self.to_move)
    }

    fn is_empty(&self, cell: Cell) -> bool {
        self.cells.get(&cell) == Some(&'.')
    }

    /// A walk over empty cells in each direction.
    fn seen_from(&self, from: Cell) -> Vec<Cell> {
        let mut seen = Vec::new();
        for way in WAYS {
            let mut at = (from.0 + way.0, from.1 + way.1);
            while self.is_empty(at) {
                seen.push(at);
                at = (at.0 + way.0, at.1 + way.1);
            }
        }
        seen
    }

    fn firsts(&self) -> Vec<Cell> {
        let all = || self.cells.keys().copied().filter(|cell| self.is_empty(*cell)).collect();
        match self.origin.map(|origin| self.seen_from(origin)) {
            Some(seen) if !seen.is_empty() => seen,
            _ => all(),
        }
    }

    fn seconds(&self, first: Cell) -> Vec<Cell> {
        let mut later = self.clone();
        later.cells.insert(first, '?');
        let mut seen = later.seen_from(first);
        seen.retain(|cell| is_light(*cell) && ((cell.0 - first.0).abs() > 1 || (cell.1 - first.1).abs() > 1));
        seen
    }

    fn can_claim(&self, target: Cell) -> bool {
        let own = if self.to_move == 1 { 'x' } else { 'o' };
        let around = WAYS.iter().map(|way| (target.0 + way.0, target.1 + way.1));
        self.cells.get(&target) == Some(&'*')
            && around.filter(|cell| self.cells.get(cell) == Some(&own)).count() >= 4
    }

    fn count(&self, sign: char) -> usize {
        self.cells.values().filter(|other| **other == sign).count()
    }

    pub(crate) fn winner(&self) -> Option<usize> {
        let (first, second, free) = (self.count('X'), self.count('O'), self.count('*'));
        let all = first + second + free;
        match () {
            () if first > all / 2 => Some(1),
            () if second > all / 2 => Some(2),
            () if free == 0 => Some(self.last_claimer.expect("somebody claimed")),
            () => None,
        }
    }

    /// Every placement and each claim alone, sorted; empty when over.
    pub(crate) fn legal(&self) -> Vec<String> {
        if self.winner().is_some() {
            return Vec::new();
        }
        let mut turns = Vec::new();
        for first in self.firsts() {
            let seconds = if is_dark(first) { Vec::new() } else { self.seconds(first) };
            if seconds.is_empty() {
                turns.push(name(first));
            }
            turns.extend(seconds.iter().map(|second| format!("{},{}", name(first), name(*second))));
        }
        turns.extend(self.cells.keys().copied().filter(|cell| self.can_claim(*cell)).map(name));
        turns.sort();
        turns
    }

    /// Whether the text is a legal turn, lists of claims included.
    pub(crate) fn is_legal(&self, text: &str) -> bool {
        let cells: Vec<Cell> = text.split(',').map(cell).collect();
        let mut apart = cells.clone();
        apart.sort_unstable();
        apart.dedup();
        let claims = apart.len() == cells.len() && cells.iter().all(|cell| self.can_claim(*cell));
        self.winner().is_none() && (claims || self.legal().iter().any(|turn| turn == text))
    }

    /// Plays a legal turn, `pass` or `swap`.
    pub(crate) fn play(&mut self, text: &str) {
        if text == "swap" {
            return;
        }
        let signs = if self.to_move == 1 { ('x', 'X') } else { ('o', 'O') };
        for cell in text.split(',').filter(|word| *word != "pass").map(cell) {
            if is_target(cell) {
                self.last_claimer = Some(self.to_move);
            }
            self.cells.insert(cell, if is_target(cell) { signs.1 } else { signs.0 });
            self.origin = Some(cell);
        }
        self.to_move = 3 - self.to_move;
    }
}
