//! Invitations by link: the first logged-in user to open it plays. Both have agreed, so nobody can decline.

use crate::config::Config;
use knotpost_platform::clock::Clock;
use knotpost_platform::secret::KeyRing;
use std::sync::Arc;

use knotpost_commands::GivenOption;

use crate::app::App;
use crate::boards::board::parse_options;
use crate::boards::{Code, Refusal, ServiceError, find_offered_game};
use crate::identity::ProvenUser;
use crate::identity::authentication::check_proven;
use crate::identity::presence::{Absence, find_rest};
use crate::play::boards::game_options;
use crate::play::challenge::{Cause, Opening, Terms, start};
use crate::play::notifications::notify_readers;
use crate::play::opponents::{Readiness, SEATS, readiness};
use knotpost_model::{BoardRef, Millis, Moment, Rate, UserKey};
use knotpost_storage::{
    InvitationRow, NewInvitation, ReadTx, Store, StoreError, UserRow, UserState, WriteTx,
};

const MOST: usize = 20;
pub const INVITATION_DAYS: i64 = 14;
const DAY_MS: i64 = 86_400_000;
const SIGNATURE: usize = 20;

#[derive(Clone, Debug)]
pub struct InvitationWish {
    pub game: String,
    pub options: Vec<GivenOption>,
    /// True if it counts for the ratings.
    pub rated: bool,
    pub begins: bool,
}

#[derive(Clone, Debug, serde::Serialize)]
pub struct Invitation {
    pub id: i64,
    /// Secret in the URL.
    pub token: String,
    pub userid: String,
    pub game: String,
    pub title: &'static str,
    /// Options as typed, `--unrated` included.
    pub terms: String,
    pub begins: bool,
    pub expires_at: Moment,
}

fn signed(row: &InvitationRow) -> [[u8; 8]; 2] {
    [row.id.to_be_bytes(), row.created_at.0.to_be_bytes()]
}

/// Row number and signature: stored data alone opens no invitation.
fn token(secret: &KeyRing, row: &InvitationRow) -> String {
    let [id, made] = signed(row);
    format!("{}-{}", row.id, secret.sign(&[b"invitation", &id, &made]).to_text(SIGNATURE))
}

async fn read(
    tx: &mut ReadTx,
    app: &App,
    shown: &str,
    now: Millis,
) -> Result<Option<InvitationRow>, StoreError> {
    let Some((id, signature)) = shown.split_once('-') else { return Ok(None) };
    let Ok(id) = id.parse() else { return Ok(None) };
    let row = tx.invitation(id).await?.filter(|row| row.expires_at > now);
    Ok(row.filter(|row| {
        let [id, made] = signed(row);
        app.secret.is_signed_text(&[b"invitation", &id, &made], SIGNATURE, signature)
    }))
}

fn view(app: &App, row: &InvitationRow, userid: &str) -> Option<Invitation> {
    let title = app.games.find(&row.game)?.meta().title;
    let unrated = if row.rated { "" } else { " --unrated" };
    Some(Invitation {
        id: row.id,
        token: token(&app.secret, row),
        userid: userid.to_owned(),
        game: row.game.clone(),
        title,
        terms: format!("{}{unrated}", row.options).trim().to_owned(),
        begins: row.begins,
        expires_at: row.expires_at.into(),
    })
}

fn gone() -> Refusal {
    let words = "this invitation is over: somebody took it, it was withdrawn, or it is too old";
    Refusal::new(Code::NotAllowed, words)
}

pub async fn make_invitation(
    app: &Arc<App>,
    proven: ProvenUser,
    wish: InvitationWish,
) -> Result<(), ServiceError> {
    let game = find_offered_game(&app.games, &wish.game)?;
    let options = game_options(game, &wish.options, SEATS)?;
    let key = format!("invitation {}", proven.user.0);
    app.limits.admit(Rate::Challenge, &key, "that were many invitations; try again later")?;
    let now = app.clock.now();
    let new = NewInvitation {
        user: proven.user,
        game: game.meta().name.to_owned(),
        options: options.to_string(),
        rated: wish.rated,
        begins: wish.begins,
        expires_at: now.plus(INVITATION_DAYS * DAY_MS),
    };
    let made = app.store.write(async move |tx| {
        check_proven(tx, &proven).await?;
        if tx.invitations_of(proven.user, now).await?.len() >= MOST {
            let words = format!("{MOST} open invitations are enough; withdraw one first");
            return Err(Refusal::new(Code::NotAllowed, words).into());
        }
        Ok(tx.insert_invitation(&new, now).await?)
    });
    made.await
}

