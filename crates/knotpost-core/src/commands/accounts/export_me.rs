//! `export me`: mails a link to the user's archive, which is made when the link is used.

use crate::app::App;
use crate::boards::ServiceError;
use crate::commands::authorize::authorize;
use crate::commands::prepare::check_rate;
use crate::mailing::archive_links::archive_link;
use crate::mailing::post::post_to_user;
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
    check_rate(ready)?;
    let reply = archive_link(&app.links, &user, now);
    post_to_user(tx, app, &reply, user.id, now).await?;
    Ok(Answer::to_registered(reply))
}
