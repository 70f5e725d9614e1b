//! Looks up whether mail of strangers is taken at the moment, before it is stored.

use crate::inbound::mail_intake::MailIntake;
use crate::inbound::read::Mail;
use knotpost_core::identity::is_welcome;
use knotpost_core::requests::Request;
use knotpost_storage::StoreError;

impl MailIntake {
    /// Why a mail of a stranger is refused; `None`: it is taken. A mail that gives a password or comes to a reply
    /// address is taken from every sender, and judged by that.
    pub(in crate::inbound) async fn refuse_stranger(
        &self,
        mail: &Mail,
        request: &Request,
    ) -> Result<Option<String>, StoreError> {
        let Some(sender) = &mail.sender else { return Ok(None) };
        let app = &self.app;
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
}
