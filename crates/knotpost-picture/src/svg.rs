//! A scene as SVG text. Nothing in it needs a font, a script, a style sheet or anything from elsewhere.

use crate::{
    geometry::{Point, Step},
    scene::{Colour, Ends, GRAIN, Paint, Scene, Shape},
    spots::{Link, Spot},
};

/// Writes the picture with its name and its reading for those who cannot see it.
pub(crate) fn write(scene: &Scene, width_px: u32, title: &str, reading: &str) -> String {
    let mut text = String::with_capacity(room(scene));
    let height_px = (scene.height * width_px as f32 / scene.width).ceil() as u32;
    text.push_str("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"");
    attribute(&mut text, "width", width_px as f32);
    attribute(&mut text, "height", height_px as f32);
    push_view_box(&mut text, scene);
    push_names(&mut text, title, reading);
    push_shapes(&mut text, scene);
    text.push_str("</svg>\n");
    text
}

/// Writes the picture for the middle of a page, with links. Who cannot see it hears the links and what it shows.
pub(crate) fn write_linked(scene: &Scene, title: &str, reading: &str, class: &str, links: &[Link]) -> String {
    let mut text = String::with_capacity(room(scene) + links.len() * 300);
    text.push_str("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture ");
    push_escaped(&mut text, class);
    text.push_str(if links.is_empty() { "\" role=\"img\"" } else { "\" role=\"group\"" });
    push_view_box(&mut text, scene);
    push_names(&mut text, title, reading);
    push_shapes(&mut text, scene);
    for link in links {
        if let Some(spot) = scene.spots.iter().find(|spot| spot.name == link.spot) {
            push_link(&mut text, link, spot);
        }
    }
    text.push_str("</svg>\n");
    text
}

/// Writes a figure that says nothing by itself.
pub(crate) fn write_figure(scene: &Scene, class: &str) -> String {
    let mut text = String::with_capacity(room(scene));
    text.push_str("<svg xmlns=\"http://www.w3.org/2000/svg\" aria-hidden=\"true\" class=\"");
    push_escaped(&mut text, class);
    text.push('"');
    push_view_box(&mut text, scene);
    push_shapes(&mut text, scene);
    text.push_str("</svg>");
    text
}

fn room(scene: &Scene) -> usize {
    1024 + scene.shapes.iter().map(|shape| shape.path.steps.len()).sum::<usize>() * 24
}

fn push_view_box(text: &mut String, scene: &Scene) {
    text.push_str(" viewBox=\"0 0 ");
    push_number(text, hundredths(scene.width));
    text.push(' ');
    push_number(text, hundredths(scene.height));
    text.push_str("\">\n");
}

fn push_names(text: &mut String, title: &str, reading: &str) {
    text.push_str("<title>");
    push_escaped(text, title);
    text.push_str("</title>\n<desc>");
    push_escaped(text, reading);
    text.push_str("</desc>\n");
}

fn push_shapes(text: &mut String, scene: &Scene) {
    text.push_str("<g fill=\"none\" stroke-linejoin=\"round\">\n");
    for shape in &scene.shapes {
        push_shape(text, shape);
    }
    text.push_str("</g>\n");
}

fn push_link(text: &mut String, link: &Link, spot: &Spot) {
    match &link.href {
        Some(href) => {
            text.push_str("<a class=\"spot\" href=\"");
            push_escaped(text, href);
            text.push_str("\">");
        }
        None => text.push_str("<g class=\"spot taken\">"),
    }
    text.push_str("<title>");
    push_escaped(text, &link.label);
    text.push_str("</title><rect rx=\"3\"");
    attribute(text, "x", spot.area.left);
    attribute(text, "y", spot.area.top);
    attribute(text, "width", spot.area.width);
    attribute(text, "height", spot.area.height);
    text.push_str(if link.href.is_some() { "/></a>\n" } else { "/></g>\n" });
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
