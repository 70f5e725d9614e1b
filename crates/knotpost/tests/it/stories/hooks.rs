//! Programs of players that are told what happens.

use super::tell;

tell! {
    what_happens_is_told_signed_and_in_order,
    events_are_queued_with_the_move_and_for_webhooks_alone,
    only_what_was_asked_for_is_told_and_turns_to_whom_they_are,
    a_removed_board_is_over,
    who_does_not_answer_well_is_asked_again_with_the_same_message,
    who_is_busy_says_when_to_come_again,
    a_host_that_fails_for_days_is_switched_off_and_its_owner_told,
    who_is_gone_is_asked_no_more,
    what_waits_goes_with_the_webhook_the_secret_and_the_account,
    a_host_has_one_sender_waiting_for_it,
    what_happens_while_a_host_is_down_follows_what_it_did_not_take,
    a_host_that_cannot_keep_up_is_switched_off,
    a_taken_back_move_changes_no_message,
    what_nobody_sent_for_days_is_dropped;
    on_postgres: what_nobody_sent_for_days_is_dropped,
}

mod stories {
    use std::fmt::Write as _;

    use knotpost_core::admin::UserEdit;
    use knotpost_core::identity::{
        HookView, remove_webhook, renew_webhook_secret, start_webhook, test_webhook, view_webhooks,
    };
    use knotpost_core::queries::view_board;
    use knotpost_core::webhooks::{Delivery, Fate, HookEvent, Taken, note_fate, take_delivery};
    use knotpost_model::BoardRef;
    use knotpost_storage::{NewHookEvent, StoreError, WebhookRow};

    use crate::harness::{DAY, HOUR, HookHost, Place, TestApp, edit_user};

    const SECOND: i64 = 1000;

    /// Ann, bob and cyd, and a host on this machine.
    async fn begin(place: Place) -> (TestApp, HookHost) {
        let app = TestApp::start_with(place, |config| config.webhooks.allow_private = true).await;
        for name in ["ann", "bob", "cyd"] {
            app.sign_up(name).await;
        }
        (app, HookHost::start().await)
    }

    async fn key_of(app: &TestApp, userid: &str) -> knotpost_model::UserKey {
        app.app.store.read().await.unwrap().find_user(userid).await.unwrap().unwrap().id
    }

    /// A webhook for these events; its secret and its number.
    async fn hook(app: &TestApp, userid: &str, url: &str, events: &[HookEvent]) -> (String, i64) {
        let fresh = app.add_hook(userid, url, events).await;
        (fresh.secret.unwrap().show(), fresh.view.id)
    }

    async fn only_hook(app: &TestApp, userid: &str) -> HookView {
        view_webhooks(&app.app.store, key_of(app, userid).await).await.unwrap().remove(0)
    }

    async fn say(app: &TestApp, line: &str, words: &str) {
        let page = app.post(line, words).await;
        assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
    }

    /// Events that wait, are sent, failed or dropped: the states, in the order of the rows.
    async fn states(app: &TestApp) -> Vec<String> {
        let mut tx = app.app.store.read().await.unwrap();
        let filter = knotpost_storage::MailFilter::default();
        let window = knotpost_storage::Window { low: 0, high: i64::MAX };
        let mut rows = tx.list_outbox(&filter, window, 10_000).await.unwrap();
        rows.retain(|row| row.kind == "webhook");
        rows.reverse();
        rows.into_iter().map(|row| row.state).collect()
    }

