//! A message as it waits in the outbox, read again when it is sent: what it tells does not depend on the form in which
//! it is told.

use serde::Deserialize;

use crate::app::App;

/// The kind of a message that tells nothing.
const TEST: &str = "test";

/// A message.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Told {
    /// The word of the event.
    #[serde(rename = "type")]
    pub kind: String,
    /// What happened.
    pub data: Data,
}

/// A request to a webhook, but for its address.
#[derive(Clone, Debug)]
pub(super) struct Parcel {
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

/// What happened, on which board, and to whom it is told.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Data {
    pub game: String,
    pub number: u32,
    pub url: String,
    pub ply: i64,
    pub user: String,
    pub moves: Vec<Move>,
    pub chat: Option<Said>,
    pub proposal: Option<Proposal>,
    pub result: Option<Outcome>,
}

/// A move that was made.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Move {
    pub by: String,
    #[serde(rename = "move")]
    pub text: String,
}

/// What somebody said.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Said {
    pub by: String,
    pub text: String,
}

/// What was proposed, and how that stands.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Proposal {
    pub kind: String,
    pub by: Option<String>,
    pub state: String,
}

/// How a game ended.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Outcome {
    pub winners: Vec<String>,
}

impl Told {
    /// The message of a row.
    pub(super) fn read(body: &str) -> Option<Self> {
        serde_json::from_str(body).ok()
    }

    /// Whether it only tries whether messages arrive.
    pub(super) fn is_test(&self) -> bool {
        self.kind == TEST
    }

    /// The name of the board, as people write it.
    pub(super) fn board(&self, app: &App) -> String {
        let Data { game, number, .. } = &self.data;
        let title = app.game(game).map_or(game.as_str(), |game| game.meta().title);
        format!("{title} {number}")
    }
}
