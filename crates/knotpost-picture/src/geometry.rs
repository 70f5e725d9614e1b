//! Points, paths and curves. This module does not know what is drawn with them.

use std::ops::{Add, Mul, Sub};

/// A point on the page: x to the right, y down, in units of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Point {
    pub x: f32,
    pub y: f32,
}

/// Shorthand for a point.
pub(crate) const fn at(x: f32, y: f32) -> Point {
    Point { x, y }
}

impl Point {
    /// The distance to another point.
    pub(crate) fn distance(self, other: Self) -> f32 {
        let (x, y) = (f64::from(self.x - other.x), f64::from(self.y - other.y));
        (x * x + y * y).sqrt() as f32
    }

    /// Interpolates towards another point: 0 is this one, 1 the other.
    pub(crate) fn toward(self, other: Self, part: f32) -> Self {
        self + (other - self) * part
    }
}

impl Add for Point {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        at(self.x + other.x, self.y + other.y)
    }
}

impl Sub for Point {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        at(self.x - other.x, self.y - other.y)
    }
}

impl Mul<f32> for Point {
    type Output = Self;

    fn mul(self, factor: f32) -> Self {
        at(self.x * factor, self.y * factor)
    }
}

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub left: f32,
    pub top: f32,
    pub width: f32,
    pub height: f32,
}

impl Area {
    /// The centre.
    pub(crate) fn centre(self) -> Point {
        at(self.left + self.width / 2.0, self.top + self.height / 2.0)
    }

    /// The x coordinate of the right side.
    pub(crate) fn right(self) -> f32 {
        self.left + self.width
    }

    /// The y coordinate of the lower side.
    pub(crate) fn bottom(self) -> f32 {
        self.top + self.height
    }

    /// The rectangle shrunk by this much on every side.
    pub(crate) fn inset(self, by: f32) -> Self {
        Self {
            left: self.left + by,
            top: self.top + by,
            width: self.width - 2.0 * by,
            height: self.height - 2.0 * by,
        }
    }
}

/// A cubic Bézier curve: start, two control points, end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cubic(pub [Point; 4]);

impl Cubic {
    /// A straight line.
    pub(crate) fn line(from: Point, to: Point) -> Self {
        Self([from, from.toward(to, 1.0 / 3.0), from.toward(to, 2.0 / 3.0), to])
    }

    /// Splits the curve at a parameter from 0 to 1.
    pub(crate) fn cut(self, part: f32) -> [Self; 2] {
        let [a, b, c, d] = self.0;
        let (ab, bc, cd) = (a.toward(b, part), b.toward(c, part), c.toward(d, part));
        let (abc, bcd) = (ab.toward(bc, part), bc.toward(cd, part));
        let middle = abc.toward(bcd, part);
        [Self([a, ab, abc, middle]), Self([middle, bcd, cd, d])]
    }

    /// The same curve in the opposite direction.
    pub(crate) const fn reversed(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([d, c, b, a])
    }

    /// The parameter, 0 to 1, at about this length from the start; accurate for short lengths.
    pub(crate) fn reach(self, length: f32) -> f32 {
        let speed = 3.0 * self.0[0].distance(self.0[1]);
        if speed > length { length / speed } else { 1.0 }
    }

    /// The curve with all its points mapped.
    pub(crate) fn map(self, change: impl Fn(Point) -> Point) -> Self {
        Self(self.0.map(change))
    }
}

/// A path command; each begins at the current point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Step<P = Point> {
    /// Move without drawing: begins a subpath.
    Move(P),
    /// A straight line.
    Line(P),
    /// A curve: two control points and the end.
    Curve(P, P, P),
    /// Close the subpath: a line back to its start.
    Close,
}

impl<P> Step<P> {
    /// The same command with its points mapped.
    #[inline]
    pub(crate) fn map<Q>(self, change: impl Fn(P) -> Q) -> Step<Q> {
        match self {
            Self::Move(to) => Step::Move(change(to)),
            Self::Line(to) => Step::Line(change(to)),
            Self::Curve(one, two, to) => Step::Curve(change(one), change(two), change(to)),
            Self::Close => Step::Close,
        }
    }
}

/// A path of one or more subpaths.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Path {
    pub steps: Vec<Step>,
}

