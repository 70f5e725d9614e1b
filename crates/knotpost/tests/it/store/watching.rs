//! Watchers, those who wait for an end, and boards that came in as records.

use knotpost_model::{Address, Millis, RemarkKind, UserKey};
use knotpost_storage::{StoreError, UserState};

use super::Ground;

pub(super) async fn watchers_are_those_of_the_board_and_of_its_game(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let (cyd, dan) = (ground.user("cyd").await, ground.user("dan").await);
    let (board, other) = (ground.board("osbox", [ann, bob]).await, ground.board("osbo", [ann, bob]).await);
    let write = ground.store.write(async move |tx| {
        tx.subscribe(board, cyd).await?;
        tx.subscribe(board, cyd).await?;
        tx.set_watches_all("osbox", dan, true).await?;
        tx.set_watches_all("osbox", cyd, true).await?;
        tx.set_hears_of_all("osbox", cyd, true).await?;
        tx.subscribe(other, cyd).await
    });
    write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    let names: Vec<String> = tx.subscribers(board).await.unwrap().into_iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["cyd", "dan"], "each once");
    assert_eq!(tx.subscribers(other).await.unwrap().len(), 1);
    assert_eq!(tx.watches_all("osbox", cyd).await.unwrap(), (true, true));
    assert_eq!(tx.watches_all("osbo", cyd).await.unwrap(), (false, false));
    assert_eq!(tx.watched_boards("osbox", cyd, 10).await.unwrap(), [101]);
    drop(tx);
    let write = ground.store.write(async move |tx| {
        tx.unsubscribe_all("osbox", cyd).await?;
        Ok::<_, StoreError>((tx.unsubscribe(board, cyd).await?, tx.unsubscribe(other, cyd).await?))
    });
    assert_eq!(write.await.unwrap(), (false, true));
    let mut tx = ground.store.read().await.unwrap();
    assert_eq!(tx.watches_all("osbox", cyd).await.unwrap(), (false, true), "the end is heard of still");
    assert_eq!(tx.subscribers(board).await.unwrap().len(), 1);
    assert!(tx.subscribers(other).await.unwrap().is_empty());
}

pub(super) async fn the_end_is_heard_by_those_who_asked(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let (cyd, dan) = (ground.user("cyd").await, ground.user("dan").await);
    let (board, other) = (ground.board("osbox", [ann, bob]).await, ground.board("osbox", [ann, bob]).await);
    let write = ground.store.write(async move |tx| {
        tx.set_hears_of_all("osbox", dan, true).await?;
        Ok::<_, StoreError>((
            tx.switch_notification(board, cyd).await?,
            tx.switch_notification(board, dan).await?,
        ))
    });
    assert_eq!(write.await.unwrap(), (true, true));
    let mut tx = ground.store.read().await.unwrap();
    assert_eq!(tx.notified_users(board).await.unwrap(), [cyd, dan], "each once");
    assert_eq!(tx.notified_users(other).await.unwrap(), [dan]);
    assert_eq!(tx.users_waiting_for(board).await.unwrap(), [cyd, dan]);
    assert_eq!(tx.notified_boards("osbox", cyd, 10).await.unwrap(), [101]);
    assert!(tx.notified_boards("osbo", cyd, 10).await.unwrap().is_empty());
    drop(tx);
    let write = ground.store.write(async move |tx| tx.switch_notification(board, cyd).await);
    assert!(!write.await.unwrap());
}

pub(super) async fn imports_are_known_again_and_keep_their_numbers(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let board = ground.board("osbox", [ann, bob]).await;
    let write = ground.store.write(async move |tx| {
        tx.insert_import(board, "digest", "[]", Millis(9)).await?;
        let claims = (tx.claim_board_number("osbox", 101).await?, tx.claim_board_number("osbox", 150).await?);
        let next = (tx.take_board_number("osbox").await?, tx.claim_board_number("osbo", 120).await?);
        let mut row = tx.board(board).await?.unwrap();
        row.state = knotpost_model::BoardState::Over;
        row.ended_at = Some(61_500);
        row.ply = 3;
        tx.update_board(&row).await?;
        Ok::<_, StoreError>((claims, next, tx.take_board_number("osbo").await?))
    });
    assert_eq!(write.await.unwrap(), ((false, true), (151, true), 121));
    let mut tx = ground.store.read().await.unwrap();
    assert_eq!(tx.find_import("digest").await.unwrap(), Some(board));
    assert_eq!(tx.find_import("other").await.unwrap(), None);
    assert_eq!(tx.imported_tags(board).await.unwrap().as_deref(), Some("[]"));
    for (game, second, seed, ply, found) in [
        ("osbox", 61_000, 7, 3, true),
        ("osbox", 62_000, 7, 3, false),
        ("osbox", 60_000, 7, 3, false),
        ("osbo", 61_000, 7, 3, false),
        ("osbox", 61_000, 8, 3, false),
        ("osbox", 61_000, 7, 4, false),
    ] {
        let boards = tx.boards_ended_in(game, Millis(second), &[seed; 32], ply).await.unwrap();
        assert_eq!(boards.contains(&board), found, "{game} {second} {seed} {ply}");
    }
    drop(tx);
    let again = ground.store.write(async move |tx| {
        let other = tx.board(board).await?.unwrap().id;
        tx.insert_import(other, "digest", "[]", Millis(9)).await
    });
    assert!(again.await.is_err(), "a record is taken once");
}

pub(super) async fn what_was_said_with_moves_is_kept_apart_from_chat(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let board = ground.board("osbox", [ann, bob]).await;
    let write = ground.store.write(async move |tx| {
        tx.insert_remark(board, 2, Some(bob), RemarkKind::Comment, "two", Millis(3)).await?;
        tx.insert_remark(board, 1, Some(ann), RemarkKind::Chat, "chat", Millis(2)).await?;
        tx.insert_remark(board, 0, None, RemarkKind::Comment, "zero", Millis(1)).await?;
        let address: Address = "both@example.org".parse().unwrap();
        let unproven: Address = "ann@example.org".parse().unwrap();
        tx.add_address(ann, &address, Some(Millis(1)), Millis(1)).await?;
        tx.add_address(bob, &address, Some(Millis(1)), Millis(1)).await?;
        tx.add_address(ann, &unproven, None, Millis(1)).await?;
        tx.set_user_state(bob, UserState::Suspended).await
    });
    write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    let said = tx.comments(board).await.unwrap();
    let said: Vec<_> =
        said.iter().map(|row| (row.ply, row.user_id.map(UserKey), row.text.as_str(), row.at)).collect();
    assert_eq!(said, [(0, None, "zero", 1), (2, Some(bob), "two", 3)]);
    assert!(tx.queued_moves(board, 1).await.unwrap().is_empty());
    let users: Vec<UserKey> =
        tx.users_at("both@example.org").await.unwrap().iter().map(|user| user.id).collect();
    assert_eq!(users, [ann], "who is locked out is nobody's reader");
    assert!(tx.users_at("ann@example.org").await.unwrap().is_empty(), "nobody has proven to read it");
}
