//! A board of cells with stones of two seats, one bit a cell. Cells are numbered row by row with a guard between rows, so
//! that a step in a direction is one addition and never leaves the board unseen.

use super::names::{Names, Place};
use crate::{
    error::PositionError,
    key::Key,
    seat::Seat,
    view::{Figure, Look, Margin, Panel, Piece, Shape, join_words},
};
use std::{fmt, ops::ControlFlow};

/// Enough for 25 rows and columns with their guards.
const WORDS: usize = 11;

/// A set of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cells([u64; WORDS]);

impl Cells {
    /// No cell.
    pub const NONE: Self = Self([0; WORDS]);

    /// True if a cell is in the set.
    pub fn contains(&self, cell: usize) -> bool {
        self.0.get(cell / 64).is_some_and(|word| word >> (cell % 64) & 1 == 1)
    }

    /// Adds a cell.
    pub fn insert(&mut self, cell: usize) {
        if let Some(word) = self.0.get_mut(cell / 64) {
            *word |= 1 << (cell % 64);
        }
    }

    /// Takes a cell out.
    pub fn remove(&mut self, cell: usize) {
        if let Some(word) = self.0.get_mut(cell / 64) {
            *word &= !(1 << (cell % 64));
        }
    }

    /// The number of cells.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    /// The cells in ascending order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(index, mut word)| {
            std::iter::from_fn(move || {
                let bit = (word != 0).then_some(word.trailing_zeros() as usize)?;
                word &= word - 1;
                Some(64 * index + bit)
            })
        })
    }

    /// The cell with this place in ascending order.
    pub fn nth(&self, mut rank: u32) -> Option<usize> {
        for (index, mut word) in self.0.into_iter().enumerate() {
            let count = word.count_ones();
            if rank >= count {
                rank -= count;
                continue;
            }
            for _ in 0..rank {
                word &= word - 1;
            }
            return Some(64 * index + word.trailing_zeros() as usize);
        }
        None
    }

    /// The cells of both sets.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        self.zip(other, |one, other| one | other)
    }

    /// A key and these cells.
    pub fn add_to(self, key: Key) -> Key {
        self.0.into_iter().fold(key, Key::with)
    }

    /// These cells without the others.
    #[must_use]
    pub fn minus(self, others: Self) -> Self {
        self.zip(others, |these, others| these & !others)
    }

    fn zip(self, other: Self, join: impl Fn(u64, u64) -> u64) -> Self {
        let mut joined = self;
        for (word, other) in joined.0.iter_mut().zip(other.0) {
            *word = join(*word, other);
        }
        joined
    }
}

/// A board with its stones.
#[derive(Clone, Debug)]
pub struct Grid {
    shape: Shape,
    names: Names,
    columns: usize,
    rows: usize,
    /// From a cell to the one below it.
    stride: usize,
    /// The ways to neighbours, clockwise.
    ways: [isize; 8],
    count: usize,
    cells: Cells,
    stones: [Cells; 2],
}

