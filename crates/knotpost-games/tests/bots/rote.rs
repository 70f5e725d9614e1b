//! A player who learned a won game by heart: its turns again, whatever the computer player does.

use knotpost_bots::{Bot, Chance, Contest, Player, Tally};
use knotpost_rules::{AnyGame, GameOptions, Seed, Turn};

/// Games that are tried for one that is won.
const TRIES: usize = 60;

/// A won game: who won it, and by which turns of theirs.
pub(crate) struct Learned {
    /// The number of the game, which says how it starts.
    number: usize,
    /// The turns of the winner.
    pub(crate) turns: Vec<String>,
}

/// The board that is played on.
pub(crate) struct Ground<'a> {
    pub(crate) game: &'a dyn AnyGame,
    pub(crate) bot: &'a dyn Bot,
    pub(crate) options: &'a GameOptions,
}

impl Ground<'_> {
    fn contest<'a>(&'a self, players: &'a [Player; 2], seed: u64) -> Contest<'a> {
        let seed = Chance::new(&Seed::default(), seed).seed();
        let (game, bot, options) = (self.game, self.bot, self.options);
        Contest { game, bot, options, position: None, players, random_plies: 0, seed }
    }

    /// A game in which `winner` beats `loser` from this seat.
    pub(crate) fn learn(&self, winner: Player, loser: Player, seat: usize) -> Option<Learned> {
        let players = [winner, loser];
        (0..TRIES).map(|turn| 2 * turn + seat).find_map(|number| {
            let played = self.contest(&players, 0).play(number, &|| 0)?;
            let won = played.outcome.winners();
            // After a swap the winner sits elsewhere: such a game is not learned.
            let is_won = won.len() == 1 && won[0].index() == seat && played.seats.get(seat) == Some(&0);
            let turns = played.turns.into_iter().skip(seat).step_by(2).collect();
            is_won.then_some(Learned { number, turns })
        })
    }

    /// Plays the learned turns in as many games against this player, each on the same board and with another seed of the
    /// player. A turn that is not legal is one by chance.
    pub(crate) fn replay(&self, learned: &Learned, player: Player, games: u64) -> Option<Tally> {
        let mut tally = Tally::new(2);
        let players = [Player::Random, player];
        for game in 0..games {
            let mut chance = Chance::new(&Seed::default(), 1_000 + game);
            let mut turns = learned.turns.iter();
            let contest = self.contest(&players, 0);
            let played = contest.play_by(learned.number, &mut |position, sitting, _| {
                let recalled = if sitting == 0 { turns.next() } else { None };
                let is_legal = |turn: &&String| position.clone_box().play(Turn::from_word(turn)).is_ok();
                if let Some(turn) = recalled.filter(is_legal) {
                    return Some(turn.clone());
                }
                let asked = *players.get(sitting)?;
                Some(self.bot.think(position, asked, &chance.seed(), &mut || false)?.turn)
            })?;
            tally.add(&played);
        }
        Some(tally)
    }
}
