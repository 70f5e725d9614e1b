//! Requests and mails that are carried out once, however often they come at once.

use futures_util::future::join_all;
use knotpost_core::boards::ServiceError;
use knotpost_model::{InboxKey, Millis, UserKey};
use knotpost_storage::{NewInbox, RequestKey, SavedResponse, StoreError};

use super::together::{ONE_MOVE, boards, make_move, number_of, stored};
use super::{Ground, refusal};

fn key(digest: &str, since: i64) -> RequestKey {
    RequestKey { digest: digest.to_owned(), since: Millis(since) }
}

fn answer(body: &str) -> SavedResponse {
    SavedResponse {
        request_digest: format!("what asked for {body}"),
        status: 200,
        content_type: "text/plain".to_owned(),
        retry_after: None,
        body: body.to_owned(),
    }
}

/// Makes a move, unless it was made before under the same key, and keeps an answer; says what was answered before.
async fn request(
    ground: &Ground,
    (index, user): (usize, UserKey),
    key: RequestKey,
    body: String,
    now: i64,
) -> Result<Option<String>, StoreError> {
    let number = number_of(index);
    let write = ground.store.write(async move |tx| {
        if let Some(saved) = tx.saved_response(&key).await? {
            assert_eq!(saved, answer(&saved.body));
            return Ok(Some(saved.body));
        }
        let made = tx.part(async |tx| {
            make_move(tx, number, user).await?;
            if body == "refused" { Err(refusal()) } else { Ok(()) }
        });
        if let Err(ServiceError::Store(error)) = made.await {
            return Err(error);
        }
        tx.save_response(&key.digest, &answer(&body), Millis(now)).await?;
        Ok(None)
    });
    write.await
}

pub(super) async fn answers_are_stored_with_the_moves_they_tell_of(ground: &Ground) {
    let boards = boards(ground, 9).await;
    let body = |index: usize| if index == 4 { "refused".to_owned() } else { format!("made {index}") };
    for (round, expected) in [(0, false), (1, true)] {
        let all = boards.iter().enumerate().map(|(index, (_, user))| {
            request(ground, (index, *user), key(&format!("k{index}"), 5), body(index), 10 + round)
        });
        for (index, before) in join_all(all).await.into_iter().enumerate() {
            assert_eq!(before.unwrap(), expected.then(|| body(index)), "{round}: {index}");
        }
    }
    for (index, (board, _)) in boards.iter().enumerate() {
        let found = stored(ground, index, *board).await;
        assert_eq!(found.starts_with(ONE_MOVE), index != 4, "{found}");
    }
    let mut tx = ground.store.read().await.unwrap();
    assert_eq!(tx.saved_response(&key("k7", 9)).await.unwrap(), Some(answer("made 7")));
    assert_eq!(tx.saved_response(&key("k7", 10)).await.unwrap(), None);
}

pub(super) async fn the_same_key_at_once_makes_one_move(ground: &Ground) {
    let boards = boards(ground, 5).await;
    // Each of four keys comes four times, two of them about two boards by turns.
    let all = (0..16).map(|turn| {
        let name = turn % 4;
        let index = if name == 3 { 3 + turn / 4 % 2 } else { name };
        request(ground, (index, boards[index].1), key(&format!("k{name}"), 5), format!("made {turn}"), 10)
    });
    let before: Vec<Option<String>> = join_all(all).await.into_iter().map(Result::unwrap).collect();
    for name in 0..4 {
        let of_name: Vec<_> = before.iter().skip(name).step_by(4).collect();
        let answers: Vec<&String> = of_name.iter().filter_map(|before| before.as_ref()).collect();
        assert_eq!(answers.len(), 3, "one of them made the move: {before:?}");
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{before:?}");
    }
    let mut made = 0;
    for (index, (board, _)) in boards.iter().enumerate() {
        let found = stored(ground, index, *board).await;
        made += usize::from(found.starts_with(ONE_MOVE));
        assert!(found.starts_with(ONE_MOVE) || (index >= 3 && found.starts_with("[] 0 start")), "{found}");
    }
    assert_eq!(made, 4);
}

pub(super) async fn an_answer_that_is_too_old_is_replaced(ground: &Ground) {
    let boards = boards(ground, 3).await;
    for (since, now, expected) in
        [(0, 10, [None; 3]), (9, 20, [Some("10"); 3]), (10, 30, [None; 3]), (29, 40, [Some("30"); 3])]
    {
        let all = boards.iter().enumerate().map(|(index, (_, user))| {
            request(ground, (index, *user), key(&format!("k{index}"), since), now.to_string(), now)
        });
        let before: Vec<_> = join_all(all).await.into_iter().map(Result::unwrap).collect();
        assert_eq!(before, expected.map(|body| body.map(str::to_owned)), "{now}");
    }
}

/// Stores a mail and makes the move in it, unless it came before; says whether it did not.
async fn receive(
    ground: &Ground,
    (index, user): (usize, UserKey),
    id: String,
    at: i64,
) -> Result<(InboxKey, bool), StoreError> {
    let row = NewInbox {
        received_at: Millis(at),
        way: "smtp",
        peer: None,
        mail_from: None,
        recipients: "a@b.example".to_owned(),
        size: at,
        sender: None,
        message_id: None,
        subject: None,
        text: None,
        raw: None,
        reason: Some("executed"),
        verdicts: None,
        host: None,
    };
    let write = ground.store.write(async move |tx| {
        let key = tx.insert_inbox(&row).await?;
        let is_first = tx.claim_mail(&id, key, Millis(at - 100), Millis(at)).await?;
        if is_first {
            make_move(tx, number_of(index), user).await?;
        }
        Ok((key, is_first))
    });
    write.await
}

pub(super) async fn the_same_mail_at_once_is_acted_on_once(ground: &Ground) {
    let boards = boards(ground, 6).await;
    // Each of the first four comes three times; the last two under one key.
    let all = (0..18).map(|turn| {
        let index = turn % 6;
        let id = if index < 4 { format!("m{index}") } else { "one".to_owned() };
        receive(ground, (index, boards[index].1), id, 1000 + turn as i64)
    });
    let kept: Vec<(InboxKey, bool)> = join_all(all).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(kept.iter().filter(|(_, is_first)| *is_first).count(), 5, "{kept:?}");
    let mut keys: Vec<i64> = kept.iter().map(|(key, _)| key.0).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 18, "each is on record");
    let mut made = 0;
    for (index, (key, _)) in boards.iter().enumerate() {
        let found = stored(ground, index, *key).await;
        made += usize::from(found.starts_with(ONE_MOVE));
        assert!(found.starts_with(ONE_MOVE) || (index >= 4 && found.starts_with("[] 0 start")), "{found}");
    }
    assert_eq!(made, 5);

    // The id of a mail is stored until its time is over; after that the same id is another mail.
    let later = [1099, 1200].map(|at| receive(ground, (0, boards[0].1), "m0".to_owned(), at));
    let later: Vec<bool> = join_all(later).await.into_iter().map(|kept| kept.unwrap().1).collect();
    assert_eq!(later, [false, true]);
}
