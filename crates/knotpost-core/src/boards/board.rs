//! A board in memory: its stored rows, replayed into a position.

mod ending;
mod imagined;
mod pauses;

pub use ending::Standing;
pub(crate) use ending::{read_decision, read_departure};

use knotpost_rules::{AnyGame, GameOptions, Position, Rejected, Seat, Seed, Turn};
use sha2::{Digest as _, Sha256};

use crate::boards::Games;
use crate::boards::time::{TimeLimits, Timing, has_own_limits};
use knotpost_model::{BoardRef, BoardState, Millis, MoveKind, RemarkKey, SeatState, UserKey};
use knotpost_storage::{BoardRow, DroppedMail, MoveRow, ReadTx, SeatRow, SeatedBoard, StoreError};

#[derive(Clone, Debug)]
pub struct Entry {
    pub row: MoveRow,
    pub text: String,
    /// Points won; zero in games without points per move.
    pub gain: u32,
}

#[derive(Clone)]
pub struct Board {
    pub row: BoardRow,
    /// In turn order.
    pub seats: Vec<SeatRow>,
    /// The moves up to the position, in order.
    pub entries: Vec<Entry>,
    /// The game's rules.
    pub game: &'static dyn AnyGame,
    /// The position after the last of `entries`.
    pub position: Box<dyn Position>,
    /// Its limits of time, and what does not count.
    pub timing: Timing,
    /// Number of moves before the turn just made; `None`: unchanged.
    pub(crate) changed_from: Option<usize>,
    /// Remarks given with resignations that have just taken effect.
    pub(crate) parting_words: Vec<RemarkKey>,
    /// Unsent mails dropped because the moves changed; the next mails cover their content.
    pub(crate) dropped_mails: Vec<DroppedMail>,
    options: GameOptions,
    retired: Vec<Seat>,
    /// The index of the move that exchanged the sides.
    swap: Option<usize>,
}

impl std::fmt::Debug for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Board")
            .field("board", &self.name())
            .field("ply", &self.entries.len())
            .finish_non_exhaustive()
    }
}

impl Board {
    /// Loads a board, removed ones excluded, and replays its moves. Fails with an error if they do not replay
    /// under the present rules.
    pub async fn load(
        tx: &mut ReadTx,
        games: &Games,
        game: &str,
        number: u32,
    ) -> Result<Option<Self>, StoreError> {
        match tx.find_seated_board(game, number).await? {
            Some(found) if found.board.state != BoardState::Removed => {
                Self::from_seated(tx, games, found).await.map(Some)
            }
            _ => Ok(None),
        }
    }

    pub async fn from_row(tx: &mut ReadTx, games: &Games, row: BoardRow) -> Result<Self, StoreError> {
        let seats = tx.seats(row.id).await?;
        Self::from_seated(tx, games, SeatedBoard { board: row, seats }).await
    }

    pub async fn from_seated(tx: &mut ReadTx, games: &Games, found: SeatedBoard) -> Result<Self, StoreError> {
        let moves = tx.moves(found.board.id).await?;
        Self::from_moves(tx, games, found, moves).await
    }

    /// Completes stored rows, in their order: with as many queries as for one. Each may fail alone.
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn from_rows(
        tx: &mut ReadTx,
        games: &Games,
        rows: &[BoardRow],
    ) -> Result<Vec<Result<Self, StoreError>>, StoreError> {
        let keys: Vec<_> = rows.iter().map(|row| row.id).collect();
        let (mut seated, mut moves) = (tx.seated_boards(&keys).await?, tx.moves_of(&keys).await?);
        let mut boards = Vec::with_capacity(rows.len());
        for key in keys {
            let Some(found) = seated.remove(&key) else { continue };
            let moves = moves.remove(&key).unwrap_or_default();
            boards.push(Self::from_moves(tx, games, found, moves).await);
        }
        Ok(boards)
    }

    /// As [`Board::from_seated`], where the moves are known as well.
    ///
    /// # Errors
    /// As [`Board::load`].
    pub(crate) async fn from_moves(
        tx: &mut ReadTx,
        games: &Games,
        found: SeatedBoard,
        moves: Vec<MoveRow>,
    ) -> Result<Self, StoreError> {
        let SeatedBoard { board: row, seats } = found;
        let mut board = Self::replay(games, row, seats, moves)?;
        if has_own_limits(&board.row) || board.row.state == BoardState::Over || board.row.paused_at.is_some()
        {
            board.load_pauses(tx).await?;
        }
        Ok(board)
    }

