//! DNS records as published, for operators, not for verdicts on senders.

use std::net::IpAddr;

use mail_auth::MessageAuthenticator;
use mail_auth::hickory_resolver::net::{DnsError, NetError};
use mail_auth::hickory_resolver::proto::op::ResponseCode;
use mail_auth::hickory_resolver::proto::rr::{RData, Record, RecordType};

use super::dns;
use knotpost_core::config::Config;

pub struct Records(MessageAuthenticator);

impl std::fmt::Debug for Records {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Records").finish_non_exhaustive()
    }
}

#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct NoAnswer(String);

impl From<NetError> for NoAnswer {
    fn from(error: NetError) -> Self {
        Self(error.to_string())
    }
}

impl Records {
    /// Uses `inbound.dns`, or the servers of the system; fails without any.
    pub fn new(config: &Config) -> Result<Self, NoAnswer> {
        Ok(Self(dns::verifier(&config.inbound.dns)?))
    }

    /// TXT records; none if the name does not exist.
    pub async fn texts(&self, name: &str) -> Result<Vec<String>, NoAnswer> {
        self.find(name, RecordType::TXT, |data| match data {
            RData::TXT(text) => Some(String::from_utf8_lossy(&text.txt_data.concat()).into_owned()),
            _ => None,
        })
        .await
    }

    /// Sorted by preference. RFC 7505: one with an empty name takes no mail.
    pub async fn mail_servers(&self, domain: &str) -> Result<Vec<String>, NoAnswer> {
        let exchange = |data: &RData| match data {
            RData::MX(mx) => Some((mx.preference, plain(&mx.exchange.to_lowercase().to_ascii()))),
            _ => None,
        };
        let mut servers = self.find(domain, RecordType::MX, exchange).await?;
        servers.sort();
        Ok(servers.into_iter().map(|(_, name)| name).collect())
    }

    pub async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, NoAnswer> {
        let address = |data: &RData| match data {
            RData::A(address) => Some(IpAddr::V4(address.0)),
            RData::AAAA(address) => Some(IpAddr::V6(address.0)),
            _ => None,
        };
        let mut addresses = self.find(host, RecordType::A, address).await?;
        addresses.extend(self.find(host, RecordType::AAAA, address).await?);
        Ok(addresses)
    }

    pub async fn names_of(&self, address: IpAddr) -> Result<Vec<String>, NoAnswer> {
        let answer = self.0.resolver().reverse_lookup(address).await;
        read(answer.map(|answer| answer.answers().to_vec()), |data| match data {
            RData::PTR(name) => Some(plain(&name.to_lowercase().to_ascii())),
            _ => None,
        })
    }

    async fn find<T>(
        &self,
        name: &str,
        kind: RecordType,
        pick: impl Fn(&RData) -> Option<T>,
    ) -> Result<Vec<T>, NoAnswer> {
        // A dot at the end keeps search domains of this machine away.
        let answer = self.0.resolver().lookup(format!("{name}."), kind).await;
        read(answer.map(|answer| answer.answers().to_vec()), pick)
    }
}

fn read<T>(
    answer: Result<Vec<Record>, NetError>,
    pick: impl Fn(&RData) -> Option<T>,
) -> Result<Vec<T>, NoAnswer> {
    match answer {
        Ok(records) => Ok(records.iter().filter_map(|record| pick(&record.data)).collect()),
        Err(error) if error.is_nx_domain() || is_empty(&error) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// True if the servers deny the record, false if they cannot tell.
fn is_empty(error: &NetError) -> bool {
    match error {
        NetError::Dns(DnsError::NoRecordsFound(found)) => found.response_code == ResponseCode::NoError,
        _ => false,
    }
}

fn plain(name: &str) -> String {
    name.trim_end_matches('.').to_owned()
}
