//! Words that were typed are not lost: when the session has ended, when a form is refused, when it is sent twice.

use super::tell;

tell! {
    a_form_without_a_session_leads_to_its_page_and_keeps_its_words,
    a_refused_form_is_shown_again_with_its_words,
    a_refused_form_keeps_every_field_but_passwords,
    what_is_said_under_one_key_is_said_once;
    undeployed: a_form_beyond_the_rate_keeps_its_words;
    on_postgres: what_is_said_under_one_key_is_said_once,
}

mod stories {
    use axum::body::Body;
    use axum::http::Request;

    use std::collections::BTreeSet;
    use std::path::Path;

    use super::super::browser::{Browser, form};
    use super::super::markup::{attribute, fields, tags};
    use crate::harness::{Page, Place, TestApp, edit_user};
    use knotpost_core::admin::UserEdit;

    const WORDS: &str = "Mind the <left> knot & \"wait\"";
    const SHOWN: &str = "Mind the &lt;left&gt; knot &amp; &quot;wait&quot;";
    const BOARD: &str = "/boards/osbox/101";

    async fn playing(place: Place, change: impl FnOnce(&mut knotpost_core::config::Config)) -> TestApp {
        let app = TestApp::start_with(place, change).await;
        for name in ["ann", "bob"] {
            app.sign_up(name).await;
        }
        app.post("osbox challenge -size=3 ann bob", "").await;
        app
    }

    /// Sends what a page of this server sends, with these headers besides.
    async fn send(app: &TestApp, path: &str, cookie: &str, more: &[(&str, &str)], body: String) -> Page {
        let mut request = Request::builder().method("POST").uri(path);
        let common =
            [("content-type", "application/x-www-form-urlencoded"), ("sec-fetch-site", "same-origin")];
        for (name, value) in common.iter().chain(more) {
            request = request.header(*name, *value);
        }
        if !cookie.is_empty() {
            request = request.header("cookie", cookie);
        }
        let length = body.len();
        app.send(request.header("content-length", length).body(Body::from(body)).unwrap()).await
    }

    /// The hidden fields of the first form of a page that is sent there.
    fn hidden(page: &Page, action: &str) -> Vec<(String, String)> {
        let form = page.text.split(&format!("action=\"{action}\"")).nth(1).unwrap_or_default();
        let form = form.split("</form>").next().unwrap_or_default();
        let field = |tag: &str| {
            let name = tag.split("name=\"").nth(1)?.split('"').next()?;
            let value = tag.split("value=\"").nth(1)?.split('"').next()?;
            let value = value.replace("&amp;", "&").replace("&quot;", "\"").replace("&lt;", "<");
            Some((name.to_owned(), value.replace("&gt;", ">")))
        };
        form.split("<input type=\"hidden\"").skip(1).filter_map(field).collect()
    }

