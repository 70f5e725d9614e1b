//! What the moves of a batch are certain to ask, asked for all of them at once: on the way to PostgreSQL a query costs
//! more than what it asks for.

use std::mem;

use sqlx::FromRow;

use super::plan::{distinct_requests, first_of_each_board, first_of_each_mail};
use super::{MovePlan, StoredMail};
use crate::accounts::{has_key, wish_to_confirm};
use crate::readers::ReadersQuery;
use crate::seated_boards::seated_columns;
use crate::tx::Driver;
use crate::{
    BoardRow, MoverRow, ReaderFacts, SavedResponse, SeatRow, SeatedBoard, StoreError, UserRow, UserState,
    WriteTx,
};
use knotpost_model::{BoardKey, BoardState, Millis, RemarkKey, UserKey};

/// Answers that wait for their queries. Each is given once, or dropped as soon as something is written that it depends
/// on.
#[derive(Debug, Default)]
pub(crate) struct Prefetched {
    boards: Vec<SeatedBoard>,
    movers: Vec<Mover>,
    readers: Vec<Readers>,
    remark_keys: Vec<RemarkKey>,
    mails: Vec<Mail>,
    /// Addresses from which no mail has come back.
    sound_addresses: Vec<String>,
    responses: Vec<Response>,
}

#[derive(Debug)]
struct Mover {
    game: String,
    /// The API key that was asked for.
    key: Option<i64>,
    row: MoverRow,
}

#[derive(Debug)]
struct Readers {
    board: BoardKey,
    players: Vec<UserKey>,
    facts: ReaderFacts,
}

#[derive(Debug)]
struct Mail {
    dedupe_key: String,
    stored: StoredMail,
}

/// What was answered under a key.
#[derive(Debug)]
pub(crate) struct Response {
    key_digest: String,
    /// The answer, if there was one.
    pub(crate) saved: Option<SavedResponse>,
}

impl Prefetched {
    pub(crate) fn take_board(&mut self, game: &str, number: u32) -> Option<SeatedBoard> {
        let number = i64::from(number);
        take(&mut self.boards, |found| found.board.game == game && found.board.number == number)
    }

    pub(crate) fn take_mover(&mut self, user: UserKey, game: &str, key: Option<i64>) -> Option<MoverRow> {
        let is_wanted = |found: &Mover| found.row.user.id == user && found.game == game && found.key == key;
        take(&mut self.movers, is_wanted).map(|found| found.row)
    }

    pub(crate) fn take_readers(&mut self, board: BoardKey, players: &[UserKey]) -> Option<ReaderFacts> {
        take(&mut self.readers, |found| found.board == board && found.players == players)
            .map(|found| found.facts)
    }

    /// Whether no mail has come back from this address; `false`: it is not known.
    pub(crate) fn is_sound(&self, address_key: &str) -> bool {
        self.sound_addresses.iter().any(|sound| sound == address_key)
    }

    /// What was answered to a request before; `None`: that was not asked.
    pub(crate) fn take_response(&mut self, key_digest: &str) -> Option<Response> {
        take(&mut self.responses, |found| found.key_digest == key_digest)
    }

    /// A key that was reserved for a remark.
    pub(super) fn take_remark_key(&mut self) -> Option<RemarkKey> {
        self.remark_keys.pop()
    }

    /// What became of a mail when it was stored.
    pub(super) fn take_mail(&mut self, dedupe_key: &str) -> Option<StoredMail> {
        take(&mut self.mails, |found| found.dedupe_key == dedupe_key).map(|found| found.stored)
    }

    /// After a move on it.
    pub(super) fn drop_board(&mut self, board: BoardKey) {
        self.boards.retain(|found| found.board.id != board);
    }

    /// After a mail about it.
    pub(super) fn drop_readers(&mut self, board: BoardKey) {
        self.readers.retain(|found| found.board != board);
    }

    /// After any other change. Reserved keys are used by no other write, stored mails stay stored, and a request is
    /// answered by the move that has asked for its answer before.
    pub(super) fn invalidate(&mut self) {
        let Self { remark_keys, mails, responses, .. } = mem::take(self);
        *self = Self { remark_keys, mails, responses, ..Self::default() };
    }
}

fn take<T>(found: &mut Vec<T>, is_wanted: impl FnMut(&T) -> bool) -> Option<T> {
    let index = found.iter().position(is_wanted)?;
    Some(found.swap_remove(index))
}

/// A seat, the board once more, the user who sits there as a mover, and a key for the remark that comes with the move.
#[derive(Debug, FromRow)]
struct SeatLine {
    #[sqlx(flatten)]
    board: BoardRow,
    #[sqlx(flatten)]
    seat: SeatRow,
    password_hash: Option<String>,
    role: String,
    #[sqlx(try_from = "String")]
    user_state: UserState,
    #[sqlx(try_from = "i64")]
    created_at: Millis,
    password_changed_at: Option<i64>,
    confirm: Option<String>,
    has_key: bool,
    remark: Option<i64>,
}

