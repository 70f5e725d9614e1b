//! The games: one folder each with its rules, boards, help, computer player and tests. Only the program names this crate;
//! the server gets a registry.

#![warn(missing_docs)]

#[cfg(test)]
pub mod new_game;
#[cfg(test)]
mod tests;

use knotpost_bots::{Bot, Typed, default_bot, depth_bot};
use knotpost_rules::{AnyGame, Kind, Registry};

/// Each game by its folder, its type and its bot.
macro_rules! games {
    ($($folder:ident::$game:ident: $bot:expr,)*) => {
        $(pub mod $folder;
        pub use $folder::$game;)*

        /// Every game of this version, in listing order.
        pub fn registry() -> Registry {
            Registry::of(list_all())
        }

        fn list_all() -> Vec<Box<dyn AnyGame>> {
            vec![$(Box::new(Kind::<$game>::default())),*]
        }

        /// The bot of the game with this name, in any case.
        pub fn find_bot(name: &str) -> Option<&'static dyn Bot> {
            let bots: [&'static dyn Bot; _] = [$({
                static BOT: Typed<$game> = $bot;
                &BOT
            }),*];
            bots.into_iter().find(|bot| bot.game().eq_ignore_ascii_case(name))
        }

        /// Every game keeps the promises of the kit.
        #[cfg(test)]
        mod promises {
            $(#[test]
            fn $folder() {
                assert_eq!(knotpost_rules::conformance::check_game::<super::$game>(1), Ok(()));
            })*
        }
    };
}

games! {
    osbox::Osbox: osbox::BOT,
    osbo::Osbo: osbo::BOT,
    obsidio::Obsidio: obsidio::BOT,
    boxilies::Boxilies: boxilies::BOT,
    hex::Hex: default_bot(),
    breakthrough::Breakthrough: default_bot(),
    connect4::Connect4: default_bot(),
    othello::Othello: default_bot(),
    y::Y: default_bot(),
    havannah::Havannah: default_bot(),
    gomoku::Gomoku: depth_bot(40),
    dots::Dots: default_bot(),
    twixt::Twixt: default_bot(),
    go::Go: default_bot(),
    loa::Loa: depth_bot(60),
    wari::Wari: default_bot(),
    amazons::Amazons: default_bot(),
    nmm::Nmm: default_bot(),
    checkers::Checkers: default_bot(),
    chess::Chess: depth_bot(250),
}

/// The games of these names alone.
pub fn registry_of(names: &[&str]) -> Registry {
    Registry::of(list_all().into_iter().filter(|game| names.contains(&game.meta().name)).collect())
}