    pub(super) async fn a_form_without_a_session_leads_to_its_page_and_keeps_its_words(place: Place) {
        let app = playing(place, |_| {}).await;
        // A move alone fits into an address.
        let mut browser = Browser::new(&app);
        let page = browser.post(BOARD, &[("act", "move"), ("move", "f1"), ("number", "1")]).await;
        let next = "/boards/osbox/101?choose=f1&unsent=yes";
        let encoded = next.replace('?', "%3F").replace('=', "%3D").replace('&', "%26");
        assert_eq!(
            (page.status.as_u16(), page.header("location")),
            (303, format!("/login?next={encoded}").as_str())
        );
        let page =
            browser.submit("/login", &[("userid", "ann"), ("password", "ann-secret"), ("next", next)]).await;
        assert!(page.text.contains("You were logged out; f1 was not sent."), "{}", page.text);
        assert!(page.text.contains("Send f1</button>"), "{}", page.text);

        for (path, fields, back, said) in [
            (
                BOARD,
                &[("act", "move"), ("move", "f1"), ("number", "1"), ("comment", WORDS)] as &[(&str, &str)],
                "/boards/osbox/101?choose=f1&amp;unsent=yes",
                "You were logged out; f1 was not sent.",
            ),
            (BOARD, &[("act", "chat"), ("comment", WORDS)], BOARD, "what you wrote was not sent."),
            (BOARD, &[("act", "note"), ("comment", WORDS)], BOARD, "what you wrote was not sent."),
            ("/users/bob", &[("comment", WORDS)], "/users/bob", "what you wrote was not sent."),
            (
                "/challenge",
                &[("act", "challenge"), ("game", "osbox"), ("player2", "bob"), ("comment", WORDS)],
                "/challenge?game=osbox",
                "what you wrote was not sent.",
            ),
            (
                "/settings",
                &[("act", "preferences"), ("digest", "7"), ("present", "ann-secret")],
                "/settings",
                "your form was not sent.",
            ),
        ] {
            let mut browser = Browser::new(&app);
            let page = browser.submit(path, fields).await;
            assert!(browser.cookie.is_none(), "it was carried to the log-in and no further");
            assert!(
                page.text.contains("you wrote is kept") && page.text.contains("id=\"userid\""),
                "{}",
                page.text
            );
            assert!(!page.text.contains("secret"), "no password is handed back: {}", page.text);
            let mut kept = hidden(&page, "/login");
            for password in ["wrong-secret", "ann-secret"] {
                let own = [("userid", "ann"), ("password", password)];
                let carried = kept.iter().map(|(name, value)| (name.as_str(), value.as_str()));
                let fields: Vec<(&str, &str)> = own.into_iter().chain(carried).collect();
                let page = browser.post("/login", &fields).await;
                if password == "wrong-secret" {
                    assert_eq!(page.status, 401);
                    kept = hidden(&page, "/login");
                    continue;
                }
                assert_eq!(page.status, 200, "{}", page.text);
                assert!(browser.cookie.is_some(), "they are logged in");
                assert!(page.text.contains(said), "{path}: {}", page.text);
                assert!(page.text.contains(&format!("href=\"{back}\"")), "{path}: {}", page.text);
                assert_eq!(page.text.contains(SHOWN), path != "/settings", "{path}: {}", page.text);
                // It is sent when that is said, and not before.
                let again = hidden(&page, path);
                let words = [("comment", WORDS)];
                let fields: Vec<(&str, &str)> = again
                    .iter()
                    .map(|(name, value)| (name.as_str(), value.as_str()))
                    .chain(words.into_iter().filter(|_| path != "/settings"))
                    .collect();
                let sent = browser.post(path, &fields).await;
                assert_eq!(sent.status, 303, "{path} {fields:?}: {}", sent.text);
            }
        }
        let talk = app.get(BOARD).await.text;
        assert_eq!(talk.matches("class=\"speech\"").count(), 2, "with the move and alone: {talk}");
        // A form too long for a cookie stands on the page of the answer.
        let long = "x".repeat(8000);
        let page = Browser::new(&app).post(BOARD, &[("act", "chat"), ("comment", &long)]).await;
        assert!(page.status == 401 && page.text.contains(&long), "{}", page.text);
        // Another site puts no words into a form of ours.
        for site in ["cross-site", "none"] {
            let fields = [("act", "chat"), ("comment", WORDS)];
            let page = Browser::new(&app).post_from(site, BOARD, &fields).await;
            assert!(page.status != 401 && !page.text.contains(SHOWN), "{site}: {}", page.text);
        }
        // Nor does a page without TLS of the same host, on a server that has TLS.
        let public_url = "https://knotpost.example".to_owned();
        let app = playing(Place::Sqlite, |config| config.server.public_url = public_url).await;
        for (scheme, status) in [("https", 401), ("http", 403)] {
            let origin = format!("{scheme}://knotpost.example");
            let body = form(&[("act", "chat"), ("comment", &long)]);
            let page = send(&app, BOARD, "", &[("origin", origin.as_str())], body).await;
            assert_eq!(
                (page.status.as_u16(), page.text.contains(&long)),
                (status, status == 401),
                "{scheme}"
            );
        }
    }

