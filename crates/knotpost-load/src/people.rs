//! The users of a trial. Password and address follow from the name.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use crate::clients::together;
use crate::http::{Http, JSON};

/// The number of users that sign up at the same time.
const AT_ONCE: usize = 4;

pub(crate) fn password(userid: &str) -> String {
    format!("{userid}-secret")
}

/// A user's mail address.
pub(crate) fn address(userid: &str) -> String {
    format!("{userid}@example.org")
}

/// The header line of a user's password.
pub(crate) fn basic(userid: &str) -> String {
    let pair = format!("{userid}:{}", password(userid));
    format!("Authorization: Basic {}\r\n", data_encoding::BASE64.encode(pair.as_bytes()))
}

/// Signs users up, as everybody does.
pub(crate) async fn sign_up(http: SocketAddr, userids: &[String]) -> anyhow::Result<()> {
    let userids: Arc<[String]> = userids.into();
    let client = |next: crate::clients::Next| {
        let userids = Arc::clone(&userids);
        async move {
            let mut http = Http::connect(http).await?;
            while let Some(userid) = next.of(&userids) {
                command(&mut http, &format!("signup {userid} {} {}", password(userid), address(userid)))
                    .await?;
            }
            Ok(())
        }
    };
    together(AT_ONCE, client).await.map(drop)
}

/// As above; returns a key of each for reading and playing.
pub(crate) async fn sign_up_with_keys(http: SocketAddr, userids: &[String]) -> anyhow::Result<Vec<String>> {
    sign_up(http, userids).await?;
    let (mut http, mut keys) = (Http::connect(http).await?, Vec::new());
    for userid in userids {
        keys.push(make_key(&mut http, userid, &["read", "play"], "").await?);
    }
    Ok(keys)
}

/// Has a user make a key for the API; returns it.
pub(crate) async fn make_key(
    http: &mut Http,
    userid: &str,
    scopes: &[&str],
    more_headers: &str,
) -> anyhow::Result<String> {
    let wish = json!({ "name": "trial", "scopes": scopes }).to_string();
    let headers = format!("{JSON}{}{more_headers}", basic(userid));
    let answer = http.post("/api/v1/tokens", &headers, wish.as_bytes()).await?;
    ensure!(answer.status == 201, "no key for {userid}: {}", answer.text());
    let answer = answer.json()?;
    Ok(answer.get("token").and_then(Value::as_str).context("the answer holds no key")?.to_owned())
}

/// Has a command executed, which must succeed; returns the answer.
pub(crate) async fn command(http: &mut Http, line: &str) -> anyhow::Result<Value> {
    command_with(http, line, "").await
}

async fn command_with(http: &mut Http, line: &str, comment: &str) -> anyhow::Result<Value> {
    let body = json!({ "command": line, "body": comment }).to_string();
    let response = http.post("/commands", JSON, body.as_bytes()).await?;
    ensure!(response.status == 200, "{line}: {}", response.text());
    Ok(response.json()?)
}

/// The number of the board that a challenge made.
pub(crate) async fn challenge(http: &mut Http, line: &str, comment: &str) -> anyhow::Result<u64> {
    let answer = command_with(http, line, comment).await?;
    answer.pointer("/boards/0/number").and_then(Value::as_u64).with_context(|| format!("no board: {answer}"))
}
