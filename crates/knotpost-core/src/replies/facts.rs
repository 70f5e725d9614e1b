//! Facts of a board mail beside the board, fixed at the event that caused it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::boards::proposals::{silent_player, still_to_answer};
use crate::boards::{Board, Standing, TimeUp, pending_proposal};
use crate::replies::times::times;
use crate::replies::{Style, TimeFacts};
use knotpost_model::{LeaveReason, Millis, ProposalKind, RemarkKey, SeatState, TournamentName, UserKey};
use knotpost_storage::{ProposalRow, ReadTx, SeatRow, StoreError};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Heading {
    New,
    Summary,
    Show,
    Preview,
    /// A position with one winning move, on an unstored board.
    Puzzle,
    Submit,
    Chat,
    /// End of a board, for subscribers to ends.
    Notification,
    Nag,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Note {
    /// A player declined; the game restarts without them.
    Restarted {
        declined: String,
    },
    Left {
        userid: String,
        /// True in the first round: the game restarts without them.
        restarted: bool,
    },
    /// The result does not count for ratings.
    Unrated,
    Programs {
        userids: Vec<String>,
    },
    Substituted {
        bot: String,
        userid: String,
    },
    Swapped {
        by: String,
    },
    /// Words of this user were not passed on; told to nobody else.
    Unheard {
        userid: String,
    },
    Paired,
    Challenged {
        by: Option<String>,
    },
    Rematch {
        by: String,
        number: i64,
        /// True if the deal of that board is repeated.
        same_deal: bool,
    },
    /// Time limits of a new board, if not the defaults.
    Limits {
        nag: String,
        forfeit: String,
        total: Option<String>,
        /// True if the first round has a minimum of one day.
        is_floored: bool,
    },
    Reminder {
        userid: String,
        since: String,
        end: String,
    },
    Forfeited {
        userid: String,
        up: TimeUp,
    },
    /// Timeout in the first round; the game restarts without the player.
    NeverMoved {
        userid: String,
    },
    Away {
        userid: String,
        until: String,
    },
    Suspended {
        userid: String,
    },
    /// Mail bounces at all confirmed addresses of a player.
    Unreached {
        userid: String,
    },
    Proposed {
        by: String,
        kind: ProposalKind,
        waiting: Vec<String>,
        /// Prefix of answering commands: `osbox move 101 ann PASSWORD`.
        answer: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        silent: Option<String>,
    },
    /// A draw offer accepted by timeout.
    SilentDraw,
    Rejected {
        by: String,
        kind: ProposalKind,
    },
    Agreed {
        kind: ProposalKind,
    },
    Stopped {
        address: String,
    },
    Ruled {
        ruling: Ruling,
        why: String,
    },
    Submitted {
        game: String,
        number: i64,
        userid: String,
    },
    /// A player is out of the tournament, and loses this board.
    OutOfTournament {
        userid: String,
        why: LeaveReason,
    },
    /// The deadline of the round has ended the board.
    Deadline {
        tournament: TournamentName,
    },
    /// The director of the tournament decided the board.
    Awarded {
        by: String,
        why: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ruling {
    Paused,
    Resumed,
    Adjudicated,
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

/// Marks the part of a proposal's text meant for those who answer.
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
            Self::Unheard { .. } => {
                f.write_str("Your words were not passed on: you and a player here do not hear each other.")
            }
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
            Self::OutOfTournament { userid, why } => {
                writeln!(f, "{}", why.about(userid))?;
                write!(f, "Their boards that were not over are lost.")
            }
            Self::Deadline { tournament } => {
                writeln!(f, "The deadline of the round of {tournament} has come.")?;
                write!(f, "The board goes to whoever had used less time, counted in minutes.")
            }
            Self::Awarded { by, why } => {
                write!(f, "{by}, the director of the tournament, decided this game.")?;
                if why.is_empty() { Ok(()) } else { write!(f, "\nThe reason given: {why}") }
            }
        }
    }
}

impl Note {
    /// Text for a reader, if it is theirs to know; the way to answer a proposal is shown only to those who have not
    /// answered.
    pub(crate) fn told_to(&self, reader: Option<&str>) -> Option<String> {
        let told = match (self, reader) {
            (Self::Unheard { userid }, reader)
                if reader.is_none_or(|reader| !reader.eq_ignore_ascii_case(userid)) =>
            {
                return None;
            }
            (Self::Proposed { waiting, .. }, Some(reader))
                if waiting.iter().all(|name| !name.eq_ignore_ascii_case(reader)) =>
            {
                let told = self.to_string();
                told.split(ANSWER_IS).next().unwrap_or_default().trim_end().to_owned()
            }
            _ => self.to_string(),
        };
        Some(told)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Spared {
    /// Readers who do not hear the speaker.
    pub unheard_by: Vec<UserKey>,
    /// Said by an outsider: readers who take no messages get no mail at all.
    pub by_outsider: bool,
    pub bundled: Vec<UserKey>,
    /// Readers who take no mail of it, once all are queued.
    pub unmailed: Vec<UserKey>,
}

/// Content of a board mail beside the board. Stored with the mail and never changed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BoardFacts {
    pub heading: Heading,
    pub remark: Option<RemarkKey>,
    /// Remarks of older mails replaced by this one, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<RemarkKey>,
    /// True for the reader's first mail of this board, which carries the commitment to the dice.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub begins: bool,
    pub subscribers: Vec<String>,
    pub notes: Vec<Note>,
    /// Number of moves made at once, queued ones included; all are listed.
    #[serde(default)]
    pub made: usize,
    #[serde(default)]
    pub times: Option<TimeFacts>,
    /// Known only while mails are queued; not stored.
    #[serde(skip)]
    pub spared: Spared,
    #[serde(default, skip_serializing_if = "Style::is_default")]
    pub style: Style,
    /// True if it waited since its reader had the board in sight: of no use once they have moved.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waits: bool,
    /// Other boards on which it was the reader's turn when the mail was first leased.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub others_waiting: i64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(count: &i64) -> bool {
    *count == 0
}

impl BoardFacts {
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
            waits: false,
            others_waiting: 0,
        }
    }

    /// Keys of the remarks that the mail tells of, oldest first.
    pub(crate) fn remarks(&self) -> Vec<RemarkKey> {
        let mut keys: Vec<RemarkKey> = self.earlier.iter().chain(&self.remark).copied().collect();
        keys.sort_unstable_by_key(|key| key.0);
        keys.dedup();
        keys
    }

    pub(crate) fn tell_of_pause(&self) -> bool {
        let ruling = self.notes.iter().rev().find_map(|note| match note {
            Note::Ruled { ruling, .. } => Some(*ruling),
            _ => None,
        });
        ruling == Some(Ruling::Paused)
    }

    /// Adds facts that may change before the mail is rendered: absences and times.
    #[must_use]
    pub(crate) fn with_moment(mut self, board: &Board, now: Millis) -> Self {
        self.notes.extend(away(board, &self.style, now));
        self.times = times(board, self.heading, &self.style, now);
        self
    }
}