    pub(super) async fn a_refused_form_is_shown_again_with_its_words(place: Place) {
        let app = playing(place, |_| {}).await;
        let mut ann = Browser::of(&app, "ann").await;
        let long = "x".repeat(4001);
        for (path, fields, shown) in [
            (BOARD, &[("act", "move"), ("move", "zz"), ("comment", WORDS)] as &[(&str, &str)], SHOWN),
            (BOARD, &[("act", "move"), ("move", ""), ("comment", WORDS)], SHOWN),
            (BOARD, &[("act", "note"), ("comment", long.as_str())], long.as_str()),
            ("/boards/osbox/999", &[("act", "chat"), ("comment", WORDS)], SHOWN),
            ("/boards/chess/x", &[("act", "chat"), ("comment", WORDS)], SHOWN),
            ("/users/nobody", &[("comment", WORDS)], SHOWN),
            ("/users/a%20b", &[("comment", WORDS)], SHOWN),
            ("/admin/broadcast", &[("text", WORDS)], SHOWN),
            ("/challenge", &[("game", "osbox"), ("player2", "nobody"), ("comment", WORDS)], SHOWN),
            ("/nowhere", &[("comment", WORDS)], SHOWN),
        ] {
            let page = ann.post(path, fields).await;
            assert!(page.status.is_client_error(), "{path} {fields:?}: {}", page.status);
            assert!(page.text.contains(shown), "{path} {fields:?}: {}", page.text);
            assert!(page.header("content-type").starts_with("text/html"), "{path}");
        }
        let cookie = ann.cookie.clone().unwrap();
        // A form that cannot be read is answered with a page too.
        let huge = form(&[("act", "chat"), ("comment", &"x".repeat(5 << 20))]);
        for (body, status) in [(huge, 413), ("number=x".to_owned(), 422)] {
            let page = send(&app, BOARD, &cookie, &[], body).await;
            assert_eq!(
                (page.status.as_u16(), page.header("content-type")),
                (status, "text/html; charset=utf-8")
            );
        }
    }

