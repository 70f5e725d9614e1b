//! What users want otherwise than the default.

use knotpost_model::{Address, Millis, RemarkKind};
use knotpost_storage::{ALL_GAMES, StoreError};

use super::Ground;

pub(super) async fn a_wish_for_a_game_counts_before_the_one_for_all(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let write = ground.store.write(async move |tx| {
        tx.set_preference(ann, ALL_GAMES, "moves", Some("mine")).await?;
        tx.set_preference(ann, "osbox", "moves", Some("all")).await?;
        tx.set_preference(ann, "osbox", "moves", Some("digest")).await?;
        tx.set_preference(ann, ALL_GAMES, "board", Some("list")).await?;
        tx.set_preference(bob, "osbo", "board", Some("wide")).await
    });
    write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    assert_eq!(tx.preference(ann, "osbox", "moves").await.unwrap().as_deref(), Some("digest"));
    assert_eq!(tx.preference(ann, "osbo", "moves").await.unwrap().as_deref(), Some("mine"));
    assert_eq!(tx.preference(ann, ALL_GAMES, "moves").await.unwrap().as_deref(), Some("mine"));
    assert_eq!(tx.preference(ann, "osbox", "board").await.unwrap().as_deref(), Some("list"));
    assert_eq!(tx.preference(bob, ALL_GAMES, "board").await.unwrap(), None);
    let all = tx.preferences(ann).await.unwrap();
    let all: Vec<_> =
        all.iter().map(|row| (row.game.as_str(), row.name.as_str(), row.value.as_str())).collect();
    assert_eq!(all, [("", "board", "list"), ("", "moves", "mine"), ("osbox", "moves", "digest")]);
}

pub(super) async fn a_wish_can_be_taken_back(ground: &Ground) {
    let ann = ground.user("ann").await;
    let write = ground.store.write(async move |tx| {
        tx.set_preference(ann, ALL_GAMES, "moves", Some("mine")).await?;
        tx.set_preference(ann, "osbox", "moves", Some("all")).await?;
        tx.set_preference(ann, "osbox", "moves", None).await?;
        tx.set_preference(ann, "osbox", "moves", None).await
    });
    write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    assert_eq!(tx.preference(ann, "osbox", "moves").await.unwrap().as_deref(), Some("mine"));
}

pub(super) async fn readers_of_a_board_bring_their_wishes_and_addresses(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let (cyd, dan) = (ground.user("cyd").await, ground.user("dan").await);
    let board = ground.board("osbox", [ann, bob]).await;
    let write = ground.store.write(async move |tx| {
        tx.subscribe(board, cyd).await?;
        for (user, proven) in [(ann, Some(Millis(3))), (cyd, None), (dan, None)] {
            let address: Address = format!("{}@example.org", user.0).parse().unwrap();
            tx.add_address(user, &address, proven, Millis(3)).await?;
            tx.set_preference(user, "osbox", "moves", Some("digest")).await?;
            tx.set_preference(user, ALL_GAMES, "moves", Some("mine")).await?;
            tx.set_preference(user, "osbo", "moves", Some("all")).await?;
        }
        Ok::<_, StoreError>(())
    });
    write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    let facts = tx.board_reader_facts(board, "osbox").await.unwrap();
    assert_eq!(facts.watchers, [(cyd, "cyd".to_owned())]);
    let addresses: Vec<_> = facts.addresses.into_iter().map(|row| (row.user_id, row.verified_at)).collect();
    assert_eq!(addresses, [(ann, Some(3)), (cyd, None)]);
    let wishes = facts.wishes;
    let of = |user| {
        let own = wishes.iter().filter(|wish| wish.user_id == user);
        own.map(|wish| wish.value.as_str()).collect::<Vec<_>>()
    };
    assert_eq!((of(ann), of(cyd)), (vec!["mine", "digest"], vec!["mine", "digest"]), "the game's come last");
    assert_eq!((of(bob), of(dan)), (vec![], vec![]));
    // Whom nobody asks for is left out, and without a board nobody watches.
    let alone = tx.reader_facts(&[cyd], "osbox").await.unwrap();
    assert!(alone.watchers.is_empty() && alone.addresses.iter().all(|row| row.user_id == cyd));
    assert_eq!((alone.addresses.len(), alone.wishes.len()), (1, 2));
}

pub(super) async fn a_digest_is_taken_once_with_its_boards(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let (one, two) = (ground.board("osbox", [ann, bob]).await, ground.board("osbo", [ann, bob]).await);
    let write = ground.store.write(async move |tx| {
        tx.add_to_digest(ann, two, Millis(20)).await?;
        tx.add_to_digest(ann, one, Millis(10)).await?;
        tx.add_to_digest(ann, one, Millis(30)).await?;
        tx.add_to_digest(bob, one, Millis(30)).await?;
        for (user, text) in [(ann, "first"), (bob, "of bob"), (ann, "second")] {
            tx.add_news_to_digest(user, text, Millis(10)).await?;
        }
        tx.set_digest_due(ann, Millis(50)).await?;
        tx.set_digest_due(ann, Millis(100)).await?;
        tx.set_digest_due(bob, Millis(200)).await?;
        for at in [9, 10, 11] {
            tx.insert_remark(one, 0, Some(bob), RemarkKind::Chat, &format!("at {at}"), Millis(at)).await?;
        }
        Ok::<_, StoreError>(())
    });
    write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    assert_eq!(tx.digest_due(ann).await.unwrap(), Some(100));
    assert_eq!(tx.next_digest_due().await.unwrap(), Some(100));
    let said = tx.remarks_since(one, Millis(10)).await.unwrap();
    assert_eq!(said.into_iter().map(|row| row.text).collect::<Vec<_>>(), ["at 10", "at 11"]);
    drop(tx);
    let take =
        async |now| ground.store.write(async move |tx| tx.take_digest(Millis(now)).await).await.unwrap();
    assert!(take(99).await.is_none());
    let taken = take(100).await.expect("ann's");
    let boards: Vec<_> = taken.boards.into_iter().map(|board| (board.board_id, board.since.0)).collect();
    assert_eq!((taken.user, boards), (ann, vec![(one, 10), (two, 20)]));
    assert_eq!(taken.news, ["first", "second"]);
    assert!(take(100).await.is_none(), "once");
    assert_eq!(take(200).await.expect("bob's").user, bob);
    let mut tx = ground.store.read().await.unwrap();
    assert_eq!((tx.digest_due(ann).await.unwrap(), tx.next_digest_due().await.unwrap()), (None, None));
}
