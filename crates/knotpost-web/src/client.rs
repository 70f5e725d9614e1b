//! The network address of a client, behind trusted proxies too, and the check for this machine.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, Version, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::Web;
use super::error::Problem;
use knotpost_core::boards::Code;
use knotpost_model::{Host, Networks, Rate};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Client(pub(super) IpAddr);

impl Client {
    /// A /64 of IPv6 is one client.
    pub(super) fn rate_key(self) -> String {
        self.host().to_string()
    }

    pub(super) fn host(self) -> Host {
        Host::of(self.0)
    }

    /// Counts a request against the client's rate limit.
    pub(super) fn count(self, web: &Web) -> Result<(), Problem> {
        let refused = |seconds| {
            Problem::new(Code::RateLimited, "too many requests; try again later").retry_after(seconds)
        };
        web.app.limits.count(Rate::Http, &self.rate_key()).map_err(refused)
    }
}

impl FromRequestParts<Web> for Client {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, Self::Rejection> {
        Ok(of(parts, &web.app.config.http.trusted_proxies))
    }
}

/// Maps IPv4 clients of a dual-stack listener (`::ffff:192.0.2.1`) to IPv4; nothing else may read the address.
pub(super) fn peer(parts: &Parts) -> Option<IpAddr> {
    parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip().to_canonical())
}

pub(super) fn of(parts: &Parts, trusted: &Networks) -> Client {
    // A request without a connection comes from this process.
    let peer = peer(parts).unwrap_or(IpAddr::from([127, 0, 0, 1]));
    if !trusted.contain(peer) {
        return Client(peer);
    }
    let lines = parts.headers.get_all("x-forwarded-for").iter();
    let hops: Vec<&[u8]> = lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b',')).collect();
    // From the right: each trusted proxy names its client, which may be a trusted proxy too. Entries beyond the first
    // untrusted address may be forged.
    let mut client = peer;
    for hop in hops.into_iter().rev() {
        let Some(address) = read_hop(hop) else { break };
        client = address;
        if !trusted.contain(address) {
            break;
        }
    }
    Client(client)
}

/// Parses an entry of `X-Forwarded-For`: an address; some proxies add the port. IPv6 may be in brackets, and is before
/// a port.
fn read_hop(hop: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(hop).ok()?.trim();
    let bare = || text.parse::<IpAddr>().ok();
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    let bracketed =
        || text.strip_prefix('[')?.strip_suffix(']')?.parse::<IpAddr>().ok().filter(IpAddr::is_ipv6);
    bare().or_else(with_port).or_else(bracketed).map(|address| address.to_canonical())
}

/// Headers that proxies, load balancers and CDNs add to a request.
const FORWARDING: &[&str] = &[
    "forwarded",
    "via",
    "cdn-loop",
    "cf-connecting-ip",
    "cf-connecting-ipv6",
    "cf-pseudo-ipv4",
    "cf-ray",
    "client-ip",
    "do-connecting-ip",
    "fastly-client-ip",
    "fly-client-ip",
    "incap-client-ip",
    "proxy-client-ip",
    "remote-addr",
    "true-client-ip",
    "wl-proxy-client-ip",
    "x-amzn-trace-id",
    "x-appengine-user-ip",
    "x-arr-log-id",
    "x-azure-clientip",
    "x-azure-socketip",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-envoy-external-address",
    "x-host",
    "x-nf-client-connection-ip",
    "x-proxyuser-ip",
    "x-real-ip",
    "x-remote-addr",
    "x-remote-ip",
    "x-scheme",
    "x-sucuri-clientip",
];
const FORWARDING_FAMILIES: &[&str] = &["x-forwarded", "x-original-", "x-proxy-", "x-varnish"];

fn is_forwarding(name: &HeaderName) -> bool {
    let name = name.as_str();
    FORWARDING.contains(&name) || FORWARDING_FAMILIES.iter().any(|family| name.starts_with(family))
}

/// True for a client on this machine that is no proxy: a connection from loopback, to a loopback name (a foreign site
/// whose name resolves to loopback sends its own name), without headers of a proxy.
///
/// A proxy in its simplest configuration adds no header. Therefore no client is local on a server whose `public_url`
/// is not on loopback.
pub(super) fn is_local(parts: &Parts, web: &Web) -> bool {
    let own = host_of_url(&web.app.config.server.public_url);
    own.is_some_and(|own| is_loopback_name(&own))
        && peer(parts).is_some_and(|peer| peer.is_loopback())
        && asks_by_loopback_name(parts)
        && parts.version >= Version::HTTP_11
        && !parts.headers.keys().any(is_forwarding)
}

