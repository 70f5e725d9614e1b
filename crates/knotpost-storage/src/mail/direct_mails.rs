//! Mails executed as they are stored.

use crate::connection::StoreError;
use crate::rows::{DirectMail, StoredMail};
use crate::transaction::WriteTx;

impl WriteTx {
    pub async fn store_mail(&mut self, mail: &DirectMail) -> Result<StoredMail, StoreError> {
        if let Some(stored) = self.buffer(mail).await? {
            return Ok(stored);
        }
        let key = self.insert_inbox(&mail.row).await?;
        let is_first = self.claim_mail(&mail.dedupe_key, key, mail.since, mail.row.received_at).await?;
        Ok(StoredMail { key, is_first })
    }
}
