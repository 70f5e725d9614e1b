//! Tournaments from the pages, without a script, and from programs.

use super::tell;

tell! {
    a_round_robin_is_announced_entered_and_played_by_clicks,
    a_ladder_is_climbed_by_clicks,
    a_league_goes_on_from_season_to_season_by_clicks,
    a_director_directs_from_the_page,
    programs_announce_enter_and_direct;
    on_postgres: a_ladder_is_climbed_by_clicks, programs_announce_enter_and_direct,
}

mod stories {
    use axum::body::Body;
    use axum::http::Request;
    use serde_json::{Value, json};

    use super::super::browser::Browser;
    use crate::harness::{HOUR, Page, Place, TestApp};

    /// A server where these have signed up, and ann has finished a board.
    async fn begin(place: Place, names: &[&str]) -> TestApp {
        let app = TestApp::with_players(place, names).await;
        app.stay_alive().await;
        app.post("osbox challenge ann bob", "").await;
        app.play_on("osbox", 101, 2).await;
        let page = app.post("osbox resign 101 ann ann-secret", "").await;
        assert_eq!(page.outcome(), "200 ok", "{}", page.text);
        app
    }

    const CUP: [(&str, &str); 5] = [
        ("game", "osbox"),
        ("title", "Winter <cup>"),
        ("description", "For everybody.\nEnter!"),
        ("options", "-size=4"),
        ("option_players", "2-3"),
    ];

    fn holds(page: &Page, words: &str) {
        assert!(page.text.contains(words), "{words}: {}", page.text);
    }

    pub(super) async fn a_round_robin_is_announced_entered_and_played_by_clicks(place: Place) {
        let app = begin(place, &["ann", "bob", "cyd"]).await;
        holds(&Browser::new(&app).get("/").await, "href=\"/tournaments\"");
        let mut ann = Browser::of(&app, "ann").await;
        let form = ann.get("/tournaments/new?game=osbox").await;
        for field in [
            "name=\"option_players\"",
            "name=\"title\"",
            "name=\"option_closed\"",
            "value=\"osbox\" selected",
        ] {
            holds(&form, field);
        }
        let page = ann.submit("/tournaments/new", &CUP).await;
        holds(&page, "It is announced, and you direct it.");
        holds(&page, "Winter &lt;cup&gt;");
        holds(&page, "It is open: 0 of 3 players have entered.");
        let page = ann.submit("/tournaments/t1", &[("act", "enter")]).await;
        holds(&page, "You have entered.");
        let visitor = Browser::new(&app).get("/tournaments?game=osbox").await;
        holds(&visitor, "Log in to enter");
        holds(&visitor, "1/3, starts when full");
        let (mut bob, mut cyd) = (Browser::of(&app, "bob").await, Browser::of(&app, "cyd").await);
        holds(&bob.get("/tournaments").await, "aria-label=\"Enter Winter &lt;cup&gt;\"");
        bob.submit("/tournaments/t1", &[("act", "enter")]).await;
        holds(&bob.get("/tournaments").await, "You are in.");
        holds(&bob.submit("/tournaments/t1", &[("act", "withdraw")]).await, "You are out.");
        bob.submit("/tournaments/t1", &[("act", "enter")]).await;
        cyd.submit("/tournaments/t1", &[("act", "enter")]).await;
        app.stay_alive().await;
        app.tick().await;
        let page = ann.get("/tournaments/t1").await;
        holds(&page, "Round 1 of 1 is being played");
        holds(&page, "<h2>Your boards</h2>");
        holds(&page, "aria-label=\"Table: Group a, round 1\"");
        for number in 102..=104 {
            holds(&page, &format!("href=\"/boards/osbox/{number}\""));
            let board = app.get(&format!("/api/v1/boards/osbox/{number}")).await.json();
            let loser = board["players"][0]["userid"].as_str().expect("a player").to_owned();
            holds(&app.get(&format!("/boards/osbox/{number}")).await, "Tournament t1</a>, group a, round 1");
            app.play_on("osbox", number, 2).await;
            let mut browser = Browser::of(&app, &loser).await;
            let resigned = [("act", "resign"), ("sure", "yes")];
            let page = browser.post(&format!("/boards/osbox/{number}"), &resigned).await;
            assert!(page.status.as_u16() < 400, "{}", page.text);
        }
        app.stay_alive().await;
        app.tick().await;
        holds(&Browser::new(&app).get("/tournaments/t1").await, "It is over, and was won by");
        let page = Browser::new(&app).get("/tournaments").await;
        holds(&page, "<a href=\"/tournaments/t1\"><strong>Winter &lt;cup&gt;</strong></a>");
        holds(
            &Browser::new(&app).get("/users/cyd").await,
            "<a href=\"/tournaments/t1\">Winter &lt;cup&gt;</a>",
        );
        assert_eq!(Browser::new(&app).get("/tournaments/t9").await.status, 404);
        assert_eq!(Browser::new(&app).get("/tournaments/first").await.status, 404);
    }

