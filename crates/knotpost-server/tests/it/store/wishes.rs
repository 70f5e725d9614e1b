//! What users want otherwise than the default.

use knotpost_server::store::ALL_GAMES;

use super::Ground;

pub(super) async fn a_wish_for_a_game_counts_before_the_one_for_all(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let write = ground.store.write(move |tx| {
        Box::pin(async move {
            tx.set_preference(ann, ALL_GAMES, "moves", Some("mine")).await?;
            tx.set_preference(ann, "osbox", "moves", Some("all")).await?;
            tx.set_preference(ann, "osbox", "moves", Some("digest")).await?;
            tx.set_preference(ann, ALL_GAMES, "board", Some("list")).await?;
            tx.set_preference(bob, "osbo", "board", Some("wide")).await
        })
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
    let write = ground.store.write(move |tx| {
        Box::pin(async move {
            tx.set_preference(ann, ALL_GAMES, "moves", Some("mine")).await?;
            tx.set_preference(ann, "osbox", "moves", Some("all")).await?;
            tx.set_preference(ann, "osbox", "moves", None).await?;
            tx.set_preference(ann, "osbox", "moves", None).await
        })
    });
    write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    assert_eq!(tx.preference(ann, "osbox", "moves").await.unwrap().as_deref(), Some("mine"));
}
