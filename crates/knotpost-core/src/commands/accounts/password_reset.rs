//! `password`: reset of a forgotten password. Tokens and mails are made in `resets`.

use serde_json::json;

use crate::app::App;
use crate::boards::ServiceError;
use crate::commands::policy::{Policy, Spends};
use crate::commands::prepare::check_rate;
use crate::identity::resets::begin;
use crate::mailing::post::registered_addresses;
use crate::mailing::references::{Reference, post_reference};
use crate::replies::{Answer, Reply};
use crate::requests::Ready;
use knotpost_model::{Channel, Millis, Rate};
use knotpost_storage::{UserState, WriteTx};

/// Counted per name, over all who ask.
pub(in crate::commands) fn policy(userid: &str) -> Policy {
    Policy::spends(Spends::ShareAbout(Rate::Reset, format!("name {}", userid.to_lowercase())))
}

/// The answer does not reveal whether the user exists.
pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    userid: &str,
    now: Millis,
) -> Result<Answer, ServiceError> {
    check_rate(ready)?;
    let user = tx.find_user(userid).await?;
    let user = user.filter(|user| user.state == UserState::Active && user.password_hash.is_some());
    let (mut sender_is_told, mut is_free) = (false, true);
    if let Some(user) = &user {
        let at = begin(tx, app, user.id, now).await?;
        is_free = post_reference(tx, app, Reference::Reset(at), user.id, now).await? == 0;
        let sender = ready.origin.sender.as_ref().map(ToString::to_string).unwrap_or_default();
        let addresses = registered_addresses(tx, &app.config, user.id).await?;
        sender_is_told = addresses.iter().any(|address| address.eq_ignore_ascii_case(&sender));
    }
    let reply = Reply::said("reset_asked", json!({ "userid": userid }));
    if ready.origin.channel == Channel::Mail && !sender_is_told {
        // Otherwise a user who mistyped their name would wait for a mail that never comes.
        return Ok(Answer { changed: true, is_free, ..Answer::to_sender(reply) });
    }
    Ok(Answer { is_free, ..Answer::to_registered(reply) })
}
