//! The queues of received and outgoing mail.

use std::collections::HashSet;
use std::sync::Arc;

use knotpost_model::{Address, BoardKey, InboxKey, Millis, OutboxKey, Trouble};
use knotpost_storage::{
    Attempted, BoardMail, MailQueue, NewHookEvent, NewInbox, NewOutbox, NewWebhook, OutboxContent, OutboxRow,
    Store, StoreError, WriteTx,
};

use super::Ground;

pub(super) fn received(at: i64, reason: Option<&'static str>) -> NewInbox {
    NewInbox {
        received_at: Millis(at),
        way: "smtp",
        peer: None,
        mail_from: None,
        recipients: "a@b\nc@d".to_owned(),
        size: 3,
        sender: Some("x@y.example".to_owned()),
        message_id: None,
        subject: None,
        text: None,
        raw: reason.is_none().then(|| vec![0, 159, 255]),
        reason,
        verdicts: Some("{}".to_owned()),
        host: None,
    }
}

async fn store_mail(store: &Store, at: i64, reason: Option<&'static str>) -> InboxKey {
    store.write(async move |tx| tx.insert_inbox(&received(at, reason)).await).await.unwrap()
}

async fn queue_mail(store: &Store, id: usize, at: i64, content: OutboxContent) -> Result<(), StoreError> {
    queue_mail_to("x@y.example", store, id, at, content).await
}

async fn queue_mail_to(
    recipient: &str,
    store: &Store,
    id: usize,
    at: i64,
    content: OutboxContent,
) -> Result<(), StoreError> {
    let mail = NewOutbox {
        kind: "board",
        recipient: recipient.to_owned(),
        user: None,
        content,
        on_reply: None,
        message_id: format!("{id}@here"),
        date: Millis(at),
    };
    let write = store.write(async move |tx| tx.insert_outbox(&mail).await);
    write.await
}

pub(super) async fn a_received_mail_waits_until_its_outcome_is_known(ground: &Ground) {
    let store = &ground.store;
    let (early, late) = (store_mail(store, 10, None).await, store_mail(store, 20, None).await);
    store_mail(store, 5, Some("bulk")).await;
    let mut tx = store.read().await.unwrap();
    assert_eq!((tx.count_waiting_inbox().await.unwrap(), tx.next_inbox_due().await.unwrap()), (2, Some(10)));
    let waiting = [9, 10].map(Millis);
    assert!(!tx.is_mail_waiting(waiting[0]).await.unwrap() && tx.is_mail_waiting(waiting[1]).await.unwrap());
    drop(tx);
    let write = store.write(async move |tx| {
        let none = tx.lease_inbox(Millis(9), Millis(100)).await?;
        let first = tx.lease_inbox(Millis(50), Millis(100)).await?;
        let second = tx.lease_inbox(Millis(50), Millis(100)).await?;
        let third = tx.lease_inbox(Millis(99), Millis(200)).await?;
        let again = tx.lease_inbox(Millis(100), Millis(200)).await?;
        Ok::<_, StoreError>((none, first, second, third, again))
    });
    let (none, first, second, third, again) = write.await.unwrap();
    assert!(none.is_none() && third.is_none(), "{none:?} {third:?}");
    let (first, second, again) = (first.unwrap(), second.unwrap(), again.unwrap());
    assert_eq!((first.id, first.attempts, first.received_at, first.mail_from), (early, 1, Millis(10), None));
    assert_eq!(
        (first.recipients.as_str(), first.raw.as_deref()),
        ("a@b\nc@d", Some([0, 159, 255].as_slice()))
    );
    assert_eq!(first.verdicts.as_deref(), Some("{}"));
    assert_eq!((second.id, again.id, again.attempts), (late, early, 2));
    let write = store.write(async move |tx| {
        let done = tx.finish_inbox(early, "done", "executed", false, Millis(60)).await?;
        let twice = tx.finish_inbox(early, "done", "executed", false, Millis(61)).await?;
        tx.describe_inbox(early, "refused", Some("Re: x"), None).await?;
        tx.release_inbox(Millis(60)).await?;
        tx.finish_inbox(late, "failed", "broken", true, Millis(62)).await?;
        Ok::<_, StoreError>((done, twice, tx.next_inbox_due().await?))
    });
    assert_eq!(write.await.unwrap(), (true, false, None));
}

