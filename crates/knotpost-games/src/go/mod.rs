//! Go by area, with positional superko and dead stones agreed upon. From China, older than any record of it. Letters, sizes
//! and the points of handicap stones are those of pbmserv and of every go server.

mod sgf;

use knotpost_rules::{
    Abilities, Ability, ChoiceOption, DecimalOption, FlagOption, GameKind, GameOptions, Key, Meta,
    OptionSpec, Part, PartKind, PositionError, Preset, Scores, Seat, SyntaxError, TextOption,
    kit::{self, Board, Cells, End, Grid, Names, Past, Place, Play, Refusal, Rules, Spelt, other},
    record::Format,
    view::Shape,
};
use std::{cmp::Ordering, fmt, ops::ControlFlow, str::FromStr};

/// A game of Go.
pub type Go = Play<Points>;

/// The state of play beside the stones.
#[derive(Clone, Debug)]
pub struct Points {
    /// The boards after each turn, the start among them.
    past: Past,
    phase: Phase,
    /// True once a proposal was refused: then the next end counts the board as it stands.
    resumed: bool,
    is_agreed: bool,
    /// Half points for the second seat.
    komi: i32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Phase {
    /// Stones are laid; the number of passes in a row.
    Play(u8),
    /// Dead stones are to be agreed upon.
    Agree(Proposal),
    Over,
}

/// The dead stones that were named last, by one stone of each chain.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Proposal {
    None,
    First(Vec<Place>),
    /// By the seat that was to answer the first one: now only yes or no is left.
    Counter(Vec<Place>),
}

impl Proposal {
    fn chains(&self) -> Option<&[Place]> {
        match self {
            Self::None => None,
            Self::First(chains) | Self::Counter(chains) => Some(chains),
        }
    }
}

static META: Meta = Meta {
    name: "go",
    title: "Go",
    aliases: &["baduk", "weiqi"],
    kind: GameKind::Territory,
    weight: 3,
    length: 250,
    rules_version: 1,
    players: 2..=2,
    options: &OPTIONS,
    presets: &[
        Preset { title: "Small 9x9", options: &[("size", "9")], about: "An evening, or a first game." },
        Preset { title: "Medium 13x13", options: &[("size", "13")], about: "Half of the usual length." },
        Preset { title: "Usual 19x19", options: &[], about: "The board of tournaments." },
    ],
    trial: "-size=9 -score=area",
    abilities: Abilities::of(&[Ability::Pass, Ability::Undo, Ability::History]),
    seat_names: &[&["Black", "White"]],
    credit: "traditional, from China",
    contact: None,
    summary: "surround more of the board than the other",
    help: || kit::write_help::<Go>(include_str!("help.txt")),
    lessons: include_str!("lessons.json"),
    puzzles: "",
};

static OPTIONS: [OptionSpec; 7] =
    [SIZE.spec(), SCORE.spec(), KOMI.open_spec(), HANDICAP.spec(), SMALL.spec(), MEDIUM.spec(), LARGE.spec()];

static SIZE: ChoiceOption<usize, 3> =
    ChoiceOption::new("size", [("9", 9), ("13", 13), ("19", 19)], "19", "Lines across and down.")
        .excluding(&["small", "medium", "large"]);

static SCORE: ChoiceOption<bool, 2> = ChoiceOption::new(
    "score",
    [("agreed", true), ("area", false)],
    "agreed",
    "After two passes: players agree on dead stones, or all count as alive.",
);

static KOMI: DecimalOption<-200, 200> = DecimalOption {
    name: "komi",
    default: "6.5",
    help: "Points for White: 6.5 unless given, 0.5 with a handicap.",
    excludes: &[],
};

static HANDICAP: TextOption = TextOption {
    name: "handicap",
    shape: "2",
    normalise: read_handicap,
    help: "Stones of Black at the start, 2 to 9. White moves first then.",
    excludes: &[],
};

static SMALL: FlagOption<Option<usize>> = FlagOption {
    name: "small",
    off: None,
    on: Some(9),
    help: "The same as -size=9.",
    excludes: &["size", "medium", "large"],
};