    pub(super) async fn what_happens_is_told_signed_and_in_order(place: Place) {
        let (app, host) = begin(place).await;
        let (secret, _) = hook(&app, "ann", &host.url(), HookEvent::ALL).await;
        let mut script = String::new();
        for (line, words) in [
            ("osbox challenge -size=4 ann bob", "Good luck!"),
            ("osbox move 101 ann ann-secret d2", "Here I \"come\" <b>ä</b>"),
            ("osbox chat 101 bob bob-secret", "Nice."),
            ("osbox move 101 bob bob-secret propose", ""),
            ("osbox move 101 ann ann-secret reject", ""),
            ("osbox show 101", ""),
            ("osbox move 101 bob bob-secret f9", ""),
            ("osbox move 101 bob bob-secret undo", ""),
            ("osbox move 101 ann ann-secret accept", ""),
            ("osbox resign 101 bob bob-secret", "You win."),
        ] {
            say(&app, line, words).await;
            app.work().await;
            writeln!(script, "{line}").unwrap();
            for told in host.told() {
                assert_eq!(told.line, "POST /hook?for=me HTTP/1.1");
                assert_eq!(told.header("content-type"), "application/json");
                assert!(told.header("user-agent").starts_with("Knotpost/"), "{told:?}");
                assert!(told.header("webhook-id").starts_with("msg_"), "{told:?}");
                assert_eq!(told.header("webhook-timestamp"), "1795168800");
                assert!(told.is_signed_with(&secret), "{told:?}");
                writeln!(script, "   {}", told.body).unwrap();
            }
            app.letters();
        }
        insta::assert_snapshot!("webhook_messages", script);
        let view = only_hook(&app, "ann").await;
        assert!(view.sent_at.is_some() && view.error.is_none() && view.failing_since.is_none(), "{view:?}");
    }

    pub(super) async fn events_are_queued_with_the_move_and_for_webhooks_alone(place: Place) {
        let (app, host) = begin(place).await;
        say(&app, "osbox challenge -size=4 ann bob", "").await;
        say(&app, "osbox move 101 ann ann-secret d2", "").await;
        assert!(states(&app).await.is_empty(), "nobody has a webhook");
        hook(&app, "bob", &host.url(), &[HookEvent::Move, HookEvent::Turn]).await;
        // A move that is refused leaves nothing behind; one that is made has its events in its own transaction.
        assert_ne!(app.post("osbox move 101 bob bob-secret zz99", "").await.outcome(), "200 ok");
        assert!(states(&app).await.is_empty());
        say(&app, "osbox move 101 bob bob-secret f9", "").await;
        say(&app, "osbox move 101 ann ann-secret d3", "").await;
        assert_eq!(states(&app).await, ["queued"; 3]);
        assert!(host.told().is_empty(), "nobody has worked yet");
        app.work().await;
        assert_eq!(states(&app).await, ["sent"; 3]);
        let told: Vec<_> = host.told().iter().map(|told| told.json()["type"].clone()).collect();
        assert_eq!(told, ["move", "move", "turn"]);
        // One who has no part in the board hears nothing.
        let other = HookHost::start().await;
        hook(&app, "cyd", &other.url(), HookEvent::ALL).await;
        say(&app, "osbox move 101 bob bob-secret f10", "").await;
        app.work().await;
        assert!(other.told().is_empty() && !host.told().is_empty());
        // … unless they watch it.
        say(&app, "osbox subscribe cyd cyd-secret 101", "").await;
        say(&app, "osbox move 101 ann ann-secret d4", "").await;
        app.work().await;
        assert_eq!(other.told().len(), 1);
        assert!(app.letters().len() >= 8, "mails leave as ever");
    }

    pub(super) async fn only_what_was_asked_for_is_told_and_turns_to_whom_they_are(place: Place) {
        let (app, host) = begin(place).await;
        let over = HookHost::start().await;
        hook(&app, "ann", &host.url(), &[HookEvent::Turn]).await;
        hook(&app, "ann", &over.url(), &[HookEvent::Over]).await;
        say(&app, "osbox challenge -size=4 ann bob", "").await;
        app.work().await;
        let told = host.told();
        assert_eq!((told.len(), told[0].json()["type"].as_str()), (1, Some("turn")));
        say(&app, "osbox move 101 ann ann-secret d2", "Hello").await;
        app.work().await;
        assert!(host.told().is_empty(), "it is bob's turn");
        say(&app, "osbox chat 101 bob bob-secret", "Wait.").await;
        say(&app, "osbox move 101 bob bob-secret f9", "").await;
        app.work().await;
        let told = host.told();
        assert_eq!(told.len(), 1);
        let data = &told[0].json()["data"];
        assert_eq!((&data["to_move"], &data["ply"]), (&"ann".into(), &2.into()));
        assert!(over.told().is_empty());
        say(&app, "osbox resign 101 ann ann-secret", "").await;
        app.work().await;
        assert_eq!(over.told()[0].json()["data"]["result"]["winners"][0], "bob");
        assert!(host.told().is_empty());
    }

