//! `change address`: replaces the addresses.

use crate::app::App;
use crate::boards::ServiceError;
use crate::commands::accounts::addresses::{chosen_addresses, register_all, told};
use crate::commands::authorize::authorize;
use crate::identity::undoing::announce_change;
use crate::mailing::post::registered_addresses;
use crate::replies::Answer;
use crate::requests::Ready;
use knotpost_model::Millis;
use knotpost_storage::WriteTx;

pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    addresses: &[String],
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, ready).await?;
    let addresses = chosen_addresses(&app.own, ready, addresses, "change address")?;
    let before = registered_addresses(tx, &app.config, user.id).await?;
    let chosen = |key: &str| addresses.iter().any(|address| address.key() == key);
    let held = tx.addresses(user.id).await?;
    // Guards against a typing error: confirmed addresses go only when a new one is confirmed.
    let none_proven =
        !held.iter().any(|row| row.verified_at.is_some() && chosen(&row.address.to_lowercase()));
    for row in held {
        let key = row.address.to_lowercase();
        let stays = chosen(&key);
        let is_needed = app.config.confirms_addresses() && none_proven && row.verified_at.is_some();
        if stays || is_needed {
            tx.set_address_leaving(user.id, &key, !stays).await?;
        } else {
            tx.remove_address(user.id, &key).await?;
        }
    }
    let lines = register_all(tx, app, ready, &user, &addresses, now).await?;
    let notice = announce_change(tx, app, &user, &before, now).await?;
    Ok(told(tx, ready, &user.userid, "your addresses", notice, &lines).await?)
}
