//! What holds for all ratings.

use knotpost_model::rating::{Pool, Rating, Score, rate, shown};
use proptest::prelude::*;
use skillratings::Outcomes;
use skillratings::elo::{EloConfig, EloRating, elo};

fn established(rating: f64) -> Rating {
    Rating { rating, games: 20, ..Rating::default() }
}

fn other(score: Score) -> Score {
    match score {
        Score::Won => Score::Lost,
        Score::Tied => Score::Tied,
        Score::Lost => Score::Won,
    }
}

fn any_score() -> impl Strategy<Value = Score> {
    prop_oneof![Just(Score::Won), Just(Score::Tied), Just(Score::Lost)]
}

proptest! {
    #[test]
    fn what_one_established_player_wins_the_other_loses(
        one in 800.0..2800.0_f64, two in 800.0..2800.0_f64, score in any_score()
    ) {
        let after = rate(&[(established(one), score), (established(two), other(score))], Pool::default());
        let sum = (after[0].rating - one) + (after[1].rating - two);
        prop_assert!(sum.abs() < 1e-9, "{sum}");
    }

    #[test]
    fn two_established_players_are_rated_as_by_a_crate_for_elo(
        one in 800.0..2800.0_f64, two in 800.0..2800.0_f64, score in any_score()
    ) {
        let outcome = match score {
            Score::Won => Outcomes::WIN,
            Score::Tied => Outcomes::DRAW,
            Score::Lost => Outcomes::LOSS,
        };
        let theirs = elo(&EloRating { rating: one }, &EloRating { rating: two }, &outcome, &EloConfig { k: 32.0 });
        let ours = rate(&[(established(one), score), (established(two), other(score))], Pool::default());
        prop_assert!((ours[0].rating - theirs.0.rating).abs() < 1e-9);
        prop_assert!((ours[1].rating - theirs.1.rating).abs() < 1e-9);
    }

    #[test]
    fn a_win_is_never_worse_than_a_tie_nor_a_tie_than_a_loss(
        own in 800.0..2800.0_f64, theirs in 800.0..2800.0_f64, games in 0..40_u32, their_games in 0..40_u32
    ) {
        let own = Rating { rating: own, value_sum: own * f64::from(games), games, ..Rating::default() };
        let theirs = Rating { rating: theirs, games: their_games, ..Rating::default() };
        let after = |score| rate(&[(own, score), (theirs, other(score))], Pool::default())[0];
        let [won, tied, lost] = [Score::Won, Score::Tied, Score::Lost].map(after);
        prop_assert!(won.rating >= tied.rating && tied.rating >= lost.rating);
        prop_assert!(won.glicko > tied.glicko && tied.glicko > lost.glicko);
    }

    #[test]
    fn a_pool_does_not_care_who_comes_first(ratings in prop::collection::vec(0.0..4000.0_f64, 1..50)) {
        let mut there = Pool::default();
        let mut back = Pool::default();
        for rating in &ratings {
            there.enter(&established(*rating));
        }
        for rating in ratings.iter().rev() {
            back.enter(&established(*rating));
        }
        prop_assert_eq!(there, back);
        let mean = ratings.iter().sum::<f64>() / ratings.len() as f64;
        prop_assert!((there.mean() - mean).abs() < 1e-6);
        for rating in &ratings {
            there.leave(&established(*rating));
        }
        prop_assert_eq!(there, Pool::default());
    }

    #[test]
    fn games_are_won_lost_or_tied(score in any_score(), games in 0..30_u32) {
        let own = Rating { won: games, games, ..Rating::default() };
        let after = rate(&[(own, score), (Rating::default(), other(score))], Pool::default())[0];
        prop_assert_eq!(after.games, games + 1);
        prop_assert_eq!(after.won + after.lost + after.tied, after.games);
    }
}

#[test]
fn halves_are_shown_rounded_up() {
    let cases = [(1599.5, 1600), (1_599.499_999, 1599), (1600.0, 1600), (-0.5, 0), (-0.6, -1)];
    for (rating, expected) in cases {
        assert_eq!(shown(rating), expected, "{rating}");
    }
}

/// Glickman's own example, a period of one game at a time: numbers computed once by the published
/// formulas with tau 0.5.
#[test]
fn the_second_estimate_begins_as_glickman_says() {
    let new = Rating::default();
    assert_eq!((new.glicko, new.deviation, new.volatility), (1500.0, 350.0, 0.06));
    let after = rate(&[(new, Score::Won), (new, Score::Lost)], Pool::default());
    assert_eq!((shown(after[0].glicko), shown(after[0].deviation)), (1662, 290));
    assert_eq!((shown(after[1].glicko), shown(after[1].deviation)), (1338, 290));
}
