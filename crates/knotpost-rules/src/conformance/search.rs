//! The ground of a search: moves visited and picked, steps, keys, estimates, and chance that cannot be foreseen.

use super::{Broken, Chance, ensure};
use crate::{Ability, Forbidden, Game, GameOptions, Seed, Unseen};
use std::{
    collections::{HashMap, HashSet},
    ops::ControlFlow,
};

/// Turns of a game that are checked at most.
const MAX_TURNS: usize = 48;
/// Moves of a position that are visited at most: where there are more, the check sees the first ones.
const MAX_MOVES: usize = 256;
/// The part of these that is followed step by step.
const MAX_FOLLOWED: usize = 24;
/// Ways to draw a move by chance that are tried at most.
const MAX_DRAWS: usize = 256;
/// Moves of each turn that are tried for different orders that lead to the same position.
const BRANCHES: usize = 3;

/// Plays one random game by picked moves and checks what a search asks of each position.
pub(super) fn check_search<G: Game>(options: &GameOptions, players: usize, round: u64) -> Result<(), Broken> {
    let mut chance = Chance(round.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(players as u64 + 7));
    let mut game = G::setup(options, players, &Seed::default());
    let (mut known, mut rolls) = (HashMap::new(), Rolls::default());
    check_seeds::<G>(options, players)?;
    for turn in 0..MAX_TURNS {
        check_words(&game)?;
        check_key(&game, &mut known)?;
        check_estimates(&game, players)?;
        if turn % 3 == 0 {
            check_chance(&game, options, players, &mut chance, &mut rolls)?;
        }
        if game.is_over() {
            break;
        }
        if turn % 6 == 0 {
            check_moves(&game)?;
            check_orders(&game, &mut known)?;
        }
        let may_end = game.may_end();
        let mut below = |count| chance.below(count as usize) as u32;
        match if turn % 2 == 0 { game.pick(&mut below) } else { game.pick_likely(&mut below) } {
            Some(mv) => _ = game.play(&mv).map_err(|error| format!("{mv} is picked, but {error}"))?,
            None => game.pass().map_err(|error| format!("no move is picked, but {error}"))?,
        }
        ensure(may_end || !game.is_over(), || format!("{game} is said not to end by this turn"))?;
    }
    ensure(rolls.alike < FEW_ROLLS || rolls.different > 0, || "every stream has the same rolls".to_owned())?;
    check_pick(&game)
}

/// The seed decides something in a game with dice, and nothing in one without.
fn check_seeds<G: Game>(options: &GameOptions, players: usize) -> Result<(), Broken> {
    let starts: HashSet<String> =
        (0..8).map(|seed| G::setup(options, players, &Seed([seed; 32])).to_string()).collect();
    if G::META.abilities.has(Ability::Dice) {
        let fixed = starts.len() == 1 && options.is_default();
        return ensure(!fixed, || "the ability `Dice` is claimed, but all seeds start alike".to_owned());
    }
    ensure(starts.len() == 1, || "seeds decide the start without the ability `Dice`".to_owned())
}

/// A game has just the words of its abilities, and a forced pass is one that can be made. It has a past that can be
/// forgotten only with the ability for it.
fn check_words<G: Game>(game: &G) -> Result<(), Broken> {
    let words = [
        (Ability::Pass, game.clone().pass(), game.may_pass()),
        (Ability::Swap, game.clone().swap(), game.may_swap()),
    ];
    for (ability, made, says_so) in words {
        let exists = G::META.abilities.has(ability);
        let never = matches!(made, Err(Forbidden::Never(_)));
        ensure(exists != never, || {
            format!("the ability `{ability:?}` and the game's method contradict each other")
        })?;
        ensure(made.is_ok() == says_so, || {
            format!("`{ability:?}` is said to be {says_so}, but gives {made:?}")
        })?;
    }
    let forced = game.must_pass();
    ensure(!forced || game.may_pass(), || "a pass is forced that is not legal".to_owned())?;
    ensure(!forced || game.example_move().is_none(), || "a pass is forced beside a move".to_owned())?;
    let mut forgotten = game.clone();
    forgotten.forget();
    ensure(forgotten.to_string() == game.to_string(), || "forgetting changes the position".to_owned())?;
    ensure(G::META.abilities.has(Ability::History) || forgotten.key() == game.key(), || {
        "the game forgets something without the ability `History`".to_owned()
    })
}

