//! Browsers that are told when it is their user's turn. The browser of these tests decrypts with another implementation
//! of the curve and of the derivation of keys than the server encrypts with.

use super::tell;

tell! {
    a_browser_is_told_whose_turn_it_is_and_nothing_else,
    a_turn_that_is_over_is_told_to_no_browser,
    a_browser_that_is_gone_is_forgotten_and_a_busy_service_is_waited_for,
    browsers_are_added_by_their_user_and_removed_with_them,
    a_browser_is_told_as_long_as_its_session_lasts,
    a_server_that_tells_no_browsers_offers_it_to_nobody;
    on_postgres: a_browser_that_is_gone_is_forgotten_and_a_busy_service_is_waited_for,
}

mod stories {
    use data_encoding::BASE64URL_NOPAD;
    use knotpost_core::admin::UserEdit;
    use knotpost_core::config::Config;
    use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
    use ring::rand::SystemRandom;
    use ring::{aead, hkdf, signature};
    use serde_json::{Value, json};

    use super::super::browser::Browser;
    use super::super::program::{basic, call};
    use crate::harness::{DAY, HookHost, Place, TestApp, Told, edit_user};

    const AUTH: [u8; 16] = *b"shared by us two";

    /// The part of a browser that holds a subscription; it can read one message.
    struct Receiver {
        key: EphemeralPrivateKey,
        public: Vec<u8>,
    }

    struct Length(usize);

    impl hkdf::KeyType for Length {
        fn len(&self) -> usize {
            self.0
        }
    }

    fn derive(salt: &[u8], input: &[u8], info: &[u8], length: usize) -> Vec<u8> {
        let mut output = vec![0; length];
        let salt = hkdf::Salt::new(hkdf::HKDF_SHA256, salt);
        salt.extract(input).expand(&[info], Length(length)).unwrap().fill(&mut output).unwrap();
        output
    }

    impl Receiver {
        fn new() -> Self {
            let key = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).unwrap();
            let public = key.compute_public_key().unwrap().as_ref().to_vec();
            Self { key, public }
        }

        /// What the page sends to the server when the browser has subscribed.
        async fn subscribe(&self, browser: &mut Browser<'_>, endpoint: &str) -> u16 {
            let (public, auth) = (BASE64URL_NOPAD.encode(&self.public), BASE64URL_NOPAD.encode(&AUTH));
            let fields = [
                ("act", "new_browser"),
                ("endpoint", endpoint),
                ("p256dh", public.as_str()),
                ("auth", auth.as_str()),
            ];
            browser.post("/settings", &fields).await.status.as_u16()
        }

