//! Whether mail may come from strangers at all, judged while whoever brings it waits for an answer.

use knotpost_commands::Command;

use super::pipeline::{Desk, Mail};
use crate::service::{Request, is_welcome};
use crate::store::StoreError;

impl Desk {
    /// Why a mail is refused whose sender is nobody here; `None`: it is taken. What names a user and their password, or
    /// comes to a reply address, is taken from everywhere and judged by that.
    pub(super) async fn refuse_stranger(
        &self,
        mail: &Mail,
        request: &Request,
    ) -> Result<Option<String>, StoreError> {
        let Some(sender) = &mail.sender else { return Ok(None) };
        if request.answering.is_some() || self.names_user(request) {
            return Ok(None);
        }
        let app = &self.app;
        let mut tx = app.store.read().await?;
        if is_welcome(&mut tx, app, sender, request.origin.aligned).await? {
            return Ok(None);
        }
        let url = app.config.server.public_url.trim_end_matches('/');
        Ok(Some(format!("this server takes mail from its users alone at the moment; see {url}")))
    }

    fn names_user(&self, request: &Request) -> bool {
        let read = |line: &str| knotpost_commands::parse(line, &self.app.vocabulary);
        match read(&request.line) {
            Ok(Command::Multiple) => knotpost_commands::command_lines(&request.body).is_ok_and(|lines| {
                lines.iter().any(|line| read(line).is_ok_and(|one| one.credentials().is_some()))
            }),
            Ok(command) => command.credentials().is_some(),
            Err(_) => false,
        }
    }
}
