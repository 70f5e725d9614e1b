//! A whole game, made of the rules that are its own.

use super::{
    grid::Grid,
    names::{Place, Refusal, Spelt},
    two::{End, Two, other},
};
use crate::{
    choice::Part,
    error::{PositionError, SyntaxError},
    game::{Forbidden, Game, Show},
    key::Key,
    meta::{Ability, Meta},
    moves,
    options::GameOptions,
    record::Format,
    seat::{Seat, Seats},
    seed::Seed,
    turn::{Outcome, Scores},
    view::{Piece, ScoreLine, View, Viewer},
};
use std::{fmt, ops::ControlFlow};

/// The table: cells with their stones, and the seats.
#[derive(Clone, Debug)]
pub struct Board {
    /// Cells and stones.
    pub grid: Grid,
    /// The seats.
    pub two: Two,
}

impl Board {
    /// A board at the start.
    pub const fn new(grid: Grid, swap: bool) -> Self {
        Self { grid, two: Two::new(swap) }
    }

    /// The cell of a name.
    ///
    /// # Errors
    /// There is none.
    pub fn find(&self, place: Place) -> Result<usize, Refusal> {
        self.grid.find(place).ok_or_else(|| Refusal::Outside(place, self.grid.corners()))
    }

    /// The cell of a name, where a stone may go.
    ///
    /// # Errors
    /// There is no such cell, or something stands there.
    pub fn find_free(&self, place: Place) -> Result<usize, Refusal> {
        let cell = self.find(place)?;
        if self.grid.is_free(cell) { Ok(cell) } else { Err(Refusal::Taken(place)) }
    }

    /// Any cell where a stone may go.
    pub fn pick_free(&self, below: &mut dyn FnMut(u32) -> u32) -> Option<Place> {
        let free = self.grid.free();
        let count = free.len();
        if count == 0 { None } else { free.nth(below(count)).map(|cell| self.grid.name(cell)) }
    }

    /// The cell of a name, where the seat to move has a piece.
    ///
    /// # Errors
    /// There is no such cell, or no piece of this seat on it.
    pub fn find_own(&self, place: Place) -> Result<usize, Refusal> {
        let cell = self.find(place)?;
        let own = self.grid.owner(cell) == Some(self.two.next);
        if own { Ok(cell) } else { Err(Refusal::NotYours(place)) }
    }
}

/// The parts of a position string that has nothing of its own.
const PARTS: &str = "the rows from the top joined by `/`, a blank and the seat to move";

