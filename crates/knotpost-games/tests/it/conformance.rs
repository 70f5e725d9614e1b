//! A game that no registry knows keeps the promises of the kit.

use knotpost_rules::{AnyGame, Kind, Registry, conformance};

#[test]
fn a_new_game_needs_nothing_but_the_traits() {
    let registry = Registry::of(vec![Box::new(Kind::<conformance::Toy>::default())]);
    let toy: &dyn AnyGame = registry.find("MATCHES").expect("found in any case");
    toy.check(20).unwrap_or_else(|broken| panic!("{broken}"));
    assert!(registry.find("osbox").is_none());
}
