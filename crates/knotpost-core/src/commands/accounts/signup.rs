use knotpost_commands::{Credentials as Typed, Userid};

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::commands::accounts::addresses::{check_room, chosen_addresses, register_all, told};
use crate::commands::authorize::authorize;
use crate::commands::prepare::check_rate;
use crate::identity::{Login, strangers};
use crate::mailing::post::post_to_user;
use crate::play::joining::Welcome;
use crate::replies::{Answer, Reply};
use crate::requests::Ready;
use knotpost_model::{Address, Millis};
use knotpost_storage::{NewUser, StoreError, WriteTx};

pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    who: &Typed,
    addresses: &[String],
    now: Millis,
) -> Result<Answer, ServiceError> {
    strangers::check_sign_up(tx, &app.config, &ready.origin, addresses.len()).await?;
    check_rate(ready)?;
    let addresses = chosen_addresses(&app.own, ready, addresses, "signup")?;
    match ready.login {
        Login::NotNeeded | Login::Overloaded => {}
        Login::Known { .. } => return sign_up_again(tx, app, ready, &addresses, now).await,
        Login::Wrong | Login::Stale | Login::TooMany(_) => return Err(taken(&who.userid).into()),
    }
    let Some(hash) = ready.new_hash() else {
        let refusal = Refusal::new(
            Code::Unavailable,
            "the server is too busy to take a new password; try again in a minute",
        );
        return Err(refusal.into());
    };
    let user = NewUser { userid: who.userid.clone(), password_hash: hash.to_owned(), at: now };
    let Some(key) = tx.insert_user(&user).await? else {
        return Err(taken(&who.userid).into());
    };
    let Some(user) = tx.user(key).await? else {
        return Err(StoreError::Corrupt(format!("the user {} is there and is not", who.userid)).into());
    };
    let lines = register_all(tx, app, ready, &user, &addresses, now).await?;
    let welcome = Reply::from(Welcome::of(who.userid.clone()));
    if !app.config.confirms_addresses() {
        post_to_user(tx, app, &welcome, key, now).await?;
    }
    Ok(told(tx, ready, &who.userid, "your new account", welcome, &lines).await?)
}

fn taken(userid: &str) -> Refusal {
    Refusal::new(Code::UseridTaken, format!("the userid `{userid}` is taken"))
        .hint(format!("Choose another one: {}.", Userid::rule()))
}

/// Same userid and password again: the confirmation mail may have been lost or its address mistyped.
async fn sign_up_again(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    addresses: &[Address],
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, ready).await?;
    let held = tx.addresses(user.id).await?;
    if held.is_empty() || held.iter().any(|row| row.verified_at.is_some()) {
        return Err(Refusal::new(
            Code::UseridTaken,
            format!("the userid `{}` is yours already", user.userid),
        )
        .hint("There is nothing to sign up for: `help` shows what you can do.")
        .hint(format!("To get mail at another address: add {} PASSWORD you@example.org", user.userid))
        .into());
    }
    check_room(&user, &held, addresses)?;
    let welcome = Reply::from(Welcome::of(user.userid.clone()));
    let lines = register_all(tx, app, ready, &user, addresses, now).await?;
    Ok(told(tx, ready, &user.userid, "your new account", welcome, &lines).await?)
}
