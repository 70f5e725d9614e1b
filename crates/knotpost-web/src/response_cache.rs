//! A cache of responses that is valid until the next commit: programs that poll a board get it without loading and drawing
//! it each time.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use axum::http::{HeaderMap, Uri};
use axum::response::Response;

use super::content::Content;
use super::error::Problem;
use knotpost_core::app::App;
use knotpost_core::queries::view_data_version;

/// The most memory of all cached responses, in bytes.
const MAX_BYTES: usize = 2 << 20;
/// The overhead of an entry besides its address and body, in bytes; a text board is smaller than this.
const ENTRY_OVERHEAD: usize = 512;

/// Cached responses. Each depends on nothing but its address and the contents of the database.
#[derive(Debug, Default)]
pub(super) struct ResponseCache(Mutex<Entries>);

#[derive(Debug, Default)]
struct Entries {
    /// The data version that the responses were made at, or an older one.
    data_version: i64,
    responses: HashMap<String, Content>,
    bytes: usize,
}

impl ResponseCache {
    /// The response for `uri`: from the cache when nothing was committed since, else made by `make`.
    pub(super) async fn answer(
        &self,
        app: &App,
        uri: &Uri,
        headers: &HeaderMap,
        make: impl Future<Output = Result<Content, Problem>>,
    ) -> Result<Response, Problem> {
        // The version is read before `make` reads: a commit in between makes the response seem older than it is, never newer.
        let Some(data_version) = view_data_version(app).await? else {
            return Ok(make.await?.unless_known(headers));
        };
        let address = uri.path_and_query().map_or("", |address| address.as_str());
        if let Some(content) = self.find(data_version, address) {
            return Ok(content.unless_known(headers));
        }
        let content = make.await?;
        let content = content.shrunk();
        self.insert(data_version, address, content.clone());
        Ok(content.unless_known(headers))
    }

    fn find(&self, data_version: i64, address: &str) -> Option<Content> {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.responses.get(address).filter(|_| entries.data_version == data_version).cloned()
    }

    fn insert(&self, data_version: i64, address: &str, content: Content) {
        let length = content.len() + address.len() + ENTRY_OVERHEAD;
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.data_version != data_version || entries.bytes + length > MAX_BYTES {
            *entries = Entries { data_version, ..Entries::default() };
        }
        if length <= MAX_BYTES && entries.responses.insert(address.to_owned(), content).is_none() {
            entries.bytes += length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_responses_take_no_more_than_long_ones() {
        for (length, count) in [(1, 5_000), (600, 3_000), (40_000, 80), (MAX_BYTES + 1, 2)] {
            let cache = ResponseCache::default();
            for number in 0..count {
                let (address, body) = (format!("/{number}"), vec![b'x'; length]);
                cache.insert(7, &address, Content::new("text/plain", body));
                let entries = cache.0.lock().unwrap();
                assert!(
                    entries.responses.len() * (length + ENTRY_OVERHEAD) <= MAX_BYTES,
                    "{length}: {number}"
                );
                assert_eq!(
                    entries.responses.contains_key(&address),
                    length <= MAX_BYTES,
                    "{length}: {number}"
                );
            }
        }
    }
}
