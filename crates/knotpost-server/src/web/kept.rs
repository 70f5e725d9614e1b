//! Answers that are given again for as long as nothing is committed: programs that look at a board again and again get
//! it without its being loaded and drawn each time.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use axum::http::{HeaderMap, Uri};
use axum::response::Response;

use super::content::Content;
use super::error::Problem;
use crate::store::Store;

/// All answers together take no more than this.
const MOST_BYTES: usize = 2 << 20;
/// What an answer takes beside its address and its body: a text board is shorter than this.
const BYTES_BESIDE: usize = 512;

/// Answers of which each is a matter of its address and of what is stored alone.
#[derive(Debug, Default)]
pub(super) struct KeptAnswers(Mutex<Shelf>);

#[derive(Debug, Default)]
struct Shelf {
    /// What the answers were made from, or something older.
    stamp: i64,
    answers: HashMap<String, Content>,
    bytes: usize,
}

impl KeptAnswers {
    /// The answer to the request for `uri`: that of last time, when nothing was committed since, else what `make` makes.
    pub(super) async fn answer(
        &self,
        store: &Store,
        uri: &Uri,
        headers: &HeaderMap,
        make: impl Future<Output = Result<Content, Problem>>,
    ) -> Result<Response, Problem> {
        // Asked for before `make` looks: what is committed in between makes its answer look older than it is.
        let Some(stamp) = store.stamp()? else { return Ok(make.await?.unless_known(headers)) };
        let address = uri.path_and_query().map_or("", |address| address.as_str());
        if let Some(content) = self.find(stamp, address) {
            return Ok(content.unless_known(headers));
        }
        let content = make.await?;
        let content = content.without_room();
        self.keep(stamp, address, content.clone());
        Ok(content.unless_known(headers))
    }

    fn find(&self, stamp: i64, address: &str) -> Option<Content> {
        let shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.answers.get(address).filter(|_| shelf.stamp == stamp).cloned()
    }

    fn keep(&self, stamp: i64, address: &str, content: Content) {
        let length = content.len() + address.len() + BYTES_BESIDE;
        let mut shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if shelf.stamp != stamp || shelf.bytes + length > MOST_BYTES {
            *shelf = Shelf { stamp, ..Shelf::default() };
        }
        if length <= MOST_BYTES && shelf.answers.insert(address.to_owned(), content).is_none() {
            shelf.bytes += length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_answers_take_no_more_than_long_ones() {
        for (length, count) in [(1, 5_000), (600, 3_000), (40_000, 80), (MOST_BYTES + 1, 2)] {
            let kept = KeptAnswers::default();
            for number in 0..count {
                let (address, body) = (format!("/{number}"), vec![b'x'; length]);
                kept.keep(7, &address, Content::new("text/plain", body));
                let shelf = kept.0.lock().unwrap();
                assert!(shelf.answers.len() * (length + BYTES_BESIDE) <= MOST_BYTES, "{length}: {number}");
                assert_eq!(shelf.answers.contains_key(&address), length <= MOST_BYTES, "{length}: {number}");
            }
        }
    }
}
