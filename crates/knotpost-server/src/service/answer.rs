//! What a command answers, as facts. How it looks is the business of `outbound`.

use serde::Serialize;

use super::{Code, Sheet};
use crate::domain::BoardRef;

/// To whom an answer goes when the command came by mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// To the address the command came from.
    Sender,
    /// To registered addresses; those mails are queued already.
    Registered,
}

/// A failure, for scripts.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Which of the distinct errors.
    pub code: Code,
    /// The sentence.
    pub message: String,
    /// Seconds until trying again makes sense.
    pub retry_after: Option<u64>,
}

/// What came of a command.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Why it was not carried out, when it was not.
    pub failure: Option<Failure>,
    /// What the one who sent it reads.
    pub replies: Vec<Reply>,
    /// To whom the replies go by mail.
    pub audience: Audience,
    /// The boards it was about.
    pub boards: Vec<BoardRef>,
    /// Whether it changed anything, so that mails may wait to be sent.
    pub changed: bool,
}

impl Answer {
    /// An answer to a query.
    pub fn to_sender(reply: Reply) -> Self {
        Self {
            failure: None,
            replies: vec![reply],
            audience: Audience::Sender,
            boards: Vec::new(),
            changed: false,
        }
    }

    /// An answer to a change; its mails are queued.
    pub fn to_registered(reply: Reply) -> Self {
        Self { audience: Audience::Registered, changed: true, ..Self::to_sender(reply) }
    }

    /// Names a board it was about.
    #[must_use]
    pub fn about(mut self, board: BoardRef) -> Self {
        self.boards.push(board);
        self
    }
}

/// An error as its reader sees it.
#[derive(Clone, Debug, Serialize)]
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
    /// Whether it is a challenge that somebody cannot take part in.
    pub is_invalid_challenge: bool,
    /// That board with its whole move list.
    pub sheet: Option<Box<Sheet>>,
}

/// A game and how much it is played.
#[derive(Clone, Debug, Serialize)]
pub struct GameCount {
    /// The game's name.
    pub game: String,
    /// Its title.
    pub title: String,
    /// What it is, in half a sentence.
    pub summary: String,
    /// Boards being played.
    pub active: i64,
    /// Boards finished.
    pub over: i64,
}

/// A board as a line of a table.
#[derive(Clone, Debug, Serialize)]
pub struct BoardLine {
    /// The game's name.
    pub game: String,
    /// The board's number.
    pub number: i64,
    /// The number of the last move.
    pub ply: i64,
    /// The players in turn order.
    pub players: Vec<String>,
    /// `ann's turn`, `won by ann`, `tie`.
    pub status: String,
}

/// A finished board as a line of a table.
#[derive(Clone, Debug, Serialize)]
pub struct HistoryLine {
    /// When it ended.
    pub ended: String,
    /// The board's number.
    pub number: i64,
    /// The winner, or `TIE`.
    pub winner: String,
    /// The scores in seat order.
    pub score: String,
    /// The players in turn order.
    pub players: Vec<String>,
}

/// A line of `multiple` and what came of it.
#[derive(Clone, Debug, Serialize)]
pub struct LineResult {
    /// The line, passwords masked.
    pub line: String,
    /// Whether it was carried out.
    pub ok: bool,
    /// What it answered.
    pub replies: Vec<Reply>,
}

/// Something the server says to somebody.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reply {
    /// A board.
    Board(Box<Sheet>),
    /// Several boards in one answer.
    Boards {
        /// `Show summary`
        subject: String,
        /// The boards.
        sheets: Vec<Sheet>,
    },
    /// A command was not carried out.
    Error(Box<ErrorReply>),
    /// The account exists; how to start.
    Welcome {
        /// The new user.
        userid: String,
    },
    /// Somebody must prove to read an address.
    ConfirmAddress {
        /// The user it is to belong to.
        userid: String,
        /// The page that does it.
        link: String,
    },
    /// A mail went to the addresses of an account, if there is one.
    MailSent {
        /// The account named.
        userid: String,
        /// What the mail is about.
        about: String,
    },
    /// The password was changed.
    PasswordChanged {
        /// Whose.
        userid: String,
    },
    /// The addresses were changed.
    AddressesChanged {
        /// Whose.
        userid: String,
        /// What they are now.
        addresses: Vec<String>,
    },
    /// A help page.
    Help {
        /// Its title.
        title: String,
        /// Its text.
        text: String,
    },
    /// The games and how much they are played.
    Games {
        /// The games.
        games: Vec<GameCount>,
    },
    /// Boards of a game.
    BoardList {
        /// The game's title.
        title: String,
        /// Names of the sides, as many as the boards shown have players.
        sides: Vec<String>,
        /// The boards.
        boards: Vec<BoardLine>,
        /// More exist than are shown.
        more: bool,
    },
    /// Finished boards of a game.
    History {
        /// The game's title.
        title: String,
        /// The boards.
        boards: Vec<HistoryLine>,
        /// More exist than are shown.
        more: bool,
    },
    /// A challenge was declined by all but one.
    Removed {
        /// The game's title.
        title: String,
        /// The board's number.
        number: u32,
        /// Who declined.
        userid: String,
        /// What he said with it.
        text: String,
    },
    /// A resignation out of turn was noted or cancelled.
    ResignNoted {
        /// The game's title.
        title: String,
        /// The board's number.
        number: u32,
        /// Who resigns.
        userid: String,
        /// Whose turn it is.
        to_move: String,
        /// Whether it was cancelled.
        cancelled: bool,
    },
    /// Somebody answered a board mail from an address that is not its reader's.
    ForeignAnswer {
        /// The game's title.
        title: String,
        /// The board's number.
        number: u32,
        /// Whose board mail it was.
        userid: String,
        /// From which address.
        sender: String,
        /// What it said.
        line: String,
    },
    /// The results of `multiple`.
    Multiple {
        /// Line by line.
        lines: Vec<LineResult>,
    },
    /// The same mail came twice.
    AlreadyPlayed {
        /// The command, passwords masked.
        echo: String,
        /// The board it was about.
        sheet: Option<Box<Sheet>>,
    },
    /// The last error answer of this hour.
    BudgetSpent {
        /// How many were sent.
        answers: i64,
    },
}
