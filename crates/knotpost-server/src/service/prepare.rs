//! The first step of a command: everything that takes long and needs no transaction. The line is parsed, what
//! is limited is counted, its password is checked, a new one is hashed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;
use knotpost_commands::{Command, Credentials, ParseError};
use serde::{Deserialize, Serialize};

use super::answering::{Answered, Answering, Standpoint, prepare_answer};
use super::limits::Asker;
use super::proving::{Patience, Place, Words, check_password};
use super::sessions::RECENT_MS;
use super::{HashError, Limited, Login, Rate, Refusal, queries};
use crate::app::App;
use crate::domain::{Address, Comment, Host, Millis, UserKey};
use crate::store::StoreError;

/// Shorter words are no passwords.
const SHORTEST_PASSWORD: usize = 6;

/// How a command came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// As a mail.
    Mail,
    /// Over HTTP.
    Http,
    /// From the operator's shell.
    Operator,
}

impl Channel {
    /// Its name in metrics.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::Http => "http",
            Self::Operator => "operator",
        }
    }
}

/// How the sender of a command proves who he is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Proof {
    /// By the password in the command.
    #[default]
    Password,
    /// He is logged in as this user: for him a masked password in the command is the right one.
    LoggedIn(ProvenUser),
}

/// A user who has proved who he is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenUser {
    /// The user.
    pub user: UserKey,
    /// His name.
    pub userid: String,
    /// The password hash that he had then. A command is refused when he has another one by then.
    pub hash: String,
    /// The key of the API that he showed. A command is refused when it has been revoked by then.
    pub key: Option<i64>,
    /// Digest of the session in which they are logged in. What gives power for longer is refused when it has ended by
    /// then.
    pub session: Option<String>,
    /// When they last gave their password; `None`: a key or a link stood for it.
    pub password_at: Option<Millis>,
}

/// Whether a password given then still stands for one that is asked for now.
pub fn gave_password_lately(password_at: Option<Millis>, now: Millis) -> bool {
    password_at.is_some_and(|at| now.0 - at.0 < RECENT_MS)
}

/// What somebody who is logged in must show beside, so that a browser found open does not give an account away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Demand {
    /// Nothing.
    Nothing,
    /// The password, now or a moment ago.
    Lately,
    /// The password, with the command itself.
    Typed,
}

/// The one list of what commands demand.
fn demand(command: &Command) -> Demand {
    match command {
        Command::ChangePassword { .. } | Command::Delete { .. } => Demand::Typed,
        // Where mail goes is where the next password goes.
        Command::Add { .. } | Command::ChangeAddress { .. } | Command::Signoff { .. } => Demand::Lately,
        Command::Help { .. }
        | Command::Signup { .. }
        | Command::List { .. }
        | Command::Message { .. }
        | Command::Broadcast { .. }
        | Command::Multiple
        | Command::AllShow { .. }
        | Command::AllGames { .. }
        | Command::PasswordReset { .. }
        | Command::Vacation { .. }
        | Command::Set { .. }
        | Command::TestDisplay { .. }
        | Command::Resend { .. }
        | Command::Challenge { .. }
        | Command::Move { .. }
        | Command::Queue { .. }
        | Command::Chat { .. }
        | Command::Submit { .. }
        | Command::Confirm { .. }
        | Command::Preview { .. }
        | Command::PreviewNew { .. }
        | Command::Accept { .. }
        | Command::Reject { .. }
        | Command::Limit { .. }
        | Command::Seek { .. }
        | Command::Subscribe { .. }
        | Command::Unsubscribe { .. }
        | Command::Notify { .. }
        | Command::ShowBoards { .. }
        | Command::ShowUsers { .. }
        | Command::ShowAs { .. }
        | Command::Games { .. }
        | Command::Standings { .. }
        | Command::History { .. }
        | Command::Export { .. } => Demand::Nothing,
    }
}