    pub(super) async fn a_removed_board_is_over(place: Place) {
        let (app, host) = begin(place).await;
        let (secret, _) = hook(&app, "ann", &host.url(), &[HookEvent::Over]).await;
        say(&app, "osbox challenge -size=4 ann bob", "").await;
        say(&app, "osbox resign 101 bob bob-secret", "").await;
        app.work().await;
        let told = host.told();
        assert_eq!(told[0].json()["data"]["result"]["reason"], "removed");
        assert!(told.len() == 1 && told[0].is_signed_with(&secret));
    }

    pub(super) async fn who_does_not_answer_well_is_asked_again_with_the_same_message(place: Place) {
        let (app, host) = begin(place).await;
        let (secret, _) = hook(&app, "ann", &host.url(), &[HookEvent::Move]).await;
        say(&app, "osbox challenge -size=4 ann bob", "").await;
        host.answer_next(&["500 Oops", "302 Found\r\nlocation: http://127.0.0.1:1/", "", "200 OK"]);
        say(&app, "osbox move 101 ann ann-secret d2", "").await;
        let mut ids = Vec::new();
        for (pause, error) in [
            (0, Some("it answered 500")),
            (7 * SECOND, Some("it answered 302; redirections are not followed")),
            (80 * SECOND, Some("it closed the connection without an answer")),
            (7 * 60 * SECOND, None),
        ] {
            app.clock.advance(pause);
            app.work().await;
            let told = host.told();
            assert_eq!(told.len(), 1, "{error:?}");
            assert!(told[0].is_signed_with(&secret));
            ids.push(told[0].header("webhook-id").to_owned());
            let view = only_hook(&app, "ann").await;
            assert_eq!(view.error.as_deref(), error);
            assert_eq!(view.failing_since.is_some(), error.is_some());
            app.work().await;
            assert!(host.told().is_empty(), "not before it is due");
        }
        ids.dedup();
        assert_eq!(ids.len(), 1, "the same message each time");
        assert_eq!(states(&app).await, ["sent"]);
        // While the host fails, what else waits for it is not tried either, and follows when it is well again.
        host.answer_next(&["500 Oops"]);
        say(&app, "osbox move 101 bob bob-secret f9", "").await;
        say(&app, "osbox move 101 ann ann-secret d3", "").await;
        app.work().await;
        assert_eq!(host.told().len(), 1);
        app.clock.advance(7 * SECOND);
        app.work().await;
        assert_eq!(host.told().len(), 2);
    }

    pub(super) async fn who_is_busy_says_when_to_come_again(place: Place) {
        let (app, host) = begin(place).await;
        let (_, id) = hook(&app, "ann", &host.url(), &[HookEvent::Move]).await;
        host.answer_next(&["503 Busy\r\nretry-after: 3600", "429 Enough\r\nretry-after: 999999999"]);
        test_webhook(&app.app, key_of(&app, "ann").await, id).await.unwrap();
        app.work().await;
        assert_eq!(host.told()[0].json()["type"], "test");
        app.clock.advance(3599 * SECOND);
        app.work().await;
        assert!(host.told().is_empty());
        app.clock.advance(SECOND);
        app.work().await;
        assert_eq!(host.told().len(), 1);
        app.clock.advance(DAY);
        app.work().await;
        assert_eq!(host.told().len(), 1, "nobody is let wait for longer than a day");
        assert_eq!(states(&app).await, ["sent"]);
    }

