//! The DNS resolver for checks of senders.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use mail_auth::MessageAuthenticator;
use mail_auth::hickory_resolver::TokioResolver;
use mail_auth::hickory_resolver::config::{NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts};
use mail_auth::hickory_resolver::net::NetError;
use mail_auth::hickory_resolver::net::runtime::TokioRuntimeProvider;
use mail_auth::hickory_resolver::system_conf::read_system_conf;

const PORT: u16 = 53;
/// Short, so that a lost packet is sent again within the time of the complete check.
const QUERY_TIMEOUT: Duration = Duration::from_millis(1200);
const CACHE_ENTRIES: u64 = 4096;
const LONGEST_TTL: Duration = Duration::from_hours(24);
/// Short, so that a newly published key is found soon.
const LONGEST_NEGATIVE_TTL: Duration = Duration::from_mins(5);

/// Without servers, asks those of the system; fails if it names none.
pub(in crate::inbound) fn verifier(servers: &[String]) -> Result<MessageAuthenticator, NetError> {
    let named: Vec<SocketAddr> = servers.iter().filter_map(|server| parse(server)).collect();
    let (config, mut options) = if named.is_empty() {
        read_system_conf()?
    } else {
        let servers = named.into_iter().map(name_server).collect();
        (ResolverConfig::from_name_servers(servers), ResolverOpts::default())
    };
    options.timeout = QUERY_TIMEOUT;
    options.attempts = 2;
    options.cache_size = CACHE_ENTRIES;
    options.positive_max_ttl = Some(LONGEST_TTL);
    options.negative_max_ttl = Some(LONGEST_NEGATIVE_TTL);
    // Senders are checked by DNS alone, never by the hosts file of this machine.
    options.use_hosts_file = ResolveHosts::Never;
    let builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
    Ok(MessageAuthenticator(builder.with_options(options).build()?))
}

fn parse(server: &str) -> Option<SocketAddr> {
    let with_port = || server.parse::<IpAddr>().ok().map(|address| SocketAddr::new(address, PORT));
    server.parse().ok().or_else(with_port)
}

fn name_server(address: SocketAddr) -> NameServerConfig {
    let mut server = NameServerConfig::udp_and_tcp(address.ip());
    for connection in &mut server.connections {
        connection.port = address.port();
    }
    server
}
