//! Near the end of a game the value is that of an exhaustive search, and close to it where dice decide.

use super::{after, expectation::Expectation, options, small::Solved, think};
use knotpost_games::osbo::Osbo;
use knotpost_rules::{Position, Seat, Seed, Status, Turn};

/// The best result for the seat on turn: 1 a win, 0 a tie, -1 a loss.
fn solve(position: &dyn Position) -> i32 {
    let mover = position.next_seat();
    let mut best = -1;
    for mv in position.legal_moves() {
        let mut next = position.clone_box();
        next.play(Turn::Move(&mv)).expect("legal");
        let value = match next.status() {
            Status::Over(outcome) => judge(&outcome.winners(), mover),
            Status::ToAct(seat) if seat == mover => solve(next.as_ref()),
            Status::ToAct(_) => -solve(next.as_ref()),
        };
        best = best.max(value);
        if best == 1 {
            break;
        }
    }
    best
}

fn judge(winners: &[Seat], mover: Seat) -> i32 {
    match winners {
        [only] if *only == mover => 1,
        [_] => -1,
        _ => 0,
    }
}

#[test]
fn boxilies_is_exact_when_few_stones_are_left() {
    let registry = knotpost_games::registry();
    let game = registry.find("boxilies").unwrap();
    for (turns, deals) in [(6, 8), (7, 20), (8, 20)] {
        for deal in ["-deal=same", "-deal=own", "-deal=open"] {
            let options = options(game, deal, 2);
            for byte in 0..deals {
                let seed = Seed([byte; 32]);
                let position = after(game, &options, 2, turns, &seed);
                let text = position.position();
                let answer = think(position.as_ref(), "boxilies", "8", &seed, u32::MAX).expect("an answer");
                let own = answer.values[position.next_seat().index()];
                let value = [0.0, 0.5, 1.0][(solve(position.as_ref()) + 1) as usize];
                assert!(answer.proven, "{text}: {answer:?}");
                assert!((own - value).abs() < 1e-6, "{text}: {own} is not {value}");
            }
        }
    }
}

#[test]
fn osbo_gives_next_to_nothing_away_near_its_end() {
    let registry = knotpost_games::registry();
    let game = registry.find("osbo").unwrap();
    let options = options(game, "", 2);
    let (mut judged, mut by_chance) = (0, 0.0);
    for number in 0..36 {
        let seed = Seed([number; 32]);
        let position = after(game, &options, 2, 24, &seed);
        let Some(answer) = think(position.as_ref(), "osbo", "nodes:2000", &seed, u32::MAX) else { continue };
        let Ok(turn) = answer.turn.parse() else { continue };
        let osbo = position.game().downcast_ref::<Osbo>().unwrap();
        let Some(exact) = Expectation::new(&options, 400).judge(osbo, &turn) else { continue };
        let seen = answer.values[position.next_seat().index()];
        assert!(exact.best - exact.played <= 0.05, "{number}: {exact:?}, {answer:?}");
        assert!((f64::from(seen) - exact.best).abs() <= 0.1, "{number}: {exact:?}, {answer:?}");
        judged += 1;
        by_chance += exact.best - exact.mean;
    }
    // Enough positions, and some in which the turn matters.
    assert!(judged >= 10 && by_chance >= 0.3, "{judged} positions, {by_chance} lost by chance");
}

#[test]
fn two_solvers_agree_on_3x3() {
    let registry = knotpost_games::registry();
    let game = registry.find("osbo").unwrap();
    let options = options(game, "-size=3", 2);
    let mut solved = Solved::new(game, &options).unwrap();
    let (mut judged, mut by_chance) = (0, 0.0);
    for number in 0..40 {
        let seed = Seed([number; 32]);
        let position = after(game, &options, 2, 4 + usize::from(number % 4), &seed);
        let Some(answer) = think(position.as_ref(), "osbo", "random", &seed, u32::MAX) else { continue };
        let Ok(turn) = answer.turn.parse() else { continue };
        let osbo = position.game().downcast_ref::<Osbo>().unwrap();
        let Some(exact) = Expectation::new(&options, 1500).judge(osbo, &turn) else { continue };
        let worths = solved.judge(osbo);
        let mean = worths.values().sum::<f64>() / worths.len() as f64;
        let best = worths.values().copied().fold(0.0, f64::max);
        assert!((best - exact.best).abs() < 1e-9 && (mean - exact.mean).abs() < 1e-9, "{number}: {exact:?}");
        judged += 1;
        by_chance += best - mean;
    }
    // Enough positions, and some in which the turn matters.
    assert!(judged >= 10 && by_chance >= 0.3, "{judged} positions, {by_chance} lost by chance");
}
