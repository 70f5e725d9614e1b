//! Points, paths and curves.

use std::ops::{Add, Mul, Sub};

/// In units of the page: x to the right, y down.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Point {
    pub x: f32,
    pub y: f32,
}

pub(crate) const fn at(x: f32, y: f32) -> Point {
    Point { x, y }
}

impl Point {
    pub(crate) fn distance(self, other: Self) -> f32 {
        let (x, y) = (f64::from(self.x - other.x), f64::from(self.y - other.y));
        (x * x + y * y).sqrt() as f32
    }

    /// Interpolates: 0 is this point, 1 the other.
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

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub left: f32,
    pub top: f32,
    pub width: f32,
    pub height: f32,
}

impl Area {
    pub(crate) fn centre(self) -> Point {
        at(self.left + self.width / 2.0, self.top + self.height / 2.0)
    }

    pub(crate) fn right(self) -> f32 {
        self.left + self.width
    }

    pub(crate) fn bottom(self) -> f32 {
        self.top + self.height
    }

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
    pub(crate) fn line(from: Point, to: Point) -> Self {
        Self([from, from.toward(to, 1.0 / 3.0), from.toward(to, 2.0 / 3.0), to])
    }

    pub(crate) fn cut(self, part: f32) -> [Self; 2] {
        let [a, b, c, d] = self.0;
        let (ab, bc, cd) = (a.toward(b, part), b.toward(c, part), c.toward(d, part));
        let (abc, bcd) = (ab.toward(bc, part), bc.toward(cd, part));
        let middle = abc.toward(bcd, part);
        [Self([a, ab, abc, middle]), Self([middle, bcd, cd, d])]
    }

    pub(crate) const fn reversed(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([d, c, b, a])
    }

    /// The parameter, 0 to 1, at about this length from the start; accurate for short lengths.
    pub(crate) fn reach(self, length: f32) -> f32 {
        let speed = 3.0 * self.0[0].distance(self.0[1]);
        if speed > length { length / speed } else { 1.0 }
    }

    pub(crate) fn map(self, change: impl Fn(Point) -> Point) -> Self {
        Self(self.0.map(change))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Step<P = Point> {
    /// Begins a subpath without drawing.
    Move(P),
    Line(P),
    Curve(P, P, P),
    Close,
}

impl<P> Step<P> {
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

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Path {
    pub steps: Vec<Step>,
}

/// The control point distance of a curve that approximates a quarter of a circle with radius 1.
const QUARTER: f32 = 0.552_285;

impl Path {
    pub(crate) fn start(&mut self, point: Point) -> &mut Self {
        self.steps.push(Step::Move(point));
        self
    }

    pub(crate) fn line(&mut self, point: Point) -> &mut Self {
        self.steps.push(Step::Line(point));
        self
    }

    pub(crate) fn close(&mut self) -> &mut Self {
        self.steps.push(Step::Close);
        self
    }

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

    pub(crate) fn stroke(&mut self, from: Point, to: Point) -> &mut Self {
        self.start(from).line(to)
    }

    pub(crate) fn polyline(&mut self, corners: &[Point]) -> &mut Self {
        for (index, corner) in corners.iter().enumerate() {
            if index == 0 {
                self.start(*corner)
            } else {
                self.line(*corner)
            };
        }
        self
    }

    /// Draws a closed figure, clockwise.
    pub(crate) fn polygon(&mut self, corners: &[Point]) -> &mut Self {
        self.polyline(corners).close()
    }

    pub(crate) fn rectangle(&mut self, area: Area) -> &mut Self {
        let Area { left, top, .. } = area;
        self.polygon(&[
            at(left, top),
            at(area.right(), top),
            at(area.right(), area.bottom()),
            at(left, area.bottom()),
        ])
    }

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leave {
    Level,
    Upright,
}
