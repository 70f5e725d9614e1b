//! The list of games, with a search, and the favourites among them.

use axum::Form;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Redirect, Response};
use knotpost_rules::{GameKind, Meta};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;

use super::join;
use crate::Web;
use crate::error::Failure;
use crate::extract::{PagePath, PageQuery};
use crate::session::{LoggedIn, no_store};
use knotpost_core::boards::{Code, Refusal, ServiceError};
use knotpost_core::identity::Visitor;
use knotpost_core::play::{set_favourite, view_favourites};
use knotpost_core::queries::GameView;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Search {
    /// Words of titles, other names, summaries and authors.
    q: String,
    kind: String,
}

impl Search {
    fn finds(&self, meta: &Meta) -> bool {
        let text = [meta.name, meta.title, meta.summary, meta.credit]
            .into_iter()
            .chain(meta.aliases.iter().copied());
        let text = text.collect::<Vec<_>>().join(" ").to_lowercase();
        let has_words = self.q.to_lowercase().split_whitespace().all(|word| text.contains(word));
        has_words && (self.kind.is_empty() || self.kind == meta.kind.word())
    }
}

pub(super) async fn list(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    PageQuery(search): PageQuery<Search>,
) -> Result<Response, Failure> {
    let visitor = visitor.as_deref();
    let favourites = favourites(&web, visitor).await?;
    let all = web.app.games.offered_by_kind();
    let kinds: Vec<&str> = all.iter().map(|(kind, _)| kind.word()).collect();
    let found = all.into_iter().map(|(kind, mut games)| {
        games.retain(|meta| search.finds(meta));
        (kind, games)
    });
    let found: Vec<Value> = facts(found, &favourites);
    let facts = context! { kinds, found, q => search.q, kind => search.kind };
    Ok(no_store(web.pages.page_for(visitor, StatusCode::OK, "games.html", facts)))
}

/// Kinds with their games, without kinds that have none.
pub(super) fn facts(
    kinds: impl IntoIterator<Item = (GameKind, Vec<&'static Meta>)>,
    favourites: &[String],
) -> Vec<Value> {
    let game = |meta: &&'static Meta| {
        let own = context! { is_favourite => favourites.iter().any(|name| name == meta.name) };
        join([own, Value::from(Serde(GameView::from(*meta)))])
    };
    let kinds = kinds.into_iter().filter(|(_, games)| !games.is_empty());
    kinds
        .map(|(kind, games)| context! { kind => kind.word(), games => games.iter().map(game).collect::<Vec<_>>() })
        .collect()
}

pub(super) async fn favourites(web: &Web, visitor: Option<&Visitor>) -> Result<Vec<String>, ServiceError> {
    match visitor {
        Some(visitor) => Ok(view_favourites(&web.app.store, visitor.user).await?),
        None => Ok(Vec::new()),
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Star {
    /// `on` or `off`.
    favourite: String,
}

pub(super) async fn star(
    State(web): State<Web>,
    visitor: LoggedIn,
    PagePath(name): PagePath<String>,
    Form(star): Form<Star>,
) -> Result<Redirect, Failure> {
    let Some(game) = web.app.games.find(&name) else {
        return Err(Refusal::new(Code::UnknownGame, format!("there is no game `{name}` here")).into());
    };
    let name = game.meta().name;
    set_favourite(&web.app, visitor.proven(), name, star.favourite == "on").await?;
    Ok(Redirect::to(&format!("/games#{name}")))
}
