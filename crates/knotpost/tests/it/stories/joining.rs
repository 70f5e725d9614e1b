//! Joining by mail alone: what is told before an address is confirmed, what comes once it is, and why a sign-up failed.

use super::tell;

tell! {
    who_joins_gets_the_boards_that_wait,
    who_joins_by_the_link_gets_them_too_and_a_second_address_brings_none,
    more_boards_than_are_mailed_at_once_are_named_by_their_number,
    what_is_done_before_the_confirmation_is_acknowledged,
    a_challenge_before_the_confirmation_is_acknowledged,
    acknowledgements_are_few_and_go_to_the_users_own_address_alone,
    a_sign_up_is_sent_again_by_mail,
    a_newcomer_learns_which_rule_their_sign_up_broke,
    strangers_are_told_why_in_the_servers_words_alone,
    a_lone_word_may_end_in_punctuation_and_sign_up_may_be_two_words,
}

mod stories {
    use axum::body::Body;
    use axum::http::Request;
    use knotpost_core::config::{Config, Confirm};

    use crate::harness::{ADDRESS, Letter, Place, TestApp, show_all};

    /// A server that confirms addresses. Ann has confirmed hers.
    async fn begin(place: Place) -> TestApp {
        begin_with(place, |_| {}).await
    }

    async fn begin_with(place: Place, change: impl FnOnce(&mut Config)) -> TestApp {
        let app = TestApp::start_with(place, |config| {
            config.accounts.confirm_addresses = Confirm::On;
            config.inbound.trusted_authserv = vec!["mx.knotpost.example".to_owned()];
            change(config);
        })
        .await;
        app.sign_up("ann").await;
        app
    }

    /// Bob signs up by mail. The mail that asks for the confirmation.
    async fn ask_bob(app: &TestApp) -> Letter {
        app.mail("bob@bob.example", "signup bob bob-secret", "").await;
        let mut letters = app.letters();
        assert_eq!(letters.len(), 1, "{}", show_all(&letters));
        letters.remove(0)
    }

    fn subjects(letters: &[Letter]) -> Vec<String> {
        letters.iter().map(|letter| format!("{}: {}", letter.to, letter.subject)).collect()
    }

