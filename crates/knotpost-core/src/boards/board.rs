//! A board in memory: its stored rows, replayed into a position.

mod ending;
mod imagined;
mod pauses;

pub use ending::Standing;
pub(crate) use ending::{read_adjudication, read_departure};

use knotpost_rules::{AnyGame, GameOptions, Rejected, Seat, Seed, Turn};

use ending::{ADJUDICATED, DRAW};

use crate::boards::BoardContext;
use crate::boards::recent_boards::Recent;
use crate::boards::time::{TimeLimits, Timing, has_own_limits};
use crate::boards::{History, Scene};
use knotpost_model::{BoardRef, BoardState, Millis, MoveKind, RemarkKey, SeatState, UserKey};
use knotpost_storage::{BoardRow, DroppedMail, MoveRow, ReadTx, SeatRow, SeatedBoard, StoreError, WriteTx};

#[derive(Clone, Debug)]
pub struct Entry {
    pub row: MoveRow,
    pub text: String,
    /// Points won; zero in games without points per move.
    pub gain: u32,
}

pub struct Board {
    pub row: BoardRow,
    /// In turn order.
    pub seats: Vec<SeatRow>,
    /// In order, up to `position`.
    pub entries: History,
    pub game: &'static dyn AnyGame,
    pub position: Scene,
    pub timing: Timing,
    /// Number of moves before the turn just made; `None`: unchanged.
    pub(crate) changed_from: Option<usize>,
    /// Remarks given with resignations that have just taken effect.
    pub(crate) parting_words: Vec<RemarkKey>,
    /// Unsent mails dropped because the moves changed; the next mails cover their content.
    pub(crate) dropped_mails: Vec<DroppedMail>,
    options: GameOptions,
    retired: Vec<Seat>,
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
        app: &impl BoardContext,
        game: &str,
        number: u32,
    ) -> Result<Option<Self>, StoreError> {
        let found = tx.find_seated_board(game, number).await?;
        Self::unless_removed(tx, app, found).await
    }

    /// Loads a board and locks it until the transaction ends.
    pub async fn load_to_change(
        tx: &mut WriteTx,
        app: &impl BoardContext,
        game: &str,
        number: u32,
    ) -> Result<Option<Self>, StoreError> {
        let found = tx.lock_seated_board(game, number).await?;
        Self::unless_removed(tx, app, found).await
    }

    async fn unless_removed(
        tx: &mut ReadTx,
        app: &impl BoardContext,
        found: Option<SeatedBoard>,
    ) -> Result<Option<Self>, StoreError> {
        match found {
            Some(found) if found.board.state != BoardState::Removed => {
                Self::from_seated(tx, app, found).await.map(Some)
            }
            _ => Ok(None),
        }
    }

    pub async fn from_row(
        tx: &mut ReadTx,
        app: &impl BoardContext,
        row: BoardRow,
    ) -> Result<Self, StoreError> {
        let seats = tx.seats(row.id).await?;
        Self::from_seated(tx, app, SeatedBoard { board: row, seats }).await
    }

    pub async fn from_seated(
        tx: &mut ReadTx,
        app: &impl BoardContext,
        found: SeatedBoard,
    ) -> Result<Self, StoreError> {
        let SeatedBoard { board: row, seats } = found;
        let mut board = match Self::recall(tx, app, &row, &seats).await? {
            Some(board) => board,
            None => Self::replay(app, row.clone(), seats, tx.moves(row.id).await?)?,
        };
        board.cache(app);
        if has_own_limits(&board.row) || board.row.state == BoardState::Over || board.row.paused_at.is_some()
        {
            board.load_pauses(tx).await?;
        }
        Ok(board)
    }

    /// Replays a board from its moves alone, without the cache.
    pub(crate) async fn replay_row(
        tx: &mut ReadTx,
        app: &impl BoardContext,
        row: BoardRow,
    ) -> Result<Self, StoreError> {
        let (seats, moves) = (tx.seats(row.id).await?, tx.moves(row.id).await?);
        Self::replay(app, row, seats, moves)
    }

    /// Caches moves and position. May run before the commit: a reader compares the cached board with the row.
    pub(crate) fn cache(&self, app: &impl BoardContext) {
        if app.recent_boards().wants(self.row.id, &self.entries) && self.is_as_stored() {
            let (entries, position) = (self.entries.clone(), self.position.clone());
            app.recent_boards()
                .insert(self.row.id, Recent { entries, position, retired: self.retired.clone() });
        }
    }

    async fn recall(
        tx: &mut ReadTx,
        app: &impl BoardContext,
        row: &BoardRow,
        seats: &[SeatRow],
    ) -> Result<Option<Self>, StoreError> {
        let Some(recent) = app.recent_boards().find(row.id, row.ply) else { return Ok(None) };
        let known = recent.entries.len() as i64;
        let is_all = known == row.ply && row.history == Some(recent.entries.digest());
        let later = if is_all { Vec::new() } else { tx.moves_after(row.id, known).await? };
        let (game, options) = read_options(app, row, seats.len())?;
        let mut board = Self::with(app, (row.clone(), seats.to_vec()), game, options, recent);
        let fits = later.into_iter().all(|row| board.enter(row).is_ok()) && board.is_as_stored();
        Ok(fits.then_some(board))
    }

    /// True if all moves in memory are those stored with the row.
    fn is_as_stored(&self) -> bool {
        self.row.history == Some(self.entries.digest())
            && self.row.ply == self.entries.len() as i64
            && self.row.position == self.position_text()
    }

    fn replay(
        app: &impl BoardContext,
        row: BoardRow,
        seats: Vec<SeatRow>,
        moves: Vec<MoveRow>,
    ) -> Result<Self, StoreError> {
        let mut board = Self::begin(app, row, seats)?;
        for entry in moves {
            let number = entry.number;
            board.enter(entry).map_err(|error| {
                StoreError::Corrupt(format!("{} does not replay at move {number}: {error}", board.name()))
            })?;
        }
        Ok(board)
    }

    fn begin(app: &impl BoardContext, row: BoardRow, seats: Vec<SeatRow>) -> Result<Self, StoreError> {
        let (game, options) = read_options(app, &row, seats.len())?;
        let seed = seed_of(&row.seed).ok_or_else(|| corrupt(&row, "the seed is not 32 bytes"))?;
        let position = Scene::new(game, game.setup(&options, seats.len(), &seed));
        let start = Recent { entries: no_moves(&row, seats.len()), position, retired: Vec::new() };
        Ok(Self::with(app, (row, seats), game, options, start))
    }

    fn with(
        app: &impl BoardContext,
        (row, seats): (BoardRow, Vec<SeatRow>),
        game: &'static dyn AnyGame,
        options: GameOptions,
        state: Recent,
    ) -> Self {
        let timing = Timing { limits: TimeLimits::of(&row, app.time_limits()), ..Timing::default() };
        Self::of_parts((row, seats), game, options, timing, state)
    }

    fn of_parts(
        (row, seats): (BoardRow, Vec<SeatRow>),
        game: &'static dyn AnyGame,
        options: GameOptions,
        timing: Timing,
        state: Recent,
    ) -> Self {
        let Recent { entries, position, retired } = state;
        Self {
            row,
            seats,
            entries,
            game,
            position,
            timing,
            changed_from: None,
            parting_words: Vec::new(),
            dropped_mails: Vec::new(),
            options,
            retired,
        }
    }

    /// The board after `ply` moves, at most its last.
    pub fn at(&self, app: &impl BoardContext, ply: usize) -> Result<Self, StoreError> {
        if ply >= self.entries.len() {
            return Ok(self.copy());
        }
        let moves = self.entries.iter().take(ply).map(|entry| entry.row.clone()).collect();
        let mut seats = self.seats.clone();
        if self.entries.swap().is_some_and(|swap| swap >= ply) {
            exchange_users(&mut seats);
        }
        let board = Self::replay(app, self.row.clone(), seats, moves)?;
        Ok(Self { timing: self.timing.clone(), dropped_mails: self.dropped_mails.clone(), ..board })
    }

    fn copy(&self) -> Self {
        Self {
            row: self.row.clone(),
            seats: self.seats.clone(),
            entries: self.entries.clone(),
            game: self.game,
            position: self.position.clone(),
            timing: self.timing.clone(),
            changed_from: self.changed_from,
            parting_words: self.parting_words.clone(),
            dropped_mails: self.dropped_mails.clone(),
            options: self.options.clone(),
            retired: self.retired.clone(),
        }
    }

    /// Applies a stored move. Unchanged on an error.
    fn enter(&mut self, row: MoveRow) -> Result<(), Rejected> {
        let turn = match row.kind {
            MoveKind::Move => Turn::Move(&row.text),
            MoveKind::Pass => Turn::Pass,
            MoveKind::Swap => Turn::Swap,
            kind => {
                self.enter_word(row, kind);
                return Ok(());
            }
        };
        let played = self.position.play(turn)?;
        self.entries.push(Entry { row, text: played.text, gain: played.gain });
        Ok(())
    }

    fn enter_word(&mut self, row: MoveRow, kind: MoveKind) {
        let text = match kind {
            MoveKind::Draw => DRAW,
            MoveKind::Adjudicated => ADJUDICATED,
            _ => {
                let seat = seat_at(row.seat);
                self.position.retire(seat);
                self.retired.push(seat);
                if kind == MoveKind::Resign { "Resign" } else { "Forfeit" }
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
        let row = MoveRow {
            number: self.next_number(),
            seat: i64::from(played.seat.number()),
            kind,
            text: played.canonical,
            auto,
            at,
        };
        self.entries.push(Entry { row, text: played.text, gain: played.gain });
        Ok(())
    }

    pub fn next_number(&self) -> i64 {
        self.entries.len() as i64 + 1
    }

    /// Present seat of the user who made a move: those who moved before a swap, or swapped, have changed
    /// places.
    pub fn present_seat(&self, index: usize) -> i64 {
        let seat = self.entries.get(index).map_or(1, |entry| entry.row.seat);
        if self.entries.swap().is_some_and(|swap| index <= swap) { 3 - seat } else { seat }
    }

    pub fn exchange_users(&mut self) {
        exchange_users(&mut self.seats);
    }

    /// Position string. Shows no pending roll on a finished board, even after resignations.
    pub fn position_text(&self) -> String {
        let text = self.position.text().to_owned();
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

    pub fn userid_at(&self, seat: i64) -> &str {
        self.seats.iter().find(|row| row.seat == seat).map_or("nobody", |row| row.userid.as_str())
    }

    /// Seat that a user acts for: the one to move if theirs, else their first still playing.
    pub fn seat_of(&self, user: UserKey) -> Option<&SeatRow> {
        let to_move = match self.standing() {
            Standing::ToMove(seat) => i64::from(seat.number()),
            Standing::Over(_) => 0,
        };
        let mut own = self.seats.iter().filter(|row| row.user_id == user);
        let first = own.clone().find(|row| row.state == SeatState::Playing).or_else(|| own.clone().next());
        own.find(|row| row.seat == to_move).or(first)
    }

    /// Canonical, without defaults.
    pub fn options(&self) -> &GameOptions {
        &self.options
    }

    pub fn restart(&mut self, seed: [u8; 32], seats: Vec<SeatRow>) {
        self.row.seed = seed.to_vec();
        let start = self.game.setup(&self.options, seats.len(), &Seed(seed));
        self.position = Scene::new(self.game, start);
        self.seats = seats;
        self.entries = no_moves(&self.row, self.seats.len());
        self.row.history = Some(self.entries.digest());
        self.retired.clear();
    }
}

fn corrupt(row: &BoardRow, what: &str) -> StoreError {
    StoreError::Corrupt(format!("{} {}: {what}", row.game, row.number))
}

fn read_options(
    app: &impl BoardContext,
    row: &BoardRow,
    players: usize,
) -> Result<(&'static dyn AnyGame, GameOptions), StoreError> {
    let game = app.registry().find(&row.game);
    let game = game.ok_or_else(|| corrupt(row, "there is no such game"))?;
    let options = parse_options(game, &row.options, players).map_err(|what| corrupt(row, &what))?;
    Ok((game, options))
}

fn no_moves(row: &BoardRow, players: usize) -> History {
    begin_history((&row.game, &row.options), &row.seed, row.rules_version, players)
}

pub(crate) fn begin_history(
    (game, options): (&str, &str),
    seed: &[u8],
    rules_version: i64,
    players: usize,
) -> History {
    let numbers = [rules_version.to_be_bytes(), (players as i64).to_be_bytes()];
    History::new(&[game.as_bytes(), options.as_bytes(), seed, numbers.as_flattened()])
}

fn exchange_users(seats: &mut [SeatRow]) {
    if let [one, other, ..] = seats {
        std::mem::swap(&mut one.user_id, &mut other.user_id);
        std::mem::swap(&mut one.userid, &mut other.userid);
        std::mem::swap(&mut one.away_until, &mut other.away_until);
    }
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
