//! Players: the standings of a game, and the page of a user.

mod against;

use axum::Form;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use knotpost_commands::{Command, Relating, read_word};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;

use super::board_actions::command;
use super::home::offered_games;
use super::{join, preview};
use crate::Web;
use crate::client::Client;
use crate::content::Content;
use crate::error::Failure;
use crate::extract::{PagePath, PageQuery};
use crate::session::{LoggedIn, url_encode};
use knotpost_core::boards::{Code, Refusal};
use knotpost_core::commands::view_standings;
use knotpost_core::identity::{view_players, view_profile};
use knotpost_core::queries::{
    BoardPage, BoardQuery, Related, view_boards, view_related, view_relation, view_zone,
};
use knotpost_core::replies::Reply;
use knotpost_core::tournaments::{TournamentQuery, view_tournaments};
use knotpost_model::{BoardKey, BoardState, Relation, TournamentState, Zone};

const BOARDS: i64 = 50;
const TOURNAMENTS: usize = 20;
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 170.0;
const LEFT: f64 = 50.0;

pub(super) async fn standings(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    PagePath(game): PagePath<String>,
) -> Result<Response, Failure> {
    let reply = view_standings(&web.app, &game.to_lowercase()).await?;
    let Reply::Standings { game, title, tables, seeks, .. } = reply else {
        return Err(Refusal::new(Code::UnknownGame, "there are no standings").into());
    };
    let facts = context! { game, title, tables => Serde(tables), seeks => Serde(seeks) };
    Ok(web.pages.page_for(visitor.as_deref(), StatusCode::OK, "standings.html", facts))
}

/// Players on a page of the list.
const PLAYERS: i64 = 50;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Search {
    /// Letters with which the names begin.
    q: String,
    after: String,
}

/// All players by name, and the way to the standings.
pub(super) async fn list(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    PageQuery(search): PageQuery<Search>,
) -> Result<Response, Failure> {
    let begin = search.q.trim();
    let page = view_players(&web.app, begin, search.after.trim(), PLAYERS).await?;
    let facts = context! {
        players => Serde(&page.players), next => page.next, q => begin, games => offered_games(&web),
    };
    Ok(web.pages.page_for(visitor.as_deref(), StatusCode::OK, "users.html", facts))
}

/// Changes with the program alone.
const EMBLEM_AGE: &str = "public, max-age=604800";

/// The picture of a user, made of the name alone.
pub(super) async fn emblem(PagePath(userid): PagePath<String>, headers: HeaderMap) -> Response {
    let drawing = knotpost_picture::emblem_svg(&userid.to_lowercase());
    let mut answer = Content::new("image/svg+xml", drawing).unless_known(&headers);
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(EMBLEM_AGE));
    answer
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Beginning {
    active: Option<i64>,
    over: Option<i64>,
    sent: String,
    against: String,
}

