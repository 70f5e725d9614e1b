//! What a board mail shows beside its board: facts of the moment that caused it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::boards::proposals::{silent_player, still_to_answer};
use crate::boards::{Board, Standing, TimeUp};
use crate::replies::times::times;
use crate::replies::{Style, TimeFacts};
use knotpost_model::{Millis, ProposalKind, RemarkKey, SeatState, UserKey};
use knotpost_storage::{ProposalRow, SeatRow};

/// What kind of board mail it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Heading {
    /// A challenge: the first board.
    New,
    /// After a move.
    Summary,
    /// Asked for.
    Show,
    /// As it would be.
    Preview,
    /// A position in which one move wins, on a board that nobody plays.
    Puzzle,
    /// As it would be after a move that its player has to confirm.
    Submit,
    /// Somebody said something.
    Chat,
    /// It has ended, for those who wanted to hear of that.
    Notification,
    /// A move is waited for.
    Nag,
}

/// Something the reader of a board mail should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Note {
    /// Somebody declined and the game began again without them.
    Restarted { declined: String },
    /// Somebody left the server, and with it this board.
    Left {
        userid: String,
        /// Whether that was before the game had begun, so that it begins again without them.
        restarted: bool,
    },
    /// The boards' players' result does not count.
    Unrated,
    /// Programs play for these users.
    Programs {
        /// Their names.
        userids: Vec<String>,
    },
    /// A computer player has taken the seat of somebody who did not move.
    Substituted {
        /// The computer player.
        bot: String,
        /// Who sat there.
        userid: String,
    },
    /// Somebody took over the other side.
    Swapped { by: String },
    /// Both players looked for opponents.
    Paired,
    /// Somebody challenged the players.
    Challenged {
        /// Who, where they proved it.
        by: Option<String>,
    },
    /// It is another game of players who have played before.
    Rematch {
        /// Who asked for it.
        by: String,
        /// The number of the board before.
        number: i64,
        /// Whether the hands are those of that board.
        same_deal: bool,
    },
    /// How much time the players have, on a new board with limits of its own.
    Limits {
        /// Until a reminder.
        nag: String,
        /// Until a loss.
        forfeit: String,
        /// For all moves of a player.
        total: Option<String>,
        /// Whether one day is the least at first.
        is_floored: bool,
    },
    /// A move is waited for.
    Reminder {
        /// Whose.
        userid: String,
        since: String,
        /// When the time is up.
        end: String,
    },
    /// Somebody's time was up.
    Forfeited {
        /// Whose.
        userid: String,
        up: TimeUp,
    },
    /// Somebody's time was up in the first round, and the game began again without them.
    NeverMoved { userid: String },
    /// Somebody takes time off.
    Away { userid: String, until: String },
    /// The account of a player is suspended.
    Suspended {
        /// The player.
        userid: String,
    },
    /// Mail to a player comes back, at all addresses that they have confirmed.
    Unreached { userid: String },
    /// Somebody proposed something that others must answer.
    Proposed {
        by: String,
        kind: ProposalKind,
        /// Who has not answered yet.
        waiting: Vec<String>,
        /// How their answers begin: `osbox move 101 ann PASSWORD`.
        answer: String,
        /// For whom it counts as accepted when their time runs out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        silent: Option<String>,
    },
    /// A draw was proposed, and nobody answered in time.
    SilentDraw,
    /// Somebody refused what was proposed.
    Rejected { by: String, kind: ProposalKind },
    /// All agreed to what was proposed.
    Agreed { kind: ProposalKind },
    /// Another address of the reader gets no mail any more.
    Stopped { address: String },
    /// An administrator stepped in.
    Ruled {
        ruling: Ruling,
        /// What they say about it; may be empty.
        why: String,
    },
    /// The move is not played before it is confirmed.
    Submitted {
        /// The game's name.
        game: String,
        /// The board's number.
        number: i64,
        /// Whose move.
        userid: String,
    },
}

/// What an administrator did to a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ruling {
    /// Nobody moves, and no time counts.
    Paused,
    /// It goes on.
    Resumed,
    /// It has ended as they said.
    Adjudicated,
    /// The last move was taken back.
    TakenBack,
}

impl fmt::Display for Ruling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Paused => "An administrator paused this board: nobody can move, and no time is counted.",
            Self::Resumed => "An administrator let this board go on; the pause counts for nobody.",
            Self::Adjudicated => "An administrator decided this game.",
            Self::TakenBack => "An administrator took back the last move.",
        })
    }
}

