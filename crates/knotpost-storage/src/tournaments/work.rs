//! Tournaments at which the server must look.

use crate::connection::Result;
use crate::transaction::{ReadTx, Statements};
use knotpost_model::{Millis, TournamentName};

impl ReadTx {
    /// Due, with players who leave or are to be told something, or played to the end of their round, which has a deadline. A
    /// move writes to nothing that boards share, so the ends of rounds are looked for here.
    pub async fn tournaments_to_work(&mut self, now: Millis) -> Result<Vec<TournamentName>> {
        let sql = "SELECT t.id FROM tournaments t WHERE (t.rests_until IS NULL OR t.rests_until <= $1) AND t.id IN \
                   (SELECT id FROM tournaments WHERE due_at IS NOT NULL AND due_at <= $1 \
                   UNION SELECT tournament_id FROM tournament_players WHERE leaving \
                   UNION SELECT tournament_id FROM tournament_log WHERE told_after IS NOT NULL \
                   UNION SELECT r.id FROM tournaments r WHERE r.state = 'running' AND r.deadline IS NOT NULL AND NOT EXISTS \
                   (SELECT 1 FROM tournament_seats s WHERE s.tournament_id = r.id AND s.points IS NULL)) ORDER BY t.id";
        self.fetch_all(sql, &[&now]).await
    }

    /// Number of those that are due since then.
    pub async fn count_due_tournaments(&mut self, since: Millis) -> Result<i64> {
        let sql = "SELECT COUNT(*) FROM tournaments WHERE due_at IS NOT NULL AND due_at <= $1";
        self.fetch_one(sql, &[&since]).await
    }
}
