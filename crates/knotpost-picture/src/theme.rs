//! Themes and colours. Closed paths and seats have the palette of Okabe and Ito, which people with any colour vision
//! can tell apart; marks and shapes repeat the distinction.

use crate::scene::Colour;
use knotpost_rules::Seat;
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
    /// Chessmen of the first and the second seat, and their lines.
    pub men: [(Colour, Colour); 2],
    /// Strong colour, and a pale one for large areas; the fifth seat repeats the first.
    pub seats: [(Colour, Colour); 4],
    /// Shades of the strong colours, with the marks on them: of a seat's second and third closed path.
    pub shades: [[(Colour, Colour); 2]; 4],
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

/// Variables of the style sheet, so that a page's theme follows its reader, with their light and dark colours.
const COLOURS: [(&str, Colour, Colour); 50] = [
    ("page", Colour(0x00fb_f8f1), Colour(0x0016_181d)),
    ("board", Colour(0x00f1_ebdd), Colour(0x001d_2027)),
    ("tile", Colour(0x00ff_fefb), Colour(0x002c_3039)),
    ("fresh", Colour(0x00ff_f0c4), Colour(0x004a_4330)),
    ("ink", Colour(0x0029_2824), Colour(0x00ec_e8df)),
    ("muted", Colour(0x006f_6a60), Colour(0x00a3_9f97)),
    ("hair", Colour(0x00d8_d0be), Colour(0x003d_424d)),
    ("rim", Colour(0x0029_2824), Colour(0x000b_0c0f)),
    ("loose", Colour(0x00c9_c3b6), Colour(0x009a_a2b1)),
    ("trace", Colour(0x0081_796a), Colour(0x0086_8c99)),
    ("accent", Colour(0x00a3_195b), YELLOW),
    ("badge", WHITE, BLACK),
    ("light", Colour(0x00fa_f5e9), Colour(0x0034_3944)),
    ("dark", Colour(0x00e2_d8c3), Colour(0x0023_262e)),
    ("path1", BLUE, SKY),
    ("path2", ORANGE, ORANGE),
    ("path3", GREEN, GREEN),
    ("path4", PURPLE, PURPLE),
    ("path5", VERMILION, YELLOW),
    ("path6", SKY, VERMILION),
    ("path7", YELLOW, BLUE),
    ("mark1", WHITE, BLACK),
    ("mark2", BLACK, BLACK),
    ("mark3", WHITE, WHITE),
    ("mark4", BLACK, BLACK),
    ("mark5", WHITE, BLACK),
    ("mark6", BLACK, WHITE),
    ("mark7", BLACK, WHITE),
    ("seat1", BLUE, SKY),
    ("seat2", VERMILION, ORANGE),
    ("seat3", GREEN, GREEN),
    ("seat4", PURPLE, PURPLE),
    ("pale1", Colour(0x00d3_e5f2), Colour(0x001f_3c4e)),
    ("pale2", Colour(0x00fa_e0cc), Colour(0x0051_3d12)),
    ("pale3", Colour(0x00cd_e9e0), Colour(0x0012_4436)),
    ("pale4", Colour(0x00f3_dfe9), Colour(0x004a_3240)),
    ("ghost", Colour(0x00f7_ecd0), Colour(0x0035_3226)),
    ("win", Colour(0x0079_1444), Colour(0x00f0_e442)),
    ("lite1", Colour(0x007f_c4e8), Colour(0x00b3_dff7)),
    ("lite2", Colour(0x00f5_a96b), Colour(0x00f7_d48a)),
    ("lite3", Colour(0x006f_d0b3), Colour(0x0066_d1b0)),
    ("lite4", Colour(0x00e9_bfd6), Colour(0x00e9_bfd6)),
    ("deep1", Colour(0x0000_3f66), Colour(0x001f_7fb5)),
    ("deep2", Colour(0x008a_3b00), Colour(0x00a8_6f00)),
    ("deep3", Colour(0x0000_5a41), Colour(0x0000_6b4e)),
    ("deep4", Colour(0x008a_3f68), Colour(0x009a_4a76)),
    ("man1", Colour(0x00ff_fefb), Colour(0x00ec_e8df)),
    ("man2", Colour(0x0029_2824), Colour(0x0010_1216)),
    ("line1", Colour(0x0029_2824), Colour(0x0010_1216)),
    ("line2", Colour(0x0081_796a), Colour(0x00a3_9f97)),
];

