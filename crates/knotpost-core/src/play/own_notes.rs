//! Private notes of users on boards they play or watch. Invisible to all others, and without notifications.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::boards::{Board, Code, Refusal, ServiceError, find_board};
use crate::identity::ProvenUser;
use crate::identity::authentication::check_proven;
use knotpost_model::{BoardKey, BoardRef, Millis, Moment, UserKey, clean_text};
use knotpost_storage::{BoardNoteRow, Store, StoreError};

pub const LONGEST_NOTE: usize = 4_000;
const MOST: i64 = 1_000;

/// A note.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Note")]
pub struct OwnNote {
    /// The words; empty: there is no note.
    pub text: String,
    /// Time at which they were written.
    pub written: Option<Moment>,
}

impl From<Option<BoardNoteRow>> for OwnNote {
    fn from(row: Option<BoardNoteRow>) -> Self {
        row.map_or_else(Self::default, |row| Self { text: row.text, written: Some(row.at.into()) })
    }
}

pub async fn view_own_note(store: &Store, user: UserKey, board: &Board) -> Result<OwnNote, StoreError> {
    Ok(store.query().await?.board_note(user, board.row.id).await?.into())
}

/// Replaces a note; an empty text deletes it.
pub async fn write_own_note(
    app: &Arc<App>,
    proven: ProvenUser,
    name: &BoardRef,
    text: &str,
) -> Result<OwnNote, ServiceError> {
    let text = clean_text(text).trim().to_owned();
    let length = text.chars().count();
    if length > LONGEST_NOTE {
        let words = format!("a note has at most {LONGEST_NOTE} characters, this one has {length}");
        return Err(Refusal::new(Code::BadValue, words).into());
    }
    let (now, name) = (app.clock.now(), name.clone());
    app.write(async move |tx, app| {
        check_proven(tx, &proven).await?;
        let board = find_board(tx, app, &name.game, name.number).await?;
        store(tx, proven.user, board.row.id, &text, now).await
    })
    .await
}

async fn store(
    tx: &mut knotpost_storage::WriteTx,
    user: UserKey,
    board: BoardKey,
    text: &str,
    now: Millis,
) -> Result<OwnNote, ServiceError> {
    if text.is_empty() {
        tx.drop_board_note(user, board).await?;
        return Ok(OwnNote::default());
    }
    if tx.board_note(user, board).await?.is_none() && tx.count_board_notes(user).await? >= MOST {
        let oldest = tx.oldest_board_note(user).await?;
        let (game, number) = oldest.unwrap_or_default();
        let words = format!("{MOST} notes are enough; delete one first, the oldest is on {game} {number}");
        return Err(Refusal::new(Code::NotAllowed, words).into());
    }
    tx.set_board_note(user, board, text, now).await?;
    Ok(OwnNote { text: text.to_owned(), written: Some(now.into()) })
}
