//! Mails that are stored with the moves in them: each is as if it came alone, however many come at once.

use std::sync::Arc;

use futures_util::future::join_all;
use knotpost_model::{BounceKind, Millis, OutboxKey, Trouble, UserKey};
use knotpost_storage::{DirectMail, InboxEntry, MovePlan, NewInbox, StoreError, StoredMail};

use super::Ground;
use super::together::{ONE_MOVE, boards, make_move, move_plan, stored};

const START: &str = "[] 0 start Some(10) [1] [] [] []";

fn mail(id: &str, at: i64) -> Arc<DirectMail> {
    let row = NewInbox {
        received_at: Millis(at),
        way: "smtp",
        peer: (at % 2 == 0).then(|| "192.0.2.1".to_owned()),
        mail_from: (at % 3 == 0).then(|| format!("{id}@y.example")),
        recipients: "a@b\nc@d".to_owned(),
        size: at,
        sender: Some(format!("{id}@X.example")),
        message_id: Some(format!("{id}@there")),
        subject: Some(format!("osbox move {id}")),
        text: (at % 5 == 0).then(|| "text".to_owned()),
        raw: (at % 2 == 1).then(|| vec![0, 159, 255]),
        reason: Some("executed"),
        verdicts: (at % 3 == 1).then(|| "{}".to_owned()),
        host: None,
    };
    let since = Millis(at - 100);
    Arc::new(DirectMail { row, sender_key: format!("{id}@x.example"), dedupe_key: id.to_owned(), since })
}

/// Stores a mail and makes the move in it, unless it came before.
async fn receive(
    ground: &Ground,
    index: usize,
    user: UserKey,
    mail: Arc<DirectMail>,
) -> Result<StoredMail, StoreError> {
    let plan = MovePlan { mail: Some(Arc::clone(&mail)), ..move_plan(index, user) };
    let number = plan.number;
    let write = ground.store.write_move(Some(plan), move |tx| {
        let mail = Arc::clone(&mail);
        Box::pin(async move {
            let kept = tx.store_mail(&mail).await?;
            if kept.is_first {
                make_move(tx, number, user).await?;
                tx.address_trouble(&mail.sender_key).await?;
            }
            Ok(kept)
        })
    });
    write.await
}

async fn entry(ground: &Ground, kept: StoredMail) -> InboxEntry {
    ground.store.read().await.unwrap().inbox_entry(kept.key).await.unwrap().expect("the mail is stored")
}

pub(super) async fn mails_are_kept_with_the_moves_in_them(ground: &Ground) {
    let boards = boards(ground, 11).await;
    let mails: Vec<_> =
        (0..boards.len()).map(|index| mail(&format!("m{index}"), 1000 + index as i64)).collect();
    let all = boards.iter().enumerate();
    let all = all.map(|(index, (_, user))| receive(ground, index, *user, Arc::clone(&mails[index])));
    let kept: Vec<StoredMail> = join_all(all).await.into_iter().map(Result::unwrap).collect();
    let mut tx = ground.store.read().await.unwrap();
    for (index, (kept, mail)) in kept.into_iter().zip(&mails).enumerate() {
        assert!(kept.is_first, "{index}");
        assert!(stored(ground, index, boards[index].0).await.starts_with(ONE_MOVE));
        let (found, row) = (entry(ground, kept).await, &mail.row);
        assert_eq!(
            (found.received_at, found.size, found.way.as_str()),
            (row.received_at.0, row.size, row.way)
        );
        assert_eq!((found.state.as_str(), found.reason.as_deref()), ("done", row.reason));
        assert_eq!(
            (&found.peer, &found.mail_from, &found.recipients),
            (&row.peer, &row.mail_from, &row.recipients)
        );
        assert_eq!((&found.sender, &found.message_id), (&row.sender, &row.message_id));
        assert_eq!((&found.subject, &found.text, &found.verdicts), (&row.subject, &row.text, &row.verdicts));
        assert_eq!(tx.inbox_raw(kept.key).await.unwrap(), row.raw);
    }
    assert_eq!(tx.count_waiting_inbox().await.unwrap(), 0);
}

