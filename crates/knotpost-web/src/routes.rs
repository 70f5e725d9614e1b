//! The table of all routes with their access rules. The router is built from it, so no route is missing; access to the
//! routes of administrators is checked here, not in each handler.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::handler::Handler;
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;

use super::openapi::{self, Operation};
use super::{Web, admin, api, auth, client, commands, inbound, pages, router};
use knotpost_core::identity::Scope;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Some routes show more to logged-in users.
    Public,
    User,
    /// For everyone else the route does not exist.
    Admin,
    /// Programs on the same machine, if the server is not reachable from elsewhere, and administrators.
    Loopback,
    /// Administrators, and holders of the key that the server printed at its start. For everyone else, and if mail is
    /// not captured, the route does not exist.
    Mailbox,
    Secret,
}

#[derive(Clone, Copy, Debug)]
pub struct Route {
    pub method: &'static str,
    pub path: &'static str,
    pub role: Role,
    handler: fn() -> MethodRouter<Web>,
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

    pub(super) const fn described(self, operation: &'static Operation) -> Self {
        Self { operation: Some(operation), ..self }
    }

    pub(super) fn handler(&self, web: &Web) -> MethodRouter<Web> {
        let handler = (self.handler)();
        match self.role {
            Role::Admin => handler
                .route_layer(middleware::from_fn_with_state::<_, Web, _>(web.clone(), admin::require_admin)),
            Role::Loopback => {
                handler.route_layer(middleware::from_fn_with_state::<_, Web, _>(web.clone(), only_local))
            }
            Role::Mailbox => handler.route_layer(middleware::from_fn_with_state::<_, Web, _>(
                web.clone(),
                pages::require_mailbox_key,
            )),
            // Their handlers authenticate the caller, because their refusals differ.
            Role::Public | Role::User | Role::Secret => handler,
        }
    }
}

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

pub fn routes() -> impl Iterator<Item = &'static Route> {
    limited().chain(inbound::ROUTES).chain(router::WATCHING)
}

pub(super) fn limited() -> impl Iterator<Item = &'static Route> {
    let api = commands::ROUTES.iter().chain(api::ROUTES).chain(openapi::ROUTES);
    api.chain(pages::ROUTES).chain(admin::ROUTES)
}

macro_rules! methods {
    ($($method:ident)*) => {$(
        pub(super) fn $method<H: Handler<T, Web>, T: 'static>(handler: H) -> MethodRouter<Web> {
            axum::routing::$method(BoxedHandler::new(handler))
        }
    )*};
}
methods!(get post put delete);

type Responding = Pin<Box<dyn Future<Output = Response> + Send>>;

/// One type for all handlers, so that what axum puts around a handler is compiled once and not for each: that halves the
/// time that this crate takes to compile.
#[derive(Clone)]
struct BoxedHandler(Arc<dyn Fn(Request, Web) -> Responding + Send + Sync>);

impl BoxedHandler {
    fn new<H: Handler<T, Web>, T: 'static>(handler: H) -> Self {
        Self(Arc::new(move |request, web: Web| {
            let answer = handler.clone().call(request, web.clone());
            Box::pin(async move { web.pages.explain(answer.await) })
        }))
    }
}

impl Handler<(), Web> for BoxedHandler {
    type Future = Responding;

    fn call(self, request: Request, web: Web) -> Responding {
        (self.0)(request, web)
    }
}
