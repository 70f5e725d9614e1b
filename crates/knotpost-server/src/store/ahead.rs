//! What moves that are made together are certain to ask, asked for all of them at once: on the way to PostgreSQL a
//! question costs more than what it asks for.

use std::mem;
use std::sync::Arc;

use sqlx::FromRow;

use super::accounts::{has_key, wish_to_confirm};
use super::readers::Asked;
use super::seated_boards::seated_columns;
use super::tx::Driver;
use super::{
    BoardRow, DirectMail, KeptMail, MoverRow, ReaderFacts, RequestKey, SavedResponse, SeatRow, SeatedBoard,
    StoreError, Tx, UserRow, UserState,
};
use crate::domain::{BoardKey, BoardState, Millis, RemarkKey, UserKey};

/// A move that somebody is about to make.
#[derive(Clone, Debug)]
pub struct Foreseen {
    /// On a board of this game.
    pub game: &'static str,
    /// … with this number.
    pub number: u32,
    /// Who makes it.
    pub user: UserKey,
    /// The key of the API that he shows.
    pub key: Option<i64>,
    /// Whether he says something with it.
    pub speaks: bool,
    /// The mail that it came in, which is stored with it.
    pub mail: Option<Arc<DirectMail>>,
    /// The key under which the request is carried out once.
    pub request: Option<RequestKey>,
}

impl Foreseen {
    fn is_on(&self, board: &BoardRow) -> bool {
        board.game == self.game && board.number == i64::from(self.number)
    }
}

/// Answers that wait for their questions. Each is given once, or forgotten as soon as something is written that it
/// depends on.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    boards: Vec<SeatedBoard>,
    movers: Vec<MoverAhead>,
    readers: Vec<ReadersAhead>,
    remarks: Vec<RemarkKey>,
    mails: Vec<MailAhead>,
    /// Addresses from which no mail has come back.
    sound: Vec<String>,
    answers: Vec<AnswerAhead>,
}

/// A mail that is stored already.
#[derive(Debug)]
pub(super) struct MailAhead {
    pub(super) dedupe_key: String,
    /// The address it is from, when no mail has come back from there.
    pub(super) sound: Option<String>,
    pub(super) kept: KeptMail,
}

/// What was answered under a key, if anything.
#[derive(Debug)]
pub(super) struct AnswerAhead {
    key_digest: String,
    pub(super) saved: Option<SavedResponse>,
}

