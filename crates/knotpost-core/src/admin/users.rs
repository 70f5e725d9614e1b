//! User administration.

use knotpost_commands::{Password, Remarks, Userid, Vocabulary};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError, find_user};
use crate::identity::{resets, tokens};
use crate::mailing::{AddressStop, UserAddress, bounces};
use crate::play::account_deletion;
use crate::ratings::board_ratings;
use crate::{commands, webhooks};
use knotpost_model::{Address, LeaveReason, Millis, Moment, UserKey};
use knotpost_storage::{NewUser, Store, StoreError, UserRow, UserState, WriteTx};

const PAGE: usize = 500;
/// Pages scanned by one [`search_refused_names`].
const PAGES_OF_A_LOOK: usize = 10;

/// A user in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserLine {
    /// The name, as signed up.
    pub userid: String,
    /// `player`, `admin`, `bot` or `program`.
    pub role: String,
    /// State of the account.
    pub state: &'static str,
    /// Day of the sign-up.
    pub since: String,
    /// Reason for which the name would be refused to a new user today; `null`: it would not be.
    pub name_refused: Option<String>,
}

/// A page of users.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserList {
    /// By name.
    pub users: Vec<UserLine>,
    /// Goes into the next request; `null`: that was all.
    pub cursor: Option<String>,
}

/// A user as administrators see them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WholeUser {
    #[serde(flatten)]
    pub line: UserLine,
    /// Their addresses, and whether mail reaches them.
    pub addresses: Vec<UserAddress>,
    /// The boards they play on.
    pub active_boards: usize,
    /// The browsers they are logged in with.
    pub sessions: usize,
    /// Their API keys.
    pub tokens: usize,
}

impl WholeUser {
    pub fn stops(&self) -> impl Iterator<Item = &AddressStop> {
        self.addresses.iter().filter_map(|address| address.stopped.as_ref())
    }
}

/// A user, as everybody may see them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PublicUser {
    #[serde(skip)]
    pub user: UserKey,
    /// The name, as signed up.
    pub userid: String,
    /// Time of the sign-up.
    pub since: Moment,
    #[serde(skip)]
    pub is_admin: bool,
    /// `true` where a program plays: a computer player of this server, or the program of somebody.
    #[serde(rename = "bot", skip_serializing_if = "std::ops::Not::not")]
    pub is_bot: bool,
}

impl From<UserRow> for PublicUser {
    fn from(row: UserRow) -> Self {
        let (is_admin, is_bot) = (row.role == "admin", row.is_bot());
        Self { user: row.id, userid: row.userid, since: row.created_at.into(), is_admin, is_bot }
    }
}

#[derive(Clone)]
pub enum UserEdit {
    Add {
        password: String,
        addresses: Vec<String>,
    },
    Password(String),
    Role(&'static str),
    Suspend,
    Lift,
    /// Resigns their boards and deletes their private data; the name stays taken.
    Delete,
    /// As `Delete`, and removes what they said on boards.
    DeleteWithRemarks,
    SendReset,
    LogOut,
    RevokeTokens,
    /// Removes what they say about themselves.
    DropAbout,
    /// The old name stays taken.
    Rename(String),
}

impl UserEdit {
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Add { .. } => "user.add",
            Self::Password(_) => "user.password",
            Self::Role("admin") => "user.grant",
            Self::Role(_) => "user.revoke",
            Self::Suspend => "user.suspend",
            Self::Lift => "user.lift",
            Self::Delete => "user.delete",
            Self::DeleteWithRemarks => "user.delete_with_remarks",
            Self::SendReset => "user.send_password",
            Self::LogOut => "user.log_out",
            Self::RevokeTokens => "user.revoke_tokens",
            Self::DropAbout => "user.drop_about",
            Self::Rename(_) => "user.rename",
        }
    }

    /// True if administrators could not undo it on their own account.
    pub(crate) fn locks_out(&self) -> bool {
        match self {
            Self::Role(role) => *role != "admin",
            Self::Suspend | Self::Delete | Self::DeleteWithRemarks => true,
            _ => false,
        }
    }
}

/// Keeps passwords out of logs.
impl std::fmt::Debug for UserEdit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.verb())
    }
}

