//! Stored facts of a board, for pages, lists and feeds.

use std::ops::Deref;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::boards::Board;
use knotpost_model::{BoardState, Moment, SeatState, TournamentName};
use knotpost_storage::{BoardPlace, BoardRow, ReadTx, SeatRow, StoreError};

/// The facts of a board in every view of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BoardFacts {
    /// The game's name.
    pub game: String,
    /// The number among the game's boards.
    pub number: i64,
    /// The options, those with their default value left out.
    pub options: String,
    /// Its state now.
    pub state: BoardState,
    /// True if its result counts for the ratings.
    pub rated: bool,
    /// Time of its beginning.
    pub started: Moment,
    /// Time of its end.
    pub ended: Option<Moment>,
    #[serde(flatten)]
    pub place: Option<TournamentPlace>,
}

/// The place of a board in a tournament.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TournamentPlace {
    /// The tournament it belongs to; left out for others.
    pub tournament: TournamentName,
    /// Its round there.
    pub round: i64,
    /// The group of its players there.
    pub group: String,
    #[serde(skip)]
    pub words: String,
}

/// Looks up the place of a board.
pub(super) async fn place_of(
    tx: &mut ReadTx,
    pairing: Option<i64>,
) -> Result<Option<TournamentPlace>, StoreError> {
    let Some(pairing) = pairing else { return Ok(None) };
    let place = tx.place_of_pairing(pairing).await?;
    Ok(place.map(|BoardPlace { id, form, title: _, round, pool }| TournamentPlace {
        words: form.describe_place(&pool, round),
        tournament: id,
        round,
        group: pool,
    }))
}

/// A board in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BoardSummary {
    #[serde(flatten)]
    pub facts: BoardFacts,
    /// The players in turn order.
    #[serde(rename = "players", serialize_with = "serialize_players")]
    #[schemars(with = "Vec<SeatedPlayer<'static>>")]
    pub seats: Vec<SeatSummary>,
    /// Userids of the players to move.
    pub to_move: Vec<String>,
    /// The number of the last move.
    #[serde(rename = "ply")]
    pub last_ply: i64,
    #[serde(skip)]
    pub rules_version: i64,
    /// `None`: no move yet.
    #[serde(skip)]
    pub last_moved: Option<Moment>,
    #[serde(skip)]
    pub paused: Option<Moment>,
    /// Latest time of the next check by the clock.
    #[serde(skip)]
    pub due: Option<Moment>,
    /// Last reminder of the player to move.
    #[serde(skip)]
    pub reminded: Option<Moment>,
}

impl Deref for BoardSummary {
    type Target = BoardFacts;

    fn deref(&self) -> &BoardFacts {
        &self.facts
    }
}

/// A player and their seat.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SeatedPlayer<'a> {
    /// The userid.
    pub userid: &'a str,
    /// From 1, in turn order.
    pub seat: i64,
    /// Name of the side, such as `Horz`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<&'static str>,
}

/// Leaves out what only administrators may know of a seat.
fn serialize_players<S: Serializer>(seats: &[SeatSummary], serializer: S) -> Result<S::Ok, S::Error> {
    let players = seats.iter().map(|seat| SeatedPlayer { userid: &seat.userid, seat: seat.seat, name: None });
    serializer.collect_seq(players)
}

/// A seat as administrators see it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "InspectedSeat")]
pub struct SeatSummary {
    /// From 1, in turn order.
    pub seat: i64,
    /// The player in this seat.
    pub userid: String,
    /// State of play.
    pub state: SeatState,
    /// True if it is to move.
    pub to_move: bool,
    /// True if it resigns on its next turn.
    pub resigns_on_turn: bool,
    /// The end of the player's last vacation, possibly past.
    pub away_until: Option<Moment>,
    /// True if moves wait for its turn.
    pub has_queued: bool,
}

impl BoardSummary {
    /// Its place in a tournament is looked up with [`place_of`].
    pub(crate) fn of_rows(row: BoardRow, seats: Vec<SeatRow>) -> Self {
        let to_move = seats.iter().filter(|seat| seat.to_move).map(|seat| seat.userid.clone()).collect();
        Self {
            facts: BoardFacts {
                game: row.game,
                number: row.number,
                options: row.options,
                state: row.state,
                rated: row.rated,
                started: row.started_at.into(),
                ended: row.ended_at.map(Moment::from),
                place: None,
            },
            seats: seats.into_iter().map(SeatSummary::of_row).collect(),
            to_move,
            last_ply: row.ply,
            rules_version: row.rules_version,
            last_moved: row.last_move_at.map(Moment::from),
            paused: row.paused_at.map(Moment::from),
            due: row.due_at.map(Moment::from),
            reminded: row.nagged_at.map(Moment::from),
        }
    }

    /// Facts of a loaded board. At an earlier ply only the seating is of that time.
    pub(crate) fn of_board(board: &Board) -> Self {
        Self::of_rows(board.row.clone(), board.seats.clone())
    }

    pub fn is_alone(&self) -> bool {
        let mut players = self.players();
        let first = players.next();
        players.all(|player| Some(player) == first)
    }

    /// Time of the last move, or else of the start.
    pub fn waits_since(&self) -> Moment {
        self.last_moved.unwrap_or(self.started)
    }

    pub fn players(&self) -> impl Iterator<Item = &str> {
        self.seats.iter().map(|seat| seat.userid.as_str())
    }
}

impl SeatSummary {
    fn of_row(row: SeatRow) -> Self {
        Self {
            seat: row.seat,
            userid: row.userid,
            state: row.state,
            to_move: row.to_move,
            resigns_on_turn: row.resign_pending,
            away_until: row.away_until.map(Moment::from),
            has_queued: row.queued,
        }
    }
}

/// A move.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Move")]
pub struct MoveLine {
    /// Its number, from 1.
    pub number: i64,
    /// The seat that made it.
    pub seat: i64,
    /// The player in that seat.
    pub userid: String,
    /// As the list of moves spells it.
    pub text: String,
    /// True if the server made it for the player.
    pub auto: bool,
    /// Time of the move.
    pub at: Moment,
}

pub fn list_moves(board: &Board) -> Vec<MoveLine> {
    (0..board.entries.len()).filter_map(|index| move_at(board, index)).collect()
}

pub fn last_move(board: &Board) -> Option<MoveLine> {
    move_at(board, board.entries.len().checked_sub(1)?)
}

fn move_at(board: &Board, index: usize) -> Option<MoveLine> {
    let entry = board.entries.get(index)?;
    Some(MoveLine {
        number: entry.row.number,
        seat: entry.row.seat,
        userid: board.userid_at(board.present_seat(index)).to_owned(),
        text: entry.text.clone(),
        auto: entry.row.auto,
        at: entry.row.at.into(),
    })
}
