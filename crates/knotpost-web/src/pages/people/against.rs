//! Two users against each other, on the page of one of them.

use minijinja::value::Serde;
use minijinja::{Value, context};

use crate::Web;
use crate::pages::join;
use knotpost_core::boards::ServiceError;
use knotpost_core::identity::Visitor;
use knotpost_core::queries::{GameScore, ListedBoard, view_head_to_head};

/// Compares the user of the page with `named`, or else the visitor; `None` on one's own page.
pub(super) async fn facts(
    web: &Web,
    named: &str,
    visitor: Option<&Visitor>,
    userid: &str,
) -> Result<Option<Value>, ServiceError> {
    let one = match (named, visitor) {
        ("", None) => return Ok(None),
        ("", Some(visitor)) => visitor.userid.as_str(),
        (named, _) => named,
    };
    if one.eq_ignore_ascii_case(userid) {
        return Ok(None);
    }
    let found = view_head_to_head(&web.app, one, userid).await?;
    let score = |game: &GameScore| join([context! { title => game.title.clone() }, Value::from(Serde(game))]);
    let lines = |boards: &[ListedBoard]| -> Vec<Value> {
        boards.iter().map(|board| Value::from(Serde(&board.line))).collect()
    };
    Ok(Some(context! {
        is_you => visitor.is_some_and(|visitor| visitor.userid == found.userid),
        userid => found.userid,
        games => found.games.iter().map(score).collect::<Vec<_>>(),
        playing => found.playing,
        active => lines(&found.active),
        over => lines(&found.over),
    }))
}