pub(super) async fn two_readers_never_get_the_same_mail(ground: &Ground) {
    for at in 0..40 {
        store_mail(&ground.store, at, None).await;
    }
    let take = |store: Store| async move {
        let mut taken = Vec::new();
        loop {
            let lease =
                store.write(async move |tx| tx.lease_inbox(Millis(100), Millis(1000)).await).await.unwrap();
            let Some(row) = lease else { return taken };
            taken.push(row.id.0);
        }
    };
    let (one, two, three) =
        tokio::join!(take(ground.store.clone()), take(ground.store.clone()), take(ground.store.clone()));
    let all: Vec<i64> = [one, two, three].concat();
    assert_eq!((all.len(), all.iter().collect::<HashSet<_>>().len()), (40, 40));
}

pub(super) async fn a_mail_is_acted_on_once_in_its_window(ground: &Ground) {
    let key = store_mail(&ground.store, 1, None).await;
    let write = ground.store.write(async move |tx| {
        Ok::<_, StoreError>([
            tx.claim_mail("k", key, Millis(0), Millis(100)).await?,
            tx.claim_mail("k", key, Millis(99), Millis(150)).await?,
            tx.claim_mail("other", key, Millis(99), Millis(150)).await?,
            tx.claim_mail("k", key, Millis(100), Millis(200)).await?,
            tx.claim_mail("k", key, Millis(150), Millis(210)).await?,
        ])
    });
    assert_eq!(write.await.unwrap(), [true, false, true, true, false]);
}

pub(super) async fn answers_are_counted_by_the_hour(ground: &Ground) {
    let write = ground.store.write(async move |tx| {
        let mut counts = Vec::new();
        for (address, hour) in [("x", 7), ("x", 7), ("y", 7), ("x", 8), ("x", 8), ("x", 8)] {
            counts.push(tx.count_answer(address, hour).await?);
        }
        tx.prune_inbox(Millis(0), Millis(0), 8).await?;
        counts.push(tx.count_answer("x", 8).await?);
        counts.push(tx.count_answer("y", 7).await?);
        // A process whose clock is behind does not begin the hour anew; a clock put back does.
        counts.push(tx.count_answer("x", 7).await?);
        counts.push(tx.count_answer("x", 8).await?);
        counts.push(tx.count_answer("x", 5).await?);
        Ok::<_, StoreError>(counts)
    });
    assert_eq!(write.await.unwrap(), [1, 2, 1, 1, 2, 3, 4, 1, 5, 6, 1]);
}

pub(super) async fn an_outgoing_mail_is_leased_deferred_and_ended(ground: &Ground) {
    let store = &ground.store;
    queue_mail(store, 1, 10, OutboxContent::Reference("{}".to_owned())).await.unwrap();
    let twice = queue_mail(store, 1, 11, OutboxContent::Reference(String::new())).await;
    assert!(matches!(twice, Err(StoreError::Conflict(_))), "{twice:?}");
    let mut leased =
        store.write(async move |tx| tx.lease_outbox(Millis(10), Millis(500), 1).await).await.unwrap();
    let lease = leased.pop().unwrap();
    assert_eq!((lease.attempts, lease.kind.as_str(), lease.message_id.as_str()), (1, "board", "1@here"));
    assert_eq!((lease.facts.as_deref(), lease.ply), (Some("{}"), None));
    assert_eq!((lease.user_id, lease.board_id, lease.date), (None, None, Millis(10)));
    let key = lease.id;
    let write = store.write(async move |tx| {
        assert!(tx.lease_outbox(Millis(499), Millis(900), 1).await?.is_empty());
        tx.defer_outbox(key, (Attempted::InVain, "busy"), Millis(40)).await?;
        let due = tx.next_outbox_due().await?;
        let again = tx.lease_outbox(Millis(40), Millis(900), 1).await?.pop().map(|row| row.attempts);
        let waiting = tx.count_waiting_outbox().await?;
        tx.finish_outbox(key, "sent", None, Millis(50)).await?;
        tx.defer_outbox(key, (Attempted::InVain, "too late"), Millis(1)).await?;
        Ok::<_, StoreError>((
            due,
            again,
            waiting,
            tx.count_waiting_outbox().await?,
            tx.next_outbox_due().await?,
        ))
    });
    assert_eq!(write.await.unwrap(), (Some(40), Some(2), 1, 0, None));
}

