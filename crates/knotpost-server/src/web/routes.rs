//! One table of every address of this server and who may go there. The router is built from it, so that there is no
//! address that is not in it; what is for administrators is guarded here and not by each handler.

use std::convert::Infallible;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;

use super::openapi::{self, Operation};
use super::{Web, admin, api, auth, client, commands, inbound, pages, router};
use crate::service::Scope;

/// Who may use an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Anybody; some show more to who is logged in.
    Public,
    /// Who has logged in or shows a password or a token.
    User,
    /// Who looks after the server. For all others the address does not exist.
    Admin,
    /// Programs on the same machine where it is reached from nowhere else, and administrators.
    Loopback,
    /// Administrators, and who has the key that the server printed at its start. For all others, and where mail leaves
    /// the machine, the address does not exist.
    Mailbox,
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
    /// What the description of the API says about it.
    pub(super) operation: Option<&'static Operation>,
}

impl Route {
    pub(super) const fn new(
        role: Role,
        method: &'static str,
        path: &'static str,
        handler: fn() -> MethodRouter<Web>,
    ) -> Self {
        Self { method, path, role, handler, operation: None }
    }

    /// The same, with what the description of the API says about it.
    pub(super) const fn described(self, operation: &'static Operation) -> Self {
        Self { operation: Some(operation), ..self }
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
            Role::Mailbox => handler
                .route_layer(middleware::from_fn_with_state::<_, Web, _>(web.clone(), pages::guard_mailbox)),
            // Their handlers ask who it is, and answer in their own way.
            Role::Public | Role::User | Role::Secret => handler,
        }
    }
}

/// Lets in programs on this machine, and administrators.
async fn only_local(State(web): State<Web>, request: Request, next: Next) -> Result<Response, Infallible> {
    let (parts, body) = request.into_parts();
    if !client::is_local(&parts, &web) {
        match auth::find(&parts, &web).await {
            Ok(Some(caller)) if caller.is_admin && caller.require(Scope::Admin).is_ok() => {}
            Ok(None) => {
                let text = "this is for administrators, for keys with the scope `admin`, and, where \
                            `server.public_url` is a loopback address, for programs on the same machine\n";
                return Ok((StatusCode::FORBIDDEN, text).into_response());
            }
            Ok(Some(_)) => {
                let text = "this needs the key of an administrator, with the scope `admin`\n";
                return Ok((StatusCode::FORBIDDEN, text).into_response());
            }
            Err(refused) => return Ok(refused),
        }
    }
    Ok(next.run(Request::from_parts(parts, body)).await)
}

/// Every address there is.
pub fn routes() -> impl Iterator<Item = &'static Route> {
    limited().chain(inbound::ROUTES).chain(router::WATCHING)
}

/// Those that one client may not ask too often.
pub(super) fn limited() -> impl Iterator<Item = &'static Route> {
    let api = commands::ROUTES.iter().chain(api::ROUTES).chain(openapi::ROUTES);
    api.chain(pages::ROUTES).chain(admin::ROUTES)
}
