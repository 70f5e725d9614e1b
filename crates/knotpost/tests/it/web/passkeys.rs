//! Passkeys, with an authenticator of these tests: it encodes and signs by itself.

use super::tell;

tell! {
    a_passkey_is_added_logs_in_and_is_removed,
    a_passkey_of_ed25519_logs_in_too,
    an_answer_is_good_once_and_for_five_minutes,
    what_a_passkey_says_must_hold,
    a_counter_never_goes_back,
    a_passkey_is_added_with_the_password_in_the_same_session_alone,
    an_added_passkey_is_told_and_taken_back,
    a_passkey_is_removed_with_the_password_alone_and_that_is_told,
    a_passkey_gets_another_name,
    where_a_passkey_logged_in_is_a_known_place,
    a_passkey_makes_keys_and_webhooks_for_ten_minutes,
    a_passkey_counts_as_the_password_for_ten_minutes,
    passkeys_go_with_the_account_and_a_suspended_user_stays_out,
    without_tls_or_a_domain_there_are_no_passkeys,
    no_answer_is_too_odd_to_be_refused;
    on_postgres:
    a_passkey_is_removed_with_the_password_alone_and_that_is_told,
    a_passkey_gets_another_name,
}

/// What one server asks, the other one hears.
#[tokio::test]
async fn a_passkey_answers_to_another_server_of_the_same_database_on_postgres() {
    use crate::harness::{Place, TestApp};
    use stories::{Device, ORIGIN, add, asked_to_log_in, send};

    let Some(database) = crate::postgres::database().await else { return };
    let url = database.url().to_owned();
    let at = |config: &mut knotpost_core::config::Config| ORIGIN.clone_into(&mut config.server.public_url);
    let one = TestApp::start_with(Place::Postgres(Box::new(database)), at).await;
    let key = std::fs::read_to_string(one.data.path().join("secret.key")).unwrap();
    let other = TestApp::start_with(Place::Sqlite, |config| {
        at(config);
        config.database.url.0 = url;
        config.secrets.key = key.trim().to_owned().into();
    })
    .await;
    one.sign_up("ann").await;
    let mut device = Device::new();
    add(&mut device, &mut super::browser::Browser::of(&one, "ann").await).await;
    let (mut here, mut there) = (super::browser::Browser::new(&one), super::browser::Browser::new(&other));
    let options = asked_to_log_in(&mut here).await;
    let holder = here.cookie.clone();
    there.cookie.clone_from(&holder);
    let answer = device.answer(&options);
    let page = send(&mut there, "/login", &answer).await;
    assert_eq!(page.status, 303, "{}", page.text);
    assert!(there.get("/").await.text.contains("Log out"));
    here.cookie.clone_from(&there.cookie);
    assert!(here.get("/").await.text.contains("Log out"), "the session holds at both");
    for browser in [&mut here, &mut there] {
        browser.cookie.clone_from(&holder);
        assert_eq!(send(browser, "/login", &answer).await.status, 401, "it was answered once, wherever");
    }
}

