//! The database: the only module that knows SQL.
//!
//! One code path serves SQLite and PostgreSQL. Reads see one snapshot, on a [`ReadTx`] of [`Store::read`]; writes run
//! inside the closure of [`Store::write`], on a [`WriteTx`]. What must happen after a commit is returned from the closure,
//! never done inside it.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod accounts;
mod address_changes;
mod addresses;
mod api_tokens;
mod audit;
mod batch;
mod board_context;
mod boards;
mod bounces;
mod broadcasts;
mod budgets;
mod chat;
mod coalesced_mails;
mod deadlines;
mod delivery_status;
mod departures;
mod dialect;
mod digests;
mod do_not_mail;
mod error;
mod feeds;
mod file_identity;
mod guarding;
mod health;
mod held_answers;
mod idempotency;
mod imports;
mod inbox;
mod inspection;
mod integrity;
mod leader_lease;
mod mail_references;
mod notify;
mod open;
mod outbox;
mod overview;
mod preferences;
mod proposals;
mod queued_moves;
mod rating_history;
mod ratings;
mod read_only;
mod readers;
mod resets;
mod sealed;
mod seated_boards;
mod seats;
mod seeks;
mod server_metadata;
mod sessions;
mod standings;
mod submissions;
mod transfer;
mod turns;
mod tx;
mod user_games;
mod vacations;
mod waiting;
mod watching;
mod webhooks;
mod writer;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgPool};
use sqlx_rusqlite::{DataVersion, ReaderPool, UsageCounter};

pub use accounts::{MoverRow, NewUser, UserRow, UserState};
pub use address_changes::AddressChange;
pub use addresses::{AddressRow, ConfirmationShare};
pub use api_tokens::{NewToken, TokenRow};
pub use audit::{AuditFilter, AuditRow, NewAudit};
pub use batch::job::Work;
pub use batch::{DirectMail, MovePlan, StoredMail};
pub use board_context::BoardContext;
pub use boards::{BoardFilter, BoardRow, MoveRow, NewBoard, RemarkRow};
pub use bounces::StoppedAddress;
pub use broadcasts::BroadcastRow;
pub use budgets::Spent;
pub use chat::{ChatRow, PulseRow};
pub use coalesced_mails::{CoalescedMail, NewerMail};
pub use deadlines::DueBoard;
pub use delivery_status::DeliveryStatus;
pub use digests::DigestBoard;
pub use do_not_mail::{DO_NOT_MAIL, DoNotMailRow, STOPPED_BY_READER};
pub use error::StoreError;
pub use feeds::{FeedKeyRow, WaitingOrder};
pub use held_answers::HeldAnswerRow;
pub use idempotency::{RequestKey, SavedResponse};
pub use imports::CommentRow;
pub use inbox::{InboxRow, NewInbox};
pub use inspection::{InboxEntry, MOST_ASKED, MailFilter, MailQueue, MailState, OutboxEntry, Window};
pub use leader_lease::LeaderLease;
pub use mail_references::ReferenceMail;
pub use notify::{Listener, MAX_NOTICE, Notification};
pub use open::Settings;
pub use outbox::{BoardMail, NewOutbox, OutboxContent, OutboxRow};
pub use overview::{Deadline, DutyLine, WaitingBroadcast};
pub use preferences::{ALL_GAMES, PreferenceRow};
pub use proposals::ProposalRow;
pub use queued_moves::QueuedMoveRow;
pub use rating_history::RatedBoardRow;
pub use ratings::{RatingChange, RatingRow};
pub use read_only::ReadOnly;
pub use readers::{ReaderAddress, ReaderFacts, ReaderWish, WaitingMail};
pub use seated_boards::SeatedBoard;
pub use seats::{NewSeat, SeatRow};
pub use seeks::SeekRow;
pub use sessions::SessionRow;
pub use standings::{PlayerFacts, StandingRow, StandingsBlock, UnratedPlayer};
pub use submissions::SubmissionRow;
pub use transfer::{Cell, Column, Kind, STAYING, Staying, TABLES, Table};
pub use turns::Turn;
pub use tx::{Driver, ReadDriver, ReadTx, WriteDriver, WriteTx};
pub use vacations::VacationRow;
pub use waiting::{NewPlace, QueueBound, QueueBounds, Share};
pub use webhooks::{HookEventRow, HookReader, NewHookEvent, WebhookRow};

use batch::job::Isolation;
use dialect::on;
use file_identity::FileIdentity;
pub use health::Readiness;
pub use sqlx_rusqlite::Usage;
use tx::Connection;
use writer::Writer;

/// The connections.
#[derive(Clone, Debug)]
enum Pools {
    /// The options are for what takes long and therefore runs on a thread of its own.
    Sqlite {
        readers: ReaderPool,
        data_version: Box<DataVersion>,
        apart: Box<SqliteConnectOptions>,
        file: Box<FileIdentity>,
        usage: UsageCounter,
    },
    Postgres(PgPool),
}

