//! A board as JSON.

use knotpost_rules::{Figure, Scores};
use schemars::JsonSchema;
use serde::Serialize;

use knotpost_core::boards::{Standing, TimeLimits, chance};
use knotpost_core::queries::{
    BoardFacts, BoardView, MoveLine, ProposalView, SeatSummary, SeatedPlayer, list_moves,
};
use knotpost_model::Moment;

/// The moves of a board.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Moves {
    /// In their order.
    pub(super) moves: Vec<MoveLine>,
}

/// A board after one of its moves.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Board")]
pub(crate) struct WholeBoard<'a> {
    #[serde(flatten)]
    facts: &'a BoardFacts,
    /// The players in turn order.
    players: Vec<SeatedPlayer<'a>>,
    /// Userids of the players to move after this move.
    to_move: Vec<&'a str>,
    /// The number of this move.
    ply: usize,
    /// The number of the last move there is.
    last_ply: i64,
    /// The position, as `knotpost play --position` reads it.
    position: String,
    /// The points of each seat; in some games with halves.
    #[serde(skip_serializing_if = "Option::is_none")]
    scores: Option<Vec<serde_json::Number>>,
    /// The lengths of each seat's closed paths, in games that count these.
    #[serde(skip_serializing_if = "Option::is_none")]
    paths: Option<Vec<Vec<u32>>>,
    /// The moves so far.
    moves: Vec<MoveLine>,
    /// End of the game, if it is over after this move.
    result: Option<GameResult<'a>>,
    /// The comments made with this move.
    comment: Option<Comment<'a>>,
    /// The proposals that wait for an answer.
    proposal: Option<&'a ProposalView>,
    /// Time limits of the players.
    limits: TimeLimits,
    /// Digest of the seed of its dice, fixed at the start.
    seed_commitment: Option<String>,
    /// The seed of its dice, once it is over.
    seed: Option<String>,
    /// The version of the rules it is played under.
    rules_version: i64,
    /// Since when its clock is stopped.
    paused: Option<Moment>,
}

/// End of a game.
#[derive(Serialize, JsonSchema)]
struct GameResult<'a> {
    /// The seats in first place.
    winners: Vec<u8>,
    /// True if several share it.
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
            Scores::Paths(paths) => (None, Some(paths)),
            scores => {
                (scores.figures().map(|figures| figures.into_iter().filter_map(number).collect()), None)
            }
        };
        let promise = chance(board);
        Self {
            facts: &summary.facts,
            players: summary.seats.iter().map(seated).collect(),
            to_move,
            ply: board.entries.len(),
            last_ply: summary.last_ply,
            position: board.position_text(),
            scores,
            paths,
            moves: list_moves(board),
            result,
            comment: view.comment.as_ref().map(|spoken| Comment { by: &spoken.who, text: &spoken.text }),
            proposal: view.proposal.as_ref(),
            limits: board.timing.limits,
            seed_commitment: promise.as_ref().map(|promise| promise.commitment.clone()),
            seed: promise.and_then(|promise| promise.seed),
            rules_version: summary.rules_version,
            paused: summary.paused,
        }
    }
}

/// A figure as a number of JSON.
fn number(figure: Figure) -> Option<serde_json::Number> {
    match figure {
        Figure::Whole(whole) => Some(whole.into()),
        Figure::Half(half) => serde_json::Number::from_f64(half),
    }
}
