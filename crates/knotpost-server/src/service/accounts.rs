//! Signing up, addresses and passwords.

use knotpost_commands::Credentials as Typed;

use super::Prepared;
use super::answer::AskedLine;
use super::confirming::{Asked, GOOD_FOR_DAYS, register};
use super::execute::authorize;
use super::post::{post_to_user, registered_addresses};
use super::prepare::check_rate;
use super::resets::replace_password;
use super::undoing::announce_change;
use super::{Answer, Channel, Code, Login, Refusal, Reply, ServiceError};
use crate::app::App;
use crate::domain::{Address, Millis};
use crate::store::{AddressRow, NewUser, StoreError, Tx, UserRow};

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
    let addresses = chosen_addresses(app, prepared, addresses, "signup")?;
    match prepared.login {
        Login::NotNeeded => {}
        Login::Known { .. } => return sign_up_again(tx, app, prepared, &addresses, now).await,
        Login::Wrong | Login::Stale | Login::TooMany(_) => return Err(taken(&who.userid).into()),
    }
    let Some(hash) = prepared.new_hash.clone() else {
        let refusal = Refusal::new(
            Code::Unavailable,
            "the server is too busy to take a new password; try again in a minute",
        );
        return Err(refusal.into());
    };
    let user = NewUser { userid: who.userid.clone(), password_hash: hash, at: now };
    let Some(key) = tx.insert_user(&user).await? else {
        return Err(taken(&who.userid).into());
    };
    let Some(user) = tx.user(key).await? else {
        return Err(StoreError::Corrupt(format!("the user {} is there and is not", who.userid)).into());
    };
    let lines = register_all(tx, app, prepared, &user, &addresses, now).await?;
    let welcome = Reply::Welcome { userid: who.userid.clone() };
    if !app.config.confirms_addresses() {
        post_to_user(tx, app, &welcome, key, now).await?;
    }
    Ok(told(prepared, &who.userid, "your new account", welcome, lines))
}

fn taken(userid: &str) -> Refusal {
    Refusal::new(Code::UseridTaken, format!("the userid `{userid}` is taken"))
        .hint("Choose another one: 2 to 20 letters, digits, `_`, `.` or `-`.")
}

/// The same userid with the right password: the mail that asks for the confirmation may have been lost, or its address
/// mistyped.
async fn sign_up_again(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    addresses: &[Address],
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, prepared).await?;
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
    let welcome = Reply::Welcome { userid: user.userid.clone() };
    let lines = register_all(tx, app, prepared, &user, addresses, now).await?;
    Ok(told(prepared, &user.userid, "your new account", welcome, lines))
}

/// Refuses more addresses than an account has room for.
fn check_room(user: &UserRow, held: &[AddressRow], addresses: &[Address]) -> Result<(), Refusal> {
    let is_held = |address: &&Address| held.iter().any(|row| row.address.to_lowercase() == address.key());
    let fresh = addresses.iter().filter(|address| !is_held(address)).count();
    if fresh > 0 && held.len() + fresh > MOST_ADDRESSES {
        let (userid, count) = (&user.userid, held.len());
        let message = format!("an account has at most {MOST_ADDRESSES} addresses; {userid} has {count}");
        return Err(Refusal::new(Code::BadValue, message));
    }
    Ok(())
}

pub(super) async fn add(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    addresses: &[String],
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, prepared).await?;
    let addresses = chosen_addresses(app, prepared, addresses, "add")?;
    let held = tx.addresses(user.id).await?;
    check_room(&user, &held, &addresses)?;
    let before = registered_addresses(tx, app, user.id).await?;
    let lines = register_all(tx, app, prepared, &user, &addresses, now).await?;
    if tx.addresses(user.id).await?.len() == held.len() && !lines.is_empty() {
        // Only a mail was asked for again.
        let reply = Reply::Welcome { userid: user.userid.clone() };
        return Ok(told(prepared, &user.userid, "your addresses", reply, lines));
    }
    let notice = announce_change(tx, app, &user, &before, now).await?;
    Ok(told(prepared, &user.userid, "your addresses", notice, lines))
}