static MEDIUM: FlagOption<Option<usize>> = FlagOption {
    name: "medium",
    off: None,
    on: Some(13),
    help: "The same as -size=13.",
    excludes: &["size", "small", "large"],
};

static LARGE: FlagOption<Option<usize>> = FlagOption {
    name: "large",
    off: None,
    on: Some(19),
    help: "The same as -size=19.",
    excludes: &["size", "small", "medium"],
};

fn read_handicap(text: &str) -> Option<String> {
    match text {
        "0" => Some(String::new()),
        _ => {
            text.parse::<u8>().ok().filter(|stones| (2..=9).contains(stones)).map(|stones| stones.to_string())
        }
    }
}

/// The points of handicap stones, by lines from the left and from below: -1 near the start, 0 in the middle, 1 near the end.
fn handicap_points(stones: usize) -> Vec<[i8; 2]> {
    let order = [[1, 1], [-1, -1], [1, -1], [-1, 1], [-1, 0], [1, 0], [0, -1], [0, 1]];
    let paired = if stones > 4 { stones - stones % 2 } else { stones };
    let middle = (stones > 4 && stones % 2 == 1).then_some([0, 0]);
    order.into_iter().take(paired).chain(middle).collect()
}

/// A turn other than a pass.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GoMove {
    /// A stone.
    Stone(Place),
    /// The proposal that these chains are dead, each named by one of its stones.
    Dead(Vec<Place>),
    /// Yes to the proposal.
    Agree,
    /// No to it: play goes on.
    Resume,
}

/// A step of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GoStep {
    /// A stone.
    Stone(Place),
    /// One more dead chain, or none at all.
    Dead(Option<Place>),
    /// Yes to the proposal.
    Agree,
    /// No to it.
    Resume,
}

impl From<GoStep> for GoMove {
    fn from(step: GoStep) -> Self {
        match step {
            GoStep::Stone(place) => Self::Stone(place),
            GoStep::Dead(place) => Self::Dead(place.into_iter().collect()),
            GoStep::Agree => Self::Agree,
            GoStep::Resume => Self::Resume,
        }
    }
}

impl TryFrom<GoMove> for GoStep {
    type Error = ();

    fn try_from(mv: GoMove) -> Result<Self, ()> {
        Ok(match mv {
            GoMove::Stone(place) => Self::Stone(place),
            GoMove::Dead(chains) => match chains.as_slice() {
                [] => Self::Dead(None),
                [chain] => Self::Dead(Some(*chain)),
                _ => return Err(()),
            },
            GoMove::Agree => Self::Agree,
            GoMove::Resume => Self::Resume,
        })
    }
}

const DEAD: &str = "dead:";

fn list_dead(chains: &[Place]) -> String {
    let names: Vec<String> = chains.iter().map(Place::to_string).collect();
    if names.is_empty() { "-".to_owned() } else { names.join(",") }
}

fn read_dead(text: &str) -> Option<Vec<Place>> {
    if text == "-" { Some(Vec::new()) } else { text.split(',').map(|name| name.parse().ok()).collect() }
}

impl fmt::Display for GoMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stone(place) => place.fmt(f),
            Self::Dead(chains) => write!(f, "{DEAD}{}", list_dead(chains)),
            Self::Agree => f.write_str("agree"),
            Self::Resume => f.write_str("resume"),
        }
    }
}

impl FromStr for GoMove {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        let lower = text.to_ascii_lowercase();
        let read = match (lower.as_str(), lower.strip_prefix(DEAD)) {
            ("agree", _) => Some(Self::Agree),
            ("resume", _) => Some(Self::Resume),
            (_, Some(chains)) => read_dead(chains).map(Self::Dead),
            (point, None) => point.parse().ok().map(Self::Stone),
        };
        read.ok_or_else(|| {
            SyntaxError::new(text, "a point such as q16, pass, or in the end dead:c3,q5 or dead:-")
        })
    }
}

impl Spelt for GoMove {
    type Step = GoStep;

    fn join(begun: Option<&Self>, step: GoStep) -> Self {
        match (begun, step) {
            (Some(Self::Dead(chains)), GoStep::Dead(Some(chain))) => {
                Self::Dead(chains.iter().copied().chain([chain]).collect())
            }
            _ => step.into(),
        }
    }

