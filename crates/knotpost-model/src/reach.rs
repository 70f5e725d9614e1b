//! Public network addresses: targets allowed for requests that users cause.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Public internet only, over TLS.
    Public,
    /// Anywhere, this machine included, with or without TLS.
    Anywhere,
}

impl Reach {
    pub fn covers(self, address: IpAddr) -> bool {
        match self {
            Self::Anywhere => true,
            Self::Public => is_public(address),
        }
    }
}

/// True for addresses on the public internet. Those that embed another address (IPv4-mapped, NAT64, 6to4,
/// Teredo) are excluded: their destination is unknown.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => is_public_v4(four),
        IpAddr::V6(six) => is_public_v6(six),
    }
}

/// Excludes the special blocks of the IANA registry (RFC 6890 and successors), reserved and multicast
/// addresses.
fn is_public_v4(address: Ipv4Addr) -> bool {
    const SPECIAL: [([u8; 4], u32); 15] = [
        ([0, 0, 0, 0], 8),
        ([10, 0, 0, 0], 8),
        // Carrier-grade NAT: RFC 6598.
        ([100, 64, 0, 0], 10),
        ([127, 0, 0, 0], 8),
        ([169, 254, 0, 0], 16),
        ([172, 16, 0, 0], 12),
        ([192, 0, 0, 0], 24),
        ([192, 0, 2, 0], 24),
        ([192, 88, 99, 0], 24),
        ([192, 168, 0, 0], 16),
        ([198, 18, 0, 0], 15),
        ([198, 51, 100, 0], 24),
        ([203, 0, 113, 0], 24),
        ([224, 0, 0, 0], 4),
        ([240, 0, 0, 0], 4),
    ];
    let bits = address.to_bits();
    SPECIAL.iter().all(|(block, length)| {
        let shift = 32 - length;
        bits >> shift != u32::from_be_bytes(*block) >> shift
    })
}

/// Only `2000::/3` is allocated (RFC 4291), minus special blocks.
fn is_public_v6(address: Ipv6Addr) -> bool {
    const SPECIAL: [(u128, u32); 4] = [
        // Protocol assignments, Teredo among them.
        (0x2001_0000 << 96, 23),
        (0x2001_0db8 << 96, 32),
        // 6to4 carries an IPv4 address.
        (0x2002_0000 << 96, 16),
        (0x3fff_0000 << 96, 20),
    ];
    let bits = address.to_bits();
    bits >> 125 == 0b001
        && SPECIAL.iter().all(|(block, length)| bits >> (128 - length) != block >> (128 - length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_public_internet_are_public() {
        let inside = "0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.8.8.8 \
            169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 \
            198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 \
            :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::1 100::1 \
            2001::1 2001:2::1 2001:1ff:ffff::1 2001:db8::1 2002:7f00:1::1 2002:808:808::1 3fff::1 3fff:fff::1 5f00::1 \
            fc00::1 fd12:3456::1 fe80::1 febf::1 fec0::1 ff02::1 ff0e::1 4000::1";
        for text in inside.split_whitespace() {
            let address: IpAddr = text.parse().unwrap_or_else(|_| unreachable!("{text}"));
            assert!(!is_public(address) && !Reach::Public.covers(address), "{text}");
            assert!(Reach::Anywhere.covers(address), "{text}");
        }
        let outside = "1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 \
            169.253.255.255 172.15.255.255 172.32.0.0 192.0.1.1 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 \
            223.255.255.255 2001:200::1 2001:4860:4860::8888 2606:4700::1111 2a00:1450:4001::1 3ffe::1";
        for text in outside.split_whitespace() {
            let address: IpAddr = text.parse().unwrap_or_else(|_| unreachable!("{text}"));
            assert!(Reach::Public.covers(address), "{text}");
        }
    }
}
