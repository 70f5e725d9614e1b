//! `add`: more addresses of a user.

use crate::app::App;
use crate::boards::ServiceError;
use crate::commands::accounts::addresses::{check_room, chosen_addresses, register_all, told};
use crate::commands::authorize::authorize;
use crate::identity::undoing::announce_change;
use crate::mailing::post::registered_addresses;
use crate::play::joining::Welcome;
use crate::replies::{Answer, Reply};
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
    let addresses = chosen_addresses(&app.own, ready, addresses, "add")?;
    let held = tx.addresses(user.id).await?;
    check_room(&user, &held, &addresses)?;
    let before = registered_addresses(tx, &app.config, user.id).await?;
    let lines = register_all(tx, app, ready, &user, &addresses, now).await?;
    if tx.addresses(user.id).await?.len() == held.len() && !lines.is_empty() {
        // Only another confirmation mail was requested.
        let reply = Reply::from(Welcome::of(user.userid.clone()));
        return Ok(told(tx, ready, &user.userid, "your addresses", reply, &lines).await?);
    }
    let notice = announce_change(tx, app, &user, &before, now).await?;
    Ok(told(tx, ready, &user.userid, "your addresses", notice, &lines).await?)
}
