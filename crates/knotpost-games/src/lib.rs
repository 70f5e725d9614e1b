//! The games: one folder each with its rules, boards, help, computer player and tests. Only the program names this crate;
//! the server gets a registry.

#![warn(missing_docs)]

pub mod oracle;
#[cfg(test)]
mod testing;

use knotpost_bots::{Bot, Typed, default_bot};
use knotpost_rules::{Kind, Registry};

/// Each game by its folder and its type.
macro_rules! games {
    ($($folder:ident::$game:ident),* $(,)?) => {
        $(mod $folder;
        pub use $folder::$game;)*

        /// Every game of this version, in listing order.
        pub fn registry() -> Registry {
            Registry::standard()$(.with(Box::new(Kind::<$game>::default())))*
        }

        /// The bot of the game with this name, in any case.
        pub fn find_bot(name: &str) -> Option<&'static dyn Bot> {
            let bots: [&'static dyn Bot; _] = [$({
                static BOT: Typed<$game> = default_bot();
                &BOT
            }),*];
            bots.into_iter().find(|bot| bot.game().eq_ignore_ascii_case(name)).or_else(|| knotpost_bots::find(name))
        }
    };
}

games! {
    hex::Hex,
    breakthrough::Breakthrough,
    connect4::Connect4,
    othello::Othello,
    y::Y,
    havannah::Havannah,
}