pub(super) async fn two_senders_never_get_the_same_mail(ground: &Ground) {
    for id in 0..40 {
        let message = OutboxContent::Reference(String::new());
        queue_mail_to(&format!("{id}@y.example"), &ground.store, id, 1, message).await.unwrap();
    }
    let store = Arc::new(ground.store.clone());
    let senders: Vec<_> = (0..4)
        .map(|_| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                let mut taken = Vec::new();
                loop {
                    let rows = store
                        .write(async move |tx| tx.lease_outbox(Millis(9), Millis(99), 3).await)
                        .await
                        .unwrap();
                    if rows.is_empty() {
                        break;
                    }
                    assert!(rows.len() <= 3);
                    taken.extend(rows.iter().map(|row| row.id.0));
                }
                taken
            })
        })
        .collect();
    let mut all = Vec::new();
    for sender in senders {
        all.extend(sender.await.unwrap());
    }
    assert_eq!((all.len(), all.iter().collect::<HashSet<_>>().len()), (40, 40));
}

pub(super) async fn a_recipient_of_a_leased_mail_waits_and_no_other_does(ground: &Ground) {
    for id in 0..20 {
        queue_mail(&ground.store, id, 1, OutboxContent::Reference(String::new())).await.unwrap();
    }
    let other = OutboxContent::Reference(String::new());
    queue_mail_to("z@y.example", &ground.store, 20, 2, other).await.unwrap();
    let lease = |now| ground.store.write(async move |tx| tx.lease_outbox(Millis(now), Millis(99), 4).await);
    let first = lease(5).await.unwrap();
    assert_eq!(
        first.iter().map(|row| row.message_id.as_str()).collect::<Vec<_>>(),
        ["0@here", "1@here", "2@here", "3@here"]
    );
    let second = lease(6).await.unwrap();
    assert_eq!(second.iter().map(|row| row.message_id.as_str()).collect::<Vec<_>>(), ["20@here"]);
    assert!(lease(7).await.unwrap().is_empty(), "both are written to");
    let keys: Vec<_> = first.iter().map(|row| row.id).collect();
    let note = ground.store.write(async move |tx| tx.note_sent_outbox(&keys, Millis(8)).await);
    note.await.unwrap();
    assert_eq!(lease(8).await.unwrap()[0].message_id, "4@here");
    // The leases of a server that is gone end by themselves.
    let again =
        ground.store.write(async move |tx| tx.lease_outbox(Millis(99), Millis(200), 1).await).await.unwrap();
    assert_eq!(again[0].message_id, "4@here");
}

/// Leases all mails that wait.
async fn lease_all(tx: &mut WriteTx) -> Result<Vec<OutboxKey>, StoreError> {
    let leased = tx.lease_outbox(Millis(5), Millis(99), 9).await?;
    Ok(leased.iter().map(|row| row.id).collect())
}

