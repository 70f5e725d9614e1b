//! Every link and every form of every page, as each kind of visitor meets them: none leads to an error of the server, and
//! no link to nothing.

use super::tell;

tell! {
    no_link_and_no_form_is_broken_for_a_visitor,
    no_link_and_no_form_is_broken_for_a_player,
    no_link_and_no_form_is_broken_for_an_administrator,
}

mod stories {
    use std::collections::{BTreeMap, BTreeSet, VecDeque};

    use super::super::browser::{Browser, form};
    use super::super::markup::{attribute, fields, tags};
    use crate::harness::{Page, Place, TestApp, edit_user};
    use knotpost_core::admin::UserEdit;

    const GAMES: [&str; 4] = ["osbox", "obsidio", "osbo", "boxilies"];
    /// Addresses of one shape that are asked for.
    const OF_A_SHAPE: usize = 2;
    /// The longest part of a value that tells shapes apart.
    const LONGEST_SHAPE: usize = 3;
    /// The most addresses that one visitor asks for.
    const MOST: usize = 450;

    /// A form as it stands on its page: where it goes, and what it holds there.
    #[derive(Clone, Debug)]
    struct Form {
        on: String,
        action: String,
        is_post: bool,
        fields: Vec<(String, String)>,
    }

    /// Boards of all games: open, played with words and notes, paused, ended and removed.
    async fn populated(place: Place) -> TestApp {
        let app = TestApp::start_with(place, |config| config.limits.http_per_minute = 1_000_000).await;
        for name in ["ann", "bob", "ada"] {
            app.sign_up(name).await;
        }
        edit_user(&app.app, "ada", UserEdit::Role("admin")).await.unwrap();
        let (mut ann, mut ada) = (Browser::of(&app, "ann").await, Browser::of(&app, "ada").await);
        for game in GAMES {
            for number in 101..106 {
                let line = format!("{game} challenge ann bob");
                assert_eq!(app.post(&line, "A word with it").await.outcome(), "200 ok", "{line}");
                // Osbo's moves have parts; its boards are open, ended or paused.
                let legal = app.get(&format!("/api/v1/boards/{game}/{number}/legal")).await.json();
                let Some(play) = legal["legal"][0].as_str().filter(|_| game != "osbo" && number > 101) else {
                    continue;
                };
                let line = format!("{game} move {number} ann ann-secret {play}");
                assert_eq!(app.post(&line, "Well <played>").await.outcome(), "200 ok", "{line}");
            }
            let board = format!("/boards/{game}/102");
            ann.submit(&board, &[("act", "note"), ("comment", "Look \"there\" & here")]).await;
            ann.submit(&board, &[("act", "chat"), ("comment", "Hello <bob>")]).await;
            // Obsidio knows no draws. The offer of ann is refused, that of bob waits.
            let offers = [(101, "ann", "propose"), (101, "bob", "reject"), (102, "bob", "propose")];
            for (number, user, answer) in offers.into_iter().filter(|_| game != "obsidio") {
                let line = format!("{game} move {number} {user} {user}-secret {answer}");
                assert_eq!(app.post(&line, "").await.outcome(), "200 ok", "{line}");
            }
            assert_eq!(app.post(&format!("{game} resign 103 bob bob-secret"), "").await.outcome(), "200 ok");
            for (number, act) in [(104, "pause"), (105, "remove")] {
                let board = format!("/admin/boards/{game}/{number}");
                let page = ada.post(&board, &[("act", act), ("sure", "yes")]).await;
                assert_eq!(page.status, 303, "{act}: {}", page.text);
            }
        }
        for (number, form) in [
            "roundrobin -size=3 -players=2-2",
            "roundrobin -players=4-8",
            "swiss -players=6-6",
            "ladder",
            "league",
        ]
        .into_iter()
        .enumerate()
        {
            let line = format!("announce ada ada-secret osbox {form}");
            assert_eq!(app.post(&line, "A cup of <ours>\n\nWords").await.outcome(), "200 ok", "{line}");
            for user in ["ann", "bob"] {
                let line = format!("enter {user} {user}-secret t{}", number + 1);
                assert_eq!(app.post(&line, "").await.outcome(), "200 ok", "{line}");
            }
        }
        app.post("osbox seek bob bob-secret 1 -size=3", "").await;
        ann.post("/challenge", &[("game", "osbox"), ("act", "invite")]).await;
        app
    }

    /// The address on this server, as seen from a page; `None`: it leads elsewhere.
    fn resolve(on: &str, address: &str) -> Option<String> {
        let address = address.strip_prefix("http://knotpost.example").unwrap_or(address);
        let address = address.split('#').next().unwrap_or_default();
        let path = on.split('?').next().unwrap_or_default();
        match address {
            "" => Some(on.to_owned()),
            address if address.starts_with('?') => Some(format!("{path}{address}")),
            address => address.starts_with('/').then(|| address.to_owned()),
        }
    }

    fn links(on: &str, page: &Page) -> Vec<String> {
        let tags = ["a", "link", "img", "script"].into_iter().flat_map(|name| tags(&page.text, name));
        let addresses = tags.filter_map(|(tag, _)| attribute(tag, "href").or_else(|| attribute(tag, "src")));
        addresses.filter_map(|address| resolve(on, &address)).collect()
    }