/// The parts of a game beyond the kit.
pub trait Rules: Clone + fmt::Debug + Send + Sync + 'static {
    /// The facts about the game, which is for two.
    const META: &'static Meta;
    /// The pieces of each seat, as this stands beside the scores.
    const ROLES: [&'static str; 2] = ["x", "o"];
    /// The owners of the left, top, right and bottom side.
    const OWNERS: [&'static str; 4] = [""; 4];
    /// The signs of the seat to move in the position string.
    const SEATS: [&'static str; 2] = ["1", "2"];
    /// True if the cells are light and dark by turns.
    const CHEQUERED: bool = false;

    /// True if the scores are the sums of what the moves of each seat have gained.
    const GAINS: bool = false;

    /// True if moves are put together step by step, and are too many to be listed.
    const CHAINS: bool = false;

    /// The completion of the sentence "a move is ...", where a move's own is not enough.
    const EXPECTED: Option<&'static str> = None;

    /// The reason why somebody may not pass in a game that goes on.
    const NO_PASS: &'static str = "nobody may pass who has a move";

    /// The forms of records beside that of the server.
    const FORMATS: &'static [Format] = &[];

    /// The stones on the board in answer to which the second seat may swap, where [`Board::new`] gives that right.
    const SWAP_AFTER: u32 = 1;

    /// A move.
    type Move: Spelt;

    /// The start.
    fn setup(options: &GameOptions) -> (Self, Board);

    /// Takes up stones that were read from a position string, with the seat to move, and says whether the game is over.
    /// Nothing has happened before: a game with the ability `History` begins its past here.
    fn take_up(&mut self, board: &Board) -> Option<End>;

    /// Plays a move for the seat to move of a game that goes on, and says whether that ends it.
    ///
    /// # Errors
    /// The rule that forbids the move; then nothing has changed.
    fn play(&mut self, board: &mut Board, mv: Self::Move) -> Result<Option<End>, Refusal>;

    /// Calls `visit` with every legal move until it breaks off; where these are [chains](Self::CHAINS), with one for each
    /// beginning.
    fn each_move(&self, board: &Board, visit: &mut dyn FnMut(Self::Move) -> ControlFlow<()>);

    /// Calls `visit` with each step that can follow a begun move, see [`Game::each_step`].
    ///
    /// # Errors
    /// The reason why no legal move begins like that.
    fn each_step(
        &self,
        board: &Board,
        begun: Option<&Self::Move>,
        visit: &mut dyn FnMut(StepOf<Self>) -> ControlFlow<()>,
    ) -> Result<(), Refusal> {
        if begun.is_none() {
            self.each_move(board, &mut |mv| {
                StepOf::<Self>::try_from(mv).map_or(ControlFlow::Continue(()), &mut *visit)
            });
        }
        Ok(())
    }

    /// True if the moves of this position are [chains](Self::CHAINS).
    fn has_chains(&self, _board: &Board) -> bool {
        Self::CHAINS
    }

    /// The canonical form of a legal move, where several spellings mean the same.
    fn normalise(&self, _board: &Board, mv: &Self::Move) -> Self::Move {
        mv.clone()
    }

    /// True if a begun move can be played as it is.
    fn is_complete(&self, _board: &Board, _begun: &Self::Move) -> bool {
        true
    }

    /// A legal move by chance.
    fn pick(&self, board: &Board, below: &mut dyn FnMut(u32) -> u32) -> Option<Self::Move> {
        let mut moves = Vec::with_capacity(64);
        self.each_move(board, &mut |mv| {
            moves.push(mv);
            ControlFlow::Continue(())
        });
        match moves.len() {
            0 => None,
            count => moves.get(below(count as u32) as usize).cloned(),
        }
    }

    /// A legal move as a player with little time may choose it; none where they would rather pass.
    fn pick_likely(&self, board: &Board, below: &mut dyn FnMut(u32) -> u32) -> Option<Self::Move> {
        self.pick(board, below)
    }

    /// True if the seat to move has no move; asked only in a game with the ability `Pass` that goes on.
    fn must_pass(&self, _board: &Board) -> bool {
        false
    }

    /// True if the seat to move may pass; asked like [`Self::must_pass`].
    fn may_pass(&self, board: &Board) -> bool {
        self.must_pass(board)
    }

    /// Takes up that the seat to move passes, and says whether that ends the game.
    fn pass(&mut self, _board: &mut Board) -> Option<End> {
        None
    }

    /// Reads a move in a spelling that needs the position; [`Self::may_read`] knows its shape.
    fn read(&self, _board: &Board, _text: &str) -> Option<Self::Move> {
        None
    }

    /// True if some position may read the text as a move, though it is none by itself.
    fn may_read(_text: &str) -> bool {
        false
    }

    /// The spelling of a legal move in lists of moves, which [`Self::read`] reads.
    fn list(&self, _board: &Board, mv: &Self::Move) -> String {
        mv.to_string()
    }

    /// The rows of the position string, and what follows the seat to move; empty where nothing does.
    fn write(&self, board: &Board) -> (String, String) {
        (board.grid.to_string(), String::new())
    }

    /// Reads what [`Self::write`] gives onto a board that has just been set up, with the seat to move.
    ///
    /// # Errors
    /// Whatever differs from what is written.
    fn read_parts(&mut self, board: &mut Board, rows: &str, rest: &str) -> Result<(), PositionError> {
        board.grid.read(rows)?;
        if rest.is_empty() { Ok(()) } else { Err(PositionError::Parts { expected: PARTS }) }
    }

    /// A key and what the position has beside stones and seats.
    fn add_to_key(&self, key: Key) -> Key {
        key
    }

    /// The look of a cell.
    fn piece(&self, board: &Board, cell: usize) -> Piece {
        board.grid.piece(cell)
    }

    /// The ends of the lines that join points, by their cells; empty where these are whole rows and columns.
    fn lines(&self) -> Vec<[usize; 2]> {
        Vec::new()
    }

    /// The pieces of a seat, as this stands beside its score.
    fn role(&self, seat: Seat) -> String {
        Self::ROLES.get(seat.index()).copied().unwrap_or_default().to_owned()
    }

    /// The standing; none where somebody just wins.
    fn scores(&self, _board: &Board) -> Scores {
        Scores::None
    }

    /// The standing of the first seat, for a search.
    fn estimate(&self, board: &Board) -> i32 {
        self.scores(board).lead(Seat::FIRST)
    }

    /// The cells that are linked, and by whom; `None` in games without links.
    fn links(&self, _board: &Board) -> Option<Vec<(usize, usize, Seat)>> {
        None
    }

    /// The cells that are marked after a move, and whether an arrow leads from the first to the last.
    fn marks(&self, _before: &Board, _after: &Board, mv: &Self::Move) -> (Vec<Place>, bool) {
        mv.marks()
    }

    /// The name by which a cell is pointed at.
    fn spot(&self, board: &Board, cell: usize) -> String {
        board.grid.name(cell).to_string()
    }
}

/// A step of a move of these rules.
pub type StepOf<R> = <<R as Rules>::Move as Spelt>::Step;

/// The game of these rules.
#[derive(Clone, Debug)]
pub struct Play<R> {
    /// The game's own state.
    pub rules: R,
    /// Cells, stones and seats.
    pub board: Board,
}

impl<R: Rules> fmt::Display for Play<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, rest) = self.rules.write(&self.board);
        let [first, second] = R::SEATS;
        let seat = if self.board.two.next == Seat::FIRST { first } else { second };
        write!(f, "{rows} {seat}")?;
        if rest.is_empty() { Ok(()) } else { write!(f, " {rest}") }
    }
}

