//! Mail that came back, and mail as an administrator looks at it.

use knotpost_model::{Address, InboxKey, Millis, OutboxKey, Trouble};
use knotpost_storage::{
    Attempted, MailFilter, MailQueue, MailState, NewInbox, NewOutbox, StoppedAddress, StoreError, Window,
};

use super::Ground;
use crate::harness::DAY;

fn trouble(status: &str) -> Trouble {
    Trouble::judge(status, &format!("{status} said so")).unwrap()
}

async fn queue_mail(ground: &Ground, id: i64, recipient: &'static str) -> OutboxKey {
    let mail = NewOutbox {
        kind: "help",
        recipient: recipient.to_owned(),
        user: None,
        content: knotpost_storage::OutboxContent::Reference("{}".to_owned()),
        on_reply: None,
        message_id: format!("{id}@here"),
        date: Millis(id),
    };
    let write = ground.store.write(async move |tx| {
        tx.insert_outbox(&mail).await?;
        tx.mail_numbers(MailQueue::Outbox).await
    });
    OutboxKey(write.await.unwrap().unwrap().high - 1)
}

pub(super) async fn bounces_are_counted_by_day(ground: &Ground) {
    let write = ground.store.write(async move |tx| {
        let mut new = Vec::new();
        // The first mail counts on the first day, the second and the third on the second, the fourth on the fourth.
        for (mail, status, day) in [
            (1, "5.1.1", 0),
            (1, "5.1.2", 0),
            (1, "4.0.0", 0),
            (2, "5.1.1", 1),
            (3, "5.1.1", 1),
            (4, "4.2.2", 3),
        ] {
            let at = Millis(day * DAY + mail);
            new.push(tx.insert_bounce(OutboxKey(mail), "a@b.example", &trouble(status), at).await?);
        }
        let both = tx.count_bounce_days("a@b.example", Millis(0), Millis(0)).await?;
        let late = tx.count_bounce_days("a@b.example", Millis(DAY), Millis(0)).await?;
        let later = tx.count_bounce_days("a@b.example", Millis(DAY), Millis(3 * DAY)).await?;
        let other = tx.count_bounce_days("c@b.example", Millis(0), Millis(0)).await?;
        Ok::<_, StoreError>((new, both, late, later, other))
    });
    let new = vec![true, false, true, true, true, true];
    assert_eq!(write.await.unwrap(), (new, (2, 3), (1, 3), (1, 1), (0, 0)));
}

pub(super) async fn two_reports_at_once_see_one_another(ground: &Ground) {
    let report = |mail: i64| {
        ground.store.write(async move |tx| {
            let at = Millis(mail * DAY);
            tx.insert_bounce(OutboxKey(mail), "a@b.example", &trouble("5.1.1"), at).await?;
            Ok::<_, StoreError>(tx.count_bounce_days("a@b.example", Millis(0), Millis(0)).await?.0)
        })
    };
    let (one, two, three, four) = tokio::join!(report(1), report(2), report(3), report(4));
    let mut counts = [one, two, three, four].map(Result::unwrap);
    counts.sort_unstable();
    assert_eq!(counts, [1, 2, 3, 4], "none of them looked past another");
}

pub(super) async fn a_mail_arrived_that_did_not_come_back(ground: &Ground) {
    let (one, other) =
        (queue_mail(ground, 1, "A@b.example").await, queue_mail(ground, 2, "a@B.example").await);
    let write = ground.store.write(async move |tx| {
        for (mail, at) in [(one, 10), (other, 20)] {
            tx.finish_outbox(mail, "sent", None, Millis(at)).await?;
        }
        let mut seen = vec![tx.last_arrival("a@b.example", (Millis(0), Millis(30))).await?];
        seen.push(tx.last_arrival("a@b.example", (Millis(0), Millis(19))).await?);
        seen.push(tx.last_arrival("a@b.example", (Millis(20), Millis(30))).await?);
        tx.insert_bounce(other, "a@b.example", &trouble("4.2.2"), Millis(25)).await?;
        seen.push(tx.last_arrival("a@b.example", (Millis(0), Millis(30))).await?);
        seen.push(tx.last_arrival("c@b.example", (Millis(0), Millis(30))).await?);
        Ok::<_, StoreError>(seen)
    });
    let at = |at| Some(Millis(at));
    assert_eq!(write.await.unwrap(), [at(20), at(10), None, at(10), None]);
}

