//! Emblems: a knot woven from a name, the same for the same name on every machine.
//!
//! Left and right mirror each other, so that the plait looks made on purpose. No strand leaves the square.

use crate::{
    geometry::{Area, Path},
    knots::{Grid, draw_ribbons},
    scene::{Paint, Scene},
    theme::Palette,
};
use knotpost_rules::{
    Seat,
    knot::{Face, Side},
    view::{Fate, Panel, Piece},
};

const CELLS: usize = 4;
const CELL: f32 = 22.0;
const MARGIN: f32 = 6.0;
const WIDTH: f32 = CELLS as f32 * CELL + 2.0 * MARGIN;

/// Bits drawn from a name.
struct Bits(u64);

impl Bits {
    /// Begins with the FNV-1a digest of the name.
    fn of(name: &str) -> Self {
        let digest = name.bytes().fold(0xcbf2_9ce4_8422_2325, |digest: u64, byte| {
            (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self(digest)
    }

    /// The next number of `SplitMix64`.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// True five times of eight.
    fn is_open(&mut self) -> bool {
        self.next() % 8 < 5
    }
}

pub(crate) fn compose(name: &str, palette: &Palette) -> Scene {
    let mut scene = Scene::new(WIDTH);
    scene.height = WIDTH;
    let mut tile = Path::default();
    tile.rounded(Area { left: 0.0, top: 0.0, width: WIDTH, height: WIDTH }, WIDTH * 0.12);
    scene.paint(&tile, &[Paint::Fill(palette.tile)]);
    draw_ribbons(&mut scene, &weave(name), Grid { left: MARGIN, top: MARGIN, cell: CELL }, palette);
    scene
}

fn weave(name: &str) -> Panel {
    let mut bits = Bits::of(name);
    let closer = Seat::from_index((bits.next() % 4) as usize);
    let mut sides = [[0_u8; CELLS]; CELLS];
    let mut open = |row: usize, column: usize, side: Side| {
        let (row_beyond, column_beyond) =
            if side == Side::East { (row, column + 1) } else { (row + 1, column) };
        for (row, column, side) in [(row, column, side), (row_beyond, column_beyond, side.opposite())] {
            if let Some(cell) = sides.get_mut(row).and_then(|row| row.get_mut(column)) {
                *cell |= side.bit();
            }
        }
    };
    for row in 0..CELLS {
        for column in 0..CELLS / 2 {
            let mirrored = CELLS - 1 - column;
            // In the middle an edge is its own mirror image.
            if bits.is_open() {
                open(row, column, Side::East);
                open(row, mirrored - 1, Side::East);
            }
            if row + 1 < CELLS && bits.is_open() {
                open(row, column, Side::South);
                open(row, mirrored, Side::South);
            }
        }
    }
    let die = |sides: &u8| match Face::from_sides(*sides) {
        Some(face) => Piece::Die { face, fate: Fate::Stays },
        None => Piece::Empty,
    };
    Panel { columns: CELLS, cells: sides.iter().flatten().map(die).collect(), closer, ..Panel::default() }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::weave::Weave;

    #[test]
    fn names_have_different_knots_without_loose_ends() {
        let mut seen = HashSet::new();
        for number in 0..1_000 {
            let panel = weave(&format!("player{number}"));
            let woven = Weave::of(&panel, Piece::live_face);
            assert!(!woven.paths.is_empty(), "player{number}");
            assert!(woven.ribbons.iter().all(|ribbon| ribbon.path.is_some()), "player{number}");
            seen.insert(format!("{:?} {:?}", panel.cells, panel.closer));
        }
        assert!(seen.len() > 960, "{}", seen.len());
    }
}
