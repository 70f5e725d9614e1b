//! `tournaments`: a table of tournaments.

use knotpost_commands::TournamentSelector;
use serde::Serialize;

use crate::app::App;
use crate::boards::ServiceError;
use crate::replies::{Answer, Column, Content, Facts, Reply, Table};
use crate::tournaments::{TournamentLine, TournamentQuery, list, standing};
use knotpost_model::TournamentState;
use knotpost_storage::ReadTx;

const MOST: usize = 100;

#[derive(Debug, Serialize)]
struct TournamentList {
    any: bool,
    more: bool,
    #[serde(skip)]
    lines: Vec<TournamentLine>,
}

impl Content for TournamentList {
    const TEMPLATE: &'static str = "tournaments";

    fn facts(&self) -> Facts {
        Facts::of(self).table("table", table(&self.lines))
    }
}

pub(in crate::commands) async fn run(
    tx: &mut ReadTx,
    app: &App,
    game: Option<&str>,
    which: Option<TournamentSelector>,
) -> Result<Answer, ServiceError> {
    let query = TournamentQuery {
        game: game.map(str::to_owned),
        states: which.map(states).unwrap_or_default(),
        userid: None,
        before: None,
    };
    let page = list(tx, app, &query, MOST).await?;
    let (any, more) = (!page.tournaments.is_empty(), page.cursor.is_some());
    Ok(Answer::to_sender(Reply::from(TournamentList { any, more, lines: page.tournaments })))
}

fn states(which: TournamentSelector) -> Vec<TournamentState> {
    match which {
        TournamentSelector::Open => vec![TournamentState::Open],
        TournamentSelector::Active => vec![TournamentState::Running],
        TournamentSelector::Over => vec![TournamentState::Over, TournamentState::Cancelled],
        TournamentSelector::All => TournamentState::ALL.to_vec(),
    }
}

fn table(lines: &[TournamentLine]) -> Table {
    let columns = vec![
        Column::of_words("Name", 4),
        Column::of_words("Game", 4),
        Column::of_words("Form", 4),
        Column::of_words("Title", 8),
        Column::of_words("State", 5),
        Column::of_words("Players", 7),
        Column::of_words("Until", 10),
    ];
    let row = |line: &TournamentLine| {
        let (players, until) = standing(line);
        vec![
            line.name.to_string(),
            line.game.clone(),
            line.form.as_str().to_owned(),
            line.title.clone(),
            line.state.as_str().to_owned(),
            players,
            until,
        ]
    };
    Table { columns, rows: lines.iter().map(row).collect() }
}