/// A seat, the board once more, who sits there as one who moves, and a key for what he may say.
#[derive(Debug, FromRow)]
struct Line {
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

impl Line {
    fn mover(&mut self) -> MoverRow {
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

#[derive(Debug)]
struct MoverAhead {
    game: String,
    /// The key that was asked for.
    key: Option<i64>,
    mover: MoverRow,
}

#[derive(Debug)]
struct ReadersAhead {
    board: BoardKey,
    players: Vec<UserKey>,
    facts: ReaderFacts,
}

impl Ahead {
    pub(super) fn take_board(&mut self, game: &str, number: u32) -> Option<SeatedBoard> {
        let number = i64::from(number);
        take(&mut self.boards, |found| found.board.game == game && found.board.number == number)
    }

    pub(super) fn take_mover(&mut self, user: UserKey, game: &str, key: Option<i64>) -> Option<MoverRow> {
        let is_it =
            |found: &MoverAhead| found.mover.user.id == user && found.game == game && found.key == key;
        take(&mut self.movers, is_it).map(|found| found.mover)
    }

    pub(super) fn take_readers(&mut self, board: BoardKey, players: &[UserKey]) -> Option<ReaderFacts> {
        take(&mut self.readers, |found| found.board == board && found.players == players)
            .map(|found| found.facts)
    }

    /// The key of something that is about to be said.
    pub(super) fn take_remark(&mut self) -> Option<RemarkKey> {
        self.remarks.pop()
    }

    /// What became of a mail when it was stored.
    pub(super) fn take_mail(&mut self, dedupe_key: &str) -> Option<KeptMail> {
        take(&mut self.mails, |found| found.dedupe_key == dedupe_key).map(|found| found.kept)
    }

    /// Whether no mail has come back from this address; `false`: it is not known.
    pub(super) fn is_sound(&self, address_key: &str) -> bool {
        self.sound.iter().any(|sound| sound == address_key)
    }

    /// What was answered to a request before, when that was asked.
    pub(super) fn take_answer(&mut self, key_digest: &str) -> Option<AnswerAhead> {
        take(&mut self.answers, |found| found.key_digest == key_digest)
    }

    /// After a move on it.
    pub(super) fn forget_board(&mut self, board: BoardKey) {
        self.boards.retain(|found| found.board.id != board);
    }

    /// After a mail about it.
    pub(super) fn forget_readers(&mut self, board: BoardKey) {
        self.readers.retain(|found| found.board != board);
    }

    /// After anything else. Keys are nobody else's, what is stored stays so, and who answers a request has asked before.
    pub(super) fn forget(&mut self) {
        let Self { remarks, mails, answers, .. } = mem::take(self);
        *self = Self { remarks, mails, answers, ..Self::default() };
    }
}

fn take<T>(found: &mut Vec<T>, is_it: impl FnMut(&T) -> bool) -> Option<T> {
    let index = found.iter().position(is_it)?;
    Some(found.swap_remove(index))
}

/// In an order in which nobody waits for somebody who waits for him.
const BOARDS: &str = concat!(
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

impl Tx {
    /// Stores the mails of these moves, asks beforehand what the moves will ask, and locks their boards. PostgreSQL
    /// only.
    ///
    /// # Errors
    /// When the database fails.
    pub(super) async fn read_ahead(&mut self, moves: &[Foreseen]) -> Result<(), StoreError> {
        let mut ahead = Ahead::default();
        // As when each is made alone: its mail comes before its board, so that nobody waits in a circle.
        for mut mail in self.keep_mails(&first_of_each_mail(moves)).await? {
            ahead.sound.extend(mail.sound.take());
            ahead.mails.push(mail);
        }
        let mut requests: Vec<&RequestKey> = moves.iter().filter_map(|one| one.request.as_ref()).collect();
        requests.sort_unstable_by_key(|request| &request.digest);
        requests.dedup_by_key(|request| &request.digest);
        let answers = self.saved_responses(&requests).await?;
        ahead.answers = answers.map(|(key_digest, saved)| AnswerAhead { key_digest, saved }).collect();
        let firsts = first_of_each_board(moves);
        for mut line in self.lines_ahead(&firsts).await? {
            let mover = line.mover();
            ahead.remarks.extend(line.remark.map(RemarkKey));
            // With each board its own key was asked for.
            let is_his =
                |foreseen: &&&Foreseen| foreseen.is_on(&line.board) && foreseen.user == mover.user.id;
            if let Some(foreseen) = firsts.iter().find(is_his) {
                let game = line.board.game.clone();
                ahead.movers.push(MoverAhead { game, key: foreseen.key, mover });
            }
            match ahead.boards.last_mut().filter(|last| last.board.id == line.board.id) {
                Some(last) => last.seats.push(line.seat),
                None => ahead.boards.push(SeatedBoard { board: line.board, seats: vec![line.seat] }),
            }
        }
        let boards = ahead.boards.iter().filter(|found| found.board.state == BoardState::Active);
        let asked: Vec<Asked<'_>> = boards.map(Asked::players_of).collect();
        let facts = self.facts_of_readers(&asked).await?;
        let readers = asked.into_iter().zip(facts).filter_map(|(asked, facts)| {
            Some(ReadersAhead { board: asked.board?, players: asked.users, facts })
        });
        ahead.readers = readers.collect();
        self.ahead = ahead;
        Ok(())
    }

    async fn lines_ahead(&mut self, boards: &[&Foreseen]) -> Result<Vec<Line>, StoreError> {
        let games: Vec<&str> = boards.iter().map(|foreseen| foreseen.game).collect();
        let numbers: Vec<i64> = boards.iter().map(|foreseen| i64::from(foreseen.number)).collect();
        let speaks: Vec<bool> = boards.iter().map(|foreseen| foreseen.speaks).collect();
        let keys: Vec<Option<i64>> = boards.iter().map(|foreseen| foreseen.key).collect();
        let Driver::Postgres(connection) = self.driver().await? else { return Ok(Vec::new()) };
        let query = sqlx::query_as(BOARDS).bind(games).bind(numbers).bind(speaks).bind(keys);
        Ok(query.fetch_all(connection).await?)
    }
}

/// Two moves on one board are not made at the same time.
fn first_of_each_board(moves: &[Foreseen]) -> Vec<&Foreseen> {
    let is_first = |index: usize, foreseen: &Foreseen| {
        !moves.iter().take(index).any(|other| (other.game, other.number) == (foreseen.game, foreseen.number))
    };
    moves.iter().enumerate().filter(|(index, one)| is_first(*index, one)).map(|(_, one)| one).collect()
}

/// The same mail twice is stored and claimed one after the other.
fn first_of_each_mail(moves: &[Foreseen]) -> Vec<&DirectMail> {
    let mut mails: Vec<&DirectMail> = Vec::new();
    for mail in moves.iter().filter_map(|foreseen| foreseen.mail.as_deref()) {
        if mails.iter().all(|other| other.dedupe_key != mail.dedupe_key) {
            mails.push(mail);
        }
    }
    mails
}
