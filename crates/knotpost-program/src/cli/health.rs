//! `health`: asks the server of this configuration for its readiness, for container engines and scripts.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, bail};
use tokio::time::timeout;

use super::output::{complain, say};
use crate::server::{PORTS_FILE, absolute, read_ports};
use knotpost_core::config::Config;
use knotpost_web::ask_readiness;

const PATIENCE: Duration = Duration::from_secs(10);

pub(super) async fn run(config: &Config) -> anyhow::Result<ExitCode> {
    let data = &config.server.data;
    let file = absolute(&data.join(PORTS_FILE));
    let ports = match read_ports(data) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!("no server runs with this configuration: there is no {}", file.display());
        }
        read => {
            read.with_context(|| format!("{} says where the server is, and cannot be read", file.display()))?
        }
    };
    let address =
        ports.http.context("the server has no web listener (http.listen), which alone can be asked")?;
    let (is_ready, words) = timeout(PATIENCE, ask_readiness(nearest(address)))
        .await
        .with_context(|| format!("the server at {address} gave no answer within {} s", PATIENCE.as_secs()))?
        .with_context(|| format!("the server at {address} gave no answer"))?;
    let words = words.trim_end();
    if is_ready {
        words.lines().for_each(|line| say!("{line}"));
        return Ok(ExitCode::SUCCESS);
    }
    complain!("knotpost: not ready: {words}");
    Ok(ExitCode::FAILURE)
}

/// Replaces the wildcard address of a server by loopback.
fn nearest(address: SocketAddr) -> SocketAddr {
    match address {
        SocketAddr::V4(any) if any.ip().is_unspecified() => (Ipv4Addr::LOCALHOST, any.port()).into(),
        SocketAddr::V6(any) if any.ip().is_unspecified() => (Ipv6Addr::LOCALHOST, any.port()).into(),
        one => one,
    }
}

#[test]
fn all_addresses_are_reached_by_the_loopback() {
    for (listens, asked) in [
        ("0.0.0.0:8080", "127.0.0.1:8080"),
        ("[::]:8080", "[::1]:8080"),
        ("192.0.2.7:80", "192.0.2.7:80"),
        ("[2001:db8::7]:80", "[2001:db8::7]:80"),
    ] {
        assert_eq!(nearest(listens.parse().unwrap()), asked.parse().unwrap());
    }
}
