//! Offers that other players must accept.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{BoardKey, Millis, ProposalKind, UserKey};

/// Valid while the board stands at `ply`.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct ProposalRow {
    #[sqlx(try_from = "String")]
    pub kind: ProposalKind,
    pub seat: i64,
    /// Number of the last move; any further move voids the proposal.
    pub ply: i64,
    /// Agreeing seats, comma-separated.
    pub accepted: String,
    #[sqlx(try_from = "i64")]
    pub at: Millis,
}

/// A refused offer, not to be repeated before everybody has moved since `ply`.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct RefusedOffer {
    #[sqlx(try_from = "i64")]
    pub user_id: UserKey,
    #[sqlx(try_from = "String")]
    pub kind: ProposalKind,
    pub ply: i64,
}

impl ProposalRow {
    pub fn seats_that_agreed(&self) -> impl Iterator<Item = i64> {
        self.accepted.split(',').filter_map(|seat| seat.parse().ok())
    }
}

impl ReadTx {
    /// Even if void.
    pub async fn proposal(&mut self, board: BoardKey) -> Result<Option<ProposalRow>, StoreError> {
        let sql = "SELECT kind, seat, ply, accepted, at FROM proposals WHERE board_id = $1";
        Ok(on!(self, c => sqlx::query_as::<_, ProposalRow>(sql).bind(board.0).fetch_optional(c).await)?)
    }

    pub async fn refused_offers(&mut self, board: BoardKey) -> Result<Vec<RefusedOffer>, StoreError> {
        let sql = "SELECT user_id, kind, ply FROM refused_offers WHERE board_id = $1 ORDER BY user_id, kind";
        Ok(on!(self, c => sqlx::query_as::<_, RefusedOffer>(sql).bind(board.0).fetch_all(c).await)?)
    }
}

impl WriteTx {
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

    /// Deletes refused offers of this kind by others than `user`, who offers the same now.
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

    /// Deletes moves after the first `ply`, with later submissions. Remarks on them stay as chat.
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
