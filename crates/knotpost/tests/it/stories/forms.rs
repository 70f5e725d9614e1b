//! What mails look like on the way out: their two forms, their heads, and which of them never leave.

use super::tell;

tell! {
    a_mail_is_text_and_page_unless_text_alone_is_wanted,
    a_mail_sent_again_is_the_same_mail,
    an_older_board_mail_gives_way_and_nothing_it_said_is_lost,
    what_a_sender_has_leased_is_given_back_or_left_to_the_next_lease,
    a_mail_that_ended_after_its_lease_does_not_leave,
    a_mail_that_cannot_be_read_is_set_aside_alone,
    a_relay_gets_each_mail_once_from_several_senders,
    what_has_left_is_noted_as_soon_as_the_database_takes_it,
    ids_of_mails_follow_the_clock_and_none_is_like_another,
    a_mail_that_is_tried_once_more_lends_its_id_to_no_other,
    mails_of_a_kind_end_by_a_mail,
    watchers_and_the_reminded_end_their_mails_by_one_click,
    mails_of_the_day_end_by_one_click,
    a_picture_that_is_no_more_keeps_no_words_back;
    undeployed:
    workers_together_send_each_mail_once_and_note_it;
    on_postgres:
    an_older_board_mail_gives_way_and_nothing_it_said_is_lost,
    mails_of_a_kind_end_by_a_mail,
    mails_of_the_day_end_by_one_click,
}

mod stories {
    use std::sync::Arc;

    use axum::body::Body;
    use axum::http::Request;
    use knotpost_platform::clock::Clock as _;
    use knotpost_storage::{MailFilter, MailQueue, Window};
    use knotpost_transport::outbound::{DeliveryWorker, SendError};

    use crate::harness::{DAY, Letter, Place, TestApp, show_all};
    use crate::relay::{Relay, agreeable};

    fn subjects(letters: &[Letter]) -> Vec<String> {
        letters.iter().map(|letter| format!("{}: {}", letter.to, letter.subject)).collect()
    }

