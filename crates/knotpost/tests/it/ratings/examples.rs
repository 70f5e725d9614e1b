//! Games whose ratings were worked out by hand.

use knotpost_model::rating::{Pool, Rating, Score, rate};

use Score::{Lost, Tied, Won};

/// Computed to forty digits apart from this program.
const THREE: [f64; 3] = [6.133_834_478_417, -13.713_180_242_932, -7.688_098_347_265];
const MIXED: f64 = -18.233_926_239_551;
const QUARTER: f64 = 0.764_961_263_553;
const HELP: f64 = -12.933_082_760_791;

/// A rating of so many points after so many games, all of them worth that much.
fn rated(rating: f64, games: u32) -> Rating {
    Rating { rating, games, value_sum: rating * f64::from(games), ..Rating::default() }
}

fn points(ratings: &[Rating]) -> Vec<f64> {
    ratings.iter().map(|rating| rating.rating).collect()
}

fn pool_of(ratings: &[Rating]) -> Pool {
    let mut pool = Pool::default();
    for rating in ratings {
        pool.enter(rating);
    }
    pool
}

/// Nobody is established, so M is 1720 and nothing is added to the mean of the values.
///
/// | game | player | before | others' mean | mean of both | outcome | value | sum of values | games | after |
/// |------|--------|--------|--------------|--------------|---------|---------|---------|---|------------|
/// | 1 | ann | 1600 | 1600   | 1600    | +200 | 1800    | 1800    | 1 | 1800       |
/// |   | bob | 1600 | 1600   | 1600    | -200 | 1400    | 1400    | 1 | 1400       |
/// | 2 | bob | 1400 | 1600   | 1500    | +200 | 1700    | 3100    | 2 | 1550       |
/// |   | cyd | 1600 | 1400   | 1500    | -200 | 1300    | 1300    | 1 | 1300       |
/// | 3 | ann | 1800 | 1300   | 1550    |    0 | 1550    | 3350    | 2 | 1675       |
/// |   | cyd | 1300 | 1800   | 1550    |    0 | 1550    | 2850    | 2 | 1425       |
/// | 4 | ann | 1675 | 1487.5 | 1581.25 | -200 | 1381.25 | 4731.25 | 3 | 1577.08333 |
/// |   | bob | 1550 | 1550   | 1550    | +200 | 1750    | 4850    | 3 | 1616.66667 |
/// |   | cyd | 1425 | 1612.5 | 1518.75 | -200 | 1318.75 | 4168.75 | 3 | 1389.58333 |
#[test]
fn four_games_among_beginners() {
    let pool = Pool::default();
    let new = Rating::default();
    let [ann, bob] = rate(&[(new, Won), (new, Lost)], pool)[..] else { panic!("two players") };
    assert_eq!(points(&[ann, bob]), [1800.0, 1400.0]);
    let [bob, cyd] = rate(&[(bob, Won), (new, Lost)], pool)[..] else { panic!("two players") };
    assert_eq!(points(&[bob, cyd]), [1550.0, 1300.0]);
    let [ann, cyd] = rate(&[(ann, Tied), (cyd, Tied)], pool)[..] else { panic!("two players") };
    assert_eq!(points(&[ann, cyd]), [1675.0, 1425.0]);
    let after = rate(&[(ann, Lost), (bob, Won), (cyd, Lost)], pool);
    assert_eq!(points(&after), [4731.25 / 3.0, 4850.0 / 3.0, 4168.75 / 3.0]);
    assert_eq!((after[0].games, after[0].won, after[0].lost, after[0].tied), (3, 1, 1, 1));
    assert_eq!((after[1].games, after[1].won, after[1].lost, after[1].tied), (3, 2, 1, 0));
}

