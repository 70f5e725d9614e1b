//! Fields that hold more than their form asks for: each is refused, or taken for what it is, and never does what another
//! form does.
//!
//! The snapshot has a line for every field and value: the status, what is changed by it, and what its sender is told.

use super::tell;

tell! {
    ;
    undeployed: no_field_of_a_page_or_of_the_api_says_more_than_it_should,
}

mod stories {
    use serde_json::{Value, json};

    use super::super::browser::{Browser, form};
    use super::super::program::{basic, call};
    use crate::harness::{Page, Place, Tables, TestApp};

    const LONG: &str = "a hundred thousand letters";

    /// What a field may be sent, and what it is called in the snapshot.
    const VALUES: [(&str, &str); 18] = [
        ("nothing", ""),
        ("a line end", "f1\nosbox resign 101 ann ann-secret"),
        ("a number sign", "f1#1"),
        ("a blank", "f1 resign"),
        ("a blank of another kind", "f1\u{2800}resign"),
        ("a control character", "f1\u{1}"),
        ("an invisible sign", "zz\u{200b}zz"),
        ("another user", "bob"),
        ("an option", "-x"),
        ("the server's option", "--unrated"),
        ("another option", "-size=5"),
        ("a pair", "size=5"),
        ("quotes", "\"zzzz\""),
        ("a mask", "********"),
        ("two stars", "**"),
        ("a dash", "-"),
        ("a keyword", "accept"),
        (LONG, ""),
    ];

    fn value(name: &str, text: &str) -> String {
        if name == LONG { "a".repeat(100_000) } else { text.to_owned() }
    }

