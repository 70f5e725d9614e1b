//! The pixels: size, reproducibility, and agreement with an independent rendering of the SVG.

use crate::boards;
use knotpost_picture::{CARD, PictureError, PictureOptions, Theme, card, png, svg};
use knotpost_rules::View;
use resvg::{tiny_skia, usvg};

/// Width, height and RGB of a PNG.
fn decode(bytes: &[u8]) -> (u32, u32, Vec<u8>) {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb);
    pixels.truncate(info.buffer_size());
    (info.width, info.height, pixels)
}

/// The SVG as resvg draws it.
fn render(view: &View, options: &PictureOptions) -> (u32, u32, Vec<u8>) {
    let tree = usvg::Tree::from_str(&svg(view, options), &usvg::Options::default()).unwrap();
    let size = tree.size().to_int_size();
    let mut pixmap = tiny_skia::Pixmap::new(size.width(), size.height()).unwrap();
    resvg::render(&tree, tiny_skia::Transform::default(), &mut pixmap.as_mut());
    let rgb = pixmap.data().chunks_exact(4).flat_map(|pixel| pixel[..3].to_vec()).collect();
    (size.width(), size.height(), rgb)
}

#[test]
fn png_shows_what_the_svg_shows() {
    for (name, view) in boards::many() {
        for theme in [Theme::Light, Theme::Dark] {
            let options = PictureOptions { theme, ..PictureOptions::default() };
            let (width, height, ours) = decode(&png(&view, &options).unwrap());
            let (their_width, their_height, theirs) = render(&view, &options);
            assert_eq!((width, height), (their_width, their_height), "{name}");
            let apart = |(one, other): (&u8, &u8)| u64::from(one.abs_diff(*other));
            let worst = ours.iter().zip(&theirs).map(apart).max().unwrap();
            let sum: u64 = ours.iter().zip(&theirs).map(apart).sum();
            let mean = sum as f64 / ours.len() as f64;
            // Only the palette may make a difference.
            assert!(worst <= 96 && mean < 2.0, "{name} {theme}: worst {worst}, mean {mean}");
        }
    }
}

#[test]
fn size_is_as_asked_for() {
    let view = boards::capture();
    for width in [90, 360, 501] {
        let options = PictureOptions { width_px: width, ..PictureOptions::default() };
        let (drawn, height, _) = decode(&png(&view, &options).unwrap());
        assert_eq!(drawn, u32::from(width));
        let (_, svg_height, _) = render(&view, &options);
        assert_eq!(height, svg_height);
    }
}

#[test]
fn impossible_sizes_are_refused() {
    let view = boards::capture();
    for width in [0, u16::MAX] {
        let options = PictureOptions { width_px: width, ..PictureOptions::default() };
        assert!(matches!(png(&view, &options), Err(PictureError::Size { .. })), "{width}");
    }
}

#[test]
fn pictures_are_small_and_always_the_same_bytes() {
    for (name, view) in boards::many() {
        let bytes = png(&view, &PictureOptions::default()).unwrap();
        assert!(bytes.len() < 25_000, "{name}: {} bytes", bytes.len());
        assert_eq!(bytes, png(&view, &PictureOptions::default()).unwrap(), "{name}");
    }
}

#[test]
fn a_card_holds_the_whole_board_in_its_middle() {
    for (name, view) in boards::many().into_iter().step_by(4) {
        let (width, height, pixels) = decode(&card(&view, Theme::Dark).unwrap());
        assert_eq!((width, height), CARD, "{name}");
        let lines: Vec<&[u8]> = pixels.chunks_exact(3 * width as usize).collect();
        let ground = &pixels[..3];
        let is_bare = |line: &[u8]| line.chunks_exact(3).all(|pixel| pixel == ground);
        assert!(is_bare(lines[0]) && is_bare(lines[lines.len() - 1]), "{name} touches the edge");
        assert!(lines.iter().any(|line| !is_bare(line)), "{name} is there");
        for line in &lines {
            assert!(line.starts_with(ground) && line.ends_with(ground), "{name} touches the edge");
        }
    }
}