    fn parts(&self) -> Vec<Part> {
        match self {
            Self::Stone(place) => vec![Part::spot("", place)],
            Self::Dead(chains) if !chains.is_empty() => {
                let before = std::iter::once(DEAD).chain(std::iter::repeat(","));
                chains.iter().zip(before).map(|(chain, before)| Part::spot(before, chain)).collect()
            }
            _ => vec![Part { text: self.to_string(), kind: PartKind::Word }],
        }
    }

    fn tell(&self) -> String {
        match self {
            Self::Stone(place) => {
                format!("A move is an empty point: {place} lays a stone there. Or `pass`.")
            }
            Self::Dead(_) => "Play has ended. Name a stone of each dead chain, such as `dead:c3,q5`,\n\
                or type `dead:-` if none is dead."
                .to_owned(),
            Self::Agree | Self::Resume => {
                "Type `agree` to take the stones off that were named dead, `resume` to\n\
                play on, or `dead:...` to name others."
                    .to_owned()
            }
        }
    }

    fn marks(&self) -> (Vec<Place>, bool) {
        match self {
            Self::Stone(place) => (vec![*place], false),
            Self::Dead(chains) => (chains.clone(), false),
            Self::Agree | Self::Resume => (Vec::new(), false),
        }
    }
}

/// True if the chain of a stone has a free point other than one. Most have one near the stone.
fn has_liberty(grid: &Grid, stone: usize, but: usize) -> bool {
    let own = grid.owner(stone).map_or(Cells::NONE, |seat| grid.of(seat));
    let (mut seen, mut next) = (Cells::NONE, vec![stone]);
    while let Some(cell) = next.pop() {
        for beside in grid.straight_ways().map(|way| Grid::step(cell, way)) {
            if own.contains(beside) {
                if !seen.contains(beside) {
                    seen.insert(beside);
                    next.push(beside);
                }
            } else if beside != but && grid.is_free(beside) {
                return true;
            }
        }
    }
    false
}

/// The board after a stone, whose captures are taken off; nothing if the stone would have no liberty.
fn place(grid: &Grid, cell: usize, seat: Seat) -> Option<Grid> {
    let mut after = grid.clone();
    after.put(cell, seat);
    let around = grid.straight_ways().map(|way| Grid::step(cell, way));
    let mut lives = around.iter().any(|beside| grid.is_free(*beside));
    for beside in around {
        match after.owner(beside) {
            Some(owner) if owner == seat => lives = lives || has_liberty(grid, beside, cell),
            Some(enemy) if !has_liberty(grid, beside, cell) => {
                grid.connected(beside, grid.of(enemy)).iter().for_each(|cell| after.clear(cell));
                lives = true;
            }
            _ => {}
        }
    }
    lives.then_some(after)
}

/// The area of each seat: stones, and free points that reach stones of one colour only.
fn count_area(grid: &Grid) -> [u32; 2] {
    let mut area = [Seat::FIRST, other(Seat::FIRST)].map(|seat| grid.of(seat).len());
    let free = grid.free();
    let mut left = free;
    while let Some(cell) = left.nth(0) {
        let region = grid.connected(cell, free);
        left = left.minus(region);
        let mut seen = [false; 2];
        for cell in region.iter() {
            for beside in grid.straight_ways().map(|way| Grid::step(cell, way)) {
                if let Some(seen) = grid.owner(beside).and_then(|seat| seen.get_mut(seat.index())) {
                    *seen = true;
                }
            }
        }
        for (points, _) in
            area.iter_mut().zip([[true, false], [false, true]]).filter(|(_, only)| *only == seen)
        {
            *points += region.len();
        }
    }
    area
}

impl Points {
    /// Half points of each seat on the board as it stands.
    fn count(&self, grid: &Grid) -> [i32; 2] {
        let [first, second] = count_area(grid).map(|points| 2 * points as i32);
        [first, second + self.komi]
    }

    fn end(&self, grid: &Grid) -> End {
        let [first, second] = self.count(grid);
        let winner = match first.cmp(&second) {
            Ordering::Greater => Some(Seat::FIRST),
            Ordering::Less => Some(other(Seat::FIRST)),
            Ordering::Equal => None,
        };
        End { winner, reason: "area" }
    }

