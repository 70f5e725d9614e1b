//! Matches: seats, starts, points and what they say of strength.

use super::{options, rote::Ground};
use knotpost_bots::{Contest, Game, ParsePlayerError, Player, Tally};
use knotpost_rules::{Outcome, Seed};

fn players(list: &str) -> Vec<Player> {
    list.split(',').map(|text| text.parse().unwrap()).collect()
}

/// The first games of a match.
fn play(name: &str, typed: &str, list: &str, games: usize, random_plies: usize) -> Vec<Game> {
    let registry = knotpost_games::registry();
    let game = registry.find(name).unwrap();
    let players = players(list);
    let contest = Contest {
        game,
        bot: knotpost_games::find_bot(name).unwrap(),
        options: &options(game, typed, players.len()),
        position: None,
        players: &players,
        random_plies,
        seed: Seed::default(),
    };
    (0..games).map(|number| contest.play(number, &|| 0).expect("played to the end")).collect()
}

#[test]
fn seats_change_and_starts_are_shared() {
    let games = play("osbo", "-size=3", "random,greedy,random", 6, 2);
    let seats: Vec<&[usize]> = games.iter().map(|game| game.seats.as_slice()).collect();
    assert_eq!(seats[..4], [[0, 1, 2], [2, 0, 1], [1, 2, 0], [0, 1, 2]]);
    let starts: Vec<&[String]> = games.iter().map(|game| &game.turns[..2]).collect();
    assert_eq!(starts[0], starts[1]);
    assert_eq!(starts[1], starts[2]);
    assert_ne!(starts[2], starts[3]);
}

#[test]
fn the_same_match_is_the_same_games() {
    for (name, typed) in [("obsidio", "-size=5"), ("boxilies", ""), ("osbox", "-size=3")] {
        let turns =
            || play(name, typed, "2,greedy", 2, 1).into_iter().map(|game| game.turns).collect::<Vec<_>>();
        assert_eq!(turns(), turns(), "{name}");
    }
}

#[test]
fn a_search_beats_chance() {
    for (name, typed, list) in [
        ("boxilies", "", "nodes:300,random"),
        ("obsidio", "-size=5", "nodes:60,random"),
        ("osbox", "-size=3", "nodes:200,random"),
        ("osbo", "-size=3", "nodes:60,random"),
        ("hex", "-size=5", "nodes:60,random"),
        ("breakthrough", "-size=6", "nodes:60,random"),
        ("connect4", "", "nodes:60,random"),
        ("othello", "", "nodes:60,random"),
        ("y", "-size=5", "nodes:60,random"),
        ("havannah", "-size=4", "nodes:60,random"),
    ] {
        let mut tally = Tally::new(2);
        for game in play(name, typed, list, 12, 0) {
            tally.add(&game);
        }
        assert!(tally.score()[0] > 7.0, "{name}: {tally:?}");
    }
}

#[test]
fn a_won_game_cannot_be_won_again_by_rote() {
    let registry = knotpost_games::registry();
    for (name, typed, winner, loser) in [
        ("osbox", "-size=3 -thin_knots", "nodes:1000", "nodes:600"),
        ("boxilies", "", "nodes:2000", "nodes:500"),
        ("obsidio", "-size=5", "nodes:200", "nodes:40"),
    ] {
        let game = registry.find(name).unwrap();
        let options = options(game, typed, 2);
        let ground = Ground { game, bot: knotpost_games::find_bot(name).unwrap(), options: &options };
        let loser = loser.parse().unwrap();
        for seat in 0..2 {
            let learned = ground.learn(winner.parse().unwrap(), loser, seat);
            let learned = learned.unwrap_or_else(|| panic!("{name}: no game is won from seat {seat}"));
            let tally = ground.replay(&learned, loser, 10).unwrap();
            assert!(tally.score()[0] <= 6.0, "{name}: {} turns, {tally:?}", learned.turns.len());
        }
    }
}

#[test]
fn a_first_game_against_the_weakest_level_is_seldom_a_tie() {
    // The half point of Go's komi leaves no tie.
    for game in knotpost_games::registry().iter().filter(|game| game.meta().name != "go") {
        let mut tally = Tally::new(2);
        for played in play(game.meta().name, game.meta().trial, "random,1", 20, 0) {
            tally.add(&played);
        }
        assert!(tally.ties() <= 5, "{}: {tally:?}", game.meta().name);
    }
}

fn game(seats: [usize; 2], points: [u32; 2]) -> Game {
    Game { seats: seats.to_vec(), turns: Vec::new(), outcome: Outcome::rank(&points, "score") }
}

#[test]
fn points_are_those_of_players_not_of_seats() {
    let mut tally = Tally::new(2);
    assert_eq!(tally.bounds(), knotpost_bots::Bounds::default());
    for (seats, points) in [([0, 1], [2, 1]), ([1, 0], [1, 2]), ([0, 1], [3, 3]), ([1, 0], [5, 2])] {
        tally.add(&game(seats, points));
    }
    assert_eq!((tally.wins(), tally.ties(), tally.score()), (&[2, 1][..], 1, &[2.5, 1.5][..]));
    let bounds = tally.bounds();
    let elo = bounds.elo.unwrap();
    // 400 log10(2.5 / 1.5)
    assert!((elo - 88.739).abs() < 0.01, "{elo}");
    assert!(bounds.low.unwrap() < elo && elo < bounds.high.unwrap());
}

#[test]
fn whoever_always_wins_has_no_upper_bound() {
    let mut tally = Tally::new(2);
    for _ in 0..20 {
        tally.add(&game([0, 1], [1, 0]));
    }
    let bounds = tally.bounds();
    assert_eq!((bounds.elo, bounds.high), (None, None));
    assert!(bounds.low.unwrap() > 200.0, "{bounds:?}");
}

#[test]
fn players_are_read_and_printed_alike() {
    for text in
        ["1", "8", "random", "greedy", "uct:1000", "nodes:7", "nodes:40:620", "nodes:1:1000", "time:250"]
    {
        assert_eq!(text.parse::<Player>().unwrap().to_string(), text);
    }
    for text in [
        "",
        "0",
        "9",
        "08x",
        "-1",
        "+3",
        "uct",
        "uct:",
        "uct:0",
        "nodes:5:",
        "nodes:5:0",
        "nodes:5:1001",
        "nodes:0:5",
        "nodes:5:5:5",
        "time:+5",
        "best",
        "greedy:1",
    ] {
        assert_eq!(text.parse::<Player>(), Err(ParsePlayerError), "{text}");
    }
}
