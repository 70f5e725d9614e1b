//! Themes and colours. Closed paths and seats have the palette of Okabe and Ito, which people with any colour vision
//! can tell apart; marks and shapes repeat the distinction.

use crate::scene::Colour;
use std::{fmt, str::FromStr};

/// A colour theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Theme {
    /// Dark on light.
    #[default]
    Light,
    /// Light on dark.
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

#[derive(Clone, Copy, Debug)]
pub(crate) struct Palette {
    pub page: Colour,
    pub board: Colour,
    pub tile: Colour,
    /// Dice of the last turn.
    pub fresh: Colour,
    pub ink: Colour,
    pub muted: Colour,
    pub hairline: Colour,
    pub rim: Colour,
    pub loose: Colour,
    pub trace: Colour,
    pub accent: Colour,
    /// Text on the colour of a seat.
    pub badge: Colour,
    pub light_cell: Colour,
    pub dark_cell: Colour,
    /// Colour of a closed path, and of the marks on it.
    pub paths: [(Colour, Colour); 7],
    pub ghost: Colour,
    pub win: Colour,
    /// Strong colour, and a pale one for large areas; the fifth seat repeats the first.
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
    trace: Colour(0x0081_796a),
    ghost: Colour(0x00f7_ecd0),
    win: Colour(0x0079_1444),
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
    loose: Colour(0x009a_a2b1),
    trace: Colour(0x0086_8c99),
    ghost: Colour(0x0035_3226),
    win: Colour(0x00f0_e442),
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

type Named = (&'static str, fn(&Palette) -> Colour);

/// Variables of the style sheet, so that a page's theme follows its reader.
const NAMED: [Named; 38] = [
    ("page", |palette| palette.page),
    ("board", |palette| palette.board),
    ("tile", |palette| palette.tile),
    ("fresh", |palette| palette.fresh),
    ("ink", |palette| palette.ink),
    ("muted", |palette| palette.muted),
    ("hair", |palette| palette.hairline),
    ("rim", |palette| palette.rim),
    ("loose", |palette| palette.loose),
    ("trace", |palette| palette.trace),
    ("accent", |palette| palette.accent),
    ("badge", |palette| palette.badge),
    ("light", |palette| palette.light_cell),
    ("dark", |palette| palette.dark_cell),
    ("path1", |palette| palette.paths[0].0),
    ("path2", |palette| palette.paths[1].0),
    ("path3", |palette| palette.paths[2].0),
    ("path4", |palette| palette.paths[3].0),
    ("path5", |palette| palette.paths[4].0),
    ("path6", |palette| palette.paths[5].0),
    ("path7", |palette| palette.paths[6].0),
    ("mark1", |palette| palette.paths[0].1),
    ("mark2", |palette| palette.paths[1].1),
    ("mark3", |palette| palette.paths[2].1),
    ("mark4", |palette| palette.paths[3].1),
    ("mark5", |palette| palette.paths[4].1),
    ("mark6", |palette| palette.paths[5].1),
    ("mark7", |palette| palette.paths[6].1),
    ("seat1", |palette| palette.seats[0].0),
    ("seat2", |palette| palette.seats[1].0),
    ("seat3", |palette| palette.seats[2].0),
    ("seat4", |palette| palette.seats[3].0),
    ("pale1", |palette| palette.seats[0].1),
    ("pale2", |palette| palette.seats[1].1),
    ("pale3", |palette| palette.seats[2].1),
    ("pale4", |palette| palette.seats[3].1),
    ("ghost", |palette| palette.ghost),
    ("win", |palette| palette.win),
];

/// Above all colours: larger numbers are places in [`NAMED`].
const FIRST_NAMED: u32 = 0x0100_0000;

const fn named(place: u32) -> Colour {
    Colour(FIRST_NAMED + place)
}

/// Colours by name, for SVG only: they cannot be painted.
pub(crate) const VARIABLES: Palette = Palette {
    page: named(0),
    board: named(1),
    tile: named(2),
    fresh: named(3),
    ink: named(4),
    muted: named(5),
    hairline: named(6),
    rim: named(7),
    loose: named(8),
    trace: named(9),
    accent: named(10),
    badge: named(11),
    light_cell: named(12),
    dark_cell: named(13),
    paths: [
        (named(14), named(21)),
        (named(15), named(22)),
        (named(16), named(23)),
        (named(17), named(24)),
        (named(18), named(25)),
        (named(19), named(26)),
        (named(20), named(27)),
    ],
    seats: [(named(28), named(32)), (named(29), named(33)), (named(30), named(34)), (named(31), named(35))],
    ghost: named(36),
    win: named(37),
};

/// `None` for a colour that is not one of [`VARIABLES`].
pub(crate) fn name_colour(colour: Colour) -> Option<&'static str> {
    let place = usize::try_from(colour.0.checked_sub(FIRST_NAMED)?).ok()?;
    NAMED.get(place).map(|(name, _)| *name)
}

pub(crate) fn write_variables(theme: Theme) -> String {
    let value = |(name, get): &Named| format!("--p-{name}: #{:06x};", get(theme.palette()).0);
    NAMED.iter().map(value).collect::<Vec<_>>().join(" ")
}

impl Theme {
    pub(crate) const fn palette(self) -> &'static Palette {
        match self {
            Self::Light => &LIGHT,
            Self::Dark => &DARK,
        }
    }
}

impl Palette {
    /// Colour of a closed path, counted from 0, and of its marks.
    pub(crate) fn path(&self, number: usize) -> (Colour, Colour) {
        self.paths.get(number % self.paths.len()).copied().unwrap_or((self.ink, self.tile))
    }

    /// Strong and pale colour of a seat, counted from 0.
    pub(crate) fn seat(&self, index: usize) -> (Colour, Colour) {
        self.seats.get(index % self.seats.len()).copied().unwrap_or((self.ink, self.tile))
    }
}