    /// The board after a legal stone.
    fn try_stone(&self, board: &Board, point: Place) -> Result<Grid, Refusal> {
        let cell = board.find_free(point)?;
        let after = place(&board.grid, cell, board.two.next).ok_or_else(|| {
            Refusal::Rule(format!("a stone on {point} would have no liberty, and suicide is not allowed"))
        })?;
        match self.past.find(after.key().finish()) {
            None => Ok(after),
            Some(0) => Err(Refusal::Rule(format!("{point} would repeat the board of the start (ko)"))),
            Some(number) => {
                Err(Refusal::Rule(format!("{point} would repeat the board after move {number} (ko)")))
            }
        }
    }

    /// The chains of a board by their first cells, in order.
    fn chains(grid: &Grid) -> Vec<usize> {
        let mut heads = Vec::new();
        for seat in [Seat::FIRST, other(Seat::FIRST)] {
            let mut left = grid.of(seat);
            while let Some(cell) = left.nth(0) {
                heads.push(cell);
                left = left.minus(grid.connected(cell, grid.of(seat)));
            }
        }
        heads.sort_unstable();
        heads
    }

    /// The chain of a stone.
    fn chain(grid: &Grid, cell: usize) -> Option<Cells> {
        grid.owner(cell).map(|seat| grid.connected(cell, grid.of(seat)))
    }

    /// Each chain once, by its first stone.
    fn name_dead(board: &Board, chains: &[Place]) -> Result<Vec<Place>, Refusal> {
        let mut heads = Vec::new();
        for stone in chains {
            let chain = Self::chain(&board.grid, board.find(*stone)?);
            let head = chain.and_then(|chain| chain.nth(0));
            heads.push(head.ok_or_else(|| Refusal::Rule(format!("there is no stone on {stone}")))?);
        }
        heads.sort_unstable();
        heads.dedup();
        Ok(heads.into_iter().map(|head| board.grid.name(head)).collect())
    }

    fn remember(&mut self, grid: &Grid) {
        self.past.add(grid.key().finish());
    }
}

const PARTS: &str = "the rows from the top joined by `/`, the seat to move, and 0 or 1 for the passes in a row, \
    2 at the end, or s, s:- or s:c3,q5 while dead stones are agreed upon, c:q5 for the answer to that; r0 and r1 after that \
    has failed";

const ONLY_ANSWER: &str = "each side has named dead stones: agree or resume";

impl Rules for Points {
    const META: &'static Meta = &META;
    const FORMATS: &'static [Format] = &[sgf::SGF];
    const NO_PASS: &'static str = "play has ended: name the dead stones, agree or resume";

    type Move = GoMove;

    fn setup(options: &GameOptions) -> (Self, Board) {
        let word = [&SMALL, &MEDIUM, &LARGE].into_iter().find_map(|word| word.of(options));
        let size = word.unwrap_or_else(|| SIZE.of(options));
        let names = Names { lettered_rows: false, from_below: true, without_i: true };
        let mut board = Board::new(Grid::new(Shape::Points, size, size, names), false);
        let stones = HANDICAP.of(options).and_then(|stones| stones.parse().ok()).unwrap_or(0);
        let line = |place: i8| match (place, if size < 13 { 2 } else { 3 }) {
            (-1, edge) => edge,
            (0, _) => size / 2,
            (_, edge) => size - 1 - edge,
        };
        for [column, row] in handicap_points(stones) {
            board.grid.put(board.grid.cell_at(size - 1 - line(row), line(column)), Seat::FIRST);
        }
        if stones > 0 {
            board.two.next = other(Seat::FIRST);
        }
        let komi = KOMI.given(options).unwrap_or(if stones > 0 { 1 } else { 13 });
        let is_agreed = SCORE.of(options);
        let mut points =
            Self { past: Past::default(), phase: Phase::Play(0), resumed: false, is_agreed, komi };
        points.remember(&board.grid);
        (points, board)
    }

