//! `players`: a table of players, by name.

use serde::Serialize;

use crate::boards::ServiceError;
use crate::identity::profiles::{ListedPlayer, PlayerPage, list_players};
use crate::replies::answer::count;
use crate::replies::{Answer, Column, Content, Facts, Reply, Table};
use knotpost_storage::ReadTx;

const MOST: i64 = 200;

#[derive(Debug, Serialize)]
struct PlayerList {
    #[serde(serialize_with = "count")]
    players: Vec<ListedPlayer>,
    begin: String,
    /// The last name, if there are more.
    last: Option<String>,
}

impl Content for PlayerList {
    const TEMPLATE: &'static str = "players";

    fn facts(&self) -> Facts {
        let columns = vec![
            Column::of_words("Name", 20),
            Column::of_numbers("Playing", 7),
            Column::of_words("Here since", 10),
        ];
        let rows = self
            .players
            .iter()
            .map(|player| vec![player.userid.clone(), player.playing.to_string(), player.since.clone()]);
        Facts::of(self).table("table", Table { columns, rows: rows.collect() })
    }
}

pub(in crate::commands) async fn run(tx: &mut ReadTx, begin: Option<&str>) -> Result<Answer, ServiceError> {
    let begin = begin.unwrap_or_default();
    let PlayerPage { players, next: last } = list_players(tx, begin, "", MOST).await?;
    Ok(Answer::to_sender(Reply::from(PlayerList { players, begin: begin.to_owned(), last })))
}
