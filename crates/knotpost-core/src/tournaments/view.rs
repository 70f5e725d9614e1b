//! A tournament as pages, programs, mails and the shell are handed it.

use schemars::JsonSchema;
use serde::Serialize;

use knotpost_model::{
    BoardRef, LeaveReason, Moment, PlayerState, TournamentAction, TournamentForm, TournamentName,
    TournamentState, TournamentTerms, UserKey, words,
};

/// A tournament with its players and pairings.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TournamentView {
    #[serde(flatten)]
    pub line: TournamentLine,
    /// Words of the director about it; may be empty.
    pub description: String,
    /// Its repetition, which takes entries.
    pub next: Option<TournamentName>,
    /// Codes of the ways in which equal points are told apart, in their order.
    pub tiebreaks: Vec<String>,
    /// In order of place; before the start in order of entry. Where several groups play, each has places of its own, until
    /// it is over.
    pub players: Vec<TournamentPlayer>,
    /// By round, group and table.
    pub pairings: Vec<TournamentPairing>,
    /// The time of the places, where a ladder of earlier was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<Moment>,
    /// Players who came to a ladder, left it, or took another place, the latest first.
    #[serde(skip)]
    pub changes: Vec<String>,
    #[serde(skip)]
    pub terms: TournamentTerms,
    #[serde(skip)]
    pub director_key: Option<UserKey>,
}

impl TournamentLine {
    /// True while users can enter.
    pub fn takes_entries(&self) -> bool {
        takes_entries(self.form, self.state) && self.entered < u32::from(self.maximum)
    }
}

/// True while users can enter a tournament that is not full: until it begins, or as long as it runs.
pub(super) fn takes_entries(form: TournamentForm, state: TournamentState) -> bool {
    match state {
        TournamentState::Open => true,
        TournamentState::Running => matches!(form, TournamentForm::Ladder | TournamentForm::League),
        TournamentState::Over | TournamentState::Cancelled => false,
    }
}

/// A tournament in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TournamentLine {
    pub name: TournamentName,
    pub title: String,
    /// Name of the game.
    pub game: String,
    /// Its terms, without those that are defaults.
    pub options: String,
    pub form: TournamentForm,
    /// The rules by which pairings are made.
    pub rules: String,
    pub state: TournamentState,
    /// `null`: administrators direct.
    pub director: Option<String>,
    /// From 1; 0 before the start. Stages of a round robin count as rounds.
    pub round: u32,
    /// `null`: not known before the start.
    pub rounds: Option<u32>,
    /// Players who are in it; after the start those too who are out since.
    pub entered: u32,
    /// Players with whom it can start.
    pub minimum: u16,
    /// Players with whom it is full.
    pub maximum: u16,
    /// The time of its start, where it has a date; else it starts when it is full.
    pub starts: Option<Moment>,
    pub started: Option<Moment>,
    pub ended: Option<Moment>,
    /// Deadline of the round.
    pub deadline: Option<Moment>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TournamentPlayer {
    pub userid: String,
    /// From 1, the highest rating first, on a ladder the place; `null` before the start.
    pub number: Option<u32>,
    /// The letter of the group in which they play or played last.
    pub group: Option<String>,
    /// The last round in which they play or played.
    pub round: Option<u32>,
    pub state: PlayerState,
    /// Reason for which they are out.
    pub left: Option<LeaveReason>,
    /// `false`: their games count for nobody.
    pub counts: bool,
    /// In their group; `null` until known.
    pub points: Option<f64>,
    /// In their group, shared by players whom nothing tells apart; of the whole tournament once it is over.
    pub place: Option<u32>,
    /// The values of the tournament's tie-breaks, in their order.
    pub tiebreaks: Vec<f64>,
    pub won: u32,
    pub lost: u32,
    pub tied: u32,
    /// `true` for a computer player of this server.
    pub bot: bool,
    #[serde(skip)]
    pub user: UserKey,
}

words! {
    /// The state of a pairing.
    #[derive(serde::Serialize, schemars::JsonSchema)]
    #[serde(rename_all = "lowercase")]
    PairingState {
        /// Its boards have not begun.
        Waiting = "waiting",
        /// Being played.
        Open = "open",
        /// Decided.
        Over = "over",
    }
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TournamentPairing {
    pub group: String,
    pub round: u32,
    /// In the group and round, from 1.
    pub table: u32,
    pub state: PairingState,
    /// `true` for one player who has no opponent.
    pub bye: bool,
    pub deadline: Option<Moment>,
    /// The boards that have begun.
    pub boards: Vec<BoardRef>,
    /// In the order of seats on the first board.
    pub seats: Vec<PairingSeat>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PairingSeat {
    pub userid: String,
    /// On all boards of the pairing; `null` until known.
    pub points: Option<f64>,
    /// `true` where a board was decided before its loser had moved.
    pub forfeit: bool,
}

/// A page of tournaments, the newest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TournamentPage {
    pub tournaments: Vec<TournamentLine>,
    /// Start of the next page; `null`: this is the last.
    pub cursor: Option<TournamentName>,
}

/// Something that happened in a tournament.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TournamentLogLine {
    pub at: Moment,
    /// The user who did it; `null`: the server.
    pub by: Option<String>,
    pub action: TournamentAction,
    /// The user it was done to.
    pub userid: Option<String>,
    /// The board it was done to.
    pub board: Option<BoardRef>,
    /// The reason, or what was said.
    pub words: String,
}

/// A page of the log of a tournament.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TournamentLog {
    /// The latest first.
    pub log: Vec<TournamentLogLine>,
    /// Start of the next page, which is older; `null`: this is the last.
    pub cursor: Option<i64>,
}
