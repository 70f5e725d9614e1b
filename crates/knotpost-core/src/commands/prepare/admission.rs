//! Rate limits of commands. Charged during preparation, since a transaction may run more than once.

use knotpost_commands::{Command, ParseError};

use crate::boards::Refusal;
use crate::commands::{Spends, policy};
use crate::identity::limits::Asker;
use crate::identity::{Limits, Login, Origin, Proof};
use crate::requests::{Admission, Admitted, Authenticated, Ready};
use knotpost_model::computer_player::level_of;
use knotpost_model::{Channel, UserKey};
use knotpost_storage::{Store, StoreError};

/// Counts a command against its rate.
pub(super) fn admit(limits: &Limits, sent: Authenticated) -> Admitted {
    let admission = match asker(&sent) {
        None => Admission::Free,
        Some(asker) => match limits.ask(&asker) {
            Ok(()) => Admission::Counted(asker),
            Err(limited) => Admission::Refused(limited),
        },
    };
    Admitted { sent, admission }
}

/// Identity that is charged; `None`: unlimited, or the operator.
fn asker(sent: &Authenticated) -> Option<Asker> {
    let (command, origin) = (sent.command.as_ref().ok()?, &sent.origin);
    let user = match &sent.login {
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
    let is_proven = user.is_some() || !sent.proven.is_empty();
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
pub(super) async fn find_proven(
    store: &Store,
    command: &Result<Command, ParseError>,
    origin: &Origin,
) -> Result<Vec<UserKey>, StoreError> {
    if !matches!(
        command,
        Ok(Command::Challenge { .. } | Command::PasswordReset { .. } | Command::Analyse { .. })
    ) {
        return Ok(Vec::new());
    }
    if let Proof::LoggedIn(visitor) = &origin.proof {
        return Ok(vec![visitor.user]);
    }
    let Some(sender) = origin.sender.as_ref().filter(|_| origin.aligned) else {
        return Ok(Vec::new());
    };
    let readers = store.query().await?.users_at(&sender.key()).await?;
    Ok(readers.into_iter().map(|reader| reader.id).collect())
}

pub(crate) fn check_rate(ready: &Ready) -> Result<(), Refusal> {
    match &ready.admission {
        Admission::Refused(limited) => Err(limited.refusal()),
        Admission::Free | Admission::Counted(_) => Ok(()),
    }
}

/// As [`check_rate`], and that these users can be mailed one more of these, whoever sends it. Returns those to charge.
pub(crate) fn check_readers<'a>(
    limits: &Limits,
    ready: &Ready,
    readers: impl IntoIterator<Item = (UserKey, &'a str)>,
) -> Result<Vec<UserKey>, Refusal> {
    check_rate(ready)?;
    let checked = readers.into_iter().map(|(reader, userid)| check_reader(limits, ready, reader, userid));
    checked.filter_map(Result::transpose).collect()
}

/// Returns the reader if they are to be charged: the sender and computer players are exempt.
pub(crate) fn check_reader(
    limits: &Limits,
    ready: &Ready,
    reader: UserKey,
    userid: &str,
) -> Result<Option<UserKey>, Refusal> {
    let Admission::Counted(asker) = &ready.admission else { return Ok(None) };
    let is_sender = ready.user() == Some(reader) || ready.proven.contains(&reader);
    if is_sender || level_of(userid).is_some() {
        return Ok(None);
    }
    if let Err(limited) = limits.look_reader(asker, reader) {
        let hint = format!("{userid} has got as many as one user gets, from all senders together.");
        return Err(limited.refusal().hint(hint));
    }
    Ok(Some(reader))
}