/// The line of a proposal from which on it is for those who answer it.
const ANSWER_IS: &str = "The answer is a mail with one of these Subjects:";

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Restarted { declined } => {
                write!(f, "{declined} declined; the game begins again without {declined}.")
            }
            Self::Left { userid, restarted: false } => write!(f, "{userid} has left the server."),
            Self::Left { userid, restarted: true } => {
                writeln!(f, "{userid} has left the server;")?;
                write!(f, "the game begins again without {userid}.")
            }
            Self::Unrated => f.write_str("This board is unrated."),
            Self::Programs { userids } => userids.iter().enumerate().try_for_each(|(index, userid)| {
                write!(f, "{}{userid} is a computer program.", if index == 0 { "" } else { "\n" })
            }),
            Self::Swapped { by } => write!(f, "{by} swapped: the players have changed sides."),
            Self::Paired => f.write_str("Both players were looking for opponents; the first seat was drawn."),
            Self::Challenged { by: Some(by) } => write!(f, "The challenge comes from {by}."),
            Self::Challenged { by: None } => f.write_str("The challenge came without proof of its sender."),
            Self::Rematch { by, number, same_deal } => {
                write!(f, "{by} asks for a rematch of board {number}, the seats exchanged")?;
                f.write_str(if *same_deal { ",\nwith the same deal." } else { "." })
            }
            Self::Limits { nag, forfeit, total, is_floored } => {
                write!(f, "Limits: loss after {forfeit}, reminder after {nag}")?;
                if let Some(total) = total {
                    write!(f, ",\nand {total} for all moves of a player")?;
                }
                f.write_str(if *is_floored { "\n(one day at least until everybody has moved)." } else { "." })
            }
            Self::Reminder { userid, since, end } => {
                writeln!(f, "{userid} has been waited for since {since}.")?;
                write!(f, "Without a move the time is up on {end}.")
            }
            Self::Forfeited { userid, up: TimeUp::Move } => {
                write!(f, "{userid} did not move in time and forfeits.")
            }
            Self::Forfeited { userid, up: TimeUp::Total } => {
                write!(f, "{userid} has used up the time for all moves and forfeits.")
            }
            Self::NeverMoved { userid } => {
                writeln!(f, "{userid} made no first move in time;")?;
                write!(f, "the game begins again without {userid}.")
            }
            Self::Away { userid, until } => write!(f, "{userid} is on vacation until {until}."),
            Self::Suspended { userid } => {
                write!(f, "The account of {userid} is suspended; {userid} cannot move for now.")
            }
            Self::Unreached { userid } => write!(f, "Mail to {userid} comes back."),
            Self::Proposed { by, kind, waiting, answer, silent } => {
                writeln!(f, "{by} proposed {kind}. Still to accept or reject: {}.", waiting.join(", "))?;
                if let Some(silent) = silent {
                    writeln!(f, "If the time of {silent} runs out first, {silent} counts as accepting.")?;
                }
                writeln!(f, "{ANSWER_IS}")?;
                write!(f, "   {answer} accept\n   {answer} reject")
            }
            Self::SilentDraw => {
                f.write_str("The proposed draw was not answered in time and counts as accepted.")
            }
            Self::Rejected { by, kind: ProposalKind::Draw } => write!(f, "{by} rejected the draw."),
            Self::Rejected { by, kind: ProposalKind::Undo } => {
                write!(f, "{by} does not agree to take back the last move.")
            }
            Self::Rejected { by, kind: ProposalKind::Substitute } => {
                write!(f, "{by} does not agree that a computer player takes a seat.")
            }
            Self::Agreed { kind: ProposalKind::Substitute } => {
                f.write_str("All players agreed: a computer player has taken a seat.")
            }
            Self::Substituted { bot, userid } => {
                writeln!(f, "{bot}, a computer player, goes on in the seat of")?;
                write!(f, "{userid}; the board is not rated from now on.")
            }
            Self::Agreed { kind: ProposalKind::Draw } => f.write_str("All players agreed on a draw."),
            Self::Agreed { kind: ProposalKind::Undo } => {
                f.write_str("All players agreed: the last move was taken back.")
            }
            Self::Stopped { address } => f.write_str(&stop_notice(address)),
            Self::Ruled { ruling, why } if why.is_empty() => write!(f, "{ruling}"),
            Self::Ruled { ruling, why } => write!(f, "{ruling}\nThe reason given: {why}"),
            Self::Submitted { game, number, userid } => {
                writeln!(f, "Nothing is played yet: this is the board as it would be. To play it,")?;
                writeln!(f, "send a mail with this Subject; another `submit` replaces it:")?;
                write!(f, "   {game} confirm {number} {userid} PASSWORD")
            }
        }
    }
}

