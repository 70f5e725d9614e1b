//! Deletes what belongs to a departing user alone. The name stays taken, and stays on their boards.

use crate::connection::{StoreError, on};
use crate::transaction::WriteTx;
use knotpost_model::{Millis, UserKey};

/// The rows that belong to one user alone. Boards, moves, ratings and remarks belong to the other players too and stay.
/// Records of confirmation mails stay for thirty days: signing up with another person's address and leaving, again and
/// again, must not cause a mail to it each time. Words that wait with a resignation (no move has a number below 0) are for
/// the other players, who get them when the boards are resigned.
const FORGOTTEN: [&str; 26] = [
    "DELETE FROM addresses WHERE user_id = $1",
    "DELETE FROM preferences WHERE user_id = $1",
    "DELETE FROM user_games WHERE user_id = $1",
    "DELETE FROM notifications WHERE user_id = $1",
    "DELETE FROM board_notes WHERE user_id = $1",
    "DELETE FROM invitations WHERE user_id = $1",
    "DELETE FROM seeks WHERE user_id = $1",
    "DELETE FROM subscribers WHERE user_id = $1",
    "DELETE FROM vacations WHERE user_id = $1",
    "DELETE FROM password_resets WHERE user_id = $1",
    "DELETE FROM address_changes WHERE user_id = $1",
    "DELETE FROM web_sessions WHERE user_id = $1",
    "DELETE FROM api_tokens WHERE user_id = $1",
    "DELETE FROM passkeys WHERE user_id = $1",
    "DELETE FROM webhooks WHERE user_id = $1",
    "DELETE FROM feed_keys WHERE user_id = $1",
    "DELETE FROM magic_links WHERE user_id = $1",
    "DELETE FROM login_hosts WHERE user_id = $1",
    "DELETE FROM password_warnings WHERE user_id = $1",
    "DELETE FROM stranger_challenges WHERE user_id = $1",
    "DELETE FROM held_answers WHERE user_id = $1",
    "DELETE FROM digest_boards WHERE user_id = $1",
    "DELETE FROM digests WHERE user_id = $1",
    "DELETE FROM puzzle_mails WHERE user_id = $1",
    "DELETE FROM queued_moves WHERE EXISTS (SELECT 1 FROM seats s WHERE s.board_id = queued_moves.board_id \
     AND s.seat = queued_moves.seat AND s.user_id = $1)",
    "DELETE FROM submissions WHERE EXISTS (SELECT 1 FROM seats s WHERE s.board_id = submissions.board_id \
     AND s.seat = submissions.seat AND s.user_id = $1) AND ply >= 0",
];

impl WriteTx {
    /// Deletes everything that belongs to this user alone, and the mails to them that were not sent yet
    /// and were not written to say good-bye.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forget_user(&mut self, user: UserKey, now: Millis) -> Result<(), StoreError> {
        if self.is_postgres() {
            // A move at the same moment on a board that this user watches would write to them.
            let sql = "UPDATE boards SET nagged_at = nagged_at WHERE id IN (SELECT board_id FROM subscribers \
                       WHERE user_id = $1 UNION SELECT board_id FROM notifications WHERE user_id = $1)";
            on!(self.writing().await?, c => sqlx::query(sql).bind(user.0).execute(c).await.map(drop))?;
        }
        for sql in FORGOTTEN {
            on!(self.writing().await?, c => sqlx::query(sql).bind(user.0).execute(c).await.map(drop))?;
        }
        let sql = "UPDATE outbox SET state = 'dropped', error = 'the user left', done_at = $2 \
                   WHERE user_id = $1 AND state = 'queued' AND kind <> 'goodbye'";
        on!(self.writing().await?, c => sqlx::query(sql).bind(user.0).bind(now.0).execute(c).await.map(drop))?;
        Ok(())
    }
}
