//! Results of two users against each other.

use axum::Json;
use axum::extract::State;

use crate::Web;
use crate::error::Problem;
use crate::extract::ApiPath;
use crate::openapi::{Operation, Tag};
use knotpost_core::boards::Code;
use knotpost_core::queries::{HeadToHead, view_head_to_head};

pub(super) const SHOW: Operation =
    Operation::new("show_head_to_head", Tag::Users, "Two users against each other")
        .details("Of the latest 5000 boards of each, those that both are on.")
        .gives::<HeadToHead>("How they stand, and the boards between them.")
        .refuses(&[Code::NoSuchUser, Code::BadValue]);

pub(super) async fn show(
    State(web): State<Web>,
    ApiPath((userid, other)): ApiPath<(String, String)>,
) -> Result<Json<HeadToHead>, Problem> {
    Ok(Json(view_head_to_head(&web.app, &userid, &other).await?))
}