impl<R: Rules> Game for Play<R> {
    const META: &'static Meta = R::META;
    const FORMATS: &'static [Format] = R::FORMATS;

    type Move = R::Move;
    type Step = StepOf<R>;
    type Illegal = Refusal;

    fn setup(options: &GameOptions, _: usize, _: &Seed) -> Self {
        let (rules, board) = R::setup(options);
        Self { rules, board }
    }

    fn read_position(&mut self, text: &str) -> Result<(), PositionError> {
        let (rows, seat) = text.split_once(' ').ok_or(PositionError::Parts { expected: PARTS })?;
        let (seat, rest) = seat.split_once(' ').unwrap_or((seat, ""));
        self.board.two = Two::new(false);
        self.board.two.next = match R::SEATS {
            [first, _] if seat == first => Seat::FIRST,
            [_, second] if seat == second => other(Seat::FIRST),
            ["1", _] => return Err(PositionError::Seat { seats: 2 }),
            [first, second] => {
                let rule = format!("the seat to move is {first} or {second}");
                return Err(PositionError::Special(rule));
            }
        };
        self.rules.read_parts(&mut self.board, rows, rest)?;
        self.board.two.end = self.rules.take_up(&self.board);
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.board.two.end.is_some()
    }

    fn next_seat(&self) -> Seat {
        self.board.two.next
    }

    fn play(&mut self, mv: &R::Move) -> Result<u32, Refusal> {
        if self.is_over() {
            return Err(Refusal::Over);
        }
        let seat = self.board.two.next;
        let before = if R::GAINS { self.points(seat) } else { 0 };
        self.board.two.end = self.rules.play(&mut self.board, mv.clone())?;
        let gain = if R::GAINS { self.points(seat) - before } else { 0 };
        let stones: u32 = Seats::first(2).iter().map(|seat| self.board.grid.of(seat).len()).sum();
        if stones >= R::SWAP_AFTER {
            self.board.two.swap = self.board.two.swap.after_move();
        }
        self.board.two.advance();
        Ok(gain)
    }