impl Grid {
    /// An empty board. A hexagon has as many rows as its middle row has cells, a triangle as its last row.
    pub fn new(shape: Shape, columns: usize, rows: usize, names: Names) -> Self {
        let stride = columns + 1;
        let down = stride as isize;
        let (ways, count) = match shape {
            Shape::Slanted | Shape::Triangle => ([-down, 1 - down, 1, down, down - 1, -1, 0, 0], 6),
            Shape::Hexagon => ([-down - 1, -down, 1, down + 1, down, -1, 0, 0], 6),
            _ => ([-down - 1, -down, 1 - down, 1, down + 1, down, down - 1, -1], 8),
        };
        let stones = [Cells::NONE; 2];
        let mut grid = Self { shape, names, columns, rows, stride, ways, count, cells: Cells::NONE, stones };
        let half = columns / 2;
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            let inside = match shape {
                Shape::Triangle => row + column + 1 >= columns,
                Shape::Hexagon => column <= row + half && row <= column + half,
                _ => true,
            };
            if inside {
                grid.cells.insert(grid.cell_at(row, column));
            }
        }
        grid
    }

    /// The same board without some of its cells, which are shown as holes.
    #[must_use]
    pub fn without(mut self, cells: impl IntoIterator<Item = usize>) -> Self {
        for cell in cells {
            self.cells.remove(cell);
        }
        self
    }

    /// The cell in a row and column from the top left. Columns of a triangle run down to the right, those of a hexagon down
    /// to the left.
    pub const fn cell_at(&self, row: usize, column: usize) -> usize {
        (row + 1) * self.stride + column + 1
    }

    /// Row and column of a cell.
    pub const fn row_and_column(&self, cell: usize) -> (usize, usize) {
        ((cell - 1) / self.stride - 1, (cell - 1) % self.stride)
    }

    /// Rows.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Columns.
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// The cell of this name.
    pub fn find(&self, place: Place) -> Option<usize> {
        let Names { lettered_rows, from_below, without_i } = self.names;
        let mut letter = usize::from(place.letter.checked_sub(b'a')?);
        if without_i && place.letter >= b'i' {
            letter = if place.letter == b'i' { return None } else { letter - 1 };
        }
        let number = usize::from(place.number).checked_sub(1)?;
        let (row, column) = if lettered_rows { (letter, number) } else { (number, letter) };
        if row >= self.rows || column >= self.columns {
            return None;
        }
        let row = if from_below { self.rows - 1 - row } else { row };
        let column = self.turn(row, column);
        Some(self.cell_at(row, column)).filter(|cell| self.cells.contains(*cell))
    }

    /// The name of a cell.
    pub fn name(&self, cell: usize) -> Place {
        let Names { lettered_rows, from_below, without_i } = self.names;
        let (row, column) = self.row_and_column(cell);
        let column = self.turn(row, column);
        let row = if from_below { self.rows - 1 - row } else { row };
        let (letter, number) = if lettered_rows { (row, column) } else { (column, row) };
        let letter = b'a' + letter as u8;
        Place { letter: letter + u8::from(without_i && letter >= b'i'), number: number as u8 + 1 }
    }

    /// The column as its name counts: houses of the upper row are named from the right, as their owner sees them.
    const fn turn(&self, row: usize, column: usize) -> usize {
        if matches!(self.shape, Shape::Houses) && row == 0 { self.columns - 1 - column } else { column }
    }

    /// The names of the corners, in a list.
    pub fn corners(&self) -> String {
        let ends = |row: usize| {
            let cells = (0..self.columns).map(move |column| self.cell_at(row, column));
            let cells: Vec<usize> = cells.filter(|cell| self.cells.contains(*cell)).collect();
            [cells.first().copied(), cells.last().copied()]
        };
        let mut names: Vec<Place> = match self.shape {
            Shape::Triangle | Shape::Hexagon => [0, self.rows / 2, self.rows - 1]
                .into_iter()
                .flat_map(ends)
                .flatten()
                .map(|cell| self.name(cell))
                .collect(),
            _ => self.cells.iter().map(|cell| self.name(cell)).collect(),
        };
        names.sort_unstable();
        names.dedup();
        if self.shape == Shape::Triangle {
            names.retain(|place| self.find(*place).is_some_and(|cell| self.neighbours(cell).count() == 2));
        } else if self.shape != Shape::Hexagon {
            names = [names.first().copied(), names.last().copied()].into_iter().flatten().collect();
        }
        join_words(&names.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    /// All cells.
    pub const fn cells(&self) -> Cells {
        self.cells
    }

    /// The cells with stones of a seat.
    pub fn of(&self, seat: Seat) -> Cells {
        self.stones.get(seat.index()).copied().unwrap_or(Cells::NONE)
    }

    /// The cells without a stone.
    pub fn free(&self) -> Cells {
        let [first, second] = self.stones;
        self.cells.minus(first).minus(second)
    }

    /// True for a cell without a stone.
    pub fn is_free(&self, cell: usize) -> bool {
        self.cells.contains(cell) && !self.stones.iter().any(|stones| stones.contains(cell))
    }

    /// The owner of the stone on a cell.
    pub fn owner(&self, cell: usize) -> Option<Seat> {
        let index = self.stones.iter().position(|stones| stones.contains(cell))?;
        Seat::from_index(index)
    }

    /// Puts a stone on a cell; one of the other seat is taken off.
    pub fn put(&mut self, cell: usize, seat: Seat) {
        for (index, stones) in self.stones.iter_mut().enumerate() {
            if index == seat.index() { stones.insert(cell) } else { stones.remove(cell) }
        }
    }

    /// Takes off what is on a cell.
    pub fn clear(&mut self, cell: usize) {
        for stones in &mut self.stones {
            stones.remove(cell);
        }
    }

    /// The ways to neighbours, clockwise: six of hexagons, eight of squares.
    pub fn ways(&self) -> &[isize] {
        self.ways.get(..self.count).unwrap_or_default()
    }

    /// The ways up, right, down and left.
    pub const fn straight_ways(&self) -> [isize; 4] {
        let down = self.stride as isize;
        [-down, 1, down, -1]
    }

    /// The cells of a set that hang together with one of them, by steps up, right, down and left.
    pub fn connected(&self, cell: usize, among: Cells) -> Cells {
        let (mut found, mut next) = (Cells::NONE, vec![cell]);
        found.insert(cell);
        while let Some(cell) = next.pop() {
            for beside in self.straight_ways().map(|way| Self::step(cell, way)) {
                if among.contains(beside) && !found.contains(beside) {
                    found.insert(beside);
                    next.push(beside);
                }
            }
        }
        found
    }

    /// One step in a direction; this need not lead to a cell.
    pub const fn step(cell: usize, way: isize) -> usize {
        cell.wrapping_add_signed(way)
    }

    /// The cells around a cell.
    pub fn neighbours(&self, cell: usize) -> impl Iterator<Item = usize> {
        self.ways().iter().map(move |way| Self::step(cell, *way)).filter(|cell| self.cells.contains(*cell))
    }

    /// The number of stones of a seat that follow a cell in a direction.
    pub fn run(&self, cell: usize, way: isize, seat: Seat) -> usize {
        let stones = self.of(seat);
        let steps = std::iter::successors(Some(Self::step(cell, way)), |cell| Some(Self::step(*cell, way)));
        steps.take_while(|cell| stones.contains(*cell)).count()
    }

    /// True if a stone of a seat on this cell stands in a straight line of at least this many.
    pub fn has_line(&self, cell: usize, seat: Seat, length: usize) -> bool {
        let (half, _) = self.ways().split_at(self.count / 2);
        half.iter().any(|way| 1 + self.run(cell, *way, seat) + self.run(cell, -way, seat) >= length)
    }

    /// The sign of a cell in position strings and on boards.
    pub fn sign(&self, cell: usize) -> char {
        match self.owner(cell) {
            None => '.',
            Some(Seat::FIRST) => 'x',
            Some(_) => 'o',
        }
    }

    /// The cells of each row, rows from the top.
    fn by_rows(&self) -> impl Iterator<Item = Vec<usize>> {
        (0..self.rows).map(|row| {
            let cells = (0..self.columns).map(|column| self.cell_at(row, column));
            cells.filter(|cell| self.cells.contains(*cell)).collect()
        })
    }

    /// The places of each row of the panel: cells, and the holes of a square board.
    fn frame(&self) -> Vec<Vec<usize>> {
        if matches!(self.shape, Shape::Triangle | Shape::Hexagon) {
            return self.by_rows().collect();
        }
        let row = |row| (0..self.columns).map(|column| self.cell_at(row, column)).collect();
        (0..self.rows).map(row).collect()
    }

    /// Reads the rows of a position string onto the empty board.
    ///
    /// # Errors
    /// Rows, cells in a row and signs are checked.
    pub fn read(&mut self, text: &str) -> Result<(), PositionError> {
        self.stones = [Cells::NONE; 2];
        for (cell, row, sign) in self.read_rows(text)? {
            match sign {
                '.' => {}
                'x' => self.put(cell, Seat::FIRST),
                'o' => self.put(cell, super::other(Seat::FIRST)),
                found => return Err(PositionError::Cell { row, found }),
            }
        }
        Ok(())
    }

    /// The signs of the rows of a position string, each with its cell and its row from the top, from 1.
    ///
    /// # Errors
    /// Rows and cells in a row are checked.
    pub fn read_rows(&self, text: &str) -> Result<Vec<(usize, usize, char)>, PositionError> {
        let (rows, cells): (Vec<&str>, Vec<Vec<usize>>) =
            (text.split('/').collect(), self.by_rows().collect());
        if rows.len() != cells.len() {
            return Err(PositionError::Rows { expected: cells.len(), found: rows.len() });
        }
        let mut read = Vec::new();
        for (row, (signs, cells)) in (1..).zip(rows.into_iter().zip(cells)) {
            let found = signs.chars().count();
            if found != cells.len() {
                return Err(PositionError::Width { row, expected: cells.len(), found });
            }
            read.extend(signs.chars().zip(cells).map(|(sign, cell)| (cell, row, sign)));
        }
        Ok(read)
    }

    /// The rows of a position string, by the sign of each cell.
    pub fn write_rows(&self, sign: impl Fn(usize) -> char) -> String {
        let row = |cells: Vec<usize>| cells.into_iter().map(&sign).collect::<String>();
        self.by_rows().map(row).collect::<Vec<_>>().join("/")
    }

    /// Puts the stones on an empty board again, one after the other, and calls `visit` after each.
    pub fn replay(&self, visit: &mut dyn FnMut(&Self, usize)) {
        let mut grid = Self { stones: [Cells::NONE; 2], ..self.clone() };
        for cell in self.cells.iter() {
            if let Some(seat) = self.owner(cell) {
                grid.put(cell, seat);
                visit(&grid, cell);
            }
        }
    }

    /// A key of the stones.
    pub fn key(&self) -> Key {
        self.stones.iter().flat_map(|stones| stones.0).fold(Key::EMPTY, Key::with)
    }

    /// The stone on a cell, to be shown.
    pub fn piece(&self, cell: usize) -> Piece {
        let look = Look { figure: Figure::Disc, ..Look::default() };
        match self.owner(cell) {
            None => Piece::Empty,
            owner => Piece::Token { sign: self.sign(cell), owner, look },
        }
    }

    /// The board to be shown; `piece` shows a cell, and `spot` names it where it is pointed at.
    pub(super) fn panel(
        &self,
        owners: [&'static str; 4],
        piece: impl Fn(usize) -> Piece,
        spot: impl Fn(usize) -> String,
    ) -> Panel {
        let rows: Vec<Vec<usize>> = self.frame();
        let letter = |cell: usize| char::from(self.name(cell).letter).to_string();
        let number = |cell: usize| self.name(cell).number.to_string();
        let row_label = |cell| if self.names.lettered_rows { letter(cell) } else { number(cell) };
        let column_label = |cell| if self.names.lettered_rows { number(cell) } else { letter(cell) };
        let beside: Vec<String> = rows.iter().filter_map(|row| row.first().copied().map(row_label)).collect();
        let along = |row: Option<&Vec<usize>>| row.into_iter().flatten().copied().map(column_label).collect();
        let shown = |cell| if self.cells.contains(cell) { piece(cell) } else { Piece::Hole };
        let named = |cell| if self.cells.contains(cell) { spot(cell) } else { String::new() };
        let beside = if self.shape == Shape::Houses { Vec::new() } else { beside };
        let labels = [beside.clone(), along(rows.first()), beside, along(rows.last())];
        let mut margins = labels.map(|labels| Margin { labels, ..Margin::default() });
        for (margin, owner) in margins.iter_mut().zip(owners) {
            margin.owner = owner;
        }
        Panel {
            shape: self.shape,
            columns: self.columns,
            cells: rows.iter().flatten().copied().map(shown).collect(),
            spots: rows.iter().flatten().copied().map(named).collect(),
            stars: self.stars(),
            margins,
            ..Panel::default()
        }
    }

    /// The points of a square of lines by which places are counted: the middle and four others, with 19 lines four more.
    fn stars(&self) -> Vec<usize> {
        if self.shape != Shape::Points || self.columns != self.rows || self.columns < 9 {
            return Vec::new();
        }
        let (edge, middle) = (if self.columns < 13 { 2 } else { 3 }, self.columns / 2);
        let lines: &[usize] = &[edge, self.columns - 1 - edge];
        let is_star = |row: usize, column: usize| {
            let is_middle = |line| line == middle && self.columns % 2 == 1;
            let on = |line| lines.contains(&line) || self.columns == 19 && line == middle;
            on(row) && on(column) || is_middle(row) && is_middle(column)
        };
        let places = self.frame().into_iter().flatten().enumerate();
        let stars = places.filter(|(_, cell)| {
            let (row, column) = self.row_and_column(*cell);
            is_star(row, column)
        });
        stars.map(|(place, _)| place).collect()
    }

    /// The place of a cell among all, as panels count.
    pub(super) fn rank(&self, cell: usize) -> Option<usize> {
        if matches!(self.shape, Shape::Triangle | Shape::Hexagon) {
            return self.cells.iter().position(|other| other == cell);
        }
        let (row, column) = self.row_and_column(cell);
        self.cells.contains(cell).then_some(row * self.columns + column)
    }

    /// Calls `visit` with the name of each of these cells until it breaks off.
    pub fn visit(&self, cells: Cells, visit: &mut dyn FnMut(Place) -> ControlFlow<()>) {
        let _ = cells.iter().try_for_each(|cell| visit(self.name(cell)));
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.write_rows(|cell| self.sign(cell)))
    }
}