    fn take_up(&mut self, board: &Board) -> Option<End> {
        self.past.clear();
        self.remember(&board.grid);
        (self.phase == Phase::Over).then(|| self.end(&board.grid))
    }

    fn play(&mut self, board: &mut Board, mv: GoMove) -> Result<Option<End>, Refusal> {
        let rule = |words: &str| Err(Refusal::Rule(words.to_owned()));
        match (mv, &self.phase) {
            (GoMove::Stone(_), Phase::Agree(_)) => return rule(Self::NO_PASS),
            (GoMove::Stone(point), _) => {
                board.grid = self.try_stone(board, point)?;
                self.phase = Phase::Play(0);
            }
            (_, Phase::Play(_) | Phase::Over) => {
                return rule("dead stones are spoken of only after two passes in a row");
            }
            (GoMove::Dead(_), Phase::Agree(Proposal::Counter(_))) => return rule(ONLY_ANSWER),
            (GoMove::Dead(chains), Phase::Agree(before)) => {
                let chains = Self::name_dead(board, &chains)?;
                let is_first = *before == Proposal::None;
                self.phase =
                    Phase::Agree(if is_first { Proposal::First(chains) } else { Proposal::Counter(chains) });
            }
            (_, Phase::Agree(Proposal::None)) => {
                return rule("nothing is proposed yet: name the dead stones first");
            }
            (GoMove::Resume, _) => (self.phase, self.resumed) = (Phase::Play(0), true),
            (GoMove::Agree, Phase::Agree(proposal)) => {
                for stone in proposal.chains().unwrap_or_default() {
                    let chain = Self::chain(&board.grid, board.find(*stone)?);
                    chain.into_iter().flat_map(Cells::iter).for_each(|cell| board.grid.clear(cell));
                }
                self.phase = Phase::Over;
            }
        }
        self.remember(&board.grid);
        Ok((self.phase == Phase::Over).then(|| self.end(&board.grid)))
    }

    fn each_move(&self, board: &Board, visit: &mut dyn FnMut(GoMove) -> ControlFlow<()>) {
        let grid = &board.grid;
        let _ = match &self.phase {
            Phase::Over => ControlFlow::Continue(()),
            Phase::Play(_) => {
                let points = grid.free().iter().map(|cell| grid.name(cell));
                let mut legal = points.filter(|point| self.try_stone(board, *point).is_ok());
                legal.try_for_each(|point| visit(GoMove::Stone(point)))
            }
            Phase::Agree(proposal) => {
                let is_asked = proposal.chains().is_some();
                let answers = if is_asked { &[GoMove::Agree, GoMove::Resume][..] } else { &[] };
                let is_last = matches!(proposal, Proposal::Counter(_));
                let heads = if is_last { Vec::new() } else { Self::chains(grid) };
                let chains = heads.into_iter().map(|head| GoMove::Dead(vec![grid.name(head)]));
                let dead = (!is_last).then_some(GoMove::Dead(Vec::new())).into_iter().chain(chains);
                answers.iter().cloned().chain(dead).try_for_each(visit)
            }
        };
    }

    fn has_chains(&self, _: &Board) -> bool {
        matches!(self.phase, Phase::Agree(Proposal::None | Proposal::First(_)))
    }

    fn each_step(
        &self,
        board: &Board,
        begun: Option<&GoMove>,
        visit: &mut dyn FnMut(GoStep) -> ControlFlow<()>,
    ) -> Result<(), Refusal> {
        match begun {
            None => self.each_move(board, &mut |mv| {
                GoStep::try_from(mv).map_or(ControlFlow::Continue(()), &mut *visit)
            }),
            Some(GoMove::Dead(chains)) if !chains.is_empty() => {
                if !self.has_chains(board) {
                    return Err(Refusal::Rule("dead stones are not spoken of now".to_owned()));
                }
                let named = Self::name_dead(board, chains)?;
                let last = named.last().and_then(|last| board.grid.find(*last)).unwrap_or(0);
                let more = Self::chains(&board.grid).into_iter().filter(|head| *head > last);
                let _ = more.map(|head| GoStep::Dead(Some(board.grid.name(head)))).try_for_each(visit);
            }
            Some(_) => {}
        }
        Ok(())
    }

