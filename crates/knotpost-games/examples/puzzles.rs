//! Makes puzzles: `puzzles GAME FILE` writes positions in which exactly one move wins by force, one a line:
//! the number of the attempt, the options, the position, the moves of best play; tabs between them. The same attempts
//! give the same puzzles on every machine. A file that has some already is continued after its last attempt.

use knotpost_bots::Chance;
use knotpost_games::{amazons::Amazons, boxilies::Boxilies, dots::Dots, obsidio::Obsidio, osbox::Osbox};
use knotpost_rules::{Game, GameOptions, GivenOption, Seat, Seed, Show};
use std::{
    collections::{HashMap, HashSet},
    error::Error,
    fs,
    io::Write as _,
    ops::ControlFlow,
};

/// How the puzzles of a game are looked for.
struct Recipe {
    sources: &'static [Source],
    /// The turns that a proof may take.
    turns: usize,
    /// The fewest plies until the win.
    shortest: u32,
    /// No proof is deeper.
    deepest: u32,
}

/// Where positions come from.
struct Source {
    options: &'static [&'static str],
    /// How many empty cells a position has at least and at most.
    empty: (usize, usize),
    /// Count of the puzzles that are made of it.
    share: usize,
}

const fn source(options: &'static [&'static str], empty: (usize, usize), share: usize) -> Source {
    Source { options, empty, share }
}

/// Without capture: with it the board may be emptied again, so that a search of everything does not end.
const OSBOX: Recipe = Recipe {
    sources: &[
        source(&["-no_capture"], (3, 3), 150),
        source(&["-size=3", "-no_capture"], (3, 4), 72),
        source(&["-no_capture", "-thin_knots"], (3, 3), 72),
        source(&["-no_capture", "-score=dice"], (3, 3), 72),
    ],
    turns: 12_000,
    shortest: 3,
    deepest: 8,
};

const OBSIDIO: Recipe = Recipe {
    sources: &[source(&["-size=5"], (5, 14), 150), source(&["-size=7"], (6, 18), 216)],
    turns: 12_000,
    shortest: 3,
    deepest: 20,
};

const BOXILIES: Recipe = Recipe {
    sources: &[
        source(&[], (4, 5), 122),
        source(&["-deal=own"], (4, 5), 122),
        source(&["-deal=open"], (4, 5), 122),
    ],
    turns: 12_000,
    shortest: 3,
    deepest: 9,
};

/// Lines and boxes count as empty cells.
const DOTS: Recipe = Recipe {
    sources: &[source(&["-size=2"], (9, 12), 6), source(&["-size=3"], (12, 16), 18)],
    turns: 40_000,
    shortest: 3,
    deepest: 12,
};

const AMAZONS: Recipe =
    Recipe { sources: &[source(&["-size=6"], (7, 9), 24)], turns: 40_000, shortest: 3, deepest: 12 };

/// With fewer moves a puzzle would be solved by trying.
const FEWEST_MOVES: usize = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [game, file] = words.as_slice() else { return Err("puzzles GAME FILE".into()) };
    match game.as_str() {
        "osbox" => make::<Osbox>(file, &OSBOX),
        "obsidio" => make::<Obsidio>(file, &OBSIDIO),
        "boxilies" => make::<Boxilies>(file, &BOXILIES),
        "dots" => make::<Dots>(file, &DOTS),
        "amazons" => make::<Amazons>(file, &AMAZONS),
        "osbo" => Err("osbo has no puzzles: what wins depends on rolls to come".into()),
        _ => Err("there are puzzles of osbox, obsidio, boxilies, dots and amazons".into()),
    }
}

/// Adds to the file until every source has given its share.
fn make<G: Show>(file: &str, recipe: &Recipe) -> Result<(), Box<dyn Error>> {
    let registry = knotpost_games::registry();
    let game = registry.find(G::META.name).ok_or("no such game")?;
    let text = fs::read_to_string(file).unwrap_or_default();
    let (mut attempt, mut known, mut given) = (0, HashSet::new(), HashMap::<String, usize>::new());
    for line in text.lines() {
        let [number, options, position, _] = line.split('\t').collect::<Vec<_>>()[..] else {
            return Err("a line is not whole".into());
        };
        attempt = number.parse()?;
        known.insert(position.to_owned());
        *given.entry(options.to_owned()).or_default() += 1;
    }
    let mut output = fs::OpenOptions::new().create(true).append(true).open(file)?;
    let whole: usize = recipe.sources.iter().map(|source| source.share).sum();
    while known.len() < whole {
        attempt += 1;
        let source = &recipe.sources[attempt as usize % recipe.sources.len()];
        let words: Vec<_> = source.options.iter().filter_map(|word| GivenOption::from_word(word)).collect();
        let options = game.parse_options(&words, 2)?;
        let given = given.entry(options.to_string()).or_default();
        if *given == source.share {
            continue;
        }
        let Some((position, line)) = attempt_one::<G>(&options, attempt, source, recipe)? else { continue };
        if known.insert(position.clone()) {
            *given += 1;
            output.write_all(format!("{attempt}\t{options}\t{position}\t{}\n", line.join(" ")).as_bytes())?;
        }
    }
    Ok(())
}