    pub(super) async fn a_host_that_fails_for_days_is_switched_off_and_its_owner_told(place: Place) {
        let (app, host) = begin(place).await;
        let (_, id) = hook(&app, "ann", &host.url(), &[HookEvent::Move, HookEvent::Chat]).await;
        say(&app, "osbox challenge -size=4 ann bob", "").await;
        app.work().await;
        app.letters();
        host.answer_next(&["500 Oops"; 100]);
        say(&app, "osbox move 101 ann ann-secret d2", "").await;
        let mut asked = 0;
        for _ in 0..72 {
            app.work().await;
            asked += host.told().len();
            assert!(only_hook(&app, "ann").await.stopped_at.is_none());
            app.clock.advance(HOUR);
        }
        app.clock.advance(8 * HOUR);
        app.work().await;
        asked += host.told().len();
        assert!((10..30).contains(&asked), "{asked}");
        let view = only_hook(&app, "ann").await;
        assert_eq!((view.stopped_at.is_some(), view.error.as_deref()), (true, Some("it answered 500")));
        assert_eq!(states(&app).await, ["failed"]);
        let letters = app.letters();
        let told = letters.iter().find(|letter| letter.subject.contains("was switched off")).unwrap();
        let place = format!("http://{}", host.place);
        assert!(told.text.contains(&place) && told.text.contains("it answered 500"), "{}", told.text);
        assert!(!told.text.contains("/hook"), "what follows the host can be a secret");
        insta::assert_snapshot!("webhook_stopped", told.text.replace(&host.place.to_string(), "HOST"));
        // Nothing is queued for it until its owner switches it on.
        say(&app, "osbox move 101 bob bob-secret f9", "").await;
        app.work().await;
        assert_eq!(states(&app).await, ["failed"]);
        let refused = test_webhook(&app.app, key_of(&app, "ann").await, id).await.unwrap_err();
        assert!(format!("{refused:?}").contains("switched off"), "{refused:?}");
        host.answer_next(&[]);
        start_webhook(&app.app.store, &app.app.config, key_of(&app, "ann").await, id).await.unwrap();
        say(&app, "osbox move 101 ann ann-secret d3", "").await;
        app.work().await;
        assert_eq!(states(&app).await.len(), 2);
    }

    pub(super) async fn who_is_gone_is_asked_no_more(place: Place) {
        let (app, host) = begin(place).await;
        hook(&app, "ann", &host.url(), &[HookEvent::Move]).await;
        say(&app, "osbox challenge -size=4 ann bob", "").await;
        host.answer_next(&["410 Gone"]);
        say(&app, "osbox move 101 ann ann-secret d2", "").await;
        say(&app, "osbox move 101 bob bob-secret f9", "").await;
        app.work().await;
        assert_eq!(
            (host.told().len(), states(&app).await),
            (1, vec!["failed".to_owned(), "dropped".to_owned()])
        );
        let view = only_hook(&app, "ann").await;
        assert!(view.stopped_at.is_some() && view.error.as_deref().unwrap().contains("410"), "{view:?}");
        assert!(app.letters().iter().any(|letter| letter.text.contains("410 Gone")));
    }

