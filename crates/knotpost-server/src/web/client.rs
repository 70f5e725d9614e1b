//! Who is asking: the network address of a client, behind trusted proxies too.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::Web;
use super::error::Problem;
use crate::domain::{Host, Networks};
use crate::service::{Code, Rate};

/// The client's network address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Client(pub(super) IpAddr);

impl Client {
    /// The key its rates are counted under: a whole /64 of IPv6 is one client.
    pub(super) fn rate_key(self) -> String {
        self.host().to_string()
    }

    /// As whom it counts.
    pub(super) fn host(self) -> Host {
        Host::of(self.0)
    }
}

impl FromRequestParts<Web> for Client {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, Self::Rejection> {
        Ok(of(parts, &web.app.config.http.trusted_proxies))
    }
}

pub(super) fn of(parts: &Parts, trusted: &Networks) -> Client {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    let peer = peer.unwrap_or(IpAddr::from([127, 0, 0, 1]));
    let is_trusted = |address: IpAddr| trusted.contain(address);
    if !is_trusted(peer) {
        return Client(peer);
    }
    // The rightmost address that is not one of our proxies: those left of it are anybody's claim.
    let forwarded = parts.headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
    let chain: Vec<IpAddr> =
        forwarded.flat_map(|line| line.split(',')).filter_map(|a| a.trim().parse().ok()).collect();
    Client(chain.into_iter().rev().find(|address| !is_trusted(*address)).unwrap_or(peer))
}

/// Whether the request comes from this machine itself, not through a proxy on it.
pub(super) fn is_local(parts: &Parts) -> bool {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    let forwarded =
        ["x-forwarded-for", "forwarded", "x-real-ip"].iter().any(|name| parts.headers.contains_key(*name));
    peer.is_some_and(|peer| peer.is_loopback()) && !forwarded
}

/// Turns away clients that ask too often.
pub(super) async fn limit_rate(State(web): State<Web>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let client = of(&parts, &web.app.config.http.trusted_proxies);
    if let Err(seconds) = web.app.limits.count(Rate::Http, &client.rate_key()) {
        let mut problem = Problem::new(Code::RateLimited, "too many requests; try again later");
        problem.retry_after = Some(seconds);
        return problem.into_response();
    }
    next.run(Request::from_parts(parts, body)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(peer: [u8; 4], forwarded: &str) -> Parts {
        let request =
            axum::http::Request::builder().header("x-forwarded-for", forwarded).body(()).expect("a request");
        let mut parts = request.into_parts().0;
        parts.extensions.insert(ConnectInfo(SocketAddr::from((peer, 1))));
        parts
    }

    #[test]
    fn only_trusted_proxies_speak_for_others() {
        let trusted = Networks::try_from(vec!["10.0.0.1".to_owned()]).expect("an address");
        assert_eq!(of(&parts([192, 0, 2, 9], "203.0.113.5"), &trusted), Client(IpAddr::from([192, 0, 2, 9])));
        assert_eq!(
            of(&parts([10, 0, 0, 1], "198.51.100.1, 203.0.113.5"), &trusted),
            Client(IpAddr::from([203, 0, 113, 5]))
        );
        assert_eq!(of(&parts([10, 0, 0, 1], "nonsense"), &trusted), Client(IpAddr::from([10, 0, 0, 1])));
    }
}