pub(super) async fn mails_that_were_taken_can_be_given_back(ground: &Ground) {
    for id in 0..3 {
        queue_mail(&ground.store, id, 1, OutboxContent::Reference(String::new())).await.unwrap();
    }
    let write = ground.store.write(async move |tx| {
        let keys = lease_all(tx).await?;
        tx.finish_outbox(keys[0], "sent", None, Millis(6)).await?;
        tx.defer_outbox(keys[1], (Attempted::InVain, "busy"), Millis(70)).await?;
        // One has been sent and one put off: only the third is still as it was taken.
        tx.give_back_outbox(&keys, Millis(99), Millis(7)).await?;
        let again = tx.lease_outbox(Millis(7), Millis(99), 9).await?;
        Ok::<_, StoreError>(
            again.iter().map(|row| (row.message_id.clone(), row.attempts)).collect::<Vec<_>>(),
        )
    });
    // … and the one that was put off goes before it.
    assert_eq!(write.await.unwrap(), [("1@here".to_owned(), 2), ("2@here".to_owned(), 1)]);
}

pub(super) async fn mails_that_have_left_are_noted_together(ground: &Ground) {
    for id in 0..4 {
        queue_mail(&ground.store, id, 1, OutboxContent::Reference(String::new())).await.unwrap();
    }
    let write = ground.store.write(async move |tx| {
        let keys = lease_all(tx).await?;
        tx.finish_outbox(keys[0], "dropped", Some("superseded"), Millis(6)).await?;
        tx.defer_outbox(keys[1], (Attempted::InVain, "busy"), Millis(70)).await?;
        tx.note_sent_outbox(&keys[..3], Millis(80)).await?;
        Ok::<_, StoreError>((keys, tx.next_outbox_due().await?))
    });
    let (keys, due) = write.await.unwrap();
    assert_eq!(due, Some(99), "the fourth is still in somebody's hands");
    let mut found = Vec::new();
    let mut tx = ground.store.read().await.unwrap();
    for key in keys {
        let (mail, _) = tx.outbox_entry(key).await.unwrap().unwrap();
        found.push((mail.state, mail.done_at, mail.error));
    }
    let expected = [
        ("dropped", Some(6), Some("superseded")),
        ("sent", Some(80), None),
        ("sent", Some(80), None),
        ("queued", None, None),
    ];
    let expected = expected.map(|(state, at, error)| (state.to_owned(), at, error.map(str::to_owned)));
    assert_eq!(found, expected);
}

pub(super) async fn what_speaks_against_sending_is_known_to_whoever_has_the_mail(ground: &Ground) {
    let ann = ground.user("ann").await;
    let board = ground.board("osbox", [ann, ground.user("bob").await]).await;
    let mail = |ply| OutboxContent::Board(BoardMail { board, ply, facts: "{}".to_owned(), wait_ms: 0 });
    queue_mail(&ground.store, 1, 1, mail(4)).await.unwrap();
    let write = ground.store.write(async move |tx| tx.lease_outbox(Millis(5), Millis(99), 9).await);
    let row = write.await.unwrap().remove(0);
    let key = row.id;
    let outlook = async |until| {
        let mut tx = ground.store.query().await.unwrap();
        let found = tx.delivery_status(&row, Millis(until)).await.unwrap().unwrap();
        assert_eq!((found.reader.is_none(), found.address, found.is_blocked), (true, None, false));
        (found.is_leased, found.is_stopped)
    };
    assert_eq!(outlook(99).await, (true, false));
    assert_eq!(outlook(98).await, (false, false), "that lease was somebody else's");
    let write = ground.store.write(async move |tx| {
        let trouble = Trouble::judge("5.1.1", "no such user").unwrap();
        tx.insert_bounce(key, "x@y.example", &trouble, Millis(5)).await?;
        tx.stop_address("x@y.example", "no such user", Millis(6)).await
    });
    assert!(write.await.unwrap());
    assert_eq!(outlook(99).await, (true, true));
    let write = ground.store.write(async move |tx| tx.finish_outbox(key, "sent", None, Millis(6)).await);
    write.await.unwrap();
    assert_eq!(outlook(99).await, (false, true), "it has been sent");
}