    pub(super) async fn what_waits_goes_with_the_webhook_the_secret_and_the_account(place: Place) {
        let (app, host) = begin(place).await;
        let (_, first) = hook(&app, "ann", &host.url(), &[HookEvent::Move]).await;
        let (old, second) = hook(&app, "ann", &host.url(), &[HookEvent::Move]).await;
        hook(&app, "bob", &host.url(), &[HookEvent::Move]).await;
        hook(&app, "cyd", &host.url(), &[HookEvent::Move]).await;
        say(&app, "osbo challenge ann bob cyd", "").await;
        let name = BoardRef { game: "osbo".to_owned(), number: 101 };
        let board = view_board(&app.app, &name, None).await.unwrap().board;
        let play = board.position.example_move().unwrap();
        say(&app, &format!("osbo move 101 ann ann-secret {play}"), "").await;
        assert_eq!(states(&app).await, ["queued"; 4]);
        let ann = key_of(&app, "ann").await;
        assert!(
            remove_webhook(&app.app.store, app.app.clock.as_ref(), key_of(&app, "bob").await, first)
                .await
                .is_err(),
            "it is ann's"
        );
        remove_webhook(&app.app.store, app.app.clock.as_ref(), ann, first).await.unwrap();
        assert!(remove_webhook(&app.app.store, app.app.clock.as_ref(), ann, first).await.is_err());
        assert_eq!(states(&app).await, ["dropped", "queued", "queued", "queued"]);
        assert!(renew_webhook_secret(&app.app, app.proven("bob").await, second).await.is_err());
        let fresh = renew_webhook_secret(&app.app, app.proven("ann").await, second).await.unwrap();
        let secret = fresh.secret.unwrap();
        assert_eq!(states(&app).await, ["dropped", "dropped", "queued", "queued"]);
        edit_user(&app.app, "bob", UserEdit::Suspend).await.unwrap();
        assert_eq!(states(&app).await, ["dropped", "dropped", "dropped", "queued"]);
        edit_user(&app.app, "cyd", UserEdit::Delete).await.unwrap();
        // What waited for cyd is deleted with the account.
        assert_eq!(states(&app).await[..3], ["dropped"; 3]);
        app.work().await;
        let told = host.told();
        // What the departure of cyd did is told to ann alone, and signed anew.
        assert!(told.iter().all(|told| told.is_signed_with(&secret.show())), "{told:?}");
        assert!(told.iter().all(|told| !told.is_signed_with(&old) && told.body.contains("\"user\":\"ann\"")));
        assert!(view_webhooks(&app.app.store, key_of(&app, "cyd").await).await.unwrap().is_empty());
        say(&app, "osbo chat 101 ann ann-secret", "Hm.").await;
    }

    pub(super) async fn a_host_has_one_sender_waiting_for_it(place: Place) {
        let (app, host) = begin(place).await;
        hook(&app, "ann", &host.url(), &[HookEvent::Move]).await;
        hook(&app, "bob", &host.url(), &[HookEvent::Move]).await;
        say(&app, "osbox challenge -size=4 ann bob", "").await;
        say(&app, "osbox move 101 ann ann-secret d2", "").await;
        say(&app, "osbox move 101 bob bob-secret f9", "").await;
        let take = async || match take_delivery(&app.app).await.unwrap() {
            Some(Taken::Deliver(delivery)) => Some(*delivery),
            Some(Taken::Dropped) => panic!("nothing is to be dropped"),
            None => None,
        };
        let text = |delivery: &Delivery| String::from_utf8(delivery.body.clone()).unwrap();
        let first = take().await.unwrap();
        let other = take().await.unwrap();
        assert!(text(&first).contains("\"user\":\"ann\"") && text(&other).contains("\"user\":\"bob\""));
        assert!(text(&first).contains("\"ply\":1") && text(&other).contains("\"ply\":1"), "in their order");
        assert!(take().await.is_none(), "what else waits is for hosts that are being told something");
        note_fate(&app.app, first, Fate::Arrived).await.unwrap();
        assert!(text(&take().await.unwrap()).contains("\"ply\":2"));
        // Whoever has taken one and was killed gives it back with the lease, before what happened later.
        app.clock.advance(3 * 60 * SECOND);
        let again = take().await.unwrap();
        assert_eq!((&again.id, again.attempts), (&other.id, 2));
        note_fate(&app.app, again, Fate::Arrived).await.unwrap();
        for user in ["bob", "ann"] {
            let untried = take().await.unwrap();
            assert!(
                text(&untried).contains(&format!("\"user\":\"{user}\""))
                    && text(&untried).contains("\"ply\":2")
            );
        }
    }

