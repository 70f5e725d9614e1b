//! One key for all servers on a database: links, reply addresses and stored mail made by one are
//! read by the others. A server that comes with another key is not let in.

use std::sync::Arc;

use crate::app::App;
use crate::store::StoreError;

/// Under this name the key's fingerprint is agreed.
const KEY_FACT: &str = "key";

/// Why the key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// Other servers on the database use another one.
    #[error(
        "this server's secret key is not the one that the database was used with: give it that key \
         (`secrets.key`, `secrets.key_file`), or, when that is lost, run `knotpost migrate --new-key`"
    )]
    Foreign,
    /// It could not be compared.
    #[error("the secret key could not be compared with that of the database")]
    Store(#[from] StoreError),
}

/// Compares this server's key with the one agreed in the database; the first server sets it. A
/// SQLite database has one server, who may have lost his key: he is warned and goes on.
///
/// # Errors
/// When the key is another one and others may be using that, or the database fails.
pub async fn check_key(app: &Arc<App>) -> Result<(), KeyError> {
    let ours = app.secret.fingerprint();
    let known = app.store.glance().await?.server_fact(KEY_FACT).await?;
    if known.as_ref() == Some(&ours) {
        return Ok(());
    }
    let is_shared = app.store.is_shared();
    let print = ours.clone();
    let agreed = app
        .store
        .write(move |tx| {
            let print = print.clone();
            Box::pin(async move {
                match tx.server_fact(KEY_FACT).await? {
                    Some(other) if other != print && is_shared => Ok(other),
                    _ => tx.save_server_fact(KEY_FACT, &print).await.map(|()| print),
                }
            })
        })
        .await?;
    if agreed != ours {
        return Err(KeyError::Foreign);
    }
    if known.is_some() {
        tracing::warn!(
            "the secret key is not the one this database was used with: links in mails that are under \
             way and mail stored for a second try cannot be read any more"
        );
    }
    Ok(())
}

/// From now on the key of `app` is that of the database.
///
/// # Errors
/// When the database fails.
pub async fn adopt_key(app: &App) -> Result<(), StoreError> {
    let ours = app.secret.fingerprint();
    app.store
        .write(move |tx| {
            let ours = ours.clone();
            Box::pin(async move { tx.save_server_fact(KEY_FACT, &ours).await })
        })
        .await
}
