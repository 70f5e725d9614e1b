//! The users of a storm, signed up as every user is.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::ensure;
use tokio::task::JoinSet;

use crate::http::Http;
use crate::play::table::{address, password};

/// The number of users that sign up at the same time.
const AT_ONCE: usize = 4;

/// A user; password and address follow from the name.
#[derive(Clone, Debug)]
pub(crate) struct User {
    pub(crate) userid: String,
}

impl User {
    pub(crate) fn new(userid: String) -> Self {
        Self { userid }
    }

    pub(crate) fn password(&self) -> String {
        password(&self.userid)
    }

    pub(crate) fn address(&self) -> String {
        address(&self.userid)
    }
}

/// Signs all of them up.
pub(crate) async fn sign_up(http: SocketAddr, users: &[User]) -> anyhow::Result<()> {
    let (users, next) = (Arc::new(users.to_vec()), Arc::new(AtomicUsize::new(0)));
    let mut askers = JoinSet::new();
    for _ in 0..AT_ONCE {
        let (users, next) = (Arc::clone(&users), Arc::clone(&next));
        askers.spawn(async move {
            let mut connection = Http::connect(http).await?;
            while let Some(user) = users.get(next.fetch_add(1, Ordering::Relaxed)) {
                let line = format!("signup {} {} {}", user.userid, user.password(), user.address());
                let response = connection.post("/commands", "", line.as_bytes()).await?;
                ensure!(response.status == 200, "{}: {}", user.userid, response.text());
            }
            anyhow::Ok(())
        });
    }
    while let Some(done) = askers.join_next().await {
        done??;
    }
    Ok(())
}