/// Notes about suspended and absent players.
fn away(board: &Board, style: &Style, now: Millis) -> Vec<Note> {
    notes_of_players(board, |row| {
        let suspended = row.is_suspended.then(|| Note::Suspended { userid: row.userid.clone() });
        let until = row.away_until.map(Millis).filter(|until| *until > now);
        let away = |until| Note::Away { userid: row.userid.clone(), until: style.show_time(until) };
        [suspended, until.map(away)]
    })
}

/// Notes about players of an active board whose mail bounces.
pub(crate) fn notes_of_unreached(board: &Board, is_unreached: impl Fn(&SeatRow) -> bool) -> Vec<Note> {
    notes_of_players(board, |row| [is_unreached(row).then(|| Note::Unreached { userid: row.userid.clone() })])
}

/// Notes about those who play, none when the game is over, without duplicates.
fn notes_of_players<const N: usize>(
    board: &Board,
    about: impl Fn(&SeatRow) -> [Option<Note>; N],
) -> Vec<Note> {
    let mut notes = Vec::new();
    if matches!(board.standing(), Standing::Over(_)) {
        return notes;
    }
    let playing = board.seats.iter().filter(|row| row.state == SeatState::Playing);
    for note in playing.flat_map(about).flatten() {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}

/// Looks up the note on the proposal that waits on a board, for its readers.
pub(crate) async fn note_of_proposal(tx: &mut ReadTx, board: &Board) -> Result<Option<Note>, StoreError> {
    Ok(pending_proposal(tx, board).await?.map(|proposal| note_of(board, &proposal)))
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

pub(crate) fn stop_notice(address: &str) -> String {
    format!(
        "Mail to your address\n   {address}\ncame back, so no more is sent there. \
         Any command that you mail\nfrom it with your password starts it again."
    )
}