    fn normalise(&self, board: &Board, mv: &GoMove) -> GoMove {
        match mv {
            GoMove::Dead(chains) => Self::name_dead(board, chains).map_or_else(|_| mv.clone(), GoMove::Dead),
            _ => mv.clone(),
        }
    }

    fn pick(&self, board: &Board, below: &mut dyn FnMut(u32) -> u32) -> Option<GoMove> {
        let free = board.grid.free();
        if matches!(self.phase, Phase::Play(_)) && !free.is_empty() {
            for _ in 0..12 {
                let point = free.nth(below(free.len())).map(|cell| board.grid.name(cell))?;
                if self.try_stone(board, point).is_ok() {
                    return Some(GoMove::Stone(point));
                }
            }
        }
        let mut moves = Vec::new();
        self.each_move(board, &mut |mv| {
            moves.push(mv);
            ControlFlow::Continue(())
        });
        if moves.is_empty() { None } else { moves.get(below(moves.len() as u32) as usize).cloned() }
    }

    /// Any stone but one that fills an eye; dead stones are neither named nor disputed.
    fn pick_likely(&self, board: &Board, below: &mut dyn FnMut(u32) -> u32) -> Option<GoMove> {
        match &self.phase {
            Phase::Over => return None,
            Phase::Agree(Proposal::None) => return Some(GoMove::Dead(Vec::new())),
            Phase::Agree(_) => return Some(GoMove::Agree),
            Phase::Play(_) => {}
        }
        let own = board.grid.of(board.two.next);
        let outside = |cell: usize| !board.grid.cells().contains(cell);
        let is_eye = |cell: usize| {
            let around = board.grid.straight_ways().map(|way| Grid::step(cell, way));
            around.into_iter().all(|beside| own.contains(beside) || outside(beside))
        };
        let mut left = board.grid.free();
        while !left.is_empty() {
            let cell = left.nth(below(left.len()))?;
            left.remove(cell);
            let point = board.grid.name(cell);
            if !is_eye(cell) && self.try_stone(board, point).is_ok() {
                return Some(GoMove::Stone(point));
            }
        }
        None
    }

    fn may_pass(&self, _: &Board) -> bool {
        matches!(self.phase, Phase::Play(_))
    }

    fn must_pass(&self, _: &Board) -> bool {
        false
    }

    fn pass(&mut self, board: &mut Board) -> Option<End> {
        let is_second = self.phase == Phase::Play(1);
        self.phase = match is_second {
            false => Phase::Play(1),
            true if self.is_agreed && !self.resumed => Phase::Agree(Proposal::None),
            true => Phase::Over,
        };
        self.remember(&board.grid);
        (self.phase == Phase::Over).then(|| self.end(&board.grid))
    }

    fn write(&self, board: &Board) -> (String, String) {
        let rest = match &self.phase {
            Phase::Play(passes) => format!("{}{passes}", if self.resumed { "r" } else { "" }),
            Phase::Agree(Proposal::None) => "s".to_owned(),
            Phase::Agree(Proposal::First(chains)) => format!("s:{}", list_dead(chains)),
            Phase::Agree(Proposal::Counter(chains)) => format!("c:{}", list_dead(chains)),
            Phase::Over => "2".to_owned(),
        };
        (board.grid.to_string(), rest)
    }

    fn read_parts(&mut self, board: &mut Board, rows: &str, rest: &str) -> Result<(), PositionError> {
        board.grid.read(rows)?;
        let wrong = || PositionError::Parts { expected: PARTS };
        (self.phase, self.resumed) = match rest {
            "0" => (Phase::Play(0), false),
            "1" => (Phase::Play(1), false),
            "r0" if self.is_agreed => (Phase::Play(0), true),
            "r1" if self.is_agreed => (Phase::Play(1), true),
            "2" => (Phase::Over, false),
            "s" if self.is_agreed => (Phase::Agree(Proposal::None), false),
            _ if self.is_agreed => {
                let (word, named) = rest.split_once(':').ok_or_else(wrong)?;
                let named = read_dead(named).ok_or_else(wrong)?;
                let chains = Self::name_dead(board, &named).map_err(|_| wrong())?;
                let proposal = if word == "c" { Proposal::Counter(chains) } else { Proposal::First(chains) };
                (Phase::Agree(proposal), false)
            }
            _ => return Err(wrong()),
        };
        if self.write(board).1 == rest { Ok(()) } else { Err(wrong()) }
    }

