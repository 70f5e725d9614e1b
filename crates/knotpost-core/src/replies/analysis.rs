//! Analysis of a finished game: values after each move, and the worst moves.

use schemars::JsonSchema;
use serde::Serialize;

use crate::boards::{Board, Standing, chance};
use crate::replies::hint::{numbered, percent};
use crate::thinking::Thought;
use knotpost_model::MoveKind;

/// Loss of value from which a move is reported, and from which it is serious.
const MISTAKE: f64 = 0.1;
const SERIOUS: f64 = 0.25;
const MOST_MISTAKES: usize = 8;
const COLUMNS: usize = 56;
const ROWS: usize = 10;

/// A finished game as a computer player sees it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Analysis {
    /// Userids of the players at the end, by seat.
    pub players: Vec<String>,
    /// Values of the position, before the first move and after each.
    pub points: Vec<Point>,
    /// The moves that lost most, in the order in which they were made.
    pub mistakes: Vec<Mistake>,
    /// True if rolls of dice are part of what the values show.
    pub has_dice: bool,
    /// The level of the player.
    pub level: Option<u8>,
    /// True if time ended a search: then the values may be others next time.
    pub cut: bool,
    /// The version of the players.
    pub version: Option<&'static str>,
}

/// A position of the game.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Point {
    /// The number of moves made.
    pub ply: usize,
    /// For each seat how good the position was, from 0 to 1; `null`: it was not looked at.
    pub value: Option<Vec<f64>>,
}

/// A move that lost.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Mistake {
    /// The number of the move.
    pub number: usize,
    /// Seat of the player, from 1.
    pub seat: i64,
    /// Their userid.
    pub userid: String,
    /// The move.
    #[serde(rename = "move")]
    pub play: String,
    /// Value of the position for them before it.
    pub before: f64,
    /// Value of the position for them after it.
    pub after: f64,
    /// Turn that the computer player would have played, and those that it expected then.
    pub better: Vec<String>,
    /// True if no other move of the game lost more.
    pub worst: bool,
}

impl Analysis {
    /// `thoughts` belong to the positions before each move.
    pub(crate) fn of(board: &Board, thoughts: &[Option<Thought>]) -> Self {
        let seats = board.seats.len();
        let mut values: Vec<Option<Vec<f64>>> =
            thoughts.iter().map(|thought| Some(thought.as_ref()?.value.clone())).collect();
        values.push(match board.standing() {
            Standing::Over(outcome) => {
                let winners = outcome.winners();
                let share = 1.0 / winners.len().max(1) as f64;
                let value = |seat| if winners.iter().any(|won| won.index() == seat) { share } else { 0.0 };
                Some((0..seats).map(value).collect())
            }
            Standing::ToMove(_) => None,
        });
        let known = || thoughts.iter().flatten();
        Self {
            players: board.seats.iter().map(|seat| seat.userid.clone()).collect(),
            mistakes: find_mistakes(board, thoughts, &values),
            points: values.into_iter().enumerate().map(|(ply, value)| Point { ply, value }).collect(),
            has_dice: chance(board).is_some_and(|chance| !chance.is_deal),
            level: known().map(|thought| thought.level).next(),
            cut: known().any(|thought| thought.cut),
            version: known().map(|thought| thought.version).next(),
        }
    }

    /// Text chart: with two players the curve of the first, otherwise a digit per seat.
    pub(crate) fn chart(&self) -> String {
        let last = self.points.len().saturating_sub(1);
        let columns = COLUMNS.min(last + 1);
        let seats = if self.players.len() == 2 { 1 } else { self.players.len() };
        let mut rows = vec![vec![' '; columns]; ROWS + 1];
        for column in 0..columns {
            let ply = if columns > 1 { (column * last + (columns - 1) / 2) / (columns - 1) } else { 0 };
            let value = self.points.get(ply).and_then(|point| point.value.as_ref());
            for (seat, value) in value.into_iter().flatten().take(seats).enumerate() {
                let row = ROWS - (value.clamp(0.0, 1.0) * ROWS as f64).round() as usize;
                let sign =
                    if seats == 1 { '*' } else { char::from_digit(seat as u32 + 1, 10).unwrap_or('*') };
                if let Some(cell) = rows.get_mut(row).and_then(|row| row.get_mut(column)) {
                    *cell = sign;
                }
            }
        }
        let label = |row: usize| match row {
            0 => "100 %",
            row if row == ROWS / 2 => " 50 %",
            ROWS => "  0 %",
            _ => "     ",
        };
        let line = |(row, cells): (usize, &Vec<char>)| {
            let cells: String = cells.iter().collect();
            format!("   {} |{cells}", label(row)).trim_end().to_owned()
        };
        let mut lines: Vec<String> = rows.iter().enumerate().map(line).collect();
        let end = last.to_string();
        lines.push(format!("         +{}", "-".repeat(columns)));
        lines.push(format!("move      0{end:>width$}", width = columns.saturating_sub(1)));
        lines.join("\n")
    }

