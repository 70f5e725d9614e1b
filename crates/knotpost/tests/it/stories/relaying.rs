//! An outage of a day on the way out: nothing of it is seen in what arrives when it is over.

use super::tell;

tell! {
    after_a_relay_that_cannot_be_reached,
    after_a_relay_that_wants_no_mail_now,
    after_a_sendmail_that_fails_for_now,
    after_answers_that_were_lost,
    after_hours_that_were_spent,
    after_a_hold,
    no_mail_waits_for_one_that_the_relay_does_not_want,
}

mod stories {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;
    use std::sync::Arc;

    use knotpost_core::clock::work_due;
    use knotpost_program::worker;
    use knotpost_transport::outbound::{DeliveryWorker, MemoryBox, SendError, Transport};

    use crate::harness::{HOUR, Letter, Place, TestApp, free_address};
    use crate::relay::{Relay, agreeable};

    const MINUTE: i64 = 60_000;

    async fn say(app: &TestApp, line: &str, words: &str) {
        let page = app.post(line, words).await;
        assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
    }

    /// Time goes by while the clock works, and mail leaves this way.
    async fn pass(app: &TestApp, way_out: &DeliveryWorker, millis: i64) {
        let step = millis / 4;
        for _ in 0..4 {
            app.clock.advance(step);
            // On hold nobody keeps the clock.
            if app.app.hold.is_none() {
                app.stay_alive().await;
            }
            while work_due(&app.app, "the test").await.unwrap() {}
            while worker::walk_round(&app.app).await.unwrap() || way_out.send_next().await.unwrap() {}
        }
    }

    /// Six moves on each of two boards, with words, `pause` after each other, while mail leaves this way.
    async fn play_and_talk(app: &TestApp, way_out: &DeliveryWorker, pause: i64) {
        let (mut players, mut word) = (["ann", "bob"].into_iter().cycle(), 0);
        for play in ["f1", "f9", "f2", "f10", "f3", "f11"] {
            let player = players.next().unwrap();
            for line in ["move BOARD WHO WHO-secret PLAY", "chat BOARD WHO WHO-secret"] {
                for board in ["101", "102"] {
                    let line = line.replace("BOARD", board).replace("WHO", player).replace("PLAY", play);
                    say(app, &format!("osbox {line}"), &format!("({board} says {word})")).await;
                    pass(app, way_out, MINUTE).await;
                }
                word += 1;
            }
            pass(app, way_out, pause).await;
        }
    }

    /// Two players make six moves on each of two boards, `pause` after each other, and talk, while mail leaves through
    /// `outage`; a reminder is written before each move. Then mail leaves again.
    async fn live_through(app: &TestApp, outage: &DeliveryWorker, pause: i64) -> Vec<Letter> {
        for _ in 0..2 {
            say(app, "osbox challenge -size=4 ann bob", "").await;
        }
        pass(app, &app.sender, 4 * HOUR).await;
        app.letters();
        play_and_talk(app, outage, pause).await;
        assert_eq!(app.letters().len(), 0, "nothing arrives");
        pass(app, &app.sender, 16 * HOUR).await;
        app.letters()
    }