pub(super) async fn an_address_is_stopped_told_of_and_started(ground: &Ground) {
    let ann = ground.user("ann").await;
    let write = ground.store.write(async move |tx| {
        let address: Address = "Old@ann.example".parse().unwrap();
        tx.add_address(ann, &address, None, Millis(1)).await?;
        let key = address.key();
        assert!(!tx.is_proven_address(&key).await?);
        tx.verify_address(ann, &key, Millis(2)).await?;
        assert!(tx.is_proven_address(&key).await? && !tx.is_proven_address("x@y.example").await?);
        assert_eq!(tx.address_trouble(&key).await?, None);
        assert!(!tx.stop_address(&key, "why", Millis(5)).await?, "nothing came back yet");
        tx.insert_bounce(OutboxKey(1), &key, &trouble("5.1.1"), Millis(4)).await?;
        assert_eq!(tx.address_trouble(&key).await?, Some(None));
        assert!(tx.stop_address(&key, "why", Millis(5)).await?);
        assert!(!tx.stop_address(&key, "again", Millis(6)).await?);
        assert_eq!(tx.address_trouble(&key).await?, Some(Some(5)));
        tx.note_stop_told(ann, &key, Millis(7)).await?;
        let row = StoppedAddress {
            address_key: key.clone(),
            stopped_at: 5,
            why: "why".to_owned(),
            told_at: Some(7),
        };
        assert_eq!(tx.stopped_addresses_of(ann).await?, std::slice::from_ref(&row));
        let all = tx.stopped_addresses("", 9).await?;
        assert_eq!(all, [StoppedAddress { told_at: None, ..row }]);
        assert!(tx.stopped_addresses(&key, 9).await?.is_empty());
        let readers = tx.reader_facts(&[ann], "osbox").await?.addresses;
        assert_eq!((readers[0].stopped_at, readers[0].stop_told_at), (Some(5), Some(7)));
        // What is somebody's stays stopped however long ago that was.
        tx.prune_bounces(Millis(100)).await?;
        assert!(tx.start_address(&key).await? && !tx.start_address(&key).await?);
        assert_eq!(tx.reader_facts(&[ann], "osbox").await?.addresses[0].stop_told_at, None);
        // What is nobody's is forgotten.
        tx.insert_bounce(OutboxKey(2), "x@y.example", &trouble("5.1.1"), Millis(8)).await?;
        tx.stop_address("x@y.example", "why", Millis(9)).await?;
        tx.prune_bounces(Millis(8)).await?;
        assert_eq!(tx.address_trouble("x@y.example").await?, Some(Some(9)));
        tx.prune_bounces(Millis(9)).await?;
        tx.address_trouble("x@y.example").await
    });
    assert_eq!(write.await.unwrap(), None);
}

pub(super) async fn administrators_in_good_standing_are_found(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let write = ground.store.write(async move |tx| {
        tx.set_user_role(bob, "admin").await?;
        let one = tx.administrators(9).await?;
        tx.set_user_role(ann, "admin").await?;
        tx.set_user_state(bob, knotpost_storage::UserState::Suspended).await?;
        Ok::<_, StoreError>((one, tx.administrators(9).await?))
    });
    assert_eq!(write.await.unwrap(), (vec![bob], vec![ann]));
}

