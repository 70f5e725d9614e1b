//! Boards as pictures: a view of the rules becomes SVG, and the same shapes become PNG.
//!
//! This crate draws views and must not know any game: dice become tiles with interlaced ribbons, tokens become marks on
//! pavements, stones show their arrows. It reads no files, needs no fonts and gives the same bytes for the same view on
//! every machine.

#![warn(missing_docs)]

mod chessmen;
mod emblem;
mod gain;
mod geometry;
mod glyphs;
mod key;
mod knots;
mod lettering;
mod margins;
mod page;
mod path_data;
mod raster;
mod reading;
mod scene;
mod shapes;
mod spots;
mod stones;
mod svg;
mod theme;
mod tokens;
pub mod weave;

use knotpost_rules::{View, knot::Face};
pub use page::shown_width;
pub use reading::{describe, name_face, summarize};
pub use spots::{Link, Target};
pub use theme::{ParseThemeError, Theme, variables};

/// Explanation of the faces of dice in a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Faces {
    /// The board alone: for pages that explain the faces themselves.
    #[default]
    Omitted,
    /// All faces with their letters, as long as the game goes on.
    Explained,
}

/// Options of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureOptions {
    /// Colours.
    pub theme: Theme,
    /// Width in pixels; the height follows.
    pub width_px: u16,
    /// Explanation, below the board, of the faces that moves name.
    pub faces: Faces,
    /// Subject, such as `Osbox board 101`: not drawn, but part of the text for screen readers.
    pub title: String,
}

impl Default for PictureOptions {
    fn default() -> Self {
        Self { theme: Theme::Light, width_px: 360, faces: Faces::Omitted, title: "Board".to_owned() }
    }
}

/// The error of a picture that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// Too many pixels.
    #[error("a picture of {width} by {height} pixels cannot be made")]
    Size {
        /// Pixels from left to right.
        width: u32,
        /// Pixels from top to bottom.
        height: u32,
    },
    /// A failure of the PNG encoder.
    #[error("the picture could not be encoded")]
    Encoding(#[from] png::EncodingError),
}

/// Draws a self-contained SVG document with title and description.
pub fn svg(view: &View, options: &PictureOptions) -> String {
    let scene = page::compose(view, options.theme.palette(), options.faces);
    svg::write(&scene, options.width_px.into(), &options.title, &describe(view))
}

/// Draws inline SVG of the class `picture` with links on its spots; a link to a spot that the view does not have is
/// left out. Colours are variables of the style sheet, see [`variables`].
pub fn linked_svg(view: &View, title: &str, links: &[Link]) -> String {
    let scene = page::compose_board(view, &theme::VARIABLES);
    svg::write_linked(&scene, title, &describe(view), links)
}

/// Draws as [`linked_svg`], without links, so that the style sheet can animate the last push; `None` if nothing was
/// pushed.
pub fn pushed_svg(view: &View, title: &str) -> Option<String> {
    svg::write_pushed(&page::compose_board(view, &theme::VARIABLES), title, &describe(view))
}

/// Draws a single die as inline SVG, hidden from screen readers because the text beside it names the face.
pub fn die_svg(face: Face, theme: Theme, class: &str) -> String {
    svg::write_figure(&page::compose_die(face, theme.palette()), class)
}

/// Draws as [`die_svg`], with the class `die` and the variables of the style sheet as colours.
pub fn inline_die(face: Face) -> String {
    svg::write_figure(&page::compose_die(face, &theme::VARIABLES), "die")
}

/// Draws the emblem of a name: a knot on a light tile, as a self-contained SVG document.
pub fn emblem_svg(name: &str) -> String {
    svg::write(&emblem::compose(name, Theme::Light.palette()), 100, name, "A knot woven from this name.")
}

/// Draws a PNG file.
///
/// # Errors
/// [`PictureError::Size`] if the width is 0 or the picture would have more than 16 million pixels.
pub fn png(view: &View, options: &PictureOptions) -> Result<Vec<u8>, PictureError> {
    let scene = page::compose(view, options.theme.palette(), options.faces);
    raster::draw(&scene, options.width_px.into())
}

/// Width and height of a [`card`] in pixels.
pub const CARD: (u32, u32) = (1200, 630);

/// Draws a PNG file of the size [`CARD`] for link previews: the board centred, as large as it fits.
///
/// # Errors
/// [`PictureError::Encoding`] if the PNG cannot be encoded.
pub fn card(view: &View, theme: Theme) -> Result<Vec<u8>, PictureError> {
    let palette = theme.palette();
    raster::draw_within(&page::compose(view, palette, Faces::Omitted), CARD, palette.page)
}

/// Most pictures of an [`animation`] of this width: 60 of 360 pixels, 30 of twice as many.
pub const fn most_frames(width_px: u16) -> usize {
    match width_px {
        0 => 0,
        width => 60 * 360 / width as usize,
    }
}

/// Most bytes of an [`animation`].
pub const MOST_ANIMATED: usize = 2 << 20;

/// Milliseconds for which a picture of an animation is seen, and its last one.
const SEEN_MS: [u16; 2] = [900, 4000];

/// Draws an animated PNG file of these views, one after the other without an end, this many pixels wide.
///
/// # Errors
/// [`PictureError::Size`] if there is no view or more than [`most_frames`], or the file would have more than 16 million
/// pixels or more than [`MOST_ANIMATED`] bytes.
pub fn animation(views: &[View], theme: Theme, width_px: u16) -> Result<Vec<u8>, PictureError> {
    let palette = theme.palette();
    let width = u32::from(width_px);
    if views.is_empty() || views.len() > most_frames(width_px) {
        return Err(PictureError::Size { width, height: 0 });
    }
    let scenes: Vec<_> = views.iter().map(|view| page::compose(view, palette, Faces::Omitted)).collect();
    let bytes = raster::animate(&scenes, width, palette.page, SEEN_MS)?;
    if bytes.len() > MOST_ANIMATED {
        return Err(PictureError::Size { width, height: 0 });
    }
    Ok(bytes)
}

/// Largest width that [`shown_width`] recommends.
pub const MOST_SHOWN: u16 = 672;

/// The width in pixels of a picture in a mail, whatever its shown width: two for each of a telephone's, and more than one
/// for each on a larger screen. Cells then begin at whole pixels more often than at other widths.
pub const MAIL_WIDTH: u16 = 720;