    /// Mails that a reader was sent: the kind of each with its board, and the numbers of the words in it.
    fn read_by<'l>(letters: &'l [Letter], reader: &'l str) -> Vec<(&'l str, Vec<u32>)> {
        let theirs = letters.iter().filter(|letter| letter.to.starts_with(reader));
        let words = |letter: &'l Letter| {
            let said = letter.text.split(" says ").skip(1);
            said.map(|rest| rest.split(')').next().unwrap().parse().unwrap()).collect()
        };
        theirs.map(|letter| (letter.subject.as_str(), words(letter))).collect()
    }

    async fn begin(place: Place) -> TestApp {
        let app = TestApp::start_with(place, |config| config.time.nag_days = 0.1).await;
        for name in ["ann", "bob"] {
            app.sign_up(name).await;
        }
        app
    }

    /// The newest board of each reader and board with all words in their order, nothing twice, in the order in which it
    /// happened, and a reminder only of the turn that it is.
    fn judge(letters: &[Letter]) {
        for reader in ["ann", "bob"] {
            insta::allow_duplicates! {
                insta::assert_debug_snapshot!(format!("after_an_outage_{reader}"), read_by(letters, reader));
            }
        }
    }

    async fn live_through_transport(place: Place, transport: Transport) {
        let app = begin(place).await;
        let outage = DeliveryWorker::new(Arc::clone(&app.app), Arc::new(transport));
        judge(&live_through(&app, &outage, 4 * HOUR).await);
    }

    pub(super) async fn after_a_relay_that_cannot_be_reached(place: Place) {
        let gone = format!("smtp://{}", free_address());
        live_through_transport(place, Transport::from_url(&gone, Path::new(".")).unwrap()).await;
    }

    pub(super) async fn after_a_relay_that_wants_no_mail_now(place: Place) {
        let relay = Relay::open(|line, connection| match line {
            // At each step before the mail is taken, and instead of taking it.
            line if line.starts_with("MAIL") && connection % 4 == 1 => "451 4.3.0 not now\r\n",
            line if line.starts_with("RCPT") && connection % 4 == 2 => "450 4.2.0 not now\r\n",
            ".\r\n" => "452 4.3.1 not now\r\n",
            line => agreeable(line, connection),
        });
        let relay = relay.await;
        live_through_transport(place, relay.transport()).await;
    }

    pub(super) async fn after_a_sendmail_that_fails_for_now(place: Place) {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("sendmail");
        fs::write(&program, "#!/bin/sh\ncat >/dev/null\nexit 75\n").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let url = format!("sendmail:{}", program.display());
        live_through_transport(place, Transport::from_url(&url, Path::new(".")).unwrap()).await;
    }

    /// A mail of which nothing was heard is never changed, and gives way like others.
    pub(super) async fn after_answers_that_were_lost(place: Place) {
        let app = begin(place).await;
        let lost = MemoryBox::default();
        for _ in 0..5_000 {
            lost.fail_next(SendError::Unheard("no answer".to_owned()));
        }
        let outage = DeliveryWorker::new(Arc::clone(&app.app), Arc::new(Transport::Memory(lost)));
        judge(&live_through(&app, &outage, 4 * HOUR).await);
    }

    pub(super) async fn after_hours_that_were_spent(place: Place) {
        let app = TestApp::start_with(place, |config| {
            config.time.nag_days = 0.1;
            config.mail.per_hour = 8;
        })
        .await;
        for name in ["ann", "bob"] {
            app.sign_up(name).await;
            app.clock.advance(3 * HOUR);
        }
        for _ in 0..2 {
            say(&app, "osbox challenge -size=4 ann bob", "").await;
        }
        pass(&app, &app.sender, MINUTE).await;
        // The hour is spent: what follows waits until it is over.
        for number in 0..4 {
            app.mail(&format!("stranger{number}@x.example"), "help", "").await;
        }
        assert_eq!(app.letters().len(), 8);
        let mut word = 0;
        for (player, play) in
            [("ann", "f1"), ("bob", "f9"), ("ann", "f2"), ("bob", "f10"), ("ann", "f3"), ("bob", "f11")]
        {
            for line in ["move BOARD WHO WHO-secret PLAY", "chat BOARD WHO WHO-secret"] {
                for board in ["101", "102"] {
                    let line = line.replace("BOARD", board).replace("WHO", player).replace("PLAY", play);
                    say(&app, &format!("osbox {line}"), &format!("({board} says {word})")).await;
                    pass(&app, &app.sender, MINUTE).await;
                }
                word += 1;
            }
        }
        assert_eq!(app.letters().len(), 0, "nothing arrives");
        pass(&app, &app.sender, 16 * HOUR).await;
        judge(&app.letters());
    }

    /// A server that was put on hold for a day, and is let go by a start.
    pub(super) async fn after_a_hold(place: Place) {
        let app = begin(place).await;
        for _ in 0..2 {
            say(&app, "osbox challenge -size=4 ann bob", "").await;
        }
        pass(&app, &app.sender, 4 * HOUR).await;
        app.letters();
        let app = app.start_again(|config| config.mail.hold = true).await;
        play_and_talk(&app, &app.sender, 4 * HOUR).await;
        assert_eq!(app.letters().len(), 0, "nothing leaves");
        let app = app.start_again(|config| config.mail.hold = false).await;
        pass(&app, &app.sender, 16 * HOUR).await;
        judge(&app.letters());
    }

    pub(super) async fn no_mail_waits_for_one_that_the_relay_does_not_want(place: Place) {
        let app = begin(place).await;
        say(&app, "osbox challenge -size=4 ann bob", "").await;
        app.work().await;
        app.letters();
        app.fail_next(SendError::Transient("452 4.3.4 not this one".to_owned()));
        say(&app, "osbox move 101 ann ann-secret f1", "").await;
        say(&app, "osbox challenge -size=4 ann bob", "").await;
        app.work().await;
        let subjects = |letters: Vec<Letter>| -> Vec<String> {
            letters.into_iter().map(|letter| format!("{} {}", letter.to, letter.subject)).collect()
        };
        assert_eq!(subjects(app.letters()).len(), 3);
        // It is tried again before the next mail to its recipient.
        say(&app, "osbox move 102 ann ann-secret f1", "").await;
        app.work().await;
        insta::assert_debug_snapshot!("tried_again_before", subjects(app.letters()));
    }
}
