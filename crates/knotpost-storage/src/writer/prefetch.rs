//! Reads what the moves of a batch are certain to query, for all of them at once: the round trip to PostgreSQL costs more
//! than the query itself.

use std::mem;

use sqlx::FromRow;

use crate::batch::{
    MovePlan, Prefetched, PrefetchedMail, PrefetchedMover, PrefetchedReaders, PrefetchedResponse,
    distinct_requests, first_of_each_board, first_of_each_mail,
};
use crate::boards::seated_columns;
use crate::connection::{Driver, StoreError};
use crate::rows::{BoardRow, MoverRow, SeatRow, SeatedBoard, UserRow, UserState};
use crate::transaction::WriteTx;
use crate::users::{ReadersQuery, has_key, wish_to_confirm};
use knotpost_model::{BoardState, Millis, RemarkKey};

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
    /// Stores the mails of these moves, locks their boards, and reads what the moves will query. PostgreSQL only.
    pub(super) async fn prefetch(&mut self, plans: &[MovePlan]) -> Result<(), StoreError> {
        let mut prefetched = Prefetched::default();
        // In the order of a move that runs alone: the mail comes before the board, so that no two transactions wait for each other.
        for mail in self.store_mails(&first_of_each_mail(plans)).await? {
            prefetched.mails.push(PrefetchedMail { stored: mail.stored(), dedupe_key: mail.dedupe_key });
            if !mail.has_trouble {
                prefetched.sound_addresses.push(mail.sender_key);
            }
        }
        let requests = distinct_requests(plans);
        let responses = self.saved_responses(&requests).await?;
        prefetched.responses =
            responses.map(|(key_digest, saved)| PrefetchedResponse { key_digest, saved }).collect();
        self.lock_boards(&first_of_each_board(plans), &mut prefetched).await?;
        let boards = prefetched.boards.iter().filter(|found| found.board.state == BoardState::Active);
        let asked: Vec<ReadersQuery<'_>> = boards.map(ReadersQuery::of_board).collect();
        let facts = self.facts_of_readers(&asked).await?;
        let readers = asked.into_iter().zip(facts).filter_map(|(asked, facts)| {
            Some(PrefetchedReaders { board: asked.board?, players: asked.users, facts })
        });
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
            // For each board the query used the key of its own plan.
            let is_mover = |plan: &&&MovePlan| plan.is_on(&line.board) && plan.user == row.user.id;
            if let Some(plan) = plans.iter().find(is_mover) {
                prefetched.movers.push(PrefetchedMover { game: line.board.game.clone(), key: plan.key, row });
            }
            match prefetched.boards.last_mut().filter(|last| last.board.id == line.board.id) {
                Some(last) => last.seats.push(line.seat),
                None => prefetched.boards.push(SeatedBoard { board: line.board, seats: vec![line.seat] }),
            }
        }
        Ok(())
    }
}
