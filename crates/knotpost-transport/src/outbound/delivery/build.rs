//! Builds the message of a mail from its content, and draws its pictures.
//!
//! Knows neither leases nor transports: the same function shows an administrator a mail that waits.

use std::sync::Arc;

use knotpost_rules::View;

use knotpost_core::StoreError;
use knotpost_core::app::App;
use knotpost_core::gallery::Look;
use knotpost_core::mailing::MailContent;
use knotpost_core::replies::Drawn;

/// A mail that was built.
#[derive(Clone, Debug)]
pub enum Built {
    Message(Vec<u8>),
    /// There is nothing to send any more, for this reason.
    Dropped(&'static str),
}

/// Builds the message of a mail.
///
/// # Errors
/// When the templates fail.
pub async fn build_message(app: &App, content: MailContent) -> Result<Built, StoreError> {
    let (letter, views) = match content {
        MailContent::Dropped(why) => return Ok(Built::Dropped(why)),
        MailContent::Letter(letter, views) => (*letter, views),
        MailContent::Reply(reply) => {
            let draft = app.composer.draft(&reply.0, &reply.1).map_err(StoreError::Corrupt)?;
            let pictures = draft.pictures.into_iter();
            (draft.letter, pictures.map(|picture| (picture.content_id, picture.view)).collect())
        }
    };
    let drawn = draw(app, views).await;
    app.composer.write(&letter, &drawn).map(Built::Message).map_err(StoreError::Corrupt)
}

/// The most bytes of the pictures of a mail; boards beyond them are shown as text alone.
const MOST_PICTURE_BYTES: usize = 1024 * 1024;

async fn draw(app: &App, views: Vec<(String, Arc<View>)>) -> Vec<Drawn> {
    let mut drawn = Vec::with_capacity(views.len());
    let mut room = MOST_PICTURE_BYTES;
    for (content_id, view) in views {
        if let Some(png) = app.gallery.draw(view, Look::Mail).await {
            let Some(left) = room.checked_sub(png.len()) else { break };
            room = left;
            drawn.push(Drawn { content_id, png });
        }
    }
    drawn
}