/// Where a command came from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// How.
    pub channel: Channel,
    /// The address of its sender, when it came by mail.
    pub sender: Option<Address>,
    /// Whom rates are counted for: an address or a network address.
    pub rate_key: String,
    /// The connecting host, behind proxies and relays that are known; `None`: it cannot be told, or there is none.
    pub host: Option<Host>,
    /// Whether the sender's domain vouches for the mail (aligned DKIM or SPF).
    pub aligned: bool,
    /// How he proves who he is.
    pub proof: Proof,
}

impl Origin {
    /// A request over HTTP.
    pub fn http(host: Host, proof: Proof) -> Self {
        let rate_key = host.to_string();
        Self { channel: Channel::Http, sender: None, rate_key, host: Some(host), aligned: false, proof }
    }

    /// A mail whose sender proves nothing but what the mail itself proves.
    pub fn mail(sender: Option<Address>, host: Option<Host>, aligned: bool) -> Self {
        let rate_key = sender.as_ref().map(Address::key).unwrap_or_default();
        Self { channel: Channel::Mail, sender, rate_key, host, aligned, proof: Proof::Password }
    }

    /// A command of whoever operates the server.
    pub fn operator() -> Self {
        Self {
            channel: Channel::Operator,
            sender: None,
            rate_key: "operator".to_owned(),
            host: None,
            aligned: false,
            proof: Proof::Password,
        }
    }
}

/// A command as it came.
#[derive(Clone, Debug)]
pub struct Request {
    /// The command line.
    pub line: String,
    /// The text that came with it.
    pub body: String,
    /// Where it came from.
    pub origin: Origin,
    /// What it would be as an answer to a board mail; where it is none, the line counts.
    pub answering: Option<Answering>,
}

/// A command whose slow parts are done.
#[derive(Debug)]
pub struct Prepared {
    /// The command line, its passwords masked.
    pub echo: String,
    pub(super) body: Comment,
    pub(super) origin: Origin,
    pub(super) command: Result<Command, ParseError>,
    pub(super) login: Login,
    /// Hash of a new password.
    pub(super) new_hash: Option<String>,
    pub(super) overloaded: bool,
    /// Users one of whom it comes from for certain, where no password is asked for.
    pub(super) proven: Vec<UserKey>,
    /// Whose shares it spends, where its rate is limited.
    pub(super) asker: Option<Asker>,
    /// It came too often.
    pub(super) limited: Option<Limited>,
    /// Whether it made what its rate counts, as far as the transaction goes that carried it out last.
    pub(super) made: AtomicBool,
    pub(super) lines: Vec<Prepared>,
    /// When it came as the answer to a board mail.
    pub(super) standpoint: Option<Standpoint>,
}

impl Prepared {
    /// Whether the command only looks, so that a snapshot suffices for it.
    pub fn is_query(&self) -> bool {
        if self.is_confirming() {
            return false;
        }
        match &self.command {
            Ok(Command::Multiple) => self.lines.iter().all(Self::is_query),
            Ok(command) => queries::is_query(command),
            Err(_) => true,
        }
    }

    /// Whether it only says something on a board.
    pub fn is_chat(&self) -> bool {
        matches!(self.command, Ok(Command::Chat { .. }))
    }

    /// Whether the line is a command at all.
    pub fn parses(&self) -> bool {
        self.command.is_ok()
    }

    /// Whether its password could not be checked because too many others wait.
    pub fn is_overloaded(&self) -> bool {
        self.overloaded || self.lines.iter().any(Self::is_overloaded)
    }

    /// Whether its sender's domain vouches for the mail that it came in.
    pub fn is_aligned(&self) -> bool {
        self.origin.aligned
    }

    /// The host that it came from, as far as that can be told.
    pub fn host(&self) -> Option<&Host> {
        self.origin.host.as_ref()
    }

    /// Whose keys it uses: two clients may choose the same key and must not meet in it.
    pub(super) fn key_scope(&self) -> String {
        match (&self.login, &self.command) {
            // Once it has been carried out, its name is somebody's.
            (_, Ok(Command::Signup { .. })) => format!("from {}", self.origin.rate_key),
            (Login::Known { user, .. }, _) => format!("user {}", user.0),
            _ => format!("from {}", self.origin.rate_key),
        }
    }

