//! How strands run, compared with a reference that knows only which ribbons meet.

use knotpost_picture::weave::{Crossing, Weave};
use knotpost_rules::{
    knot::{Face, Side},
    view::{Fate, Panel, Piece},
};
use proptest::prelude::*;

fn panel(rows: &str) -> Panel {
    let piece = |letter| {
        Face::from_letter(letter).map_or(Piece::Empty, |face| Piece::Die { face, fate: Fate::Stays })
    };
    let columns = rows.split('/').next().map_or(0, str::len);
    Panel {
        columns,
        cells: rows.chars().filter(|sign| *sign != '/').map(piece).collect(),
        ..Panel::default()
    }
}

fn weave(panel: &Panel) -> Weave {
    Weave::of(panel, Piece::live_face)
}

/// How many edges are open on both sides.
fn matched_edges(panel: &Panel) -> usize {
    let open = |row, column, side| panel.cell(row, column).live_face().is_some_and(|face| face.is_open(side));
    let mut count = 0;
    for row in 0..panel.rows() {
        for column in 0..panel.columns {
            count += usize::from(open(row, column, Side::East) && open(row, column + 1, Side::West));
            count += usize::from(open(row, column, Side::South) && open(row + 1, column, Side::North));
        }
    }
    count
}

/// For each ribbon the number of its group of ribbons joined by crossings, and whether any of the group has a loose end.
fn join(weave: &Weave) -> Vec<(usize, bool)> {
    let mut names: Vec<usize> = (0..weave.ribbons.len()).collect();
    loop {
        let before = names.clone();
        for Crossing { above, below } in &weave.crossings {
            for [one, other] in [*above, *below] {
                let least = names[one].min(names[other]);
                (names[one], names[other]) = (least, least);
            }
        }
        if names == before {
            break;
        }
    }
    let loose = |name: usize| {
        weave
            .ribbons
            .iter()
            .zip(&names)
            .any(|(ribbon, its)| *its == name && (ribbon.start.is_loose || ribbon.end.is_loose))
    };
    names.iter().map(|name| (*name, loose(*name))).collect()
}

#[test]
fn ring_of_corners_is_two_paths_that_cross_four_times() {
    let weave = weave(&panel("jg/ih"));
    assert_eq!(weave.lengths, [4, 4]);
    assert_eq!((weave.ribbons.len(), weave.crossings.len()), (8, 4));
}

#[test]
fn path_goes_over_and_under_by_turns() {
    let weave = weave(&panel("jkkg/nool/immh"));
    assert!(weave.ribbons.iter().all(|ribbon| ribbon.path.is_some()));
    for number in 0..weave.ribbons.len() {
        let over = weave.crossings.iter().filter(|crossing| crossing.above.contains(&number)).count();
        let under = weave.crossings.iter().filter(|crossing| crossing.below.contains(&number)).count();
        assert_eq!((over, under), (1, 1), "ribbon {number}");
    }
}

proptest! {
    #[test]
    fn closed_are_the_paths_without_a_loose_end(cells in prop::collection::vec("[a-oa-oa-o.]", 25)) {
        let rows: Vec<String> = cells.chunks(5).map(<[String]>::concat).collect();
        let panel = panel(&rows.join("/"));
        let weave = weave(&panel);
        let joined = join(&weave);
        for (ribbon, (_, loose)) in weave.ribbons.iter().zip(&joined) {
            prop_assert_eq!(ribbon.path.is_none(), *loose);
        }
        for (one, (name, _)) in weave.ribbons.iter().zip(&joined) {
            for (other, (its, loose)) in weave.ribbons.iter().zip(&joined) {
                if !loose {
                    prop_assert_eq!(one.path == other.path, name == its);
                }
            }
        }
        for (number, length) in weave.lengths.iter().enumerate() {
            let count = weave.ribbons.iter().filter(|ribbon| ribbon.path == Some(number)).count();
            prop_assert_eq!(count, *length as usize);
        }
    }

    #[test]
    fn ribbons_cross_wherever_both_dice_are_open(cells in prop::collection::vec("[a-oa-oa-o.]", 30)) {
        let rows: Vec<String> = cells.chunks(6).map(<[String]>::concat).collect();
        let panel = panel(&rows.join("/"));
        let weave = weave(&panel);
        prop_assert_eq!(weave.crossings.len(), matched_edges(&panel));
        let mut ends = vec![0; weave.ribbons.len() * 2];
        for Crossing { above, below } in &weave.crossings {
            for (over, under) in above.iter().zip(below) {
                ends[over * 2] += 1;
                ends[under * 2 + 1] += 1;
            }
        }
        for (number, ribbon) in weave.ribbons.iter().enumerate() {
            prop_assert_eq!(ends[number * 2], i32::from(!ribbon.end.is_loose));
            prop_assert_eq!(ends[number * 2 + 1], i32::from(!ribbon.start.is_loose));
        }
    }
}