/// Visited moves are legal and all different, are those listed, and can be picked.
fn check_moves<G: Game>(game: &G) -> Result<(), Broken> {
    let visited = visit(game);
    let different: HashSet<&G::Move> = visited.iter().collect();
    ensure(different.len() == visited.len(), || "a move is visited twice".to_owned())?;
    for mv in &visited {
        game.clone().play(mv).map_err(|error| format!("{mv} is visited, but {error}"))?;
    }
    for mv in visited.iter().step_by((visited.len() / MAX_FOLLOWED).max(1)) {
        check_steps(game, mv)?;
    }
    if visited.len() < MAX_MOVES {
        let listed = game.legal_moves();
        let missing = listed.iter().find(|mv| !different.contains(mv));
        ensure(missing.is_none(), || {
            format!("{} is listed, but not visited", missing.map_or_else(String::new, ToString::to_string))
        })?;
        let sample =
            game.quota().is_some() || visited.iter().any(|mv| G::Step::try_from(mv.clone()).is_err());
        ensure(sample || listed.len() == visited.len(), || {
            format!("{} moves of a single step are visited, and {} are listed", visited.len(), listed.len())
        })?;
    }
    check_pick(game)
}

fn visit<G: Game>(game: &G) -> Vec<G::Move> {
    let mut visited = Vec::new();
    game.each_move(&mut |mv| {
        visited.push(mv);
        if visited.len() < MAX_MOVES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    visited
}

/// A legal move is made of steps that can follow each other, and its text grows by each of them.
fn check_steps<G: Game>(game: &G, mv: &G::Move) -> Result<(), Broken> {
    let text = mv.to_string();
    let mut begun: Option<G::Move> = None;
    while begun.as_ref() != Some(mv) {
        let before = begun.as_ref().map(ToString::to_string).unwrap_or_default();
        let mut next = None;
        let find = &mut |step| {
            let longer = G::join(begun.as_ref(), step);
            let spelt = longer.to_string();
            let fits = text.strip_prefix(&spelt).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
            if !fits {
                return ControlFlow::Continue(());
            }
            next = Some(longer);
            ControlFlow::Break(())
        };
        game.each_step(begun.as_ref(), find)
            .map_err(|error| format!("{before} begins {text}, but {error}"))?;
        let longer = next.ok_or_else(|| format!("no step leads from `{before}` to {text}"))?;
        ensure(longer.to_string().len() > before.len(), || format!("a step after `{before}` adds nothing"))?;
        let read = longer.to_string().parse::<G::Move>();
        ensure(read.as_ref() == Ok(&longer), || format!("{longer} does not read back as the begun move"))?;
        begun = Some(longer);
    }
    ensure(game.is_complete(mv), || format!("{mv} is visited, but not complete"))
}

/// Every way to draw a move gives a legal one, and every legal move can be drawn.
fn check_pick<G: Game>(game: &G) -> Result<(), Broken> {
    let visited: HashSet<G::Move> = visit(game).into_iter().collect();
    let complete = visited.len() < MAX_MOVES;
    let (mut picked, mut script) = (HashSet::new(), Vec::<(u32, u32)>::new());
    for _ in 0..MAX_DRAWS {
        let mut drawn = 0;
        let mv = game.pick(&mut |count| {
            let count = count.max(1);
            if drawn == script.len() {
                script.push((0, count));
            }
            drawn += 1;
            script.get(drawn - 1).map_or(0, |(choice, _)| *choice)
        });
        let Some(mv) = mv else {
            return ensure(visited.is_empty(), || "there are moves, and none is picked".to_owned());
        };
        ensure(!complete || visited.contains(&mv), || format!("{mv} is picked, but not visited"))?;
        game.clone().play(&mv).map_err(|error| format!("{mv} is picked, but {error}"))?;
        picked.insert(mv);
        while script.pop_if(|(choice, count)| *choice + 1 >= *count).is_some() {}
        let Some((choice, _)) = script.last_mut() else {
            return ensure(!complete || picked.len() == visited.len(), || {
                format!("{} of {} moves can be picked", picked.len(), visited.len())
            });
        };
        *choice += 1;
    }
    Ok(())
}

/// Equal positions of a game have equal keys, and different ones different keys. Positions are told apart by their
/// strings, which is enough among those that the same game reaches.
fn check_key<G: Game>(game: &G, known: &mut HashMap<u64, String>) -> Result<(), Broken> {
    ensure(game.clone().key() == game.key(), || "a copy has another key".to_owned())?;
    let text = game.to_string();
    let other = known.entry(game.key()).or_insert_with(|| text.clone());
    ensure(*other == text, || format!("{text} and {other} have the same key"))
}

/// The first and the third of three turns, exchanged, often lead to the same position: then its key is the same.
fn check_orders<G: Game>(game: &G, known: &mut HashMap<u64, String>) -> Result<(), Broken> {
    let mut reached: HashMap<String, u64> = HashMap::new();
    let moves = sample(game);
    for first in &moves {
        for third in &moves {
            let mut after = game.clone();
            if after.play(first).is_err() {
                continue;
            }
            for second in sample(&after) {
                let mut last = after.clone();
                if last.play(&second).is_err() || last.play(third).is_err() {
                    continue;
                }
                last.forget();
                check_key(&last, known)?;
                let key = *reached.entry(last.to_string()).or_insert_with(|| last.key());
                ensure(key == last.key(), || format!("{last} has two keys, by the order of moves"))?;
            }
        }
    }
    Ok(())
}

/// A few moves, spread over those that there are.
fn sample<G: Game>(game: &G) -> Vec<G::Move> {
    let moves = game.legal_moves();
    let stride = (moves.len() / BRANCHES).max(1);
    moves.into_iter().step_by(stride).take(BRANCHES).collect()
}

/// Between two, what is good for one is as bad for the other.
fn check_estimates<G: Game>(game: &G, players: usize) -> Result<(), Broken> {
    let estimates: Vec<i32> = crate::Seats::first(players).iter().map(|seat| game.estimate(seat)).collect();
    ensure(players != 2 || estimates.iter().sum::<i32>() == 0, || {
        format!("the estimates {estimates:?} favour both")
    })
}

/// Rolls of two streams after the same turn, compared.
#[derive(Default)]
struct Rolls {
    alike: usize,
    different: usize,
}

/// Rolls of two streams that may be alike by chance.
const FEW_ROLLS: usize = 8;

/// Another stream changes nothing that can be seen, and what comes after it depends on nothing else: two boards that
/// look alike, whatever their true seeds, go on alike.
fn check_chance<G: Game>(
    game: &G,
    options: &GameOptions,
    players: usize,
    chance: &mut Chance,
    rolls: &mut Rolls,
) -> Result<(), Broken> {
    let seed = |chance: &mut Chance| Seed([(); 32].map(|()| chance.below(256) as u8));
    let (stream, other) = (seed(chance), seed(chance));
    let text = game.to_string();
    let twin =
        G::parse_position(options, players, &other, &text).map_err(|error| format!("{text}: {error}"))?;
    let mut game = game.clone();
    game.forget();
    let (mut one, mut two) = (Unseen::of(&game, &stream), Unseen::of(&twin, &stream));
    ensure(one.to_string() == text && one.roll() == game.roll(), || format!("{text} shows another stream"))?;
    ensure(one.key() == game.key(), || format!("{text} has another key with another stream"))?;
    for step in 0..3 {
        let Some(mv) = one.pick(&mut |count| chance.below(count as usize) as u32) else { break };
        let mut another = Unseen::of(&*one, &other);
        let played = (one.play(&mv).is_ok(), two.play(&mv).is_ok(), another.play(&mv).is_ok());
        ensure(played == (true, true, true), || format!("{mv} is not legal for each stream"))?;
        if step == 0 && one.roll().is_some() {
            if one.roll() == another.roll() { rolls.alike += 1 } else { rolls.different += 1 }
        }
        ensure(one.to_string() == two.to_string(), || {
            format!("after {mv} a copy of {text} knows the true stream")
        })?;
    }
    Ok(())
}