/// Above all colours: larger numbers are places in [`COLOURS`].
const FIRST_NAMED: u32 = 0x0100_0000;

/// Origin of the colours of a palette.
#[derive(Clone, Copy)]
enum Source {
    Light,
    Dark,
    Names,
}

impl Source {
    const fn palette(self) -> Palette {
        Palette {
            page: self.colour(0),
            board: self.colour(1),
            tile: self.colour(2),
            fresh: self.colour(3),
            ink: self.colour(4),
            muted: self.colour(5),
            hairline: self.colour(6),
            rim: self.colour(7),
            loose: self.colour(8),
            trace: self.colour(9),
            accent: self.colour(10),
            badge: self.colour(11),
            light_cell: self.colour(12),
            dark_cell: self.colour(13),
            paths: [
                (self.colour(14), self.colour(21)),
                (self.colour(15), self.colour(22)),
                (self.colour(16), self.colour(23)),
                (self.colour(17), self.colour(24)),
                (self.colour(18), self.colour(25)),
                (self.colour(19), self.colour(26)),
                (self.colour(20), self.colour(27)),
            ],
            seats: [
                (self.colour(28), self.colour(32)),
                (self.colour(29), self.colour(33)),
                (self.colour(30), self.colour(34)),
                (self.colour(31), self.colour(35)),
            ],
            ghost: self.colour(36),
            win: self.colour(37),
            men: [(self.colour(46), self.colour(48)), (self.colour(47), self.colour(49))],
            shades: [self.shades(0), self.shades(1), self.shades(2), self.shades(3)],
        }
    }

    const fn shades(self, seat: usize) -> [(Colour, Colour); 2] {
        // The marks of the second path are black, those of the third white, in both themes.
        [(self.colour(38 + seat), self.colour(22)), (self.colour(42 + seat), self.colour(23))]
    }

    const fn colour(self, place: usize) -> Colour {
        match self {
            Self::Light => COLOURS[place].1,
            Self::Dark => COLOURS[place].2,
            Self::Names => Colour(FIRST_NAMED + place as u32),
        }
    }
}

const LIGHT: Palette = Source::Light.palette();
const DARK: Palette = Source::Dark.palette();

/// Colours by name, for SVG only: they cannot be painted.
pub(crate) const VARIABLES: Palette = Source::Names.palette();

/// `None` for a colour that is not one of [`VARIABLES`].
pub(crate) fn name_colour(colour: Colour) -> Option<&'static str> {
    let place = usize::try_from(colour.0.checked_sub(FIRST_NAMED)?).ok()?;
    COLOURS.get(place).map(|(name, ..)| *name)
}

/// Style sheet variables of a theme, to which inline SVG refers.
pub fn variables(theme: Theme) -> String {
    let value = |(name, light, dark): &(&str, Colour, Colour)| {
        let colour = if theme == Theme::Light { light } else { dark };
        format!("--p-{name}: #{:06x};", colour.0)
    };
    COLOURS.iter().map(value).collect::<Vec<_>>().join(" ")
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

    /// Colour of the chessmen of a seat, counted from 0, and of their lines.
    pub(crate) fn man(&self, index: usize) -> (Colour, Colour) {
        let [light, dark] = self.men;
        if index == 0 { light } else { dark }
    }

    /// Colour of a closed path, counted from 0, and of its marks: that of the seat that closed it, if that is known. With
    /// the marks a seat has twelve paths that differ.
    pub(crate) fn woven(&self, closer: Option<Seat>, number: usize) -> (Colour, Colour) {
        let Some(index) = closer.map(Seat::index) else { return self.path(number) };
        let shades = self.shades.get(index % self.shades.len());
        match number % 3 {
            0 => (self.seat(index).0, self.badge),
            shade => {
                shades.and_then(|shades| shades.get(shade - 1)).copied().unwrap_or_else(|| self.path(number))
            }
        }
    }

    /// Strong and pale colour of a seat, counted from 0.
    pub(crate) fn seat(&self, index: usize) -> (Colour, Colour) {
        self.seats.get(index % self.seats.len()).copied().unwrap_or((self.ink, self.tile))
    }
}