/// The control point distance of a curve that approximates a quarter of a circle with radius 1.
const QUARTER: f32 = 0.552_285;

impl Path {
    /// Begins a subpath at this point.
    pub(crate) fn start(&mut self, point: Point) -> &mut Self {
        self.steps.push(Step::Move(point));
        self
    }

    /// Draws a line.
    pub(crate) fn line(&mut self, point: Point) -> &mut Self {
        self.steps.push(Step::Line(point));
        self
    }

    /// Closes the subpath with a line back to its start.
    pub(crate) fn close(&mut self) -> &mut Self {
        self.steps.push(Step::Close);
        self
    }

    /// Draws connected curves.
    pub(crate) fn curves(&mut self, curves: impl IntoIterator<Item = Cubic>) -> &mut Self {
        for (index, Cubic([from, one, other, to])) in curves.into_iter().enumerate() {
            if index == 0 {
                self.start(from);
            }
            self.bend(one, other, to);
        }
        self
    }

    /// Draws a dot as large as the stroke is wide.
    pub(crate) fn dot(&mut self, place: Point) -> &mut Self {
        self.stroke(place, place + at(0.01, 0.0))
    }

    /// Draws a straight stroke.
    pub(crate) fn stroke(&mut self, from: Point, to: Point) -> &mut Self {
        self.start(from).line(to)
    }

    /// Draws a closed figure with corners, clockwise.
    pub(crate) fn polygon(&mut self, corners: &[Point]) -> &mut Self {
        for (index, corner) in corners.iter().enumerate() {
            if index == 0 {
                self.start(*corner)
            } else {
                self.line(*corner)
            };
        }
        self.close()
    }

    /// Draws a rectangle.
    pub(crate) fn rectangle(&mut self, area: Area) -> &mut Self {
        let Area { left, top, .. } = area;
        self.polygon(&[
            at(left, top),
            at(area.right(), top),
            at(area.right(), area.bottom()),
            at(left, area.bottom()),
        ])
    }

    /// Draws a rectangle with round corners.
    pub(crate) fn rounded(&mut self, area: Area, radius: f32) -> &mut Self {
        let Area { left, top, .. } = area;
        let (right, bottom, handle) = (area.right(), area.bottom(), radius * (1.0 - QUARTER));
        self.start(at(left + radius, top)).line(at(right - radius, top));
        self.bend(at(right - handle, top), at(right, top + handle), at(right, top + radius));
        self.line(at(right, bottom - radius));
        self.bend(at(right, bottom - handle), at(right - handle, bottom), at(right - radius, bottom));
        self.line(at(left + radius, bottom));
        self.bend(at(left + handle, bottom), at(left, bottom - handle), at(left, bottom - radius));
        self.line(at(left, top + radius));
        self.bend(at(left, top + handle), at(left + handle, top), at(left + radius, top));
        self.close()
    }

    /// Draws a circle.
    pub(crate) fn circle(&mut self, centre: Point, radius: f32) -> &mut Self {
        let (r, h) = (radius, radius * QUARTER);
        let on = |x: f32, y: f32| centre + at(x, y);
        self.start(on(0.0, -r));
        self.bend(on(h, -r), on(r, -h), on(r, 0.0));
        self.bend(on(r, h), on(h, r), on(0.0, r));
        self.bend(on(-h, r), on(-r, h), on(-r, 0.0));
        self.bend(on(-r, -h), on(-h, -r), on(0.0, -r));
        self.close()
    }

    /// Draws a curve from the current point.
    pub(crate) fn bend(&mut self, one: Point, other: Point, to: Point) -> &mut Self {
        self.steps.push(Step::Curve(one, other, to));
        self
    }

    /// Draws a quarter of an ellipse from `from`, the current point, beginning horizontally or vertically.
    pub(crate) fn quarter(&mut self, from: Point, to: Point, leave: Leave) -> &mut Self {
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        let rest = 1.0 - QUARTER;
        match leave {
            Leave::Level => self.bend(at(from.x + dx * QUARTER, from.y), at(to.x, from.y + dy * rest), to),
            Leave::Upright => self.bend(at(from.x, from.y + dy * QUARTER), at(from.x + dx * rest, to.y), to),
        }
    }
}

/// The direction in which a quarter of an ellipse begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leave {
    /// Along x.
    Level,
    /// Along y.
    Upright,
}
