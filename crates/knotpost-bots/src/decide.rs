//! A decision: which search plays, how far, and how often a weak level errs.

use crate::{
    bot::Answer,
    chance::Chance,
    greedy,
    limit::Limit,
    mcts::{self, ENDLESS, Found, Policy},
    minimax,
    player::Player,
    state::{Action, State},
    values::MAX_PLAYERS,
};
use knotpost_rules::{Game, Seed};

/// The search that plays a game best, as far as matches have shown.
#[derive(Clone, Copy, Debug)]
pub enum Searcher {
    /// A tree of play-outs.
    Tree(mcts::Settings),
    /// Alpha-beta, and its like for more players.
    Depth(minimax::Settings),
}

/// The limits of a level.
#[derive(Clone, Copy, Debug)]
pub struct Strength {
    /// Nodes or play-outs for a decision.
    pub nodes: u64,
    /// Decisions in a thousand that are made by chance.
    pub errors: u32,
}

/// The searches of a game, and the limits of its levels.
#[derive(Debug)]
pub struct Profile {
    /// For two players.
    pub two: Searcher,
    /// For three and more players.
    pub many: Searcher,
    /// Nodes of `two` that a node of `many` stands for in a level.
    pub nodes_of_one: u64,
    /// From level 1 to level 8.
    pub levels: [Strength; 8],
}

/// Plain UCT: play-outs to the end, nothing from the estimate.
const PLAIN: mcts::Settings = mcts::Settings { policy: Policy::Plain, playout: ENDLESS, scale: 1, ripe: 1 };

/// The decision of a player; `None` when the game is over or nothing can be done.
pub(crate) fn decide<G: Game>(
    game: &G,
    profile: &Profile,
    player: Player,
    seed: &Seed,
    stop: &mut dyn FnMut() -> bool,
) -> Option<Answer> {
    // The seed of a search may be that of a board: what follows must not be the stream of the board.
    let mut chance = Chance::new(seed, 0);
    let root = State::new(game, &chance.seed());
    if root.is_over() {
        return None;
    }
    match player {
        Player::Random => Some(answer_plainly(&root, &root.pick(&mut chance)?)),
        Player::Greedy => Some(answer_plainly(&root, &greedy::choose(&root, &mut chance)?)),
        Player::Uct(count) => {
            think(&root, Searcher::Tree(PLAIN), &chance.seed(), &mut Limit::new(count, stop))
        }
        Player::Nodes(count) => play(&root, profile, &chance.seed(), &mut Limit::new(count, stop)),
        Player::Time(_) => play(&root, profile, &chance.seed(), &mut Limit::new(u64::MAX, stop)),
        Player::Erring { nodes, errors } => {
            play_erring(&root, profile, Strength { nodes, errors }, &mut chance, stop)
        }
        Player::Level(level) => {
            let Strength { nodes, errors } = *profile.levels.get(level.index())?;
            let share = if root.players() == 2 { 1 } else { profile.nodes_of_one };
            let strength = Strength { nodes: (nodes / share).max(1), errors };
            play_erring(&root, profile, strength, &mut chance, stop)
        }
    }
}

/// Wins at once where that is possible, and errs as often as the strength says: then it takes what wins most points at
/// once, and any move where none wins points.
fn play_erring<G: Game>(
    root: &State<G>,
    profile: &Profile,
    strength: Strength,
    chance: &mut Chance,
    stop: &mut dyn FnMut() -> bool,
) -> Option<Answer> {
    if chance.below(1000) >= strength.errors {
        return play(root, profile, &chance.seed(), &mut Limit::new(strength.nodes, stop));
    }
    if let Some(win) = root.find_win() {
        return Some(answer_win(root, &win));
    }
    let taking = greedy::find_gain(root, chance);
    Some(answer_plainly(root, &taking.or_else(|| root.pick(chance))?))
}

/// The search of the game, after a look for a move that wins at once.
fn play<G: Game>(root: &State<G>, profile: &Profile, seed: &Seed, limit: &mut Limit<'_>) -> Option<Answer> {
    if let Some(win) = root.find_win() {
        return Some(answer_win(root, &win));
    }
    let searcher = if root.players() == 2 { profile.two } else { profile.many };
    think(root, searcher, seed, limit)
}

fn think<G: Game>(root: &State<G>, searcher: Searcher, seed: &Seed, limit: &mut Limit<'_>) -> Option<Answer> {
    let found = match searcher {
        Searcher::Tree(settings) => mcts::search(root, settings, seed, limit)?,
        Searcher::Depth(settings) => minimax::search(root, settings, seed, limit)?,
    };
    answer(root, &found, limit)
}

fn answer<G: Game>(root: &State<G>, found: &Found<G::Move>, limit: &Limit<'_>) -> Option<Answer> {
    Some(Answer {
        turn: found.line.first()?.to_string(),
        values: by_seat(root, found.values),
        proven: found.proven,
        line: found.line.iter().map(ToString::to_string).collect(),
        nodes: limit.used(),
        depth: found.depth,
        cut: limit.is_cut(),
    })
}

/// At the root players sit in their seats.
fn by_seat<G: Game>(root: &State<G>, values: [f32; MAX_PLAYERS]) -> Vec<f32> {
    values.into_iter().take(root.players()).collect()
}

fn answer_win<G: Game>(root: &State<G>, win: &Action<G::Move>) -> Answer {
    let values = root.after(win).map_or([0.0; MAX_PLAYERS], |after| after.rewards());
    Answer { proven: true, values: by_seat(root, values), ..answer_unseen(win) }
}

/// The answer of a player who does not look ahead: nothing is known of the value.
fn answer_plainly<G: Game>(root: &State<G>, action: &Action<G::Move>) -> Answer {
    let players = root.players();
    Answer { values: vec![1.0 / players as f32; players], ..answer_unseen(action) }
}

fn answer_unseen<M: std::fmt::Display>(action: &Action<M>) -> Answer {
    let turn = action.to_string();
    Answer {
        line: vec![turn.clone()],
        turn,
        values: Vec::new(),
        proven: false,
        nodes: 1,
        depth: 1,
        cut: false,
    }
}
