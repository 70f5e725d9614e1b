use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::commands::accounts::addresses::{chosen_addresses, told_by_mail};
use crate::commands::authorize::authorize;
use crate::identity::undoing::announce_change;
use crate::mailing::post::registered_addresses;
use crate::replies::Answer;
use crate::requests::Ready;
use knotpost_model::{Address, Millis};
use knotpost_storage::{AddressRow, WriteTx};

/// One usable address always stays.
pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    addresses: &[String],
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, ready).await?;
    let chosen = chosen_addresses(&app.own, ready, addresses, "signoff")?;
    let held = tx.addresses(user.id).await?;
    let is_chosen =
        |row: &AddressRow| chosen.iter().any(|address| address.key() == row.address.to_lowercase());
    let is_held = |address: &&Address| held.iter().any(|row| row.address.to_lowercase() == address.key());
    if let Some(stranger) = chosen.iter().find(|address| !is_held(address)) {
        let message = format!("`{stranger}` is not an address of {}", user.userid);
        return Err(Refusal::new(Code::BadValue, message).into());
    }
    let proves = |row: &&AddressRow| row.verified_at.is_some() || !app.config.confirms_addresses();
    let kept: Vec<&AddressRow> = held.iter().filter(|row| !is_chosen(row)).collect();
    let had_proven = held.iter().any(|row| proves(&row));
    if kept.is_empty() || (had_proven && !kept.iter().any(proves)) {
        return Err(Refusal::new(Code::NotAllowed, "that would leave no address that mail can be sent to")
            .hint("To use another address: add USERID PASSWORD you@example.org, before this one goes.")
            .hint(format!("To leave the server for good: delete {} PASSWORD", user.userid))
            .into());
    }
    let before = registered_addresses(tx, &app.config, user.id).await?;
    for address in &chosen {
        tx.remove_address(user.id, &address.key()).await?;
    }
    let notice = announce_change(tx, app, &user, &before, now).await?;
    Ok(told_by_mail(ready, &user.userid, "your addresses", notice))
}
