//! One key for all servers on a database, which read each other's links, reply addresses and stored mail. A
//! server with another key is rejected.

use std::sync::Arc;

use crate::app::App;
use knotpost_platform::secret::{KeyRing, Role, seal_mark};
use knotpost_storage::{ReadTx, Store, StoreError, WriteTx};

/// Key of the agreed fingerprints: of the current key, and of the key for digests.
const KEY_FACT: &str = "key";
const DIGESTS_FACT: &str = "key for digests";

const BATCH: i64 = 100;

#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error(
        "this server's secret key is not the one that the database was used with: give it that key \
         (`secrets.key`, `secrets.key_file`), or, when that is lost, run `knotpost migrate --new-key`"
    )]
    Foreign,
    #[error("the secret key could not be compared with that of the database")]
    Store(#[from] StoreError),
}

/// Fingerprints in the database; `None`: not yet agreed.
type Agreed = (Option<String>, Option<String>);

/// Compares this server's keys with the agreed ones; the first server sets them. A next or old key of this
/// server is accepted: keys are being rotated on several servers. SQLite has one server, whose key may be
/// lost: only a warning.
pub async fn check_key(app: &Arc<App>) -> Result<(), KeyError> {
    let known = read_agreed(&mut app.store.query().await?).await?;
    if judge(app, &known) == Judgement::Same {
        return Ok(());
    }
    let is_shared = app.store.is_shared();
    let judged = app
        .write(async move |tx, app| {
            let judged = judge(app, &read_agreed(tx).await?);
            if judged == Judgement::Newer || (judged == Judgement::Foreign && !is_shared) {
                save_agreed(tx, &app.secret).await?;
            }
            Ok::<_, StoreError>(judged)
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

/// As [`check_key`], without changes: true if the keys match as far as agreed.
pub async fn compare_key(app: &App) -> Result<bool, KeyError> {
    let known = read_agreed(&mut app.store.query().await?).await?;
    match judge(app, &known) {
        Judgement::Foreign if app.store.is_shared() => Err(KeyError::Foreign),
        judged => Ok(judged != Judgement::Foreign),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Judgement {
    /// Equal, or the current key is its next one.
    Same,
    /// Nothing agreed yet, or a key that is old here.
    Newer,
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
        // Database from before keys for digests.
        Some(_) => Judgement::Newer,
        None => Judgement::Foreign,
    }
}

async fn read_agreed(tx: &mut ReadTx) -> Result<Agreed, StoreError> {
    Ok((tx.server_metadata(KEY_FACT).await?, tx.server_metadata(DIGESTS_FACT).await?))
}

pub(crate) async fn save_agreed(tx: &mut WriteTx, secret: &KeyRing) -> Result<(), StoreError> {
    tx.save_server_metadata(KEY_FACT, &secret.fingerprint()).await?;
    tx.save_server_metadata(DIGESTS_FACT, &secret.digests_fingerprint()).await
}

pub async fn adopt_key(app: &Arc<App>) -> Result<(), StoreError> {
    app.write(async move |tx, app| save_agreed(tx, &app.secret).await).await
}

/// Data still depending on a key to be dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyUse {
    /// Received mails that would become unreadable.
    pub mails: i64,
    /// Webhook secrets, which can be resealed.
    pub webhooks: usize,
}

pub async fn view_key_use(store: &Store, secret: &KeyRing, id: u8) -> Result<KeyUse, StoreError> {
    let mut tx = store.read().await?;
    let mails = tx.count_sealed_mails(&seal_mark(id)).await?;
    let (mut webhooks, mut after) = (0, 0);
    loop {
        let rows = tx.webhook_secrets(after, BATCH).await?;
        let Some((last, _)) = rows.last() else { return Ok(KeyUse { mails, webhooks }) };
        after = *last;
        webhooks += rows.iter().filter(|(_, sealed)| !secret.is_freshly_sealed(sealed)).count();
    }
}

/// Reseals all webhook secrets with the current key; returns their number.
pub async fn reseal_webhooks(app: &Arc<App>) -> Result<usize, StoreError> {
    let (mut done, mut after) = (0, 0);
    loop {
        let (sealed, last) = app
            .write(async move |tx, app| {
                let rows = tx.webhook_secrets(after, BATCH).await?;
                let mut sealed = 0;
                for (id, secret) in rows.iter().filter(|(_, secret)| !app.secret.is_freshly_sealed(secret)) {
                    let Some(open) = app.secret.unseal(secret) else { continue };
                    let anew = app.secret.seal(app.entropy.as_ref(), &open)?;
                    tx.set_webhook_secret(*id, &anew).await?;
                    sealed += 1;
                }
                Ok::<_, StoreError>((sealed, rows.last().map(|(id, _)| *id)))
            })
            .await?;
        done += sealed;
        let Some(last) = last else { return Ok(done) };
        after = last;
    }
}
