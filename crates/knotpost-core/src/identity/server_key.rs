//! One key for all servers on a database: links, reply addresses and stored mail made by one are
//! read by the others. A server that comes with another key is not let in.

use std::sync::Arc;

use crate::app::App;
use knotpost_platform::secret::{Role, seal_mark};
use knotpost_storage::{ReadTx, StoreError, WriteTx};

/// Under this name the fingerprint of the current key is agreed, and of the key for digests.
const KEY_FACT: &str = "key";
const DIGESTS_FACT: &str = "key for digests";

/// Webhooks whose secrets are sealed anew in one transaction.
const BATCH: i64 = 100;

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

/// The two fingerprints as the database knows them; `None`: not yet.
type Agreed = (Option<String>, Option<String>);

/// Compares this server's keys with what is agreed in the database; the first server sets it. The current key may be
/// one that this server knows as its next or an old one: then another server has changed keys before this one, or
/// this one before the others. A SQLite database has one server, whose key may be lost: that is warned of.
///
/// # Errors
/// When the keys are others and somebody may be using those of the database, or the database fails.
pub async fn check_key(app: &Arc<App>) -> Result<(), KeyError> {
    let known = read_agreed(&mut app.store.query().await?).await?;
    if judge(app, &known) == Judgement::Same {
        return Ok(());
    }
    let is_shared = app.store.is_shared();
    let shared = Arc::clone(app);
    let judged = app
        .store
        .write(move |tx| {
            let app = Arc::clone(&shared);
            Box::pin(async move {
                let judged = judge(&app, &read_agreed(tx).await?);
                if judged == Judgement::Newer || (judged == Judgement::Foreign && !is_shared) {
                    save_agreed(tx, &app).await?;
                }
                Ok(judged)
            })
        })
        .await?;
    match judged {
        Judgement::Foreign if is_shared => Err(KeyError::Foreign),
        Judgement::Foreign => {
            tracing::warn!(
                "the secret key is not the one this database was used with: links in mails that are under \
                 way and mail stored for a second try cannot be read any more"
            );
            Ok(())
        }
        Judgement::Same | Judgement::Newer => Ok(()),
    }
}

/// Whether the keys of this server are those that the database was used with, as far as any are agreed. Changes nothing.
///
/// # Errors
/// When servers on this database need the same key and this one has another, or the database fails.
pub async fn compare_key(app: &App) -> Result<bool, KeyError> {
    let known = read_agreed(&mut app.store.query().await?).await?;
    match judge(app, &known) {
        Judgement::Foreign if app.store.is_shared() => Err(KeyError::Foreign),
        judged => Ok(judged != Judgement::Foreign),
    }
}

/// What the agreed keys are to this server.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Judgement {
    /// Its own, or the current key is its next one.
    Same,
    /// Nothing is agreed yet, or a key that is old here.
    Newer,
    /// Unknown here.
    Foreign,
}

fn judge(app: &App, (key, digests): &Agreed) -> Judgement {
    if digests.as_ref().is_some_and(|print| *print != app.secret.digests_fingerprint()) {
        return Judgement::Foreign;
    }
    let Some(print) = key else { return Judgement::Newer };
    let role = app.secret.list().find(|(_, _, known)| known == print).map(|(_, role, _)| role);
    match role {
        Some(Role::Current | Role::Next) if digests.is_some() => Judgement::Same,
        // A server that knew nothing of digests yet made this database.
        Some(_) => Judgement::Newer,
        None => Judgement::Foreign,
    }
}

async fn read_agreed(tx: &mut ReadTx) -> Result<Agreed, StoreError> {
    Ok((tx.server_metadata(KEY_FACT).await?, tx.server_metadata(DIGESTS_FACT).await?))
}

/// From now on the keys of `app` are those of the database.
pub(crate) async fn save_agreed(tx: &mut WriteTx, app: &App) -> Result<(), StoreError> {
    tx.save_server_metadata(KEY_FACT, &app.secret.fingerprint()).await?;
    tx.save_server_metadata(DIGESTS_FACT, &app.secret.digests_fingerprint()).await
}

/// From now on the key of `app` is that of the database.
pub async fn adopt_key(app: &Arc<App>) -> Result<(), StoreError> {
    let shared = Arc::clone(app);
    app.store
        .write(move |tx| {
            let app = Arc::clone(&shared);
            Box::pin(async move { save_agreed(tx, &app).await })
        })
        .await
}

/// What a key that is to be dropped still opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyUse {
    /// Received mails that nobody could read any more.
    pub mails: i64,
    /// Secrets of webhooks, which can be sealed anew.
    pub webhooks: usize,
}

/// What was sealed with the key of this id, as far as it is stored.
pub async fn view_key_use(app: &App, id: u8) -> Result<KeyUse, StoreError> {
    let mut tx = app.store.read().await?;
    let mails = tx.count_sealed_mails(&seal_mark(id)).await?;
    let (mut webhooks, mut after) = (0, 0);
    loop {
        let rows = tx.webhook_secrets(after, BATCH).await?;
        let Some((last, _)) = rows.last() else { return Ok(KeyUse { mails, webhooks }) };
        after = *last;
        webhooks += rows.iter().filter(|(_, sealed)| !app.secret.is_freshly_sealed(sealed)).count();
    }
}

/// Seals the secrets of all webhooks with the current key; how many.
///
/// # Errors
/// When the database or the randomness fails.
pub async fn reseal_webhooks(app: &Arc<App>) -> Result<usize, StoreError> {
    let (mut done, mut after) = (0, 0);
    loop {
        let shared = Arc::clone(app);
        let (sealed, last) = app
            .store
            .write(move |tx| {
                let app = Arc::clone(&shared);
                Box::pin(async move {
                    let rows = tx.webhook_secrets(after, BATCH).await?;
                    let mut sealed = 0;
                    for (id, secret) in
                        rows.iter().filter(|(_, secret)| !app.secret.is_freshly_sealed(secret))
                    {
                        let Some(open) = app.secret.unseal(secret) else { continue };
                        let anew = app.secret.seal(app.entropy.as_ref(), &open)?;
                        tx.set_webhook_secret(*id, &anew).await?;
                        sealed += 1;
                    }
                    Ok((sealed, rows.last().map(|(id, _)| *id)))
                })
            })
            .await?;
        done += sealed;
        let Some(last) = last else { return Ok(done) };
        after = last;
    }
}