pub(super) async fn a_mail_is_looked_up_with_its_reader_and_boards_together(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let boards = [ground.board("osbox", [ann, bob]).await, ground.board("osbox", [bob, ann]).await];
    let mail = |id, user, recipient: &str, board| NewOutbox {
        kind: "board",
        recipient: recipient.to_owned(),
        user,
        content: OutboxContent::Board(BoardMail { board, ply: 0, facts: "{}".to_owned(), wait_ms: 0 }),
        on_reply: None,
        message_id: format!("{id}@here"),
        date: Millis(id),
    };
    let mails = [
        mail(1, Some(ann), "Ann@Ann.Example", boards[0]),
        mail(2, Some(bob), "elsewhere@x.example", boards[1]),
        mail(3, None, "ann@ann.example", boards[0]),
    ];
    let write = ground.store.write(async move |tx| {
        tx.insert_outboxes(&mails).await?;
        tx.lease_outbox(Millis(5), Millis(99), 9).await
    });
    let rows = write.await.unwrap();
    let write = ground.store.write(async move |tx| {
        let address = "Ann@Ann.Example".parse::<Address>().unwrap();
        tx.add_address(ann, &address, Some(Millis(1)), Millis(1)).await
    });
    write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    let gone = OutboxRow { id: OutboxKey(4711), ..rows[0].clone() };
    assert!(tx.delivery_status(&gone, Millis(99)).await.unwrap().is_none());
    let mut found = Vec::new();
    for row in &rows {
        found.push(tx.delivery_status(row, Millis(99)).await.unwrap().unwrap());
    }
    let address = tx.address_id(ann, "ann@ann.example").await.unwrap();
    assert!(address.is_some());
    let told: Vec<_> = found
        .iter()
        .map(|status| (status.reader.as_ref().map(|reader| reader.userid.as_str()), status.address))
        .collect();
    assert_eq!(told, [(Some("ann"), address), (Some("bob"), None), (None, None)]);
    let reader = found[0].reader.as_ref().unwrap();
    assert_eq!(format!("{reader:?}"), format!("{:?}", tx.user(ann).await.unwrap().unwrap()));

    assert!(tx.seated_boards(&[]).await.unwrap().is_empty());
    let seated = tx.seated_boards(&[boards[1], BoardKey(4711), boards[0]]).await.unwrap();
    assert_eq!(seated.len(), 2);
    for board in boards {
        let alone = tx.seated_board(board).await.unwrap().unwrap();
        assert_eq!(format!("{:?}", seated[&board]), format!("{alone:?}"));
    }
    assert_eq!(seated[&boards[1]].seats.iter().map(|seat| seat.user_id).collect::<Vec<_>>(), [bob, ann]);
}