/// The position and the best line of a puzzle.
type Found = (String, Vec<String>);

fn attempt_one<G: Show>(
    options: &GameOptions,
    attempt: u64,
    source: &Source,
    recipe: &Recipe,
) -> Result<Option<Found>, Box<dyn Error>> {
    let mut chance = Chance::new(&Seed::default(), attempt);
    let (least, most) = source.empty;
    let empty = least + chance.below((most - least + 1) as u32) as usize;
    let Some(position) = play_to::<G>(options, empty, &mut chance) else { return Ok(None) };
    // What the string leaves out, such as who may still swap, is no part of a puzzle.
    let text = position.to_string();
    let position = G::parse_position(options, 2, &Seed::default(), &text)?;
    Ok(puzzle_line(&position, recipe).map(|line| (text, line)))
}

/// A position with this number of empty cells, after moves by chance and moves that win points.
fn play_to<G: Show>(options: &GameOptions, empty: usize, chance: &mut Chance) -> Option<G> {
    let mut game = G::setup(options, 2, &chance.seed());
    for _ in 0..200 {
        if game.is_over() {
            return None;
        }
        let text = game.to_string();
        if text.split(' ').next()?.matches('.').count() <= empty {
            return Some(game);
        }
        if game.must_pass() {
            game.pass().ok()?;
            continue;
        }
        let mv = if chance.below(3) == 0 { None } else { greedy(&game, chance) };
        let mv = mv.or_else(|| game.pick(&mut |count| chance.below(count)))?;
        game.play(&mv).ok()?;
    }
    None
}

/// A move that wins the most points, ties by chance.
fn greedy<G: Game>(game: &G, chance: &mut Chance) -> Option<G::Move> {
    let seat = game.next_seat();
    let mut best = (i32::MIN, Vec::new());
    for (mv, after) in branches(game) {
        let estimate = after.estimate(seat);
        if estimate > best.0 {
            best = (estimate, Vec::new());
        }
        if estimate == best.0 {
            best.1.push(mv);
        }
    }
    let place = chance.below(best.1.len() as u32) as usize;
    best.1.into_iter().nth(place).flatten()
}

/// A turn and what it leads to; a forced pass is no move.
type Branch<G> = (Option<<G as Game>::Move>, G);

/// All turns.
fn branches<G: Game>(game: &G) -> Vec<Branch<G>> {
    let mut list = Vec::new();
    game.each_move(&mut |mv| {
        let mut after = game.clone();
        if after.play(&mv).is_ok() {
            list.push((Some(mv), after));
        }
        ControlFlow::Continue(())
    });
    if list.is_empty() {
        let mut after = game.clone();
        if after.pass().is_ok() {
            list.push((None, after));
        }
    }
    list
}

/// The best line, if the position is a puzzle.
fn puzzle_line<G: Show>(position: &G, recipe: &Recipe) -> Option<Vec<String>> {
    let mut search = Search::<G>::new(position.next_seat(), recipe.turns);
    let moves = branches(position);
    if moves.len() < FEWEST_MOVES {
        return None;
    }
    let place = only_win(&mut search, &moves, recipe)?;
    // One that the score shows at once is no puzzle.
    let leads: Vec<i32> = moves.iter().map(|(_, after)| after.estimate(search.winner)).collect();
    let most = leads.iter().max()?;
    if leads.get(place)? == most && leads.iter().filter(|lead| *lead == most).count() == 1 {
        return None;
    }
    let first = moves.into_iter().nth(place)?;
    let depth = (0..recipe.deepest).find(|depth| search.wins_within(&first.1, *depth))?;
    if depth + 1 < recipe.shortest { None } else { best_line(&mut search, first, depth) }
}

