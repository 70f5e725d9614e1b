//! A page as a list of painted paths. SVG and PNG are both made of it, so neither can show what the other does not.

use crate::{
    geometry::{Path, Point, Step},
    spots::Spot,
};

/// A colour without transparency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Colour(pub u32);

impl Colour {
    /// Red, green, blue.
    pub(crate) const fn channels(self) -> [u8; 3] {
        let [_, red, green, blue] = self.0.to_be_bytes();
        [red, green, blue]
    }
}

/// How the ends of a stroke look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// Cut off.
    Flat,
    /// Half a circle.
    Round,
}

/// How a path becomes visible.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Paint {
    /// The inside.
    Fill(Colour),
    /// The line itself, with round joins.
    Stroke { colour: Colour, width: f32, ends: Ends },
}

/// A path with its paint.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    pub path: Path,
    pub paint: Paint,
}

/// A page; later shapes lie upon earlier ones.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scene {
    pub width: f32,
    pub height: f32,
    pub shapes: Vec<Shape>,
    pub spots: Vec<Spot>,
}

impl Scene {
    /// An empty page of this width; the height grows with what is laid out.
    pub(crate) const fn new(width: f32) -> Self {
        Self { width, height: 0.0, shapes: Vec::new(), spots: Vec::new() }
    }

    /// Paints the inside of a path.
    pub(crate) fn fill(&mut self, path: Path, colour: Colour) {
        self.add(path, Paint::Fill(colour));
    }

    /// Paints a path as a line with round ends.
    pub(crate) fn stroke(&mut self, path: Path, colour: Colour, width: f32) {
        self.add(path, Paint::Stroke { colour, width: round(width), ends: Ends::Round });
    }

    /// Paints a path as a line that is cut off at its ends.
    pub(crate) fn stroke_flat(&mut self, path: Path, colour: Colour, width: f32) {
        self.add(path, Paint::Stroke { colour, width: round(width), ends: Ends::Flat });
    }

    /// Adds a shape, to the last one if that has the same paint. Coordinates are rounded to what is written in SVG.
    fn add(&mut self, mut path: Path, paint: Paint) {
        for step in &mut path.steps {
            *step = match *step {
                Step::Move(to) => Step::Move(snap(to)),
                Step::Line(to) => Step::Line(snap(to)),
                Step::Curve(one, two, to) => Step::Curve(snap(one), snap(two), snap(to)),
                Step::Close => Step::Close,
            };
        }
        match self.shapes.last_mut() {
            _ if path.steps.is_empty() => {}
            Some(last) if last.paint == paint => last.path.steps.append(&mut path.steps),
            _ => self.shapes.push(Shape { path, paint }),
        }
    }
}

/// Parts of a unit that are told apart.
pub(crate) const GRAIN: f32 = 100.0;

/// The nearest number that SVG and PNG agree on.
pub(crate) fn round(number: f32) -> f32 {
    (number * GRAIN).round() / GRAIN
}

fn snap(Point { x, y }: Point) -> Point {
    Point { x: round(x), y: round(y) }
}
