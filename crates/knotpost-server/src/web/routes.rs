//! One table of every address of this server and who may go there. The router is built from it, so that there is no
//! address that is not in it; what is for administrators is guarded here and not by each handler.

use std::convert::Infallible;

use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;

use super::{Web, admin, api, client, commands, inbound, pages, router};

/// Who may use an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Anybody; some show more to who is logged in.
    Public,
    /// Who has logged in or shows a password or a token.
    User,
    /// Who looks after the server. For all others the address does not exist.
    Admin,
    /// Programs on the same machine.
    Loopback,
    /// Who knows the secret of `inbound.secret`.
    Secret,
}

/// An address, asked in one way.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// The method: `GET`, `POST` or `DELETE`.
    pub method: &'static str,
    /// The path with its parameters in braces.
    pub path: &'static str,
    /// Who may.
    pub role: Role,
    handler: fn() -> MethodRouter<Web>,
}

impl Route {
    pub(super) const fn new(
        role: Role,
        method: &'static str,
        path: &'static str,
        handler: fn() -> MethodRouter<Web>,
    ) -> Self {
        Self { method, path, role, handler }
    }

    /// What answers there, behind its guard.
    pub(super) fn handler(&self, web: &Web) -> MethodRouter<Web> {
        let handler = (self.handler)();
        match self.role {
            Role::Admin => {
                handler.route_layer(middleware::from_fn_with_state::<_, Web, _>(web.clone(), admin::guard))
            }
            Role::Loopback => {
                handler.route_layer(middleware::from_fn_with_state::<_, Web, _>(web.clone(), only_local))
            }
            // Their handlers ask who it is, and answer in their own way.
            Role::Public | Role::User | Role::Secret => handler,
        }
    }
}

async fn only_local(State(_): State<Web>, request: Request, next: Next) -> Result<Response, Infallible> {
    let (parts, body) = request.into_parts();
    if !client::is_local(&parts) {
        let text = "this is for programs on the same machine only\n";
        return Ok((axum::http::StatusCode::FORBIDDEN, text).into_response());
    }
    Ok(next.run(Request::from_parts(parts, body)).await)
}

/// Every address there is.
pub fn routes() -> impl Iterator<Item = &'static Route> {
    limited().chain(inbound::ROUTES).chain(router::WATCHING)
}

/// Those that one client may not ask too often.
pub(super) fn limited() -> impl Iterator<Item = &'static Route> {
    commands::ROUTES.iter().chain(pages::ROUTES).chain(api::ROUTES).chain(admin::ROUTES)
}