/// The place of the only move that wins, if there is exactly one and all others are proven not to win.
fn only_win<G: Game>(search: &mut Search<G>, moves: &[Branch<G>], recipe: &Recipe) -> Option<usize> {
    let mut win = None;
    let mut open: Vec<usize> = (0..moves.len()).collect();
    for depth in 0..recipe.deepest {
        let mut left = Vec::new();
        for place in open {
            match search.is_won(&moves.get(place)?.1, depth).ok()? {
                Some(true) if win.is_some() || depth + 1 < recipe.shortest => return None,
                Some(true) => win = Some(place),
                Some(false) => {}
                None => left.push(place),
            }
        }
        open = left;
        if open.is_empty() {
            return win;
        }
    }
    None
}

/// The turns after which the winner has won as soon as possible, and the other side as late as possible. After the first
/// one it takes `depth` more.
fn best_line<G: Game>(search: &mut Search<G>, first: Branch<G>, mut depth: u32) -> Option<Vec<String>> {
    let mut line = Vec::new();
    let mut next = first;
    loop {
        line.push(next.0.as_ref().map_or("pass".to_owned(), ToString::to_string));
        let game = next.1;
        if game.is_over() {
            return Some(line);
        }
        let mut all = branches(&game).into_iter();
        next = if game.next_seat() == search.winner {
            all.find(|(_, after)| search.wins_within(after, depth - 1))?
        } else {
            let mut latest: Option<(u32, Branch<G>)> = None;
            for branch in all {
                let needs = (0..depth).find(|needs| search.wins_within(&branch.1, *needs)).unwrap_or(depth);
                if latest.as_ref().is_none_or(|(most, _)| needs > *most) {
                    latest = Some((needs, branch));
                }
            }
            latest?.1
        };
        depth = depth.checked_sub(1)?;
    }
}

/// A proof needs more turns than it may take.
struct TooLong;

/// An exhaustive search for one seat.
struct Search<G> {
    winner: Seat,
    /// Turns that may still be tried.
    left: usize,
    /// What is proven.
    proven: HashMap<u64, bool>,
    /// What was not decided, and how deep it was searched.
    searched: HashMap<u64, u32>,
    within: HashMap<(u64, u32), bool>,
    game: std::marker::PhantomData<G>,
}

impl<G: Game> Search<G> {
    fn new(winner: Seat, turns: usize) -> Self {
        Self {
            winner,
            left: turns,
            proven: HashMap::new(),
            searched: HashMap::new(),
            within: HashMap::new(),
            game: std::marker::PhantomData,
        }
    }

    fn is_winner(&self, game: &G) -> bool {
        game.result_by_scores().winners() == [self.winner]
    }

    /// Whether the seat wins by force; `None` when this depth does not decide it.
    fn is_won(&mut self, game: &G, depth: u32) -> Result<Option<bool>, TooLong> {
        if game.is_over() {
            return Ok(Some(self.is_winner(game)));
        }
        let key = game.key();
        if let Some(won) = self.proven.get(&key) {
            return Ok(Some(*won));
        }
        if depth == 0 || self.searched.get(&key).is_some_and(|searched| *searched >= depth) {
            return Ok(None);
        }
        let wanted = game.next_seat() == self.winner;
        let mut decided = Some(!wanted);
        let list = branches(game);
        self.left = self.left.checked_sub(list.len()).ok_or(TooLong)?;
        for (_, after) in list {
            match self.is_won(&after, depth - 1)? {
                Some(won) if won == wanted => {
                    self.proven.insert(key, won);
                    return Ok(Some(won));
                }
                Some(_) => {}
                None => decided = None,
            }
        }
        match decided {
            Some(won) => self.proven.insert(key, won).map(|_| ()),
            None => self.searched.insert(key, depth).map(|_| ()),
        };
        Ok(decided)
    }

    /// Whether the seat can end the game as its winner within this number of plies.
    fn wins_within(&mut self, game: &G, depth: u32) -> bool {
        if game.is_over() {
            return self.is_winner(game);
        }
        let key = game.key();
        if depth == 0 || self.proven.get(&key) == Some(&false) {
            return false;
        }
        if let Some(won) = self.within.get(&(key, depth)) {
            return *won;
        }
        let wanted = game.next_seat() == self.winner;
        let won = match branches(game) {
            list if wanted => list.into_iter().any(|(_, after)| self.wins_within(&after, depth - 1)),
            list => list.into_iter().all(|(_, after)| self.wins_within(&after, depth - 1)),
        };
        self.within.insert((key, depth), won);
        won
    }
}
