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

/// Encodes the pixels as indices into a small palette without transparency.
fn encode(pixmap: &Pixmap) -> Result<Vec<u8>, PictureError> {
    let Table { colours, places } = Table::of(pixmap.pixels());
    let halved = colours.len() <= FEW_COLOURS;
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixmap.width(), pixmap.height());
    encoder.set_depth(if halved { png::BitDepth::Four } else { png::BitDepth::Eight });
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_palette(colours.iter().flat_map(|colour| Colour(*colour).channels()).collect::<Vec<u8>>());
    encoder.set_deflate_compression(png::DeflateCompression::Level(LEVEL));
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header()?;
    if halved {
        writer.write_image_data(&two_a_byte(&places, pixmap.width() as usize))?;
    } else {
        writer.write_image_data(&places)?;
    }
    writer.finish()?;
    Ok(bytes)
}

/// Indices of four bits, two in a byte; each row begins a byte.
fn two_a_byte(places: &[u8], width: usize) -> Vec<u8> {
    let pairs = places.chunks(width).flat_map(|row| row.chunks(2));
    pairs.map(|pair| pair.iter().zip([4, 0]).fold(0, |byte, (place, shift)| byte | place << shift)).collect()
}

/// A palette, and the palette index of each pixel.
struct Table {
    colours: Vec<u32>,
    places: Vec<u8>,
}

impl Table {
    /// Large areas keep their exact colours. The many rare blends at edges get the nearest colour of a palette that has the
    /// most frequent one of each region of the colour space.
    fn of(pixels: &[PremultipliedColorU8]) -> Self {
        let runs = runs(pixels);
        let counts = count(&runs);
        let few = Self::choose(&counts, FEW_COLOURS);
        let area = pixels.len() / AREA_SHARE;
        let suffices = counts.iter().all(|(colour, count)| {
            let allowed = if *count >= area { BARELY_SEEN } else { STILL_ALIKE };
            few.iter().any(|known| distance(*colour, *known) <= allowed)
        });
        let colours = if suffices { few } else { Self::choose(&counts, MANY_COLOURS) };
        let nearest: HashMap<u32, u8> =
            counts.into_iter().map(|(colour, _)| (colour, find_nearest(colour, &colours))).collect();
        let mut places = Vec::with_capacity(pixels.len());
        for (colour, length) in runs {
            places.resize(places.len() + length, nearest.get(&colour).copied().unwrap_or_default());
        }
        Self { colours, places }
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
