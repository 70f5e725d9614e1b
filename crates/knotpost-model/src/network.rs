//! Networks of settings, and the identity of a connecting host.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

/// A rate limiting unit: one IPv4 address, or one /64 of IPv6, the usual size per customer.
///
/// IPv4-mapped addresses (`::ffff:192.0.2.1`, from dual-stack listeners) count as IPv4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Host(IpAddr);

impl Host {
    pub fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(six) if !six.is_loopback() => {
                IpAddr::from((u128::from(six) >> 64 << 64).to_be_bytes())
            }
            other => other,
        })
    }

    pub fn is_loopback(self) -> bool {
        self.0.is_loopback()
    }
}

/// Networks of an address, from its host up, each with its limit in hosts: a home has a /56 of IPv6, a
/// company a /48.
pub fn networks_of(address: IpAddr) -> Vec<(IpNet, usize)> {
    let address = address.to_canonical();
    let around = |prefix, hosts| IpNet::new(address, prefix).map(|network| (network.trunc(), hosts)).ok();
    match address {
        IpAddr::V6(six) if !six.is_loopback() => [(64, 1), (56, 4), (48, 16)]
            .into_iter()
            .filter_map(|(prefix, hosts)| around(prefix, hosts))
            .collect(),
        _ => vec![(address.into(), 1)],
    }
}

/// `192.0.2.1`, `2001:db8:0:1::/64`.
impl fmt::Display for Host {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            IpAddr::V6(six) if !six.is_loopback() => write!(out, "{six}/64"),
            other => write!(out, "{other}"),
        }
    }
}

impl FromStr for Host {
    type Err = std::net::AddrParseError;

    /// Parses the [`Display`](fmt::Display) form, or an address.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.strip_suffix("/64").unwrap_or(text).parse().map(Self::of)
    }
}

/// Networks and addresses as in settings: `["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Networks(Vec<IpNet>);

impl Networks {
    /// IPv4-mapped addresses count as IPv4.
    pub fn contain(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }

    /// An entry too wide for one operator; private networks are a /8 of IPv4, a /7 of IPv6.
    pub fn of_strangers(&self) -> Option<String> {
        let is_wide = |network: &&IpNet| match network {
            IpNet::V4(four) => four.prefix_len() < 8,
            IpNet::V6(six) => six.prefix_len() < 16 && six.addr().segments()[0] & 0xfe00 != 0xfc00,
        };
        self.0.iter().find(is_wide).map(ToString::to_string)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl TryFrom<Vec<String>> for Networks {
    type Error = String;

    /// Skips empty words, the reading of an empty environment variable.
    fn try_from(words: Vec<String>) -> Result<Self, String> {
        let words = words.iter().map(|word| word.trim()).filter(|word| !word.is_empty());
        words.map(read_network).collect::<Result<_, _>>().map(Self)
    }
}

impl From<Networks> for Vec<String> {
    fn from(networks: Networks) -> Self {
        let shown = |network: IpNet| {
            let is_address = network.prefix_len() == network.max_prefix_len();
            if is_address { network.addr().to_string() } else { network.to_string() }
        };
        networks.0.into_iter().map(shown).collect()
    }
}

fn read_network(word: &str) -> Result<IpNet, String> {
    let address = || word.parse::<IpAddr>().map(|address| IpNet::from(address.to_canonical()));
    word.parse().or_else(|_| address()).map_err(|_| {
        format!("`{word}` is neither an address such as 127.0.0.1 nor a network such as 10.0.0.0/8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn networks(words: &[&str]) -> Result<Networks, String> {
        Networks::try_from(words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn a_host_is_an_address_or_a_customer_network() {
        assert_eq!(Host::of(address("192.0.2.1")).to_string(), "192.0.2.1");
        assert_eq!(Host::of(address("::ffff:192.0.2.1")), Host::of(address("192.0.2.1")));
        assert_eq!(Host::of(address("2001:db8::1")), Host::of(address("2001:db8::ffff:2")));
        assert_ne!(Host::of(address("2001:db8::1")), Host::of(address("2001:db8:0:1::1")));
        assert_eq!(Host::of(address("::1")).to_string(), "::1");
        for text in ["192.0.2.1", "2001:db8:0:1::5", "::1"] {
            let host = Host::of(address(text));
            assert_eq!(host.to_string().parse(), Ok(host));
        }
    }

    #[test]
    fn an_address_counts_in_the_networks_of_its_customer() {
        let shown = |text| {
            let networks = networks_of(address(text)).into_iter();
            networks.map(|(network, hosts)| format!("{network} {hosts}")).collect::<Vec<_>>()
        };
        assert_eq!(
            shown("2001:db8:1:2ff::5"),
            ["2001:db8:1:2ff::/64 1", "2001:db8:1:200::/56 4", "2001:db8:1::/48 16"]
        );
        assert_eq!(shown("::ffff:192.0.2.1"), ["192.0.2.1/32 1"]);
        assert_eq!(shown("::1"), ["::1/128 1"]);
    }

    #[test]
    fn networks_and_addresses_may_be_listed() {
        let listed = networks(&["127.0.0.1", " 10.0.0.0/8 ", "2001:db8::/32", ""]).expect("good");
        for inside in ["127.0.0.1", "::ffff:127.0.0.1", "10.255.0.1", "::ffff:10.1.2.3", "2001:db8:1::1"] {
            assert!(listed.contain(address(inside)), "{inside}");
        }
        for outside in ["127.0.0.2", "11.0.0.1", "::1", "2001:db9::1"] {
            assert!(!listed.contain(address(outside)), "{outside}");
        }
        assert_eq!(Vec::from(listed), ["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"]);
        assert!(networks(&[""]).expect("none").is_empty());
        for bad in ["10.0.0.0/33", "localhost", "10.0.0", "::1/129"] {
            assert!(networks(&[bad]).expect_err(bad).contains(bad));
        }
    }
}