pub(super) async fn newer_mails_about_a_board_are_leased_with_an_older_one(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let (board, other) = (ground.board("osbox", [ann, bob]).await, ground.board("osbox", [ann, bob]).await);
    let mail =
        |board, ply| OutboxContent::Board(BoardMail { board, ply, facts: "{}".to_owned(), wait_ms: 0 });
    for (id, ply) in [(1, 4), (2, 5), (3, 6), (4, 3)] {
        queue_mail(&ground.store, id, 1, mail(board, ply)).await.unwrap();
    }
    queue_mail(&ground.store, 5, 1, mail(other, 6)).await.unwrap();
    queue_mail_to("z@y.example", &ground.store, 6, 9, mail(board, 6)).await.unwrap();
    // One that is put off keeps its time.
    let put_off = BoardMail { board, ply: 8, facts: "{}".to_owned(), wait_ms: 100 };
    queue_mail(&ground.store, 8, 1, OutboxContent::Board(put_off)).await.unwrap();
    // One that may have arrived never changes, and is not leased before its time.
    queue_mail(&ground.store, 7, 0, mail(board, 7)).await.unwrap();
    let write = ground.store.write(async move |tx| {
        let unsure = tx.lease_outbox(Millis(0), Millis(3), 1).await?.remove(0).id;
        tx.defer_outbox(unsure, (Attempted::Unheard, "no answer"), Millis(500)).await?;
        let leased = tx.lease_outbox(Millis(5), Millis(99), 1).await?;
        let keys: Vec<_> = leased.iter().map(|row| row.id).collect();
        let mut newer = tx.lease_newer_outbox(&keys, Millis(5), Millis(99)).await?;
        newer.sort_unstable_by_key(|row| row.id);
        assert!(tx.lease_newer_outbox(&keys, Millis(5), Millis(99)).await?.is_empty(), "once");
        let ids = |rows: &[OutboxRow]| rows.iter().map(|row| row.message_id.clone()).collect::<Vec<_>>();
        let found = (ids(&leased), ids(&newer), newer[1].unsure_attempts);
        tx.coalesce_outbox(newer[1].id, "merged", &[keys[0], newer[0].id], Millis(6)).await?;
        tx.give_back_outbox(&[newer[1].id], Millis(99), Millis(7)).await?;
        let again = tx.lease_outbox(Millis(7), Millis(99), 9).await?;
        Ok::<_, StoreError>((found, ids(&again), again[0].facts.clone()))
    });
    let (found, again, facts) = write.await.unwrap();
    assert_eq!(found, (vec!["1@here".to_owned()], vec!["2@here".to_owned(), "3@here".to_owned()], 1));
    assert_eq!(again, ["3@here", "4@here", "5@here"], "the older ones were dropped");
    assert_eq!(facts.as_deref(), Some("merged"));
}

pub(super) async fn what_is_sealed_is_found_by_how_it_begins(ground: &Ground) {
    let ann = ground.user("ann").await;
    store_mail(&ground.store, 10, None).await;
    store_mail(&ground.store, 11, Some("bulk")).await;
    let write = ground.store.write(async move |tx| {
        let hook = NewWebhook {
            url: "https://x.example/".to_owned(),
            events: "move".to_owned(),
            secret: vec![7, 1],
            form: "json",
            label: None,
            session: None,
        };
        tx.insert_webhook(ann, &hook, Millis(1)).await
    });
    let webhook = write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    for (beginning, count) in [(&[0, 159][..], 1), (&[], 1), (&[159], 0)] {
        assert_eq!(tx.count_sealed_mails(beginning).await.unwrap(), count, "{beginning:?}");
    }
    assert_eq!(tx.webhook_secrets(0, 10).await.unwrap(), [(webhook, vec![7, 1])]);
    assert!(tx.webhook_secrets(webhook, 10).await.unwrap().is_empty());
}

pub(super) async fn board_mails_are_dropped_when_their_board_begins_again(ground: &Ground) {
    let board = ground.board("osbox", [ground.user("ann").await, ground.user("bob").await]).await;
    let by_reference = BoardMail { board, ply: 4, facts: "{}".to_owned(), wait_ms: 0 };
    queue_mail(&ground.store, 1, 1, OutboxContent::Board(by_reference)).await.unwrap();
    queue_mail(&ground.store, 2, 2, OutboxContent::Reference("{}".to_owned())).await.unwrap();
    let write = ground.store.write(async move |tx| {
        tx.drop_board_mails(board, Millis(9)).await?;
        tx.lease_outbox(Millis(9), Millis(99), 1).await
    });
    assert_eq!(write.await.unwrap().pop().unwrap().message_id, "2@here");
    assert_eq!(ground.store.read().await.unwrap().count_waiting_outbox().await.unwrap(), 1);
}

