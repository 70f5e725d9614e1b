//! Every search on the toy game of the conformance kit, whose outcome is known: with two players whoever leaves a multiple
//! of four wins, and a new game needs nothing but the traits.

use crate::{
    bot::Answer,
    decide::{Profile, Searcher, Strength, decide},
    mcts::{self, ENDLESS, Policy},
    minimax,
    player::Player,
};
use knotpost_rules::{Game, GameOptions, Seed, conformance::Toy};

const DEPTH: Searcher = Searcher::Depth(minimax::Settings { scale: 1, quiet: 1 });
const BIASED: Searcher = Searcher::Tree(mcts::Settings {
    policy: Policy::Biased { explore: 1.0, sharp: 1.0 },
    playout: ENDLESS,
    scale: 1,
    ripe: 2,
});
const SHORT: Searcher = Searcher::Tree(mcts::Settings { policy: Policy::Uct, playout: 2, scale: 1, ripe: 1 });

fn ask(searcher: Searcher, heap: u32, players: usize, nodes: u64) -> Answer {
    let levels = [Strength { nodes, errors: 0 }; 8];
    let profile = Profile { two: searcher, many: searcher, nodes_of_one: 1, levels };
    let mut game = Toy::setup(&GameOptions::defaults(Toy::META.options), players, &Seed::default());
    game.read_position(&format!("{heap} 1 0")).expect("a position");
    decide(&game, &profile, Player::Nodes(nodes), &Seed::default(), &mut || false).expect("an answer")
}

#[test]
fn wins_and_losses_are_proven_by_every_search() {
    for searcher in [DEPTH, BIASED, SHORT] {
        for heap in 1..=14 {
            let answer = ask(searcher, heap, 2, 20_000);
            let wins = heap % 4 != 0;
            assert!(answer.proven, "{searcher:?} {heap}: {answer:?}");
            assert_eq!(answer.values, if wins { [1.0, 0.0] } else { [0.0, 1.0] }, "{searcher:?} {heap}");
            if wins {
                assert_eq!(answer.turn, (heap % 4).to_string(), "{searcher:?} {heap}");
            }
        }
    }
}

#[test]
fn three_players_each_take_what_is_best_for_them() {
    // Of four matches the first player leaves three at most, and the second takes them all.
    let lost = ask(DEPTH, 4, 3, 20_000);
    assert!(lost.proven && lost.values[0] < 0.5 && lost.line.len() == 2, "{lost:?}");
    for searcher in [DEPTH, BIASED, SHORT] {
        let won = ask(searcher, 3, 3, 5_000);
        assert_eq!((won.turn.as_str(), won.values[0], won.proven), ("3", 1.0, true), "{searcher:?}");
    }
}

#[test]
fn no_more_nodes_are_searched_than_allowed() {
    for searcher in [DEPTH, BIASED] {
        let answer = ask(searcher, 40, 2, 100);
        assert!(answer.nodes <= 100 && !answer.proven && !answer.cut, "{answer:?}");
    }
}