pub(super) fn asks_by_loopback_name(parts: &Parts) -> bool {
    let asked = parts.headers.get(header::HOST).and_then(|host| host.to_str().ok());
    asked.is_some_and(|asked| is_loopback_name(host_name(asked)))
}

fn host_of_url(url: &str) -> Option<String> {
    url::Url::parse(url).ok()?.host_str().map(str::to_owned)
}

fn is_loopback_name(name: &str) -> bool {
    let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

fn host_name(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

pub(super) async fn limit_rate(State(web): State<Web>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let client = of(&parts, &web.app.config.http.trusted_proxies);
    if let Err(refused) = client.count(&web) {
        return refused.into_response();
    }
    next.run(Request::from_parts(parts, body)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(peer: &str, forwarded: &[&str]) -> Parts {
        let mut request = axum::http::Request::builder();
        for line in forwarded {
            request = request.header("x-forwarded-for", *line);
        }
        let mut parts = request.body(()).expect("a request").into_parts().0;
        let peer: IpAddr = peer.parse().expect("an address");
        parts.extensions.insert(ConnectInfo(SocketAddr::from((peer, 1))));
        parts
    }

    fn client(peer: &str, forwarded: &[&str]) -> String {
        let trusted = Networks::try_from(vec!["127.0.0.1".to_owned(), "10.0.0.0/8".to_owned()]);
        of(&parts(peer, forwarded), &trusted.expect("networks")).0.to_string()
    }

    #[test]
    fn only_trusted_proxies_speak_for_others() {
        assert_eq!(client("192.0.2.9", &["203.0.113.5"]), "192.0.2.9");
        assert_eq!(client("10.0.0.1", &["198.51.100.1, 203.0.113.5"]), "203.0.113.5");
        assert_eq!(client("10.0.0.1", &["198.51.100.1", "203.0.113.5, 10.2.2.2"]), "203.0.113.5");
        assert_eq!(client("::ffff:10.0.0.1", &["203.0.113.5"]), "203.0.113.5");
        assert_eq!(client("::ffff:192.0.2.9", &["203.0.113.5"]), "192.0.2.9");
        assert_eq!(client("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(client("10.0.0.1", &["10.3.3.3, 10.2.2.2"]), "10.3.3.3", "a proxy asks by itself");
    }

    #[test]
    fn entries_may_have_ports_and_brackets() {
        for (entry, expected) in [
            ("203.0.113.11:4711", "203.0.113.11"),
            ("[2001:db8::7]:4711", "2001:db8::7"),
            ("[2001:db8::7]", "2001:db8::7"),
            ("2001:db8::7", "2001:db8::7"),
            ("::ffff:203.0.113.11", "203.0.113.11"),
            ("[::ffff:203.0.113.11]:80", "203.0.113.11"),
        ] {
            assert_eq!(client("127.0.0.1", &[&format!("198.51.100.1, {entry}")]), expected, "{entry}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_never_skipped_to_the_left() {
        for entry in [
            "unknown",
            "",
            "203.0.113.11:99999",
            "203.0.113",
            "_hidden",
            "[203.0.113.11]",
            "[::1",
            "fe80::1%eth0",
            "é",
        ] {
            assert_eq!(client("127.0.0.1", &[&format!("198.51.100.1, {entry}")]), "127.0.0.1", "{entry:?}");
            let forged = format!("198.51.100.1, {entry}, 10.2.2.2");
            assert_eq!(client("127.0.0.1", &[&forged]), "10.2.2.2", "{entry:?}");
        }
    }

    #[test]
    fn names_of_loopback_are_known() {
        for name in ["localhost", "LOCALHOST:8080", "127.0.0.1:8080", "127.8.9.1", "[::1]", "[::1]:8080"] {
            assert!(is_loopback_name(host_name(name)), "{name}");
        }
        for name in ["games.example", "localhost.example:8080", "128.0.0.1", "[::2]", "", ":80"] {
            assert!(!is_loopback_name(host_name(name)), "{name}");
        }
        assert_eq!(host_of_url("http://[::1]:8080/x").as_deref(), Some("[::1]"));
    }

    #[test]
    fn proxies_leave_traces() {
        for name in
            ["via", "x-forwarded-host", "x-forwarded-proto", "x-original-url", "true-client-ip", "x-real-ip"]
        {
            assert!(is_forwarding(&HeaderName::from_static(name)), "{name}");
        }
        assert!(!is_forwarding(&header::HOST) && !is_forwarding(&header::ACCEPT));
    }
}
