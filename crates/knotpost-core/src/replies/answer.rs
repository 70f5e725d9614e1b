//! Answers of commands, as facts; layout is left to `outbound`.
//!
//! Replies with boards are here; others are declared by their verb, as [`Content`].

mod content;
mod lines;
mod result;

use std::sync::Arc;

pub use content::{AnyContent, Column, Content, Fact, Facts, Holds, Table};
pub(crate) use content::{count, numbers};
pub use lines::{BoardLine, GameCount, PoolLine, SeekLine, StandingLine, StandingsTable};
pub use result::{Answer, Audience, Failure};

use knotpost_rules::Layout;

use crate::replies::Sheet;

#[derive(Clone, Debug)]
pub struct ErrorReply {
    pub message: String,
    pub hints: Vec<String>,
    pub echo: String,
    pub game: Option<String>,
    pub number: Option<u32>,
    pub is_invalid_challenge: bool,
    pub sheet: Option<Box<Sheet>>,
}

#[derive(Clone, Debug)]
pub struct LineResult {
    pub line: String,
    pub ok: bool,
    pub reply: Reply,
}

/// Message to a user or to an unknown sender.
#[derive(Clone, Debug)]
pub enum Reply {
    Board(Box<Sheet>),
    Boards {
        /// `Show summary`
        subject: String,
        sheets: Vec<Sheet>,
        missing: Vec<String>,
    },
    Error(Box<ErrorReply>),
    Digest {
        userid: String,
        turns: usize,
        /// Texts of mails that waited for this one.
        news: Vec<String>,
        sheets: Vec<Sheet>,
    },
    Puzzles {
        userid: String,
        day: u16,
        sheets: Vec<Sheet>,
    },
    Help {
        title: String,
        text: String,
    },
    Standings {
        title: String,
        game: String,
        tables: Vec<StandingsTable>,
        seeks: Vec<SeekLine>,
        more_seeks: bool,
        /// Players of its tournaments that are running.
        pools: Vec<PoolLine>,
        /// Name of a tournament of which not all are listed.
        more_pools: Option<String>,
    },
    Multiple {
        lines: Vec<LineResult>,
    },
    /// Duplicate delivery of a mail.
    AlreadyPlayed {
        echo: String,
        sheet: Option<Box<Sheet>>,
    },
    /// Words and numbers, declared by the verb or event.
    Said(Arc<dyn AnyContent>),
}

impl<T: Content + 'static> From<T> for Reply {
    fn from(content: T) -> Self {
        Self::Said(Arc::new(content))
    }
}

impl Reply {
    /// Says these facts, a JSON object, by a template that lays out nothing.
    pub(crate) fn said(template: &'static str, facts: serde_json::Value) -> Self {
        Self::Said(Arc::new(content::Plain { template, facts }))
    }

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

    /// Sets the reader's layout for each game, for answers. Board mails carry their reader's style.
    pub(crate) fn lay_out(&mut self, layout_for: &impl Fn(&str) -> Layout) {
        for sheet in self.sheets_mut() {
            sheet.set_layout(layout_for(&sheet.game));
        }
    }

    pub(crate) fn has_board(&self) -> bool {
        !self.sheets().is_empty()
    }

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

    /// True if its mail's Subject names one board and accepts a move appended to it.
    pub(crate) fn takes_move_in_subject(&self) -> bool {
        matches!(self, Self::Board(_) | Self::Error(_))
    }

    /// Folder in `templates/mail`; also the stored kind of its mails.
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
