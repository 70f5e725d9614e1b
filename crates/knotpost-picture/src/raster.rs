//! Renders a scene as PNG; the same scene always gives the same bytes.

use crate::{
    PictureError,
    geometry::Step,
    scene::{Colour, Dot, Ends, Paint, Scene, Shape},
};
use foldhash::{HashMap, HashSet};
use std::cmp::Reverse;
use tiny_skia::{FillRule, LineCap, LineJoin, PathBuilder, Pixmap, PremultipliedColorU8, Stroke, Transform};

/// The most pixels of a picture.
const MOST_PIXELS: u32 = 16_000_000;

/// Draws the scene at this width.
pub(crate) fn draw(scene: &Scene, width_px: u32) -> Result<Vec<u8>, PictureError> {
    let scale = width_px as f32 / scene.width;
    let height_px = (scene.height * scale).ceil() as u32;
    let is_small = width_px.checked_mul(height_px).is_some_and(|pixels| pixels <= MOST_PIXELS);
    let pixmap = is_small.then(|| Pixmap::new(width_px, height_px)).flatten();
    let mut pixmap = pixmap.ok_or(PictureError::Size { width: width_px, height: height_px })?;
    paint(&mut pixmap, scene, Transform::from_scale(scale, scale));
    encode(&pixmap)
}

/// Draws the scene centred and as large as it fits on a page of the given size and colour.
pub(crate) fn draw_within(
    scene: &Scene,
    (width, height): (u32, u32),
    ground: Colour,
) -> Result<Vec<u8>, PictureError> {
    let mut pixmap = Pixmap::new(width, height).ok_or(PictureError::Size { width, height })?;
    let [red, green, blue] = ground.channels();
    pixmap.fill(tiny_skia::Color::from_rgba8(red, green, blue, u8::MAX));
    let scale = (width as f32 / scene.width).min(height as f32 / scene.height);
    let left = (width as f32 - scene.width * scale) / 2.0;
    let top = (height as f32 - scene.height * scale) / 2.0;
    paint(&mut pixmap, scene, Transform::from_scale(scale, scale).post_translate(left, top));
    encode(&pixmap)
}

fn paint(pixmap: &mut Pixmap, scene: &Scene, transform: Transform) {
    for shape in &scene.shapes {
        let Some(outline) = outline(scene, shape) else { continue };
        match shape.paint {
            Paint::Fill(colour) => {
                pixmap.fill_path(&outline, &ink(colour), FillRule::Winding, transform, None);
            }
            Paint::Stroke { colour, width, ends } => {
                let line_cap = if ends == Ends::Round { LineCap::Round } else { LineCap::Butt };
                let stroke = Stroke { width, line_cap, line_join: LineJoin::Round, ..Stroke::default() };
                pixmap.stroke_path(&outline, &ink(colour), &stroke, transform, None);
            }
        }
    }
}

fn ink(colour: Colour) -> tiny_skia::Paint<'static> {
    let [red, green, blue] = colour.channels();
    let mut paint = tiny_skia::Paint::default();
    paint.set_color_rgba8(red, green, blue, u8::MAX);
    paint.anti_alias = true;
    paint
}

fn outline(scene: &Scene, shape: &Shape) -> Option<tiny_skia::Path> {
    let mut builder = PathBuilder::new();
    for step in shape.strokes.iter().flat_map(|stroke| scene.steps(*stroke)) {
        match step.map(Dot::point) {
            Step::Move(to) => builder.move_to(to.x, to.y),
            Step::Line(to) => builder.line_to(to.x, to.y),
            Step::Curve(one, two, to) => builder.cubic_to(one.x, one.y, two.x, two.y, to.x, to.y),
            Step::Close => builder.close(),
        }
    }
    builder.finish()
}

