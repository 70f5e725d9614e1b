//! The pixels: size, reproducibility, and agreement with an independent rendering of the SVG.

use crate::boards;
use knotpost_picture::{
    CARD, Faces, MAIL_WIDTH, MOST_SHOWN, PictureError, PictureOptions, Theme, card, png, shown_width, svg,
};
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
            assert!(worst <= 96 && mean < 3.0, "{name} {theme}: worst {worst}, mean {mean}");
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
        assert!(bytes.len() < 30_000, "{name}: {} bytes", bytes.len());
        assert_eq!(bytes, png(&view, &PictureOptions::default()).unwrap(), "{name}");
    }
}

#[test]
fn pictures_are_shown_as_wide_as_the_cells_need_and_those_of_mails_are_light() {
    let width =
        |name: &str| boards::many().iter().find(|(its, _)| *its == name).map(|(_, view)| shown_width(view));
    assert_eq!(width("osbox start"), Some(360));
    assert_eq!(width("osbox largest"), Some(MOST_SHOWN));
    assert!(width("osbo of four") > Some(360) && width("boxilies start") > Some(360));
    for (name, view) in boards::many() {
        let options =
            PictureOptions { width_px: MAIL_WIDTH, faces: Faces::Explained, ..PictureOptions::default() };
        let bytes = png(&view, &options).unwrap();
        assert!(bytes.len() < 80_000, "{name}: {} bytes", bytes.len());
        let (drawn, height, pixels) = decode(&bytes);
        assert_eq!(drawn, u32::from(MAIL_WIDTH), "{name}");
        let last = &pixels[pixels.len() - 3 * drawn as usize..];
        assert!(last.chunks_exact(3).all(|pixel| pixel == &pixels[..3]), "{name}: line {height} is ground");
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

#[test]
fn the_ends_of_a_lone_tip_stay_apart() {
    let options = PictureOptions { width_px: 720, ..PictureOptions::default() };
    let view = boards::view("osbox -size=2", 2, "a./.. 1 0-0", "");
    let (width, _, pixels) = decode(&png(&view, &options).unwrap());
    let loose = [0xc9, 0xc3, 0xb6];
    let lines: Vec<&[u8]> = pixels.chunks_exact(3 * width as usize).collect();
    let lowest = lines.iter().rev().find(|line| line.chunks_exact(3).any(|pixel| pixel == loose)).unwrap();
    let columns: Vec<usize> =
        lowest.chunks_exact(3).enumerate().filter(|(_, pixel)| *pixel == loose).map(|(at, _)| at).collect();
    let gap = columns.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
    // A cell is 136 pixels wide.
    assert!(gap > 25, "the ends are {gap} pixels apart");
}
