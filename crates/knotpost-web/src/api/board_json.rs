//! Boards as JSON: an entry of a list, a single board, its moves.

use knotpost_rules::Scores;
use schemars::JsonSchema;
use serde::Serialize;

use knotpost_core::boards::{Standing, chance};
use knotpost_core::queries::{self, BoardView, SeatSummary, list_moves};
use knotpost_model::{BoardState, Moment, ProposalKind};

/// A page of boards.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Boards<'a> {
    /// The boards, in the order in which they began.
    pub(super) boards: Vec<BoardSummary<'a>>,
    /// Goes into the next request; `null`: that was all.
    pub(super) cursor: Option<i64>,
}

/// A board in a list.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BoardSummary<'a> {
    /// The game's name.
    game: &'a str,
    /// The number among the game's boards.
    number: i64,
    /// The options, those with their default value left out.
    options: &'a str,
    /// The players in turn order.
    players: Vec<SeatedPlayer<'a>>,
    /// Its state.
    state: BoardState,
    /// Whose turn it is.
    to_move: Vec<&'a str>,
    /// The number of the last move.
    ply: i64,
    /// Whether its result counts for the ratings.
    rated: bool,
    /// When it began.
    started: Moment,
    /// When it ended.
    ended: Option<Moment>,
}

/// A player and their seat.
#[derive(Serialize, JsonSchema)]
struct SeatedPlayer<'a> {
    /// The userid.
    userid: &'a str,
    /// From 1, in turn order.
    seat: i64,
    /// What the side is called, such as `Horz`.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'static str>,
}

impl<'a> BoardSummary<'a> {
    pub(super) fn of(board: &'a queries::BoardSummary) -> Self {
        let seated =
            |seat: &'a SeatSummary| SeatedPlayer { userid: &seat.userid, seat: seat.seat, name: None };
        Self {
            game: &board.game,
            number: board.number,
            options: &board.options,
            players: board.seats.iter().map(seated).collect(),
            state: board.state,
            to_move: board.to_move().collect(),
            ply: board.last_ply,
            rated: board.rated,
            started: board.started.into(),
            ended: board.ended.map(Moment::from),
        }
    }
}

/// The moves of a board.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Moves<'a> {
    /// In their order.
    pub(super) moves: Vec<MoveEntry<'a>>,
}

/// A move.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Move")]
pub(crate) struct MoveEntry<'a> {
    /// Its number, from 1.
    number: i64,
    /// The seat that made it.
    seat: i64,
    /// The player in that seat.
    userid: &'a str,
    /// As the list of moves spells it.
    text: &'a str,
    /// Whether the server made it for the player.
    auto: bool,
    /// When it was made.
    at: Moment,
}

impl<'a> MoveEntry<'a> {
    pub(super) fn all_of(view: &'a BoardView) -> Vec<Self> {
        let moves = list_moves(&view.board).map(|line| Self {
            number: line.number,
            seat: line.seat,
            userid: line.userid,
            text: line.text,
            auto: line.auto,
            at: line.at.into(),
        });
        moves.collect()
    }
}

/// A board after one of its moves.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Board")]
pub(crate) struct WholeBoard<'a> {
    /// The game's name.
    game: &'a str,
    /// The number among the game's boards.
    number: i64,
    /// The options, those with their default value left out.
    options: &'a str,
    /// The players in turn order.
    players: Vec<SeatedPlayer<'a>>,
    /// Its state now.
    state: BoardState,
    /// Whose turn it is after this move.
    to_move: Vec<&'a str>,
    /// The number of this move.
    ply: usize,
    /// The number of the last move there is.
    last_ply: i64,
    /// The position, as `knotpost play --position` reads it.
    position: String,
    /// The points of each seat.
    #[serde(skip_serializing_if = "Option::is_none")]
    scores: Option<Vec<u32>>,
    /// The lengths of each seat's closed paths, in games that count these.
    #[serde(skip_serializing_if = "Option::is_none")]
    paths: Option<Vec<Vec<u32>>>,
    /// The moves so far.
    moves: Vec<MoveEntry<'a>>,
    /// How it ended, if it is over after this move.
    result: Option<GameResult<'a>>,
    /// Whether its result counts for the ratings.
    rated: bool,
    /// The comments made with this move.
    comment: Option<Comment<'a>>,
    /// The proposals that wait for an answer.
    proposal: Option<Proposal<'a>>,
    /// How long players may take.
    limits: TimeLimits,
    /// Digest of the seed of its dice, fixed at the start.
    seed_commitment: Option<String>,
    /// The seed of its dice, once it is over.
    seed: Option<String>,
    /// The version of the rules it is played under.
    rules_version: i64,
    /// Since when its clock is stopped.
    paused: Option<Moment>,
    /// When it began.
    started: Moment,
    /// When it ended.
    ended: Option<Moment>,
}

