//! A page as a list of painted paths, the common source of SVG and PNG, so that they cannot differ.

use crate::{
    geometry::{Area, Path, Point, Step},
    spots::Spot,
};
use knotpost_rules::view::Edge;

/// Without transparency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Colour(pub u32);

impl Colour {
    pub(crate) const fn channels(self) -> [u8; 3] {
        let [_, red, green, blue] = self.0.to_be_bytes();
        [red, green, blue]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    Flat,
    Round,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Paint {
    /// Fills the inside.
    Fill(Colour),
    /// With round joins.
    Stroke { colour: Colour, width: f32, ends: Ends },
}

impl Paint {
    pub(crate) fn line(colour: Colour, width: f32) -> Self {
        Self::Stroke { colour, width: round(width), ends: Ends::Round }
    }

    pub(crate) fn flat(colour: Colour, width: f32) -> Self {
        Self::Stroke { colour, width: round(width), ends: Ends::Flat }
    }
}

/// A point on the page in integer grains, the common resolution of SVG and PNG.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dot {
    pub x: i32,
    pub y: i32,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    pub strokes: Vec<usize>,
    pub paint: Paint,
    pub class: Option<&'static str>,
}

/// Later shapes cover earlier ones.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scene {
    pub width: f32,
    pub height: f32,
    pub shapes: Vec<Shape>,
    pub spots: Vec<Spot>,
    pub class: Option<&'static str>,
    pub push: Option<(Area, Edge)>,
    steps: Vec<Step<Dot>>,
    ends: Vec<usize>,
}

impl Scene {
    pub(crate) const fn new(width: f32) -> Self {
        Self {
            width,
            height: 0.0,
            shapes: Vec::new(),
            spots: Vec::new(),
            class: None,
            push: None,
            steps: Vec::new(),
            ends: Vec::new(),
        }
    }

    pub(crate) fn fill(&mut self, path: &Path, colour: Colour) {
        self.paint(path, &[Paint::Fill(colour)]);
    }

    /// Paints a line with round ends.
    pub(crate) fn stroke(&mut self, path: &Path, colour: Colour, width: f32) {
        self.paint(path, &[Paint::line(colour, width)]);
    }

    /// Paints a path several times, each over the one before.
    pub(crate) fn paint(&mut self, path: &Path, paints: &[Paint]) {
        let kept = self.keep(path.steps.iter().copied());
        for paint in paints {
            self.follow(kept, *paint);
        }
    }

    /// Adds a stroke without painting it, its coordinates rounded as in SVG; it begins with a move. `None` for an
    /// empty path.
    pub(crate) fn keep(&mut self, steps: impl IntoIterator<Item = Step>) -> Option<usize> {
        let start = self.steps.len();
        self.steps.extend(steps.into_iter().map(|step| step.map(snap)));
        if self.steps.len() == start {
            return None;
        }
        self.ends.push(self.steps.len());
        Some(self.ends.len() - 1)
    }

    /// Paints an added stroke, as part of the last shape if that has the same paint.
    pub(crate) fn follow(&mut self, stroke: Option<usize>, paint: Paint) {
        let Some(stroke) = stroke else { return };
        match self.shapes.last_mut() {
            Some(last) if last.paint == paint && last.class == self.class => last.strokes.push(stroke),
            _ => self.shapes.push(Shape { strokes: vec![stroke], paint, class: self.class }),
        }
    }

    pub(crate) const fn strokes(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn steps(&self, stroke: usize) -> &[Step<Dot>] {
        let start = stroke.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(stroke).copied().unwrap_or(start);
        self.steps.get(start..end).unwrap_or_default()
    }
}

/// Grains in a unit of the page.
const GRAIN: f32 = 100.0;

pub(crate) fn round(number: f32) -> f32 {
    grains(number) as f32 / GRAIN
}

/// Halves are rounded away from zero; the sum is exact, so that nothing is rounded twice.
pub(crate) fn grains(number: f32) -> i32 {
    let grains = f64::from(number * GRAIN);
    (grains + 0.5_f64.copysign(grains)) as i32
}

fn snap(Point { x, y }: Point) -> Dot {
    Dot { x: grains(x), y: grains(y) }
}

impl Dot {
    pub(crate) fn point(self) -> Point {
        Point { x: self.x as f32 / GRAIN, y: self.y as f32 / GRAIN }
    }
}
