//! `delete`: leaving the server for good.

use serde::Serialize;

use crate::app::App;
use crate::boards::ServiceError;
use crate::commands::authorize::authorize;
use crate::mailing::post::post_to_user;
use crate::play::account_deletion::leave;
use crate::replies::{Answer, Content, Facts, Reply};
use crate::requests::Prepared;
use knotpost_model::Millis;
use knotpost_storage::WriteTx;

/// The account is no more.
#[derive(Debug, Serialize)]
struct Goodbye {
    /// Whose.
    userid: String,
}

impl Content for Goodbye {
    fn template(&self) -> &'static str {
        "goodbye"
    }

    fn facts(&self) -> Facts {
        Facts::of(self)
    }
}

pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    prepared: &Prepared,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, prepared).await?;
    let reply = Reply::from(Goodbye { userid: user.userid.clone() });
    // While there are addresses to write to.
    post_to_user(tx, app, &reply, user.id, now).await?;
    leave(tx, app, &user, now).await?;
    Ok(Answer::to_registered(reply))
}