    /// A text without what stands after each `start` up to the next `end`: ids that are drawn by lot.
    fn without_between(text: &str, start: &str, end: &str) -> String {
        let mut parts = text.split(start);
        let mut rest = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let kept = part.find(end).map_or(part, |place| &part[place..]);
            rest.push_str(start);
            rest.push_str("ID");
            rest.push_str(kept);
        }
        rest
    }

    pub(super) async fn a_mail_is_text_and_page_unless_text_alone_is_wanted(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.mail("bob@bob.example", "set bob bob-secret mail=text", "").await;
        let told = app.letters().remove(0);
        assert!(told.html.is_none() && !told.text.contains("noted"), "{told}");
        app.mail("ann@ann.example", "osbox challenge -size=4 ann bob", "Shall we?\n<b>Bold</b> & \"quoted\"")
            .await;
        let letters = app.letters();
        assert_eq!(
            subjects(&letters),
            ["ann@ann.example: New Osbox Board 101 ann", "bob@bob.example: New Osbox Board 101 ann"]
        );
        let page = letters[0].html.as_deref().expect("a page");
        let page = without_between(&without_between(page, "board1.knotpost.", "@"), "+r.", "@");
        insta::assert_snapshot!("page_of_a_board", page);
        assert!(
            page.contains("&lt;b&gt;Bold&lt;/b&gt; &amp; &quot;quoted&quot;"),
            "words stay words: {page}"
        );
        assert!(letters[1].html.is_none());
        // Text is wanted in one game alone.
        app.mail("bob@bob.example", "set bob bob-secret mail=default", "").await;
        app.mail("bob@bob.example", "osbox set bob bob-secret mail=text", "").await;
        app.mail("ann@ann.example", "osbo challenge ann bob", "").await;
        app.mail("ann@ann.example", "osbox challenge -size=4 ann bob", "").await;
        let letters = app.letters();
        let of_bob = |subject: &str| {
            let mut mails = letters.iter().filter(|letter| letter.to.starts_with("bob"));
            mails.find(|letter| letter.subject.starts_with(subject)).expect("a mail").html.is_some()
        };
        assert!(of_bob("New Osbo Board") && !of_bob("New Osbox Board"));
        // Answers go by the wish of whoever proves to be a user.
        app.mail("bob@bob.example", "osbox showas bob bob-secret 101", "").await;
        assert!(app.letters()[0].html.is_none());
        app.mail("ann@ann.example", "osbox showas ann ann-secret 101", "").await;
        assert!(app.letters()[0].html.is_some());
    }

    /// The mails of a move on a server that fails to send `failures` times.
    async fn mails_of_a_move(place: Place, failures: usize) -> Vec<Vec<u8>> {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge ann bob", "").await;
        app.work().await;
        app.letters();
        app.post("osbox move 101 ann ann-secret f1", "One").await;
        for _ in 0..failures {
            app.fail_next(SendError::Transient("not now".to_owned()));
        }
        app.work().await;
        for _ in 0..4 {
            app.clock.advance(3_600_000);
            app.work().await;
        }
        let mut letters = app.letters();
        letters.sort_by(|one, other| one.to.cmp(&other.to));
        letters.into_iter().map(|letter| letter.bytes).collect()
    }

    pub(super) async fn a_mail_sent_again_is_the_same_mail(place: Place) {
        let at_once = mails_of_a_move(Place::Sqlite, 0).await;
        let after_failures = mails_of_a_move(place, 3).await;
        assert_eq!(at_once.len(), 2);
        let show = |mails: &[Vec<u8>]| {
            mails.iter().map(|mail| String::from_utf8_lossy(mail).into_owned()).collect::<String>()
        };
        // The return path is the sender's business; reply addresses are signed with each server's own secret.
        let still = |text: String| {
            text.lines()
                .filter(|line| !line.starts_with("Reply-To:") && !line.contains("mailto"))
                .map(str::to_owned)
                .collect::<Vec<_>>()
                .join("\n")
        };
        let (one, other) = (still(show(&at_once)), still(show(&after_failures)));
        let boundaries = one.matches("boundary=\"=_").count();
        assert_eq!(boundaries, 4, "two mails of two levels");
        for (line, same) in one
            .lines()
            .zip(other.lines())
            .filter(|(line, _)| line.starts_with("--=_") || line.starts_with("iVBOR"))
        {
            assert_eq!(line, same);
        }
    }

    pub(super) async fn an_older_board_mail_gives_way_and_nothing_it_said_is_lost(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge -size=4 ann bob", "").await;
        app.post("osbox move 101 ann ann-secret f1", "My first move.").await;
        app.post("osbox move 101 bob bob-secret f9", "").await;
        app.post("osbox move 101 ann ann-secret f2", "My second move.").await;
        app.work().await;
        let letters = app.letters();
        assert_eq!(
            subjects(&letters),
            ["ann@ann.example: Osbox Board 101 bob **", "bob@bob.example: Osbox Board 101 bob **"]
        );
        insta::assert_snapshot!("given_way", show_all(&letters[1..]));
        let tables = app.tables().await;
        let mails = tables.rows("outbox").iter().filter(|row| row.contains("superseded")).count();
        assert_eq!(mails, 6, "the three older mails of each reader");
        // One that may have been delivered never shows another board; it gives way like one that was not.
        app.fail_next(SendError::Unheard("no answer".to_owned()));
        app.fail_next(SendError::Unheard("no answer".to_owned()));
        app.post("osbox move 101 bob bob-secret f10", "Perhaps.").await;
        app.work().await;
        app.post("osbox move 101 ann ann-secret f3", "Untried.").await;
        app.work().await;
        let tells = |letter: &Letter| letter.text.contains("Perhaps.") && letter.text.contains("Untried.");
        let both = app.letters();
        assert!(both.len() == 2 && both.iter().all(tells), "{both:?}");
        app.clock.advance(3_600_000);
        app.work().await;
        assert!(app.letters().is_empty());
        // One that is due again together with a newer one gives way to that.
        app.fail_next(SendError::Transient("not now".to_owned()));
        app.fail_next(SendError::Transient("not now".to_owned()));
        app.post("osbox move 101 bob bob-secret f11", "Put off.").await;
        app.work().await;
        app.post("osbox move 101 ann ann-secret f4", "Newer.").await;
        app.clock.advance(3_600_000);
        app.work().await;
        let both = app.letters();
        let tells = |letter: &Letter| letter.text.contains("Put off.") && letter.text.contains("Newer.");
        assert!(both.len() == 2 && both.iter().all(tells), "{both:?}");
    }

    /// The address a mail program's button posts to.
    fn one_click(letter: &Letter) -> String {
        let raw = String::from_utf8_lossy(&letter.bytes).replace("\r\n ", " ");
        assert!(raw.contains("\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"), "{raw}");
        let rest = raw.split_once("\r\nList-Unsubscribe: <mailto:").expect("an address").1;
        let rest = rest.split_once("?subject=unsubscribe>, <http://knotpost.example").expect("a link").1;
        rest.split_once(">\r\n").expect("its end").0.to_owned()
    }

    async fn click(app: &TestApp, path: &str) -> String {
        let asked = app.get(path).await;
        assert!(asked.text.contains("<form method=\"post\">"), "{}", asked.text);
        let click = Request::post(path).header("content-type", "application/x-www-form-urlencoded");
        let done = app.send(click.body(Body::from("List-Unsubscribe=One-Click")).unwrap()).await;
        assert_eq!(done.status, 200);
        done.text
    }

    pub(super) async fn what_a_sender_has_leased_is_given_back_or_left_to_the_next_lease(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        let other = DeliveryWorker::new(Arc::clone(&app.app), Arc::clone(&app.transport));
        app.post("osbox challenge -size=4 ann bob", "").await;
        assert!(app.sender.send_next().await.unwrap());
        assert!(!other.send_next().await.unwrap(), "the first sender has leased both");
        app.sender.give_back().await.unwrap();
        assert!(other.send_next().await.unwrap() && !app.sender.send_next().await.unwrap());
        assert_eq!(app.letters().len(), 2);
        app.post("osbox move 101 ann ann-secret f1", "").await;
        assert!(app.sender.send_next().await.unwrap());
        // So late the lease might be over before the mail is noted as sent.
        app.clock.advance(31_000);
        assert!(!other.send_next().await.unwrap(), "the first sender has it");
        assert!(app.sender.send_next().await.unwrap() && !other.send_next().await.unwrap());
        let letters = app.letters();
        assert_eq!(
            subjects(&letters),
            ["ann@ann.example: Osbox Board 101 bob", "bob@bob.example: Osbox Board 101 bob"]
        );
    }

    pub(super) async fn a_mail_that_ended_after_its_lease_does_not_leave(place: Place) {
        const END_ALL: &str = "UPDATE outbox SET state = 'dropped', done_at = 1 WHERE state = 'queued'";
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge -size=4 ann bob", "").await;
        assert!(app.sender.send_next().await.unwrap());
        app.alter(END_ALL).await;
        while app.sender.send_next().await.unwrap() {}
        assert_eq!(app.letters().len(), 1);
    }

    pub(super) async fn a_mail_that_cannot_be_read_is_set_aside_alone(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd"]).await;
        app.post("osbo challenge ann bob cyd", "").await;
        app.alter("UPDATE outbox SET facts = 'broken' WHERE recipient LIKE 'bob%'").await;
        app.work().await;
        let letters = app.letters();
        let to: Vec<&str> = letters.iter().map(|letter| letter.to.as_str()).collect();
        assert_eq!(to, ["ann@ann.example", "cyd@cyd.example"]);
        let mut tx = app.app.store.read().await.unwrap();
        assert_eq!(tx.count_waiting_outbox().await.unwrap(), 0, "it is set aside");
    }

    pub(super) async fn workers_together_send_each_mail_once_and_note_it(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        for _ in 0..30 {
            app.post("osbox challenge ann bob", "").await;
        }
        app.fail_next(SendError::Transient("greylisted".to_owned()));
        let work = async || {
            let mut sent = 0;
            while app.sender.send_next().await.unwrap() {
                sent += 1;
            }
            sent
        };
        let done: Vec<u32> = futures_util::future::join_all((0..8).map(|_| work())).await;
        // One that was put off goes before the next to its reader, where one is still to be leased.
        let tried = done.iter().sum::<u32>();
        assert!((60..=61).contains(&tried), "{done:?}");
        assert!(done.iter().filter(|sent| **sent > 0).count() > 1, "one alone did it all: {done:?}");
        let ids: std::collections::BTreeSet<String> =
            app.letters().iter().map(|letter| letter.message_id.clone()).collect();
        assert_eq!(u32::try_from(ids.len()).unwrap(), tried - 1);
        let mut tx = app.app.store.read().await.unwrap();
        assert_eq!(
            tx.count_waiting_outbox().await.unwrap(),
            i64::from(61 - tried),
            "the one that was put off"
        );
    }

    pub(super) async fn a_relay_gets_each_mail_once_from_several_senders(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd", "dan"]).await;
        for _ in 0..10 {
            app.post("osbox challenge ann bob", "").await;
            app.post("osbox challenge cyd dan", "").await;
        }
        let relay = Relay::open(agreeable).await;
        let sender = DeliveryWorker::new(Arc::clone(&app.app), Arc::new(relay.transport()));
        while app.app.store.read().await.unwrap().count_waiting_outbox().await.unwrap() > 0 {
            let work = async || while sender.send_next().await.unwrap() {};
            futures_util::future::join_all([Box::pin(work()), Box::pin(work())]).await;
        }
        let heard = relay.heard();
        let ids: std::collections::BTreeSet<&str> =
            heard.split("(Message-ID: ").skip(1).filter_map(|rest| rest.split(')').next()).collect();
        assert_eq!((heard.matches("(Message-ID: ").count(), ids.len()), (40, 40));
        assert!(heard.matches("EHLO").count() <= 2, "a connection for each sender");
    }

    pub(super) async fn what_has_left_is_noted_as_soon_as_the_database_takes_it(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge ann bob", "").await;
        app.alter("ALTER TABLE outbox RENAME COLUMN done_at TO gone_at").await;
        for _ in 0..3 {
            assert!(app.sender.send_next().await.is_err(), "it cannot be noted");
        }
        assert_eq!(app.letters().len(), 1, "it has left, once, and no other leaves meanwhile");
        app.alter("ALTER TABLE outbox RENAME COLUMN gone_at TO done_at").await;
        while app.sender.send_next().await.unwrap() {}
        let mut tx = app.app.store.read().await.unwrap();
        assert_eq!(tx.count_waiting_outbox().await.unwrap(), 0, "both are noted");
        assert_eq!(app.letters().len(), 1, "the other has left, and none again");
    }

    pub(super) async fn ids_of_mails_follow_the_clock_and_none_is_like_another(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        for _ in 0..3 {
            app.post("osbox challenge ann bob", "").await;
            app.clock.advance(1);
        }
        app.work().await;
        let ids: Vec<String> = app.letters().into_iter().map(|letter| letter.message_id).collect();
        assert_eq!(ids.len(), 6);
        let bare = |id: &String| id.trim_start_matches("knotpost.").to_owned();
        let (times, lots): (Vec<_>, Vec<_>) =
            ids.iter().map(bare).map(|id| (id[..12].to_owned(), id[12..32].to_owned())).unzip();
        assert!(times.is_sorted() && times[1] < times[2] && times[3] < times[4], "{ids:?}");
        assert!(lots.iter().all(|lot| lot.bytes().all(|sign| sign.is_ascii_hexdigit())), "{ids:?}");
        assert_eq!(lots.iter().collect::<std::collections::BTreeSet<_>>().len(), 6, "{ids:?}");
    }

    pub(super) async fn a_mail_that_is_tried_once_more_lends_its_id_to_no_other(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge -size=4 ann bob", "A good game!").await;
        app.fail_next(SendError::Permanent("too large".to_owned()));
        app.work().await;
        assert_eq!(subjects(&app.letters()), ["bob@bob.example: New Osbox Board 101 ann"]);
        let window = Window { low: 1, high: i64::MAX };
        let mut tx = app.app.store.read().await.unwrap();
        let mails = tx.list_outbox(&MailFilter::default(), window, 99).await.unwrap();
        drop(tx);
        let failed = mails.into_iter().find(|mail| mail.state == "failed").expect("the refused one");
        app.clock.advance(1_000);
        let now = app.clock.now();
        let key = failed.id;
        let retry =
            app.app.store.write(async move |tx| tx.retry_mail(MailQueue::Outbox, key, ["", ""], now).await);
        assert!(retry.await.unwrap());
        app.post("osbox move 101 ann ann-secret f1", "").await;
        app.work().await;
        let letters = app.letters();
        let told = letters.iter().find(|letter| letter.to.starts_with("ann")).expect("ann is told");
        assert!(told.text.contains("1 f1") && told.text.contains("A good game!"), "{told}");
        assert_ne!(told.message_id, failed.message_id);
        assert_eq!(letters.len(), 2, "the one that was to be tried once more has given way");
    }

    pub(super) async fn watchers_and_the_reminded_end_their_mails_by_one_click(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd", "dan"]).await;
        app.tick().await;
        app.post("osbox challenge -size=4 ann bob", "").await;
        app.post("osbox subscribe 101 cyd cyd-secret", "").await;
        app.post("osbox subscribe dan dan-secret all", "").await;
        app.work().await;
        app.letters();
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f1", "").await;
        let letters = app.letters();
        let of = |name: &str| letters.iter().find(|letter| letter.to.starts_with(name)).expect("a mail");
        assert!(
            !String::from_utf8_lossy(&of("bob").bytes).contains("List-Unsubscribe"),
            "players get their boards"
        );
        let page = click(&app, &one_click(of("cyd"))).await;
        assert!(
            page.contains("Osbox board 101") && page.contains("osbox subscribe cyd PASSWORD 101"),
            "{page}"
        );
        let page = click(&app, &one_click(of("dan"))).await;
        assert!(page.contains("osbox subscribe dan PASSWORD all"), "{page}");
        app.mail("bob@bob.example", "osbox move 101 bob bob-secret f9", "").await;
        assert_eq!(app.letters().len(), 2, "nobody watches any more");
        app.pass(7 * DAY).await;
        let nags = app.letters();
        assert_eq!(subjects(&nags), ["ann@ann.example: Nag: Osbox Board 101 ann"]);
        assert!(nags[0].text.contains("set ann PASSWORD nags=off"), "{}", nags[0]);
        click(&app, &one_click(&nags[0])).await;
        app.pass(3 * DAY).await;
        assert_eq!(app.letters().len(), 0, "no more reminders");
    }

    pub(super) async fn mails_of_the_day_end_by_one_click(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("set bob bob-secret moves=digest", "").await;
        app.post("osbox set bob bob-secret moves=digest", "").await;
        app.post("osbox challenge -size=4 ann bob", "").await;
        app.post("osbox move 101 ann ann-secret f1", "").await;
        app.pass(DAY).await;
        let letters = app.letters();
        let digest = letters.iter().find(|letter| letter.subject.contains("today")).expect("a digest");
        let page = click(&app, &one_click(digest)).await;
        assert!(
            page.contains("mails of the day") && page.contains("set bob PASSWORD moves=digest"),
            "{page}"
        );
        app.post("osbox move 101 bob bob-secret f9", "").await;
        app.pass(DAY).await;
        assert!(app.letters().iter().all(|letter| !letter.subject.contains("today")), "no more of them");
        app.post("osbox move 101 ann ann-secret f2", "").await;
        app.work().await;
        assert_eq!(app.letters().len(), 2, "it is bob's turn");
    }

    pub(super) async fn mails_of_a_kind_end_by_a_mail(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob", "cyd", "dan"]).await;
        app.tick().await;
        app.post("osbox challenge -size=4 ann bob", "").await;
        app.post("osbox subscribe 101 cyd cyd-secret", "").await;
        app.post("osbox subscribe dan dan-secret all", "").await;
        app.work().await;
        app.letters();
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret f1", "").await;
        let letters = app.letters();
        for name in ["cyd", "dan"] {
            let letter = letters.iter().find(|letter| letter.to.starts_with(name)).expect("a mail");
            app.unsubscribe_by_mail(letter).await;
            app.unsubscribe_by_mail(letter).await;
        }
        insta::assert_snapshot!("unsubscribed", show_all(&app.letters()));
        app.mail("bob@bob.example", "osbox move 101 bob bob-secret f9", "").await;
        assert_eq!(app.letters().len(), 2, "nobody watches any more");
        // A new password does not keep anybody's reminders alive.
        app.pass(7 * DAY).await;
        let nags = app.letters();
        assert_eq!(subjects(&nags), ["ann@ann.example: Nag: Osbox Board 101 ann"]);
        app.post("change password ann ann-secret another-secret", "").await;
        app.work().await;
        app.letters();
        app.unsubscribe_by_mail(&nags[0]).await;
        assert_eq!(subjects(&app.letters()), ["ann@ann.example: No more reminders"]);
        app.pass(3 * DAY).await;
        assert_eq!(app.letters().len(), 0, "no more reminders");
    }

    pub(super) async fn a_picture_that_is_no_more_keeps_no_words_back(place: Place) {
        let app = TestApp::with_players(place, &["ann", "bob"]).await;
        app.post("osbox challenge -size=4 ann bob", "").await;
        app.post("osbox move 101 ann ann-secret f1", "").await;
        app.work().await;
        app.letters();
        let lines = "osbox showas ann ann-secret 101\nosbox preview 101 f9 f2";
        app.mail("ann@ann.example", "multiple", lines).await;
        let shown = app.letters().remove(0);
        assert_eq!(shown.html.expect("a page").matches("cid:").count(), 2, "tried moves have their picture");
        // Nothing leaves before the move is taken back.
        for _ in 0..6 {
            app.fail_next(SendError::Transient("not now".to_owned()));
        }
        app.mail("ann@ann.example", "osbox showas ann ann-secret 101", "").await;
        app.mail("ann@ann.example", "osbox move 101 ann ann-secret undo", "").await;
        app.mail("bob@bob.example", "osbox move 101 bob bob-secret accept", "").await;
        let mut late = app.letters();
        for _ in 0..2 {
            app.clock.advance(3_600_000);
            app.work().await;
            late.extend(app.letters());
        }
        let late: Vec<&Letter> = late.iter().filter(|letter| letter.text.contains("1 f1")).collect();
        let page = late[0].html.as_deref().expect("a page");
        assert!(late[0].text.contains("1 f1") && !page.contains("<img"), "{}", late[0]);
    }
}
