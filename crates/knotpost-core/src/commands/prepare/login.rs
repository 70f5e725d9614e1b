//! Authentication of a command: by its password, or by the request's session or key.
//!
//! A session counts only for its own user and only if the command holds no password. No text command does
//! without one: any word in its place is checked as a password.

use std::sync::Arc;

use knotpost_commands::{Command, Credentials, ParseError, Password};

use crate::app::App;
use crate::commands::{Demand, policy};
use crate::identity::authentication::{Place, SlowWork, Words, check_password};
use crate::identity::{Login, Origin, Proof, gave_password_lately};
use crate::requests::Preparation;
use knotpost_model::Millis;
use knotpost_storage::StoreError;

pub(super) fn chosen_password(command: &Result<Command, ParseError>) -> Option<&Password> {
    match command {
        Ok(Command::Signup { who, .. }) => who.password.as_ref(),
        Ok(Command::ChangePassword { new, .. }) => Some(new),
        _ => None,
    }
}

/// Authenticates the sender of all but a signup; `None`: a hash would be needed and is not allowed.
pub(super) async fn find_login(
    app: &Arc<App>,
    command: &Result<Command, ParseError>,
    origin: &Origin,
    slow_work: SlowWork,
) -> Result<Option<Login>, StoreError> {
    let Ok(command) = command else { return Ok(Some(Login::NotNeeded)) };
    let who = command.credentials().filter(|_| !matches!(command, Command::Signup { .. }));
    let Some(who) = who else { return Ok(Some(Login::NotNeeded)) };
    let Some(password) = &who.password else {
        return Ok(Some(recognize(who, policy(command).demand, &origin.proof, app.clock.now())));
    };
    let words = match command {
        Command::ChangePassword { .. } => Words::PasswordOrCode,
        _ => Words::Password,
    };
    let given = (who.userid.as_str(), password.expose());
    check_password(app, &Place::of(origin), given, words, slow_work).await
}

/// Accepts the logged-in user, in their own name. The transaction checks that the login still holds.
fn recognize(who: &Credentials, demand: Demand, proof: &Proof, now: Millis) -> Login {
    let Proof::LoggedIn(proven) = proof else { return Login::Wrong };
    if !proven.userid.eq_ignore_ascii_case(&who.userid) {
        return Login::Wrong;
    }
    match demand {
        Demand::Typed => Login::Wrong,
        Demand::Lately if !gave_password_lately(proven.password_at, now) => Login::Stale,
        Demand::Lately | Demand::Nothing => Login::Known {
            user: proven.user,
            hash: proven.hash.clone(),
            key: proven.key,
            session: proven.session.clone(),
        },
    }
}

/// Accepts a new name, whose password is hashed, or an existing user with the right password.
pub(super) async fn check_signup(
    app: &Arc<App>,
    origin: &Origin,
    who: &Credentials,
) -> Result<(Login, Preparation), StoreError> {
    let is_new = app.store.query().await?.find_user(&who.userid).await?.is_none();
    let login = match &who.password {
        Some(password) if is_new => {
            return Ok(hash_chosen(&app.credentials, origin, password, Login::NotNeeded).await);
        }
        Some(password) => {
            let (place, given) = (Place::of(origin), (who.userid.as_str(), password.expose()));
            let tried = check_password(app, &place, given, Words::Password, SlowWork::Allowed).await?;
            tried.unwrap_or(Login::Wrong)
        }
        None if is_new => Login::NotNeeded,
        None => Login::Wrong,
    };
    Ok((login, Preparation::None))
}

/// Hashes a newly chosen password.
pub(super) async fn hash_chosen(
    credentials: &crate::identity::Credentials,
    origin: &Origin,
    password: &Password,
    login: Login,
) -> (Login, Preparation) {
    match credentials.hash_for(password.expose(), origin.host).await {
        Ok(hash) => (login, Preparation::NewHash(hash)),
        Err(error) => {
            tracing::warn!(%error, "a password could not be checked");
            (Login::Overloaded, Preparation::None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use knotpost_model::UserKey;

    const NOW: Millis = Millis(1_000_000_000);

    fn proof(password_at: Option<Millis>) -> Proof {
        Proof::LoggedIn(crate::identity::ProvenUser {
            user: UserKey(7),
            userid: "ann".to_owned(),
            hash: "a hash".to_owned(),
            key: None,
            session: Some("a session".to_owned()),
            password_at,
        })
    }

    fn known(userid: &str, demand: Demand, proof: &Proof) -> bool {
        let who = Credentials::without_password(userid);
        matches!(recognize(&who, demand, proof, NOW), Login::Known { user: UserKey(7), .. })
    }

    #[test]
    fn a_session_stands_for_its_own_user_alone() {
        let (fresh, old) = (proof(Some(NOW)), proof(None));
        assert!(known("ann", Demand::Nothing, &old) && known("ANN", Demand::Nothing, &old));
        assert!(!known("bob", Demand::Nothing, &fresh));
        assert!(known("ann", Demand::Lately, &fresh));
        let who = Credentials::without_password("ann");
        assert!(matches!(recognize(&who, Demand::Lately, &old, NOW), Login::Stale));
        assert!(!known("ann", Demand::Typed, &fresh));
    }

    #[test]
    fn without_a_session_a_command_without_a_password_is_nobodys() {
        assert!(!known("ann", Demand::Nothing, &Proof::Password));
    }
}
