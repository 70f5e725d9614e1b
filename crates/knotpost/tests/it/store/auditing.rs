//! The audit log, keys of the API, paused boards, and the state of the server.

use knotpost_model::Millis;
use knotpost_storage::{AuditFilter, NewAudit, NewToken, StoreError};

use super::Ground;

fn row(actor: &str, subject_user: Option<&str>, detail: &str) -> NewAudit {
    NewAudit {
        channel: "web",
        actor: actor.to_owned(),
        action: "user.suspend",
        subject: subject_user.unwrap_or("osbox 101").to_owned(),
        subject_user: subject_user.map(str::to_owned),
        outcome: "done",
        detail: detail.to_owned(),
    }
}

pub(super) async fn the_log_is_read_by_user_and_time(ground: &Ground) {
    let write = ground.store.write(async move |tx| {
        tx.insert_audit(&row("Ada", Some("Bob"), "1"), Millis(10)).await?;
        tx.insert_audit(&row("eve", None, "2"), Millis(20)).await?;
        tx.insert_audit(&row("eve", Some("ada"), "3"), Millis(30)).await?;
        tx.insert_audit(&row("ada", Some("ada"), "4"), Millis(40)).await
    });
    write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    let all = tx.list_audit(&AuditFilter::default(), 9).await.unwrap();
    assert_eq!((all[3].actor.as_str(), all[3].subject.as_str(), all[3].at), ("Ada", "Bob", Millis(10)));
    let before = Some(all[1].id);
    for (filter, limit, expected) in [
        (AuditFilter::default(), 9, "4321"),
        (AuditFilter::default(), 2, "43"),
        (AuditFilter { since: 20, ..AuditFilter::default() }, 9, "432"),
        (AuditFilter { before, ..AuditFilter::default() }, 9, "21"),
        (AuditFilter { user: Some("ada".to_owned()), ..AuditFilter::default() }, 9, "431"),
        (AuditFilter { user: Some("ada".to_owned()), before, since: 0 }, 9, "1"),
        (AuditFilter { user: Some("bob".to_owned()), ..AuditFilter::default() }, 9, "1"),
        (AuditFilter { user: Some("eve".to_owned()), since: 25, before: None }, 9, "3"),
    ] {
        let found = tx.list_audit(&filter, limit).await.unwrap();
        let found: String = found.iter().map(|row| row.detail.as_str()).collect();
        assert_eq!(found, expected, "{filter:?}");
    }
    drop(tx);
    let write = ground.store.write(async move |tx| tx.prune_audit(Millis(30)).await);
    assert_eq!(write.await.unwrap(), 2, "those before that moment");
    let mut tx = ground.store.read().await.unwrap();
    assert_eq!(tx.list_audit(&AuditFilter::default(), 9).await.unwrap().len(), 2);
}

pub(super) async fn keys_are_found_by_digest_and_end(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let key = move |digest: &str, user, expires| NewToken {
        digest: digest.to_owned(),
        user,
        name: format!("key {digest}"),
        scopes: "read,play".to_owned(),
        password_mark: "mark".to_owned(),
        expires_at: Millis(expires),
    };
    let write = ground.store.write(async move |tx| {
        let first = tx.insert_token(&key("a", ann, 100), Millis(1)).await?;
        tx.insert_token(&key("b", ann, 200), Millis(2)).await?;
        tx.insert_token(&key("c", bob, 300), Millis(3)).await?;
        tx.touch_token(first, Millis(9)).await?;
        tx.touch_token(first, Millis(5)).await?;
        Ok::<_, StoreError>(first)
    });
    let first = write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    let found = tx.token("a").await.unwrap().unwrap();
    assert_eq!((found.user_id, found.used_at, found.scopes.as_str()), (ann, Some(9), "read,play"));
    assert!(tx.token("x").await.unwrap().is_none());
    for (user, token, has) in
        [(ann, Some(first), true), (bob, Some(first), false), (ann, Some(4711), false), (bob, None, true)]
    {
        let mover = tx.mover(user, "osbox", token).await.unwrap().unwrap();
        assert_eq!((mover.user.id, mover.has_key), (user, has));
        if let Some(token) = token {
            let found = tx.user_with_token(user, token).await.unwrap().map(|row| row.userid);
            assert_eq!(found, has.then(|| "ann".to_owned()));
        }
    }
    let names: Vec<_> = tx.tokens_of(ann).await.unwrap().into_iter().map(|row| row.name).collect();
    assert_eq!(names, ["key b", "key a"], "the newest first");
    drop(tx);
    let write = ground.store.write(async move |tx| {
        assert!(!tx.drop_token(bob, first).await?, "it is not theirs");
        assert!(tx.drop_token(ann, first).await?);
        assert!(!tx.prune_tokens(Millis(250)).await?);
        assert_eq!(tx.drop_tokens_of(ann).await?, 0, "that one was too old");
        tx.drop_tokens_of(bob).await
    });
    assert_eq!(write.await.unwrap(), 1);
}

