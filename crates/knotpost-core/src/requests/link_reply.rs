//! Mails that act as a link does; the mail that held the link also held their address.

use crate::identity::{confirming, undoing};
use crate::mailing::reply_grant::AnsweredMail;
use crate::mailing::unsubscribe;
use knotpost_model::Millis;
use knotpost_storage::{ReadTx, StoreError};

#[derive(Debug)]
pub(crate) enum LinkReply {
    Confirm(confirming::Answered),
    Undo(undoing::Objection),
    Unsubscribe(unsubscribe::Unsubscribing),
}

impl LinkReply {
    /// True if it can only stop mails, so it is obeyed from any sender. An autoresponder may quote, but knows
    /// neither the address nor the first line `stop`.
    pub(crate) fn only_ends(&self) -> bool {
        match self {
            Self::Confirm(answered) => answered.says_stop(),
            Self::Unsubscribe(_) => true,
            // May restore an address, which redirects mail.
            Self::Undo(_) => false,
        }
    }

    pub(crate) async fn read(
        tx: &mut ReadTx,
        mails: &[AnsweredMail],
        line: &str,
        now: Millis,
    ) -> Result<Option<Self>, StoreError> {
        if let Some(answered) = confirming::read_reply(tx, mails, line).await? {
            return Ok(Some(Self::Confirm(answered)));
        }
        if let Some(objection) = undoing::read_reply(tx, mails, line, now).await? {
            return Ok(Some(Self::Undo(objection)));
        }
        Ok(unsubscribe::read_mail(tx, mails).await?.map(Self::Unsubscribe))
    }
}