pub(super) mod stories {
    use data_encoding::BASE64URL_NOPAD;
    use knotpost_core::admin::UserEdit;
    use ring::rand::SystemRandom;
    use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _};
    use serde_json::{Value, json};
    use sha2::{Digest as _, Sha256};

    use super::super::browser::Browser;
    use super::super::program::ask;
    use crate::harness::{Page, Place, TestApp, edit_user};

    pub(in crate::web) const ORIGIN: &str = "https://knotpost.example";
    const MINUTE: i64 = 60_000;
    /// User present and verified.
    const CHECKED: u8 = 0x05;

    enum Key {
        P256(EcdsaKeyPair),
        Ed25519(Ed25519KeyPair),
    }

    /// What is done to a device so that its answer is wrong.
    type Bend = fn(&mut Device);

    /// A device with one passkey, and the browser on it. What it says can be bent.
    pub(in crate::web) struct Device {
        key: Key,
        id: Vec<u8>,
        handle: String,
        counter: u32,
        origin: String,
        party: String,
        flags: u8,
    }

    fn base64(bytes: &[u8]) -> String {
        BASE64URL_NOPAD.encode(bytes)
    }

    impl Device {
        fn with(key: Key) -> Self {
            let id = Sha256::digest(match &key {
                Key::P256(pair) => pair.public_key().as_ref().to_vec(),
                Key::Ed25519(pair) => pair.public_key().as_ref().to_vec(),
            });
            let (origin, party) = (ORIGIN.to_owned(), "knotpost.example".to_owned());
            Self { key, id: id.to_vec(), handle: String::new(), counter: 1, origin, party, flags: CHECKED }
        }

        pub(in crate::web) fn new() -> Self {
            let (kind, random) = (&ECDSA_P256_SHA256_ASN1_SIGNING, SystemRandom::new());
            let pair = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
            Self::with(Key::P256(EcdsaKeyPair::from_pkcs8(kind, pair.as_ref(), &random).unwrap()))
        }

        fn of_ed25519() -> Self {
            let pair = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
            Self::with(Key::Ed25519(Ed25519KeyPair::from_pkcs8(pair.as_ref()).unwrap()))
        }

        fn sign(&self, words: &[u8]) -> Vec<u8> {
            match &self.key {
                Key::P256(pair) => pair.sign(&SystemRandom::new(), words).unwrap().as_ref().to_vec(),
                Key::Ed25519(pair) => pair.sign(words).as_ref().to_vec(),
            }
        }

        /// The public key in COSE.
        fn cose(&self) -> Vec<u8> {
            match &self.key {
                Key::P256(pair) => {
                    let point = pair.public_key().as_ref();
                    let head: &[u8] = &[0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32];
                    [head, &point[1..33], &[0x22, 0x58, 32], &point[33..]].concat()
                }
                Key::Ed25519(pair) => {
                    let head: &[u8] = &[0xa4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 32];
                    [head, pair.public_key().as_ref()].concat()
                }
            }
        }

        fn data(&self, flags: u8) -> Vec<u8> {
            [&Sha256::digest(&self.party)[..], &[flags], &self.counter.to_be_bytes()].concat()
        }

        fn client_data(&self, kind: &str, options: &Value) -> Vec<u8> {
            let seen = json!({
                "type": kind, "challenge": options["challenge"], "origin": self.origin, "crossOrigin": false,
            });
            seen.to_string().into_bytes()
        }

        fn attestation(&self) -> Vec<u8> {
            let length = u16::try_from(self.id.len()).unwrap().to_be_bytes();
            let data =
                [&self.data(self.flags | 0x40)[..], &[0; 16], &length, &self.id, &self.cose()].concat();
            let length = u8::try_from(data.len()).unwrap();
            [b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58", &[length][..], &data].concat()
        }

        /// What the page sends when the passkey was made.
        fn make(&mut self, options: &Value) -> Vec<(&'static str, String)> {
            options["user"]["id"].as_str().unwrap().clone_into(&mut self.handle);
            vec![
                ("act", "new_passkey".to_owned()),
                ("name", "A telephone".to_owned()),
                ("client_data", base64(&self.client_data("webauthn.create", options))),
                ("attestation", base64(&self.attestation())),
            ]
        }

        /// What the page sends when the passkey was used.
        pub(super) fn answer(&mut self, options: &Value) -> Vec<(&'static str, String)> {
            self.counter = self.counter.wrapping_add(1);
            let (seen, data) = (self.client_data("webauthn.get", options), self.data(self.flags));
            let signature = self.sign(&[&data[..], &Sha256::digest(&seen)].concat());
            vec![
                ("by", "passkey".to_owned()),
                ("next", "/settings".to_owned()),
                ("credential", base64(&self.id)),
                ("client_data", base64(&seen)),
                ("data", base64(&data)),
                ("signature", base64(&signature)),
                ("user_handle", self.handle.clone()),
            ]
        }
    }

    pub(super) async fn send(browser: &mut Browser<'_>, path: &str, fields: &[(&str, String)]) -> Page {
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        browser.post(path, &fields).await
    }

    /// A server of that address with ann and bob, whose letters were read.
    async fn begin_at(place: Place, url: &str) -> TestApp {
        let app = TestApp::start_with(place, |config| url.clone_into(&mut config.server.public_url)).await;
        for name in ["ann", "bob"] {
            app.sign_up(name).await;
        }
        app.work().await;
        app.letters();
        app
    }

    async fn begin(place: Place) -> TestApp {
        begin_at(place, ORIGIN).await
    }

    async fn asked_to_add(browser: &mut Browser<'_>) -> Value {
        let page = browser.post("/settings", &[("act", "ask_passkey")]).await;
        assert_eq!((page.status.as_u16(), page.header("cache-control")), (200, "no-store"), "{}", page.text);
        let options = page.json();
        // ES256, EdDSA, and RS256, which older devices know alone.
        let offered: Vec<i64> = options["pubKeyCredParams"]
            .as_array()
            .expect("algorithms")
            .iter()
            .filter_map(|one| one["alg"].as_i64())
            .collect();
        assert_eq!(offered, [-7, -8, -257], "{options}");
        options
    }

    pub(super) async fn asked_to_log_in(browser: &mut Browser<'_>) -> Value {
        let page = browser.post("/login", &[("by", "challenge")]).await;
        assert_eq!((page.status.as_u16(), page.header("cache-control")), (200, "no-store"), "{}", page.text);
        page.json()
    }

    pub(in crate::web) async fn add(device: &mut Device, browser: &mut Browser<'_>) {
        let options = asked_to_add(browser).await;
        let page = send(browser, "/settings", &device.make(&options)).await;
        assert_eq!(
            (page.status.as_u16(), page.header("location")),
            (303, "/settings#passkeys"),
            "{}",
            page.text
        );
    }

    async fn log_in(device: &mut Device, browser: &mut Browser<'_>) -> Page {
        let options = asked_to_log_in(browser).await;
        send(browser, "/login", &device.answer(&options)).await
    }

    async fn is_refused(device: &mut Device, app: &TestApp, words: &str) {
        let mut browser = Browser::new(app);
        let page = log_in(device, &mut browser).await;
        assert!(page.status.is_client_error() && page.text.contains(words), "{words}: {}", page.text);
        assert!(!browser.get("/").await.text.contains("Log out"));
    }

    pub(super) async fn a_passkey_is_added_logs_in_and_is_removed(place: Place) {
        let app = begin(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        let page = ann.get("/settings").await;
        assert!(page.text.contains("Add a passkey") && page.text.contains("Passkeys need JavaScript"));
        let mut device = Device::new();
        let options = asked_to_add(&mut ann).await;
        assert_eq!(options["rp"]["id"], "knotpost.example");
        assert_eq!(options["attestation"], "none");
        assert_eq!(options["authenticatorSelection"]["residentKey"], "required");
        assert_eq!(options["authenticatorSelection"]["userVerification"], "required");
        add(&mut device, &mut ann).await;
        let page = ann.get("/settings").await;
        assert!(page.text.contains("A telephone") && page.text.contains("never used"), "{}", page.text);
        let known = asked_to_add(&mut ann).await["excludeCredentials"][0]["id"].clone();
        assert_eq!(known, base64(&device.id));

        let mut other = Browser::new(&app);
        assert!(other.get("/login").await.text.contains("Log in with a passkey"));
        let page = log_in(&mut device, &mut other).await;
        assert_eq!((page.status.as_u16(), page.header("location")), (303, "/settings"), "{}", page.text);
        let page = other.get("/settings").await;
        assert!(page.text.contains("A telephone (") || page.text.contains("last used"), "{}", page.text);
        assert!(!page.text.contains("never used"));

        let row = app.app.store.read().await.unwrap().passkey(&base64(&device.id)).await.unwrap().unwrap();
        let remove = [("act", "end_passkey".to_owned()), ("id", row.id.to_string())];
        let mut bob = Browser::of(&app, "bob").await;
        assert_eq!(send(&mut bob, "/settings", &remove).await.status, 422, "it is not theirs");
        assert_eq!(send(&mut ann, "/settings", &remove).await.status, 303);
        assert!(!ann.get("/settings").await.text.contains("A telephone"));
        is_refused(&mut device, &app, "not known here").await;
    }

    pub(super) async fn a_passkey_of_ed25519_logs_in_too(place: Place) {
        let app = begin(place).await;
        let mut device = Device::of_ed25519();
        add(&mut device, &mut Browser::of(&app, "ann").await).await;
        let page = log_in(&mut device, &mut Browser::new(&app)).await;
        assert_eq!(page.status, 303, "{}", page.text);
    }

    pub(super) async fn an_answer_is_good_once_and_for_five_minutes(place: Place) {
        let app = begin(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        let mut device = Device::new();
        let options = asked_to_add(&mut ann).await;
        let made = device.make(&options);
        assert_eq!(send(&mut ann, "/settings", &made).await.status, 303);
        let again = Device::new().make(&options);
        let page = send(&mut ann, "/settings", &again).await;
        assert!(page.text.contains("try again"), "another passkey on the same challenge: {}", page.text);
        let options = asked_to_add(&mut ann).await;
        let page = send(&mut ann, "/settings", &device.make(&options)).await;
        assert!(page.text.contains("added before"), "{}", page.text);

        let mut browser = Browser::new(&app);
        let options = asked_to_log_in(&mut browser).await;
        let holder = browser.cookie.clone();
        let answer = device.answer(&options);
        assert_eq!(send(&mut browser, "/login", &answer).await.status, 303);
        browser.cookie.clone_from(&holder);
        let page = send(&mut browser, "/login", &answer).await;
        assert_eq!(page.status, 401, "the same answer again");
        browser.cookie.clone_from(&holder);
        let later = device.answer(&options);
        assert_eq!(send(&mut browser, "/login", &later).await.status, 401, "the same challenge again");

        let mut elsewhere = Browser::new(&app);
        asked_to_log_in(&mut elsewhere).await;
        let options = asked_to_log_in(&mut browser).await;
        let answer = device.answer(&options);
        let page = send(&mut elsewhere, "/login", &answer).await;
        assert!(page.text.contains("too long ago, or elsewhere"), "{}", page.text);

        let options = asked_to_log_in(&mut browser).await;
        app.clock.advance(5 * MINUTE - 1);
        let answer = device.answer(&options);
        assert_eq!(send(&mut browser, "/login", &answer).await.status, 303);
        let mut browser = Browser::new(&app);
        let options = asked_to_log_in(&mut browser).await;
        app.clock.advance(5 * MINUTE);
        let answer = device.answer(&options);
        let page = send(&mut browser, "/login", &answer).await;
        assert!(page.text.contains("too long ago"), "{}", page.text);
    }

    pub(super) async fn what_a_passkey_says_must_hold(place: Place) {
        let app = begin(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        let bent: [(&str, Bend); 4] = [
            ("another address than", |device| "https://evil.example".clone_into(&mut device.origin)),
            ("another server", |device| "evil.example".clone_into(&mut device.party)),
            ("did not check that it is you", |device| device.flags = 0x01),
            ("did not ask for you", |device| device.flags = 0x04),
        ];
        for (words, bend) in bent {
            let mut device = Device::new();
            bend(&mut device);
            let options = asked_to_add(&mut ann).await;
            let page = send(&mut ann, "/settings", &device.make(&options)).await;
            assert!(page.status == 422 && page.text.contains(words), "{words}: {}", page.text);
        }
        let mut device = Device::new();
        add(&mut device, &mut ann).await;
        for (words, bend) in bent {
            bend(&mut device);
            is_refused(&mut device, &app, words).await;
            ORIGIN.clone_into(&mut device.origin);
            "knotpost.example".clone_into(&mut device.party);
            device.flags = CHECKED;
        }
        let mut bobs = Device::new();
        add(&mut bobs, &mut Browser::of(&app, "bob").await).await;
        let own = std::mem::replace(&mut device.handle, bobs.handle.clone());
        is_refused(&mut device, &app, "not known here").await;
        device.handle = String::new();
        is_refused(&mut device, &app, "not known here").await;
        device.handle = own;
        // Bob's device says that it is ann's.
        bobs.id.clone_from(&device.id);
        bobs.handle.clone_from(&device.handle);
        is_refused(&mut bobs, &app, "signature").await;
        // What was signed to be added is no log-in, and the other way round.
        let mut browser = Browser::new(&app);
        let options = asked_to_log_in(&mut browser).await;
        let seen = device.client_data("webauthn.create", &options);
        let mut answer = device.answer(&options);
        answer[3].1 = base64(&seen);
        let page = send(&mut browser, "/login", &answer).await;
        assert!(page.text.contains("another purpose"), "{}", page.text);
        assert_eq!(log_in(&mut device, &mut Browser::new(&app)).await.status, 303);
    }

    pub(super) async fn a_counter_never_goes_back(place: Place) {
        let app = begin(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        let mut device = Device::new();
        add(&mut device, &mut ann).await;
        // The device counts up by itself before it signs.
        for (last, status) in [(8, 303), (8, 401), (4, 401), (9, 303)] {
            device.counter = last;
            assert_eq!(log_in(&mut device, &mut Browser::new(&app)).await.status, status, "{last}");
        }
        let mut plain = Device { counter: 0, ..Device::new() };
        add(&mut plain, &mut ann).await;
        for _ in 0..2 {
            plain.counter = u32::MAX;
            assert_eq!(log_in(&mut plain, &mut Browser::new(&app)).await.status, 303, "it does not count");
        }
    }

    pub(super) async fn a_passkey_is_added_with_the_password_in_the_same_session_alone(place: Place) {
        let app = begin(place).await;
        let (mut ann, mut other) = (Browser::of(&app, "ann").await, Browser::of(&app, "ann").await);
        let options = asked_to_add(&mut ann).await;
        let page = send(&mut other, "/settings", &Device::new().make(&options)).await;
        assert!(page.text.contains("or elsewhere"), "{}", page.text);
        app.clock.advance(10 * MINUTE);
        assert!(ann.get("/settings").await.text.contains("passkey-password"));
        let page = ann.post("/settings", &[("act", "ask_passkey")]).await;
        assert_eq!(page.status, 403, "{}", page.text);
        let page = ann.post("/settings", &[("act", "ask_passkey"), ("present", "wrong-secret")]).await;
        assert_eq!(page.status, 401, "{}", page.text);
        let page = ann.post("/settings", &[("act", "ask_passkey"), ("present", "ann-secret")]).await;
        let options = page.json();
        let page = send(&mut ann, "/settings", &Device::new().make(&options)).await;
        assert_eq!(page.status, 303, "{}", page.text);
        let page = ann.post_from("cross-site", "/settings", &[("act", "ask_passkey")]).await;
        assert_eq!(page.status, 403);
    }

    pub(super) async fn an_added_passkey_is_told_and_taken_back(place: Place) {
        let app = begin(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        let (mut before, mut after) = (Device::new(), Device::new());
        add(&mut before, &mut ann).await;
        app.work().await;
        app.letters();
        app.clock.advance(MINUTE);
        add(&mut after, &mut ann).await;
        app.work().await;
        let letters = app.letters();
        assert_eq!(letters.len(), 1);
        assert_eq!(letters[0].to, "ann@ann.example");
        insta::assert_snapshot!("passkey_added", letters[0].to_string());
        let undo = letters[0].text.lines().find_map(|line| line.trim().strip_prefix(ORIGIN)).expect("a link");
        let page = Browser::new(&app).get(undo).await;
        assert!(page.text.contains("or added a passkey"), "{}", page.text);
        assert_eq!(Browser::new(&app).post(undo, &[]).await.status, 200);
        assert!(!ann.get("/").await.text.contains("Log out"), "every session has ended");
        is_refused(&mut after, &app, "not known here").await;
        assert_eq!(log_in(&mut before, &mut Browser::new(&app)).await.status, 303);
        app.work().await;
        let letters = app.letters();
        assert!(letters.iter().any(|letter| letter.subject.starts_with("A new password")));
        assert_eq!(app.tables().await.rows("addresses").len(), 2, "of ann and bob, as before");
    }

    /// The number of the only passkey.
    async fn id_of(app: &TestApp, device: &Device) -> String {
        let row = app.app.store.read().await.unwrap().passkey(&base64(&device.id)).await.unwrap();
        row.expect("a passkey").id.to_string()
    }

    pub(super) async fn a_passkey_is_removed_with_the_password_alone_and_that_is_told(place: Place) {
        let app = begin(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        let mut device = Device::new();
        add(&mut device, &mut ann).await;
        app.work().await;
        app.letters();
        app.clock.advance(10 * MINUTE);
        let id = id_of(&app, &device).await;
        let page = ann.get("/settings").await;
        assert!(page.text.contains("Present password, to remove the passkey A telephone"), "{}", page.text);
        let wish = |password: &str| {
            [("act", "end_passkey".to_owned()), ("id", id.clone()), ("present", password.to_owned())]
        };
        for (password, status) in [("", 403), ("bob-secret", 401)] {
            let page = send(&mut ann, "/settings", &wish(password)).await;
            assert_eq!(page.status, status, "{}", page.text);
        }
        app.work().await;
        assert_eq!(app.letters().len(), 0, "nothing was removed");
        assert_eq!(log_in(&mut device, &mut Browser::new(&app)).await.status, 303);
        let page = send(&mut ann, "/settings", &wish("ann-secret")).await;
        assert_eq!((page.status.as_u16(), page.header("location")), (303, "/settings#passkeys"));
        is_refused(&mut device, &app, "not known here").await;
        app.work().await;
        let letters = app.letters();
        assert_eq!(letters.len(), 1);
        insta::assert_snapshot!("passkey_removed", letters[0].to_string());
        let undo = letters[0].text.lines().find_map(|line| line.trim().strip_prefix(ORIGIN)).expect("a link");
        assert_eq!(Browser::new(&app).post(undo, &[]).await.status, 200);
        assert!(!ann.get("/").await.text.contains("Log out"), "every session has ended");
        let page = send(&mut Browser::of(&app, "bob").await, "/settings", &wish("bob-secret")).await;
        assert!(page.status == 422 && page.text.contains("no such passkey"), "{}", page.text);
    }

    pub(super) async fn a_passkey_gets_another_name(place: Place) {
        let app = begin(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        let mut device = Device::new();
        add(&mut device, &mut ann).await;
        let id = id_of(&app, &device).await;
        let wish =
            |name: &str| [("act", "name_passkey".to_owned()), ("id", id.clone()), ("name", name.to_owned())];
        let page = send(&mut Browser::of(&app, "bob").await, "/settings", &wish("Mine")).await;
        assert!(page.status == 422 && page.text.contains("no such passkey"), "{}", page.text);
        let page = send(&mut ann, "/settings", &wish("  ")).await;
        assert!(page.status == 422 && page.text.contains("needs a name"), "{}", page.text);
        assert!(ann.get("/settings").await.text.contains("A telephone"));
        // It changes nothing that anybody could be harmed by, so that it needs no password.
        app.clock.advance(10 * MINUTE);
        let page = send(&mut ann, "/settings", &wish("<b>The key\u{202e} ring</b>")).await;
        assert_eq!(page.status, 303, "{}", page.text);
        let page = ann.get("/settings").await;
        assert!(page.text.contains("&lt;b&gt;The key ring&lt;") && !page.text.contains("A telephone"));
        assert_eq!(log_in(&mut device, &mut Browser::new(&app)).await.status, 303, "it is the same one");
    }

    pub(super) async fn where_a_passkey_logged_in_is_a_known_place(place: Place) {
        let app = begin(place).await;
        let mut device = Device::new();
        add(&mut device, &mut Browser::of(&app, "ann").await).await;
        let places = async || app.tables().await.rows("login_hosts").to_vec();
        let before = places().await;
        app.clock.advance(31 * 24 * 60 * MINUTE);
        is_refused(&mut Device::new(), &app, "not known here").await;
        assert_eq!(places().await, before, "whoever does not get in is not remembered");
        assert_eq!(log_in(&mut device, &mut Browser::new(&app)).await.status, 303);
        assert_ne!(places().await, before);
    }

    pub(super) async fn a_passkey_makes_keys_and_webhooks_for_ten_minutes(place: Place) {
        let app = begin(place).await;
        let mut device = Device::new();
        add(&mut device, &mut Browser::of(&app, "ann").await).await;
        app.clock.advance(10 * MINUTE);
        let mut browser = Browser::new(&app);
        assert_eq!(log_in(&mut device, &mut browser).await.status, 303);
        let cookie = browser.cookie.clone().unwrap();
        let headers = [
            ("cookie", cookie.as_str()),
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/json"),
        ];
        let key = json!({ "name": "a program", "scopes": ["read"] }).to_string();
        let hook = json!({ "url": "https://example.org/knot", "events": ["turn"] }).to_string();
        let form = [("act", "new_key"), ("name", "x"), ("read", "yes")];
        for made in [true, false] {
            let status = if made { 201 } else { 403 };
            for (path, body) in [("/api/v1/tokens", &key), ("/api/v1/webhooks", &hook)] {
                let page = ask(&app, "POST", path, &headers, body).await;
                assert_eq!(page.status, status, "{path}: {}", page.text);
            }
            let page = browser.post("/settings", &form).await;
            assert_eq!(page.status, if made { 200 } else { 403 }, "{}", page.text);
            app.clock.advance(10 * MINUTE);
        }
    }

    pub(super) async fn a_passkey_counts_as_the_password_for_ten_minutes(place: Place) {
        let app = begin(place).await;
        let mut device = Device::new();
        let mut ann = Browser::of(&app, "ann").await;
        add(&mut device, &mut ann).await;
        app.clock.advance(10 * MINUTE);
        let page = ann.get("/settings").await;
        assert!(page.text.contains("address-password") && page.text.contains("Log in with a passkey"));
        let mut other = Browser::new(&app);
        log_in(&mut device, &mut other).await;
        assert!(!other.get("/settings").await.text.contains("address-password"));
        let add = [("act", "add"), ("address", "two@ann.example")];
        assert_eq!(other.post("/settings", &add).await.status, 303);
        app.clock.advance(10 * MINUTE);
        assert_eq!(other.post("/settings", &add).await.status, 403);
        app.post("change password ann ann-secret ann-other", "").await;
        assert!(!other.get("/").await.text.contains("Log out"), "a session ends with another password");
        assert_eq!(log_in(&mut device, &mut other).await.status, 303, "a passkey does not");
    }

    pub(super) async fn passkeys_go_with_the_account_and_a_suspended_user_stays_out(place: Place) {
        let app = begin(place).await;
        let mut device = Device::new();
        add(&mut device, &mut Browser::of(&app, "ann").await).await;
        let suspend = UserEdit::Suspend;
        edit_user(&app.app, "ann", suspend).await.unwrap();
        is_refused(&mut device, &app, "did not log you in").await;
        let row = app.app.store.read().await.unwrap().passkey(&base64(&device.id)).await.unwrap().unwrap();
        app.app.store.write(async move |tx| tx.forget_user(row.user_id).await).await.unwrap();
        assert_eq!(app.tables().await.rows("passkeys").len(), 0);
    }

    pub(super) async fn without_tls_or_a_domain_there_are_no_passkeys(place: Place) {
        let places = [place, Place::Deployed(None), Place::Deployed(None)];
        let urls = ["http://knotpost.example", "https://192.0.2.1", "http://127.0.0.1:8080"];
        for (url, place) in urls.into_iter().zip(places) {
            let app = begin_at(place, url).await;
            assert!(!Browser::new(&app).get("/login").await.text.contains("asskey"), "{url}");
            let mut ann = Browser::of(&app, "ann").await;
            assert!(!ann.get("/settings").await.text.contains("asskey"), "{url}");
            for (path, field) in [("/login", ("by", "challenge")), ("/settings", ("act", "ask_passkey"))] {
                let page = ann.post(path, &[field]).await;
                assert!(page.status == 403 && page.text.contains("has no passkeys"), "{url}: {}", page.text);
            }
        }
        let app = begin_at(Place::Deployed(None), "http://localhost:8080").await;
        let mut device = Device::new();
        "http://localhost:8080".clone_into(&mut device.origin);
        "localhost".clone_into(&mut device.party);
        add(&mut device, &mut Browser::of(&app, "ann").await).await;
        assert_eq!(log_in(&mut device, &mut Browser::new(&app)).await.status, 303);
    }

    pub(super) async fn no_answer_is_too_odd_to_be_refused(place: Place) {
        let app = begin(place).await;
        let mut ann = Browser::of(&app, "ann").await;
        let options = asked_to_add(&mut ann).await;
        let device = Device::new();
        let (seen, whole) = (device.client_data("webauthn.create", &options), device.attestation());
        let deep = vec![0x81; 16_000];
        let huge = [b"\xa1\x68authData\x5b\x7f\xff\xff\xff\xff\xff\xff\xff".as_slice(), &[0; 40]].concat();
        let mut odd = vec![Vec::new(), deep, huge, vec![0xff; 9], b"{}".to_vec()];
        odd.extend((0..whole.len()).step_by(7).map(|length| whole[..length].to_vec()));
        odd.push([&whole[..], &[0]].concat());
        for attestation in odd {
            let fields = [
                ("act", "new_passkey".to_owned()),
                ("client_data", base64(&seen)),
                ("attestation", base64(&attestation)),
            ];
            let page = send(&mut ann, "/settings", &fields).await;
            assert_eq!(page.status, 422, "{attestation:?}: {}", page.text);
        }
        for (client_data, attestation) in [("=", "%"), ("bnVsbA", ""), ("", "")] {
            let fields = [("act", "new_passkey"), ("client_data", client_data), ("attestation", attestation)];
            assert_eq!(ann.post("/settings", &fields).await.status, 422);
        }
        let page = Browser::new(&app).post("/login", &[("by", "passkey")]).await;
        assert_eq!(page.status, 401);
    }
}
