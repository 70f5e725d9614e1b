//! What a command answers, as facts. How it looks is the business of `outbound`.
//!
//! Replies that hold boards are here; what else a verb says is declared in its own file, as [`Content`].

mod content;
mod lines;
mod notices;
mod result;

use std::sync::Arc;

pub use content::{Column, Content, Fact, Facts, Holds, Table};
pub(crate) use content::{count, numbers};
pub use lines::{BoardLine, GameCount, SeekLine, StandingLine, StandingsTable};
pub use notices::{BudgetSpent, ChatsSpent, DoneUnconfirmed, Silence, Stranger};
pub use result::{Answer, Audience, Failure};

use knotpost_rules::Layout;

use crate::replies::Sheet;

/// An error as its reader sees it.
#[derive(Clone, Debug)]
pub struct ErrorReply {
    /// The sentence.
    pub message: String,
    /// What would work, a line each.
    pub hints: Vec<String>,
    /// What the user sent, passwords masked.
    pub echo: String,
    /// Title of the game it was about.
    pub game: Option<String>,
    /// Number of the board it was about.
    pub number: Option<u32>,
    /// Whether it is a challenge in which a player cannot take part.
    pub is_invalid_challenge: bool,
    /// That board with its whole move list.
    pub sheet: Option<Box<Sheet>>,
}

/// A line of `multiple` and what came of it.
#[derive(Clone, Debug)]
pub struct LineResult {
    /// The line, passwords masked.
    pub line: String,
    /// Whether it was carried out.
    pub ok: bool,
    /// What it answered.
    pub reply: Reply,
}

/// Something the server says to a user, or to a sender whom it does not know.
#[derive(Clone, Debug)]
pub enum Reply {
    Board(Box<Sheet>),
    /// Several boards in one answer.
    Boards {
        /// `Show summary`
        subject: String,
        /// The boards.
        sheets: Vec<Sheet>,
        /// What there is not of what was asked for, a sentence each.
        missing: Vec<String>,
    },
    /// A command was not carried out.
    Error(Box<ErrorReply>),
    /// The one mail of the day.
    Digest {
        /// To whom.
        userid: String,
        /// On how many of the boards it is the reader's turn.
        turns: usize,
        /// The boards that changed.
        sheets: Vec<Sheet>,
    },
    /// The puzzles of a day, for a user who takes them every day.
    Puzzles {
        /// To whom.
        userid: String,
        /// The day of the year.
        day: u16,
        /// One a game.
        sheets: Vec<Sheet>,
    },
    /// A help page.
    Help {
        title: String,
        text: String,
    },
    /// Who plays a game, and how well.
    Standings {
        /// The game's title.
        title: String,
        /// The game's name.
        game: String,
        /// The blocks.
        tables: Vec<StandingsTable>,
        /// Who looks for opponents, longest first.
        seeks: Vec<SeekLine>,
        /// More do than are shown.
        more_seeks: bool,
    },
    /// The results of `multiple`.
    Multiple {
        lines: Vec<LineResult>,
    },
    /// The same mail came twice.
    AlreadyPlayed {
        /// The command, passwords masked.
        echo: String,
        /// The board it was about.
        sheet: Option<Box<Sheet>>,
    },
    /// Words and numbers, as the verb or the event declares them that says it.
    Said(Arc<dyn Content>),
}

impl<T: Content + 'static> From<T> for Reply {
    fn from(content: T) -> Self {
        Self::Said(Arc::new(content))
    }
}

impl Reply {
    /// The boards that it shows.
    pub(crate) fn sheets(&self) -> Vec<&Sheet> {
        match self {
            Self::Board(sheet) => vec![sheet],
            Self::Boards { sheets, .. } | Self::Digest { sheets, .. } | Self::Puzzles { sheets, .. } => {
                sheets.iter().collect()
            }
            Self::Error(error) => error.sheet.as_deref().into_iter().collect(),
            Self::AlreadyPlayed { sheet, .. } => sheet.as_deref().into_iter().collect(),
            Self::Multiple { lines } => lines.iter().flat_map(|line| line.reply.sheets()).collect(),
            Self::Help { .. } | Self::Standings { .. } | Self::Said(_) => Vec::new(),
        }
    }

    /// Shows all boards in the layout that their reader wants for the game. This is the one place where that is decided
    /// for answers; board mails carry their reader's style with them.
    pub(crate) fn lay_out(&mut self, layout_for: &impl Fn(&str) -> Layout) {
        for sheet in self.sheets_mut() {
            sheet.set_layout(layout_for(&sheet.game));
        }
    }

    /// Whether it shows a board.
    pub(crate) fn has_board(&self) -> bool {
        !self.sheets().is_empty()
    }

    /// The boards that it shows, to be changed.
    pub(crate) fn sheets_mut(&mut self) -> Vec<&mut Sheet> {
        match self {
            Self::Board(sheet) => vec![sheet],
            Self::Boards { sheets, .. } | Self::Digest { sheets, .. } | Self::Puzzles { sheets, .. } => {
                sheets.iter_mut().collect()
            }
            Self::Error(error) => error.sheet.as_deref_mut().into_iter().collect(),
            Self::AlreadyPlayed { sheet, .. } => sheet.as_deref_mut().into_iter().collect(),
            Self::Multiple { lines } => lines.iter_mut().flat_map(|line| line.reply.sheets_mut()).collect(),
            Self::Help { .. } | Self::Standings { .. } | Self::Said(_) => Vec::new(),
        }
    }

    /// Whether the Subject of its mail names one board and takes a move behind it.
    pub(crate) fn takes_move_in_subject(&self) -> bool {
        matches!(self, Self::Board(_) | Self::Error(_))
    }

    /// The name of its templates, a folder in `templates/mail`. Its mails are stored under that name.
    pub fn template(&self) -> &'static str {
        match self {
            Self::Board(_) => "board",
            Self::Boards { .. } => "boards",
            Self::Error(_) => "error",
            Self::Digest { .. } => "digest",
            Self::Puzzles { .. } => "puzzles",
            Self::Help { .. } => "help",
            Self::Standings { .. } => "standings",
            Self::Multiple { .. } => "multiple",
            Self::AlreadyPlayed { .. } => "already_played",
            Self::Said(content) => content.template(),
        }
    }
}