pub(super) async fn the_same_mail_twice_at_once_is_acted_on_once(ground: &Ground) {
    let boards = boards(ground, 6).await;
    let user = |index: usize| boards[index].1;
    // Each of the first four comes three times; the last two under one key.
    let all = (0..18).map(|turn| {
        let index = turn % 6;
        let id = if index < 4 { format!("m{index}") } else { "one".to_owned() };
        receive(ground, index, user(index), mail(&id, 1000 + turn as i64))
    });
    let kept: Vec<StoredMail> = join_all(all).await.into_iter().map(Result::unwrap).collect();
    let firsts = kept.iter().filter(|kept| kept.is_first).count();
    assert_eq!(firsts, 5, "{kept:?}");
    let mut keys: Vec<i64> = kept.iter().map(|kept| kept.key.0).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 18, "each is on record");
    let mut made = 0;
    for (index, (key, _)) in boards.iter().enumerate() {
        let found = stored(ground, index, *key).await;
        made += usize::from(found.starts_with(ONE_MOVE));
        assert!(found.starts_with(ONE_MOVE) || (index >= 4 && found.starts_with(START)), "{found}");
    }
    assert_eq!(made, 5);

    // The id of a mail is stored until its time is over; after that the same id is another mail.
    let later = [1099, 1200].map(|at| receive(ground, 0, user(0), mail("m0", at)));
    let later: Vec<bool> = join_all(later).await.into_iter().map(|kept| kept.unwrap().is_first).collect();
    assert_eq!(later, [false, true]);
}

pub(super) async fn a_mail_stays_when_what_it_said_is_undone(ground: &Ground) {
    let boards = boards(ground, 8).await;
    let all = boards.iter().enumerate().map(|(index, (_, user))| {
        let (mail, user) = (mail(&format!("m{index}"), 1000), *user);
        let plan = MovePlan { mail: Some(Arc::clone(&mail)), ..move_plan(index, user) };
        ground.store.write_move(Some(plan), move |tx| {
            let mail = Arc::clone(&mail);
            Box::pin(async move {
                let kept = tx.store_mail(&mail).await?;
                tx.savepoint();
                if index != 2 {
                    make_move(tx, 101 + index as u32, user).await?;
                }
                // Of these one has something to undo.
                if matches!(index, 2 | 5) {
                    tx.rollback_to_savepoint().await?;
                    tx.describe_inbox(kept.key, "refused", None, None).await?;
                } else {
                    tx.release_savepoint().await?;
                }
                Ok(kept)
            })
        })
    });
    for (index, kept) in join_all(all).await.into_iter().enumerate() {
        let kept = kept.unwrap();
        let (refused, reason) = (matches!(index, 2 | 5), entry(ground, kept).await.reason);
        assert!(kept.is_first, "{index}");
        assert_eq!(reason.as_deref(), Some(if refused { "refused" } else { "executed" }), "{index}");
        let found = stored(ground, index, boards[index].0).await;
        assert!(found.starts_with(if refused { START } else { ONE_MOVE }), "{index}: {found}");
    }
}

pub(super) async fn of_an_address_in_trouble_each_mail_hears(ground: &Ground) {
    let boards = boards(ground, 5).await;
    let trouble = Trouble { kind: BounceKind::Hard, status: "5.1.1".to_owned(), said: "unknown".to_owned() };
    let write = ground.store.write(move |tx| {
        let trouble = trouble.clone();
        Box::pin(async move {
            tx.insert_bounce(OutboxKey(1), "m1@x.example", &trouble, Millis(5)).await?;
            tx.insert_bounce(OutboxKey(2), "m3@x.example", &trouble, Millis(5)).await?;
            tx.stop_address("m3@x.example", "unknown", Millis(6)).await
        })
    });
    assert!(write.await.unwrap());
    let all = boards.iter().enumerate().map(|(index, (_, user))| {
        let (mail, user) = (mail(&format!("m{index}"), 1000), *user);
        let plan = MovePlan { mail: Some(Arc::clone(&mail)), ..move_plan(index, user) };
        ground.store.write_move(Some(plan), move |tx| {
            let mail = Arc::clone(&mail);
            Box::pin(async move {
                tx.store_mail(&mail).await?;
                make_move(tx, 101 + index as u32, user).await?;
                let before = tx.address_trouble(&mail.sender_key).await?;
                tx.start_address(&mail.sender_key).await?;
                Ok((before, tx.address_trouble(&mail.sender_key).await?))
            })
        })
    });
    let found: Vec<_> = join_all(all).await.into_iter().map(Result::unwrap).collect();
    let expected = [None, Some(None), None, Some(Some(6)), None];
    assert_eq!(found, expected.map(|before| (before, None)));
}