pub(super) async fn user(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    PagePath(userid): PagePath<String>,
    PageQuery(from): PageQuery<Beginning>,
) -> Result<Response, Failure> {
    let visitor = visitor.as_deref();
    let profile = view_profile(&web.app, &userid).await?;
    let query = |state, after: Option<i64>| BoardQuery {
        userid: Some(profile.userid.clone()),
        state: Some(state),
        after: after.map(BoardKey),
        limit: BOARDS,
        ..BoardQuery::default()
    };
    let active = view_boards(&web.app, query(BoardState::Active, from.active)).await?;
    let over = view_boards(&web.app, query(BoardState::Over, from.over)).await?;
    let against = against::facts(&web, from.against.trim(), visitor, &profile.userid).await?;
    let entered = TournamentQuery {
        userid: Some(profile.userid.clone()),
        states: TournamentState::ALL.to_vec(),
        ..TournamentQuery::default()
    };
    let entered = view_tournaments(&web.app, &entered, TOURNAMENTS).await?;
    let zone = match visitor {
        Some(visitor) => view_zone(&web.app.store, visitor).await?,
        None => Zone::utc(),
    };
    let sees_all = visitor.is_some_and(|visitor| visitor.userid == profile.userid);
    let (relation, related) = match visitor {
        Some(visitor) if sees_all => (None, view_related(&web.app, visitor.user).await?),
        Some(visitor) => (view_relation(&web.app, visitor.user, &profile.userid).await?, Related::default()),
        None => Default::default(),
    };
    let lines = |page: &BoardPage| -> Vec<Value> {
        let shown = page.boards.iter().filter(|board| sees_all || !board.summary.is_alone());
        shown.map(|board| Value::from(Serde(&board.line))).collect()
    };
    let own = context! {
        preview => preview::of_user(&web, &profile),
        zone => zone.name(),
        graphs => profile.ratings.iter().map(|game| graph(&game.curve)).collect::<Vec<_>>(),
        tournaments => Serde(&entered.tournaments),
        is_own => sees_all,
        habits => profile.habits.told(),
        relation => relation.map(Relation::as_str),
        blocked => related.blocked,
        followed => related.followed,
        is_sent => !from.sent.is_empty(),
        against,
        active => lines(&active),
        over => lines(&over),
        more_active => active.next.map(|key| key.0),
        more_over => over.next.map(|key| key.0),
    };
    let facts = join([own, Value::from(Serde(&profile))]);
    Ok(web.pages.page_for(visitor, StatusCode::OK, "user.html", facts))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct UserForm {
    /// `block`, `unblock`, `follow`, `unfollow`; `about` changes one's own words; anything else sends a message.
    act: String,
    comment: String,
}

/// The forms of a user's page: messages to them, and how one stands to them.
pub(super) async fn act(
    State(web): State<Web>,
    client: Client,
    LoggedIn(visitor): LoggedIn,
    PagePath(userid): PagePath<String>,
    Form(form): Form<UserForm>,
) -> Result<Response, Failure> {
    let name = read_word(&userid);
    let name = name.ok_or_else(|| Refusal::new(Code::NoSuchUser, "there is no such user"))?;
    let change = match form.act.as_str() {
        "block" => Some(Relating::Block),
        "unblock" => Some(Relating::Unblock),
        "follow" => Some(Relating::Follow),
        "unfollow" => Some(Relating::Unfollow),
        _ => None,
    };
    let (who, users) = (visitor.credentials(), vec![name]);
    let (wanted, sent) = match change {
        Some(change) => (Command::Relate { who, users, change }, ""),
        None if form.act == "about" => {
            (Command::About { who, is_removed: form.comment.trim().is_empty() }, "")
        }
        None => (Command::Message { who, to: users }, "?sent=yes"),
    };
    command(&web, client, &visitor, Ok(wanted), &form.comment).await?;
    Ok(Redirect::to(&format!("/users/{}{sent}", url_encode(&userid))).into_response())
}

/// Rows of a table of ratings.
const ROWS: usize = 20;

/// Points of the curve, heights of the grid, and the same in words and as a table; `None` with fewer than two ratings.
fn graph(curve: &[f64]) -> Option<Value> {
    let (lowest, highest) =
        curve.iter().fold((f64::MAX, f64::MIN), |(low, high), rating| (low.min(*rating), high.max(*rating)));
    if curve.len() < 2 {
        return None;
    }
    let (low, high) = ((lowest / 50.0).floor() * 50.0, ((highest / 50.0).floor() + 1.0) * 50.0);
    let y = |rating: f64| 10.0 + (high - rating) / (high - low) * (HEIGHT - 20.0);
    let step = (WIDTH - LEFT - 10.0) / (curve.len() - 1) as f64;
    let points = curve
        .iter()
        .enumerate()
        .map(|(place, rating)| format!("{:.1},{:.1}", LEFT + step * place as f64, y(*rating)));
    let lines = [low, low.midpoint(high), high].map(|rating| {
        context! { y => format!("{:.1}", y(rating)), label => format!("{rating:.0}") }
    });
    let (first, last) = (curve.first().copied()?, curve.last().copied()?);
    let told = format!("from {first:.0} to {last:.0}, highest {highest:.0}, lowest {lowest:.0}");
    let rows = curve.iter().enumerate().skip(curve.len().saturating_sub(ROWS)).map(|(place, rating)| {
        context! { place, rating => format!("{rating:.0}") }
    });
    Some(context! {
        points => points.collect::<Vec<_>>().join(" "),
        lines => lines.to_vec(),
        boards => curve.len() - 1,
        told,
        rows => rows.collect::<Vec<_>>(),
    })
}
