//! Times stored in the future, by a clock that was ahead, count as now.

use crate::app::App;
use knotpost_storage::StoreError;

pub async fn recall_rows_ahead(app: &App) -> Result<(), StoreError> {
    let now = app.clock.now();
    // Reads first: idle servers do not write.
    if !app.store.query().await?.has_rows_ahead(now).await? {
        return Ok(());
    }
    tracing::warn!(
        "mails or events waited for a moment far ahead, when the clock was wrong; they count as due now"
    );
    app.store.write_queue(async move |tx| tx.recall_rows_ahead(now).await).await?;
    app.signals.inbox.notify_one();
    app.signals.webhooks.note();
    app.signals.outbox.notify_one();
    Ok(())
}