/// Eve is established at 1800 with 20 games and the only one who is, so M is 1800 and a fifth of
/// 1720 - 1800 is -16.
///
/// | game | player | before | outcome | value or change | sum | games | after |
/// |------|--------|--------|---------|-----------------|------|---|---------|
/// | 1 | dan | 1600 | +400 | 1800 + 400 = 2200 | 2200 | 1 | 2200 - 16 = 2184 |
/// |   | eve | 1800 | | 32 x 0/20 x (0 - ...) = 0 | | 21 | 1800 |
/// | 2 | dan | 2184 | -400 | 1800 - 400 = 1400 | 3600 | 2 | 1800 - 16 = 1784 |
/// |   | eve | 1800 | | 10^((2184 - 1800)/400) = 10^0.96 = 9.1201083935590974 | | | |
/// |   |     |      | | 32 x 1/20 x (1 - 1/10.1201083935590974) = 1.4418989266... | | 22 | 1801.4418989266... |
#[test]
fn a_beginner_and_an_established_player() {
    let eve = rated(1800.0, 20);
    let pool = pool_of(&[eve]);
    let [dan, eve] = rate(&[(Rating::default(), Won), (eve, Lost)], pool)[..] else { panic!("two players") };
    assert_eq!(points(&[dan, eve]), [2184.0, 1800.0]);
    let [dan, eve] = rate(&[(dan, Lost), (eve, Won)], pool)[..] else { panic!("two players") };
    assert_eq!(points(&[dan]), [1784.0]);
    near(eve.rating, 1_801.441_898_926_595);
    assert_eq!((eve.games, eve.won, eve.lost), (22, 1, 1));
}

/// | players (games) | scores | expected of the first | change of each |
/// |---|---|---|---|
/// | 1800 (20), 1600 (30) | won, lost  | 1/(1 + 10^-0.5) = 0.7597469266 | +7.6880983473, -7.6880983473 |
/// | 1800 (20), 1600 (30) | tied, tied | the same | -8.3119016527, +8.3119016527 |
/// | 1900, 1700, 1600 (20 each) | won, lost, lost | against 1650, 1750, 1800 | +6.133834, -13.713180, -7.688098 |
/// | 1800 (25), 1550 (10), 1650 (20) | lost, ... | against 1600 with 15 games: 3/4 of 32 | -18.233926 |
#[test]
fn established_players_move_by_what_was_expected_of_them() {
    let (one, two) = (rated(1800.0, 20), rated(1600.0, 30));
    let after = points(&rate(&[(one, Won), (two, Lost)], Pool::default()));
    near(after[0], 1_807.688_098_347_265_3);
    near(after[1], 1_592.311_901_652_734_7);
    let after = points(&rate(&[(one, Tied), (two, Tied)], Pool::default()));
    near(after[0], 1_791.688_098_347_265_3);
    near(after[1], 1_608.311_901_652_734_7);
    let three = [(rated(1900.0, 20), Won), (rated(1700.0, 20), Lost), (rated(1600.0, 20), Lost)];
    let after = points(&rate(&three, Pool::default()));
    near(after[0], 1900.0 + THREE[0]);
    near(after[1], 1700.0 + THREE[1]);
    near(after[2], 1600.0 + THREE[2]);
    let mixed = [(rated(1800.0, 25), Lost), (rated(1550.0, 10), Won), (rated(1650.0, 20), Lost)];
    near(rate(&mixed, Pool::default())[0].rating, 1800.0 + MIXED);
}

/// The twentieth game is still rated as a provisional one; from then on the Elo rule holds.
#[test]
fn a_rating_is_established_with_the_twentieth_game() {
    let ann = rated(1700.0, 19);
    let bob = rated(1500.0, 5);
    let pool = Pool::default();
    let after = rate(&[(ann, Won), (bob, Lost)], pool)[0];
    // (19 x 1700 + 1600 + 200) / 20
    assert_eq!((after.rating, after.games, after.is_established()), (1705.0, 20, true));
    let next = rate(&[(after, Lost), (bob, Won)], pool)[0];
    // 1/(1 + 10^((1500 - 1705)/400)) = 0.764961, a quarter of 32
    near(next.rating, 1705.0 - 8.0 * QUARTER);
}

/// The example of `help ratings`.
#[test]
fn the_example_of_the_help_page_is_right() {
    let after = rate(&[(rated(1800.0, 20), Lost), (rated(1550.0, 10), Won)], Pool::default())[0];
    near(after.rating, 1800.0 + HELP);
    assert_eq!(knotpost_model::rating::shown(after.rating), 1787);
}

#[track_caller]
fn near(rating: f64, expected: f64) {
    assert!((rating - expected).abs() < 1e-9, "{rating} is not {expected}");
}
