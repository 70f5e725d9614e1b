//! Every game of the registry keeps the promises of the kit, and so does one the registry does not know.

use knotpost_rules::{AnyGame, Kind, Registry, conformance};

#[test]
fn every_game_keeps_the_promises() {
    for game in Registry::standard().iter() {
        conformance::check_game(game, 1).unwrap_or_else(|broken| panic!("{broken}"));
    }
}

#[test]
fn a_new_game_needs_nothing_but_the_trait() {
    let registry = Registry::of(vec![Box::new(Kind::<conformance::Toy>::default())]);
    let toy: &dyn AnyGame = registry.find("MATCHES").expect("found in any case");
    conformance::check_game(toy, 20).unwrap_or_else(|broken| panic!("{broken}"));
    assert!(registry.find("osbox").is_none());
}
