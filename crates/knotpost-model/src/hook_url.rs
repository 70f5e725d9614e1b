//! URLs of webhooks: absolute, and safe to be requested.

use std::fmt;
use std::net::IpAddr;

use url::{Host, Url};

use super::Reach;

const LONGEST: usize = 1000;
/// First unprivileged port; below it only 80 and 443 are allowed.
const FIRST_FREE_PORT: u16 = 1024;

#[derive(Clone, PartialEq, Eq)]
pub struct HookUrl(Url);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HookUrlError {
    #[error("a webhook needs a whole web address such as https://example.org/knotpost")]
    Malformed,
    #[error("the address of a webhook has at most {LONGEST} characters")]
    TooLong,
    #[error("a webhook needs an address that begins with https://")]
    Insecure,
    /// With user name or password.
    #[error("the address of a webhook holds no user name and no password")]
    Userinfo,
    /// A privileged port other than the web's.
    #[error("a webhook listens on port 443, or on one from {FIRST_FREE_PORT} up")]
    Port,
    #[error("that address is not on the public internet")]
    NotPublic,
}

impl HookUrl {
    /// Parses a URL without resolving its host.
    pub fn parse(text: &str, reach: Reach) -> Result<Self, HookUrlError> {
        let text = text.trim();
        if text.len() > LONGEST {
            return Err(HookUrlError::TooLong);
        }
        // The parser would drop tabs and line ends silently.
        if text.chars().any(|sign| sign.is_control() || sign.is_whitespace()) {
            return Err(HookUrlError::Malformed);
        }
        let mut url = Url::parse(text).map_err(|_| HookUrlError::Malformed)?;
        match url.scheme() {
            "https" => {}
            "http" if reach == Reach::Anywhere => {}
            "http" => return Err(HookUrlError::Insecure),
            _ => return Err(HookUrlError::Malformed),
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(HookUrlError::Malformed);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(HookUrlError::Userinfo);
        }
        // Fragments are never sent.
        url.set_fragment(None);
        let hook = Self(url);
        if hook.port() < FIRST_FREE_PORT && hook.port() != if hook.is_secure() { 443 } else { 80 } {
            return Err(HookUrlError::Port);
        }
        if hook.address().is_some_and(|address| !reach.covers(address)) {
            return Err(HookUrlError::NotPublic);
        }
        Ok(hook)
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    pub fn is_secure(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Host in ASCII; IPv6 without brackets.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']')
    }

    /// Host, if it is an IP address.
    pub fn address(&self) -> Option<IpAddr> {
        match self.0.host()? {
            Host::Domain(_) => None,
            Host::Ipv4(four) => Some(four.into()),
            Host::Ipv6(six) => Some(six.into()),
        }
    }

    pub fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or(443)
    }

    /// `Host` header: without the default port.
    pub fn authority(&self) -> String {
        let host = self.0.host_str().unwrap_or_default();
        self.0.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    pub fn target(&self) -> String {
        let path = self.0.path();
        self.0.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"))
    }

    /// Scheme, host and port; the rest can be a secret.
    pub fn origin(&self) -> String {
        format!("{}://{}", self.0.scheme(), self.authority())
    }
}

impl fmt::Debug for HookUrl {
    /// Omits the path, which can be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.origin())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn addresses_are_taken_apart() {
        let hook = HookUrl::parse(" https://Hooks.Example.org/knot?to=ann#x ", Reach::Public).unwrap();
        assert_eq!(hook.as_str(), "https://hooks.example.org/knot?to=ann");
        assert_eq!((hook.host(), hook.port(), hook.is_secure()), ("hooks.example.org", 443, true));
        assert_eq!(
            (hook.authority().as_str(), hook.target().as_str()),
            ("hooks.example.org", "/knot?to=ann")
        );
        assert_eq!(format!("{hook:?}"), "https://hooks.example.org");
        let six = HookUrl::parse("http://[::1]:8080", Reach::Anywhere).unwrap();
        assert_eq!((six.host(), six.authority().as_str(), six.target().as_str()), ("::1", "[::1]:8080", "/"));
        assert_eq!(
            HookUrl::parse("https://bücher.example/", Reach::Public).unwrap().host(),
            "xn--bcher-kva.example"
        );
    }

    #[test]
    fn what_no_request_may_go_to_is_refused() {
        use HookUrlError::{Insecure, Malformed, NotPublic, Port, Userinfo};
        for (text, why) in [
            ("", Malformed),
            ("example.org/hook", Malformed),
            ("ftp://example.org/", Malformed),
            ("file:///etc/passwd", Malformed),
            ("https://", Malformed),
            ("https://exa mple.org/", Malformed),
            ("https://example.org/\r\nX: y", Malformed),
            ("http://example.org/", Insecure),
            ("https://ann@example.org/", Userinfo),
            ("https://ann:secret@example.org/", Userinfo),
            ("https://:secret@example.org/", Userinfo),
            ("https://example.org:22/", Port),
            ("https://example.org:80/", Port),
            ("https://127.0.0.1/", NotPublic),
            ("https://2130706433/", NotPublic),
            ("https://0x7f.1/", NotPublic),
            ("https://0177.0.0.1/", NotPublic),
            ("https://127.1/", NotPublic),
            ("https://[::ffff:10.0.0.1]/", NotPublic),
            ("https://[64:ff9b::a00:1]/", NotPublic),
            ("https://[fe80::1]/", NotPublic),
            ("https://169.254.169.254/latest/meta-data", NotPublic),
        ] {
            assert_eq!(HookUrl::parse(text, Reach::Public), Err(why), "{text}");
        }
        assert_eq!(
            HookUrl::parse(&format!("https://example.org/{}", "x".repeat(1000)), Reach::Public),
            Err(HookUrlError::TooLong)
        );
        assert_eq!(HookUrl::parse("http://127.0.0.1:25/", Reach::Anywhere), Err(Port));
        assert!(HookUrl::parse("http://127.0.0.1/", Reach::Anywhere).is_ok());
    }
}
