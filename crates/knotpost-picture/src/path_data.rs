//! SVG path data: relative coordinates in hundredths, without redundant blanks and zeros. Small numbers, nearly all of
//! a picture's text, are precomputed.

use crate::{
    geometry::Step,
    scene::{Dot, Scene},
};
use std::ops::Range;

const ORIGIN: Dot = Dot { x: 0, y: 0 };

pub(crate) struct PathWriter {
    written: Vec<Option<Range<usize>>>,
    data: Vec<u8>,
}

impl PathWriter {
    pub(crate) fn new(scene: &Scene) -> Self {
        Self { written: vec![None; scene.strokes()], data: Vec::new() }
    }

    /// Copies a stroke that was written before.
    pub(crate) fn write_stroke(&mut self, text: &mut String, scene: &Scene, stroke: usize) {
        let Some(place) = self.written.get_mut(stroke) else { return };
        if let Some(place) = place {
            text.extend_from_within(place.clone());
            return;
        }
        self.data.clear();
        write_steps(&mut self.data, scene.steps(stroke));
        let start = text.len();
        text.push_str(std::str::from_utf8(&self.data).unwrap_or_default());
        *place = Some(start..text.len());
    }
}

/// The first command is a move, so the current point before it does not matter.
fn write_steps(data: &mut Vec<u8>, steps: &[Step<Dot>]) {
    let (mut current, mut start) = (ORIGIN, ORIGIN);
    for step in steps {
        match *step {
            Step::Move(to) => {
                push_command(data, b'M', &[to], ORIGIN);
                (current, start) = (to, to);
            }
            Step::Line(to) => {
                push_command(data, b'l', &[to], current);
                current = to;
            }
            Step::Curve(one, two, to) => {
                push_command(data, b'c', &[one, two, to], current);
                current = to;
            }
            Step::Close => {
                data.push(b'z');
                current = start;
            }
        }
    }
}

/// Writes a command letter and points relative to the current one. Numbers are separated by a sign or a blank; the letter
/// replaces the first blank.
#[inline]
fn push_command(data: &mut Vec<u8>, letter: u8, dots: &[Dot], from: Dot) {
    let start = data.len();
    for dot in dots {
        push_number(data, dot.x - from.x);
        push_number(data, dot.y - from.y);
    }
    match data.get_mut(start) {
        Some(first) if *first == b' ' => *first = letter,
        _ => data.insert(start, letter),
    }
}

/// Exclusive bound of the precomputed numbers, in hundredths.
const SMALL: i32 = 2048;

/// Results of [`spell`], left-aligned; the last byte is the length.
static SMALL_NUMBERS: [[u8; 8]; 2 * SMALL as usize] = {
    let mut numbers = [[0; 8]; 2 * SMALL as usize];
    let mut index = 0;
    while index < numbers.len() {
        let (text, start) = spell(index as i32 - SMALL);
        let length = text.len() - start;
        let mut place = 0;
        while place < length {
            numbers[index][place] = text[start + place];
            place += 1;
        }
        numbers[index][7] = length as u8;
        index += 1;
    }
    numbers
};

fn push_number(data: &mut Vec<u8>, hundredths: i32) {
    if let Some(number) = SMALL_NUMBERS.get(hundredths.wrapping_add(SMALL) as usize) {
        let end = data.len() + usize::from(number[7]);
        data.extend_from_slice(number);
        data.truncate(end);
    } else {
        let (text, start) = spell(hundredths);
        data.extend_from_slice(text.get(start..).unwrap_or_default());
    }
}

/// Returns the text, with a minus or a blank in front, and its start.
const fn spell(hundredths: i32) -> ([u8; 12], usize) {
    let (mut text, mut place) = ([b' '; 12], 12);
    let (mut whole, rest) = (hundredths.unsigned_abs() / 100, hundredths.unsigned_abs() % 100);
    if rest > 0 {
        if !rest.is_multiple_of(10) {
            place -= 1;
            text[place] = digit(rest);
        }
        text[place - 1] = digit(rest / 10);
        text[place - 2] = b'.';
        place -= 2;
    }
    while whole > 0 || place == 12 {
        place -= 1;
        text[place] = digit(whole);
        whole /= 10;
    }
    place -= 1;
    if hundredths < 0 {
        text[place] = b'-';
    }
    (text, place)
}

const fn digit(number: u32) -> u8 {
    b'0' + (number % 10) as u8
}

pub(crate) fn push_decimal(text: &mut String, hundredths: i32) {
    let (spelled, start) = spell(hundredths);
    let spelled = spelled.get(start..).unwrap_or_default();
    text.push_str(std::str::from_utf8(spelled).unwrap_or_default().trim_start());
}
