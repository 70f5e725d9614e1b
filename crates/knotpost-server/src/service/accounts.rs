//! Signing up, addresses and passwords.

use knotpost_commands::Credentials as Typed;

use super::Prepared;
use super::execute::authorize;
use super::post::{post_to_address, post_to_user, registered_addresses};
use super::prepare::check_rate;
use super::resets::replace_password;
use super::{Answer, Channel, Code, Refusal, Reply, ServiceError};
use crate::app::App;
use crate::domain::{Address, Millis, UserKey};
use crate::store::{AddressRow, NewUser, StoreError, Tx, UserState};

/// An address that nobody proved to read gets one confirmation mail in this time, whoever asks.
const CONFIRMATION_PAUSE_MS: i64 = 30 * 86_400_000;
/// Addresses a user may have.
const MOST_ADDRESSES: usize = 10;

pub(super) async fn sign_up(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    who: &Typed,
    addresses: &[String],
    now: Millis,
) -> Result<Answer, ServiceError> {
    check_rate(prepared)?;
    let addresses = chosen_addresses(prepared, addresses, "signup")?;
    let Some(hash) = prepared.new_hash.clone() else {
        let refusal = Refusal::new(
            Code::Unavailable,
            "the server is too busy to take a new password; try again in a minute",
        );
        return Err(refusal.into());
    };
    let user = NewUser { userid: who.userid.clone(), password_hash: hash, at: now };
    let Some(key) = tx.insert_user(&user).await? else {
        let refusal = Refusal::new(Code::UseridTaken, format!("the userid `{}` is taken", who.userid))
            .hint("Choose another one: 2 to 20 letters, digits, `_`, `.` or `-`.");
        return Err(refusal.into());
    };
    for address in &addresses {
        register(tx, app, key, &who.userid, address, now).await?;
    }
    let welcome = Reply::Welcome { userid: who.userid.clone() };
    if !app.config.confirms_addresses() {
        post_to_user(tx, app, &welcome, key, now).await?;
    }
    Ok(told_by_mail(prepared, &who.userid, "your new account", welcome))
}

pub(super) async fn add(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    addresses: &[String],
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, prepared).await?;
    let addresses = chosen_addresses(prepared, addresses, "add")?;
    let held = tx.addresses(user.id).await?.len();
    if held + addresses.len() > MOST_ADDRESSES {
        let message = format!("an account has at most {MOST_ADDRESSES} addresses; yours has {held}");
        return Err(Refusal::new(Code::BadValue, message).into());
    }
    for address in &addresses {
        register(tx, app, user.id, &user.userid, address, now).await?;
    }
    let notice = addresses_notice(tx, user.id, &user.userid).await?;
    post_to_user(tx, app, &notice, user.id, now).await?;
    Ok(told_by_mail(prepared, &user.userid, "your addresses", notice))
}

pub(super) async fn change_addresses(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    addresses: &[String],
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, prepared).await?;
    let addresses = chosen_addresses(prepared, addresses, "change address")?;
    let before = registered_addresses(tx, app, user.id).await?;
    let chosen = |key: &str| addresses.iter().any(|address| address.key() == key);
    let held = tx.addresses(user.id).await?;
    // With a slip of the pen in the new address nobody could be reached any more: the proven
    // addresses go only when one of the new ones is proven.
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
    for address in &addresses {
        register(tx, app, user.id, &user.userid, address, now).await?;
    }
    let notice = addresses_notice(tx, user.id, &user.userid).await?;
    let mut told = registered_addresses(tx, app, user.id).await?;
    told.extend(before);
    told.sort_unstable();
    told.dedup_by(|a, b| a.eq_ignore_ascii_case(b));
    for address in told {
        if let Ok(address) = address.parse() {
            post_to_address(tx, app, &notice, &address, Some(user.id), None, now).await?;
        }
    }
    Ok(told_by_mail(prepared, &user.userid, "your addresses", notice))
}

/// `signoff`: mail goes to these addresses no more. One that can be written to always stays.
pub(super) async fn sign_off(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    addresses: &[String],
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, prepared).await?;
    let chosen = chosen_addresses(prepared, addresses, "signoff")?;
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
    let before = registered_addresses(tx, app, user.id).await?;
    for address in &chosen {
        tx.remove_address(user.id, &address.key()).await?;
    }
    let notice = addresses_notice(tx, user.id, &user.userid).await?;
    for address in before {
        if let Ok(address) = address.parse() {
            post_to_address(tx, app, &notice, &address, Some(user.id), None, now).await?;
        }
    }
    Ok(told_by_mail(prepared, &user.userid, "your addresses", notice))
}

