//! `change password`.

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::commands::authorize::authorize;
use crate::identity::resets::replace_password;
use crate::replies::Answer;
use crate::requests::Ready;
use knotpost_model::Millis;
use knotpost_storage::WriteTx;

pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, ready).await?;
    let Some(hash) = ready.new_hash() else {
        return Err(Refusal::new(Code::Unavailable, "the server is too busy to take a new password").into());
    };
    let notice = replace_password(tx, app, &user, hash, now).await?;
    Ok(Answer::to_registered(notice))
}