/// Draws the scenes one after the other as an animation without an end (APNG), at this width and on a ground of this colour.
/// Programs that show still pictures alone show the last one.
///
/// All have one palette, which is chosen by the first, the middle and the last. Of each scene only the part is stored that
/// differs from the one before.
pub(crate) fn animate(
    scenes: &[Scene],
    width_px: u32,
    ground: Colour,
    [usual, last]: [u16; 2],
) -> Result<Vec<u8>, PictureError> {
    let scale = width_px as f32 / scenes.first().map_or(1.0, |scene| scene.width);
    let height = scenes.iter().map(|scene| scene.height).fold(1.0, f32::max);
    let size = (width_px, (height * scale).ceil() as u32);
    let too_large = PictureError::Size { width: size.0, height: size.1 };
    let is_small = size.0.checked_mul(size.1).is_some_and(|pixels| pixels <= MOST_PIXELS);
    let pixmap = is_small.then(|| Pixmap::new(size.0, size.1)).flatten();
    let (mut pixmap, [red, green, blue]) = (pixmap.ok_or(too_large)?, ground.channels());
    let mut draw = |scene: &Scene| {
        pixmap.fill(tiny_skia::Color::from_rgba8(red, green, blue, u8::MAX));
        paint(&mut pixmap, scene, Transform::from_scale(scale, scale));
        runs(pixmap.pixels())
    };
    let samples = [0, scenes.len() / 2, scenes.len().saturating_sub(1)];
    let mut sampled: Vec<(u32, usize)> = Vec::new();
    for scene in samples.into_iter().filter_map(|sample| scenes.get(sample)) {
        sampled.extend(draw(scene));
    }
    let mut table = Table::of(&count(&sampled), size.0 as usize * size.1 as usize);
    let mut bytes = Vec::new();
    let mut encoder = table.encoder(&mut bytes, size);
    encoder.set_animated(scenes.len() as u32, 0)?;
    encoder.set_sep_def_img(true)?;
    let mut writer = encoder.write_header()?;
    let row = size.0 as usize;
    let still = scenes.last().map(|scene| table.places(&draw(scene))).unwrap_or_default();
    writer.write_image_data(&table.pack(&still, row))?;
    let mut before: Vec<u8> = Vec::new();
    for (number, scene) in scenes.iter().enumerate() {
        let places = table.places(&draw(scene));
        let [left, top, width, height] = difference(&before, &places, row);
        let rows = places.chunks(row).skip(top).take(height);
        let part: Vec<u8> = rows.flat_map(|row| row.iter().skip(left).take(width)).copied().collect();
        writer.set_frame_position(0, 0)?;
        writer.set_frame_dimension(width as u32, height as u32)?;
        writer.set_frame_position(left as u32, top as u32)?;
        writer.set_frame_delay(if number + 1 == scenes.len() { last } else { usual }, 1000)?;
        writer.write_image_data(&table.pack(&part, width))?;
        before = places;
    }
    writer.finish()?;
    Ok(bytes)
}

/// The smallest rectangle (left, top, width, height) that holds all pixels that differ; one pixel where none does, and all
/// where there are none before.
fn difference(before: &[u8], after: &[u8], row: usize) -> [usize; 4] {
    if before.len() != after.len() {
        return [0, 0, row, after.len() / row.max(1)];
    }
    let differs = |(old, new): (&[u8], &[u8])| old != new;
    let mut rows = before.chunks(row).zip(after.chunks(row));
    let Some(top) = rows.position(differs) else { return [0, 0, 1, 1] };
    let bottom = before.chunks(row).zip(after.chunks(row)).rposition(differs).unwrap_or(top);
    let (mut left, mut right) = (row, 0);
    for (old, new) in before.chunks(row).zip(after.chunks(row)).skip(top).take(bottom - top + 1) {
        let mut pairs = old.iter().zip(new);
        left = left.min(pairs.position(|(old, new)| old != new).unwrap_or(row));
        right = right.max(old.iter().zip(new).rposition(|(old, new)| old != new).unwrap_or_default());
    }
    [left, top, right + 1 - left, bottom + 1 - top]
}

/// Encodes the pixels as indices into a small palette without transparency.
fn encode(pixmap: &Pixmap) -> Result<Vec<u8>, PictureError> {
    let runs = runs(pixmap.pixels());
    let mut table = Table::of(&count(&runs), pixmap.pixels().len());
    let places = table.places(&runs);
    let mut bytes = Vec::new();
    let mut writer = table.encoder(&mut bytes, (pixmap.width(), pixmap.height())).write_header()?;
    writer.write_image_data(&table.pack(&places, pixmap.width() as usize))?;
    writer.finish()?;
    Ok(bytes)
}

/// Indices of four bits, two in a byte; each row begins a byte.
fn two_a_byte(places: &[u8], width: usize) -> Vec<u8> {
    let pairs = places.chunks(width).flat_map(|row| row.chunks(2));
    pairs.map(|pair| pair.iter().zip([4, 0]).fold(0, |byte, (place, shift)| byte | place << shift)).collect()
}

/// A palette, and the palette index of each colour that was looked for.
struct Table {
    colours: Vec<u32>,
    nearest: HashMap<u32, u8>,
}

impl Table {
    /// Large areas keep their exact colours. The many rare blends at edges get the nearest colour of a palette that has the
    /// most frequent one of each region of the colour space.
    fn of(counts: &[(u32, usize)], pixels: usize) -> Self {
        let few = Self::choose(counts, FEW_COLOURS);
        let area = pixels / AREA_SHARE;
        let suffices = counts.iter().all(|(colour, count)| {
            let allowed = if *count >= area { BARELY_SEEN } else { STILL_ALIKE };
            few.iter().any(|known| distance(*colour, *known) <= allowed)
        });
        let colours = if suffices { few } else { Self::choose(counts, MANY_COLOURS) };
        Self { colours, nearest: HashMap::default() }
    }