/// How a game ended.
#[derive(Serialize, JsonSchema)]
struct GameResult<'a> {
    /// The seats in first place.
    winners: Vec<u8>,
    /// Whether several share it.
    tie: bool,
    /// One word: what decided, such as `score`.
    reason: &'a str,
    /// The place of each seat, from 1; equal ones share a place.
    placings: &'a [u8],
}

/// A comment.
#[derive(Serialize, JsonSchema)]
struct Comment<'a> {
    /// Its author.
    by: &'a str,
    /// Its text.
    text: &'a str,
}

/// What a player proposed to the others.
#[derive(Serialize, JsonSchema)]
struct Proposal<'a> {
    /// What it is about.
    kind: ProposalKind,
    /// The player who proposed it.
    by: &'a str,
    /// The players who have not answered yet.
    waiting: &'a [String],
}

/// How long players may take, in milliseconds.
#[derive(Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names that programs read")]
struct TimeLimits {
    /// Until a player is reminded of their turn.
    nag_ms: i64,
    /// Until the player loses.
    forfeit_ms: i64,
    /// For all moves of a player together; `null`: no limit.
    total_ms: Option<i64>,
}

impl<'a> WholeBoard<'a> {
    pub(super) fn of(view: &'a BoardView, standing: &'a Standing) -> Self {
        let (board, summary) = (&view.board, &view.summary);
        let seated = |seat: &'a SeatSummary| {
            let name = Some(board.side(seat.seat));
            SeatedPlayer { userid: &seat.userid, seat: seat.seat, name }
        };
        let (to_move, result) = match standing {
            Standing::ToMove(seat) => (vec![board.userid_at(i64::from(seat.number()))], None),
            Standing::Over(outcome) => {
                let winners = outcome.winners().iter().map(|seat| seat.number()).collect();
                let (tie, reason) = (outcome.is_tie(), outcome.reason);
                (Vec::new(), Some(GameResult { winners, tie, reason, placings: &outcome.placings }))
            }
        };
        let (scores, paths) = match board.position.scores() {
            Scores::None => (Some(Vec::new()), None),
            Scores::Points(points) => (Some(points), None),
            Scores::Paths(paths) => (None, Some(paths)),
        };
        let promise = chance(board);
        let limits = &board.timing.limits;
        Self {
            game: &summary.game,
            number: summary.number,
            options: &summary.options,
            players: summary.seats.iter().map(seated).collect(),
            state: summary.state,
            to_move,
            ply: board.entries.len(),
            last_ply: summary.last_ply,
            position: board.position_text(),
            scores,
            paths,
            moves: MoveEntry::all_of(view),
            result,
            rated: summary.rated,
            comment: view.comment.as_ref().map(|spoken| Comment { by: &spoken.who, text: &spoken.text }),
            proposal: view.proposal.as_ref().map(|proposal| Proposal {
                kind: proposal.kind,
                by: &proposal.by,
                waiting: &proposal.waiting,
            }),
            limits: TimeLimits {
                nag_ms: limits.nag.0,
                forfeit_ms: limits.forfeit.0,
                total_ms: limits.total.map(|total| total.0),
            },
            seed_commitment: promise.as_ref().map(|promise| promise.commitment.clone()),
            seed: promise.and_then(|promise| promise.seed),
            rules_version: summary.rules_version,
            paused: summary.paused.map(Moment::from),
            started: summary.started.into(),
            ended: summary.ended.map(Moment::from),
        }
    }
}