    /// The forms of a page, once for each button that says something else.
    fn forms(on: &str, page: &Page) -> Vec<Form> {
        let mut forms = Vec::new();
        for (tag, rest) in tags(&page.text, "form") {
            let body = rest.split("</form>").next().unwrap_or_default();
            let action = attribute(tag, "action").unwrap_or_default();
            let Some(action) = resolve(on, &action) else { continue };
            let is_post = attribute(tag, "method").as_deref() == Some("post");
            let common = fields(body);
            let buttons = tags(body, "button");
            let mut sent = 0;
            for (tag, _) in &buttons {
                let Some(name) = attribute(tag, "name") else { continue };
                let button = (name, attribute(tag, "value").unwrap_or_default());
                let fields = common.iter().cloned().chain([button]).collect();
                forms.push(Form { on: on.to_owned(), action: action.clone(), is_post, fields });
                sent += 1;
            }
            if sent < buttons.len() || buttons.is_empty() {
                forms.push(Form { on: on.to_owned(), action, is_post, fields: common });
            }
        }
        forms
    }

    fn body(fields: &[(String, String)]) -> String {
        form(&fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect::<Vec<_>>())
    }

    /// A value without what tells it from others of its kind.
    fn shape_of(text: &str) -> String {
        let sign = |sign: char| match sign {
            '0'..='9' => '9',
            'a'..='z' | 'A'..='Z' => 'a',
            other => other,
        };
        let mut shape: Vec<char> = text.chars().map(sign).collect();
        shape.dedup();
        shape.into_iter().take(LONGEST_SHAPE).collect()
    }

    /// Addresses that one handler answers in one way, as far as that is seen from outside.
    fn shape(address: &str) -> String {
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let is_token = |part: &&str| part.len() > 24 || part.bytes().all(|byte| byte.is_ascii_digit());
        let path: Vec<&str> = path.split('/').map(|part| if is_token(&part) { "9" } else { part }).collect();
        let mut query: Vec<String> = query
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .map(|(name, value)| format!("{name}={}", shape_of(value)))
            .collect();
        query.sort_unstable();
        format!("{}?{}", path.join("/"), query.join("&"))
    }

    /// Follows the links from these pages on; the forms that were met.
    async fn crawl(browser: &mut Browser<'_>, who: &str, starts: &[String]) -> Vec<Form> {
        let mut waiting: VecDeque<(String, String)> =
            starts.iter().map(|start| (String::new(), start.clone())).collect();
        let (mut shapes, mut known) = (BTreeMap::<String, usize>::new(), BTreeSet::new());
        let (mut posts, mut post_shapes) = (Vec::new(), BTreeSet::new());
        let mut asked = 0;
        while let Some((from, address)) = waiting.pop_front() {
            // A stream has no end.
            if address.split('?').next().unwrap_or_default().ends_with("/events")
                || !known.insert(address.clone())
            {
                continue;
            }
            let count = shapes.entry(shape(&address)).or_default();
            *count += 1;
            if *count > OF_A_SHAPE || asked == MOST {
                continue;
            }
            asked += 1;
            let page = browser.get(&address).await;
            let status = page.status.as_u16();
            assert!(status < 400, "{who}: {status} at {address}, linked from {from}: {}", page.text);
            let to = page.header("location");
            if let Some(to) = resolve(&address, to).filter(|_| !to.is_empty()) {
                waiting.push_back((address.clone(), to));
            }
            if !page.header("content-type").starts_with("text/html") {
                continue;
            }
            waiting.extend(links(&address, &page).into_iter().map(|link| (address.clone(), link)));
            for form in forms(&address, &page) {
                let mut names: Vec<&str> = form.fields.iter().map(|(name, _)| name.as_str()).collect();
                names.sort_unstable();
                let act = form.fields.iter().rfind(|(name, _)| name == "act").map(|(_, act)| act.as_str());
                if !form.is_post {
                    let path = form.action.split('?').next().unwrap_or_default();
                    waiting.push_back((address.clone(), format!("{path}?{}", body(&form.fields))));
                } else if post_shapes.insert(format!("{} {act:?} {names:?}", shape(&form.action))) {
                    posts.push(form);
                }
            }
        }
        assert!(asked > 100, "{who}: {asked} addresses");
        posts
    }

    /// Sends forms as they stand, the log-out last.
    async fn send(browser: &mut Browser<'_>, who: &str, mut posts: Vec<Form>) {
        posts.sort_by_key(|form| form.action == "/logout");
        for form in posts {
            let fields: Vec<(&str, &str)> =
                form.fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let page = browser.post(&form.action, &fields).await;
            let status = page.status.as_u16();
            let on = &form.on;
            assert!(status < 500 && status != 405, "{who}: {status} after {form:?} on {on}: {}", page.text);
            if let Some(to) = resolve(&form.action, page.header("location")).filter(|_| status == 303) {
                let led = browser.get(&to).await.status.as_u16();
                assert!(led < 400, "{who}: {led} at {to}, where {form:?} leads");
            }
        }
    }

    /// Follows all links as this user, or as nobody, and sends all forms.
    async fn look_round(place: Place, who: &str) {
        let app = populated(place).await;
        let mut browser = if who.is_empty() { Browser::new(&app) } else { Browser::of(&app, who).await };
        let mut starts = vec!["/".to_owned(), "/users/ann".to_owned(), "/users/bob".to_owned()];
        for number in 101..106 {
            for game in GAMES {
                starts.push(format!("/boards/{game}/{number}"));
                if who == "ada" {
                    starts.push(format!("/admin/boards/{game}/{number}"));
                }
            }
        }
        let posts = crawl(&mut browser, who, &starts).await;
        assert!(posts.len() > 1, "{posts:?}");
        send(&mut browser, who, posts).await;
    }

    pub(super) async fn no_link_and_no_form_is_broken_for_a_visitor(place: Place) {
        look_round(place, "").await;
    }

    pub(super) async fn no_link_and_no_form_is_broken_for_a_player(place: Place) {
        look_round(place, "ann").await;
    }

    pub(super) async fn no_link_and_no_form_is_broken_for_an_administrator(place: Place) {
        look_round(place, "ada").await;
    }
}
