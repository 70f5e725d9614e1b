//! Unstored boards: the look of a game before anything is stored.

use knotpost_rules::{AnyGame, GameOptions, Seed};

use super::Board;
use crate::boards::Timing;
use knotpost_model::{BoardState, Millis, SeatState};
use knotpost_storage::{BoardRow, SeatRow};

impl Board {
    pub(crate) fn imagine(
        game: &'static dyn AnyGame,
        options: GameOptions,
        players: usize,
        seed: &Seed,
        now: Millis,
    ) -> Self {
        let position = game.setup(&options, players, seed);
        let row = BoardRow {
            id: 0.into(),
            game: game.meta().name.to_owned(),
            number: 0,
            options: options.to_string(),
            rules_version: i64::from(game.meta().rules_version),
            seed: seed.0.to_vec(),
            state: BoardState::Active,
            rated: false,
            ply: 0,
            position: position.position(),
            scores: position.scores().to_string(),
            winners: None,
            reason: None,
            started_at: now,
            last_move_at: None,
            ended_at: None,
            nag_ms: None,
            forfeit_ms: None,
            total_ms: None,
            due_at: None,
            nagged_at: None,
            paused_at: None,
            pairing_id: None,
        };
        let sides = game.meta().seat_names(players);
        let seats = (1..=players as i64)
            .zip(sides)
            .map(|(seat, side)| SeatRow {
                seat,
                user_id: (-seat).into(),
                userid: (*side).to_owned(),
                state: SeatState::Playing,
                to_move: seat == 1,
                resign_pending: false,
                away_until: None,
                is_suspended: false,
                queued: false,
            })
            .collect();
        Self::without_moves((row, seats), game, options, Timing::default(), position)
    }

    /// As [`Self::imagine`], from a position; `None`: invalid.
    pub(crate) fn imagine_from(
        game: &'static dyn AnyGame,
        options: GameOptions,
        players: usize,
        start: &str,
        now: Millis,
    ) -> Option<Self> {
        let position = game.parse_position(&options, players, &Seed::default(), start).ok()?;
        let next = i64::from(position.next_seat().number());
        let mut board = Self::imagine(game, options, players, &Seed::default(), now);
        board.position = position;
        board.row.position = board.position.position();
        board.row.scores = board.position.scores().to_string();
        for seat in &mut board.seats {
            seat.to_move = seat.seat == next;
        }
        Some(board)
    }
}
