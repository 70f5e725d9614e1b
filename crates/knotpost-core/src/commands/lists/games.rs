//! `games`: a table of the boards of a game.

use knotpost_commands::Selector;
use serde::Serialize;

use crate::app::App;
use crate::boards::{ServiceError, find_game};
use crate::play::queries::{MOST_LINES, describe_none, find_users, lines, select_boards};
use crate::replies::answer::count;
use crate::replies::{Answer, BoardLine, Column, Content, Facts, Reply, Table};
use knotpost_storage::ReadTx;

#[derive(Debug, Serialize)]
struct BoardList {
    title: String,
    #[serde(skip)]
    sides: Vec<String>,
    #[serde(serialize_with = "count")]
    boards: Vec<BoardLine>,
    empty: String,
    more: bool,
}

impl Content for BoardList {
    const TEMPLATE: &'static str = "board_list";

    fn facts(&self) -> Facts {
        Facts::of(self)
            .prose("empty", self.empty.clone())
            .table("table", boards_table(&self.sides, &self.boards))
    }
}

pub(in crate::commands) async fn run(
    tx: &mut ReadTx,
    app: &App,
    game: &str,
    users: &[String],
    selector: Option<Selector>,
) -> Result<Answer, ServiceError> {
    let game = find_game(&app.games, game)?;
    let name = game.meta().name;
    let users = find_users(tx, Some(name), users).await?;
    let mut rows = select_boards(tx, name, &users, selector, MOST_LINES + 1).await?;
    let more = rows.len() as i64 > MOST_LINES;
    rows.truncate(MOST_LINES as usize);
    rows.sort_by_key(|row| row.number);
    let mut boards = Vec::new();
    let mut most_players = 2;
    for row in rows {
        let seats = tx.seats(row.id).await?;
        most_players = most_players.max(seats.len());
        boards.push((row, seats));
    }
    let boards = lines(tx, app, &boards).await?;
    let none = describe_none(Some((name, game.meta().title)), &users, selector);
    let sides = game.meta().seat_names(most_players).iter().map(|side| (*side).to_owned()).collect();
    Ok(Answer::to_sender(Reply::from(BoardList {
        title: game.meta().title.to_owned(),
        sides,
        boards,
        empty: none,
        more,
    })))
}

pub(in crate::commands) fn boards_table(sides: &[String], boards: &[BoardLine]) -> Table {
    let mut columns = vec![Column::of_numbers("Board", 5), Column::of_numbers("Move", 4)];
    columns.extend(sides.iter().map(|side| Column::of_words(side, 10)));
    columns.push(Column::of_words("Board Status", 19));
    let rows = boards
        .iter()
        .map(|board| {
            let mut row = vec![board.number.to_string(), board.ply.to_string()];
            row.extend((0..sides.len()).map(|seat| board.players.get(seat).cloned().unwrap_or_default()));
            row.push(board.status.clone());
            row
        })
        .collect();
    Table { columns, rows }
}
