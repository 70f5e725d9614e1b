//! Mails that do what a link does: whoever read the mail that held both may.

use crate::app::App;
use crate::identity::{confirming, undoing};
use crate::mailing::reply_grant::Claim;
use crate::mailing::unsubscribe;
use knotpost_model::Millis;
use knotpost_storage::{ReadTx, StoreError};

/// What such a mail is about.
#[derive(Debug)]
pub(crate) enum LinkReply {
    /// It answers the question whether its sender reads at an address.
    Confirm(confirming::Answered),
    /// It answers the mail about a change of addresses.
    Undo(undoing::Objection),
    /// It wants no more mails of a kind.
    Unsubscribe(unsubscribe::Unsubscribing),
}

impl LinkReply {
    /// Returns true if it can only stop mails, so that it is obeyed whoever or whatever sends it. A machine may quote
    /// what it answers, but neither its address nor a first line that says `stop`.
    pub(crate) fn only_ends(&self) -> bool {
        match self {
            Self::Confirm(answered) => answered.says_stop(),
            Self::Unsubscribe(_) => true,
            // Whoever has the address may get it back, which changes who gets the mail.
            Self::Undo(_) => false,
        }
    }

    /// The mail with this claim and first line, if it is one.
    pub(crate) async fn read(
        tx: &mut ReadTx,
        app: &App,
        claim: &Claim,
        line: &str,
        now: Millis,
    ) -> Result<Option<Self>, StoreError> {
        if let Some(answered) = confirming::read_reply(tx, app, claim, line).await? {
            return Ok(Some(Self::Confirm(answered)));
        }
        if let Some(objection) = undoing::read_reply(tx, app, claim, line, now).await? {
            return Ok(Some(Self::Undo(objection)));
        }
        Ok(unsubscribe::read_mail(tx, app, claim).await?.map(Self::Unsubscribe))
    }
}
