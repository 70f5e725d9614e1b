//! A game on the command line: the position, its history, and resignations, which the rules do not know.

use knotpost_rules::{
    Ability, Departure, Departures, GameOptions, Illegal, Meta, Outcome, Played, Position, Rejected, Seat,
    Seats, SyntaxError, Turn,
};

#[derive(Clone)]
pub(in crate::cli) struct Table {
    pub meta: &'static Meta,
    /// Canonical options as typed, empty for the defaults.
    pub options: String,
    pub players: usize,
    pub position: Box<dyn Position>,
    pub turns: Vec<Played>,
    /// Seats that have resigned or forfeited, the first one first.
    left: Vec<Seat>,
    last: Departure,
    /// Outcome by agreement or by an administrator.
    decided: Option<Outcome>,
}

pub(in crate::cli) struct Legal {
    /// Complete moves, or the parts that moves can begin with; sorted by bytes.
    pub moves: Vec<String>,
    /// `pass` and `swap`, if legal.
    pub words: Vec<&'static str>,
    /// Parts of a complete move, in a game in which moves are put together from parts.
    pub quota: Option<Vec<(&'static str, u32)>>,
}

#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum Fault {
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
    pub(in crate::cli) const fn code(&self) -> &'static str {
        match self {
            Self::Over { .. } => "game_over",
            Self::NoMove { .. } | Self::Illegal { .. } => "illegal_move",
            Self::NothingToUndo => "not_allowed",
        }
    }
}

impl Table {
    pub(in crate::cli) fn new(
        meta: &'static Meta,
        options: &GameOptions,
        players: usize,
        position: Box<dyn Position>,
    ) -> Self {
        Self {
            meta,
            options: options.to_string(),
            players,
            position,
            turns: Vec::new(),
            left: Vec::new(),
            last: Departure::Resignation,
            decided: None,
        }
    }

    /// Ends by the rules, or if too few seats are left.
    pub(in crate::cli) fn outcome(&self) -> Option<Outcome> {
        let by_rules = || self.departures().outcome(self.position.as_ref(), self.meta);
        self.decided.clone().or_else(by_rules)
    }

    fn departures(&self) -> Departures<'_> {
        Departures { players: self.players, left: &self.left, last: self.last }
    }

    /// A game that has ended has nothing rolled, even after resignations.
    pub(in crate::cli) fn position_text(&self) -> String {
        let text = self.position.position();
        match self.position.roll().filter(|_| self.outcome().is_some()) {
            Some(roll) => {
                let parts = text.split(' ').map(|part| if part == roll { "-" } else { part });
                parts.collect::<Vec<_>>().join(" ")
            }
            None => text,
        }
    }

    pub(in crate::cli) fn legal(&self) -> Legal {
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

    pub(in crate::cli) fn to_move(&self) -> Seats {
        if self.outcome().is_some() { Seats::NONE } else { self.position.to_move() }
    }

    pub(in crate::cli) fn name(&self, seat: Seat) -> &'static str {
        self.meta.seat_names(self.players).get(seat.index()).copied().unwrap_or("")
    }

    pub(in crate::cli) fn play(&mut self, word: &str) -> Result<(), Fault> {
        let number = self.turns.len() + 1;
        if self.outcome().is_some() {
            return Err(Fault::Over { number, word: shorten(word) });
        }
        if let Some((departure, seat)) = self.read_departure(word) {
            self.resign(departure, seat);
            return Ok(());
        }
        if let Some((outcome, text)) = self.read_decision(word) {
            self.decide(outcome, text, word);
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

    /// Reads `resign` for the seat on turn, or `resign:2` for one that still plays.
    fn read_departure(&self, word: &str) -> Option<(Departure, Seat)> {
        let (verb, seat) = match word.split_once(':') {
            None => (word, self.position.next_seat()),
            Some((verb, seat)) => {
                let seat = Seat::new(seat.parse().ok()?)?;
                let plays = Seats::first(self.players).contains(seat) && !self.left.contains(&seat);
                (verb, plays.then_some(seat)?)
            }
        };
        match verb {
            _ if verb.eq_ignore_ascii_case("resign") => Some((Departure::Resignation, seat)),
            _ if verb.eq_ignore_ascii_case("forfeit") => Some((Departure::Forfeit, seat)),
            _ => None,
        }
    }

    fn resign(&mut self, departure: Departure, seat: Seat) {
        let (word, text) = match departure {
            Departure::Resignation => ("resign", "Resign"),
            Departure::Forfeit => ("forfeit", "Forfeit"),
        };
        let canonical =
            if seat == self.position.next_seat() { word.to_owned() } else { format!("{word}:{seat}") };
        self.position.retire(seat);
        self.left.push(seat);
        self.last = departure;
        self.turns.push(Played { seat, canonical, text: text.to_owned(), gain: 0 });
    }

    /// Reads a word of a record that ends a game without a move, `draw`, `adjudicated:2` or `deadline:2`; returns its form
    /// in the move list.
    fn read_decision(&self, word: &str) -> Option<(Outcome, &'static str)> {
        if word.eq_ignore_ascii_case("draw") && self.meta.abilities.has(Ability::Draw) {
            return Some((self.departures().agreed_draw(), "Draw"));
        }
        let (verb, seats) = word.split_once(':')?;
        let playing = |seat: &Seat| Seats::first(self.players).contains(*seat) && !self.left.contains(seat);
        let winners: Option<Vec<Seat>> =
            seats.split(',').map(|seat| Seat::new(seat.parse().ok()?).filter(playing)).collect();
        match verb.to_ascii_lowercase().as_str() {
            "adjudicated" => Some((self.departures().adjudicated(&winners?), "Adjudicated")),
            "deadline" => Some((self.departures().at_deadline(&winners?), "Deadline")),
            _ => None,
        }
    }

    fn decide(&mut self, outcome: Outcome, text: &str, word: &str) {
        self.decided = Some(outcome);
        let seat = self.position.next_seat();
        self.turns.push(Played {
            seat,
            canonical: word.to_ascii_lowercase(),
            text: text.to_owned(),
            gain: 0,
        });
    }

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

fn shorten(word: &str) -> String {
    word.chars().take(40).map(|c| if c.is_control() { '?' } else { c }).collect()
}
