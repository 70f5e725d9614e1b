//! The ways in which a text board can be laid out: beside each other, for narrow windows, in words. What is shown is
//! always the same view.

use super::{
    Panel, Piece, View,
    reading::{list_faces, read_view, tell_faces},
    text::{MARGIN, WIDTH, draw_faces, draw_faces_in, draw_panel, draw_scores},
};
use std::str::FromStr;

/// Columns that a narrow board tries to keep within.
const NARROW: usize = 40;
/// Blanks between panels that stand side by side.
pub(super) const GAP: &str = "   ";

/// The layout of a text board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Boards side by side where 72 columns hold them, else below each other: the `Display` of a view.
    #[default]
    Standard,
    /// Panels side by side, however wide that becomes.
    Wide,
    /// Panels below each other with tight margins, within 40 columns where the board allows that.
    Narrow,
    /// No drawing at all: cell by cell in words, for screen readers.
    List,
}

impl Layout {
    /// All layouts with the words they are chosen by.
    pub const ALL: [(Self, &'static str); 4] =
        [(Self::Standard, "standard"), (Self::Wide, "wide"), (Self::Narrow, "narrow"), (Self::List, "list")];

    /// Sentences and commands as they stand beside a board of this layout: where that is narrow, a line that is longer is
    /// broken between words.
    pub fn set(self, text: &str) -> String {
        let wrap = |line| if self == Self::Narrow { wrap(line) } else { String::from(line) };
        text.split('\n').map(wrap).collect::<Vec<_>>().join("\n")
    }

    /// The word it is chosen by.
    pub fn as_str(self) -> &'static str {
        Self::ALL.into_iter().find(|(layout, _)| *layout == self).map_or("standard", |(_, word)| word)
    }
}

impl FromStr for Layout {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|(_, known)| *known == word).map(|(layout, _)| layout).ok_or(())
    }
}

impl View {
    /// The board and its scores in this layout, without a final line end.
    pub fn lay_out(&self, layout: Layout) -> String {
        let most = if layout == Layout::Narrow { NARROW } else { WIDTH };
        let panels = match layout {
            Layout::Standard => return self.to_string(),
            Layout::List => return read_view(self),
            Layout::Wide => beside(&self.panels.iter().map(draw_panel).collect::<Vec<_>>()),
            Layout::Narrow => self
                .panels
                .iter()
                .flat_map(split_row)
                .flat_map(|panel| draw_tight(&panel).into_iter().chain([String::new()]))
                .collect(),
        };
        let scores = draw_scores(self, most).into_iter().map(|line| layout.set(&line));
        let lines: Vec<String> = panels.into_iter().chain([String::new()]).chain(scores).collect();
        let text = lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n");
        text.replace("\n\n\n", "\n\n").trim_end_matches('\n').to_owned()
    }

    /// The way to read and type moves, for a page: the faces follow in a sentence that wraps, as pictures draw them.
    pub fn legend_for_pages(&self) -> String {
        self.legend.replace(draw_faces(), &tell_faces())
    }

    /// The way to read and type moves, as it belongs below a board of this layout.
    pub fn legend_for(&self, layout: Layout) -> String {
        match layout {
            Layout::Standard | Layout::Wide => self.legend(),
            Layout::List => self.legend.replace(draw_faces(), &list_faces()),
            Layout::Narrow => {
                let (words, faces) = match self.legend.split_once(draw_faces()) {
                    Some((words, rest)) => (words, format!("{}{rest}", draw_faces_in(4))),
                    None => (self.legend.as_str(), String::new()),
                };
                format!("{}{faces}", layout.set(words))
            }
        }
    }
}

/// Blocks of lines next to each other.
pub(super) fn beside(blocks: &[Vec<String>]) -> Vec<String> {
    let height = blocks.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = blocks
        .iter()
        .map(|lines| lines.iter().map(|line| line.trim_end().chars().count()).max().unwrap_or(0))
        .collect();
    let room = widths.iter().map(|width| width + GAP.len()).sum();
    (0..height)
        .map(|row| {
            let (mut joined, mut start) = (String::with_capacity(room), 0);
            for (lines, width) in blocks.iter().zip(&widths) {
                if start > 0 {
                    let filled = joined.chars().count();
                    joined.extend(std::iter::repeat_n(' ', (start + GAP.len()).saturating_sub(filled)));
                    start += GAP.len();
                }
                joined.push_str(lines.get(row).map_or("", |line| line.trim_end()));
                start += width;
            }
            joined.truncate(joined.trim_end().len());
            joined
        })
        .collect()
}

/// A single row of cells without labels, such as a hand of stones, in as many panels as fit below each other.
fn split_row(panel: &Panel) -> Vec<Panel> {
    let most = (NARROW - 1) / (panel.cell_size.width + 1);
    let has_labels = panel.margins.iter().any(|margin| !margin.labels.is_empty());
    if panel.rows() != 1 || has_labels || panel.columns <= most || panel.is_of_tokens() {
        return vec![panel.clone()];
    }
    let chunks = panel.cells.chunks(most.max(1)).enumerate();
    chunks
        .map(|(index, cells): (usize, &[Piece])| Panel {
            title: if index == 0 { panel.title.trim_start().to_owned() } else { String::new() },
            columns: cells.len(),
            cells: cells.to_vec(),
            ..panel.clone()
        })
        .collect()
}

/// A panel whose margins have no blanks; the owner of a side of dice stands with the scores.
fn draw_tight(panel: &Panel) -> Vec<String> {
    let title = (!panel.title.is_empty()).then(|| panel.title.trim_start().to_owned());
    if panel.is_of_tokens() {
        return title.into_iter().chain(super::tokens::draw(panel, true)).collect();
    }
    let mut bare = Panel { title: String::new(), ..panel.clone() };
    for margin in &mut bare.margins {
        margin.owner = "";
    }
    let frame = panel.columns * (panel.cell_size.width + 1) + 1;
    // `12 > ` and ` < 12`: the blanks on either side of the arrow.
    let blanks = [2, MARGIN - 1, MARGIN + frame, MARGIN + frame + 2];
    let tighten = |line: &String| {
        let kept = line.chars().enumerate().filter(|(place, _)| !blanks.contains(place));
        kept.map(|(_, sign)| sign).collect::<String>()
    };
    title.into_iter().chain(draw_panel(&bare).iter().map(tighten)).collect()
}

/// One line broken between words, its parts indented or quoted as it was; a line that is short enough as it is.
fn wrap(line: &str) -> String {
    if line.chars().count() <= NARROW {
        return line.to_owned();
    }
    let words = line.trim_start_matches([' ', '>']);
    let (indent, _) = line.split_at(line.len() - words.len());
    let mut lines = vec![indent.to_owned()];
    for word in words.split_whitespace() {
        let width = lines.last().map_or(0, |line| line.chars().count());
        if width > indent.len() && width + 1 + word.chars().count() > NARROW {
            lines.push(indent.to_owned());
        }
        if let Some(line) = lines.last_mut() {
            if line.len() > indent.len() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n").trim_end().to_owned()
}
