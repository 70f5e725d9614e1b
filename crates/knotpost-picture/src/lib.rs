//! Boards as pictures: a view of the rules becomes SVG, and the same shapes become PNG.
//!
//! This crate draws what the view says and knows no game: dice become tiles with interlaced ribbons, tokens become
//! marks on pavements, stones show their arrows. It reads no files, needs no fonts and gives the same bytes for the same
//! view, wherever it runs.

mod geometry;
mod glyphs;
mod knots;
mod lettering;
mod margins;
mod page;
mod pen;
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
pub use spots::Link;
pub use theme::{ParseThemeError, Theme};

/// How a picture is to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureOptions {
    /// The ground it is drawn on.
    pub theme: Theme,
    /// How wide it is, in pixels; the height follows.
    pub width_px: u16,
    /// What it is a picture of, such as `Osbox board 101`; not drawn but told to those who cannot see it.
    pub title: String,
}

impl Default for PictureOptions {
    /// For a mail: on paper, 360 pixels wide.
    fn default() -> Self {
        Self { theme: Theme::Light, width_px: 360, title: "Board".to_owned() }
    }
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The pixels would not fit.
    #[error("a picture of {width} by {height} pixels cannot be made")]
    Size {
        /// Pixels from left to right.
        width: u32,
        /// Pixels from top to bottom.
        height: u32,
    },
    /// The pixels could not be packed.
    #[error("the picture could not be encoded")]
    Encoding(#[from] png::EncodingError),
}

/// The view as an SVG document with title and description. It refers to nothing outside itself.
pub fn svg(view: &View, options: &PictureOptions) -> String {
    let scene = page::compose(view, options.theme.palette());
    svg::write(&scene, options.width_px.into(), &options.title, &describe(view))
}

/// The view for the middle of a page: of class `picture` and `class`, as wide as the page lets it be, with links upon
/// its spots. A link whose spot the view does not have is left out.
pub fn linked_svg(view: &View, options: &PictureOptions, class: &str, links: &[Link]) -> String {
    let scene = page::compose(view, options.theme.palette());
    svg::write_linked(&scene, &options.title, &describe(view), class, links)
}

/// One die by itself for the middle of a page, where words beside it tell what it is.
pub fn die_svg(face: Face, theme: Theme, class: &str) -> String {
    svg::write_figure(&page::compose_die(face, theme.palette()), class)
}

/// The view as the bytes of a PNG file.
///
/// # Errors
/// When the width is 0 or so large that the picture would have more than 16 million pixels.
pub fn png(view: &View, options: &PictureOptions) -> Result<Vec<u8>, PictureError> {
    let scene = page::compose(view, options.theme.palette());
    raster::draw(&scene, options.width_px.into())
}

/// Pixels across and down of a card.
pub const CARD: (u32, u32) = (1200, 630);

/// The view as the bytes of a PNG file of [`CARD`]'s size, for programs that show what a link leads to: the board as
/// large as it fits into the middle, its ground all around.
///
/// # Errors
/// When the pixels cannot be packed.
pub fn card(view: &View, theme: Theme) -> Result<Vec<u8>, PictureError> {
    let palette = theme.palette();
    raster::draw_within(&page::compose(view, palette), CARD, palette.page)
}

/// The view in sentences: what to put where a picture is not seen, such as the `alt` of an `img`.
pub fn describe(view: &View) -> String {
    reading::read(view)
}