    /// A form that is refused: the template of its page, who sends it and where, and its fields: those that are kept, and
    /// passwords.
    struct Refused {
        template: &'static str,
        who: &'static str,
        path: &'static str,
        kept: &'static [(&'static str, &'static str)],
        secrets: &'static [&'static str],
    }

    /// One field of each is wrong.
    const REFUSED: &[Refused] = &[
        Refused {
            template: "settings.html",
            who: "ann",
            path: "/settings",
            kept: &[
                ("act", "preferences"),
                ("moves", "digest"),
                ("nags", "off"),
                ("mail", "text"),
                ("board", "wide"),
                ("subject", "fixed"),
                ("confirm", "on"),
                ("puzzle", "on"),
                ("messages", "off"),
                ("broadcasts", "off"),
                ("digest", "99"),
                ("timezone", "Europe/Vienna"),
            ],
            secrets: &[],
        },
        Refused {
            template: "settings.html",
            who: "ann",
            path: "/settings",
            kept: &[("act", "add"), ("address", "no<address")],
            secrets: &["present"],
        },
        Refused {
            template: "settings.html",
            who: "ann",
            path: "/settings",
            kept: &[("act", "vacation"), ("until", "2020-01-31")],
            secrets: &[],
        },
        Refused {
            template: "settings.html",
            who: "ann",
            path: "/settings",
            kept: &[("act", "new_key"), ("name", "My \"key\""), ("play", "yes"), ("days", "9999")],
            secrets: &[],
        },
        Refused {
            template: "settings.html",
            who: "ann",
            path: "/settings",
            kept: &[
                ("act", "new_hook"),
                ("url", "http://no address/"),
                ("form", "discord"),
                ("chat", "yes"),
                ("over", "yes"),
            ],
            secrets: &["present"],
        },
        Refused {
            template: "settings.html",
            who: "ann",
            path: "/settings",
            kept: &[("act", "password")],
            secrets: &["present", "new"],
        },
        Refused {
            template: "tournament.html",
            who: "ada",
            path: "/tournaments/t1",
            kept: &[("act", "direct"), ("action", "extend"), ("argument", "long"), ("words", WORDS)],
            secrets: &[],
        },
        Refused {
            template: "tournament_new.html",
            who: "ann",
            path: "/tournaments/new",
            kept: &[
                ("game", "obsidio"),
                ("form", "swiss"),
                ("title", "A cup"),
                ("description", WORDS),
                ("options", "-nothing"),
            ],
            secrets: &[],
        },
        Refused {
            template: "challenge.html",
            who: "ann",
            path: "/challenge",
            kept: &[
                ("game", "osbox"),
                ("player2", "nobody"),
                ("player3", "bob"),
                ("option_size", "5"),
                ("first", "them"),
                ("days", "other"),
                ("own_days", "10"),
                ("unrated", "on"),
                ("comment", WORDS),
                ("or_computer", "yes"),
                ("level", "6"),
            ],
            secrets: &[],
        },
        Refused {
            template: "computer.html",
            who: "ann",
            path: "/challenge",
            kept: &[("game", "osbox"), ("player2", "nobody"), ("level", "6")],
            secrets: &[],
        },
        Refused {
            template: "login.html",
            who: "",
            path: "/login",
            kept: &[("userid", "ann"), ("next", "/standings")],
            secrets: &["password"],
        },
        Refused {
            template: "signup.html",
            who: "",
            path: "/signup",
            kept: &[
                ("userid", "nova"),
                ("address", "no address"),
                ("moves", "digest"),
                ("next", "/standings"),
            ],
            secrets: &["password"],
        },
        Refused {
            template: "user.html",
            who: "ann",
            path: "/users/nobody",
            kept: &[("comment", WORDS)],
            secrets: &[],
        },
        Refused {
            template: "board.html",
            who: "ann",
            path: BOARD,
            kept: &[("act", "move"), ("move", "zz"), ("comment", WORDS)],
            secrets: &[],
        },
        Refused {
            template: "admin/broadcast.html",
            who: "ada",
            path: "/admin/broadcast",
            kept: &[("text", WORDS)],
            secrets: &[],
        },
        Refused {
            template: "admin/do_not_mail.html",
            who: "ada",
            path: "/admin/do-not-mail",
            kept: &[("act", "add"), ("target", "no address"), ("reason", WORDS)],
            secrets: &[],
        },
        Refused {
            template: "admin/board.html",
            who: "ada",
            path: "/admin/boards/osbox/101",
            kept: &[("act", "adjudicate"), ("why", WORDS), ("winner", "2")],
            secrets: &[],
        },
    ];

    /// Every field of the forms in a folder of templates that somebody fills in, passwords excepted, with its template.
    fn find_typed(folder: &Path, within: &str, found: &mut BTreeSet<(String, String)>) {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = format!("{within}{}", entry.file_name().to_str().unwrap());
            if entry.path().is_dir() {
                find_typed(&entry.path(), &format!("{name}/"), found);
                continue;
            }
            let text = std::fs::read_to_string(entry.path()).unwrap();
            let forms = tags(&text, "form").into_iter().filter(|(tag, _)| tag.contains("method=\"post\""));
            for (_, rest) in forms {
                let form = rest.split("</form>").next().unwrap_or_default();
                for kind in ["input", "textarea", "select"] {
                    for (tag, _) in tags(form, kind) {
                        let of = attribute(tag, "type").unwrap_or_default();
                        let is_typed = !["hidden", "password", "checkbox", "radio"].contains(&of.as_str());
                        let field = attribute(tag, "name").filter(|field| is_typed && !field.contains("{{"));
                        found.extend(field.map(|field| (name.clone(), field)));
                    }
                }
            }
        }
    }

    pub(super) async fn a_refused_form_keeps_every_field_but_passwords(place: Place) {
        let app = playing(place, |_| {}).await;
        app.sign_up("ada").await;
        edit_user(&app.app, "ada", UserEdit::Role("admin")).await.unwrap();
        let page = app.post("announce ada ada-secret osbox roundrobin", "A cup").await;
        assert_eq!(page.outcome(), "200 ok", "{}", page.text);
        let mut missing = BTreeSet::new();
        find_typed(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../templates/web"), "", &mut missing);
        assert!(missing.len() > 15, "{missing:?}");
        for Refused { template, who, path, kept, secrets } in REFUSED {
            let mut browser = if who.is_empty() { Browser::new(&app) } else { Browser::of(&app, who).await };
            let secrets = secrets.iter().map(|name| (*name, "wrong-secret"));
            let sent: Vec<(&str, &str)> = kept.iter().copied().chain(secrets).collect();
            let page = browser.post(path, &sent).await;
            assert!(page.status.is_client_error(), "{sent:?}: {}", page.status);
            assert!(!page.text.contains("-secret"), "{sent:?}: {}", page.text);
            let shown = fields(&page.text);
            for (name, value) in kept.iter().filter(|(name, _)| !["act", "move"].contains(name)) {
                let is_kept = shown.iter().any(|(known, held)| known == name && held == value);
                assert!(is_kept, "{name}={value} of {sent:?}: {}", page.text);
                missing.remove(&((*template).to_owned(), (*name).to_owned()));
            }
        }
        assert!(missing.is_empty(), "a form without a row: {missing:?}");
    }

    pub(super) async fn what_is_said_under_one_key_is_said_once(place: Place) {
        let app = playing(place, |_| {}).await;
        let cookie = Browser::of(&app, "ann").await.cookie.unwrap();
        for key in ["one", "one", "two"] {
            let body = form(&[("act", "chat"), ("comment", WORDS)]);
            let page = send(&app, BOARD, &cookie, &[("idempotency-key", key)], body).await;
            assert_eq!(
                (page.status.as_u16(), page.header("location")),
                (303, "/boards/osbox/101?side=talk#board")
            );
        }
        let talk = app.get(BOARD).await.text;
        assert_eq!(talk.matches("class=\"speech\"").count(), 2, "{talk}");
        // A move is made once by its number, whether there is a key or not.
        for _ in 0..2 {
            let body = form(&[("act", "move"), ("move", "f1"), ("number", "1"), ("comment", "Well")]);
            let page = send(&app, BOARD, &cookie, &[("idempotency-key", "three")], body).await;
            assert_eq!(page.status, 303, "{}", page.text);
        }
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!(board["ply"], 1);
        let page = send(
            &app,
            BOARD,
            &cookie,
            &[("idempotency-key", "")],
            form(&[("act", "chat"), ("comment", WORDS)]),
        );
        let page = page.await;
        assert!(page.status.is_client_error() && page.text.contains("knot &amp;"), "{}", page.text);
    }

    pub(super) async fn a_form_beyond_the_rate_keeps_its_words(place: Place) {
        let app = playing(place, |config| {
            config.limits.enabled = true;
            config.limits.http_per_minute = 20;
        })
        .await;
        let mut ann = Browser::of(&app, "ann").await;
        let mut page = ann.post("/users/bob", &[("comment", WORDS)]).await;
        for _ in 0..30 {
            if page.status == 429 && page.text.contains("too many requests") {
                break;
            }
            page = ann.post("/nowhere", &[("comment", WORDS)]).await;
        }
        assert_eq!(page.status, 429, "{}", page.text);
        assert!(page.text.contains(SHOWN) && !page.header("retry-after").is_empty(), "{}", page.text);
        let page = ann.post_from("cross-site", "/nowhere", &[("comment", WORDS)]).await;
        assert!(!page.text.contains(SHOWN), "of another site: {}", page.text);
    }
}