    fn add_to_key(&self, key: Key) -> Key {
        let phase = match &self.phase {
            Phase::Play(passes) => u64::from(*passes),
            Phase::Over => 2,
            Phase::Agree(proposal) => {
                let begin = if matches!(proposal, Proposal::Counter(_)) { 5 } else { 4 };
                proposal.chains().map_or(3, |chains| {
                    chains.iter().fold(begin, |sum, chain| {
                        sum * 1009 + 32 * u64::from(chain.letter) + u64::from(chain.number)
                    })
                })
            }
        };
        self.past.add_to_key(key.with(phase << 1 | u64::from(self.resumed)))
    }

    fn scores(&self, board: &Board) -> Scores {
        Scores::Halves(self.count(&board.grid).to_vec())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use knotpost_rules::{AnyGame, GivenOption, Kind, Outcome, Position, Seed, Status, Turn};

    crate::tests::game_tests!(super::Go, "go");

    fn start(options: &str) -> Box<dyn Position> {
        let game = Kind::<super::Go>::default();
        let given: Vec<_> = options.split_whitespace().filter_map(GivenOption::from_word).collect();
        game.setup(&game.parse_options(&given, 2).unwrap(), 2, &Seed::default())
    }

    fn play(position: &mut dyn Position, turns: &str) -> Result<(), String> {
        turns.split(' ').try_for_each(|turn| {
            position.play(Turn::from_word(turn)).map(drop).map_err(|error| error.to_string())
        })
    }

    #[test]
    fn a_board_of_any_earlier_turn_may_not_come_back() {
        let mut position = start("-size=9");
        play(position.as_mut(), "d5 g5 e6 f6 e4 f4 f5 e5").unwrap();
        let refused = play(position.as_mut(), "f5");
        assert_eq!(refused, Err("f5 would repeat the board after move 7 (ko)".to_owned()));
        play(position.as_mut(), "a9 j9 f5").unwrap();
        assert_eq!(
            play(position.as_mut(), "e5"),
            Err("e5 would repeat the board after move 10 (ko)".to_owned())
        );
        assert_eq!(play(position.as_mut(), "c8"), Ok(()));
    }

    #[test]
    fn dead_stones_are_agreed_upon_once() {
        let mut position = start("-size=9 -komi=0");
        play(position.as_mut(), "c3 g7 pass pass").unwrap();
        for (turn, reason) in [
            ("agree", "nothing is proposed yet: name the dead stones first"),
            ("pass", "play has ended: name the dead stones, agree or resume"),
            ("e5", "play has ended: name the dead stones, agree or resume"),
            ("dead:e5", "there is no stone on e5"),
        ] {
            assert_eq!(play(position.as_mut(), turn), Err(reason.to_owned()));
        }
        // The seat that passed first proposes; the other may propose something else.
        play(position.as_mut(), "dead:g7 dead:c3").unwrap();
        assert_eq!(play(position.as_mut(), "dead:-"), Err(super::ONLY_ANSWER.to_owned()), "not for ever");
        assert_eq!(position.legal_moves(), ["agree", "resume"]);
        assert!(position.position().ends_with(" 1 c:c3"), "{}", position.position());
        let mut resumed = position.clone_box();
        play(position.as_mut(), "agree").unwrap();
        assert_eq!(position.status(), Status::Over(Outcome::rank(&[0, 1], "area")));
        // Play goes on with the seat whose proposal was refused, and the next end counts as it stands.
        assert_eq!(resumed.next_seat().number(), 1);
        play(resumed.as_mut(), "resume").unwrap();
        assert_eq!(resumed.next_seat().number(), 2);
        assert!(play(resumed.as_mut(), "dead:-").is_err());
        play(resumed.as_mut(), "pass pass").unwrap();
        assert_eq!(resumed.status(), Status::Over(Outcome::rank(&[0, 0], "area")));
    }
}