pub(super) async fn a_paused_board_is_not_due(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let board = ground.board("osbox", [ann, bob]).await;
    let write = ground.store.write(async move |tx| tx.set_paused(board, Some(Millis(20))).await);
    write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    let row = tx.board(board).await.unwrap().unwrap();
    assert_eq!((row.paused_at, row.due_at), (Some(20), None));
    assert!(tx.next_deadlines(9).await.unwrap().is_empty());
    drop(tx);
    let write = ground.store.write(async move |tx| {
        tx.make_all_due(Millis(21)).await?;
        tx.make_due(ann, Millis(21)).await?;
        assert!(tx.due_boards(Millis(99), 9).await?.is_empty(), "nothing makes it due");
        tx.set_paused(board, None).await?;
        tx.set_due(board, Some(Millis(30)), Some(Millis(5))).await
    });
    write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    let next = tx.next_deadlines(9).await.unwrap();
    assert_eq!(next[0].userid.as_deref(), Some("ann"));
    assert_eq!((next[0].due_at, next[0].nagged_at), (Millis(30), Some(5)));
}

pub(super) async fn the_state_of_the_server_is_told(ground: &Ground) {
    let mut tx = ground.store.read().await.unwrap();
    assert_eq!((tx.last_received_at().await.unwrap(), tx.last_sent_at().await.unwrap()), (None, None));
    assert!(tx.database_bytes().await.unwrap() > 10_000);
    assert!(tx.duties().await.unwrap().is_empty() && tx.waiting_broadcasts(9).await.unwrap().is_empty());
    drop(tx);
    let ann = ground.user("ann").await;
    let write =
        ground.store.write(async move |tx| tx.insert_broadcast(ann, "Hello", Millis(7)).await.map(drop));
    write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    assert_eq!(tx.waiting_broadcasts(9).await.unwrap()[0].userid, "ann");
}

pub(super) async fn users_are_searched_by_beginning_and_address(ground: &Ground) {
    for userid in ["anna", "ann", "an-b", "an_c", "Andy", "bob"] {
        ground.user(userid).await;
    }
    let mut tx = ground.store.read().await.unwrap();
    let mut names = async |begin: &str, after: &str, limit| {
        let rows = tx.search_users(begin, after, limit).await.unwrap();
        rows.into_iter().map(|row| row.userid).collect::<Vec<_>>()
    };
    let found = names("ann", "", 9).await;
    assert_eq!(found, ["ann", "anna"]);
    assert_eq!(names("ann", "ann", 9).await, ["anna"]);
    assert_eq!(names("", "", 3).await.len(), 3);
    assert_eq!(names("x", "", 3).await.len(), 0);
    // Databases order dashes differently; nobody is left out.
    let mut found = names("an", "", 9).await;
    found.sort();
    assert_eq!(found, ["Andy", "an-b", "an_c", "ann", "anna"]);
    assert!(tx.users_with_address("ann@ann.example", "", 9).await.unwrap().is_empty());
}