/// Users whose name has this prefix or who have this address, after `after`.
pub async fn search_users(
    store: &Store,
    vocabulary: &Vocabulary,
    words: &str,
    after: &str,
    limit: usize,
) -> Result<UserList, ServiceError> {
    let (words, most) = (words.trim().to_lowercase(), i64::try_from(limit).unwrap_or(i64::MAX));
    let mut tx = store.read().await?;
    let rows = if words.contains('@') {
        tx.users_with_address(&words, after, most).await?
    } else {
        tx.search_users(&words, after, most).await?
    };
    let cursor = rows.last().filter(|_| rows.len() == limit).map(|row| row.userid.clone());
    Ok(UserList { users: rows.into_iter().map(|row| line(vocabulary, row)).collect(), cursor })
}

/// Filters [`search_users`]: live users whose name would be refused at signup today. A page may be short although
/// more follow: the scan is bounded.
pub async fn search_refused_names(
    store: &Store,
    vocabulary: &Vocabulary,
    words: &str,
    after: &str,
    limit: usize,
) -> Result<UserList, ServiceError> {
    let mut list = UserList { users: Vec::new(), cursor: Some(after.to_owned()) };
    for _ in 0..PAGES_OF_A_LOOK {
        let page =
            search_users(store, vocabulary, words, list.cursor.as_deref().unwrap_or_default(), PAGE).await?;
        for user in page.users {
            if user.name_refused.is_none() || user.state == UserState::Deleted.as_str() {
                continue;
            }
            let userid = user.userid.clone();
            list.users.push(user);
            if list.users.len() >= limit {
                list.cursor = Some(userid);
                return Ok(list);
            }
        }
        list.cursor = page.cursor;
        if list.cursor.is_none() {
            break;
        }
    }
    Ok(list)
}

pub async fn view_user(app: &App, userid: &str) -> Result<WholeUser, ServiceError> {
    let mut tx = app.store.read().await?;
    let user = find_user(&mut tx, userid).await?;
    let addresses = bounces::list_addresses(&mut tx, user.id).await?;
    let active_boards = usize::try_from(tx.count_boards_in_play(user.id).await?).unwrap_or_default();
    let sessions = usize::try_from(tx.count_sessions_of(user.id).await?).unwrap_or_default();
    let tokens = tokens::count_tokens(&mut tx, app.clock.as_ref(), &app.secret, &user).await?;
    Ok(WholeUser { line: line(&app.vocabulary, user), addresses, active_boards, sessions, tokens })
}

pub async fn view_user_by_key(store: &Store, user: UserKey) -> Result<Option<PublicUser>, StoreError> {
    Ok(store.query().await?.user(user).await?.map(PublicUser::from))
}

pub async fn view_public_user(store: &Store, userid: &str) -> Result<PublicUser, ServiceError> {
    Ok(find_user(&mut store.read().await?, userid).await?.into())
}

