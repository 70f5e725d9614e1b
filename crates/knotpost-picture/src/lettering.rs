//! Words as paths. With letters of our own no font has to be found, embedded or trusted, and a word looks the same in
//! every browser, mail program and PNG.

use crate::{
    geometry::{Leave, Path, Point, at},
    glyphs::GLYPHS,
    scene::{Colour, Paint, Scene},
};
use std::sync::LazyLock;

/// What a glyph is drawn in: its capitals are this high.
const CAPITAL: f32 = 10.0;
/// Between two letters.
const SPACING: f32 = 2.3;
/// First characters that have a place in the table; all glyphs but the dots of an omission are among them.
const ASCII: usize = 128;

/// A glyph ready to be drawn.
#[derive(Clone, Default)]
struct Letter {
    advance: f32,
    path: Path,
}

/// By code; the last one stands for all others.
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

/// The place in the table; the omission dots take that of a control character.
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

/// Reads the strokes of a glyph.
fn parse(strokes: &str) -> Path {
    let (mut path, mut pen, mut rest) = (Path::default(), at(0.0, 0.0), strokes);
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
            ('h', _) => path.quarter(pen, end, Leave::Level),
            ('v', _) => path.quarter(pen, end, Leave::Upright),
            (_, [one, other, _]) => path.bend(*one, *other, end),
            _ => path.line(end),
        };
        pen = end;
    }
    path
}

/// How strong a stroke is, as part of the height of capitals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Weight {
    /// For what is read in passing.
    Plain,
    /// For what is looked for.
    Strong,
}

/// How words look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hand {
    /// The height of capitals.
    pub height: f32,
    pub weight: Weight,
    pub colour: Colour,
}

/// Which part of the words lies at the given point of the base line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// The way the base line runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Run {
    /// To the right.
    Level,
    /// Up, to be read with the head on the left shoulder.
    Up,
    /// Down.
    Down,
}

impl Hand {
    /// How long the words become.
    pub(crate) fn measure(self, words: &str) -> f32 {
        let sum: f32 = words.chars().map(|sign| letter(sign).advance + SPACING).sum();
        (sum - SPACING).max(0.0) * self.height / CAPITAL
    }

    /// Writes level words and gives their length.
    pub(crate) fn write(self, scene: &mut Scene, words: &str, place: Point, anchor: Anchor) -> f32 {
        self.write_along(scene, words, place, anchor, Run::Level)
    }

    /// Writes words so that `place` is in the middle of them and of their capitals.
    pub(crate) fn write_centred(self, scene: &mut Scene, words: &str, place: Point) {
        self.write(scene, words, at(place.x, place.y + self.height / 2.0), Anchor::Middle);
    }

    /// Writes words in any direction and gives their length.
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

    /// The words, or as many of their letters as fit into the room and dots for the rest.
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

/// Stands for letters left out.
const OMISSION: &str = "\u{2026}";
