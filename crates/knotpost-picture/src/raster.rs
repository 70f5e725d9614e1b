//! A scene as PNG bytes, the same ones for the same scene.

use crate::{
    PictureError,
    geometry::{Path, Step},
    scene::{Colour, Ends, Paint, Scene},
};
use tiny_skia::{FillRule, LineCap, LineJoin, PathBuilder, Pixmap, Stroke, Transform};

/// The most pixels a picture may have.
const MOST_PIXELS: u32 = 16_000_000;

/// Draws the scene at this width.
pub(crate) fn draw(scene: &Scene, width_px: u32) -> Result<Vec<u8>, PictureError> {
    let scale = width_px as f32 / scene.width;
    let height_px = (scene.height * scale).ceil() as u32;
    if width_px.checked_mul(height_px).is_none_or(|pixels| pixels > MOST_PIXELS) {
        return Err(PictureError::Size { width: width_px, height: height_px });
    }
    let size = PictureError::Size { width: width_px, height: height_px };
    let mut pixmap = Pixmap::new(width_px, height_px).ok_or(size)?;
    for shape in &scene.shapes {
        paint(&mut pixmap, &shape.path, shape.paint, scale);
    }
    encode(&pixmap)
}

fn paint(pixmap: &mut Pixmap, path: &Path, paint: Paint, scale: f32) {
    let Some(outline) = outline(path) else { return };
    let transform = Transform::from_scale(scale, scale);
    match paint {
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

fn ink(colour: Colour) -> tiny_skia::Paint<'static> {
    let [red, green, blue] = colour.channels();
    let mut paint = tiny_skia::Paint::default();
    paint.set_color_rgba8(red, green, blue, u8::MAX);
    paint.anti_alias = true;
    paint
}

fn outline(path: &Path) -> Option<tiny_skia::Path> {
    let mut builder = PathBuilder::new();
    for step in &path.steps {
        match *step {
            Step::Move(to) => builder.move_to(to.x, to.y),
            Step::Line(to) => builder.line_to(to.x, to.y),
            Step::Curve(one, two, to) => builder.cubic_to(one.x, one.y, two.x, two.y, to.x, to.y),
            Step::Close => builder.close(),
        }
    }
    builder.finish()
}

/// Encodes without transparency, which boards do not have.
fn encode(pixmap: &Pixmap) -> Result<Vec<u8>, PictureError> {
    let rgb: Vec<u8> =
        pixmap.data().chunks_exact(4).flat_map(|pixel| pixel.iter().take(3).copied()).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixmap.width(), pixmap.height());
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Balanced);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&rgb)?;
    writer.finish()?;
    Ok(bytes)
}
