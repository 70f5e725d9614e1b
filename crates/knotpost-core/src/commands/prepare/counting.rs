//! Rate limits of commands. Charged during preparation, since a transaction may run more than once.

use knotpost_commands::Command;

use crate::app::App;
use crate::boards::Refusal;
use crate::commands::{Spends, policy};
use crate::identity::limits::Asker;
use crate::identity::{Login, Proof};
use crate::requests::Prepared;
use knotpost_model::computer_player::level_of;
use knotpost_model::{Channel, UserKey};
use knotpost_storage::StoreError;

pub(super) fn count_all(app: &App, prepared: &mut Prepared) {
    count_rate(app, prepared);
    for line in &mut prepared.lines {
        count_rate(app, line);
    }
}

pub(super) fn count_rate(app: &App, prepared: &mut Prepared) {
    prepared.asker = asker(prepared);
    prepared.limited = prepared.asker.as_ref().and_then(|asker| app.limits.ask(asker).err());
}

/// Identity that is charged; `None`: unlimited, or the operator.
fn asker(prepared: &Prepared) -> Option<Asker> {
    let (command, origin) = (prepared.command.as_ref().ok()?, &prepared.origin);
    let user = match &prepared.login {
        Login::Known { user, .. } => Some(format!("user {}", user.0)),
        _ => None,
    };
    let (rate, name) = match policy(command).spends {
        Spends::Nothing => return None,
        Spends::Share(rate) => (rate, None),
        Spends::ShareAbout(rate, name) => (rate, Some(name)),
        Spends::ShareOfUser(rate) => {
            user.as_ref()?;
            (rate, None)
        }
        Spends::ShareOfUserAt(rate, place) => (rate, Some(format!("{} {place}", user.as_deref()?))),
    };
    let is_proven = user.is_some() || !prepared.proven.is_empty();
    let host = origin.host.map(|host| host.to_string());
    let (sender, host) = match origin.channel {
        Channel::Http => (user, host),
        // A provider's host relays mail of many: a proven sender is charged alone.
        Channel::Mail if is_proven => (user.or_else(|| Some(origin.rate_key.clone())), None),
        Channel::Mail => (Some(origin.rate_key.clone()), host),
        Channel::Operator => return None,
    };
    Some(Asker { rate, channel: origin.channel, sender, host, name, is_proven })
}

/// Possible senders of a command without a password: the logged-in user, or the users of the From address of
/// a mail that its domain vouches for.
pub(super) async fn find_proven(app: &App, prepared: &Prepared) -> Result<Vec<UserKey>, StoreError> {
    if !matches!(
        prepared.command,
        Ok(Command::Challenge { .. } | Command::PasswordReset { .. } | Command::Analyse { .. })
    ) {
        return Ok(Vec::new());
    }
    if let Proof::LoggedIn(visitor) = &prepared.origin.proof {
        return Ok(vec![visitor.user]);
    }
    let Some(sender) = prepared.origin.sender.as_ref().filter(|_| prepared.origin.aligned) else {
        return Ok(Vec::new());
    };
    let readers = app.store.query().await?.users_at(&sender.key()).await?;
    Ok(readers.into_iter().map(|reader| reader.id).collect())
}

pub(crate) fn check_rate(prepared: &Prepared) -> Result<(), Refusal> {
    prepared.limited.as_ref().map_or(Ok(()), |limited| Err(limited.refusal()))
}

/// Checks that these users can be mailed one more of these, whoever sends it, and records them to be charged.
/// The sender and computer players are exempt.
pub(crate) fn check_readers<'a>(
    app: &App,
    prepared: &Prepared,
    readers: impl IntoIterator<Item = (UserKey, &'a str)>,
) -> Result<(), Refusal> {
    for (reader, userid) in readers {
        check_reader(app, prepared, reader, userid)?;
    }
    Ok(())
}

pub(crate) fn check_reader(
    app: &App,
    prepared: &Prepared,
    reader: UserKey,
    userid: &str,
) -> Result<(), Refusal> {
    let Some(asker) = &prepared.asker else { return Ok(()) };
    let is_sender = prepared.user() == Some(reader) || prepared.proven.contains(&reader);
    if is_sender || level_of(userid).is_some() {
        return Ok(());
    }
    if let Err(limited) = app.limits.look_reader(asker, reader) {
        let hint = format!("{userid} has got as many as one user gets, from all senders together.");
        return Err(limited.refusal().hint(hint));
    }
    prepared.mailed().push(reader);
    Ok(())
}