    fn replay(
        games: &Games,
        row: BoardRow,
        seats: Vec<SeatRow>,
        moves: Vec<MoveRow>,
    ) -> Result<Self, StoreError> {
        let mut board = Self::begin(games, row, seats)?;
        for entry in moves {
            let number = entry.number;
            board.enter(entry).map_err(|error| {
                StoreError::Corrupt(format!("{} does not replay at move {number}: {error}", board.name()))
            })?;
        }
        Ok(board)
    }

    fn begin(games: &Games, row: BoardRow, seats: Vec<SeatRow>) -> Result<Self, StoreError> {
        let game = games.find(&row.game);
        let game = game.ok_or_else(|| corrupt(&row, "there is no such game"))?;
        let options = parse_options(game, &row.options, seats.len()).map_err(|what| corrupt(&row, &what))?;
        let seed = seed_of(&row.seed).ok_or_else(|| corrupt(&row, "the seed is not 32 bytes"))?;
        let position = game.setup(&options, seats.len(), &seed);
        let timing = Timing { limits: TimeLimits::of(&row, &games.time), ..Timing::default() };
        Ok(Self::without_moves((row, seats), game, options, timing, position))
    }

    /// A board at its first position.
    fn without_moves(
        (row, seats): (BoardRow, Vec<SeatRow>),
        game: &'static dyn AnyGame,
        options: GameOptions,
        timing: Timing,
        position: Box<dyn Position>,
    ) -> Self {
        Self {
            row,
            seats,
            entries: Vec::new(),
            game,
            position,
            timing,
            changed_from: None,
            parting_words: Vec::new(),
            dropped_mails: Vec::new(),
            options,
            retired: Vec::new(),
            swap: None,
        }
    }

    /// The board after `ply` moves, at most its last.
    pub fn at(&self, games: &Games, ply: usize) -> Result<Self, StoreError> {
        if ply >= self.entries.len() {
            return Ok(self.clone());
        }
        let moves = self.entries.iter().take(ply).map(|entry| entry.row.clone()).collect();
        let mut board = Self::replay(games, self.row.clone(), self.seats.clone(), moves)?;
        if self.swap.is_some_and(|swap| swap >= ply) {
            board.exchange_users();
        }
        Ok(Self { timing: self.timing.clone(), dropped_mails: self.dropped_mails.clone(), ..board })
    }

    /// Applies a stored move. Unchanged on an error.
    fn enter(&mut self, row: MoveRow) -> Result<(), Rejected> {
        let turn = match row.kind {
            MoveKind::Move => Turn::Move(&row.text),
            MoveKind::Pass => Turn::Pass,
            MoveKind::Swap => Turn::Swap,
            _ => {
                self.enter_word(row);
                return Ok(());
            }
        };
        let played = self.position.play(turn)?;
        self.push(Entry { row, text: played.text, gain: played.gain });
        Ok(())
    }

    fn push(&mut self, entry: Entry) {
        if entry.row.kind == MoveKind::Swap && self.swap.is_none() {
            self.swap = Some(self.entries.len());
        }
        self.entries.push(entry);
    }

    /// Enters how somebody left the game, or how it was ended.
    fn enter_word(&mut self, row: MoveRow) {
        let text = match row.kind {
            MoveKind::Draw => "Draw",
            MoveKind::Adjudicated => "Adjudicated",
            MoveKind::Deadline => "Deadline",
            _ => {
                let seat = seat_at(row.seat);
                self.position.retire(seat);
                self.retired.push(seat);
                if row.kind == MoveKind::Resign { "Resign" } else { "Forfeit" }
            }
        };
        self.entries.push(Entry { row, text: text.to_owned(), gain: 0 });
    }

    /// Plays a turn for the seat to move and appends it. Unchanged if the rules refuse it.
    pub fn play(&mut self, turn: Turn<'_>, auto: bool, at: Millis) -> Result<(), Rejected> {
        let kind = match turn {
            Turn::Move(_) => MoveKind::Move,
            Turn::Pass => MoveKind::Pass,
            Turn::Swap => MoveKind::Swap,
        };
        let played = self.position.play(turn)?;
        let row = MoveRow { auto, ..self.next_row(played.seat, kind, played.canonical, at) };
        self.push(Entry { row, text: played.text, gain: played.gain });
        Ok(())
    }

    pub fn next_number(&self) -> i64 {
        self.entries.len() as i64 + 1
    }

    fn next_row(&self, seat: Seat, kind: MoveKind, text: String, at: Millis) -> MoveRow {
        MoveRow { number: self.next_number(), seat: i64::from(seat.number()), kind, text, auto: false, at }
    }

    /// Present seat of the user who made a move: those who moved before a swap, or swapped, have changed
    /// places.
    pub fn present_seat(&self, index: usize) -> i64 {
        let seat = self.entries.get(index).map_or(1, |entry| entry.row.seat);
        if self.swap.is_some_and(|swap| index <= swap) { 3 - seat } else { seat }
    }