    pub(super) async fn a_ladder_is_climbed_by_clicks(place: Place) {
        let app = begin(place, &["ann", "bob", "cyd"]).await;
        let mut ann = Browser::of(&app, "ann").await;
        let ladder =
            [("game", "osbox"), ("form", "ladder"), ("title", "Long ladder"), ("options", "-size=4")];
        holds(&ann.submit("/tournaments/new", &ladder).await, "It is announced, and you direct it.");
        let mut bob = Browser::of(&app, "bob").await;
        let mut cyd = Browser::of(&app, "cyd").await;
        holds(&bob.get("/tournaments").await, "aria-label=\"Enter Long ladder\"");
        for browser in [&mut ann, &mut bob, &mut cyd] {
            holds(&browser.submit("/tournaments/t1", &[("act", "enter")]).await, "You have entered.");
        }
        holds(&ann.get("/tournaments/t1").await, "You are on top. Others can challenge you.");
        let page = cyd.get("/tournaments/t1").await;
        holds(&page, "aria-label=\"Challenge ann\"");
        holds(&page, "aria-label=\"Challenge bob\"");
        assert!(!Browser::new(&app).get("/tournaments/t1").await.text.contains("Challenge ann"));
        let page = cyd.submit("/tournaments/t1", &[("act", "challenge"), ("argument", "ann")]).await;
        holds(&page, "The game has begun.");
        holds(&page, "You play ann already, on board 102.");
        holds(&page, "href=\"/boards/osbox/102\"");
        let page = cyd.post("/tournaments/t1", &[("act", "challenge"), ("argument", "ann")]).await;
        assert_eq!(page.status, 409, "{}", page.text);
        holds(&page, "role=\"alert\"");
        holds(&ann.get("/boards/osbox/102").await, "Tournament t1</a>, a ladder");
        app.play_on("osbox", 102, 2).await;
        let page = ann.post("/boards/osbox/102", &[("act", "resign"), ("sure", "yes")]).await;
        assert!(page.status.as_u16() < 400, "{}", page.text);
        let page = cyd.get("/tournaments/t1").await;
        holds(&page, "cyd won against ann (board 102) and took place 1");
        holds(&page, "You are on top.");
        holds(&bob.get("/tournaments/t1").await, "aria-label=\"Challenge cyd\"");
        let board = app.get("/api/v1/boards/osbox/102").await.json();
        let yesterday = app.app.clock.now().plus(-86_400_000).to_rfc3339();
        assert_eq!(board["tournament"], "t1");
        let places = async |path: &str| {
            let players = app.get(path).await.json()["players"].clone();
            let players = players.as_array().cloned().unwrap_or_default();
            players.iter().map(|player| player["userid"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(places("/api/v1/tournaments/t1").await, ["cyd", "ann", "bob"]);
        assert!(places(&format!("/api/v1/tournaments/t1?at={}", &yesterday[..10])).await.is_empty());
        let now = app.app.clock.now().to_rfc3339();
        assert_eq!(places(&format!("/api/v1/tournaments/t1?at={now}")).await, ["cyd", "ann", "bob"]);
        assert_eq!(app.get("/api/v1/tournaments/t1?at=then").await.json()["code"], "bad_value");
        holds(&cyd.get(&format!("/tournaments/t1?at={}", &yesterday[..10])).await, "Places of today");
        let page = send(&app, "bob", "POST", "/api/v1/tournaments/t1/challenge", json!({})).await;
        assert_eq!(page.status, 201, "{}", page.text);
        let boards = json!([{ "game": "osbox", "number": 103 }]);
        assert_eq!(
            page.json(),
            json!({ "tournament": "t1", "title": "Long ladder", "opponent": "cyd", "boards": boards })
        );
        let again = json!({ "opponent": "cyd" });
        let page = send(&app, "bob", "POST", "/api/v1/tournaments/t1/challenge", again).await;
        assert_eq!((page.status.as_u16(), &page.json()["code"]), (409, &json!("conflict")), "{}", page.text);
        holds(&bob.submit("/tournaments/t1", &[("act", "withdraw")]).await, "You are out.");
    }

    pub(super) async fn a_league_goes_on_from_season_to_season_by_clicks(place: Place) {
        let names = ["ann", "bob", "cyd", "dan", "eve", "fay", "gus", "hal"];
        let app = begin(place, &names).await;
        let mut ann = Browser::of(&app, "ann").await;
        let league = [
            ("game", "osbox"),
            ("form", "league"),
            ("title", "City league"),
            ("option_players", "8-16"),
            ("option_group", "4"),
            ("option_move", "1"),
            ("option_pause", "2"),
        ];
        let page = ann.post("/tournaments/new", &[&league[..], &[("option_window", "5")]].concat()).await;
        holds(&page, "of the form ladder");
        let page = ann.submit("/tournaments/new", &league).await;
        holds(&page, "It is announced, and you direct it.");
        holds(&page, "after a season the first goes up, and the last goes down");
        for name in names {
            let mut browser = Browser::of(&app, name).await;
            holds(&browser.submit("/tournaments/t1", &[("act", "enter")]).await, "You have entered.");
        }
        holds(&ann.submit("/tournaments/t1", &[("act", "direct"), ("action", "start")]).await, "Done.");
        app.stay_alive().await;
        app.tick().await;
        let page = ann.get("/tournaments/t1").await;
        holds(&page, "<h2>Your boards</h2>");
        for division in ["a", "b"] {
            holds(&page, &format!("aria-label=\"Table: Division {division}, season 1\""));
        }
        // Who enters meanwhile, and who leaves.
        app.sign_up("ivy").await;
        let mut ivy = Browser::of(&app, "ivy").await;
        holds(&ivy.get("/tournaments").await, "aria-label=\"Enter City league\"");
        holds(&ivy.submit("/tournaments/t1", &[("act", "enter")]).await, "You have entered.");
        assert!(!ivy.get("/tournaments/t1").await.text.contains("<h2>Your boards</h2>"));
        let api = app.get("/api/v1/tournaments/t1").await.json();
        for pairing in api["pairings"].as_array().expect("pairings") {
            let seats = pairing["seats"].as_array().expect("seats").iter();
            let loser = seats.map(|seat| seat["userid"].as_str().expect("a userid")).max().expect("two");
            let number = pairing["boards"][0]["number"].as_u64().expect("a board") as u32;
            let board = app.get(&format!("/api/v1/boards/osbox/{number}")).await.json();
            app.play_on("osbox", number, if board["to_move"][0] == loser { 2 } else { 3 }).await;
            let mut browser = Browser::of(&app, loser).await;
            let resigned = [("act", "resign"), ("sure", "yes")];
            let page = browser.post(&format!("/boards/osbox/{number}"), &resigned).await;
            assert!(page.status.as_u16() < 400, "{}", page.text);
            holds(&browser.get(&format!("/boards/osbox/{number}")).await, "Tournament t1</a>, division");
        }
        app.stay_alive().await;
        app.tick().await;
        holds(&ann.get("/tournaments/t1").await, "Season 1 is over");
        app.pass(48 * HOUR).await;
        let page = ivy.get("/tournaments/t1").await;
        holds(&page, "aria-label=\"Table: Division a, season 2\"");
        holds(&page, "<h2>Your boards</h2>");
        let api = app.get("/api/v1/tournaments/t1").await.json();
        let mut of_a: Vec<&str> = api["players"]
            .as_array()
            .expect("players")
            .iter()
            .filter(|player| player["group"] == "a")
            .filter_map(|player| player["userid"].as_str())
            .collect();
        of_a.sort_unstable();
        assert_eq!(
            of_a,
            ["ann", "bob", "cyd", "dan"],
            "ann has lost a rated game and began in the other one; eve was the last"
        );
        holds(&ivy.submit("/tournaments/t1", &[("act", "withdraw")]).await, "You are out.");
    }

    pub(super) async fn a_director_directs_from_the_page(place: Place) {
        let app = begin(place, &["ann", "bob", "cyd"]).await;
        let mut ann = Browser::of(&app, "ann").await;
        for (field, value, told) in [
            ("option_players", "1-3", "from 2 to 1000"),
            ("options", "-lives=3", "There is no option"),
            ("options", "-rounds=3", "of the form swiss"),
            ("title", " ", "Write a title"),
            ("game", "chess", "chess"),
        ] {
            let mut fields: Vec<(&str, &str)> = CUP.into_iter().filter(|(name, _)| *name != field).collect();
            fields.push((field, value));
            let page = ann.post("/tournaments/new", &fields).await;
            assert!(page.status.is_client_error(), "{field}: {}", page.status);
            holds(&page, told);
        }
        ann.submit("/tournaments/new", &CUP).await;
        let direct = |action, argument| {
            [("act", "direct"), ("action", action), ("argument", argument), ("words", "So be it")]
        };
        let mut bob = Browser::of(&app, "bob").await;
        bob.submit("/tournaments/t1", &[("act", "enter")]).await;
        assert!(!bob.get("/tournaments/t1").await.text.contains("Direct it"));
        assert_eq!(bob.post("/tournaments/t1", &direct("cancel", "")).await.status, 403);
        let page = ann.post("/tournaments/t1", &direct("start", "")).await;
        assert_eq!(page.status, 409, "{}", page.text);
        holds(&page, "role=\"alert\"");
        let page = ann.submit("/tournaments/t1", &direct("expel", "bob")).await;
        holds(&page, "So be it");
        let page = ann.submit("/tournaments/t1", &direct("cancel", "")).await;
        holds(&page, "It was cancelled.");
    }

    async fn send(app: &TestApp, name: &str, method: &str, path: &str, body: Value) -> Page {
        let basic = data_encoding::BASE64.encode(format!("{name}:{name}-secret").as_bytes());
        let request =
            Request::builder().method(method).uri(path).header("authorization", format!("Basic {basic}"));
        app.send(
            request.header("content-type", "application/json").body(Body::from(body.to_string())).unwrap(),
        )
        .await
    }

    pub(super) async fn programs_announce_enter_and_direct(place: Place) {
        let app = begin(place, &["ann", "bob"]).await;
        let wish = json!({ "game": "osbox", "form": "roundrobin", "options": "-size=4 -players=2-3", "title": "Cup" });
        let page = send(&app, "ann", "POST", "/api/v1/tournaments", wish).await;
        assert_eq!(page.status, 201, "{}", page.text);
        let made = page.json();
        assert_eq!(
            (&made["name"], &made["state"], &made["maximum"]),
            (&json!("t1"), &json!("open"), &json!(3))
        );
        let page = send(&app, "bob", "POST", "/api/v1/tournaments/t1/entry", Value::Null).await;
        assert_eq!((page.status.as_u16(), &page.json()["entered"]), (201, &json!(1)), "{}", page.text);
        send(&app, "ann", "POST", "/api/v1/tournaments/t1/entry", Value::Null).await;
        let page = send(&app, "ann", "DELETE", "/api/v1/tournaments/t1/entry", Value::Null).await;
        assert_eq!((page.status.as_u16(), &page.json()["entered"]), (200, &json!(1)), "{}", page.text);
        send(&app, "ann", "POST", "/api/v1/tournaments/t1/entry", Value::Null).await;
        let list = app.get("/api/v1/tournaments?game=osbox&state=open&user=bob").await.json();
        assert_eq!(list["tournaments"][0]["name"], "t1");
        let page =
            send(&app, "bob", "POST", "/api/v1/tournaments/t1/direct", json!({ "action": "start" })).await;
        assert_eq!(page.json()["code"], "not_allowed", "{}", page.text);
        let page =
            send(&app, "ann", "POST", "/api/v1/tournaments/t1/direct", json!({ "action": "pause" })).await;
        assert_eq!(
            (page.status.as_u16(), &page.json()["code"]),
            (400, &json!("wrong_arguments")),
            "{}",
            page.text
        );
        let page =
            send(&app, "ann", "POST", "/api/v1/tournaments/t1/direct", json!({ "action": "start" })).await;
        assert_eq!(page.status, 200, "{}", page.text);
        app.stay_alive().await;
        app.tick().await;
        let shown = app.get("/api/v1/tournaments/t1").await.json();
        assert_eq!((&shown["state"], &shown["round"]), (&json!("running"), &json!(1)));
        assert_eq!(shown["pairings"][0]["boards"], json!([{ "game": "osbox", "number": 102 }]));
        let board = app.get("/api/v1/boards/osbox/102").await.json();
        assert_eq!(
            (&board["tournament"], &board["round"], &board["group"]),
            (&json!("t1"), &json!(1), &json!("a"))
        );
        assert!(app.get("/api/v1/boards/osbox/101").await.json().get("tournament").is_none());
        for (query, number) in [("", 102), ("&state=active", 102), ("&game=osbox&user=ann", 102)] {
            let page = app.get(&format!("/api/v1/boards?tournament=t1{query}")).await.json();
            let boards = page["boards"].as_array().expect("boards");
            assert_eq!((boards.len(), &boards[0]["number"]), (1, &json!(number)), "{query}: {page}");
        }
        assert!(app.get("/api/v1/boards?tournament=t1&state=over").await.json()["boards"] == json!([]));
        for (line, shown, missing) in [
            ("osbox show tournament", "102", "101"),
            ("osbox show ann tournament", "102", "101"),
            ("osbox show ann standard", "101", "102"),
        ] {
            let page = app.post(line, "").await;
            assert!(page.text.contains(&format!("Board {shown}")), "{line}: {}", page.text);
            assert!(!page.text.contains(&format!("Board {missing}")), "{line}: {}", page.text);
        }
        let log = app.get("/api/v1/tournaments/t1/log").await.json();
        assert!(log["log"].as_array().is_some_and(|lines| lines.len() >= 3), "{log}");
        let table = app.get("/api/v1/tournaments/t1/export.csv").await;
        assert!(
            table.text.starts_with("place,userid,number,group,state,points,DE,SB,WIN\r\n1,"),
            "{}",
            table.text
        );
        for (path, code) in [
            ("/api/v1/tournaments/t9", "no_such_tournament"),
            ("/api/v1/tournaments?state=new", "bad_value"),
            ("/api/v1/tournaments?cursor=x", "bad_value"),
            ("/api/v1/tournaments?game=chess", "unknown_game"),
        ] {
            assert_eq!(app.get(path).await.json()["code"], code, "{path}");
        }
    }
}
