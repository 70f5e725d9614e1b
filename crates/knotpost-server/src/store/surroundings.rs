//! What is shown around a board, in one question: who watches it, what is proposed on it, what was said last.

use sqlx::FromRow;

use super::{ProposalRow, RemarkRow, StoreError, Tx, on};
use crate::domain::{BoardKey, Millis, ProposalKind, RemarkKey, RemarkKind};

/// What is shown around a board.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Names of those who watch the board, or all boards of its game.
    pub watchers: Vec<String>,
    /// The proposal on the board, void or not.
    pub proposal: Option<ProposalRow>,
    /// The comment that came with the move asked for.
    pub comment: Option<RemarkRow>,
}

/// Any of the three; `what` says which.
#[derive(Debug, FromRow)]
struct Line {
    what: i64,
    one: String,
    two: Option<String>,
    three: i64,
    four: i64,
    five: i64,
}

const SURROUNDINGS: &str = "SELECT CAST(1 AS BIGINT) AS what, u.userid AS one, u.userid_key AS two, \
     CAST(0 AS BIGINT) AS three, CAST(0 AS BIGINT) AS four, CAST(0 AS BIGINT) AS five FROM users u WHERE u.id IN \
     (SELECT user_id FROM subscribers WHERE board_id = $1 UNION SELECT g.user_id FROM boards b \
     JOIN user_games g ON g.game = b.game AND g.subscribes WHERE b.id = $1) AND u.state <> 'deleted' \
     UNION ALL SELECT 2, kind, accepted, seat, ply, at FROM proposals WHERE board_id = $1 \
     UNION ALL SELECT 3, r.text, (SELECT u.userid FROM users u WHERE u.id = r.user_id), r.id, r.ply, 0 FROM remarks r \
     WHERE r.id = (SELECT l.id FROM remarks l WHERE l.board_id = $1 AND l.ply = $2 AND l.kind = 'comment' \
     ORDER BY l.id DESC LIMIT 1)";

impl Tx {
    /// What is shown around a board, with the comment to its move `ply`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn surroundings(&mut self, board: BoardKey, ply: i64) -> Result<Surroundings, StoreError> {
        let lines = on!(self, c => sqlx::query_as::<_, Line>(SURROUNDINGS)
            .bind(board.0)
            .bind(ply)
            .fetch_all(c)
            .await)?;
        let (mut found, mut watchers) = (Surroundings::default(), Vec::new());
        for Line { what, one, two, three, four, five } in lines {
            match what {
                1 => watchers.push((two.unwrap_or_default(), one)),
                2 => {
                    let kind = ProposalKind::try_from(one).map_err(StoreError::Corrupt)?;
                    let accepted = two.unwrap_or_default();
                    found.proposal =
                        Some(ProposalRow { kind, seat: three, ply: four, accepted, at: Millis(five) });
                }
                _ => {
                    let (id, kind) = (RemarkKey(three), RemarkKind::Comment);
                    found.comment = Some(RemarkRow { id, ply: four, userid: two, kind, text: one });
                }
            }
        }
        watchers.sort_unstable();
        found.watchers = watchers.into_iter().map(|(_, name)| name).collect();
        Ok(found)
    }
}
