//! `list`: the games with their activity, or the boards of some.

use serde::Serialize;

use crate::app::App;
use crate::boards::{ServiceError, find_game};
use crate::commands::lists::{all_games, games};
use crate::play::queries::count_games;
use crate::replies::{Answer, Column, Content, Facts, GameCount, Reply, Table};
use knotpost_storage::ReadTx;

#[derive(Debug, Serialize)]
struct GameList {
    #[serde(skip)]
    games: Vec<GameCount>,
}

impl Content for GameList {
    const TEMPLATE: &'static str = "games";

    fn facts(&self) -> Facts {
        Facts::none().table("table", games_table(&self.games))
    }
}

pub(in crate::commands) async fn run(
    tx: &mut ReadTx,
    app: &App,
    games: &[String],
) -> Result<Answer, ServiceError> {
    match games {
        [] => Ok(Answer::to_sender(Reply::from(GameList {
            games: count_games(tx, app.offered_games()).await?,
        }))),
        [game] => games::run(tx, app, game, &[], None).await,
        games => {
            let games = games.iter().map(|game| find_game(app, game)).collect::<Result<Vec<_>, _>>()?;
            all_games::tables_of(tx, app, games.into_iter(), &[], None).await
        }
    }
}

fn games_table(games: &[GameCount]) -> Table {
    let columns = vec![
        Column::of_words("Game", 8),
        Column::of_numbers("Active", 6),
        Column::of_numbers("Finished", 8),
        Column::of_words("What it is", 10),
    ];
    let rows = games
        .iter()
        .map(|game| {
            vec![game.title.clone(), game.active.to_string(), game.over.to_string(), game.summary.clone()]
        })
        .collect();
    Table { columns, rows }
}
