//! The outbox: mails are queued in the transaction that causes them, then leased, sent and acknowledged by
//! workers.

use sqlx::AssertSqlSafe;

use crate::connection::{Argument, Result, among, key_list, row, values};
use crate::rows::{DroppedMail, NewOutbox, OutboxContent};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{BoardKey, Millis, OutboxKey, UnmailedTarget, UserKey};

/// True if a mail found by its key waits, written so that no index serves it: PostgreSQL keeps a plan made while few
/// mails waited, and would read all that wait instead of the one row.
macro_rules! waits {
    () => {
        "COALESCE(outbox.state, '') = 'queued'"
    };
}
pub(crate) use waits;

/// Inserts mails; one whose recipient is on the do-not-mail list is dropped from the start. The values of the mails
/// follow, each with the targets on that list that cover its recipient.
const NEW_MAILS: &str = "INSERT INTO outbox (kind, recipient, user_id, board_id, ply, facts, on_reply, message_id, date, attempts, due_at, \
     state, error, done_at) SELECT column1, column2, column3, column4, column5, column6, column7, column8, column9, 0, \
     column13, CASE WHEN is_blocked THEN 'dropped' ELSE 'queued' END, CASE WHEN is_blocked THEN 'do_not_mail' END, \
     CASE WHEN is_blocked THEN column9 END FROM (SELECT v.*, EXISTS (SELECT 1 FROM do_not_mail d WHERE d.target IN \
     (v.column10, v.column11, v.column12)) AS is_blocked FROM (";

/// Most mails that one statement queues.
const MAX_NEW_MAILS: usize = 16;

/// Assignments in an `UPDATE` that ends mails: remove address and message of the farewell to a deleted user.
macro_rules! without_goodbye {
    () => {
        "recipient = CASE kind WHEN 'goodbye' THEN '' ELSE recipient END, \
         facts = CASE kind WHEN 'goodbye' THEN NULL ELSE facts END"
    };
}

