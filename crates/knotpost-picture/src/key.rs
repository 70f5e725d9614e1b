//! The key below a picture: lengths of the coloured paths, faces with their letters.

use crate::{
    geometry::{Area, Path, at},
    knots,
    lettering::{Anchor, Hand, Weight},
    scene::{Paint, Scene},
    theme::Palette,
    weave::Weave,
};
use knotpost_rules::{
    knot::Face,
    view::{Panel, Piece},
};

pub(crate) const LENGTHS: f32 = 17.0;
const SAMPLE: [f32; 2] = [15.0, 6.5];
const FACES: usize = 8;
const FACE: f32 = 27.0;
const FACE_ROW: f32 = 34.0;

pub(crate) fn has_paths(panel: &Panel) -> bool {
    !Weave::of(panel, Piece::live_face).lengths.is_empty()
}

/// Draws a sample of each closed path with its length, as many as fit.
pub(crate) fn draw_lengths(scene: &mut Scene, panel: &Panel, area: Area, palette: &Palette) {
    let hand = Hand { height: 8.0, weight: Weight::Plain, colour: palette.ink };
    let [length, width] = SAMPLE;
    let middle = area.top + LENGTHS - 6.0;
    let mut left = area.left;
    let lengths = Weave::of(panel, Piece::live_face).lengths;
    for (path, number) in lengths.iter().enumerate() {
        let words = number.to_string();
        let needed = length + 4.0 + hand.measure(&words);
        let is_last = path + 1 == lengths.len();
        if left + needed + if is_last { 0.0 } else { 12.0 } > area.right() {
            hand.write(scene, "\u{2026}", at(left, middle + 4.0), Anchor::Start);
            return;
        }
        let (colour, mark) = palette.woven(panel.closer, path);
        let mut sample = Path::default();
        sample.stroke(at(left + width / 2.0, middle), at(left + length - width / 2.0, middle));
        scene.paint(&sample, &[Paint::line(palette.rim, width + 1.6), Paint::line(colour, width)]);
        let mut marks = Path::default();
        knots::add_mark(&mut marks, path, (at(left + length / 2.0, middle), at(1.0, 0.0)), width);
        scene.fill(&marks, mark);
        hand.write(scene, &words, at(left + length + 4.0, middle + 4.0), Anchor::Start);
        left += needed + 10.0;
    }
}

pub(crate) fn measure_faces(faces: &[Face]) -> f32 {
    faces.len().div_ceil(FACES) as f32 * FACE_ROW
}

pub(crate) fn draw_faces(scene: &mut Scene, faces: &[Face], area: Area, palette: &Palette) {
    let hand = Hand { height: 10.0, weight: Weight::Strong, colour: palette.ink };
    let room = area.width / FACES as f32;
    for (number, face) in faces.iter().enumerate() {
        let left = area.left + (number % FACES) as f32 * room;
        let top = area.top + (number / FACES) as f32 * FACE_ROW;
        let tile = Area { left: left + 12.0, top: top + 4.0, width: FACE, height: FACE };
        let letter = face.letter().to_string();
        hand.write_centred(scene, &letter, at(left + 5.0, tile.centre().y));
        knots::draw_die(scene, *face, tile, palette);
    }
}
