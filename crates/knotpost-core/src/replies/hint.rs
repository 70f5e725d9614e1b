//! A computer player's hint in words.

use schemars::JsonSchema;
use serde::Serialize;

use crate::thinking::Thought;

/// A hint for the player to move.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Hint {
    /// The number of moves made so far.
    pub ply: usize,
    /// The seat to move, from 1.
    pub seat: i64,
    /// Judgement of the position for the player to move, as a sentence.
    pub judgement: String,
    /// Choice of a computer player.
    #[serde(flatten)]
    pub thought: Thought,
}

impl Hint {
    pub(crate) fn of(thought: &Thought, seat: i64, ply: usize) -> Self {
        let own = usize::try_from(seat - 1).ok().and_then(|seat| thought.value.get(seat));
        let judgement = judge(own.copied().unwrap_or_default(), thought.value.len(), thought.proven);
        Self { ply, seat, judgement: format!("{judgement}."), thought: thought.clone() }
    }

    /// Values per seat: `ann 62 %, bob 38 %`.
    pub fn shares<'a>(&self, userids: impl Iterator<Item = &'a str>) -> String {
        let shares = userids.zip(&self.thought.value);
        shares.map(|(userid, value)| format!("{userid} {}", percent(*value))).collect::<Vec<_>>().join(", ")
    }

    /// Expected line with move numbers: `7. f2, 8. a9`.
    pub fn expected(&self) -> String {
        numbered(self.ply + 1, &self.thought.line)
    }

    pub(crate) fn notes<'a>(&self, userids: impl Iterator<Item = &'a str>) -> Vec<String> {
        let Self { thought, judgement, .. } = self;
        let mut notes = vec![
            format!("Hint: a computer player would play {}.", thought.turn),
            format!("{} ({})", judgement, self.shares(userids)),
        ];
        if thought.line.len() > 1 {
            notes.push(format!("Expected: {}.", self.expected()));
        }
        if thought.cut {
            notes.push("Time was up before the search had come to its end.".to_owned());
        }
        notes
    }
}

/// Turns in a row, the first with this number.
pub(crate) fn numbered(first: usize, turns: &[String]) -> String {
    let turns = (first..).zip(turns).map(|(number, turn)| format!("{number}. {turn}"));
    turns.collect::<Vec<_>>().join(", ")
}

pub(crate) fn percent(value: f64) -> String {
    format!("{:.0} %", value * 100.0)
}

/// Verdict for a player, without a full stop. Even depends on the number of players: a quarter among four.
fn judge(value: f64, players: usize, proven: bool) -> &'static str {
    let fair = 1.0 / players.max(1) as f64;
    let lead = if value >= fair { (value - fair) / (1.0 - fair) } else { (value - fair) / fair };
    match lead {
        _ if proven && value >= 1.0 && players == 2 => "You win, whatever your opponent does",
        _ if proven && value >= 1.0 => "You win, whatever the others do",
        _ if proven && value <= 0.0 && players == 2 => "Against best play you lose",
        _ if proven && players == 2 => "With best play it is a tie",
        lead if lead >= 0.6 => "You are far ahead",
        lead if lead >= 0.2 => "You are ahead",
        lead if lead >= 0.06 => "You are slightly ahead",
        lead if lead > -0.06 => "Nobody is clearly ahead",
        lead if lead > -0.2 => "You are slightly behind",
        lead if lead > -0.6 => "You are behind",
        _ => "You are far behind",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_even_depends_on_how_many_play() {
        assert_eq!(judge(0.5, 2, false), "Nobody is clearly ahead");
        assert_eq!(judge(0.5, 4, false), "You are ahead");
        assert_eq!(judge(0.25, 4, false), "Nobody is clearly ahead");
        assert_eq!(judge(0.62, 2, false), "You are ahead");
        assert_eq!(judge(0.38, 2, false), "You are behind");
        assert_eq!(judge(0.95, 2, false), "You are far ahead");
        assert_eq!(judge(0.05, 2, false), "You are far behind");
        assert_eq!(judge(0.54, 2, false), "You are slightly ahead");
    }

    #[test]
    fn what_is_certain_is_said_so() {
        assert_eq!(judge(1.0, 2, true), "You win, whatever your opponent does");
        assert_eq!(judge(1.0, 3, true), "You win, whatever the others do");
        assert_eq!(judge(0.0, 2, true), "Against best play you lose");
        assert_eq!(judge(0.5, 2, true), "With best play it is a tie");
        assert_eq!(judge(1.0, 2, false), "You are far ahead");
    }
}
