//! Habits of a player, told by their latest boards: form, time to answer, losses on time.

use schemars::JsonSchema;
use serde::Serialize;

use knotpost_model::{SeatState, Span, UserKey};
use knotpost_storage::{ReadTx, ResultRow, StoreError};

/// Games counted for losses on time.
const MOST_RESULTS: i64 = 50;
/// Games of the form.
const FORM: usize = 10;
/// Boards and moves considered for the usual time to answer.
const ANSWERED_BOARDS: i64 = 10;
const MOST_ANSWERS: i64 = 100;
/// Fewer answers say nothing.
const LEAST_ANSWERS: usize = 5;

/// Outcome of a game for one of its players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Alone among the winners.
    Won,
    /// Others won.
    Lost,
    /// Several won, or nobody.
    Tied,
}

/// Facts about a player from their latest boards. Those against computer players alone do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Habits {
    /// Outcomes of the last games, at most ten, the latest first.
    pub form: Vec<Outcome>,
    /// Usual time to answer in milliseconds, the median of the latest moves; `null` while there are too few.
    pub answers_after_ms: Option<i64>,
    /// Finished games that were looked at, at most 50.
    pub finished: usize,
    /// Those of them that the player lost on time.
    pub lost_on_time: usize,
}

impl Outcome {
    fn of(row: &ResultRow) -> Self {
        let winners: Vec<&str> =
            row.winners.as_deref().unwrap_or_default().split(',').filter(|seat| !seat.is_empty()).collect();
        let is_winner = winners.iter().any(|seat| *seat == row.seat.to_string());
        match winners.len() {
            0 => Self::Tied,
            1 if is_winner => Self::Won,
            _ if is_winner => Self::Tied,
            _ => Self::Lost,
        }
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Won => "won",
            Self::Lost => "lost",
            Self::Tied => "tied",
        }
    }
}

pub(crate) async fn habits_of(tx: &mut ReadTx, user: UserKey) -> Result<Habits, StoreError> {
    let results = tx.latest_results(user, MOST_RESULTS).await?;
    let answers = tx.answer_times(user, ANSWERED_BOARDS, MOST_ANSWERS).await?;
    Ok(Habits {
        form: results.iter().take(FORM).map(Outcome::of).collect(),
        answers_after_ms: median(answers),
        finished: results.len(),
        lost_on_time: results.iter().filter(|row| row.state == SeatState::Forfeited).count(),
    })
}

fn median(mut times: Vec<i64>) -> Option<i64> {
    times.sort_unstable();
    times.get(times.len() / 2).copied().filter(|_| times.len() >= LEAST_ANSWERS)
}

impl Habits {
    /// Sentences for pages and mails.
    pub fn told(&self) -> Vec<String> {
        let mut told = Vec::new();
        if let Some(after) = self.answers_after_ms {
            told.push(format!("Usually answers within {}.", Span(after).in_words()));
        }
        if !self.form.is_empty() {
            let form: Vec<&str> = self.form.iter().map(|outcome| outcome.as_str()).collect();
            told.push(format!("Last games, the latest first: {}.", form.join(", ")));
        }
        let games = match self.finished {
            0 => return told,
            1 => "the last game".to_owned(),
            finished => format!("the last {finished} games"),
        };
        told.push(match self.lost_on_time {
            0 => format!("Lost on time: none of {games}."),
            lost => format!("Lost on time: {lost} of {games}."),
        });
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_time_to_answer_needs_a_few_answers() {
        assert_eq!(median(vec![9, 1, 2, 3]), None);
        assert_eq!(median(vec![1_000_000, 1, 2, 3, 4]), Some(3));
    }

    #[test]
    fn an_outcome_is_that_of_the_seat() {
        let outcome = |winners: Option<&str>| {
            Outcome::of(&ResultRow {
                game: String::new(),
                number: 1,
                state: SeatState::Playing,
                seat: 1,
                winners: winners.map(str::to_owned),
            })
        };
        assert_eq!(outcome(Some("1")), Outcome::Won);
        assert_eq!(outcome(Some("2")), Outcome::Lost);
        assert_eq!(outcome(Some("11")), Outcome::Lost);
        assert_eq!(outcome(Some("2,3")), Outcome::Lost);
        assert_eq!(outcome(Some("1,2")), Outcome::Tied);
        assert_eq!(outcome(Some("")), Outcome::Tied);
    }
}
