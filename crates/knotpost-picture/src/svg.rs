//! A scene as SVG text. Nothing in it needs a font, a script, a style sheet or anything from elsewhere.

use crate::{
    geometry::{Point, Step},
    scene::{Colour, Ends, GRAIN, Paint, Scene, Shape},
};

/// Writes the picture with its name and its reading for those who cannot see it.
pub(crate) fn write(scene: &Scene, width_px: u32, title: &str, reading: &str) -> String {
    let points: usize = scene.shapes.iter().map(|shape| shape.path.steps.len()).sum();
    let mut text = String::with_capacity(1024 + points * 24);
    let height_px = (scene.height * width_px as f32 / scene.width).ceil() as u32;
    text.push_str("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"");
    attribute(&mut text, "width", width_px as f32);
    attribute(&mut text, "height", height_px as f32);
    text.push_str(" viewBox=\"0 0 ");
    push_number(&mut text, hundredths(scene.width));
    text.push(' ');
    push_number(&mut text, hundredths(scene.height));
    text.push_str("\">\n<title>");
    push_escaped(&mut text, title);
    text.push_str("</title>\n<desc>");
    push_escaped(&mut text, reading);
    text.push_str("</desc>\n");
    text.push_str("<g fill=\"none\" stroke-linejoin=\"round\">\n");
    for shape in &scene.shapes {
        push_shape(&mut text, shape);
    }
    text.push_str("</g>\n</svg>\n");
    text
}

fn push_shape(text: &mut String, shape: &Shape) {
    text.push_str("<path");
    match shape.paint {
        Paint::Fill(colour) => push_colour(text, "fill", colour),
        Paint::Stroke { colour, width, ends } => {
            push_colour(text, "stroke", colour);
            attribute(text, "stroke-width", width);
            if ends == Ends::Round {
                text.push_str(" stroke-linecap=\"round\"");
            }
        }
    }
    text.push_str(" d=\"");
    let (mut pen, mut start) = ((0, 0), (0, 0));
    for step in &shape.path.steps {
        match *step {
            Step::Move(to) => {
                text.push('M');
                pen = push_point(text, to, (0, 0));
                start = pen;
            }
            Step::Line(to) => {
                text.push('l');
                pen = push_point(text, to, pen);
            }
            Step::Curve(one, two, to) => {
                text.push('c');
                push_point(text, one, pen);
                push_point(text, two, pen);
                pen = push_point(text, to, pen);
            }
            Step::Close => {
                text.push('z');
                pen = start;
            }
        }
    }
    text.push_str("\"/>\n");
}

/// Writes a point as its distance from another one and gives it back as whole parts of a unit.
fn push_point(text: &mut String, point: Point, from: (i32, i32)) -> (i32, i32) {
    let (x, y) = (hundredths(point.x), hundredths(point.y));
    let (dx, dy) = (x - from.0, y - from.1);
    if !text.ends_with(|last: char| last.is_ascii_alphabetic()) && dx >= 0 {
        text.push(' ');
    }
    push_number(text, dx);
    if dy >= 0 {
        text.push(' ');
    }
    push_number(text, dy);
    (x, y)
}

fn hundredths(number: f32) -> i32 {
    (number * GRAIN).round() as i32
}

/// Writes hundredths as a decimal number without needless zeros.
fn push_number(text: &mut String, hundredths: i32) {
    if hundredths < 0 {
        text.push('-');
    }
    let (whole, rest) = (hundredths.unsigned_abs() / 100, hundredths.unsigned_abs() % 100);
    if whole > 0 || rest == 0 {
        push_whole(text, whole);
    }
    if rest > 0 {
        text.push('.');
        text.push(digit(rest / 10));
        if rest % 10 > 0 {
            text.push(digit(rest % 10));
        }
    }
}

fn push_whole(text: &mut String, number: u32) {
    if number >= 10 {
        push_whole(text, number / 10);
    }
    text.push(digit(number % 10));
}

const fn digit(value: u32) -> char {
    (b'0' + (value % 10) as u8) as char
}

fn attribute(text: &mut String, name: &str, value: f32) {
    text.push(' ');
    text.push_str(name);
    text.push_str("=\"");
    push_number(text, hundredths(value));
    text.push('"');
}

fn push_colour(text: &mut String, name: &str, colour: Colour) {
    text.push(' ');
    text.push_str(name);
    text.push_str("=\"#");
    for channel in colour.channels() {
        for half in [channel >> 4, channel & 15] {
            text.push(char::from_digit(u32::from(half), 16).unwrap_or('0'));
        }
    }
    text.push('"');
}

/// Writes text so that it stays text, whatever is in it. Characters that XML cannot hold become question marks.
fn push_escaped(text: &mut String, words: &str) {
    for sign in words.chars() {
        match sign {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            '\'' => text.push_str("&#39;"),
            '\n' | '\t' => text.push(sign),
            '\u{fffe}' | '\u{ffff}' => text.push('?'),
            _ if sign.is_control() => text.push('?'),
            _ => text.push(sign),
        }
    }
}
