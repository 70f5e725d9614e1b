//! Random tournaments, to try engines on.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::record::{Colour, Entry, Outcome, Player, Record};
use crate::swiss::{NoPairing, pair_round};

/// Chances in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chances {
    /// A game is drawn.
    pub draws: u32,
    /// A pairing is decided without play.
    pub forfeits: u32,
    /// A player is away for a round; half of them with half a point.
    pub byes: u32,
}

impl Default for Chances {
    fn default() -> Self {
        Self { draws: 30, forfeits: 2, byes: 3 }
    }
}

/// A tournament of the Dutch system in which all rounds were played, the same for the same seed. With few players and many
/// rounds it may end early, when nobody is left to be paired.
pub fn random_tournament(players: usize, rounds: usize, seed: u64, chances: Chances) -> Record {
    let mut dice = Dice(ChaCha8Rng::seed_from_u64(seed));
    let mut record = Record {
        title: format!("Random tournament {seed}"),
        players: (1..)
            .take(players)
            .map(|number| Player { number, name: format!("player{number}"), rating: 0, entries: Vec::new() })
            .collect(),
        rounds: Some(rounds),
        first_colour: Some(if dice.percent(50) { Colour::White } else { Colour::Black }),
        ..Record::default()
    };
    let mut strengths: Vec<u32> = (0..players).map(|_| 1200 + dice.below(1200)).collect();
    strengths.sort_unstable_by(|a, b| b.cmp(a));
    for (player, &rating) in record.players.iter_mut().zip(&strengths) {
        player.rating = rating;
    }
    for round in 0..rounds {
        if play_round(&mut record, round, chances, &mut dice).is_err() {
            break;
        }
    }
    record
}

fn play_round(record: &mut Record, round: usize, chances: Chances, dice: &mut Dice) -> Result<(), NoPairing> {
    let away: Vec<Option<Entry>> = record
        .players
        .iter()
        .map(|_| {
            dice.percent(chances.byes).then(|| if dice.percent(50) { Entry::HalfBye } else { Entry::Absent })
        })
        .collect();
    let present: Vec<usize> = (0..away.len()).filter(|&player| away[player].is_none()).collect();
    let pairing = pair_round(record, round, &present)?;
    for (player, entry) in record.players.iter_mut().zip(away) {
        player.entries.extend(entry);
    }
    if let Some(bye) = pairing.bye {
        record.players[bye].entries.push(Entry::PairingBye);
    }
    for (white, black) in pairing.boards {
        let forfeit = dice.percent(chances.forfeits);
        let (first, second) =
            dice.result(chances.draws, record.players[white].rating, record.players[black].rating);
        for (player, opponent, colour, outcome) in
            [(white, black, Colour::White, first), (black, white, Colour::Black, second)]
        {
            record.players[player].entries.push(if forfeit {
                let outcome = if outcome == Outcome::Draw { Outcome::Loss } else { outcome };
                Entry::Forfeit { opponent, colour, outcome }
            } else {
                Entry::Game { opponent, colour, outcome }
            });
        }
    }
    Ok(())
}

struct Dice(ChaCha8Rng);

impl Dice {
    fn below(&mut self, bound: u32) -> u32 {
        self.0.next_u32() % bound
    }

    fn percent(&mut self, chance: u32) -> bool {
        self.below(100) < chance
    }

    /// A result that favours the higher rating: 400 points more win nine games of ten.
    fn result(&mut self, draws: u32, white: u32, black: u32) -> (Outcome, Outcome) {
        if self.percent(draws) {
            return (Outcome::Draw, Outcome::Draw);
        }
        let ahead = (i64::from(white) - i64::from(black)).clamp(-400, 400);
        if i64::from(self.below(1000)) < 500 + ahead {
            (Outcome::Win, Outcome::Loss)
        } else {
            (Outcome::Loss, Outcome::Win)
        }
    }
}