    fn flat(letter: &Letter) -> String {
        letter.text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub(super) async fn who_joins_gets_the_boards_that_wait(place: Place) {
        let app = begin(place).await;
        let asked = ask_bob(&app).await;
        for challenge in ["osbox challenge bob ann", "osbox challenge ann bob", "obsidio challenge bob ann"] {
            app.mail("ann@ann.example", challenge, "").await;
        }
        app.mail("ann@ann.example", "osbox move 102 ann ann-secret o1", "your turn").await;
        let letters = app.letters();
        assert!(letters.iter().all(|letter| letter.to == "ann@ann.example"), "{}", show_all(&letters));

        app.reply("bob@bob.example", &asked, "confirm").await;
        let letters = app.letters();
        insta::assert_snapshot!("welcome_with_boards", letters[0].to_string());
        assert!(
            letters[0].html.as_ref().is_some_and(|html| html.contains("Osbox 101, Osbox 102")),
            "{:?}",
            letters[0].html
        );
        assert_eq!(letters.len(), 4, "{}", show_all(&letters));
        assert!(letters.iter().all(|letter| letter.to == "bob@bob.example"), "{}", show_all(&letters));
        let board = letters.iter().find(|letter| letter.subject.contains("102")).expect("the second board");
        assert!(board.text.contains("ann writes:\nyour turn"), "{board}");
        assert_eq!(app.reply("bob@bob.example", board, "o9").await, "executed", "{board}");
    }

    pub(super) async fn who_joins_by_the_link_gets_them_too_and_a_second_address_brings_none(place: Place) {
        let app = begin(place).await;
        let link = |letter: &Letter| {
            let found =
                letter.text.lines().find_map(|line| line.trim().strip_prefix("http://knotpost.example"));
            found.expect("a link").to_owned()
        };
        let asked = ask_bob(&app).await;
        app.mail("ann@ann.example", "osbox challenge bob ann", "").await;
        app.letters();
        for _ in 0..2 {
            let done = app.send(Request::post(link(&asked)).body(Body::empty()).unwrap()).await;
            assert_eq!(done.status, 200, "{}", done.text);
        }
        app.work().await;
        let letters = app.letters();
        assert_eq!(
            subjects(&letters),
            ["bob@bob.example: Welcome to Knotpost, bob", "bob@bob.example: Osbox Board 101 bob"]
        );
        assert!(flat(&letters[0]).contains("A board waits for you: Osbox 101."), "{}", letters[0]);
        app.mail("bob@bob.example", "add bob bob-secret work@bob.example", "").await;
        let letters = app.letters();
        let asked = letters.iter().find(|letter| letter.to == "work@bob.example").expect("a question");
        app.reply("work@bob.example", asked, "confirm").await;
        let letters = app.letters();
        assert!(letters.iter().all(|letter| !letter.subject.contains("Osbox")), "{}", show_all(&letters));
    }

    pub(super) async fn more_boards_than_are_mailed_at_once_are_named_by_their_number(place: Place) {
        let app = begin_with(place, |config| config.limits.enabled = false).await;
        let asked = ask_bob(&app).await;
        for _ in 0..51 {
            assert_eq!(app.post("osbox challenge bob ann", "").await.outcome(), "200 ok");
        }
        app.work().await;
        app.letters();
        app.reply("bob@bob.example", &asked, "confirm").await;
        let letters = app.letters();
        assert_eq!(subjects(&letters), ["bob@bob.example: Welcome to Knotpost, bob"]);
        let told = flat(&letters[0]);
        assert!(told.contains("More than 50 boards wait for you"), "{told}");
        assert!(told.contains("`all games bob next`"), "{told}");
    }

    pub(super) async fn what_is_done_before_the_confirmation_is_acknowledged(place: Place) {
        let app = begin(place).await;
        let asked = ask_bob(&app).await;
        app.post("osbox challenge bob ann", "").await;
        app.work().await;
        app.letters();
        app.clock.advance(3_600_000);
        app.mail("bob@bob.example", "osbox move 101 bob bob-secret o1", "hello").await;
        let letters = app.letters();
        let (own, others): (Vec<Letter>, Vec<Letter>) =
            letters.into_iter().partition(|letter| letter.to == "bob@bob.example");
        insta::assert_snapshot!("done_unconfirmed", show_all(&own));
        assert!(own[0].reply_to.is_none(), "{}", own[0]);
        assert_eq!(others.len(), 1, "ann gets the board: {}", show_all(&others));

        // What is only asked is answered as ever, and a mistake is.
        app.mail("bob@bob.example", "osbox show bob", "").await;
        let letters = app.letters();
        assert!(letters.len() == 1 && !letters[0].text.contains("Done:"), "{}", show_all(&letters));
        app.mail("bob@bob.example", "delete bob bob-secret", "").await;
        let letters = app.letters();
        assert!(letters.len() == 1 && !letters[0].text.contains("Done:"), "{}", show_all(&letters));

        app.reply("bob@bob.example", &asked, "confirm").await;
        app.letters();
        app.mail("bob@bob.example", "set bob bob-secret timezone=Europe/Vienna", "").await;
        let letters = app.letters();
        assert!(letters.iter().all(|letter| !letter.text.contains("Done:")), "{}", show_all(&letters));
    }

    pub(super) async fn a_challenge_before_the_confirmation_is_acknowledged(place: Place) {
        let app = begin(place).await;
        ask_bob(&app).await;
        app.clock.advance(3_600_000);
        app.mail("bob@bob.example", "osbox challenge bob ann", "").await;
        let letters = app.letters();
        let own: Vec<&Letter> = letters.iter().filter(|letter| letter.to == "bob@bob.example").collect();
        assert!(own.len() == 1 && own[0].text.starts_with("Done:\n   osbox challenge bob ann\n"), "{own:?}");
        app.mail("eve@eve.example", "osbox challenge bob ann", "").await;
        let letters = app.letters();
        assert!(letters.iter().all(|letter| letter.to == "ann@ann.example"), "{}", show_all(&letters));
    }

    pub(super) async fn acknowledgements_are_few_and_go_to_the_users_own_address_alone(place: Place) {
        let app = begin(place).await;
        ask_bob(&app).await;
        app.clock.advance(60_000);
        app.post("osbox challenge bob ann", "").await;
        app.work().await;
        app.letters();
        let to_bob =
            |letters: Vec<Letter>| letters.into_iter().filter(|letter| letter.to != "ann@ann.example");
        let chat = "osbox chat 101 bob bob-secret";
        app.mail("work@bob.example", chat, "from elsewhere").await;
        assert_eq!(to_bob(app.letters()).count(), 0, "another address");
        let list = "Subject: osbox chat 101 bob bob-secret\r\nPrecedence: list\r\nMessage-ID: <list@bob.example>\r\n";
        app.mail_with("bob@bob.example", list, "by a list").await;
        assert_eq!(to_bob(app.letters()).count(), 0, "a mailing list");
        for number in 1..=12 {
            app.mail("bob@bob.example", chat, &format!("number {number}")).await;
            let told: Vec<Letter> = to_bob(app.letters()).collect();
            assert_eq!(told.len(), usize::from(number <= 11), "{number}");
            match number {
                1..=10 => assert!(
                    told[0].text.starts_with("Done:\n   osbox chat 101 bob ********\n"),
                    "{}",
                    told[0]
                ),
                11 => assert!(told[0].subject.starts_with("No more answers until"), "{}", told[0]),
                _ => assert!(told.is_empty(), "{}", show_all(&told)),
            }
        }
    }

    pub(super) async fn a_sign_up_is_sent_again_by_mail(place: Place) {
        let app = begin(place).await;
        ask_bob(&app).await;
        let line = "signup bob bob-secret";
        for _ in 0..2 {
            app.clock.advance(60_000);
            app.mail("bob@bob.example", line, "").await;
            assert_eq!(
                subjects(&app.letters()),
                ["bob@bob.example: Please confirm your address at Knotpost"]
            );
        }
        app.mail("bob@bob.example", line, "").await;
        let letters = app.letters();
        insta::assert_snapshot!("sign_up_sent_again", show_all(&letters));
        app.mail("bob@bob.example", "signup bob other-secret", "").await;
        let letters = app.letters();
        assert_eq!(letters.len(), 1);
        assert!(!letters[0].text.contains("went out"), "only for the right password: {}", letters[0]);
        app.mail("bob@work.example", line, "").await;
        let letters = app.letters();
        assert_eq!(subjects(&letters), ["bob@work.example: Please confirm your address at Knotpost"]);
        // A mail for which the domain vouches has an allowance of its own.
        for _ in 0..3 {
            app.mail_aligned("bob@bob.example", line).await;
            assert_eq!(
                subjects(&app.letters()),
                ["bob@bob.example: Please confirm your address at Knotpost"]
            );
        }
        app.mail_aligned("bob@bob.example", line).await;
        let letters = app.letters();
        assert!(letters.len() == 1 && letters[0].text.contains("went out on"), "{}", show_all(&letters));
    }

    /// What somebody sends who wants to join, and what the answer says of it.
    const FAILED: &[(&str, &str)] = &[
        ("signup fredericka zyx", "a password has 6 to 128 characters"),
        ("signup fredericka", "after `signup` must come a userid and a password"),
        ("signup", "after `signup` must come a userid and a password"),
        ("signup fredericka smithers zweiundvierzig", "the userid is one word, and so is the password"),
        ("signup fredericka zyx zweiundvierzig", "the userid is one word, and so is the password"),
        ("signup fredericka@zyx.example zweiundvierzig", "not the address"),
        ("signup fredericka zwei:undvierzig", "without blanks, quotes and colons"),
        ("signup fredericka -zweiundvierzig", "begins with `-`"),
        ("signup f zweiundvierzig", "a userid has 2 to 20 characters"),
        ("signup frédéricka zweiundvierzig", "a userid is made of the letters a to z"),
        ("signup 4711 zweiundvierzig", "a userid is not a number"),
        ("signup admin zweiundvierzig", "reads as somebody who runs the server"),
        ("signup Ann zweiundvierzig", "somebody has this userid already"),
        ("sign up fredericka zyx", "a password has 6 to 128 characters"),
        ("signup fredericka zweiundvierzig games@knotpost.example", "mail cannot be sent to such an address"),
    ];

    pub(super) async fn a_newcomer_learns_which_rule_their_sign_up_broke(place: Place) {
        let app = begin(place).await;
        for (number, (line, rule)) in FAILED.iter().enumerate() {
            app.mail(&format!("new@new{number}.example"), line, "").await;
            let letters = app.letters();
            assert_eq!(letters.len(), 1, "{line}");
            let told = flat(&letters[0]);
            assert!(told.contains(rule), "{line}: {told}");
            assert!(
                told.contains("A userid has 2 to 20 letters, digits, `_`, `.` or `-`."),
                "{line}: {told}"
            );
            assert!(told.contains("A password has 6 to 128 characters without blanks"), "{line}: {told}");
            check_nothing_repeated(line, &told);
        }
        app.mail("new@last.example", "signup fredericka zyx", "").await;
        insta::assert_snapshot!("sign_up_too_short", show_all(&app.letters()));
        assert_eq!(app.tables().await.rows("users").len(), 1);
    }

    /// None of the words that only their sender can have written stands in the answer.
    fn check_nothing_repeated(line: &str, told: &str) {
        for word in ["fredericka", "frédéricka", "zyx", "smithers", "zwei", "4711", "wombat", "Ann", "`f`"]
        {
            assert!(!told.contains(word), "{line}: {told}");
        }
    }

    pub(super) async fn strangers_are_told_why_in_the_servers_words_alone(place: Place) {
        let app = begin(place).await;
        for (number, (line, why)) in [
            ("help me wombat", "there is no help about that"),
            ("osbox show 4711", "there is no such board"),
            ("osbox show wombat", "nobody here has this userid"),
            ("osbox challenge wombat smithers", "does not take challenges"),
            ("wombat zyx", "Your mail could not be carried out. This address"),
            ("osbox move 4711 wombat zweiundvierzig o1", "This address"),
        ]
        .into_iter()
        .enumerate()
        {
            app.mail(&format!("new@new{number}.example"), line, "").await;
            let letters = app.letters();
            assert_eq!(letters.len(), 1, "{line}");
            let told = flat(&letters[0]);
            assert!(told.contains(why), "{line}: {told}");
            check_nothing_repeated(line, &told);
        }
        app.mail("new@last.example", "osbox move 101 ann wrong-secret o1", "").await;
        let letters = app.letters();
        assert!(!flat(&letters[0]).contains("wrong-secret"), "{}", letters[0]);
    }

    pub(super) async fn a_lone_word_may_end_in_punctuation_and_sign_up_may_be_two_words(place: Place) {
        let app = begin(place).await;
        for line in ["HELP!", "help.", "Help?", "help!!", "Help ", "list."] {
            app.mail("ann@ann.example", line, "").await;
            let letters = app.letters();
            assert!(
                letters.len() == 1 && !letters[0].subject.contains("Error"),
                "{line}: {}",
                show_all(&letters)
            );
        }
        app.mail("cyd@cyd.example", "Sign up cyd cyd-secret", "").await;
        assert_eq!(subjects(&app.letters()), ["cyd@cyd.example: Please confirm your address at Knotpost"]);
        let tables = app.tables().await;
        assert!(tables.rows("inbox").iter().any(|row| row.contains("Sign up cyd ********")), "{ADDRESS}");
        assert!(tables.rows("inbox").iter().all(|row| !row.contains("cyd-secret")));
    }
}
