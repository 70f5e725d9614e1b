//! Data around a board in one query: watchers, proposal, remark on a move, players with bouncing mail.

use super::proposals::{ProposalRow, RefusedOffer};
use crate::connection::{Result, StoreError, row};
use crate::rows::RemarkRow;
use crate::transaction::{ReadTx, Statements};
use knotpost_model::{BoardKey, Millis, ProposalKind, RemarkKey, RemarkKind, UserKey};

/// Everything that is shown around a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoardContext {
    /// Watchers of the board, or of all boards of its game.
    pub watchers: Vec<String>,
    /// Proposal, even if void.
    pub proposal: Option<ProposalRow>,
    pub comment: Option<RemarkRow>,
    pub refused: Vec<RefusedOffer>,
    /// Players still in the game without a confirmed address that works.
    pub unreached: Vec<String>,
}

/// Kinds of rows of the query.
const WATCHER: i64 = 1;
const PROPOSAL: i64 = 2;
const COMMENT: i64 = 3;
const UNREACHED: i64 = 4;
const REFUSED: i64 = 5;

row! {
    /// Neutral columns, whose meaning per kind is in the query and in [`ReadTx::board_context`].
    #[derive(Debug)]
    struct Fact {
        kind: i64,
        text_1: String,
        text_2: Option<String>,
        number_1: i64,
        number_2: i64,
        number_3: i64,
    }
}

const BOARD_CONTEXT: &str = "SELECT CAST(1 AS BIGINT) AS kind, u.userid AS text_1, u.userid_key AS text_2, \
     CAST(0 AS BIGINT) AS number_1, CAST(0 AS BIGINT) AS number_2, CAST(0 AS BIGINT) AS number_3 FROM users u WHERE u.id IN \
     (SELECT user_id FROM subscribers WHERE board_id = $1 UNION SELECT g.user_id FROM boards b \
     JOIN user_games g ON g.game = b.game AND g.subscribes WHERE b.id = $1) AND u.state <> 'deleted' \
     UNION ALL SELECT 2, kind, accepted, seat, ply, at FROM proposals WHERE board_id = $1 \
     UNION ALL SELECT 3, r.text, (SELECT u.userid FROM users u WHERE u.id = r.user_id), r.id, r.ply, 0 FROM remarks r \
     WHERE r.id = (SELECT l.id FROM remarks l WHERE l.board_id = $1 AND l.ply = $2 AND l.kind = 'comment' \
     ORDER BY l.id DESC LIMIT 1) \
     UNION ALL SELECT 5, kind, NULL, user_id, ply, 0 FROM refused_offers WHERE board_id = $1 \
     UNION ALL SELECT 4, u.userid, u.userid_key, 0, 0, 0 FROM users u WHERE u.id IN \
     (SELECT user_id FROM seats WHERE board_id = $1 AND state = 'playing') AND EXISTS \
     (SELECT 1 FROM addresses a WHERE a.user_id = u.id AND a.verified_at IS NOT NULL) AND NOT EXISTS \
     (SELECT 1 FROM addresses a LEFT JOIN failing_addresses f ON f.address_key = a.address_key \
     WHERE a.user_id = u.id AND a.verified_at IS NOT NULL AND f.stopped_at IS NULL)";

impl ReadTx {
    pub async fn board_context(&mut self, board: BoardKey, ply: i64) -> Result<BoardContext> {
        let rows = self.fetch_all(BOARD_CONTEXT, &[&board, &ply]).await?;
        let (mut found, mut watchers) = (BoardContext::default(), Vec::new());
        for Fact { kind, text_1, text_2, number_1, number_2, number_3 } in rows {
            match kind {
                WATCHER => watchers.push((text_2, text_1)),
                UNREACHED => found.unreached.push(text_1),
                PROPOSAL => {
                    let kind = ProposalKind::try_from(text_1).map_err(StoreError::Corrupt)?;
                    let (seat, ply, at) = (number_1, number_2, Millis(number_3));
                    let accepted = text_2.unwrap_or_default();
                    found.proposal = Some(ProposalRow { kind, seat, ply, accepted, at });
                }
                REFUSED => {
                    let kind = ProposalKind::try_from(text_1).map_err(StoreError::Corrupt)?;
                    let (user_id, ply) = (UserKey(number_1), number_2);
                    found.refused.push(RefusedOffer { user_id, kind, ply });
                }
                COMMENT => {
                    let (id, ply, kind) = (RemarkKey(number_1), number_2, RemarkKind::Comment);
                    found.comment = Some(RemarkRow { id, ply, userid: text_2, kind, text: text_1 });
                }
                _ => return Err(StoreError::Corrupt(format!("a row of kind {kind} about a board"))),
            }
        }
        found.unreached.sort_unstable();
        watchers.sort_unstable();
        found.watchers = watchers.into_iter().map(|(_, name)| name).collect();
        Ok(found)
    }
}
