//! Check, before mail is stored, whether strangers' mail is accepted at the moment.

use crate::app::App;
use crate::identity::is_welcome;
use crate::requests::Request;
use knotpost_model::Address;
use knotpost_storage::StoreError;

/// Reason to refuse a stranger's mail. Mail with a password or to a reply address is always accepted and
/// judged by that.
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
    if is_welcome(&mut tx, &app.config, sender, request.origin().aligned).await? {
        return Ok(None);
    }
    let url = app.config.server.public_url.trim_end_matches('/');
    Ok(Some(format!("this server takes mail from its users alone at the moment; see {url}")))
}