    /// A form: where it is sent, what else it holds, and the fields that are tried.
    struct Form {
        name: &'static str,
        path: &'static str,
        rest: &'static [(&'static str, &'static str)],
        fields: &'static [&'static str],
    }

    const FORMS: [Form; 12] = [
        Form {
            name: "a move",
            path: "/boards/osbox/101",
            rest: &[("act", "move"), ("move", "f1")],
            fields: &["act", "move", "number", "sure"],
        },
        Form { name: "chat", path: "/boards/osbox/101", rest: &[("act", "chat")], fields: &["comment"] },
        Form {
            name: "a challenge",
            path: "/challenge",
            rest: &[("game", "osbox"), ("player2", "nobody-else")],
            fields: &["game", "act", "player2", "first", "option_size", "option_capture", "option_any_side"],
        },
        Form {
            name: "a wish",
            path: "/challenge",
            rest: &[("game", "osbox"), ("act", "seek")],
            fields: &["game", "option_size", "option_score"],
        },
        Form {
            name: "a wish taken back",
            path: "/challenge",
            rest: &[("game", "osbox"), ("act", "stop_seeking")],
            fields: &["game"],
        },
        Form {
            name: "preferences",
            path: "/settings",
            rest: &[("act", "preferences")],
            fields: &["act", "mail", "digest", "timezone"],
        },
        Form {
            name: "a password",
            path: "/settings",
            rest: &[("act", "password"), ("present", "not-the-one"), ("new", "chocolate")],
            fields: &["present", "new"],
        },
        Form {
            name: "the right password",
            path: "/settings",
            rest: &[("act", "password"), ("present", "ann-secret"), ("new", "-x")],
            fields: &["new"],
        },
        Form { name: "an address", path: "/settings", rest: &[("act", "add")], fields: &["address"] },
        Form { name: "an address less", path: "/settings", rest: &[("act", "remove")], fields: &["address"] },
        Form { name: "time off", path: "/settings", rest: &[("act", "vacation")], fields: &["until"] },
        Form {
            name: "a new user",
            path: "/signup",
            rest: &[("userid", "dora"), ("password", "chocolate"), ("address", "no-address")],
            fields: &["userid", "password", "address"],
        },
    ];

    /// What the page says is wrong.
    fn alert(page: &Page) -> String {
        let told = page.text.split_once("role=\"alert\">").map_or("", |(_, rest)| rest);
        let told = told.split_once("</").map_or(told, |(told, _)| told).trim_start_matches("<p>");
        told.chars().take(160).collect()
    }

    fn outcome(page: &Page, changed: &str, told: &str) -> String {
        let parts = [page.status.as_str(), page.header("location"), changed, told];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" | ")
    }

    pub(super) async fn no_field_of_a_page_or_of_the_api_says_more_than_it_should(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge -size=3 bob ann", "").await;
        let own = app.tables().await.rows("users").to_vec();
        let mut lines = Vec::new();
        forms(&app, &mut lines).await;
        paths(&app, &mut lines).await;
        api(&app, &mut lines).await;
        let board = app.get("/api/v1/boards/osbox/101").await.json();
        assert_eq!((&board["ply"], &board["state"]), (&0.into(), &"active".into()), "{board}");
        let bobs = own.iter().find(|row| row.contains("bob"));
        assert!(app.tables().await.rows("users").iter().any(|row| Some(row) == bobs), "bob is as he was");
        insta::assert_snapshot!("hostile", lines.join("\n"));
    }

    async fn forms(app: &TestApp, lines: &mut Vec<String>) {
        for tried in &FORMS {
            for field in tried.fields {
                let mut browser = match tried.path {
                    "/signup" => Browser::new(app),
                    _ => Browser::of(app, "ann").await,
                };
                lines.push(format!("{}: {field}", tried.name));
                let mut before = app.tables().await.of_the_games();
                for (name, text) in VALUES {
                    let text = value(name, text);
                    let rest = tried.rest.iter().filter(|(rest, _)| rest != field).copied();
                    let fields: Vec<(&str, &str)> = rest.chain([(*field, text.as_str())]).collect();
                    let page = browser.post(tried.path, &fields).await;
                    let changed = changes(app, &page, &mut before).await;
                    lines.push(format!("    {name}: {}", outcome(&page, &changed, &alert(&page))));
                    if tried.name == "the right password" && page.status == 303 {
                        app.post(&format!("change password ann {text} ann-secret"), "").await;
                        browser = Browser::of(app, "ann").await;
                        before = app.tables().await.of_the_games();
                    }
                }
                let after = app.tables().await.of_the_games();
                assert!(
                    before.differing(&after).is_empty(),
                    "{}: {field} changed what was refused",
                    tried.name
                );
            }
        }
    }

    /// The tables that a request changed, if it was carried out. That refused ones change nothing is seen later, for
    /// all of them together.
    async fn changes(app: &TestApp, page: &Page, before: &mut Tables) -> String {
        if page.status.is_client_error() {
            return String::new();
        }
        let after = app.tables().await.of_the_games();
        let changed = before.differing(&after).join(" ");
        *before = after;
        changed
    }

    async fn paths(app: &TestApp, lines: &mut Vec<String>) {
        let mut ann = Browser::of(app, "ann").await;
        let mut before = app.tables().await.of_the_games();
        for act in ["move", "chat", "subscribe"] {
            for (game, number) in PATHS {
                let path = form(&[("/boards", game), ("/", number)]).replace('&', "").replace('=', "/");
                let path = path.replace("%2F", "/").replace("//", "/");
                let page = ann.post(&path, &[("act", act), ("move", "f1"), ("comment", "Hello.")]).await;
                let changed = changes(app, &page, &mut before).await;
                lines.push(format!("{act} at {path}: {}", outcome(&page, &changed, &alert(&page))));
            }
        }
        for (game, number) in PATHS {
            let path =
                format!("/api/v1/boards/{game}/{number}/moves").replace(' ', "%20").replace('#', "%23");
            let page = call(app, &basic("ann"), "POST", &path, &json!({ "move": "f1" })).await;
            lines.push(format!("{path}: {}", told_by_api(&page)));
        }
        assert!(before.differing(&app.tables().await.of_the_games()).is_empty());
    }

    const PATHS: [(&str, &str); 9] = [
        ("chess", "101"),
        ("osb", "101"),
        ("help", "101"),
        ("osbox move", "101"),
        ("osbox", "0"),
        ("osbox", "-5"),
        ("osbox", "999"),
        ("osbox", "4294967397"),
        ("osbox", "101#1"),
    ];

    fn told_by_api(page: &Page) -> String {
        let json = page.json();
        let detail = json["detail"].as_str().unwrap_or_default().chars().take(160).collect::<String>();
        format!("{} | {detail}", page.outcome())
    }

    async fn api(app: &TestApp, lines: &mut Vec<String>) {
        let before = app.tables().await.of_the_games();
        for field in ["move", "number", "comment"] {
            lines.push(format!("a move by the API: {field}"));
            for (name, text) in VALUES {
                let mut body = json!({ "move": "f1", "number": 1, "comment": "" });
                body[field] = Value::String(value(name, text));
                let page = call(app, &basic("ann"), "POST", "/api/v1/boards/osbox/101/moves", &body).await;
                lines.push(format!("    {name}: {}", told_by_api(&page)));
            }
        }
        for number in [json!(0), json!(-1), json!(4_294_967_296_u64), json!(7)] {
            let body = json!({ "move": "f1", "number": number });
            let page = call(app, &basic("ann"), "POST", "/api/v1/boards/osbox/101/moves", &body).await;
            lines.push(format!("a move by the API: number {number}: {}", told_by_api(&page)));
        }
        assert!(
            before.differing(&app.tables().await.of_the_games()).is_empty(),
            "none of them is carried out"
        );
    }
}