    pub(crate) fn caption(&self) -> String {
        match self.players.as_slice() {
            [first, second] => format!(
                "How good the position was for {first} after each move; {second} has the rest to 100 per cent."
            ),
            players => {
                let names = players.iter().zip(1..).map(|(name, digit)| format!("{digit} is {name}"));
                let names = names.collect::<Vec<_>>().join(", ");
                format!("How good the position was after each move: {names}.")
            }
        }
    }

    pub fn remarks(&self) -> Vec<&'static str> {
        let dice = "Dice are part of it: a value after a roll includes its luck.";
        let cut = "Time was up before every search had come to its end.";
        let unseen = "The game was too long: only its last moves were looked at.";
        let is_unseen = self.points.iter().any(|point| point.value.is_none());
        [(self.has_dice, dice), (self.cut, cut), (is_unseen, unseen)]
            .into_iter()
            .filter_map(|(holds, remark)| holds.then_some(remark))
            .collect()
    }
}

impl Mistake {
    pub fn sentence(&self) -> String {
        let Self { number, userid, play, before, after, .. } = self;
        let worst = match (self.worst, before - after >= SERIOUS) {
            (true, _) => "the move that lost most",
            (false, true) => "a serious mistake",
            (false, false) => "a mistake",
        };
        format!(
            "Move {number}, {userid}: {play} was {worst}, from {} to {}. Better: {}",
            percent(*before),
            percent(*after),
            self.line()
        )
    }

    /// The better continuation, with move numbers.
    pub fn line(&self) -> String {
        numbered(self.number, &self.better)
    }
}

/// Moves after which their player's value dropped and which the computer player would not have played. Swaps
/// are not judged: they exchange the seats.
fn find_mistakes(board: &Board, thoughts: &[Option<Thought>], values: &[Option<Vec<f64>>]) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    for (index, entry) in board.entries.iter().enumerate() {
        let row = &entry.row;
        if row.auto || !matches!(row.kind, MoveKind::Move | MoveKind::Pass) {
            continue;
        }
        let seat = usize::try_from(row.seat - 1).unwrap_or_default();
        let Some(thought) = thoughts.get(index).and_then(Option::as_ref) else { continue };
        let after = values.get(index + 1).and_then(Option::as_ref).and_then(|value| value.get(seat));
        let (Some(before), Some(after)) = (thought.value.get(seat), after) else { continue };
        if row.text == thought.turn || before - after < MISTAKE {
            continue;
        }
        mistakes.push(Mistake {
            number: index + 1,
            seat: row.seat,
            userid: board.userid_at(board.present_seat(index)).to_owned(),
            play: entry.text.clone(),
            before: *before,
            after: *after,
            better: thought.line.clone(),
            worst: false,
        });
    }
    mistakes.sort_by(|one, other| {
        (other.before - other.after).total_cmp(&(one.before - one.after)).then(one.number.cmp(&other.number))
    });
    mistakes.truncate(MOST_MISTAKES);
    if let Some(worst) = mistakes.first_mut() {
        worst.worst = true;
    }
    mistakes.sort_by_key(|mistake| mistake.number);
    mistakes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn analysis(players: usize, values: &[&[f64]]) -> Analysis {
        let points = values.iter().enumerate();
        Analysis {
            players: ["ann", "bob", "cyd"].iter().take(players).map(ToString::to_string).collect(),
            points: points.map(|(ply, value)| Point { ply, value: Some(value.to_vec()) }).collect(),
            mistakes: Vec::new(),
            has_dice: false,
            level: Some(7),
            cut: false,
            version: None,
        }
    }

    #[test]
    fn a_chart_has_a_column_for_each_move() {
        let chart = analysis(2, &[&[0.5, 0.5], &[0.7, 0.3], &[0.2, 0.8], &[1.0, 0.0]]).chart();
        let expected = "   100 % |   *\n         |\n         |\n         | *\n         |\n    50 % |*\n         |\n         |\n\
                        \u{20}        |  *\n         |\n     0 % |\n         +----\nmove      0  3";
        assert_eq!(chart, expected, "{chart}");
    }

    #[test]
    fn a_long_game_fits_into_a_mail() {
        let values: Vec<[f64; 3]> = (0..300).map(|ply| [f64::from(ply) / 300.0, 0.2, 0.1]).collect();
        let values: Vec<&[f64]> = values.iter().map(<[f64; 3]>::as_slice).collect();
        let chart = analysis(3, &values).chart();
        assert!(chart.lines().all(|line| line.chars().count() <= 72), "{chart}");
        assert!(chart.contains('1') && chart.contains('2') && chart.contains('3'), "{chart}");
        assert!(chart.ends_with("299"), "{chart}");
    }
}
