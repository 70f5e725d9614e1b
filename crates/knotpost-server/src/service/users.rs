//! Users for those who look after the server.

use std::sync::Arc;

use knotpost_commands::{Password, Userid};

use super::{Code, Refusal, ServiceError, departure, ratings};
use crate::app::App;
use crate::domain::{Address, BoardState, Millis};
use crate::store::{BoardFilter, NewUser, StoppedAddress, StoreError, Tx, UserRow, UserState};

/// Users of one look.
const PAGE: i64 = 500;

/// A user as an administrator sees him.
#[derive(Clone, Debug)]
pub struct UserView {
    /// The name.
    pub userid: String,
    /// `player` or `admin`.
    pub role: String,
    /// Whether the account is in use.
    pub state: &'static str,
    /// When it was signed up.
    pub since: String,
    /// The addresses, and whether each is confirmed.
    pub addresses: Vec<(String, bool)>,
    /// Those of them that get no mail any more because it came back.
    pub stopped: Vec<StoppedAddress>,
    /// Boards being played.
    pub active_boards: usize,
}

/// A change to a user.
#[derive(Clone, Debug)]
pub enum UserEdit {
    /// Make the account.
    Add {
        /// Its password.
        password: String,
        /// Its addresses.
        addresses: Vec<String>,
    },
    /// Set the password.
    Password(String),
    /// Make him a `player` or an `admin`.
    Role(&'static str),
    /// Lock him out.
    Suspend,
    /// Let him in again.
    Lift,
    /// Resign his boards, forget all that is his alone; the name stays taken.
    Delete,
}

/// Users by name after `after`, a page of them.
///
/// # Errors
/// When the database fails.
pub async fn view_users(app: &App, after: &str) -> Result<Vec<UserView>, ServiceError> {
    let mut tx = app.store.read().await?;
    let rows = tx.list_users(after, PAGE).await?;
    Ok(rows.into_iter().map(|row| view(row, Vec::new(), 0)).collect())
}

/// One user.
///
/// # Errors
/// When there is none of that name, or the database fails.
pub async fn view_user(app: &App, userid: &str) -> Result<UserView, ServiceError> {
    let mut tx = app.store.read().await?;
    let user = find(&mut tx, userid).await?;
    let addresses = tx.addresses(user.id).await?;
    let addresses = addresses.into_iter().map(|row| (row.address, row.verified_at.is_some())).collect();
    let filter =
        BoardFilter { user: Some(user.id), state: Some(BoardState::Active), ..BoardFilter::default() };
    let boards = tx.list_boards(&filter, i64::MAX).await?.len();
    let stopped = tx.stopped_addresses_of(user.id).await?;
    Ok(UserView { stopped, ..view(user, addresses, boards) })
}

/// What everybody may know of a user.
///
/// # Errors
/// When there is none of that name, or the database fails.
pub async fn view_public_user(app: &App, userid: &str) -> Result<UserRow, ServiceError> {
    find(&mut app.store.read().await?, userid).await
}

fn view(row: UserRow, addresses: Vec<(String, bool)>, active_boards: usize) -> UserView {
    UserView {
        userid: row.userid,
        role: row.role,
        state: row.state.as_str(),
        since: row.created_at.to_readable(),
        addresses,
        stopped: Vec::new(),
        active_boards,
    }
}

/// Changes a user. He is not told by mail: the administrator acts for himself. Players whose boards
/// change by it are.
///
/// # Errors
/// When the user or a value is not usable, or the database fails.
pub async fn edit_user(app: &Arc<App>, userid: &str, edit: UserEdit) -> Result<(), ServiceError> {
    let password = match &edit {
        UserEdit::Add { password, .. } | UserEdit::Password(password) => Some(new_password(password)?),
        _ => None,
    };
    let addresses = match &edit {
        UserEdit::Add { addresses, .. } => {
            addresses.iter().map(|text| parse_address(text)).collect::<Result<_, _>>()?
        }
        _ => Vec::new(),
    };
    if matches!(edit, UserEdit::Add { .. }) {
        Userid::choose(userid, &app.vocabulary)
            .map_err(|rule| Refusal::new(Code::BadValue, rule.to_string()))?;
    }
    let hash = match password {
        Some(password) => Some(
            app.credentials
                .hash(password.expose())
                .await
                .map_err(|error| ServiceError::from(Refusal::new(Code::Unavailable, error.to_string())))?,
        ),
        None => None,
    };
    let (name, now, shared) = (userid.to_owned(), app.clock.now(), Arc::clone(app));
    let edited = app
        .store
        .write(move |tx| {
            let (name, edit, hash, addresses) = (name.clone(), edit.clone(), hash.clone(), addresses.clone());
            let app = Arc::clone(&shared);
            Box::pin(async move {
                match apply(tx, &app, &name, &edit, hash.as_deref(), &addresses, now).await {
                    Ok(()) => Ok(None),
                    Err(ServiceError::Refused(refusal)) => Ok(Some((refusal.code, refusal.message))),
                    Err(ServiceError::Store(error)) => Err(error),
                }
            })
        })
        .await?;
    app.credentials.forget_all();
    app.signals.outbox.notify_one();
    match edited {
        None => Ok(()),
        Some((code, message)) => Err(Refusal::new(code, message).into()),
    }
}

/// Everything is checked before anything is written.
async fn apply(
    tx: &mut Tx,
    app: &App,
    userid: &str,
    edit: &UserEdit,
    hash: Option<&str>,
    addresses: &[Address],
    now: Millis,
) -> Result<(), ServiceError> {
    if let UserEdit::Add { .. } = edit {
        let password_hash = hash.unwrap_or_default().to_owned();
        let new = NewUser { userid: userid.to_owned(), password_hash, at: now };
        let Some(key) = tx.insert_user(&new).await? else {
            return Err(Refusal::new(Code::UseridTaken, format!("the userid `{userid}` is taken")).into());
        };
        for address in addresses {
            tx.add_address(key, address, Some(now), now).await?;
        }
        return Ok(());
    }
    let user = find(tx, userid).await?;
    if user.state == UserState::Deleted {
        return Err(Refusal::new(Code::NoSuchUser, format!("{userid} was deleted")).into());
    }
    match edit {
        UserEdit::Add { .. } => {}
        UserEdit::Password(_) => {
            tx.set_password_hash(user.id, hash, now).await?;
            tx.drop_reset(user.id).await?;
        }
        UserEdit::Role(role) => tx.set_user_role(user.id, role).await?,
        UserEdit::Suspend => tx.set_user_state(user.id, UserState::Suspended).await?,
        UserEdit::Lift => tx.set_user_state(user.id, UserState::Active).await?,
        UserEdit::Delete => departure::leave(tx, app, &user, now).await?,
    }
    if matches!(edit, UserEdit::Suspend | UserEdit::Lift | UserEdit::Delete) {
        ratings::review_all_activity(tx, user.id, now).await?;
    }
    Ok(())
}

async fn find(tx: &mut Tx, userid: &str) -> Result<UserRow, ServiceError> {
    let user: Result<Option<UserRow>, StoreError> = tx.find_user(userid).await;
    user?.ok_or_else(|| Refusal::new(Code::NoSuchUser, format!("there is no user `{userid}`")).into())
}

fn new_password(text: &str) -> Result<Password, ServiceError> {
    Password::choose(text).map_err(|rule| Refusal::new(Code::BadValue, rule.to_string()).into())
}

fn parse_address(text: &str) -> Result<Address, ServiceError> {
    text.parse()
        .map_err(|error: crate::domain::AddressError| Refusal::new(Code::BadValue, error.to_string()).into())
}
