//! Which network addresses the host of a webhook has, and which of them may be asked.

use std::net::{IpAddr, SocketAddr};

use futures_util::future::BoxFuture;

use crate::domain::{HookUrl, Reach};

/// Addresses of one name that are tried.
const MOST_TRIED: usize = 4;

/// Whoever knows the addresses of names.
pub trait Resolve: Send + Sync {
    /// The network addresses of a host.
    fn addresses(&self, host: &str) -> BoxFuture<'_, std::io::Result<Vec<IpAddr>>>;
}

/// Asks as every program on this machine does.
#[derive(Clone, Copy, Debug)]
pub struct SystemNames;

impl Resolve for SystemNames {
    fn addresses(&self, host: &str) -> BoxFuture<'_, std::io::Result<Vec<IpAddr>>> {
        let host = host.to_owned();
        Box::pin(async move {
            let found = tokio::net::lookup_host((host.as_str(), 0)).await?;
            Ok(found.map(|place| place.ip()).collect())
        })
    }
}

/// The places to connect to, none of which is out of reach. What is checked here is what is connected to: nobody asks
/// for the name once more.
pub(super) async fn find(
    names: &dyn Resolve,
    url: &HookUrl,
    reach: Reach,
) -> Result<Vec<SocketAddr>, String> {
    let found = match url.address() {
        Some(address) => vec![address],
        None => names.addresses(url.host()).await.map_err(|_| format!("{} is not known", url.host()))?,
    };
    if found.is_empty() {
        return Err(format!("{} has no address", url.host()));
    }
    let places: Vec<SocketAddr> = found
        .into_iter()
        .filter(|address| reach.covers(*address))
        .take(MOST_TRIED)
        .map(|address| SocketAddr::new(address, url.port()))
        .collect();
    if places.is_empty() {
        return Err(format!("{} is not on the public internet", url.host()));
    }
    Ok(places)
}