    /// The palette index of each pixel.
    fn places(&mut self, runs: &[(u32, usize)]) -> Vec<u8> {
        let mut places = Vec::with_capacity(runs.iter().map(|(_, length)| length).sum());
        for (colour, length) in runs {
            let place = self.nearest.entry(*colour).or_insert_with(|| find_nearest(*colour, &self.colours));
            places.resize(places.len() + length, *place);
        }
        places
    }

    fn is_halved(&self) -> bool {
        self.colours.len() <= FEW_COLOURS
    }

    /// An encoder of pictures with this palette.
    fn encoder<'a>(
        &self,
        bytes: &'a mut Vec<u8>,
        (width, height): (u32, u32),
    ) -> png::Encoder<'a, &'a mut Vec<u8>> {
        let mut encoder = png::Encoder::new(bytes, width, height);
        encoder.set_depth(if self.is_halved() { png::BitDepth::Four } else { png::BitDepth::Eight });
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_palette(
            self.colours.iter().flat_map(|colour| Colour(*colour).channels()).collect::<Vec<u8>>(),
        );
        encoder.set_deflate_compression(png::DeflateCompression::Level(LEVEL));
        encoder.set_filter(png::Filter::NoFilter);
        encoder
    }

    /// The bytes of rows of this width.
    fn pack(&self, places: &[u8], width: usize) -> Vec<u8> {
        if self.is_halved() { two_a_byte(places, width) } else { places.to_vec() }
    }

    /// A palette of at most this many colours.
    fn choose(counts: &[(u32, usize)], most: usize) -> Vec<u32> {
        let mut colours: Vec<u32> = Vec::new();
        for coarseness in 0..8 {
            let mut regions = HashSet::default();
            let by_count = counts.iter().map(|(colour, _)| *colour);
            colours = by_count.filter(|colour| regions.insert(blur(*colour, coarseness))).collect();
            if colours.len() <= most {
                break;
            }
        }
        let room = most.saturating_sub(colours.len());
        let held: HashSet<u32> = colours.iter().copied().collect();
        let rest = counts.iter().map(|(colour, _)| *colour).filter(|colour| !held.contains(colour));
        colours.extend(rest.take(room));
        colours
    }
}

/// The colours of a palette with four bits for a pixel, which saves a third of the bytes.
const FEW_COLOURS: usize = 16;

/// The most colours of a palette with eight bits for a pixel. Eight times as many would be possible, and would change only
/// the size of the file.
const MANY_COLOURS: usize = 32;

/// A colour is an area when it has one of this many pixels.
const AREA_SHARE: usize = 1000;

/// A [`distance`] that is barely seen in an area.
const BARELY_SEEN: u32 = 400;

/// A [`distance`] at which small things still have their colour.
const STILL_ALIKE: u32 = 3000;

/// Compression level: level 6 takes nearly twice as long and saves 4 %, level 2 is a fifth faster and loses 10 %.
const LEVEL: u8 = 4;

/// The pixels as runs of one colour, each with its length.
fn runs(pixels: &[PremultipliedColorU8]) -> Vec<(u32, usize)> {
    let coloured = |run: &[PremultipliedColorU8]| {
        let first = run.first()?;
        Some((u32::from_be_bytes([0, first.red(), first.green(), first.blue()]), run.len()))
    };
    pixels.chunk_by(|one, next| one == next).filter_map(coloured).collect()
}

/// All colours and how many pixels have them, the most frequent first.
fn count(runs: &[(u32, usize)]) -> Vec<(u32, usize)> {
    let mut counts: HashMap<u32, usize> = HashMap::default();
    for (colour, length) in runs {
        *counts.entry(*colour).or_default() += length;
    }
    let mut counts: Vec<(u32, usize)> = counts.into_iter().collect();
    counts.sort_unstable_by_key(|(colour, count)| (Reverse(*count), *colour));
    counts
}

/// The distance of two colours: the sum of the squares.
fn distance(one: u32, other: u32) -> u32 {
    let channels = Colour(one).channels().into_iter().zip(Colour(other).channels());
    channels.map(|(one, other)| u32::from(one.abs_diff(other)).pow(2)).sum()
}

/// The index of the most similar colour, the first of several.
fn find_nearest(colour: u32, colours: &[u32]) -> u8 {
    let places = colours.iter().zip(0..=u8::MAX);
    places.min_by_key(|(other, _)| distance(colour, **other)).map_or(0, |(_, place)| place)
}

/// The colour without the low bits of its channels.
const fn blur(colour: u32, bits: u32) -> u32 {
    let channel = 0xff >> bits << bits;
    colour & (channel << 16 | channel << 8 | channel)
}
