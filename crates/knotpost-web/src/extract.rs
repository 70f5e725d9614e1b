//! Extractors of request data. Invalid data is refused: with problem details on the API, with a page on pages.

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use serde::de::DeserializeOwned;

use super::Web;
use super::error::Problem;
use super::pages;
use knotpost_core::boards::{Code, Refusal};
use knotpost_model::BoardRef;

pub(super) struct ApiPath<T>(pub(super) T);

pub(super) struct ApiQuery<T>(pub(super) T);

pub(super) struct PagePath<T>(pub(super) T);

pub(super) struct PageQuery<T>(pub(super) T);

/// The board that an address names; it may not exist.
pub(super) fn board_name(game: &str, number: &str) -> Result<BoardRef, Refusal> {
    let game = game.to_lowercase();
    // No board has the number 0, and no command takes it.
    match number.parse() {
        Ok(number) if number > 0 => Ok(BoardRef { game, number }),
        _ => Err(Refusal::new(Code::NoSuchBoard, format!("there is no {game} board `{number}`"))),
    }
}

pub(super) struct RawBody(pub(super) Bytes);

impl<T: DeserializeOwned + Send> FromRequestParts<Web> for ApiPath<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, Problem> {
        let read = Path::<T>::from_request_parts(parts, web).await;
        read.map(|Path(read)| Self(read))
            .map_err(|_| Problem::not_found("there is nothing at this address of the API"))
    }
}

impl<T: DeserializeOwned + Send> FromRequestParts<Web> for ApiQuery<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, Problem> {
        let read = Query::<T>::from_request_parts(parts, web).await;
        read.map(|Query(read)| Self(read)).map_err(|error| Problem::new(Code::BadValue, error.body_text()))
    }
}

impl<T: DeserializeOwned + Send> FromRequestParts<Web> for PagePath<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, Response> {
        let read = Path::<T>::from_request_parts(parts, web).await;
        read.map(|Path(read)| Self(read)).map_err(|_| pages::not_found_page(web))
    }
}

impl<T: DeserializeOwned + Send> FromRequestParts<Web> for PageQuery<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, Response> {
        let read = Query::<T>::from_request_parts(parts, web).await;
        read.map(|Query(read)| Self(read)).map_err(|_| {
            web.pages.problem(Code::BadValue, "what stands behind the `?` of this address makes no sense")
        })
    }
}

impl FromRequest<Web> for RawBody {
    type Rejection = Problem;

    async fn from_request(request: Request, web: &Web) -> Result<Self, Problem> {
        match Bytes::from_request(request, web).await {
            Ok(bytes) => Ok(Self(bytes)),
            Err(error) if error.status() == StatusCode::PAYLOAD_TOO_LARGE => {
                Err(Problem::new(Code::TooLarge, "the request is larger than this server takes"))
            }
            Err(_) => Err(Problem::new(Code::WrongArguments, "the request ended in the middle")),
        }
    }
}