row! {
    #[derive(Clone, Debug)]
    pub struct OutboxRow {
        pub id: OutboxKey,
        pub kind: String,
        pub recipient: String,
        pub user_id: Option<i64>,
        /// Board that it shows, if it is a board mail.
        pub board_id: Option<i64>,
        pub ply: Option<i64>,
        /// Content, of a board mail what it says beside the board, as JSON.
        pub facts: Option<String>,
        /// Without angle brackets.
        pub message_id: String,
        pub date: Millis,
        /// Attempts, this one included.
        pub attempts: i64,
        /// Attempts that may have delivered it: this one, and those with an unknown result.
        pub unsure_attempts: i64,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempted {
    /// Certainly not delivered: it may still be changed or dropped.
    InVain,
    /// Unknown result: it may have been delivered.
    Unheard,
}

row! {
    /// A mail that somebody answers or complains of.
    #[derive(Clone, Debug)]
    pub struct OutboxOrigin {
        pub id: OutboxKey,
        pub kind: String,
        pub recipient: String,
        pub user_id: Option<i64>,
        pub board_id: Option<i64>,
        pub ply: Option<i64>,
        /// Of a board mail alone.
        pub facts: Option<String>,
        /// Subject of a reply, as JSON; `None`: the board of a board mail, or nothing.
        pub on_reply: Option<String>,
        /// Without angle brackets.
        pub message_id: String,
        pub date: Millis,
    }
}

macro_rules! outbox_origin {
    ($which:literal) => {
        concat!(
            "SELECT id, kind, recipient, user_id, board_id, ply, CASE WHEN board_id IS NOT NULL THEN facts END AS facts, \
             on_reply, message_id, date FROM outbox WHERE webhook_id IS NULL AND ",
            $which
        )
    };
}

/// Key, recipient, user, moves and facts of a dropped mail.
type DroppedRow = (i64, String, Option<UserKey>, Option<i64>, Option<String>);

/// In an `UPDATE` that leases the mails found by `$select`: until `$2`, at `$1`. The attempt is counted here, before the
/// sending, so that a mail that crashes the process is not tried for ever.
macro_rules! lease {
    ($begin:literal, $select:expr, $end:literal) => {
        concat!(
            "UPDATE outbox SET attempts = attempts + 1, unsure_attempts = unsure_attempts + 1, tried_at = $1, due_at = $2, \
             error = NULL WHERE id ",
            $begin,
            $select,
            $end,
            " RETURNING id, kind, recipient, user_id, board_id, ply, facts, message_id, date, attempts, unsure_attempts"
        )
    };
}

/// Mails that are due, and with each the mails to the same recipient that were queued before it and have not been tried
/// since it became due: a recipient is written to in the order in which things happened, whenever each of the mails
/// would be due by itself. Recipients to whom a leased mail goes wait: one that was tried, is due when its lease ends and
/// has no error.
macro_rules! due {
    () => {
        "SELECT o.id FROM (SELECT recipient, MAX(id) AS last, MAX(due_at) AS since FROM (\
         SELECT id, recipient, due_at FROM outbox WHERE state = 'queued' AND webhook_id IS NULL AND due_at <= $1 \
         AND recipient NOT IN (SELECT p.recipient FROM outbox p WHERE p.state = 'queued' AND p.webhook_id IS NULL \
         AND p.due_at > $1 AND p.due_at <= $2 AND p.attempts > 0 AND p.error IS NULL) \
         ORDER BY due_at, id LIMIT $3) AS due GROUP BY recipient) AS named JOIN outbox o \
         ON o.recipient = named.recipient AND o.id <= named.last WHERE o.state = 'queued' AND o.webhook_id IS NULL \
         AND (o.due_at <= $1 OR o.error IS NOT NULL AND o.tried_at <= named.since) \
         ORDER BY o.due_at > $1, o.id LIMIT CAST($3 AS BIGINT) + 64"
    };
}

/// Mails about the boards of leased ones to the same recipients that show more moves, were certainly not delivered, and
/// are neither leased nor put off since their reader has the board in sight. `$which` names a mail `n` of the board of a leased one `o`.
macro_rules! newer {
    ($which:literal) => {
        concat!(
            $which,
            " AND n.ply > o.ply AND n.state = 'queued' AND n.webhook_id IS NULL AND n.unsure_attempts = 0 \
             AND (n.due_at <= $1 OR n.attempts > 0)"
        )
    };
}

const LEASE_ON_SQLITE: &str = lease!("IN (", due!(), ")");
const LEASE_NEWER_ON_SQLITE: &str = lease!(
    "IN (",
    newer!(
        "SELECT n.id FROM json_each($3) AS leased JOIN outbox o ON o.id = CAST(leased.value AS BIGINT) \
         JOIN outbox n ON n.board_id = o.board_id AND n.recipient = o.recipient WHERE TRUE"
    ),
    ")"
);
/// Rows that another process is leasing are skipped, not waited for. The array makes the inner query run once.
const LEASE_ON_POSTGRES: &str = lease!("= ANY (ARRAY(", due!(), " FOR UPDATE OF o SKIP LOCKED))");
/// One leased mail at a time, by the mails of its board: PostgreSQL takes what waits for next to nothing, and would
/// compare each waiting mail with the leased ones.
const LEASE_NEWER_ON_POSTGRES: &str = lease!(
    "= ANY (ARRAY(",
    newer!(
        "SELECT newer.id FROM json_array_elements_text(CAST($3 AS json)) AS leased \
         JOIN LATERAL (SELECT board_id, recipient, ply FROM outbox WHERE id = CAST(leased.value AS BIGINT) OFFSET 0) AS o \
         ON TRUE CROSS JOIN LATERAL (SELECT n.id FROM outbox n WHERE n.board_id = o.board_id \
         AND n.recipient || '' = o.recipient"
    ),
    " FOR UPDATE SKIP LOCKED) AS newer))"
);

/// A mail that is inserted.
struct NewRow<'a> {
    mail: &'a NewOutbox,
    board: Option<BoardKey>,
    ply: Option<i64>,
    facts: &'a str,
    targets: [String; 3],
    due: Millis,
}

impl<'a> NewRow<'a> {
    fn of(mail: &'a NewOutbox) -> Self {
        let (board, facts) = match &mail.content {
            OutboxContent::Board(board) => (Some(board), &board.facts),
            OutboxContent::Reference(facts) => (None, facts),
        };
        Self {
            mail,
            board: board.map(|board| board.board),
            ply: board.map(|board| board.ply),
            facts,
            targets: UnmailedTarget::covering(&mail.recipient.to_lowercase()),
            due: mail.date.plus(board.map_or(0, |board| board.wait_ms)),
        }
    }

    fn arguments(&self) -> [&dyn Argument; 13] {
        let Self { mail, board, ply, facts, targets: [address, mailbox, domain], due } = self;
        let NewOutbox { kind, recipient, user, on_reply, message_id, date, .. } = mail;
        [kind, recipient, user, board, ply, facts, on_reply, message_id, date, address, mailbox, domain, due]
    }
}

impl ReadTx {
    pub async fn outbox_origin(&mut self, mail: OutboxKey) -> Result<Option<OutboxOrigin>> {
        self.fetch_optional(outbox_origin!("id = $1"), &[&mail]).await
    }

    /// Message-ID without brackets.
    pub async fn outbox_origin_by_id(&mut self, message_id: &str) -> Result<Option<OutboxOrigin>> {
        self.fetch_optional(outbox_origin!("message_id = $1"), &[&message_id]).await
    }
}

impl WriteTx {
    pub async fn insert_outbox(&mut self, mail: &NewOutbox) -> Result<()> {
        self.insert_outboxes(std::slice::from_ref(mail)).await
    }

    pub async fn insert_outboxes(&mut self, mails: &[NewOutbox]) -> Result<()> {
        for some in mails.chunks(MAX_NEW_MAILS) {
            let rows: Vec<NewRow<'_>> = some.iter().map(NewRow::of).collect();
            let arguments: Vec<&dyn Argument> = rows.iter().flat_map(NewRow::arguments).collect();
            let values = values(rows.len(), arguments.len() / rows.len(), self.is_postgres());
            let sql = format!("{NEW_MAILS}VALUES {values}) AS v) AS mail");
            self.exec(AssertSqlSafe(sql), &arguments).await?;
        }
        Ok(())
    }

    /// Leases the mails that have been due longest, at most `most`, and what was queued for their recipients before them,
    /// 64 more at most; until `lease_until`.
    pub async fn lease_outbox(
        &mut self,
        now: Millis,
        lease_until: Millis,
        most: i64,
    ) -> Result<Vec<OutboxRow>> {
        let sql = if self.is_postgres() { LEASE_ON_POSTGRES } else { LEASE_ON_SQLITE };
        let mut rows = self.fetch_all::<OutboxRow>(sql, &[&now, &lease_until, &most]).await?;
        rows.sort_unstable_by_key(|row| row.id);
        Ok(rows)
    }

    /// Leases the newer mails about the boards of these leased ones to the same recipients that were certainly not
    /// delivered, due or to be tried again.
    pub async fn lease_newer_outbox(
        &mut self,
        leased: &[OutboxKey],
        now: Millis,
        lease_until: Millis,
    ) -> Result<Vec<OutboxRow>> {
        if leased.is_empty() {
            return Ok(Vec::new());
        }
        let sql = if self.is_postgres() { LEASE_NEWER_ON_POSTGRES } else { LEASE_NEWER_ON_SQLITE };
        self.fetch_all(sql, &[&now, &lease_until, &key_list(leased)]).await
    }

    /// Gives a leased mail facts that also say what those of older mails say, which are dropped.
    pub async fn coalesce_outbox(
        &mut self,
        newest: OutboxKey,
        facts: &str,
        older: &[OutboxKey],
        now: Millis,
    ) -> Result<()> {
        let sql = concat!("UPDATE outbox SET facts = $2 WHERE id = $1 AND ", waits!());
        self.exec(sql, &[&newest, &facts]).await?;
        if older.is_empty() {
            return Ok(());
        }
        let sql = among!(
            self,
            concat!(
                "UPDATE outbox SET state = 'dropped', error = 'superseded', done_at = $2 WHERE ",
                waits!(),
                " AND id"
            ),
            ""
        );
        self.exec(sql, &[&key_list(older), &now]).await
    }

    /// Boards of each reader, beside the one of the mail, on which it is their turn, 100 at most; of those of these leased
    /// mails that are tried for the first time.
    pub async fn boards_waiting_beside(&mut self, leased: &[OutboxKey]) -> Result<Vec<(OutboxKey, i64)>> {
        let sql = among!(
            self,
            "SELECT outbox.id, (SELECT COUNT(*) FROM (SELECT 1 FROM boards_in_play p JOIN seats s ON s.user_id = p.user_id \
             AND s.board_id = p.board_id JOIN boards b ON b.id = p.board_id WHERE p.user_id = outbox.user_id AND s.to_move \
             AND b.paused_at IS NULL AND p.board_id <> outbox.board_id LIMIT 100) AS own) AS waiting \
             FROM outbox WHERE outbox.attempts = 1 AND outbox.board_id IS NOT NULL AND outbox.id",
            ""
        );
        self.fetch_all(sql, &[&key_list(leased)]).await
    }

    /// Ends the leases of mails that were leased until `lease_until` and not tried.
    pub async fn give_back_outbox(
        &mut self,
        keys: &[OutboxKey],
        lease_until: Millis,
        now: Millis,
    ) -> Result<()> {
        let sql = among!(
            self,
            concat!(
                "UPDATE outbox SET due_at = $3, attempts = attempts - 1, unsure_attempts = unsure_attempts - 1 WHERE ",
                waits!(),
                " AND due_at = $2 AND id"
            ),
            ""
        );
        self.exec(sql, &[&key_list(keys), &lease_until, &now]).await
    }
}

impl WriteTx {
    /// Makes every mail due that some process has leased; those that are deferred after a failure, or were never tried,
    /// stay as they are.
    pub async fn release_outbox(&mut self, now: Millis) -> Result<()> {
        let sql = "UPDATE outbox SET due_at = $1 WHERE state = 'queued' AND due_at > $1 AND error IS NULL AND attempts > 0";
        self.exec(sql, &[&now]).await
    }

    /// `sent`, `failed` or `dropped`.
    pub async fn finish_outbox(
        &mut self,
        key: OutboxKey,
        state: &'static str,
        error: Option<&str>,
        now: Millis,
    ) -> Result<()> {
        let sql = concat!(
            "UPDATE outbox SET state = $2, error = $3, done_at = $4, ",
            without_goodbye!(),
            " WHERE id = $1 AND ",
            waits!()
        );
        self.exec(sql, &[&key, &state, &error, &now]).await
    }

    pub async fn note_sent_outbox(&mut self, keys: &[OutboxKey], now: Millis) -> Result<()> {
        let sql = among!(
            self,
            concat!(
                "UPDATE outbox SET state = 'sent', error = NULL, done_at = $2, ",
                without_goodbye!(),
                " WHERE ",
                waits!(),
                " AND id"
            ),
            ""
        );
        self.exec(sql, &[&key_list(keys), &now]).await
    }

    pub async fn defer_outbox(
        &mut self,
        key: OutboxKey,
        (attempt, error): (Attempted, &str),
        due: Millis,
    ) -> Result<()> {
        let sql = concat!(
            "UPDATE outbox SET error = $2, due_at = $3, unsure_attempts = unsure_attempts - $4 WHERE id = $1 AND ",
            waits!()
        );
        let known = i64::from(attempt == Attempted::InVain);
        self.exec(sql, &[&key, &error, &due, &known]).await
    }

    /// Drops unsent reference mails of a board whose moves are about to change; returns them, oldest first.
    pub async fn drop_board_mails(&mut self, board: BoardKey, now: Millis) -> Result<Vec<DroppedMail>> {
        let sql = "UPDATE outbox SET state = 'dropped', error = 'superseded', done_at = $2 \
                   WHERE board_id = $1 AND state = 'queued' RETURNING id, recipient, user_id, ply, facts";
        let mut rows: Vec<DroppedRow> = self.fetch_all(sql, &[&board, &now]).await?;
        rows.sort_unstable_by_key(|row| row.0);
        let dropped = rows.into_iter().filter_map(|(_, recipient, user_id, ply, facts)| {
            Some(DroppedMail { recipient, user_id, ply: ply?, facts: facts? })
        });
        Ok(dropped.collect())
    }
}

impl ReadTx {
    pub async fn next_outbox_due(&mut self) -> Result<Option<i64>> {
        let sql = "SELECT MIN(due_at) FROM outbox WHERE state = 'queued' AND webhook_id IS NULL";
        self.fetch_one(sql, &[]).await
    }

    pub async fn count_waiting_outbox(&mut self) -> Result<i64> {
        self.fetch_one("SELECT COUNT(*) FROM outbox WHERE state = 'queued' AND webhook_id IS NULL", &[]).await
    }

    pub async fn count_late_outbox(&mut self, before: Millis) -> Result<i64> {
        let sql = "SELECT COUNT(*) FROM outbox WHERE state = 'queued' AND webhook_id IS NULL AND date < $1";
        self.fetch_one(sql, &[&before]).await
    }
}

impl WriteTx {
    /// Deletes a batch that ended before `before`; returns the number.
    pub async fn prune_outbox(&mut self, before: Millis) -> Result<u64> {
        // Keys ascend: only the oldest finished rows are read, and waiting ones before them.
        let sql = "DELETE FROM outbox WHERE id IN (SELECT id FROM (SELECT id, done_at FROM outbox WHERE state <> 'queued' \
                   ORDER BY id LIMIT 1000) AS oldest WHERE done_at < $1)";
        self.exec_count(sql, &[&before]).await
    }
}
