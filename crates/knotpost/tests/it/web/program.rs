//! A program that calls the API.

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

use crate::harness::{Page, TestApp};

/// A user's password, as `Authorization` shows it.
pub(super) fn basic(userid: &str) -> String {
    let pair = format!("{userid}:{userid}-secret");
    format!("Basic {}", data_encoding::BASE64.encode(pair.as_bytes()))
}

pub(super) async fn ask(
    app: &TestApp,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Page {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Body::from(body.to_owned())).unwrap();
    if path.ends_with("/board.png") {
        let (parts, _) = app.open(request).await.into_parts();
        return Page { status: parts.status, headers: parts.headers, text: String::new() };
    }
    app.send(request).await
}

/// A request with a key or a password.
pub(super) async fn call(app: &TestApp, shown: &str, method: &str, path: &str, body: &Value) -> Page {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    ask(app, method, path, &[("authorization", shown), ("content-type", "application/json")], &body).await
}

/// A new key, as `Authorization` shows it.
pub(super) async fn make_key(app: &TestApp, userid: &str, scopes: &[&str]) -> String {
    let wish = json!({ "name": "a program", "scopes": scopes });
    let page = call(app, &basic(userid), "POST", "/api/v1/tokens", &wish).await;
    assert_eq!(page.status, 201, "{}", page.text);
    format!("Bearer {}", page.json()["token"].as_str().unwrap())
}
