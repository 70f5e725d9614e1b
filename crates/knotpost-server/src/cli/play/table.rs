//! A game on the command line: the position, what led to it, and resignations, which no game knows.

use knotpost_rules::{
    Ability, GameOptions, Illegal, Meta, Outcome, Played, Position, Rejected, Seat, Seats, Status,
    SyntaxError, Turn,
};

/// A game in progress or over.
#[derive(Clone)]
pub(super) struct Table {
    pub meta: &'static Meta,
    /// Canonical options as typed, empty when all are default.
    pub options: String,
    pub players: usize,
    pub position: Box<dyn Position>,
    /// All turns so far.
    pub turns: Vec<Played>,
    /// Seats that have not resigned.
    active: Seats,
    /// How it ended otherwise than by the rules: its players agreed, or an administrator said.
    decided: Option<Outcome>,
}

/// What the seat to move may do.
pub(super) struct Legal {
    /// Whole moves, or the parts that moves can begin with; sorted by bytes.
    pub moves: Vec<String>,
    /// `pass` and `swap`, where legal.
    pub words: Vec<&'static str>,
    /// What a complete move amounts to, in a game in which moves are put together from parts.
    pub quota: Option<Vec<(&'static str, u32)>>,
}

/// Why a word was not played.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("move {number}, `{word}`: the game is over")]
    Over { number: usize, word: String },
    #[error("move {number}: {reason}{offer}")]
    NoMove { number: usize, reason: SyntaxError, offer: String },
    #[error("move {number}, `{word}`: {reason}{offer}")]
    Illegal { number: usize, word: String, reason: Illegal, offer: String },
    #[error("there is no move to take back")]
    NothingToUndo,
}

impl Fault {
    /// The code programs go by.
    pub(super) const fn code(&self) -> &'static str {
        match self {
            Self::Over { .. } => "game_over",
            Self::NoMove { .. } | Self::Illegal { .. } => "illegal_move",
            Self::NothingToUndo => "not_allowed",
        }
    }
}

impl Table {
    /// A game at its start.
    pub(super) fn new(
        meta: &'static Meta,
        options: &GameOptions,
        players: usize,
        position: Box<dyn Position>,
    ) -> Self {
        let active = Seats::first(players);
        Self {
            meta,
            options: options.to_string(),
            players,
            position,
            turns: Vec::new(),
            active,
            decided: None,
        }
    }