    fn read(&self, text: &str) -> Result<R::Move, SyntaxError> {
        text.parse().or_else(|error| {
            let error = R::EXPECTED.map_or(error, |expected| SyntaxError::new(text, expected));
            self.rules.read(&self.board, text).ok_or(error)
        })
    }

    fn is_move(text: &str) -> bool {
        text.parse::<R::Move>().is_ok() || R::may_read(text)
    }

    fn list(&self, mv: &R::Move) -> String {
        self.rules.list(&self.board, mv)
    }

    fn forget(&mut self) {
        if R::META.abilities.has(Ability::History) {
            self.board.two.end = self.rules.take_up(&self.board);
        }
    }

    fn pass(&mut self) -> Result<(), Forbidden> {
        if !R::META.abilities.has(Ability::Pass) {
            return Err(Forbidden::Never("passing"));
        }
        if self.is_over() {
            return Err(Forbidden::NotNow("the game is over"));
        }
        if !self.may_pass() {
            return Err(Forbidden::NotNow(R::NO_PASS));
        }
        self.board.two.end = self.rules.pass(&mut self.board);
        self.board.two.advance();
        Ok(())
    }

    fn must_pass(&self) -> bool {
        R::META.abilities.has(Ability::Pass) && !self.is_over() && self.rules.must_pass(&self.board)
    }

    fn normalise(&self, mv: &R::Move) -> R::Move {
        self.rules.normalise(&self.board, mv)
    }

    fn may_pass(&self) -> bool {
        R::META.abilities.has(Ability::Pass) && !self.is_over() && self.rules.may_pass(&self.board)
    }

    fn swap(&mut self) -> Result<(), Forbidden> {
        if R::META.abilities.has(Ability::Swap) {
            if R::SWAP_AFTER > 1 && !self.may_swap() {
                return Err(Forbidden::NotNow("there is nothing to answer by a swap now"));
            }
            self.board.two.swap()
        } else {
            Err(Forbidden::Never("swapping"))
        }
    }

    fn may_swap(&self) -> bool {
        R::META.abilities.has(Ability::Swap) && self.board.two.may_swap()
    }

    fn retire(&mut self, seat: Seat) {
        self.board.two.retire(seat);
    }

    fn legal_moves(&self) -> Vec<R::Move> {
        let mut moves = Vec::new();
        if !self.is_over() {
            self.rules.each_move(&self.board, &mut |mv| {
                moves.push(mv);
                ControlFlow::Continue(())
            });
        }
        moves
    }

    fn each_step(
        &self,
        begun: Option<&R::Move>,
        visit: &mut dyn FnMut(StepOf<R>) -> ControlFlow<()>,
    ) -> Result<(), Refusal> {
        if self.is_over() { Ok(()) } else { self.rules.each_step(&self.board, begun, visit) }
    }

    fn join(begun: Option<&R::Move>, step: StepOf<R>) -> R::Move {
        R::Move::join(begun, step)
    }

    fn is_complete(&self, begun: &R::Move) -> bool {
        self.rules.is_complete(&self.board, begun)
    }

    fn quota(&self) -> Option<Vec<(&'static str, u32)>> {
        self.rules.has_chains(&self.board).then(Vec::new)
    }

    fn each_move(&self, visit: &mut dyn FnMut(R::Move) -> ControlFlow<()>) {
        if self.rules.has_chains(&self.board) {
            let _ = moves::visit_from(self, None, visit);
        } else if !self.is_over() {
            self.rules.each_move(&self.board, visit);
        }
    }

    fn pick(&self, below: &mut dyn FnMut(u32) -> u32) -> Option<R::Move> {
        if self.is_over() { None } else { self.rules.pick(&self.board, below) }
    }

    fn pick_likely(&self, below: &mut dyn FnMut(u32) -> u32) -> Option<R::Move> {
        if self.is_over() { None } else { self.rules.pick_likely(&self.board, below) }
    }

    fn example_move(&self) -> Option<R::Move> {
        let mut found = None;
        if !self.is_over() {
            self.rules.each_move(&self.board, &mut |mv| {
                found = Some(mv);
                ControlFlow::Break(())
            });
        }
        found
    }

