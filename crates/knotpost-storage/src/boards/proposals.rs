//! Offers that other players must agree to: a draw, or to take a move back.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{BoardKey, Millis, ProposalKind, UserKey};

/// What a player proposed on a board. It holds as long as the board stands at `ply`.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct ProposalRow {
    /// What it is about.
    #[sqlx(try_from = "String")]
    pub kind: ProposalKind,
    /// Who made it.
    pub seat: i64,
    /// The number of the last move then: a further one makes it void.
    pub ply: i64,
    /// Seats that agreed, comma-separated.
    pub accepted: String,
    /// When it was made.
    #[sqlx(try_from = "i64")]
    pub at: Millis,
}

/// An offer that was refused. Its maker does not repeat it before everybody has moved since `ply`.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct RefusedOffer {
    /// Its maker.
    #[sqlx(try_from = "i64")]
    pub user_id: UserKey,
    /// Its subject.
    #[sqlx(try_from = "String")]
    pub kind: ProposalKind,
    /// The number of the last move then.
    pub ply: i64,
}

impl ProposalRow {
    pub fn seats_that_agreed(&self) -> impl Iterator<Item = i64> {
        self.accepted.split(',').filter_map(|seat| seat.parse().ok())
    }
}

impl ReadTx {
    /// The proposal on a board, void or not.
    pub async fn proposal(&mut self, board: BoardKey) -> Result<Option<ProposalRow>, StoreError> {
        let sql = "SELECT kind, seat, ply, accepted, at FROM proposals WHERE board_id = $1";
        Ok(on!(self, c => sqlx::query_as::<_, ProposalRow>(sql).bind(board.0).fetch_optional(c).await)?)
    }

    /// The offers that were refused on a board.
    ///
    /// # Errors
    /// The database fails.
    pub async fn refused_offers(&mut self, board: BoardKey) -> Result<Vec<RefusedOffer>, StoreError> {
        let sql = "SELECT user_id, kind, ply FROM refused_offers WHERE board_id = $1 ORDER BY user_id, kind";
        Ok(on!(self, c => sqlx::query_as::<_, RefusedOffer>(sql).bind(board.0).fetch_all(c).await)?)
    }
}

impl WriteTx {
    /// Stores a proposal in place of what was proposed before.
    pub async fn save_proposal(&mut self, board: BoardKey, row: &ProposalRow) -> Result<(), StoreError> {
        let sql = "INSERT INTO proposals (board_id, kind, seat, ply, accepted, at) VALUES ($1, $2, $3, $4, $5, $6) \
                   ON CONFLICT (board_id) DO UPDATE SET kind = excluded.kind, seat = excluded.seat, \
                   ply = excluded.ply, accepted = excluded.accepted, at = excluded.at";
        on!(self.writing(), c => sqlx::query(sql)
            .bind(board.0)
            .bind(row.kind.as_str())
            .bind(row.seat)
            .bind(row.ply)
            .bind(&row.accepted)
            .bind(row.at.0)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }

    pub async fn delete_proposal(&mut self, board: BoardKey) -> Result<(), StoreError> {
        let sql = "DELETE FROM proposals WHERE board_id = $1";
        on!(self.writing(), c => sqlx::query(sql).bind(board.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Stores that what a user offered was refused.
    ///
    /// # Errors
    /// The database fails.
    pub async fn save_refused_offer(
        &mut self,
        board: BoardKey,
        refused: &RefusedOffer,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO refused_offers (board_id, user_id, kind, ply) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (board_id, user_id, kind) DO UPDATE SET ply = excluded.ply";
        on!(self.writing(), c => sqlx::query(sql)
            .bind(board.0)
            .bind(refused.user_id.0)
            .bind(refused.kind.as_str())
            .bind(refused.ply)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }

    /// Forgets the refused offers of this kind that others than `user`, who offers the same now, have made.
    ///
    /// # Errors
    /// The database fails.
    pub async fn forget_refused_offers(
        &mut self,
        board: BoardKey,
        kind: ProposalKind,
        user: UserKey,
    ) -> Result<(), StoreError> {
        let sql = "DELETE FROM refused_offers WHERE board_id = $1 AND kind = $2 AND user_id <> $3";
        on!(self.writing(), c => sqlx::query(sql)
            .bind(board.0)
            .bind(kind.as_str())
            .bind(user.0)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }

    /// Deletes the moves of a board after the first `ply`, and what was submitted since. What was said
    /// with them stays as chat.
    pub async fn delete_moves_after(&mut self, board: BoardKey, ply: i64) -> Result<(), StoreError> {
        for sql in [
            "DELETE FROM moves WHERE board_id = $1 AND number > $2",
            "DELETE FROM submissions WHERE board_id = $1 AND ply >= $2",
            "UPDATE refused_offers SET ply = $2 WHERE board_id = $1 AND ply > $2",
            "UPDATE remarks SET kind = 'chat', ply = $2 WHERE board_id = $1 AND ply > $2",
        ] {
            on!(self.writing(), c => sqlx::query(sql).bind(board.0).bind(ply).execute(c).await.map(drop))?;
        }
        Ok(())
    }
}