    /// How the game ended, if it did: by its rules, or because too few seats are left.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        if self.decided.is_some() {
            return self.decided.clone();
        }
        if let Status::Over(outcome) = self.position.status() {
            return Some(outcome);
        }
        let plays_on = self.players > 2 && self.meta.abilities.has(Ability::PlayOn);
        match self.active.len() {
            0 => Some(self.position.result_by_scores()),
            1 if !plays_on => Some(self.rank_by_resignation()),
            _ => None,
        }
    }

    /// The seat that is left comes first, the others as they stand.
    fn rank_by_resignation(&self) -> Outcome {
        let standing = self.position.result_by_scores().placings;
        let key = |(index, placing): (usize, &u8)| {
            let stays = Seat::from_index(index).is_some_and(|seat| self.active.contains(seat));
            (stays, std::cmp::Reverse(*placing))
        };
        let keys: Vec<_> = standing.iter().enumerate().map(key).collect();
        Outcome::rank(&keys, "resignation")
    }

    /// The position string; a game that has ended has nothing rolled, also where it ended by resignations.
    pub(super) fn position_text(&self) -> String {
        let text = self.position.position();
        match self.position.roll().filter(|_| self.outcome().is_some()) {
            Some(roll) => {
                let parts = text.split(' ').map(|part| if part == roll { "-" } else { part });
                parts.collect::<Vec<_>>().join(" ")
            }
            None => text,
        }
    }

    /// Every legal turn, or what a turn can begin with where turns are put together from parts.
    pub(super) fn legal(&self) -> Legal {
        let steps = self.position.steps("").ok().flatten();
        if self.outcome().is_some() {
            let quota = steps.map(|steps| steps.quota.into_iter().map(|(name, _)| (name, 0)).collect());
            return Legal { moves: Vec::new(), words: Vec::new(), quota };
        }
        let words = self.position.legal_words();
        match steps {
            Some(steps) => Legal { moves: steps.next, words, quota: Some(steps.quota) },
            None => Legal { moves: self.position.legal_moves(), words, quota: None },
        }
    }

    /// The seats that may act.
    pub(super) fn to_move(&self) -> Seats {
        if self.outcome().is_some() { Seats::NONE } else { self.position.to_move() }
    }

    /// The name of a seat's side.
    pub(super) fn name(&self, seat: Seat) -> &'static str {
        self.meta.seat_names(self.players).get(seat.index()).copied().unwrap_or("")
    }

    /// Plays a move, `pass`, `swap` or `resign` for the seat to move.
    pub(super) fn play(&mut self, word: &str) -> Result<(), Fault> {
        let number = self.turns.len() + 1;
        if self.outcome().is_some() {
            return Err(Fault::Over { number, word: shorten(word) });
        }
        if word.eq_ignore_ascii_case("resign") || word.eq_ignore_ascii_case("forfeit") {
            self.resign(word);
            return Ok(());
        }
        if let Some((winners, reason)) = self.read_decision(word) {
            self.decide(winners, reason, word);
            return Ok(());
        }
        let reason = match self.position.play(Turn::from_word(word)) {
            Ok(played) => {
                self.turns.push(played);
                return Ok(());
            }
            Err(reason) => reason,
        };
        let offer = self.offer();
        Err(match reason {
            Rejected::Syntax(reason) => Fault::NoMove { number, reason, offer },
            Rejected::Illegal(reason) => Fault::Illegal { number, word: shorten(word), reason, offer },
        })
    }

    fn resign(&mut self, word: &str) {
        let seat = self.position.next_seat();
        self.position.retire(seat);
        self.active = self.active.without(seat);
        let (canonical, text) =
            if word.eq_ignore_ascii_case("resign") { ("resign", "Resign") } else { ("forfeit", "Forfeit") };
        self.turns.push(Played { seat, canonical: canonical.to_owned(), text: text.to_owned(), gain: 0 });
    }

    /// The seats that share the first place by a word of a record that ends a game without a move: `draw`, or
    /// `adjudicated:2`.
    fn read_decision(&self, word: &str) -> Option<(Seats, &'static str)> {
        if word.eq_ignore_ascii_case("draw") && self.meta.abilities.has(Ability::Draw) {
            return Some((self.active, "agreement"));
        }
        let (verb, seats) = word.split_once(':')?;
        if !verb.eq_ignore_ascii_case("adjudicated") {
            return None;
        }
        let mut winners = Seats::NONE;
        for seat in seats.split(',') {
            let seat = Seat::new(seat.parse().ok()?)?;
            winners = if self.active.contains(seat) { winners.with(seat) } else { return None };
        }
        Some((winners, "adjudication"))
    }

    fn decide(&mut self, winners: Seats, reason: &'static str, word: &str) {
        let seats = (0..self.players).filter_map(Seat::from_index);
        let keys: Vec<bool> = seats.map(|seat| winners.contains(seat)).collect();
        self.decided = Some(Outcome::rank(&keys, reason));
        let seat = self.position.next_seat();
        let text = if reason == "agreement" { "Draw" } else { "Adjudicated" };
        self.turns.push(Played {
            seat,
            canonical: word.to_ascii_lowercase(),
            text: text.to_owned(),
            gain: 0,
        });
    }

    /// What would be legal instead: a few moves and how many there are.
    fn offer(&self) -> String {
        let Legal { moves, words, quota } = self.legal();
        if let Some(example) = quota.and_then(|_| self.position.example_move()) {
            return format!("; {example} is legal, for example");
        }
        let few: Vec<&str> = words.iter().copied().chain(moves.iter().map(String::as_str)).take(5).collect();
        let count = moves.len() + words.len();
        match few.as_slice() {
            [] => String::new(),
            [only] => format!("; only {only} is legal"),
            several if count == several.len() => format!("; legal are {}", several.join(", ")),
            several => format!("; legal are {} and {} more", several.join(", "), count - several.len()),
        }
    }
}

/// A player's word, made fit for a sentence.
fn shorten(word: &str) -> String {
    word.chars().take(40).map(|c| if c.is_control() { '?' } else { c }).collect()
}