fn line(vocabulary: &Vocabulary, row: UserRow) -> UserLine {
    let refused = Userid::choose(&row.userid, vocabulary).err().filter(|_| !row.is_computer_player());
    UserLine {
        name_refused: refused.map(|rule| rule.to_string()),
        userid: row.userid,
        role: row.role,
        state: row.state.as_str(),
        since: row.created_at.to_readable(),
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct UserWork {
    hash: Option<String>,
    addresses: Vec<Address>,
}

pub(crate) async fn prepare_edit(app: &App, userid: &str, edit: &UserEdit) -> Result<UserWork, ServiceError> {
    let (name, password, addresses) = match edit {
        UserEdit::Add { password, addresses } => (Some(userid), Some(password), addresses.as_slice()),
        UserEdit::Rename(name) => (Some(name.as_str()), None, &[][..]),
        UserEdit::Password(password) => (None, Some(password), &[][..]),
        _ => return Ok(UserWork::default()),
    };
    let password = password.map(|text| Password::choose(text)).transpose();
    let password = password.map_err(|rule| Refusal::new(Code::BadValue, rule.to_string()))?;
    let addresses = addresses.iter().map(|text| commands::players_address(&app.own, text));
    let addresses = addresses.collect::<Result<_, _>>()?;
    if let Some(name) = name {
        Userid::assign(name, &app.vocabulary)
            .map_err(|rule| Refusal::new(Code::BadValue, rule.to_string()))?;
    }
    let hash = match password {
        Some(password) => {
            let hash = app.credentials.hash(password.expose()).await;
            Some(hash.map_err(|error| Refusal::new(Code::Unavailable, error.to_string()))?)
        }
        None => None,
    };
    Ok(UserWork { hash, addresses })
}

/// Changes a user without a mail to them (left to the administrator); players of affected boards are mailed.
pub(crate) async fn apply(
    tx: &mut WriteTx,
    app: &App,
    userid: &str,
    edit: &UserEdit,
    work: &UserWork,
    now: Millis,
) -> Result<(), ServiceError> {
    if let UserEdit::Add { .. } = edit {
        let password_hash = work.hash.clone().unwrap_or_default();
        let new = NewUser { userid: userid.to_owned(), password_hash, at: now };
        let Some(key) = tx.insert_user(&new).await? else { return Err(taken(userid)) };
        for address in &work.addresses {
            tx.add_address(key, address, Some(now), now).await?;
        }
        return Ok(());
    }
    let user = find_user(tx, userid).await?;
    if user.state == UserState::Deleted {
        return Err(Refusal::new(Code::NoSuchUser, format!("{userid} was deleted")).into());
    }
    if user.is_computer_player() && !matches!(edit, UserEdit::Suspend | UserEdit::Lift) {
        let message = format!("{userid} is a computer player of this server: nobody logs in there");
        return Err(Refusal::new(Code::NotAllowed, message)
            .hint("`suspend` takes it out of play; `bots.enabled = false` takes all of them out.")
            .into());
    }
    match edit {
        UserEdit::Add { .. } => {}
        UserEdit::Password(_) => {
            tx.set_password_hash(user.id, work.hash.as_deref(), now).await?;
            tx.drop_reset(user.id).await?;
        }
        UserEdit::Role("admin") if user.is_bot() => {
            let message = format!("a program plays for {userid}: it cannot be an administrator");
            let hint = "`revoke` makes it the account of a person again.";
            return Err(Refusal::new(Code::NotAllowed, message).hint(hint).into());
        }
        UserEdit::Role(role) => tx.set_user_role(user.id, role).await?,
        UserEdit::Suspend => {
            tx.set_user_state(user.id, UserState::Suspended).await?;
            tx.leave_tournaments(user.id, LeaveReason::Suspended, now).await?;
            tx.drop_sessions_of(user.id).await?;
            webhooks::silence(tx, user.id, now).await?;
            tx.end_broadcasts(user.id, now).await?;
        }
        UserEdit::Lift => tx.set_user_state(user.id, UserState::Active).await?,
        UserEdit::Delete => account_deletion::leave(tx, app, &user, Remarks::Stay, now).await?,
        UserEdit::DeleteWithRemarks => {
            account_deletion::leave(tx, app, &user, Remarks::Removed, now).await?;
        }
        UserEdit::SendReset => resets::send(tx, app, &user, now).await?,
        UserEdit::DropAbout => tx.set_about(user.id, "", now).await?,
        UserEdit::LogOut => tx.drop_sessions_of(user.id).await?,
        UserEdit::RevokeTokens => tx.drop_tokens_of(user.id).await.map(drop)?,
        UserEdit::Rename(name) => rename(tx, &user, name, now).await?,
    }
    if matches!(edit, UserEdit::Suspend | UserEdit::Lift) {
        board_ratings::review_all_activity(tx, user.id, now).await?;
    }
    Ok(())
}

/// Renames the row, to which all data refers. A deleted user takes over the old name, so that nobody else
/// gets mail and moves meant for them.
async fn rename(tx: &mut WriteTx, user: &UserRow, name: &str, now: Millis) -> Result<(), ServiceError> {
    if tx.find_user(name).await?.is_some_and(|other| other.id != user.id) {
        return Err(taken(name));
    }
    tx.set_userid(user.id, name).await?;
    let left = NewUser { userid: user.userid.clone(), password_hash: String::new(), at: now };
    // Not taken if only the case changed.
    if let Some(left) = tx.insert_user(&left).await? {
        tx.set_password_hash(left, None, now).await?;
        tx.set_user_state(left, UserState::Deleted).await?;
    }
    Ok(())
}

fn taken(userid: &str) -> ServiceError {
    Refusal::new(Code::UseridTaken, format!("the userid `{userid}` is taken")).into()
}
