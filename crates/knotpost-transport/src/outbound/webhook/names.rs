//! Resolves the host of a webhook, and allows only addresses that may be connected to.

use std::net::{IpAddr, SocketAddr};

use futures_util::future::BoxFuture;

use knotpost_model::{HookUrl, Reach};

/// Addresses of one name that are tried.
const MAX_ADDRESSES: usize = 4;

/// A resolver of host names.
pub trait Resolve: Send + Sync {
    /// The network addresses of a host.
    fn addresses(&self, host: &str) -> BoxFuture<'_, std::io::Result<Vec<IpAddr>>>;
}

/// The resolver of this machine.
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

/// The addresses to connect to, all of them allowed. The name is not resolved again, so what is checked is what is
/// connected to.
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
        .take(MAX_ADDRESSES)
        .map(|address| SocketAddr::new(address, url.port()))
        .collect();
    if places.is_empty() {
        return Err(format!("{} is not on the public internet", url.host()));
    }
    Ok(places)
}
