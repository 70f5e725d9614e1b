//! `list`: the games by kind, or the boards of some.

use serde::Serialize;

use crate::app::App;
use crate::boards::{ServiceError, find_game};
use crate::commands::lists::{all_games, games};
use crate::replies::{Answer, Column, Content, Fact, Facts, Reply, Table};
use knotpost_rules::Meta;
use knotpost_storage::ReadTx;

#[derive(Debug, Serialize)]
struct GameList {
    kinds: Vec<OneKind>,
}

#[derive(Debug, Serialize)]
struct OneKind {
    kind: &'static str,
    #[serde(skip)]
    games: Vec<&'static Meta>,
}

impl Content for GameList {
    const TEMPLATE: &'static str = "games";

    fn facts(&self) -> Facts {
        let kind = |kind: &OneKind| Facts::of(kind).table("table", games_table(&kind.games));
        Facts::none().with("kinds", Fact::Parts(self.kinds.iter().map(kind).collect()))
    }
}

pub(in crate::commands) async fn run(
    tx: &mut ReadTx,
    app: &App,
    games: &[String],
) -> Result<Answer, ServiceError> {
    match games {
        [] => {
            let kinds = app.games.offered_by_kind().into_iter();
            let kinds = kinds.map(|(kind, games)| OneKind { kind: kind.word(), games }).collect();
            Ok(Answer::to_sender(Reply::from(GameList { kinds })))
        }
        [game] => games::run(tx, app, game, &[], None).await,
        games => {
            let games =
                games.iter().map(|game| find_game(&app.games, game)).collect::<Result<Vec<_>, _>>()?;
            all_games::tables_of(tx, app, games.into_iter(), &[], None).await
        }
    }
}

fn games_table(games: &[&Meta]) -> Table {
    let columns = vec![Column::of_words("Name", 12), Column::of_words("Game", 10)];
    let row = |game: &&Meta| vec![game.name.to_owned(), format!("{}: {}", game.title, game.summary)];
    Table { columns, rows: games.iter().map(row).collect() }
}