pub(super) async fn change_addresses(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    addresses: &[String],
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, prepared).await?;
    let addresses = chosen_addresses(app, prepared, addresses, "change address")?;
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
    let lines = register_all(tx, app, prepared, &user, &addresses, now).await?;
    let notice = announce_change(tx, app, &user, &before, now).await?;
    Ok(told(prepared, &user.userid, "your addresses", notice, lines))
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
    let chosen = chosen_addresses(app, prepared, addresses, "signoff")?;
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
    let notice = announce_change(tx, app, &user, &before, now).await?;
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

/// The addresses typed, or the sender's.
fn chosen_addresses(
    app: &App,
    prepared: &Prepared,
    typed: &[String],
    verb: &str,
) -> Result<Vec<Address>, ServiceError> {
    if typed.is_empty() {
        return match &prepared.origin.sender {
            Some(sender) => Ok(vec![players_address(app, &sender.to_string())?]),
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
    let mut chosen: Vec<Address> = Vec::new();
    for text in typed {
        let address = players_address(app, text)?;
        if chosen.iter().all(|one| one.key() != address.key()) {
            chosen.push(address);
        }
    }
    Ok(chosen)
}

/// An address as a user may have it: none of the server's own, which nobody reads.
///
/// # Errors
/// When it is none.
pub(super) fn players_address(app: &App, text: &str) -> Result<Address, Refusal> {
    let address: Address = text
        .parse()
        .map_err(|error: crate::domain::AddressError| Refusal::new(Code::BadValue, error.to_string()))?;
    if app.own.is_own(&address.to_string()) {
        let message = format!("`{address}` belongs to this server; mail to it would come back here");
        return Err(Refusal::new(Code::BadValue, message).hint("Write an address at which you read mail."));
    }
    Ok(address)
}

/// Registers addresses; says what became of the mails that ask for confirmations.
async fn register_all(
    tx: &mut Tx,
    app: &App,
    prepared: &Prepared,
    user: &UserRow,
    addresses: &[Address],
    now: Millis,
) -> Result<Vec<AskedLine>, StoreError> {
    let mut lines = Vec::new();
    for address in addresses {
        let asked = register(tx, app, &prepared.origin, user, address, now).await?;
        lines.push(AskedLine { address: address.to_string(), asked });
    }
    lines.retain(|line| line.asked != Asked::NotNeeded);
    Ok(lines)
}

/// Whoever gave the right password over HTTP is told which mails went out; a mail says so by itself, and is answered
/// only where its sender's domain vouches for it.
fn told(prepared: &Prepared, userid: &str, about: &str, letter: Reply, lines: Vec<AskedLine>) -> Answer {
    let by_mail = prepared.origin.channel == Channel::Mail;
    if !lines.is_empty() && !by_mail {
        let userid = userid.to_owned();
        return Answer::to_registered(Reply::ConfirmationsAsked { userid, lines, days: GOOD_FOR_DAYS });
    }
    let has_gone = lines.iter().any(|line| line.asked == Asked::Sent);
    if by_mail && prepared.origin.aligned && !lines.is_empty() && !has_gone {
        let reply = Reply::ConfirmationsAsked { userid: userid.to_owned(), lines, days: GOOD_FOR_DAYS };
        return Answer { changed: true, ..Answer::to_sender(reply) };
    }
    told_by_mail(prepared, userid, about, letter)
}

/// What belongs into the mail box is only said to be there: over HTTP anybody may be asking.
fn told_by_mail(prepared: &Prepared, userid: &str, about: &str, letter: Reply) -> Answer {
    if prepared.origin.channel == Channel::Mail {
        return Answer::to_registered(letter);
    }
    Answer::to_registered(Reply::MailSent { userid: userid.to_owned(), about: about.to_owned() })
}