/// The database, open. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    pools: Pools,
    writer: Writer,
}

impl Store {
    /// Begins a read: all queries on it see one snapshot, and nothing can be written.
    ///
    /// # Errors
    /// When no connection is available.
    pub async fn read(&self) -> Result<ReadTx, StoreError> {
        Ok(ReadTx::on(match &self.pools {
            Pools::Sqlite { readers, .. } => Connection::SqliteReader(readers.snapshot().await?),
            Pools::Postgres(pool) => Connection::Postgres(
                pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?,
            ),
        }))
    }

    /// As [`Store::read`], for a single query, which is a snapshot by itself: two queries on it may see different states.
    ///
    /// # Errors
    /// When no connection is available.
    pub async fn query(&self) -> Result<ReadTx, StoreError> {
        Ok(ReadTx::on(match &self.pools {
            Pools::Sqlite { readers, .. } => Connection::SqliteReader(readers.acquire().await?),
            Pools::Postgres(pool) => Connection::PostgresAlone(pool.acquire().await?),
        }))
    }

    /// Runs `work` inside a transaction and returns its value once that is committed to disk. On an error nothing of it is
    /// stored.
    ///
    /// `work` may be run again after a conflict, so it does nothing but read and write the
    /// transaction. On SQLite several waiting callers share one commit. On PostgreSQL the outcome is that of some serial
    /// order of all such works.
    ///
    /// # Errors
    /// Those of `work`, and those of the database.
    pub async fn write<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: Work<T>,
    {
        self.writer.write(None, Isolation::Serializable, work).await
    }

    /// As [`Store::write`], for work that may make a move: on PostgreSQL moves that wait are made in batches.
    ///
    /// # Errors
    /// As [`Store::write`].
    pub async fn write_move<T, W>(&self, plan: Option<MovePlan>, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: Work<T>,
    {
        // Moves lock their board and write its row; what else they read is listed in decision 0041.
        let isolation = if plan.is_some() { Isolation::Snapshot } else { Isolation::Serializable };
        self.writer.write(plan, isolation, work).await
    }

    /// As [`Store::write`], for work on a queue that claims rows, marks them or deletes old ones, and writes every row by
    /// which it decides: on PostgreSQL it conflicts with others only where both write the same row.
    ///
    /// # Errors
    /// As [`Store::write`].
    pub async fn write_queue<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: Work<T>,
    {
        self.writer.write(None, Isolation::Snapshot, work).await
    }

    /// How many writes this process has asked for since it started.
    pub fn writes(&self) -> u64 {
        self.writer.writes()
    }

    /// What this process has asked of the database since it opened it; `None`: on PostgreSQL that is not counted here.
    pub fn usage(&self) -> Option<Usage> {
        match &self.pools {
            Pools::Sqlite { usage, .. } => Some(usage.read()),
            Pools::Postgres(_) => None,
        }
    }

    /// A number that changes with every commit, by whatever process; `None`: PostgreSQL has no such number.
    ///
    /// # Errors
    /// When the database fails.
    pub fn data_version(&self) -> Result<Option<i64>, StoreError> {
        match &self.pools {
            Pools::Sqlite { data_version, .. } => Ok(Some(data_version.read()?)),
            Pools::Postgres(_) => Ok(None),
        }
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// When it does not.
    pub async fn ping(&self) -> Result<(), StoreError> {
        let mut tx = self.read().await?;
        on!(&mut tx, c => sqlx::query("SELECT 1 FROM users LIMIT 1").fetch_optional(c).await.map(drop))?;
        Ok(())
    }

    /// Finishes what is in hand and closes the connections.
    pub async fn close(&self) {
        self.writer.close().await;
        match &self.pools {
            Pools::Sqlite { readers, data_version, .. } => {
                for closed in [data_version.close(), readers.close().await] {
                    if let Err(error) = closed {
                        tracing::warn!(%error, "the database was not closed well");
                    }
                }
            }
            Pools::Postgres(pool) => pool.close().await,
        }
    }

    /// Copies the whole SQLite database into the new file `target` while others go on working.
    ///
    /// # Errors
    /// On PostgreSQL, whose own `pg_dump` does this; when the file exists or cannot be written.
    pub async fn backup(&self, target: &str) -> Result<(), StoreError> {
        match &self.pools {
            Pools::Sqlite { apart, .. } => {
                let mut connection = apart.connect().await?;
                sqlx::query("VACUUM INTO $1").bind(target).execute(&mut connection).await?;
                connection.close().await?;
                Ok(())
            }
            Pools::Postgres(_) => Err(StoreError::Url(
                "this database is PostgreSQL: back it up with its own `pg_dump`".to_owned(),
            )),
        }
    }
}
