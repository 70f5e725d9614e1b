//! Offers that other players must accept.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{BoardKey, Millis, ProposalKind, UserKey};

row! {
    /// Valid while the board stands at `ply`.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ProposalRow {
        pub kind: ProposalKind,
        pub seat: i64,
        /// Number of the last move; any further move voids the proposal.
        pub ply: i64,
        /// Agreeing seats, comma-separated.
        pub accepted: String,
        pub at: Millis,
    }
}

row! {
    /// A refused offer, not to be repeated before everybody has moved since `ply`.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct RefusedOffer {
        pub user_id: UserKey,
        pub kind: ProposalKind,
        pub ply: i64,
    }
}

impl ProposalRow {
    pub fn seats_that_agreed(&self) -> impl Iterator<Item = i64> {
        self.accepted.split(',').filter_map(|seat| seat.parse().ok())
    }
}

impl ReadTx {
    /// Even if void.
    pub async fn proposal(&mut self, board: BoardKey) -> Result<Option<ProposalRow>> {
        let sql = "SELECT kind, seat, ply, accepted, at FROM proposals WHERE board_id = $1";
        self.fetch_optional(sql, &[&board]).await
    }

    pub async fn refused_offers(&mut self, board: BoardKey) -> Result<Vec<RefusedOffer>> {
        let sql = "SELECT user_id, kind, ply FROM refused_offers WHERE board_id = $1 ORDER BY user_id, kind";
        self.fetch_all(sql, &[&board]).await
    }
}

impl WriteTx {
    pub async fn save_proposal(&mut self, board: BoardKey, row: &ProposalRow) -> Result<()> {
        let sql = "INSERT INTO proposals (board_id, kind, seat, ply, accepted, at) VALUES ($1, $2, $3, $4, $5, $6) \
                   ON CONFLICT (board_id) DO UPDATE SET kind = excluded.kind, seat = excluded.seat, \
                   ply = excluded.ply, accepted = excluded.accepted, at = excluded.at";
        self.exec(sql, &[&board, &row.kind, &row.seat, &row.ply, &row.accepted, &row.at]).await
    }

    pub async fn delete_proposal(&mut self, board: BoardKey) -> Result<()> {
        self.exec("DELETE FROM proposals WHERE board_id = $1", &[&board]).await
    }

    pub async fn save_refused_offer(&mut self, board: BoardKey, refused: &RefusedOffer) -> Result<()> {
        let sql = "INSERT INTO refused_offers (board_id, user_id, kind, ply) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (board_id, user_id, kind) DO UPDATE SET ply = excluded.ply";
        self.exec(sql, &[&board, &refused.user_id, &refused.kind, &refused.ply]).await
    }

    /// Deletes refused offers of this kind by others than `user`, who offers the same now.
    pub async fn forget_refused_offers(
        &mut self,
        board: BoardKey,
        kind: ProposalKind,
        user: UserKey,
    ) -> Result<()> {
        let sql = "DELETE FROM refused_offers WHERE board_id = $1 AND kind = $2 AND user_id <> $3";
        self.exec(sql, &[&board, &kind, &user]).await
    }

    /// Deletes moves after the first `ply`, with later submissions. Remarks on them stay as chat.
    pub async fn delete_moves_after(&mut self, board: BoardKey, ply: i64) -> Result<()> {
        for sql in [
            "DELETE FROM moves WHERE board_id = $1 AND number > $2",
            "DELETE FROM submissions WHERE board_id = $1 AND ply >= $2",
            "UPDATE refused_offers SET ply = $2 WHERE board_id = $1 AND ply > $2",
            "UPDATE remarks SET kind = 'chat', ply = $2 WHERE board_id = $1 AND ply > $2",
        ] {
            self.exec(sql, &[&board, &ply]).await?;
        }
        Ok(())
    }
}