    /// The lines of a `multiple`, their passwords masked.
    pub fn line_echoes(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|line| line.echo.as_str())
    }

    /// The user it proved to come from.
    pub fn user(&self) -> Option<UserKey> {
        if self.is_foreign() {
            return None;
        }
        if let Some(pass) = self.pass() {
            return Some(pass.user.id);
        }
        match &self.login {
            Login::Known { user, .. } => Some(*user),
            _ => self.lines.iter().find_map(Self::user),
        }
    }

    /// Whether it names a user and proved to be him.
    pub fn is_authenticated(&self) -> bool {
        match &self.command {
            Ok(Command::Multiple) => self.lines.iter().any(Self::is_authenticated),
            _ => matches!(self.login, Login::Known { .. }),
        }
    }
}

/// Does everything slow: parses the line, checks the password, hashes a new one.
///
/// # Errors
/// When the database fails.
pub async fn prepare(app: &Arc<App>, request: Request) -> Result<Prepared, StoreError> {
    let Some(prepared) = prepare_line(app, request, Patience::Hash).await? else {
        return Err(StoreError::Closed);
    };
    Ok(prepared)
}

/// As [`prepare`], but `None` as soon as a password would have to be hashed.
///
/// # Errors
/// When the database fails.
pub async fn prepare_at_once(app: &Arc<App>, request: Request) -> Result<Option<Prepared>, StoreError> {
    let mut prepared = prepare_line(app, request, Patience::OnlyRemembered).await?;
    // Only now is it certain that this is not prepared again, with more patience.
    if let Some(prepared) = &mut prepared {
        count_all(app, prepared);
    }
    Ok(prepared)
}

fn count_all(app: &App, prepared: &mut Prepared) {
    count_rate(app, prepared);
    for line in &mut prepared.lines {
        count_rate(app, line);
    }
}

/// Counts a command that is limited by host, by sender and by what it is about. Here and not in the transaction,
/// which may be run more than once.
fn count_rate(app: &App, prepared: &mut Prepared) {
    prepared.asker = asker(prepared);
    prepared.limited = prepared.asker.as_ref().and_then(|asker| app.limits.ask(asker).err());
}

/// Whose shares a command spends; `None`: its rate is not limited, or it comes from who operates the server.
fn asker(prepared: &Prepared) -> Option<Asker> {
    let (command, origin) = (prepared.command.as_ref().ok()?, &prepared.origin);
    let user = match &prepared.login {
        Login::Known { user, .. } => Some(format!("user {}", user.0)),
        _ => None,
    };
    let (rate, name) = match command {
        Command::Signup { .. } => (Rate::Signup, None),
        Command::Challenge { .. } => (Rate::Challenge, None),
        Command::PasswordReset { userid } => (Rate::Reset, Some(format!("name {}", userid.to_lowercase()))),
        // Without the right password nothing is sent; the tries are counted elsewhere.
        Command::Message { .. } | Command::Broadcast { .. } if user.is_some() => (Rate::Message, None),
        Command::Chat { game, board, .. } => {
            (Rate::Chat, Some(format!("{} {} {board}", user.as_deref()?, game.to_lowercase())))
        }
        _ => return None,
    };
    let is_proven = user.is_some() || !prepared.proven.is_empty();
    let host = origin.host.map(|host| host.to_string());
    let (sender, host) = match origin.channel {
        Channel::Http => (user, host),
        // A provider's host hands in the mails of many: who is known is counted for themselves.
        Channel::Mail if is_proven => (user.or_else(|| Some(origin.rate_key.clone())), None),
        Channel::Mail => (Some(origin.rate_key.clone()), host),
        Channel::Operator => return None,
    };
    Some(Asker { rate, channel: origin.channel, sender, host, name, is_proven })
}

/// Users one of whom a command without a password comes from for certain: who is logged in, or who reads mail at the
/// address of a mail that its domain vouches for.
async fn find_proven(app: &App, prepared: &Prepared) -> Result<Vec<UserKey>, StoreError> {
    if !matches!(prepared.command, Ok(Command::Challenge { .. } | Command::PasswordReset { .. })) {
        return Ok(Vec::new());
    }
    if let Proof::LoggedIn(visitor) = &prepared.origin.proof {
        return Ok(vec![visitor.user]);
    }
    let Some(sender) = prepared.origin.sender.as_ref().filter(|_| prepared.origin.aligned) else {
        return Ok(Vec::new());
    };
    let readers = app.store.glance().await?.users_at(&sender.key()).await?;
    Ok(readers.into_iter().map(|reader| reader.id).collect())
}

