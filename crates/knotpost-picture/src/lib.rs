//! Boards as pictures: a view of the rules becomes SVG, and the same shapes become PNG.
//!
//! This crate draws views and must not know any game: dice become tiles with interlaced ribbons, tokens become marks on
//! pavements, stones show their arrows. It reads no files, needs no fonts and gives the same bytes for the same view on
//! every machine.

#![warn(missing_docs)]

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
mod spots;
mod stones;
mod svg;
mod theme;
mod tokens;
pub mod weave;

use knotpost_rules::{View, knot::Face};
pub use spots::{Link, Target};
pub use theme::{ParseThemeError, Theme};

/// Whether a picture explains the faces of dice.
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
    /// The colours.
    pub theme: Theme,
    /// The width in pixels; the height follows.
    pub width_px: u16,
    /// Whether the faces that moves name are drawn below the board, with their letters.
    pub faces: Faces,
    /// The subject, such as `Osbox board 101`: not drawn, but part of the text for screen readers.
    pub title: String,
}

impl Default for PictureOptions {
    /// For a mail: light, 360 pixels wide.
    fn default() -> Self {
        Self { theme: Theme::Light, width_px: 360, faces: Faces::Omitted, title: "Board".to_owned() }
    }
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The picture would have too many pixels.
    #[error("a picture of {width} by {height} pixels cannot be made")]
    Size {
        /// Pixels from left to right.
        width: u32,
        /// Pixels from top to bottom.
        height: u32,
    },
    /// The PNG could not be encoded.
    #[error("the picture could not be encoded")]
    Encoding(#[from] png::EncodingError),
}

/// The view as a self-contained SVG document with title and description.
pub fn svg(view: &View, options: &PictureOptions) -> String {
    let scene = page::compose(view, options.theme.palette(), options.faces);
    svg::write(&scene, options.width_px.into(), &options.title, &describe(view))
}

/// The view as inline SVG of the class `picture`, as wide as the page allows, with links on its spots. A link whose spot the
/// view does not have is left out. Colours are variables of the style sheet, see [`variables`].
pub fn linked_svg(view: &View, title: &str, links: &[Link]) -> String {
    let scene = page::compose_board(view, &theme::VARIABLES);
    svg::write_linked(&scene, title, &describe(view), links)
}

/// The view as inline SVG, as [`linked_svg`] without links, in which the style sheet lets the last push happen; `None`:
/// nothing was pushed.
pub fn pushed_svg(view: &View, title: &str) -> Option<String> {
    svg::write_pushed(&page::compose_board(view, &theme::VARIABLES), title, &describe(view))
}

/// A single die as inline SVG, hidden from screen readers because the text beside it says what it is.
pub fn die_svg(face: Face, theme: Theme, class: &str) -> String {
    svg::write_figure(&page::compose_die(face, theme.palette()), class)
}

/// As [`die_svg`], of the class `die`, its colours variables of the style sheet.
pub fn inline_die(face: Face) -> String {
    svg::write_figure(&page::compose_die(face, &theme::VARIABLES), "die")
}

/// The variables of a style sheet that inline SVG refers to, with the colours of a theme.
pub fn variables(theme: Theme) -> String {
    theme::write_variables(theme)
}

/// The face in words: which of its edges are open.
pub fn name_face(face: Face) -> String {
    reading::name_face(face)
}

/// The view as the bytes of a PNG file.
///
/// # Errors
/// When the width is 0 or so large that the picture would have more than 16 million pixels.
pub fn png(view: &View, options: &PictureOptions) -> Result<Vec<u8>, PictureError> {
    let scene = page::compose(view, options.theme.palette(), options.faces);
    raster::draw(&scene, options.width_px.into())
}

/// The width and height of a card in pixels.
pub const CARD: (u32, u32) = (1200, 630);

/// The view as the bytes of a PNG file of [`CARD`]'s size, for link previews: the board centred and as large as it fits,
/// on its background colour.
///
/// # Errors
/// When the PNG cannot be encoded.
pub fn card(view: &View, theme: Theme) -> Result<Vec<u8>, PictureError> {
    let palette = theme.palette();
    raster::draw_within(&page::compose(view, palette, Faces::Omitted), CARD, palette.page)
}

/// The width in pixels at which the view should be shown where there is room: from 360 for small boards to
/// [`MOST_SHOWN`], so that cells are large enough to be told apart.
pub fn shown_width(view: &View) -> u16 {
    page::shown_width(view)
}

/// The largest width of [`shown_width`].
pub const MOST_SHOWN: u16 = 672;

/// The width in pixels of a picture in a mail, whatever its shown width: two for each of a telephone's, and more than one
/// for each on a larger screen. Cells then begin at whole pixels more often than at other widths.
pub const MAIL_WIDTH: u16 = 720;

/// What matters of the view in few sentences, for a picture beside which the board stands in text: whose turn it is, the
/// standing, the last move.
pub fn summarize(view: &View) -> String {
    reading::summarize(view)
}

/// The view in sentences, as the text alternative of the picture, such as the `alt` of an `img`.
pub fn describe(view: &View) -> String {
    reading::read(view)
}