pub(super) async fn mails_are_listed_by_what_they_are(ground: &Ground) {
    for (at, state) in [(1, "executed"), (2, "refused"), (3, "")] {
        let reason = match state {
            "executed" => Some("executed"),
            "refused" => Some("refused"),
            _ => None,
        };
        let mail = NewInbox {
            received_at: Millis(at),
            way: "smtp",
            peer: None,
            mail_from: Some("Back@path.example".to_owned()),
            recipients: "a@b".to_owned(),
            size: 3,
            sender: Some(format!("X{at}@y.example")),
            message_id: None,
            subject: None,
            text: None,
            verdicts: None,
            host: None,
            raw: reason.is_none().then(|| vec![1, 2, 3]),
            reason,
        };
        let write = ground.store.write(async move |tx| tx.insert_inbox(&mail).await);
        write.await.unwrap();
    }
    for (id, recipient) in [(1, "X1@y.example"), (2, "x2@y.example")] {
        queue_mail(ground, id, recipient).await;
    }
    let mut tx = ground.store.read().await.unwrap();
    let all = tx.mail_numbers(MailQueue::Inbox).await.unwrap().unwrap();
    assert_eq!(tx.mail_time(MailQueue::Inbox, all.low + 1).await.unwrap(), Some(2));
    let filter = |state: &str, reason: &str, since: i64, addresses: &[&str]| MailFilter {
        state: state.to_owned(),
        reason: reason.to_owned(),
        since,
        addresses: addresses.iter().map(|address| (*address).to_owned()).collect(),
    };
    for (filter, times) in [
        (filter("", "", 0, &[]), vec![3, 2, 1]),
        (filter("done", "", 0, &[]), vec![2, 1]),
        (filter("new", "", 0, &[]), vec![3]),
        (filter("", "refused", 0, &[]), vec![2]),
        (filter("", "", 2, &[]), vec![3, 2]),
        (filter("", "", 0, &["x1@y.example", "x3@y.example"]), vec![3, 1]),
        (filter("", "", 0, &["back@path.example"]), vec![3, 2, 1]),
        (filter("done", "", 2, &["x1@y.example"]), vec![]),
    ] {
        let found = tx.list_inbox(&filter, all, 9).await.unwrap();
        assert_eq!(found.iter().map(|mail| mail.received_at).collect::<Vec<_>>(), times, "{filter:?}");
    }
    assert_eq!(tx.list_inbox(&MailFilter::default(), all, 1).await.unwrap()[0].kept, 3);
    let below = Window { high: all.high - 1, ..all };
    assert_eq!(tx.list_inbox(&MailFilter::default(), below, 9).await.unwrap().len(), 2);
    let all = tx.mail_numbers(MailQueue::Outbox).await.unwrap().unwrap();
    let found = tx.list_outbox(&filter("queued", "", 0, &["x1@y.example"]), all, 9).await.unwrap();
    assert_eq!((found.len(), found[0].recipient.as_str()), (1, "X1@y.example"));
    let (entry, row) = tx.outbox_entry(OutboxKey(found[0].id)).await.unwrap().unwrap();
    assert_eq!((entry.kind.as_str(), row.facts.as_deref()), ("help", Some("{}")));
    assert_eq!(tx.outbox_recipient(row.id).await.unwrap().as_deref(), Some("X1@y.example"));
    assert!(tx.inbox_entry(InboxKey(999)).await.unwrap().is_none());
}

pub(super) async fn only_mails_in_the_right_state_are_tried_again_or_dropped(ground: &Ground) {
    let key = queue_mail(ground, 1, "x@y.example").await;
    let write = ground.store.write(async move |tx| {
        let (queue, id, now) = (MailQueue::Outbox, key.0, Millis(50));
        let reasons = ["one", "other"];
        assert!(!tx.retry_mail(queue, id, reasons, now).await?, "it waits already");
        tx.lease_outbox(Millis(10), Millis(100), 1).await?;
        assert!(!tx.drop_mail(queue, id, "other", now).await?, "somebody has leased it");
        tx.defer_outbox(key, (Attempted::InVain, "busy"), Millis(99)).await?;
        assert!(tx.drop_mail(queue, id, "other", now).await?);
        assert!(!tx.drop_mail(queue, id, "other", now).await?);
        let state = tx.mail_state(queue, id).await?;
        assert_eq!(state, Some(MailState { state: "dropped".to_owned(), reason: Some("other".to_owned()) }));
        assert!(tx.retry_mail(queue, id, reasons, now).await?);
        assert_eq!(tx.next_outbox_due().await?, Some(50));
        tx.finish_outbox(key, "dropped", Some("superseded"), now).await?;
        assert!(!tx.retry_mail(queue, id, reasons, now).await?, "there is nothing to send any more");
        tx.mail_state(queue, 999).await
    });
    assert_eq!(write.await.unwrap(), None);
}
