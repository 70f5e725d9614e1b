//! Text as paths, so that no font is needed and text looks the same in every browser, mail program and PNG.

use crate::{
    geometry::{Leave, Path, Point, at},
    glyphs::GLYPHS,
    scene::{Colour, Paint, Scene},
};
use std::sync::LazyLock;

/// In glyph units.
const CAPITAL: f32 = 10.0;
const SPACING: f32 = 2.3;
/// Size of the table of character codes; it covers all glyphs but the ellipsis.
const ASCII: usize = 128;

#[derive(Clone, Default)]
struct Letter {
    advance: f32,
    path: Path,
}

/// Indexed by character code; the last one is the fallback.
static LETTERS: LazyLock<Vec<Letter>> = LazyLock::new(|| {
    let mut frame = Path::default();
    frame.polygon(&[at(0.0, 1.0), at(4.0, 1.0), at(4.0, 10.0), at(0.0, 10.0)]);
    let mut letters = vec![Letter { advance: 4.0, path: frame }; ASCII + 1];
    for (sign, advance, strokes) in GLYPHS {
        if let Some(letter) = letters.get_mut(code(*sign)) {
            *letter = Letter { advance: *advance, path: parse(strokes) };
        }
    }
    letters
});

/// Index in the table; the ellipsis takes that of a control character.
fn code(sign: char) -> usize {
    match sign {
        '\u{2026}' => 0,
        '\0' => ASCII,
        _ => (sign as usize).min(ASCII),
    }
}

fn letter(sign: char) -> &'static Letter {
    static NOTHING: LazyLock<Letter> = LazyLock::new(Letter::default);
    LETTERS.get(code(sign)).unwrap_or(&NOTHING)
}

fn parse(strokes: &str) -> Path {
    let (mut path, mut current, mut rest) = (Path::default(), at(0.0, 0.0), strokes);
    while let Some(command) = rest.chars().next() {
        let body = rest.strip_prefix(command).unwrap_or_default();
        let length = body.find(|sign: char| sign.is_ascii_alphabetic()).unwrap_or(body.len());
        let (numbers, next) = body.split_at(length);
        rest = next;
        let numbers: Vec<f32> = numbers.split(' ').filter_map(|number| number.parse().ok()).collect();
        let points: Vec<Point> = numbers
            .chunks_exact(2)
            .map(|pair| at(pair.first().copied().unwrap_or(0.0), pair.last().copied().unwrap_or(0.0)))
            .collect();
        let Some(&end) = points.last() else { continue };
        match (command, points.as_slice()) {
            ('M', _) => path.start(end),
            ('h', _) => path.quarter(current, end, Leave::Level),
            ('v', _) => path.quarter(current, end, Leave::Upright),
            (_, [one, other, _]) => path.bend(*one, *other, end),
            _ => path.line(end),
        };
        current = end;
    }
    path
}

/// Stroke width as a fraction of the height of capitals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Weight {
    Plain,
    Strong,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hand {
    pub height: f32,
    pub weight: Weight,
    pub colour: Colour,
}

/// The part of the text that stands at the given point of the base line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Run {
    Level,
    /// Rotated by 90 degrees counter-clockwise.
    Up,
    Down,
}

impl Hand {
    pub(crate) fn measure(self, words: &str) -> f32 {
        let sum: f32 = words.chars().map(|sign| letter(sign).advance + SPACING).sum();
        (sum - SPACING).max(0.0) * self.height / CAPITAL
    }

    /// Returns the length of the text.
    pub(crate) fn write(self, scene: &mut Scene, words: &str, place: Point, anchor: Anchor) -> f32 {
        self.write_along(scene, words, place, anchor, Run::Level)
    }

    /// Centres vertically by the height of capitals.
    pub(crate) fn write_centred(self, scene: &mut Scene, words: &str, place: Point) {
        self.write(scene, words, at(place.x, place.y + self.height / 2.0), Anchor::Middle);
    }

    /// Returns the length of the text.
    pub(crate) fn write_along(
        self,
        scene: &mut Scene,
        words: &str,
        place: Point,
        anchor: Anchor,
        run: Run,
    ) -> f32 {
        let (scale, length) = (self.height / CAPITAL, self.measure(words));
        let mut along = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -length / 2.0,
            Anchor::End => -length,
        };
        let steps = words.chars().flat_map(|sign| {
            let (letter, start) = (letter(sign), along);
            along += (letter.advance + SPACING) * scale;
            let turn = move |Point { x, y }: Point| {
                let (x, y) = (start + x * scale, (y - CAPITAL) * scale);
                match run {
                    Run::Level => place + at(x, y),
                    Run::Up => place + at(y, -x),
                    Run::Down => place + at(-y, x),
                }
            };
            letter.path.steps.iter().map(move |step| step.map(turn))
        });
        let kept = scene.keep(steps);
        let stroke = match self.weight {
            Weight::Plain => 0.125,
            Weight::Strong => 0.18,
        };
        scene.follow(kept, Paint::line(self.colour, self.height * stroke));
        length
    }

    /// Shortens the text to as many letters as fit into `room`, with an ellipsis.
    pub(crate) fn shorten(self, words: &str, room: f32) -> String {
        if self.measure(words) <= room {
            return words.to_owned();
        }
        let mut short = String::new();
        for sign in words.chars() {
            short.push(sign);
            if self.measure(&short) + self.measure(OMISSION) + SPACING > room {
                short.pop();
                break;
            }
        }
        short + OMISSION
    }
}

const OMISSION: &str = "\u{2026}";