impl Note {
    /// The note as this reader needs it: how a proposal is answered is for those who have not answered yet.
    pub(crate) fn told_to(&self, reader: Option<&str>) -> String {
        match (self, reader) {
            (Self::Proposed { waiting, .. }, Some(reader))
                if waiting.iter().all(|name| !name.eq_ignore_ascii_case(reader)) =>
            {
                let told = self.to_string();
                told.split(ANSWER_IS).next().unwrap_or_default().trim_end().to_owned()
            }
            _ => self.to_string(),
        }
    }
}

/// Readers who are not mailed at once what was said.
#[derive(Clone, Debug, Default)]
pub struct Spared {
    /// Somebody said it who does not play there: who takes no messages is not mailed it at all.
    pub by_outsider: bool,
    /// Readers who get it in the mail of the day.
    pub bundled: Vec<UserKey>,
}

/// What a board mail shows beside the board itself. Stored with the mail: it never changes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BoardFacts {
    /// What kind of mail it is.
    pub heading: Heading,
    /// What was said with it.
    pub remark: Option<RemarkKey>,
    /// What was said with older mails that this one was sent instead of, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<RemarkKey>,
    /// Whether it is the first mail of this board for its reader, who is promised then what the dice will be.
    #[serde(default, skip_serializing_if = "is_not")]
    pub begins: bool,
    /// Who watched the board then.
    pub subscribers: Vec<String>,
    /// What the readers should know.
    pub notes: Vec<Note>,
    /// How many moves were made at once, queued ones included: all of them are listed.
    #[serde(default)]
    pub made: usize,
    /// The times as they were then, where they are told.
    #[serde(default)]
    pub times: Option<TimeFacts>,
    /// Readers who are not mailed it at once; known while mails are queued, and not stored with them.
    #[serde(skip)]
    pub spared: Spared,
    /// How the reader wants it set.
    #[serde(default, skip_serializing_if = "Style::is_default")]
    pub style: Style,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde calls")]
fn is_not(flag: &bool) -> bool {
    !flag
}

impl BoardFacts {
    /// Facts of a board that is only shown.
    pub fn plain(heading: Heading) -> Self {
        Self {
            heading,
            remark: None,
            earlier: Vec::new(),
            begins: false,
            subscribers: Vec::new(),
            notes: Vec::new(),
            made: 0,
            times: None,
            spared: Spared::default(),
            style: Style::default(),
        }
    }

    /// Whether they tell that nobody can move.
    pub(crate) fn tell_of_pause(&self) -> bool {
        let ruling = self.notes.iter().rev().find_map(|note| match note {
            Note::Ruled { ruling, .. } => Some(*ruling),
            _ => None,
        });
        ruling == Some(Ruling::Paused)
    }

    /// Adds what is true of the board at this moment and may be otherwise when the mail is
    /// written: who is away, and the times.
    #[must_use]
    pub(crate) fn with_moment(mut self, board: &Board, now: Millis) -> Self {
        self.notes.extend(away(board, &self.style, now));
        self.times = times(board, self.heading, &self.style, now);
        self
    }
}

/// The players who are suspended or on vacation, each once.
fn away(board: &Board, style: &Style, now: Millis) -> Vec<Note> {
    let mut notes = Vec::new();
    if matches!(board.standing(), Standing::Over(_)) {
        return notes;
    }
    for row in board.seats.iter().filter(|row| row.state == SeatState::Playing) {
        if row.is_suspended {
            let note = Note::Suspended { userid: row.userid.clone() };
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        if let Some(until) = row.away_until.map(Millis).filter(|until| *until > now) {
            let note = Note::Away { userid: row.userid.clone(), until: style.show_time(until) };
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes
}

/// The players of a board that goes on to whom mail comes back, each once. `is_unreached` is asked for each player.
pub(crate) fn notes_of_unreached(board: &Board, is_unreached: impl Fn(&SeatRow) -> bool) -> Vec<Note> {
    let mut notes = Vec::new();
    if matches!(board.standing(), Standing::Over(_)) {
        return notes;
    }
    for row in board.seats.iter().filter(|row| row.state == SeatState::Playing && is_unreached(row)) {
        let note = Note::Unreached { userid: row.userid.clone() };
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}

pub(crate) fn note_of(board: &Board, proposal: &ProposalRow) -> Note {
    let waiting = still_to_answer(board, proposal);
    let answers = if let [only] = waiting.as_slice() { only } else { "USERID" };
    Note::Proposed {
        by: board.userid_at(proposal.seat).to_owned(),
        kind: proposal.kind,
        answer: format!("{} move {} {answers} PASSWORD", board.row.game, board.row.number),
        silent: silent_player(board, proposal).map(ToOwned::to_owned),
        waiting,
    }
}

/// What is told about a stopped address.
pub(crate) fn stop_notice(address: &str) -> String {
    format!(
        "Mail to your address\n   {address}\ncame back, so no more is sent there. \
         Any command that you mail\nfrom it with your password starts it again."
    )
}