        /// Reads a message, as RFC 8188 and RFC 8291 say.
        fn read(self, body: &[u8]) -> Value {
            let (salt, rest) = body.split_at(16);
            let (size, rest) = rest.split_at(4);
            assert_eq!((size, rest[0]), ([0, 0, 16, 0].as_slice(), 65));
            let (sender, record) = rest[1..].split_at(65);
            let info = [b"WebPush: info\0", self.public.as_slice(), sender].concat();
            let theirs = UnparsedPublicKey::new(&ECDH_P256, sender);
            let input =
                agree_ephemeral(self.key, &theirs, |shared| derive(&AUTH, shared, &info, 32)).unwrap();
            let key = derive(salt, &input, b"Content-Encoding: aes128gcm\0", 16);
            let nonce = derive(salt, &input, b"Content-Encoding: nonce\0", 12);
            let key = aead::LessSafeKey::new(aead::UnboundKey::new(&aead::AES_128_GCM, &key).unwrap());
            let nonce = aead::Nonce::try_assume_unique_for_key(&nonce).unwrap();
            let mut record = record.to_vec();
            let plain = key.open_in_place(nonce, aead::Aad::empty(), &mut record).unwrap();
            let (last, text) = plain.split_last().unwrap();
            assert_eq!(*last, 2, "one record, not padded");
            serde_json::from_slice(text).unwrap()
        }
    }

    /// Ann, bob and a push service on this machine.
    async fn begin(place: Place) -> (TestApp, HookHost) {
        let app = TestApp::start_with(place, |config| config.webhooks.allow_private = true).await;
        for name in ["ann", "bob"] {
            app.sign_up(name).await;
        }
        (app, HookHost::start().await)
    }

    async fn say(app: &TestApp, line: &str, words: &str) {
        let page = app.post(line, words).await;
        assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
    }

    async fn settings(browser: &mut Browser<'_>) -> String {
        browser.get("/settings").await.text
    }

    fn path(told: &Told) -> &str {
        told.line.split(' ').nth(1).unwrap()
    }

    /// Who says to have sent it, and the public key.
    fn claims(told: &Told) -> (Value, String) {
        let (token, key) =
            told.header("authorization").strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
        let (signed, mark) = token.rsplit_once('.').unwrap();
        let bytes = |text: &str| BASE64URL_NOPAD.decode(text.as_bytes()).unwrap();
        signature::UnparsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, bytes(key))
            .verify(signed.as_bytes(), &bytes(mark))
            .unwrap();
        let claims: Value = serde_json::from_slice(&bytes(signed.split_once('.').unwrap().1)).unwrap();
        (claims, key.to_owned())
    }

    /// Checks who says to have sent it, and returns the public key.
    fn sender(told: &Told, audience: &str) -> String {
        let (claims, key) = claims(told);
        assert_eq!(claims["aud"], audience);
        assert!(claims["sub"].as_str().unwrap().starts_with("mailto:"), "{claims}");
        key
    }

    pub(super) async fn a_browser_is_told_whose_turn_it_is_and_nothing_else(place: Place) {
        let (app, host) = begin(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        let (first, second) = (Receiver::new(), Receiver::new());
        let endpoint = |name: &str| format!("http://{}/push/{name}", host.place);
        assert_eq!(first.subscribe(&mut ann, &endpoint("first")).await, 303);
        app.work().await;
        let told = host.told();
        assert_eq!((told.len(), told[0].line.as_str()), (1, "POST /push/first HTTP/1.1"));
        let key = sender(&told[0], &format!("http://{}", host.place));
        assert!(settings(&mut ann).await.contains(&format!("data-key=\"{key}\"")));
        let tried = first.read(&told[0].bytes);
        assert_eq!(tried["body"], "This browser will tell you when it is your turn.");

        assert_eq!(second.subscribe(&mut ann, &endpoint("second")).await, 303);
        app.work().await;
        host.told();
        say(&app, "osbox challenge -size=4 bob ann", "A word.").await;
        app.work().await;
        assert!(host.told().is_empty(), "it is bob's turn");
        say(&app, "osbox move 101 bob bob-secret d2", "A secret word.").await;
        app.work().await;
        let told = host.told();
        assert_eq!(told.iter().map(path).collect::<Vec<_>>(), ["/push/first", "/push/second"]);
        let last = told.last().unwrap();
        for (name, value) in [
            ("content-encoding", "aes128gcm"),
            ("content-type", "application/octet-stream"),
            ("ttl", "259200"),
        ] {
            assert_eq!(last.header(name), value);
        }
        assert_eq!((last.header("topic").len(), last.header("topic")), (32, told[0].header("topic")));
        assert!(!last.headers.keys().any(|name| name.starts_with("webhook-")), "{last:?}");
        let expected = json!({ "title": "Your turn", "body": "Osbox 101", "path": "/boards/osbox/101", "tag": "osbox-101" });
        assert_eq!(second.read(&last.bytes), expected);
        say(&app, "osbox chat 101 bob bob-secret", "Well?").await;
        say(&app, "osbox move 101 ann ann-secret f9", "").await;
        app.work().await;
        assert!(host.told().is_empty(), "words and her own moves are no turns of hers");
        assert!(settings(&mut ann).await.contains("last told 2026-11-20"));
    }

    /// Everything that ends a session ends what its browser is told, and nothing else does.
    pub(super) async fn a_browser_is_told_as_long_as_its_session_lasts(place: Place) {
        let (app, host) = begin(place).await;
        say(&app, "osbox challenge -size=4 bob ann", "").await;
        for end in [
            "nothing",
            "log-out",
            "log-out elsewhere",
            "log-in of another user",
            "another log-in",
            "another password",
            "suspension",
            "idleness",
        ] {
            let mut ann = Browser::of(&app, "ann").await;
            assert_eq!(Receiver::new().subscribe(&mut ann, &host.url()).await, 303);
            app.work().await;
            assert_eq!(host.told().len(), 1, "{end}: the first word");
            match end {
                "log-out" => assert_eq!(ann.post("/logout", &[]).await.status, 303),
                "log-out elsewhere" => {
                    let mut other = Browser::of(&app, "ann").await;
                    assert_eq!(other.post("/logout", &[("from", "everywhere")]).await.status, 303);
                }
                "log-in of another user" => assert_eq!(ann.log_in("bob", "bob-secret").await.status, 303),
                "another log-in" => assert_eq!(ann.log_in("ann", "ann-secret").await.status, 303),
                "another password" => {
                    for (old, new) in [("ann-secret", "ann-other"), ("ann-other", "ann-secret")] {
                        app.mail("ann@ann.example", &format!("change password ann {old} {new}"), "").await;
                    }
                }
                "suspension" => edit_user(&app.app, "ann", UserEdit::Suspend).await.unwrap(),
                "idleness" => {
                    app.clock.advance(61 * DAY);
                    say(&app, "osbox challenge -size=4 bob ann", "").await;
                }
                _ => {}
            }
            app.work().await;
            app.letters();
            host.told();
            let number = if end == "idleness" { 102 } else { 101 };
            if end == "suspension" {
                edit_user(&app.app, "ann", UserEdit::Lift).await.unwrap();
            }
            let move_of = |userid: &str| format!("osbox move {number} {userid} {userid}-secret");
            let board = app.get(&format!("/api/v1/boards/osbox/{number}")).await.json();
            if board["to_move"][0] == "ann" {
                say_first_legal(&app, number, &move_of("ann")).await;
            }
            say_first_legal(&app, number, &move_of("bob")).await;
            app.work().await;
            assert_eq!(host.told().len(), usize::from(end == "nothing"), "{end}");
        }
    }

    async fn say_first_legal(app: &TestApp, number: i64, line: &str) {
        let legal = app.get(&format!("/api/v1/boards/osbox/{number}/legal")).await.json();
        say(app, &format!("{line} {}", legal["legal"][0].as_str().unwrap()), "").await;
    }

    pub(super) async fn a_turn_that_is_over_is_told_to_no_browser(place: Place) {
        let (app, host) = begin(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        Receiver::new().subscribe(&mut ann, &host.url()).await;
        app.work().await;
        host.told();
        say(&app, "osbox challenge -size=4 bob ann", "").await;
        say(&app, "osbox move 101 bob bob-secret d2", "").await;
        say(&app, "osbox move 101 ann ann-secret f9", "").await;
        app.work().await;
        assert!(host.told().is_empty(), "she has moved before she was told");
        say(&app, "osbox move 101 bob bob-secret d3", "").await;
        say(&app, "osbox resign 101 ann ann-secret", "").await;
        app.work().await;
        assert!(host.told().is_empty(), "the game is over");
        // The service was not reached before she moved and bob did: she is told once, of the present turn.
        say(&app, "osbox challenge -size=4 bob ann", "").await;
        host.answer_next(&["500 Oops"]);
        say(&app, "osbox move 102 bob bob-secret d2", "").await;
        app.work().await;
        assert_eq!(host.told().len(), 1);
        say(&app, "osbox move 102 ann ann-secret f9", "").await;
        say(&app, "osbox move 102 bob bob-secret d3", "").await;
        app.clock.advance(60_000);
        app.work().await;
        assert_eq!(host.told().len(), 1);
        // Who plays alone knows whose turn it is.
        say(&app, "osbox challenge -size=4 ann ann", "").await;
        say(&app, "osbox move 103 ann ann-secret d2", "").await;
        app.work().await;
        assert!(host.told().is_empty());
    }

    pub(super) async fn a_browser_that_is_gone_is_forgotten_and_a_busy_service_is_waited_for(place: Place) {
        let (app, host) = begin(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        for answer in ["404 Not Found", "410 Gone"] {
            host.answer_next(&[answer]);
            Receiver::new().subscribe(&mut ann, &host.url()).await;
            assert!(settings(&mut ann).await.contains("A browser"));
            app.work().await;
            assert_eq!(host.told().len(), 1);
            let page = settings(&mut ann).await;
            assert!(!page.contains("end_browser") && !page.contains("Switched off"), "{answer}: {page}");
        }
        app.work().await;
        assert!(
            app.letters().iter().all(|letter| !letter.subject.contains("switched off")),
            "nobody is mailed"
        );
        host.answer_next(&["429 Too Many Requests\r\nretry-after: 120"]);
        Receiver::new().subscribe(&mut ann, &host.url()).await;
        app.work().await;
        assert_eq!(host.told().len(), 1);
        assert!(settings(&mut ann).await.contains("Not reached: it answered 429."));
        app.clock.advance(119_000);
        app.work().await;
        assert!(host.told().is_empty(), "not before it wants to");
        app.clock.advance(1_000);
        app.work().await;
        assert_eq!(host.told().len(), 1);
        // A service that fails for days is asked no more; its browser is forgotten.
        host.answer_next(&["500 Oops"; 100]);
        say(&app, "osbox challenge -size=4 ann bob", "").await;
        for _ in 0..160 {
            app.work().await;
            app.clock.advance(DAY / 48);
        }
        assert!(!settings(&mut ann).await.contains("end_browser"));
    }

    pub(super) async fn browsers_are_added_by_their_user_and_removed_with_them(place: Place) {
        let (app, host) = begin(place).await;
        let (mut ann, mut bob) = (Browser::of(&app, "ann").await, Browser::of(&app, "bob").await);
        let mut nobody = Browser::new(&app);
        assert_eq!(Receiver::new().subscribe(&mut nobody, &host.url()).await, 303);
        assert!(!settings(&mut ann).await.contains("end_browser"));
        assert_eq!(Receiver::new().subscribe(&mut ann, "http://127.0.0.1:25/").await, 422);
        let odd = [
            ("act", "new_browser"),
            ("endpoint", "https://push.example/"),
            ("p256dh", "BAAA"),
            ("auth", "x"),
        ];
        assert_eq!(ann.post("/settings", &odd).await.status, 422);
        assert_eq!(Receiver::new().subscribe(&mut ann, &host.url()).await, 303);
        // A browser tells one user: whoever is told there last.
        assert_eq!(Receiver::new().subscribe(&mut bob, &host.url()).await, 303);
        assert!(!settings(&mut ann).await.contains("end_browser"));
        assert!(settings(&mut bob).await.contains("A browser"));
        app.work().await;
        assert_eq!(host.told().len(), 1, "what waited for ann there is dropped");
        // It is none of the webhooks that programs see, and cannot be made anything else of.
        let list = call(&app, &basic("bob"), "GET", "/api/v1/webhooks", &Value::Null).await;
        assert_eq!(list.json(), json!({ "webhooks": [] }));
        let page = call(&app, &basic("bob"), "POST", "/api/v1/webhooks/2/secret", &Value::Null).await;
        assert_eq!(page.status, 404, "{}", page.text);
        let page = settings(&mut bob).await;
        let id = page.split("data-id=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        assert_eq!(ann.post("/settings", &[("act", "end_browser"), ("id", &id)]).await.status, 422);
        let page = bob.submit("/settings", &[("act", "end_browser"), ("id", &id)]).await;
        assert!(!page.text.contains("end_browser"), "{}", page.text);
        for number in 0..10 {
            let endpoint = format!("http://{}/{number}", host.place);
            assert_eq!(Receiver::new().subscribe(&mut ann, &endpoint).await, 303);
        }
        assert_eq!(Receiver::new().subscribe(&mut ann, &format!("http://{}/11", host.place)).await, 403);
        edit_user(&app.app, "ann", UserEdit::Suspend).await.unwrap();
        app.work().await;
        assert!(host.told().is_empty(), "nobody is told who may not play");
    }

    /// Another server on the same database.
    async fn beside(app: &TestApp, seed: u64, change: impl FnOnce(&mut Config)) -> TestApp {
        let config = app.app.config.clone();
        let other = TestApp::start_drawing(seed << 40, Place::Sqlite, |changed| {
            *changed = config;
            change(changed);
        });
        other.await
    }

    pub(super) async fn a_server_that_tells_no_browsers_offers_it_to_nobody(place: Place) {
        let (app, host) = begin(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        assert_eq!(Receiver::new().subscribe(&mut ann, &host.url()).await, 303);
        let off = beside(&app, 1, |config| config.push.enabled = false).await;
        off.work().await;
        assert!(host.told().is_empty(), "what waited is dropped");
        let mut ann = Browser::of(&off, "ann").await;
        assert!(!settings(&mut ann).await.contains("id=\"browsers\""));
        assert_eq!(Receiver::new().subscribe(&mut ann, &host.url()).await, 422);
        let subject = "https://games.example/about";
        let on = beside(&app, 2, |config| subject.clone_into(&mut config.push.subject)).await;
        say(&on, "osbox challenge -size=4 ann bob", "").await;
        on.work().await;
        let told = host.told();
        assert_eq!(told.len(), 1, "a browser that was switched on before is told again");
        assert_eq!(claims(&told[0]).0["sub"], subject);
    }
}
