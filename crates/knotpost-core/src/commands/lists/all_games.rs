//! `all games`: tables of users' boards, one per game.

use knotpost_commands::Selector;
use knotpost_rules::AnyGame;
use serde::Serialize;

use crate::app::App;
use crate::boards::ServiceError;
use crate::commands::lists::games::boards_table;
use crate::play::queries::{MOST_LINES, describe_none, find_users, lines, select_boards};
use crate::replies::{Answer, BoardLine, Content, Fact, Facts, Reply};
use knotpost_storage::{ReadTx, UserRow};

#[derive(Debug, Serialize)]
struct BoardTables {
    #[serde(skip)]
    tables: Vec<BoardTable>,
    empty: String,
    more: bool,
}

#[derive(Debug, Serialize)]
struct BoardTable {
    title: String,
    #[serde(skip)]
    sides: Vec<String>,
    #[serde(skip)]
    boards: Vec<BoardLine>,
}

impl Content for BoardTables {
    const TEMPLATE: &'static str = "all_boards";

    fn facts(&self) -> Facts {
        let one =
            |table: &BoardTable| Facts::of(table).table("table", boards_table(&table.sides, &table.boards));
        Facts::of(self)
            .prose("empty", self.empty.clone())
            .with("tables", Fact::Parts(self.tables.iter().map(one).collect()))
    }
}

pub(in crate::commands) async fn run(
    tx: &mut ReadTx,
    app: &App,
    users: &[String],
    selector: Option<Selector>,
) -> Result<Answer, ServiceError> {
    let users = find_users(tx, None, users).await?;
    tables_of(tx, app, app.games.registry.iter(), &users, selector).await
}

/// Tables of the boards of these users, or of all if none is named; limited by the lines of one answer.
pub(in crate::commands) async fn tables_of(
    tx: &mut ReadTx,
    app: &App,
    games: impl Iterator<Item = &'static dyn AnyGame>,
    users: &[UserRow],
    selector: Option<Selector>,
) -> Result<Answer, ServiceError> {
    let (mut tables, mut left, mut more) = (Vec::new(), MOST_LINES, false);
    for game in games {
        let meta = game.meta();
        let mut rows = select_boards(tx, meta.name, users, selector, left + 1).await?;
        more |= rows.len() as i64 > left;
        rows.sort_by_key(|row| row.number);
        rows.truncate(usize::try_from(left).unwrap_or(0));
        left -= rows.len() as i64;
        let (mut boards, mut most_players) = (Vec::new(), 2);
        for row in rows {
            let seats = tx.seats(row.id).await?;
            most_players = most_players.max(seats.len());
            boards.push((row, seats));
        }
        let boards = lines(tx, app, &boards).await?;
        if !boards.is_empty() {
            let sides = meta.seat_names(most_players).iter().map(|side| (*side).to_owned()).collect();
            tables.push(BoardTable { title: meta.title.to_owned(), sides, boards });
        }
    }
    let none = describe_none(None, users, selector);
    Ok(Answer::to_sender(Reply::from(BoardTables { tables, empty: none, more })))
}
