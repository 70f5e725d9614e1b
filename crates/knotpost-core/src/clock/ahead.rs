//! Moments stored in the future count as now: after a clock that was ahead nothing waits for the time it showed.

use crate::app::App;
use knotpost_storage::StoreError;

/// Makes due what waits in any queue for a later moment than it can legitimately wait for.
///
/// # Errors
/// The database fails.
pub async fn recall_rows_ahead(app: &App) -> Result<(), StoreError> {
    let now = app.clock.now();
    // A query first: idle servers do not write.
    if !app.store.query().await?.has_rows_ahead(now).await? {
        return Ok(());
    }
    tracing::warn!(
        "mails or events waited for a moment far ahead, when the clock was wrong; they count as due now"
    );
    app.store.write_queue(move |tx| Box::pin(tx.recall_rows_ahead(now))).await?;
    app.signals.inbox.notify_one();
    app.signals.webhooks.note();
    app.signals.outbox.notify_one();
    Ok(())
}