impl SeatLine {
    fn take_mover(&mut self) -> MoverRow {
        let user = UserRow {
            id: self.seat.user_id,
            userid: self.seat.userid.clone(),
            password_hash: self.password_hash.take(),
            role: mem::take(&mut self.role),
            state: self.user_state,
            created_at: self.created_at,
            password_changed_at: self.password_changed_at,
        };
        MoverRow { user, confirm: self.confirm.take(), has_key: self.has_key }
    }
}

/// Locked in the order of their keys, so that no two transactions wait for each other.
const LOCK_BOARDS: &str = concat!(
    "SELECT ",
    seated_columns!(),
    ", u.password_hash, u.role, u.state AS user_state, u.created_at, u.password_changed_at, ",
    wish_to_confirm!("b.game"),
    ", ",
    has_key!("asked.key"),
    ", CASE WHEN asked.speaks AND s.to_move THEN nextval(pg_get_serial_sequence('remarks', 'id')) END AS remark \
     FROM UNNEST($1, $2, $3, $4) AS asked (game, number, speaks, key) \
     JOIN boards b ON b.game = asked.game AND b.number = asked.number \
     JOIN seats s ON s.board_id = b.id JOIN users u ON u.id = s.user_id ORDER BY b.id, s.seat FOR UPDATE OF b"
);

impl WriteTx {
    /// Stores the mails of these moves, locks their boards, and reads what the moves will ask for. PostgreSQL only.
    ///
    /// # Errors
    /// When the database fails.
    pub(super) async fn prefetch(&mut self, plans: &[MovePlan]) -> Result<(), StoreError> {
        let mut prefetched = Prefetched::default();
        // As when each is made alone: its mail comes before its board, so that no two transactions wait for each other.
        for mail in self.store_mails(&first_of_each_mail(plans)).await? {
            prefetched.mails.push(Mail { stored: mail.stored(), dedupe_key: mail.dedupe_key });
            if !mail.has_trouble {
                prefetched.sound_addresses.push(mail.sender_key);
            }
        }
        let requests = distinct_requests(plans);
        let responses = self.saved_responses(&requests).await?;
        prefetched.responses = responses.map(|(key_digest, saved)| Response { key_digest, saved }).collect();
        self.lock_boards(&first_of_each_board(plans), &mut prefetched).await?;
        let boards = prefetched.boards.iter().filter(|found| found.board.state == BoardState::Active);
        let asked: Vec<ReadersQuery<'_>> = boards.map(ReadersQuery::of_board).collect();
        let facts = self.facts_of_readers(&asked).await?;
        let readers = asked
            .into_iter()
            .zip(facts)
            .filter_map(|(asked, facts)| Some(Readers { board: asked.board?, players: asked.users, facts }));
        prefetched.readers = readers.collect();
        *self.prefetched() = prefetched;
        Ok(())
    }

    async fn lock_boards(
        &mut self,
        plans: &[&MovePlan],
        prefetched: &mut Prefetched,
    ) -> Result<(), StoreError> {
        let games: Vec<&str> = plans.iter().map(|plan| plan.game).collect();
        let numbers: Vec<i64> = plans.iter().map(|plan| i64::from(plan.number)).collect();
        let remarks: Vec<bool> = plans.iter().map(|plan| plan.has_remark).collect();
        let keys: Vec<Option<i64>> = plans.iter().map(|plan| plan.key).collect();
        let Driver::Postgres(connection) = self.writing().await?.driver().await? else { return Ok(()) };
        let query = sqlx::query_as(LOCK_BOARDS).bind(games).bind(numbers).bind(remarks).bind(keys);
        let lines: Vec<SeatLine> = query.fetch_all(connection).await?;
        for mut line in lines {
            let row = line.take_mover();
            prefetched.remark_keys.extend(line.remark.map(RemarkKey));
            // For each board the key of its own plan was asked for.
            let is_mover = |plan: &&&MovePlan| plan.is_on(&line.board) && plan.user == row.user.id;
            if let Some(plan) = plans.iter().find(is_mover) {
                prefetched.movers.push(Mover { game: line.board.game.clone(), key: plan.key, row });
            }
            match prefetched.boards.last_mut().filter(|last| last.board.id == line.board.id) {
                Some(last) => last.seats.push(line.seat),
                None => prefetched.boards.push(SeatedBoard { board: line.board, seats: vec![line.seat] }),
            }
        }
        Ok(())
    }
}
