//! Writes a scene as SVG. It needs no font, script, style sheet or other resource.

use crate::{
    geometry::Area,
    path_data::{PathWriter, push_decimal},
    scene::{Colour, Ends, Paint, Scene, Shape, grains},
    spots::{Link, Spot, Target},
    theme::name_colour,
};
use knotpost_rules::view::Edge;

pub(crate) fn write(scene: &Scene, width_px: u32, title: &str, reading: &str) -> String {
    let mut text = String::with_capacity(estimate_length(scene));
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

/// Screen readers get the links and the description.
pub(crate) fn write_linked(scene: &Scene, title: &str, reading: &str, links: &[Link]) -> String {
    let mut text = String::with_capacity(estimate_length(scene) + links.len() * 300);
    text.push_str("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture");
    text.push_str(if links.is_empty() { "\" role=\"img\"" } else { "\" role=\"group\"" });
    push_view_box_with(&mut text, scene, scene.push);
    push_names(&mut text, title, reading);
    push_shapes(&mut text, scene);
    for link in links {
        for spot in scene.spots.iter().filter(|spot| spot.name == link.spot) {
            push_link(&mut text, link, spot);
        }
    }
    text.push_str("</svg>\n");
    text
}

/// Puts the pushed line on top once more, cut out and in a group of its own that a style sheet can move. `None` if
/// nothing was pushed.
pub(crate) fn write_pushed(scene: &Scene, title: &str, reading: &str) -> Option<String> {
    let (area, edge) = scene.push?;
    let cells = area.width.max(area.height) / area.width.min(area.height);
    let cells = format!(" cells-{cells:.0}\"");
    let mut text = String::with_capacity(estimate_length(scene));
    text.push_str("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" role=\"img\"");
    push_view_box(&mut text, scene);
    push_names(&mut text, title, reading);
    text.push_str("<g id=\"pushed\">\n");
    push_shapes(&mut text, scene);
    text.push_str("</g>\n<svg aria-hidden=\"true\" class=\"pushing from-");
    text.push_str(name_edge(edge));
    text.push_str(&cells);
    push_area(&mut text, area);
    text.push_str(" viewBox=\"");
    for number in [area.left, area.top, area.width, area.height] {
        push_decimal(&mut text, grains(number));
        text.push(' ');
    }
    text.push_str("\"><rect fill=\"var(--p-board)\"");
    push_area(&mut text, area);
    text.push_str("/><g><use href=\"#pushed\"/></g></svg>\n</svg>\n");
    Some(text)
}

fn name_edge(edge: Edge) -> &'static str {
    match edge {
        Edge::Left => "left",
        Edge::Top => "top",
        Edge::Right => "right",
        Edge::Bottom => "bottom",
    }
}

pub(crate) fn write_figure(scene: &Scene, class: &str) -> String {
    let mut text = String::with_capacity(estimate_length(scene));
    text.push_str("<svg xmlns=\"http://www.w3.org/2000/svg\" aria-hidden=\"true\" class=\"");
    push_escaped(&mut text, class);
    text.push('"');
    push_view_box(&mut text, scene);
    push_shapes(&mut text, scene);
    text.push_str("</svg>");
    text
}

fn estimate_length(scene: &Scene) -> usize {
    let strokes = scene.shapes.iter().flat_map(|shape| &shape.strokes);
    4096 + strokes.map(|stroke| scene.steps(*stroke).len()).sum::<usize>() * 32
}

/// Writes as [`push_view_box`], and tells scripts about the push.
fn push_view_box_with(text: &mut String, scene: &Scene, push: Option<(Area, Edge)>) {
    if let Some((Area { left, top, width, height }, edge)) = push {
        text.push_str(" data-push=\"");
        for number in [left, top, width, height] {
            push_decimal(text, grains(number));
            text.push(' ');
        }
        text.push_str(name_edge(edge));
        text.push('"');
    }
    push_view_box(text, scene);
}

fn push_view_box(text: &mut String, scene: &Scene) {
    text.push_str(" viewBox=\"0 0 ");
    push_decimal(text, grains(scene.width));
    text.push(' ');
    push_decimal(text, grains(scene.height));
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
    let mut writer = PathWriter::new(scene);
    for shape in &scene.shapes {
        push_shape(text, scene, shape, &mut writer);
    }
    text.push_str("</g>\n");
}

fn push_link(text: &mut String, link: &Link, spot: &Spot) {
    match &link.href {
        Some(href) => {
            text.push_str(match link.target {
                Target::Place => "<a class=\"spot\" href=\"",
                Target::Claim => "<a class=\"spot claim\" href=\"",
            });
            push_escaped(text, href);
        }
        None => text.push_str("<g class=\"spot taken"),
    }
    text.push_str("\" data-spot=\"");
    push_escaped(text, &spot.name);
    text.push_str("\"><title>");
    push_escaped(text, &link.label);
    text.push_str("</title>");
    if link.href.is_some() {
        text.push_str("<rect class=\"reach\"");
        push_area(text, spot.reach);
        text.push_str("/>");
    }
    text.push_str("<rect rx=\"3\"");
    push_area(text, spot.area);
    text.push_str(if link.href.is_some() { "/></a>\n" } else { "/></g>\n" });
}

fn push_area(text: &mut String, area: Area) {
    attribute(text, "x", area.left);
    attribute(text, "y", area.top);
    attribute(text, "width", area.width);
    attribute(text, "height", area.height);
}

fn push_shape(text: &mut String, scene: &Scene, shape: &Shape, writer: &mut PathWriter) {
    text.push_str("<path");
    if let Some(class) = shape.class {
        text.push_str(" class=\"");
        text.push_str(class);
        text.push('"');
    }
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
    for stroke in &shape.strokes {
        writer.write_stroke(text, scene, *stroke);
    }
    text.push_str("\"/>\n");
}

fn attribute(text: &mut String, name: &str, value: f32) {
    text.push(' ');
    text.push_str(name);
    text.push_str("=\"");
    push_decimal(text, grains(value));
    text.push('"');
}

fn push_colour(text: &mut String, name: &str, colour: Colour) {
    text.push(' ');
    text.push_str(name);
    if let Some(variable) = name_colour(colour) {
        text.push_str("=\"var(--p-");
        text.push_str(variable);
        text.push_str(")\"");
        return;
    }
    text.push_str("=\"#");
    for channel in colour.channels() {
        for half in [channel >> 4, channel & 15] {
            text.push(char::from_digit(u32::from(half), 16).unwrap_or('0'));
        }
    }
    text.push('"');
}

/// Replaces characters that XML does not allow by question marks.
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