    fn key(&self) -> u64 {
        let Two { next, retired, swap, .. } = self.board.two;
        self.rules.add_to_key(self.board.grid.key().with(swap as u64)).with_seats(next, retired).finish()
    }

    fn scores(&self) -> Scores {
        self.rules.scores(&self.board)
    }

    fn estimate(&self, seat: Seat) -> i32 {
        let first = self.rules.estimate(&self.board);
        if seat == Seat::FIRST { first } else { -first }
    }

    fn result_by_scores(&self) -> Outcome {
        match (self.board.two.end, self.scores()) {
            (Some(end), _) => end.outcome(),
            (None, Scores::Points(points)) => Outcome::rank(&points, "score"),
            (None, Scores::Halves(halves)) => Outcome::rank(&halves, "score"),
            (None, _) => End { winner: None, reason: "even" }.outcome(),
        }
    }
}

impl<R: Rules> Show for Play<R> {
    type Trace = (Vec<Place>, bool);

    /// The last move stays marked while sides are changed or a turn goes by.
    fn note(&self, last: &mut Self::Trace, before: &Self, mv: Option<&R::Move>) {
        if let Some(mv) = mv {
            *last = self.rules.marks(&before.board, &self.board, mv);
        }
    }

    fn view(&self, (places, has_arrow): &Self::Trace, _: Viewer) -> View {
        let Board { grid, two } = &self.board;
        let piece = |cell| self.rules.piece(&self.board, cell);
        let mut panel = grid.panel(R::OWNERS, piece, |cell| self.rules.spot(&self.board, cell));
        panel.chequered = R::CHEQUERED;
        let line = |[from, to]: [usize; 2]| Some([grid.rank(from)?, grid.rank(to)?]);
        panel.lines = self.rules.lines().into_iter().filter_map(line).collect();
        panel.last = places.iter().filter_map(|place| grid.rank(grid.find(*place)?)).collect();
        panel.arrow = match panel.last.as_slice() {
            [from, .., to] if *has_arrow => Some([*from, *to]),
            _ => None,
        };
        panel.links = self.rules.links(&self.board).map(|links| {
            let place = |(from, to, seat)| Some((grid.rank(from)?, grid.rank(to)?, seat));
            links.into_iter().filter_map(place).collect()
        });
        let names = R::META.seat_names(2);
        let scores = self.scores().texts();
        let line = |(seat, name): (Seat, &&'static str)| ScoreLine {
            seat,
            name,
            role: match (two.retired.contains(seat), self.rules.role(seat)) {
                (true, _) => "out".to_owned(),
                // A side called X need not be told to have the sign x.
                (false, role) if role.eq_ignore_ascii_case(name) => String::new(),
                (false, role) => role,
            },
            score: scores.get(seat.index()).cloned().unwrap_or_default(),
        };
        let lines = Seats::first(2).iter().zip(names).map(line).collect();
        View { panels: vec![panel], scores: lines, legend: self.write_legend(names), ..View::default() }
    }

    fn parts(mv: &R::Move) -> Vec<Part> {
        mv.parts()
    }
}

impl<R: Rules> Play<R> {
    fn points(&self, seat: Seat) -> u32 {
        match self.rules.scores(&self.board) {
            Scores::Points(points) => points.get(seat.index()).copied().unwrap_or(0),
            _ => 0,
        }
    }

    /// An example of typing a move, or the end of the game.
    fn write_legend(&self, names: &[&str]) -> String {
        let name = |seat: Seat| names.get(seat.index()).copied().unwrap_or_default();
        match (self.board.two.end, self.example_move()) {
            (Some(End { winner: Some(winner), reason }), _) => format!("{} has won: {reason}.", name(winner)),
            (Some(End { winner: None, reason }), _) => format!("A tie: {reason}."),
            (None, None) => "There is no move: the turn is a pass.".to_owned(),
            (None, Some(mv)) if self.may_swap() => {
                let instead = if R::SWAP_AFTER == 1 { "a first move" } else { "a move" };
                let next = name(self.board.two.next);
                format!("{}\n{next} may type `swap` instead of {instead}.", mv.tell())
            }
            (None, Some(mv)) => mv.tell(),
        }
    }
}
