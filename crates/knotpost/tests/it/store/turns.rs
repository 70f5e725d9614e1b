//! Moves that wait for their turn, and proposals that wait for answers.

use knotpost_model::{BoardKey, Millis, MoveKind, ProposalKind, RemarkKind};
use knotpost_storage::{MoveRow, ProposalRow, QueuedMoveRow, StoreError};

use super::Ground;

async fn board(ground: &Ground) -> BoardKey {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    ground.board("osbox", [ann, bob]).await
}

fn queued(place: i64, condition: Option<&str>, text: &str) -> QueuedMoveRow {
    let number = (place == 1).then_some(8);
    QueuedMoveRow {
        place,
        condition: condition.map(ToOwned::to_owned),
        text: text.to_owned(),
        number,
        ply: 6,
    }
}

pub(super) async fn a_queue_replaces_the_one_before_and_is_used_up(ground: &Ground) {
    let key = board(ground).await;
    let first = [queued(1, None, "a1"), queued(2, None, "a2"), queued(3, None, "a3")];
    let second = [queued(1, Some("f9"), "g4"), queued(2, None, "pass")];
    let (kept, other) = (second.clone(), [queued(1, None, "z9")]);
    let write = ground.store.write(async move |tx| {
        tx.save_queue(key, 1, &first, Millis(5)).await?;
        tx.save_queue(key, 1, &second, Millis(6)).await?;
        tx.save_queue(key, 2, &other, Millis(7)).await
    });
    write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    assert_eq!(tx.queued_moves(key, 1).await.unwrap(), kept);
    assert!(tx.seats(key).await.unwrap().iter().all(|seat| seat.queued));
    drop(tx);
    ground.store.write(async move |tx| tx.delete_queued(key, 1, 1).await).await.unwrap();
    assert_eq!(ground.store.read().await.unwrap().queued_moves(key, 1).await.unwrap(), kept[1..]);
    ground.store.write(async move |tx| tx.delete_queue(key, Some(1)).await).await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    let waiting: Vec<bool> = tx.seats(key).await.unwrap().iter().map(|seat| seat.queued).collect();
    assert_eq!(waiting, [false, true], "the other seat's queue is untouched");
    drop(tx);
    ground.store.write(async move |tx| tx.delete_queue(key, None).await).await.unwrap();
    assert_eq!(ground.store.read().await.unwrap().queued_moves(key, 2).await.unwrap(), []);
}

pub(super) async fn a_board_holds_one_proposal(ground: &Ground) {
    let key = board(ground).await;
    assert_eq!(ground.store.read().await.unwrap().proposal(key).await.unwrap(), None);
    let draw =
        ProposalRow { kind: ProposalKind::Draw, seat: 1, ply: 4, accepted: String::new(), at: Millis(5) };
    let undo =
        ProposalRow { kind: ProposalKind::Undo, seat: 2, ply: 6, accepted: "1,3".to_owned(), at: Millis(7) };
    for row in [draw, undo.clone()] {
        let write = ground.store.write(async move |tx| tx.save_proposal(key, &row).await);
        write.await.unwrap();
    }
    let stored = ground.store.read().await.unwrap().proposal(key).await.unwrap().unwrap();
    assert_eq!(stored, undo);
    assert_eq!(stored.seats_that_agreed().collect::<Vec<_>>(), [1, 3]);
    ground.store.write(async move |tx| tx.delete_proposal(key).await).await.unwrap();
    assert_eq!(ground.store.read().await.unwrap().proposal(key).await.unwrap(), None);
}

pub(super) async fn moves_taken_back_leave_what_was_said_as_chat(ground: &Ground) {
    let key = board(ground).await;
    let write = ground.store.write(async move |tx| {
        for number in 1..=3 {
            let (seat, text, at) = (2 - number % 2, format!("m{number}"), Millis(20 + number));
            let row = MoveRow { number, seat, kind: MoveKind::Move, text, auto: false, at };
            tx.insert_move(key, &row).await?;
            tx.insert_remark(key, number, None, RemarkKind::Comment, "said", at).await?;
        }
        tx.delete_moves_after(key, 1).await
    });
    write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    let numbers: Vec<i64> = tx.moves(key).await.unwrap().iter().map(|row| row.number).collect();
    assert_eq!(numbers, [1]);
    assert_eq!(tx.comments(key).await.unwrap().len(), 1, "the others are chat now");
    assert!(tx.comment(key, 2).await.unwrap().is_none(), "nothing is said with a move 2 to come");
}

pub(super) async fn moves_of_several_boards_are_read_together(ground: &Ground) {
    let players = [ground.user("ann").await, ground.user("bob").await];
    let mut keys = [BoardKey(0); 3];
    for key in &mut keys {
        *key = ground.board("osbox", players).await;
    }
    let counts = [3, 0, 12];
    let write = ground.store.write(async move |tx| {
        for (key, count) in keys.into_iter().zip(counts) {
            for number in (1..=count).rev() {
                let (text, at) = (format!("m{number}"), Millis(number));
                let row = MoveRow { number, seat: 1, kind: MoveKind::Move, text, auto: false, at };
                tx.insert_move(key, &row).await?;
            }
        }
        Ok::<_, StoreError>(())
    });
    write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    let together = tx.moves_of(&keys).await.unwrap();
    assert_eq!(together.len(), 2, "a board without moves is left out");
    for key in keys {
        let alone = tx.moves(key).await.unwrap();
        assert_eq!(together.get(&key).cloned().unwrap_or_default(), alone);
    }
    let some = tx.moves_of(&keys[..1]).await.unwrap();
    assert_eq!(some.into_keys().collect::<Vec<_>>(), [keys[0]]);
}
