//! Message as stored in the outbox, independent of the webhook's format.

use crate::boards::Games;
use serde::Deserialize;

const TEST: &str = "test";

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Told {
    #[serde(rename = "type")]
    pub kind: String,
    pub data: Data,
}

#[derive(Clone, Debug)]
pub(super) struct Parcel {
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Data {
    pub game: String,
    pub number: u32,
    pub url: String,
    pub ply: i64,
    pub user: String,
    /// Name of the tournament, in its messages alone.
    pub tournament: String,
    pub title: String,
    pub round: i64,
    pub moves: Vec<Move>,
    pub chat: Option<Said>,
    pub proposal: Option<Proposal>,
    pub result: Option<Outcome>,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Move {
    pub by: String,
    #[serde(rename = "move")]
    pub text: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Said {
    pub by: String,
    pub text: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Proposal {
    pub kind: String,
    pub by: Option<String>,
    pub state: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Outcome {
    pub winners: Vec<String>,
}

impl Told {
    pub(super) fn read(body: &str) -> Option<Self> {
        serde_json::from_str(body).ok()
    }

    pub(super) fn is_test(&self) -> bool {
        self.kind == TEST
    }

    pub(super) fn is_about_tournament(&self) -> bool {
        !self.data.tournament.is_empty()
    }

    pub(super) fn board(&self, games: &Games) -> String {
        let Data { game, number, .. } = &self.data;
        let title = games.find(game).map_or(game.as_str(), |game| game.meta().title);
        format!("{title} {number}")
    }
}
