//! Looks up whether mail of strangers is taken at the moment, before it is stored.

use crate::app::App;
use crate::identity::is_welcome;
use crate::requests::Request;
use knotpost_model::Address;
use knotpost_storage::StoreError;

/// Why a mail of a stranger is refused; `None`: it is taken. A mail that gives a password or comes to a reply address
/// is taken from every sender, and judged by that.
pub async fn refuse_stranger(
    app: &App,
    sender: Option<&Address>,
    request: &Request,
) -> Result<Option<String>, StoreError> {
    let Some(sender) = sender else { return Ok(None) };
    if request.is_reply() || request.names_user(&app.vocabulary) {
        return Ok(None);
    }
    let mut tx = app.store.read().await?;
    if is_welcome(&mut tx, app, sender, request.origin().aligned).await? {
        return Ok(None);
    }
    let url = app.config.server.public_url.trim_end_matches('/');
    Ok(Some(format!("this server takes mail from its users alone at the moment; see {url}")))
}