pub(super) async fn change_password(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, prepared).await?;
    let Some(hash) = prepared.new_hash.as_deref() else {
        return Err(Refusal::new(Code::Unavailable, "the server is too busy to take a new password").into());
    };
    let notice = replace_password(tx, app, &user, hash, now).await?;
    Ok(Answer::to_registered(notice))
}

/// Makes the address of a confirmation link belong to its user for good.
///
/// # Errors
/// When the database fails. `Ok(None)`: the link is damaged or the address is not registered any more.
pub async fn confirm_address(
    tx: &mut Tx,
    app: &App,
    token: &str,
    now: Millis,
) -> Result<Option<String>, StoreError> {
    let Some((user, address)) = app.links.read_confirmation(token) else { return Ok(None) };
    let was_proven = tx.addresses(user).await?.iter().any(|row| row.verified_at.is_some());
    if !tx.verify_address(user, &address, now).await? {
        return Ok(None);
    }
    tx.start_address(&address).await?;
    tx.set_address_leaving(user, &address, false).await?;
    tx.remove_leaving_addresses(user).await?;
    let Some(user) = tx.user(user).await?.filter(|user| user.state == UserState::Active) else {
        return Ok(None);
    };
    if !was_proven {
        post_to_user(tx, app, &Reply::Welcome { userid: user.userid.clone() }, user.id, now).await?;
    }
    Ok(Some(user.userid))
}

/// The addresses typed, or the sender's.
fn chosen_addresses(prepared: &Prepared, typed: &[String], verb: &str) -> Result<Vec<Address>, ServiceError> {
    if typed.is_empty() {
        return match &prepared.origin.sender {
            Some(sender) => Ok(vec![sender.clone()]),
            None => Err(Refusal::new(
                Code::WrongArguments,
                format!("`{verb}` needs a mail address when it is not sent by mail"),
            )
            .hint(format!("Write it at the end: {verb} USERID PASSWORD you@example.org"))
            .into()),
        };
    }
    if typed.len() > MOST_ADDRESSES {
        return Err(Refusal::new(
            Code::BadValue,
            format!("an account has at most {MOST_ADDRESSES} addresses"),
        )
        .into());
    }
    let parse = |text: &String| {
        text.parse::<Address>()
            .map_err(|error| ServiceError::from(Refusal::new(Code::BadValue, error.to_string())))
    };
    typed.iter().map(parse).collect()
}

/// Stores the address; when addresses must be confirmed, asks its owner to.
async fn register(
    tx: &mut Tx,
    app: &App,
    user: UserKey,
    userid: &str,
    address: &Address,
    now: Millis,
) -> Result<(), StoreError> {
    let confirm = app.config.confirms_addresses();
    let is_new = tx.add_address(user, address, (!confirm).then_some(now), now).await?;
    let is_stopped = tx.address_trouble(&address.key()).await?.flatten().is_some();
    if !confirm && is_stopped {
        tx.start_address(&address.key()).await?;
    }
    // An address whose mail came back must be proven anew.
    if !confirm || !(is_new || is_stopped) {
        return Ok(());
    }
    if tx.claim_confirmation(&address.key(), now.plus(-CONFIRMATION_PAUSE_MS), now).await? {
        let reply = Reply::ConfirmAddress {
            userid: userid.to_owned(),
            link: app.links.confirmation(&app.config.server.public_url, user, &address.key()),
        };
        post_to_address(tx, app, &reply, address, Some(user), None, now).await?;
    }
    Ok(())
}

async fn addresses_notice(tx: &mut Tx, user: UserKey, userid: &str) -> Result<Reply, StoreError> {
    let addresses = tx.addresses(user).await?.into_iter().map(|row| row.address).collect();
    Ok(Reply::AddressesChanged { userid: userid.to_owned(), addresses })
}

/// What belongs into the mail box is only said to be there: over HTTP anybody may be asking.
fn told_by_mail(prepared: &Prepared, userid: &str, about: &str, letter: Reply) -> Answer {
    if prepared.origin.channel == Channel::Mail {
        return Answer::to_registered(letter);
    }
    Answer::to_registered(Reply::MailSent { userid: userid.to_owned(), about: about.to_owned() })
}