/// Oldest first.
pub async fn view_own_invitations(
    app: &App,
    user: UserKey,
    userid: &str,
) -> Result<Vec<Invitation>, StoreError> {
    let rows = app.store.read().await?.invitations_of(user, app.clock.now()).await?;
    Ok(rows.iter().filter_map(|row| view(app, row, userid)).collect())
}

/// `None`: invalid, expired or used.
pub async fn view_invitation(app: &App, token: &str) -> Result<Option<Invitation>, StoreError> {
    let mut tx = app.store.read().await?;
    let Some(row) = read(&mut tx, app, token, app.clock.now()).await? else { return Ok(None) };
    let host = tx.user(row.user_id).await?.filter(|host| host.state == UserState::Active);
    Ok(host.and_then(|host| view(app, &row, &host.userid)))
}

pub async fn withdraw_invitation(store: &Store, user: UserKey, id: i64) -> Result<(), ServiceError> {
    if store.write(async move |tx| tx.drop_invitation(user, id).await).await? {
        return Ok(());
    }
    Err(gone().into())
}

/// Starts the board of an invitation. It works once; refused if one of the two cannot play now.
pub async fn accept_invitation(
    app: &Arc<App>,
    proven: ProvenUser,
    token: &str,
) -> Result<BoardRef, ServiceError> {
    let token = token.to_owned();
    let board = app.write(async move |tx, app| begin(tx, app, &proven, &token).await).await?;
    app.signals.outbox.notify_one();
    Ok(board)
}

async fn begin(
    tx: &mut WriteTx,
    app: &App,
    proven: &ProvenUser,
    token: &str,
) -> Result<BoardRef, ServiceError> {
    let now = app.clock.now();
    let guest = check_proven(tx, proven).await?;
    let Some(row) = read(tx, app, token, now).await? else { return Err(gone().into()) };
    if row.user_id == guest.id {
        let words = "this is your own invitation: give the link to somebody else";
        return Err(Refusal::new(Code::NotAllowed, words).into());
    }
    let Some(host) = tx.user(row.user_id).await? else { return Err(gone().into()) };
    let game = find_offered_game(&app.games, &row.game)?;
    for (user, other) in [(&host, &guest), (&guest, &host)] {
        check_ready(tx, app.clock.as_ref(), &app.config, &row.game, user, other.id).await?;
    }
    if !tx.drop_invitation(host.id, row.id).await? {
        return Err(gone().into());
    }
    let options = parse_options(game, &row.options, SEATS).map_err(StoreError::Corrupt)?;
    let by = host.userid.clone();
    let players = if row.begins { [host, guest] } else { [guest, host] };
    let terms = Terms { rated: row.rated, nag_ms: None, forfeit_ms: None, total_ms: None };
    let opening = Opening { terms, cause: Cause::Challenge(Some(by)), comment: "" };
    let (board, facts) = start(tx, app, game, &options, &players, opening, now).await?;
    notify_readers(tx, app, &board, facts, now).await?;
    Ok(board.name())
}

async fn check_ready(
    tx: &mut WriteTx,
    clock: &dyn Clock,
    config: &Config,
    game: &str,
    user: &UserRow,
    other: UserKey,
) -> Result<(), ServiceError> {
    let rest = find_rest(tx, clock, config, user.id).await?;
    if let Some(away @ Absence::Away(_)) = rest {
        let words = format!("the invitation stays open: {}", away.about(&user.userid).trim_end_matches('.'));
        return Err(Refusal::new(Code::InvalidChallenge, words).into());
    }
    let why = match readiness(tx, config, game, user, &[other]).await? {
        Readiness::Ready => return Ok(()),
        Readiness::Absent(_) => "cannot play now",
        Readiness::Unwilling => "takes no challenges of this game now",
        Readiness::AtLimit => "plays as many boards of this game as they want to",
    };
    let words = format!("{} {why}; the invitation stays open", user.userid);
    Err(Refusal::new(Code::InvalidChallenge, words).into())
}