pub(super) async fn mails_that_wait_keep_no_ended_ones_from_being_pruned(ground: &Ground) {
    let mails: Vec<NewOutbox> = (1..=1500)
        .map(|id| NewOutbox {
            kind: "board",
            recipient: "x@y.example".to_owned(),
            user: None,
            content: OutboxContent::Reference(String::new()),
            on_reply: None,
            message_id: format!("{id}@here"),
            date: Millis(1),
        })
        .collect();
    let write = ground.store.write(async move |tx| {
        tx.insert_outboxes(&mails).await?;
        let last = tx.lease_outbox(Millis(1), Millis(2), 1500).await?.pop().unwrap();
        tx.finish_outbox(last.id, "sent", None, Millis(5)).await?;
        tx.prune_outbox(Millis(9)).await?;
        Ok::<_, StoreError>((
            tx.mail_state(MailQueue::Outbox, last.id.0).await?.is_none(),
            tx.count_waiting_outbox().await?,
        ))
    });
    assert_eq!(write.await.unwrap(), (true, 1499));
}

/// Two processes look for an event at the same moment: neither sees the lease of the other.
#[tokio::test]
async fn a_webhook_on_postgresql_is_sent_one_event_at_a_time() {
    let Some(ground) = Ground::postgres().await else { return };
    let ann = ground.user("ann").await;
    let set_up = ground.store.write(async move |tx| {
        let hook = NewWebhook {
            url: "https://x.example/".to_owned(),
            events: "move".to_owned(),
            secret: vec![1],
            form: "json",
            label: None,
            session: None,
        };
        let webhook = tx.insert_webhook(ann, &hook, Millis(1)).await?;
        for id in ["one", "two"] {
            let (recipient, body) = ("https://x.example".to_owned(), "{}".to_owned());
            let event =
                NewHookEvent { webhook, user: ann, recipient, id: id.to_owned(), body, at: Millis(1) };
            tx.insert_hook_event(&event).await?;
        }
        Ok::<_, StoreError>(())
    });
    set_up.await.unwrap();
    let other = Store::open(&ground.settings).await.unwrap();
    let (leased, go_on) = (Arc::new(tokio::sync::Notify::new()), Arc::new(tokio::sync::Notify::new()));
    let slow = (Arc::clone(&leased), Arc::clone(&go_on));
    let first = ground.store.write_queue(async move |tx| {
        let (leased, go_on) = slow.clone();

        let row = tx.lease_hook_event(Millis(5), Millis(99)).await?;
        leased.notify_one();
        go_on.notified().await;
        Ok::<_, StoreError>(row)
    });
    let second = async {
        leased.notified().await;
        let second = other.write_queue(async move |tx| tx.lease_hook_event(Millis(5), Millis(99)).await);
        let release = async {
            tokio::time::sleep(std::time::Duration::from_millis(300)).await;
            go_on.notify_one();
        };
        tokio::join!(second, release).0
    };
    let (first, second) = tokio::join!(first, second);
    assert_eq!(first.unwrap().map(|row| row.message_id).as_deref(), Some("one"));
    assert_eq!(second.unwrap().map(|row| row.message_id), None, "the other one waits for its answer");
}

pub(super) async fn old_outcomes_are_pruned_and_waiting_mails_are_not(ground: &Ground) {
    let store = &ground.store;
    store_mail(store, 1, Some("old")).await;
    let waiting = store_mail(store, 1, None).await;
    let failed = store_mail(store, 1, None).await;
    queue_mail(store, 1, 1, OutboxContent::Reference(String::new())).await.unwrap();
    let write = store.write(async move |tx| {
        tx.finish_inbox(failed, "failed", "broken", true, Millis(40)).await?;
        let pruned = (tx.prune_inbox(Millis(41), Millis(30), 0).await?, tx.prune_outbox(Millis(100)).await?);
        let left = tx.lease_inbox(Millis(50), Millis(60)).await?.map(|row| (row.id, row.raw.is_some()));
        // The outcome of a failed mail outlives its message.
        tx.describe_inbox(failed, "still there", None, None).await?;
        Ok::<_, StoreError>((pruned, left, tx.count_waiting_outbox().await?))
    });
    assert_eq!(write.await.unwrap(), (((1, false), 0), Some((waiting, true)), 1));
    let pruned = store.write(async move |tx| tx.prune_inbox(Millis(41), Millis(100), 0).await);
    assert_eq!(pruned.await.unwrap(), (1, false));
}
