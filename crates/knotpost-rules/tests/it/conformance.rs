//! Every game of the registry keeps the promises of the kit, and so does one the registry does not know.

use knotpost_rules::{AnyGame, Kind, Registry, conformance};

/// Plays one random game for each option and number of players.
#[track_caller]
fn check(name: &str) {
    let registry = Registry::standard();
    let game = registry.find(name).expect("a known game");
    conformance::check_game(game, 1).unwrap_or_else(|broken| panic!("{broken}"));
}

#[test]
fn osbox_keeps_the_promises() {
    check("osbox");
}

#[test]
fn osbo_keeps_the_promises() {
    check("osbo");
}

#[test]
fn obsidio_keeps_the_promises() {
    check("obsidio");
}

#[test]
fn boxilies_keeps_the_promises() {
    check("boxilies");
}

#[test]
fn no_game_of_the_registry_is_left_unchecked() {
    let names: Vec<&str> = Registry::standard().iter().map(|game| game.meta().name).collect();
    assert_eq!(names, ["osbox", "osbo", "obsidio", "boxilies"], "each has a test of its own above");
}

#[test]
fn a_new_game_needs_nothing_but_the_trait() {
    let registry = Registry::of(vec![Box::new(Kind::<conformance::Toy>::default())]);
    let toy: &dyn AnyGame = registry.find("MATCHES").expect("found in any case");
    conformance::check_game(toy, 20).unwrap_or_else(|broken| panic!("{broken}"));
    assert!(registry.find("osbox").is_none());
}
