//! Every game of the registry keeps the promises of the kit, and so does one the registry does not know.

use knotpost_rules::{AnyGame, Kind, Registry, conformance};

/// Plays one random game for each option and number of players.
#[track_caller]
fn check(name: &str) {
    let registry = Registry::standard();
    let game = registry.find(name).expect("a known game");
    game.check(1).unwrap_or_else(|broken| panic!("{broken}"));
}

/// A test for each game, so that they run side by side.
macro_rules! keeps_its_promises {
    ($($game:ident),*) => {
        $(#[test]
        fn $game() {
            check(stringify!($game));
        })*

        #[test]
        fn no_game_of_the_registry_is_left_unchecked() {
            let names: Vec<&str> = Registry::standard().iter().map(|game| game.meta().name).collect();
            assert_eq!(names, [$(stringify!($game)),*]);
        }
    };
}

keeps_its_promises!(osbox, osbo, obsidio, boxilies);

#[test]
fn a_new_game_needs_nothing_but_the_traits() {
    let registry = Registry::of(vec![Box::new(Kind::<conformance::Toy>::default())]);
    let toy: &dyn AnyGame = registry.find("MATCHES").expect("found in any case");
    toy.check(20).unwrap_or_else(|broken| panic!("{broken}"));
    assert!(registry.find("osbox").is_none());
}
