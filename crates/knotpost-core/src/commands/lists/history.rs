use std::collections::HashSet;

use serde::Serialize;

use crate::app::App;
use crate::boards::{ServiceError, find_game};
use crate::play::queries::{MOST_LINES, find_users, winner};
use crate::replies::answer::count;
use crate::replies::{Answer, Column, Content, Facts, Reply, Table};
use knotpost_model::{BoardKey, Millis, UserKey};
use knotpost_storage::{BoardRow, ReadTx};

#[derive(Debug, Serialize)]
struct FinishedBoards {
    title: String,
    #[serde(serialize_with = "count")]
    boards: Vec<HistoryLine>,
    more: bool,
}

#[derive(Debug)]
struct HistoryLine {
    ended: String,
    number: i64,
    /// Name, or `TIE`.
    winner: String,
    /// In seat order.
    score: String,
    players: Vec<String>,
}

impl Content for FinishedBoards {
    const TEMPLATE: &'static str = "history";

    fn facts(&self) -> Facts {
        Facts::of(self).table("table", history_table(&self.boards))
    }
}

pub(in crate::commands) async fn run(
    tx: &mut ReadTx,
    app: &App,
    game: &str,
    users: &[String],
) -> Result<Answer, ServiceError> {
    let game = find_game(&app.games, game)?;
    let name = game.meta().name;
    let users = find_users(tx, Some(name), users).await?;
    let wanted: Vec<Option<UserKey>> =
        if users.is_empty() { vec![None] } else { users.iter().map(|user| Some(user.id)).collect() };
    let (mut rows, mut known): (Vec<BoardRow>, HashSet<BoardKey>) = (Vec::new(), HashSet::new());
    for user in wanted {
        let found = tx.list_finished(name, user, MOST_LINES + 1).await?;
        rows.extend(found.into_iter().filter(|row| known.insert(row.id)));
    }
    rows.sort_by_key(|row| std::cmp::Reverse((row.ended_at, row.number)));
    let more = rows.len() as i64 > MOST_LINES;
    rows.truncate(MOST_LINES as usize);
    let mut boards = Vec::new();
    for row in rows {
        let seats = tx.seats(row.id).await?;
        boards.push(HistoryLine {
            ended: Millis(row.ended_at.unwrap_or(0)).to_readable(),
            number: row.number,
            winner: winner(&row, &seats),
            score: row.scores.clone(),
            players: seats.iter().map(|seat| seat.userid.clone()).collect(),
        });
    }
    Ok(Answer::to_sender(Reply::from(FinishedBoards { title: game.meta().title.to_owned(), boards, more })))
}

fn history_table(boards: &[HistoryLine]) -> Table {
    let columns = vec![
        Column::of_words("Ended", 20),
        Column::of_numbers("Board", 5),
        Column::of_words("Winner", 10),
        Column::of_words("Score", 7),
        Column::of_words("Players", 10),
    ];
    let rows = boards
        .iter()
        .map(|board| {
            vec![
                board.ended.clone(),
                board.number.to_string(),
                board.winner.clone(),
                board.score.clone(),
                board.players.join(" "),
            ]
        })
        .collect();
    Table { columns, rows }
}