/// Refuses a command that came too often.
pub(super) fn check_rate(prepared: &Prepared) -> Result<(), Refusal> {
    prepared.limited.as_ref().map_or(Ok(()), |limited| Err(limited.refusal()))
}

impl Prepared {
    /// Notes whether the command made what its rate counts. Each run of its transaction notes it anew.
    pub(super) fn set_made(&self, made: bool) {
        self.made.store(made, Ordering::Relaxed);
    }

    /// Does what follows from the commit of a command: what it made is counted for all together, and a password that
    /// no longer holds is forgotten.
    pub fn after_commit(&self, app: &App) {
        if let Some(asker) = self.asker.as_ref().filter(|_| self.made.swap(false, Ordering::Relaxed)) {
            app.limits.made(asker);
        }
        if let (Ok(Command::ChangePassword { .. } | Command::Delete { .. }), Login::Known { user, .. }) =
            (&self.command, &self.login)
        {
            app.credentials.forget(*user);
        }
        for line in &self.lines {
            line.after_commit(app);
        }
    }
}

fn prepare_line(
    app: &Arc<App>,
    request: Request,
    patience: Patience,
) -> BoxFuture<'_, Result<Option<Prepared>, StoreError>> {
    Box::pin(async move {
        let mut request = request;
        if let Some(answering) = request.answering.take() {
            match prepare_answer(app, &request.origin, answering).await? {
                Answered::Prepared(mut prepared) => {
                    if patience == Patience::Hash {
                        count_rate(app, &mut prepared);
                    }
                    return Ok(Some(*prepared));
                }
                Answered::Complete { line, body } => (request.line, request.body) = (line, body),
                Answered::Nothing => {}
            }
        }
        let command = knotpost_commands::parse(&request.line, &app.vocabulary);
        let mut prepared = Prepared {
            echo: knotpost_commands::mask(&request.line, &app.vocabulary),
            body: Comment::default(),
            origin: request.origin,
            command,
            login: Login::NotNeeded,
            new_hash: None,
            overloaded: false,
            proven: Vec::new(),
            asker: None,
            limited: None,
            made: AtomicBool::new(false),
            lines: Vec::new(),
            standpoint: None,
        };
        if matches!(prepared.command, Ok(Command::Multiple)) {
            return prepare_lines(app, prepared, &request.body, patience).await;
        }
        prepared.body = Comment::new(&request.body);
        redact_body(&mut prepared);
        prepared.proven = find_proven(app, &prepared).await?;
        let done = check_passwords(app, &mut prepared, patience).await?;
        let is_signup = matches!(prepared.command, Ok(Command::Signup { .. }));
        if done && patience == Patience::Hash && !is_signup {
            count_rate(app, &mut prepared);
        }
        if prepared.overloaded || !matches!(prepared.login, Login::NotNeeded | Login::Known { .. }) {
            // With userid and password exchanged the line looks like any other.
            prepared.echo = knotpost_commands::mask_cautiously(&request.line, &app.vocabulary);
        }
        Ok(done.then_some(prepared))
    })
}

/// A password that its owner repeats in the text must not be passed on with it.
fn redact_body(prepared: &mut Prepared) {
    let Ok(command) = &prepared.command else { return };
    let mut passwords: Vec<&str> = command.credentials().iter().map(|who| who.password.expose()).collect();
    match command {
        Command::ChangePassword { new, .. } => passwords.push(new.expose()),
        Command::Signup { who, .. } => passwords.push(who.password.expose()),
        _ => {}
    }
    for password in passwords.into_iter().filter(|password| password.len() >= SHORTEST_PASSWORD) {
        if prepared.body.contains(password) {
            prepared.body = Comment::new(&prepared.body.replace(password, knotpost_commands::MASK));
        }
    }
}

