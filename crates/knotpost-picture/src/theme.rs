//! Themes and colours. Closed paths and seats have the palette of Okabe and Ito, which people with any kind of colour
//! vision can distinguish; marks and shapes repeat the distinction without colour.

use crate::scene::Colour;
use std::{fmt, str::FromStr};

/// A colour theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Theme {
    /// Light.
    #[default]
    Light,
    /// Dark.
    Dark,
}

/// The error of an unknown theme name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a theme is light or dark")]
pub struct ParseThemeError;

impl FromStr for Theme {
    type Err = ParseThemeError;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "light" => Ok(Self::Light),
            "dark" => Ok(Self::Dark),
            _ => Err(ParseThemeError),
        }
    }
}

impl fmt::Display for Theme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Light => "light",
            Self::Dark => "dark",
        })
    }
}

/// The colours of a theme, by use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Palette {
    /// The background of the page.
    pub page: Colour,
    /// Empty cells.
    pub board: Colour,
    /// A die or a stone.
    pub tile: Colour,
    /// A die of the last turn.
    pub fresh: Colour,
    /// Text and frames.
    pub ink: Colour,
    /// Secondary text.
    pub muted: Colour,
    /// Thin lines between cells.
    pub hairline: Colour,
    /// The rim of ribbons and figures.
    pub rim: Colour,
    /// Open ribbons.
    pub loose: Colour,
    /// Removed pieces.
    pub trace: Colour,
    /// The last move.
    pub accent: Colour,
    /// Text on the colour of a seat.
    pub badge: Colour,
    /// Pavements.
    pub light_cell: Colour,
    pub dark_cell: Colour,
    /// Closed paths, each with the colour of the marks on it.
    pub paths: [(Colour, Colour); 7],
    /// Seats, repeated from the fifth on: a strong colour, and a pale one for large areas.
    pub seats: [(Colour, Colour); 4],
}

const WHITE: Colour = Colour(0x00ff_ffff);
const BLACK: Colour = Colour(0x0016_1512);
const ORANGE: Colour = Colour(0x00e6_9f00);
const SKY: Colour = Colour(0x0056_b4e9);
const GREEN: Colour = Colour(0x0000_9e73);
const YELLOW: Colour = Colour(0x00f0_e442);
const BLUE: Colour = Colour(0x0000_72b2);
const VERMILION: Colour = Colour(0x00d5_5e00);
const PURPLE: Colour = Colour(0x00cc_79a7);

const LIGHT: Palette = Palette {
    page: Colour(0x00fb_f8f1),
    board: Colour(0x00f1_ebdd),
    tile: Colour(0x00ff_fefb),
    fresh: Colour(0x00ff_f0c4),
    ink: Colour(0x0029_2824),
    muted: Colour(0x006f_6a60),
    hairline: Colour(0x00d8_d0be),
    rim: Colour(0x0029_2824),
    loose: Colour(0x00c9_c3b6),
    trace: Colour(0x00a8_a092),
    accent: Colour(0x00a3_195b),
    badge: WHITE,
    light_cell: Colour(0x00fa_f5e9),
    dark_cell: Colour(0x00e2_d8c3),
    paths: [
        (BLUE, WHITE),
        (ORANGE, BLACK),
        (GREEN, WHITE),
        (PURPLE, BLACK),
        (VERMILION, WHITE),
        (SKY, BLACK),
        (YELLOW, BLACK),
    ],
    seats: [
        (BLUE, Colour(0x00d3_e5f2)),
        (VERMILION, Colour(0x00fa_e0cc)),
        (GREEN, Colour(0x00cd_e9e0)),
        (PURPLE, Colour(0x00f3_dfe9)),
    ],
};

const DARK: Palette = Palette {
    page: Colour(0x0016_181d),
    board: Colour(0x001d_2027),
    tile: Colour(0x002c_3039),
    fresh: Colour(0x004a_4330),
    ink: Colour(0x00ec_e8df),
    muted: Colour(0x00a3_9f97),
    hairline: Colour(0x003d_424d),
    rim: Colour(0x000b_0c0f),
    loose: Colour(0x0070_7683),
    trace: Colour(0x0060_6571),
    accent: YELLOW,
    badge: BLACK,
    light_cell: Colour(0x0034_3944),
    dark_cell: Colour(0x0023_262e),
    paths: [
        (SKY, BLACK),
        (ORANGE, BLACK),
        (GREEN, WHITE),
        (PURPLE, BLACK),
        (YELLOW, BLACK),
        (VERMILION, WHITE),
        (BLUE, WHITE),
    ],
    seats: [
        (SKY, Colour(0x001f_3c4e)),
        (ORANGE, Colour(0x0051_3d12)),
        (GREEN, Colour(0x0012_4436)),
        (PURPLE, Colour(0x004a_3240)),
    ],
};

impl Theme {
    pub(crate) const fn palette(self) -> &'static Palette {
        match self {
            Self::Light => &LIGHT,
            Self::Dark => &DARK,
        }
    }
}

impl Palette {
    /// The colour of a closed path and of the marks on it, by the path's number from 0.
    pub(crate) fn path(&self, number: usize) -> (Colour, Colour) {
        self.paths.get(number % self.paths.len()).copied().unwrap_or((self.ink, self.tile))
    }

    /// The strong and the pale colour of a seat, counted from 0.
    pub(crate) fn seat(&self, index: usize) -> (Colour, Colour) {
        self.seats.get(index % self.seats.len()).copied().unwrap_or((self.ink, self.tile))
    }
}
