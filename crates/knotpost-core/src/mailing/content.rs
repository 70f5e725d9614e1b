//! A composed mail as the outbox stores it.

use crate::config::Config;
use crate::mailing::references::Reference;
use crate::replies::Composer;
use crate::replies::letter::{Draft, Letter};
use knotpost_storage::{OutboxContent, StoreError};

/// The mail as it is stored: a letter, written as a message when it is sent, with its number known and pictures drawn.
pub(crate) fn content_of(draft: Draft) -> Result<OutboxContent, StoreError> {
    let stored = Reference::Letter(Box::new(draft.into()));
    let stored = serde_json::to_string(&stored).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    Ok(OutboxContent::Reference(stored))
}

/// Bytes that headers may take, and the sentence about what was cut off.
const HEADERS: usize = 2_000;

/// The mail as it is stored, text alone and no larger than this: what is too much is cut off between two lines, and the
/// reader is told.
pub(crate) fn content_within(
    config: &Config,
    composer: &dyn Composer,
    mut draft: Draft,
    most: usize,
) -> Result<OutboxContent, StoreError> {
    draft.letter.html = None;
    draft.pictures.clear();
    let write = |letter: &Letter| composer.write(letter, &[]).map_err(StoreError::Corrupt);
    let mut bytes = write(&draft.letter)?;
    let whole = draft.letter.text.clone();
    // The transport's form of a text may be larger than the text, about evenly for all of it.
    let mut room = most.saturating_sub(HEADERS) * whole.len() / bytes.len().max(1);
    while bytes.len() > most && room > 0 {
        draft.letter.text = cut(&whole, room, most, &config.server.public_url);
        bytes = write(&draft.letter)?;
        room = room * 9 / 10;
    }
    content_of(draft)
}

/// The lines of a text that fit, and a sentence about the others.
fn cut(text: &str, room: usize, most: usize, url: &str) -> String {
    let mut kept = 0;
    for line in text.split_inclusive('\n') {
        if kept + line.len() > room {
            break;
        }
        kept += line.len();
    }
    format!(
        "{}\n\n[The rest is left out: an answer to a mail that proves nothing about its\nsender has at most {} kB. \
         Ask for less at a time, or look here:\n{}]\n",
        text.get(..kept).unwrap_or_default().trim_end(),
        most / 1000,
        url.trim_end_matches('/')
    )
}