/// The lines of a `multiple` are commands of their own, without bodies; one inside another is none.
async fn prepare_lines(
    app: &Arc<App>,
    mut prepared: Prepared,
    body: &str,
    patience: Patience,
) -> Result<Option<Prepared>, StoreError> {
    let lines = match knotpost_commands::command_lines(body) {
        Ok(lines) => lines,
        Err(error) => {
            prepared.command = Err(error);
            return Ok(Some(prepared));
        }
    };
    for line in lines {
        let request = Request {
            line: line.to_owned(),
            body: String::new(),
            origin: prepared.origin.clone(),
            answering: None,
        };
        let Some(line) = prepare_line(app, request, patience).await? else { return Ok(None) };
        prepared.lines.push(line);
    }
    Ok(Some(prepared))
}

/// Who signs up: nobody yet, or, with the right password, the one who has the name already.
async fn check_signup(
    app: &Arc<App>,
    origin: &Origin,
    who: &Credentials,
) -> Result<Result<Login, HashError>, StoreError> {
    if app.store.glance().await?.find_user(&who.userid).await?.is_none() {
        return Ok(Ok(Login::NotNeeded));
    }
    let (place, given) = (Place::of(origin), (who.userid.as_str(), who.password.expose()));
    let tried =
        check_password(app, (&place, &Proof::Password), given, Words::Password, Patience::Hash).await?;
    Ok(tried.unwrap_or(Ok(Login::Wrong)))
}

/// `false` when a password would have to be hashed and must not be.
async fn check_passwords(
    app: &Arc<App>,
    prepared: &mut Prepared,
    patience: Patience,
) -> Result<bool, StoreError> {
    let Ok(command) = &prepared.command else { return Ok(true) };
    let new_password = match command {
        Command::Signup { who, .. } => Some(who.password.clone()),
        Command::ChangePassword { new, .. } => Some(new.clone()),
        _ => None,
    };
    if patience == Patience::OnlyRemembered && new_password.is_some() {
        return Ok(false);
    }
    let is_signup = matches!(command, Command::Signup { .. });
    if is_signup {
        count_rate(app, prepared);
        if prepared.limited.is_some() {
            return Ok(true);
        }
    }
    let Ok(command) = &prepared.command else { return Ok(true) };
    let login = match (command, command.credentials()) {
        (Command::Signup { who, .. }, _) => check_signup(app, &prepared.origin, who).await?,
        (_, None) => Ok(Login::NotNeeded),
        (_, Some(who)) => {
            let proof = match (demand(command), &prepared.origin.proof) {
                (Demand::Typed, _) => &Proof::Password,
                (Demand::Lately, Proof::LoggedIn(visitor))
                    if who.password.expose() == knotpost_commands::MASK
                        && !gave_password_lately(visitor.password_at, app.clock.now()) =>
                {
                    prepared.login = Login::Stale;
                    return Ok(true);
                }
                (_, proof) => proof,
            };
            let words = match (command, proof) {
                (Command::Move { .. }, Proof::Password) => Words::PasswordOfMove,
                (Command::ChangePassword { .. }, _) => Words::PasswordOrCode,
                _ => Words::Password,
            };
            let (place, given) = (Place::of(&prepared.origin), (who.userid.as_str(), who.password.expose()));
            match check_password(app, (&place, proof), given, words, patience).await? {
                Some(login) => login,
                None => return Ok(false),
            }
        }
    };
    let new_hash = match (&login, new_password) {
        (Ok(Login::NotNeeded), Some(password)) => {
            Some(app.credentials.hash_for(password.expose(), prepared.origin.host).await)
        }
        (Ok(Login::Known { .. }), Some(password)) if !is_signup => {
            Some(app.credentials.hash_for(password.expose(), prepared.origin.host).await)
        }
        _ => None,
    };
    match (login, new_hash.transpose()) {
        (Ok(login), Ok(new_hash)) => (prepared.login, prepared.new_hash) = (login, new_hash),
        (Err(error), _) | (_, Err(error)) => {
            tracing::warn!(%error, "a password could not be checked");
            prepared.overloaded = true;
        }
    }
    Ok(true)
}