    /// The index of the move that exchanged the sides.
    pub(crate) fn swap(&self) -> Option<usize> {
        self.swap
    }

    /// A digest of the seed and all moves: tells this course of the game from any other on the board.
    pub fn course(&self) -> [u8; 32] {
        let mut digest = Sha256::new();
        digest.update(&self.row.seed);
        for Entry { row, .. } in &self.entries {
            digest.update(row.seat.to_be_bytes());
            for word in [row.kind.as_str(), &row.text] {
                digest.update((word.len() as u64).to_be_bytes());
                digest.update(word);
            }
        }
        digest.finalize().into()
    }

    pub fn exchange_users(&mut self) {
        if let [one, other, ..] = &mut *self.seats {
            std::mem::swap(&mut one.user_id, &mut other.user_id);
            std::mem::swap(&mut one.userid, &mut other.userid);
            std::mem::swap(&mut one.away_until, &mut other.away_until);
        }
    }

    /// Position string. Shows no pending roll on a finished board, even after resignations.
    pub fn position_text(&self) -> String {
        let text = self.position.position();
        match self.position.roll().filter(|_| matches!(self.standing(), Standing::Over(_))) {
            Some(roll) => {
                let parts = text.split(' ').map(|part| if part == roll { "-" } else { part });
                parts.collect::<Vec<_>>().join(" ")
            }
            None => text,
        }
    }

    pub fn name(&self) -> BoardRef {
        BoardRef { game: self.row.game.clone(), number: self.row.number as u32 }
    }

    pub fn title(&self) -> &'static str {
        self.game.meta().title
    }

    /// Name of a seat's side, e.g. `Horz`.
    pub fn side(&self, seat: i64) -> &'static str {
        let index = usize::try_from(seat - 1).unwrap_or(0);
        self.game.meta().seat_names(self.seats.len()).get(index).copied().unwrap_or("Player")
    }

    /// True in the first round of a board that a player can decline without losing. Who entered a tournament has agreed to
    /// its boards.
    pub(crate) fn can_be_declined(&self) -> bool {
        self.entries.len() < self.seats.len() && self.row.pairing_id.is_none()
    }

    pub(crate) fn seat_row(&self, seat: i64) -> Option<&SeatRow> {
        self.seats.iter().find(|row| row.seat == seat)
    }

    /// Seat to move; `None`: the game is over.
    pub(crate) fn mover(&self) -> Option<&SeatRow> {
        let Standing::ToMove(next) = self.standing() else { return None };
        self.seat_row(i64::from(next.number()))
    }

    pub fn userid_at(&self, seat: i64) -> &str {
        self.seat_row(seat).map_or("nobody", |row| row.userid.as_str())
    }

    /// Seat that a user acts for: the one to move if theirs, else their first still playing.
    pub fn seat_of(&self, user: UserKey) -> Option<&SeatRow> {
        let mut own = self.seats.iter().filter(|row| row.user_id == user);
        let first = own.clone().find(|row| row.state == SeatState::Playing).or_else(|| own.next());
        self.mover().filter(|row| row.user_id == user).or(first)
    }

    /// Canonical, without defaults.
    pub fn options(&self) -> &GameOptions {
        &self.options
    }

    pub fn restart(&mut self, seed: [u8; 32], seats: Vec<SeatRow>) {
        self.row.seed = seed.to_vec();
        self.position = self.game.setup(&self.options, seats.len(), &Seed(seed));
        self.seats = seats;
        self.entries.clear();
        self.retired.clear();
        self.swap = None;
    }
}

fn corrupt(row: &BoardRow, what: &str) -> StoreError {
    StoreError::Corrupt(format!("{} {}: {what}", row.game, row.number))
}

pub(crate) fn parse_options(game: &dyn AnyGame, text: &str, players: usize) -> Result<GameOptions, String> {
    let given: Vec<_> = text
        .split_whitespace()
        .map(|word| {
            let word = word.trim_start_matches('-');
            let (name, value) =
                word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value.to_owned())));
            knotpost_rules::GivenOption { name: name.to_owned(), value }
        })
        .collect();
    game.parse_options(&given, players).map_err(|error| error.to_string())
}

pub(crate) fn seed_of(bytes: &[u8]) -> Option<Seed> {
    bytes.try_into().ok().map(Seed)
}

/// Converts a stored seat number; out of range counts as the first seat.
pub(crate) fn seat_at(number: i64) -> Seat {
    u8::try_from(number).ok().and_then(Seat::new).unwrap_or(Seat::FIRST)
}
