//! Deletion of a user's private data. The name stays taken, and visible on their boards.

use crate::connection::Result;
use crate::transaction::WriteTx;
use knotpost_model::UserKey;

/// Private rows of a user. Boards, moves, ratings and remarks belong to the other players too and stay.
/// Records of confirmation mails stay for thirty days: signing up with another person's address and leaving,
/// again and again, must not cause a mail to it each time. Remarks on noted resignations (stored below move
/// 0) stay for the other players, who get them when the boards are resigned.
macro_rules! rows_of_user {
    ($($table:ident)+) => {
        [
            $(concat!("DELETE FROM ", stringify!($table), " WHERE user_id = $1"),)+
            "DELETE FROM queued_moves WHERE EXISTS (SELECT 1 FROM seats s WHERE s.board_id = queued_moves.board_id \
             AND s.seat = queued_moves.seat AND s.user_id = $1)",
            "DELETE FROM submissions WHERE EXISTS (SELECT 1 FROM seats s WHERE s.board_id = submissions.board_id \
             AND s.seat = submissions.seat AND s.user_id = $1) AND ply >= 0",
        ]
    };
}
const FORGOTTEN: [&str; 26] = rows_of_user!(
    addresses preferences user_games notifications board_notes invitations seeks subscribers vacations
    password_resets address_changes web_sessions api_tokens passkeys webhooks feed_keys magic_links
    login_hosts password_warnings stranger_challenges held_answers digest_boards digests puzzle_mails
);

/// Placeholder for deleted text.
const REMOVED: &str = "[removed]";

/// Addresses confirmed by this user alone. A mailbox shared by two users stays until the other one leaves.
macro_rules! their_addresses {
    () => {
        "(SELECT a.address_key FROM addresses a WHERE a.user_id = $1 AND a.verified_at IS NOT NULL \
         AND NOT EXISTS (SELECT 1 FROM addresses o WHERE o.address_key = a.address_key AND o.user_id <> $1 \
         AND o.verified_at IS NOT NULL))"
    };
}

/// Mails name addresses, and are stored for weeks. Those to the user are deleted, except the farewell, whose
/// address goes once it is sent. Mails from them stay as counts, without content and sender; waiting ones are
/// processed first.
const MAILS: [&str; 3] = [
    "DELETE FROM outbox WHERE user_id = $1 AND NOT (kind = 'goodbye' AND state = 'queued')",
    concat!(
        "DELETE FROM outbox WHERE user_id IS NULL AND state <> 'queued' AND LOWER(recipient) IN ",
        their_addresses!()
    ),
    concat!(
        "UPDATE inbox SET sender = NULL, mail_from = NULL, peer = NULL, host = NULL, from_domain = NULL, \
         message_id = NULL, recipients = '', subject = NULL, text = NULL, raw = NULL, verdicts = NULL \
         WHERE state <> 'new' AND LOWER(sender) IN ",
        their_addresses!()
    ),
];

impl WriteTx {
    /// Deletes the user's private data and mails to them, and blanks mails from them. An unsent farewell
    /// stays.
    pub async fn forget_user(&mut self, user: UserKey) -> Result<()> {
        for sql in MAILS.into_iter().chain(FORGOTTEN) {
            self.exec(sql, &[&user]).await?;
        }
        Ok(())
    }

    /// Replaces the text of a user's comments, chat and broadcasts by a placeholder.
    pub async fn remove_remarks(&mut self, user: UserKey) -> Result<()> {
        for sql in [
            "UPDATE remarks SET text = $2 WHERE user_id = $1",
            "UPDATE broadcasts SET text = $2 WHERE user_id = $1",
            "UPDATE tournament_log SET words = $2 WHERE user_id = $1 AND words <> ''",
            "UPDATE tournaments SET title = $2, description = $2 WHERE announcer_id = $1",
        ] {
            self.exec(sql, &[&user, &REMOVED]).await?;
        }
        Ok(())
    }
}
