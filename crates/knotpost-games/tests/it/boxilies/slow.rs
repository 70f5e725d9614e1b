//! Boxilies once more, slow and plain, straight from the rule text: the judge of the engine.

use std::{collections::BTreeMap, rc::Rc};

/// Arrows north, east, south, west.
type Arrows = [u32; 4];

/// Column from the left and row from the bottom, counted from 0.
type Cell = (i32, i32);

/// The arrows after clockwise quarter turns: what faced north faces east then.
pub(crate) fn turn(arrows: Arrows, quarters: u32) -> Arrows {
    (0..quarters).fold(arrows, |[north, east, south, west], _| [west, north, east, south])
}

/// Every stone by name, its largest turn as arrows.
pub(crate) fn all_stones() -> BTreeMap<String, Arrows> {
    let mut stones = BTreeMap::new();
    for total in 1..=5 {
        let range = || 0..=total;
        let mut found: Vec<Arrows> = Vec::new();
        for north in range() {
            for east in range() {
                for south in range() {
                    for west in range().filter(|west| north + east + south + west == total) {
                        let arrows = [north, east, south, west];
                        let largest = (0..4).map(|quarters| turn(arrows, quarters)).max().unwrap();
                        if !found.contains(&largest) {
                            found.push(largest);
                        }
                    }
                }
            }
        }
        found.sort_by(|one, other| other.cmp(one));
        stones.extend(('a'..).zip(found).map(|(letter, arrows)| (format!("{total}{letter}"), arrows)));
    }
    stones
}

#[derive(Clone, Debug)]
pub(crate) struct SlowGame {
    stones: Rc<BTreeMap<String, Arrows>>,
    /// Owner and arrows as placed.
    board: BTreeMap<Cell, (u32, Arrows)>,
    hands: [Vec<String>; 2],
    next: u32,
}

fn cell_name((column, row): Cell) -> String {
    format!("{}{}", ['a', 'b', 'c'][column as usize], row + 1)
}

fn cells_from_the_top() -> Vec<Cell> {
    (0..3).rev().flat_map(|row| (0..3).map(move |column| (column, row))).collect()
}

impl SlowGame {
    pub(crate) fn read(position: &str) -> Self {
        let stones = Rc::new(all_stones());
        let mut parts = position.split(' ');
        let mut board = BTreeMap::new();
        let texts = parts.next().unwrap().split(['/', ',']);
        for (cell, text) in cells_from_the_top().into_iter().zip(texts).filter(|(_, text)| *text != ".") {
            let digit = |at: usize| text[at..].chars().next().unwrap().to_digit(10).unwrap();
            board.insert(cell, (digit(0), turn(stones[&text[1..3]], digit(3))));
        }
        let hands: Vec<Vec<String>> = parts
            .next()
            .unwrap()
            .split('|')
            .map(|hand| hand.split(',').filter(|name| *name != "-").map(str::to_owned).collect())
            .collect();
        let next = parts.next().unwrap().parse().unwrap();
        Self { stones, board, hands: hands.try_into().unwrap(), next }
    }

    pub(crate) fn write(&self) -> String {
        let cell = |cell| match self.board.get(&cell) {
            None => ".".to_owned(),
            Some((owner, arrows)) => format!("{owner}{}", self.name_as_placed(*arrows)),
        };
        let texts: Vec<String> = cells_from_the_top().into_iter().map(cell).collect();
        let rows: Vec<String> = texts.chunks(3).map(|row| row.join(",")).collect();
        let hand = |stones: &Vec<String>| {
            if stones.is_empty() { "-".to_owned() } else { stones.join(",") }
        };
        let [first, second] = &self.hands;
        format!("{} {}|{} {}", rows.join("/"), hand(first), hand(second), self.next)
    }

    /// Name and fewest turns.
    fn name_as_placed(&self, arrows: Arrows) -> String {
        let fitting = (0..4).find_map(|quarters| {
            let found = self.stones.iter().find(|(_, stone)| turn(**stone, quarters) == arrows);
            found.map(|(name, _)| format!("{name}{quarters}"))
        });
        fitting.unwrap()
    }

    fn hand(&mut self) -> &mut Vec<String> {
        &mut self.hands[self.next as usize - 1]
    }

    pub(crate) fn is_over(&self) -> bool {
        self.board.len() == 9
    }

    pub(crate) fn scores(&self) -> [u32; 2] {
        [1, 2].map(|seat| self.board.values().filter(|(owner, _)| *owner == seat).count() as u32)
    }

    /// Plays a canonical move; `false` when the rules forbid it.
    pub(crate) fn play(&mut self, mv: &str) -> bool {
        let parts: Vec<&str> = mv.split(':').collect();
        let cell = cells_from_the_top().into_iter().find(|cell| cell_name(*cell) == parts[1]).unwrap();
        let Some(held) = self.hand().iter().position(|name| name == parts[0]) else { return false };
        if self.is_over() || self.board.contains_key(&cell) {
            return false;
        }
        let mover = self.next;
        self.hand().remove(held);
        let placed = turn(self.stones[parts[0]], parts[2].parse().unwrap());
        let (column, row) = cell;
        let [north, east, south, west] = placed;
        let contacts = [
            ((column, row + 1), north, 2),
            ((column + 1, row), east, 3),
            ((column, row - 1), south, 0),
            ((column - 1, row), west, 1),
        ];
        for (neighbour, strength, facing) in contacts {
            if let Some((owner, arrows)) = self.board.get_mut(&neighbour)
                && *owner != mover
                && strength > arrows[facing]
            {
                *owner = mover;
            }
        }
        self.board.insert(cell, (mover, placed));
        self.next = 3 - mover;
        true
    }

    /// All moves that give different boards, sorted by bytes.
    pub(crate) fn legal_moves(&self) -> Vec<String> {
        let mut by_result: BTreeMap<String, String> = BTreeMap::new();
        for name in &self.hands[self.next as usize - 1] {
            for cell in cells_from_the_top() {
                for quarters in 0..4 {
                    let mv = format!("{name}:{}:{quarters}", cell_name(cell));
                    let mut after = self.clone();
                    if after.play(&mv) {
                        by_result.entry(after.write()).or_insert(mv);
                    }
                }
            }
        }
        let mut moves: Vec<String> = by_result.into_values().collect();
        moves.sort();
        moves
    }
}