    pub(super) async fn what_happens_while_a_host_is_down_follows_what_it_did_not_take(place: Place) {
        let (app, host) = begin(place).await;
        hook(&app, "ann", &host.url(), &[HookEvent::Move, HookEvent::Chat]).await;
        say(&app, "osbox challenge -size=4 ann bob", "").await;
        host.answer_next(&["502 Down"; 4]);
        say(&app, "osbox move 101 ann ann-secret d2", "").await;
        for line in [
            "osbox chat 101 bob bob-secret",
            "osbox move 101 bob bob-secret f9",
            "osbox move 101 ann ann-secret d3",
        ] {
            app.work().await;
            app.clock.advance(7 * HOUR);
            say(&app, line, if line.contains("chat") { "Down?" } else { "" }).await;
        }
        app.work().await;
        let told = host.told();
        assert_eq!(told.len(), 4);
        assert!(told.iter().all(|told| told.body.contains("\"d2\"")), "the first is asked for alone");
        app.clock.advance(3 * HOUR);
        say(&app, "osbox chat 101 ann ann-secret", "Up.").await;
        for _ in 0..6 {
            app.clock.advance(HOUR);
            app.work().await;
        }
        let told: Vec<String> = host.told().iter().map(|told| told.body.clone()).collect();
        let order = ["\"d2\"", "Down?", "\"f9\"", "\"d3\"", "Up."];
        assert_eq!(told.len(), order.len(), "{told:#?}");
        assert!(told.iter().zip(order).all(|(told, part)| told.contains(part)), "{told:#?}");
    }

    pub(super) async fn a_host_that_cannot_keep_up_is_switched_off(place: Place) {
        let (app, host) = begin(place).await;
        let (_, id) = hook(&app, "ann", &host.url(), &[HookEvent::Move]).await;
        say(&app, "osbox challenge -size=4 ann bob", "").await;
        let ann = key_of(&app, "ann").await;
        let at = app.app.clock.now();
        let fill = app.app.store.write(async move |tx| {
            let WebhookRow { user_id, .. } = tx.webhook(id).await?.unwrap();
            for number in 0..1000 {
                let (recipient, body) = ("https://x.example".to_owned(), "{}".to_owned());
                let event = NewHookEvent {
                    webhook: id,
                    user: user_id,
                    recipient,
                    id: format!("m{number}"),
                    body,
                    at,
                };
                tx.insert_hook_event(&event).await?;
            }
            Ok::<_, StoreError>(())
        });
        fill.await.unwrap();
        say(&app, "osbox move 101 ann ann-secret d2", "").await;
        let view = view_webhooks(&app.app.store, ann).await.unwrap().remove(0);
        assert_eq!(view.error.as_deref(), Some("1000 events waited for it"));
        assert!(view.stopped_at.is_some());
        assert!(states(&app).await.iter().all(|state| state == "dropped"));
        app.work().await;
        assert!(host.told().is_empty());
        assert!(app.letters().iter().any(|letter| letter.text.contains("1000 events waited for it")));
    }

    pub(super) async fn what_nobody_sent_for_days_is_dropped(place: Place) {
        let (app, host) = begin(place).await;
        hook(&app, "ann", &host.url(), &[HookEvent::Move]).await;
        say(&app, "osbox challenge -size=4 ann bob", "").await;
        say(&app, "osbox move 101 ann ann-secret d2", "").await;
        app.clock.advance(2 * DAY);
        say(&app, "osbox move 101 bob bob-secret f9", "").await;
        app.clock.advance(DAY + HOUR);
        // Events are sent again from now on.
        app.work().await;
        let told = host.told();
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].json()["data"]["moves"][0]["move"], "f9");
        assert_eq!(states(&app).await, ["dropped", "sent"]);
    }

    pub(super) async fn a_taken_back_move_changes_no_message(place: Place) {
        let (app, host) = begin(place).await;
        hook(&app, "ann", &host.url(), &[HookEvent::Move]).await;
        say(&app, "osbox challenge -size=4 ann bob", "").await;
        say(&app, "osbox move 101 ann ann-secret d2", "").await;
        say(&app, "osbox move 101 ann ann-secret undo", "").await;
        say(&app, "osbox move 101 bob bob-secret accept", "").await;
        // The mails about the move are dropped: the board is another one. What has happened has happened.
        app.work().await;
        let told = host.told();
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].json()["data"]["moves"][0]["move"], "d2");
    }
}
