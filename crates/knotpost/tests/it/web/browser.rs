//! A browser without scripts: it keeps cookies, fills in forms and follows redirections.

use axum::body::Body;
use axum::http::Request;

use crate::harness::{Page, TestApp};

/// Somebody's browser on one server.
pub(super) struct Browser<'a> {
    app: &'a TestApp,
    pub(super) cookie: Option<String>,
}

/// What is sent by a form, as the body of its request.
pub(super) fn form(fields: &[(&str, &str)]) -> String {
    let encode = |text: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        text.bytes()
            .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
            .collect::<String>()
    };
    fields
        .iter()
        .map(|(name, value)| format!("{}={}", encode(name), encode(value)))
        .collect::<Vec<_>>()
        .join("&")
}

impl<'a> Browser<'a> {
    /// One that nobody has logged in with.
    pub(super) fn new(app: &'a TestApp) -> Self {
        Self { app, cookie: None }
    }

    /// One that this player has logged in with.
    pub(super) async fn of(app: &'a TestApp, userid: &str) -> Self {
        let mut browser = Self::new(app);
        let page = browser.log_in(userid, &format!("{userid}-secret")).await;
        assert_eq!(page.status, 303, "{}", page.text);
        browser
    }

    pub(super) async fn log_in(&mut self, userid: &str, password: &str) -> Page {
        self.post("/login", &[("userid", userid), ("password", password)]).await
    }

    /// Looks at a page.
    pub(super) async fn get(&mut self, path: &str) -> Page {
        self.ask("GET", path, &[], Body::empty()).await
    }

    /// Sends a form of a page of this server.
    pub(super) async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        self.post_from("same-origin", path, fields).await
    }

    /// Sends a form from a page of that site (Fetch metadata).
    pub(super) async fn post_from(&mut self, site: &str, path: &str, fields: &[(&str, &str)]) -> Page {
        let headers = [("content-type", "application/x-www-form-urlencoded"), ("sec-fetch-site", site)];
        self.ask("POST", path, &headers, Body::from(form(fields))).await
    }

    /// Sends a form and looks at the page that the answer leads to.
    pub(super) async fn submit(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        let page = self.post(path, fields).await;
        assert_eq!(page.status, 303, "{}", page.text);
        let next = page.header("location").to_owned();
        self.get(next.split('#').next().unwrap_or("/")).await
    }

    async fn ask(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: Body) -> Page {
        let mut request = Request::builder().method(method).uri(path).header("user-agent", "A browser/1.0");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(cookie) = &self.cookie {
            request = request.header("cookie", cookie);
        }
        let mut page = self.app.send(request.body(body).unwrap()).await;
        // As a browser reads it; brackets stay as they are.
        page.text = page.text.replace("&#x2f;", "/").replace("&#x27;", "'");
        if let Some(cookie) = page.headers.get("set-cookie") {
            let pair = cookie.to_str().unwrap().split(';').next().unwrap_or_default();
            self.cookie = (!pair.ends_with('=')).then(|| pair.to_owned());
        }
        page
    }
}
