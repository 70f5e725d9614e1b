//! Chains of neighbouring stones of a seat, and what each touches, kept up to date as stones come. Stones that go make it
//! necessary to begin anew.

use super::grid::Grid;

/// As many as a grid has.
const MOST: usize = 704;

/// The chains of both seats.
#[derive(Clone, Debug)]
pub struct Chains {
    /// For the head of a chain the marks of what it touches, with the lowest bit set; for the other stones twice the number
    /// of a stone nearer to the head.
    links: [u16; MOST],
}

impl Default for Chains {
    fn default() -> Self {
        Self { links: [1; MOST] }
    }
}

impl Chains {
    /// The head of the chain of a stone, and what the chain touches. Stones on the way are brought nearer to the head.
    fn head(&mut self, mut cell: usize) -> (usize, u16) {
        loop {
            let link = self.link(cell);
            if link & 1 == 1 {
                return (cell, link >> 1);
            }
            let next = usize::from(link >> 1);
            let beyond = self.link(next);
            if beyond & 1 == 0 {
                self.set(cell, beyond);
            }
            cell = next;
        }
    }

    fn link(&self, cell: usize) -> u16 {
        self.links.get(cell).copied().unwrap_or(1)
    }

    /// Joins the stone that was just put on a cell, which touches what the marks say (fifteen bits), with the chains around
    /// it, and returns what the chain now touches.
    pub fn join(&mut self, grid: &Grid, cell: usize, marks: u16) -> u16 {
        let Some(seat) = grid.owner(cell) else { return 0 };
        let stones = grid.of(seat);
        let around = grid.ways().iter().map(|way| Grid::step(cell, *way));
        self.tie(cell, marks, around.filter(|next| stones.contains(*next)))
    }

    /// Joins the stone that was just put on a cell, which touches what the marks say, with the chains of these stones, and
    /// returns what the chain now touches.
    pub fn tie(&mut self, cell: usize, marks: u16, others: impl Iterator<Item = usize>) -> u16 {
        let (mut head, mut touched) = (cell, marks);
        for next in others {
            let (other, marks) = self.head(next);
            if other != head {
                touched |= marks;
                // The new stone hangs under the first chain, which is the longer one more often than not.
                let (below, above) = if head == cell { (cell, other) } else { (other, head) };
                self.set(below, (above as u16) << 1);
                head = above;
            }
        }
        self.set(head, touched << 1 | 1);
        touched
    }

    /// True if the stone that was just put on a cell, and is not joined yet, closes a ring of hexagons around at least one
    /// cell, whatever is there: it stands between two ends of a chain, or behind it a stone is now surrounded.
    pub fn closes_ring(&mut self, grid: &Grid, cell: usize) -> bool {
        let Some(seat) = grid.owner(cell) else { return false };
        let stones = grid.of(seat);
        let is_inside = |cell| grid.ways().iter().all(|way| stones.contains(Grid::step(cell, *way)));
        let (mut heads, mut count) = ([0; 6], 0);
        let before = grid.ways().iter().cycle().skip(grid.ways().len().saturating_sub(1));
        for (way, before) in grid.ways().iter().zip(before) {
            let next = Grid::step(cell, *way);
            if !stones.contains(next) {
                continue;
            }
            if is_inside(next) {
                return true;
            }
            if !stones.contains(Grid::step(cell, *before)) {
                let (head, _) = self.head(next);
                if heads.iter().take(count).any(|other| *other == head) {
                    return true;
                }
                if let Some(slot) = heads.get_mut(count) {
                    *slot = head;
                    count += 1;
                }
            }
        }
        false
    }

    fn set(&mut self, cell: usize, link: u16) {
        if let Some(slot) = self.links.get_mut(cell) {
            *slot = link;
        }
    }
}
