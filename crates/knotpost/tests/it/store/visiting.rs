//! Sessions of the web, links that log in, and what is said around a board.

use knotpost_model::{Millis, UserKey};
use knotpost_storage::SessionRow;

use super::Ground;

fn session(digest: &str, user: UserKey, seen: i64) -> SessionRow {
    SessionRow {
        digest: digest.to_owned(),
        user_id: user,
        password_mark: "mark".to_owned(),
        user_agent: "A browser".to_owned(),
        created_at: Millis(1),
        seen_at: Millis(seen),
        expires_at: Millis(100),
        password_at: None,
        stopped_address: None,
        stopped_at: None,
        unconfirmed_address: None,
    }
}

pub(super) async fn sessions_begin_are_used_and_end(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let write = ground.store.write(async move |tx| {
        for row in [session("a", ann, 1), session("b", ann, 5), session("c", bob, 2), session("d", bob, 3)] {
            tx.insert_session(&row).await?;
        }
        tx.touch_session("a", Millis(9)).await?;
        tx.touch_session("b", Millis(2)).await?;
        tx.drop_session("d").await
    });
    write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    let seen: Vec<_> =
        tx.sessions_of(ann).await.unwrap().into_iter().map(|row| (row.digest, row.seen_at.0)).collect();
    assert_eq!(seen, [("a".to_owned(), 9), ("b".to_owned(), 5)]);
    assert_eq!(tx.session("c").await.unwrap().unwrap().user_id, bob);
    assert!(tx.session("d").await.unwrap().is_none());
    drop(tx);
    let write = ground.store.write(async move |tx| {
        assert!(!tx.prune_sessions(Millis(6)).await?);
        tx.drop_sessions_of(bob).await
    });
    write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    assert!(tx.session("a").await.unwrap().is_some() && tx.session("b").await.unwrap().is_none());
    assert!(tx.sessions_of(bob).await.unwrap().is_empty());
}

pub(super) async fn a_link_is_taken_once_and_only_the_latest(ground: &Ground) {
    let ann = ground.user("ann").await;
    let write = ground.store.write(async move |tx| {
        tx.set_magic_link(ann, Millis(5)).await?;
        tx.set_magic_link(ann, Millis(7)).await?;
        let latest = tx.magic_link_at(ann).await?;
        let taken = [
            tx.take_magic_link(ann, Millis(5)).await?,
            tx.take_magic_link(ann, Millis(7)).await?,
            tx.take_magic_link(ann, Millis(7)).await?,
        ];
        tx.set_magic_link(ann, Millis(8)).await?;
        tx.prune_magic_links(Millis(8)).await?;
        let kept = tx.magic_link_at(ann).await?;
        tx.prune_magic_links(Millis(9)).await?;
        Ok::<_, knotpost_storage::StoreError>((latest, taken, kept, tx.magic_link_at(ann).await?))
    });
    assert_eq!(write.await.unwrap(), (Some(7), [false, true, false], Some(8), None));
}

pub(super) async fn a_board_has_a_pulse(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let board = ground.board("osbox", [ann, bob]).await;
    let mut tx = ground.store.read().await.unwrap();
    let pulse = tx.board_pulse("osbox", 101).await.unwrap().unwrap();
    assert_eq!((pulse.ply, pulse.moved_at, pulse.remark, pulse.proposed_at), (0, None, None, None));
    assert!(tx.board_pulse("osbox", 102).await.unwrap().is_none());
    assert!(tx.chat_lines(board, 9).await.unwrap().is_empty());
    assert!(tx.rating_curve("osbox", ann, 9).await.unwrap().is_empty());
}
