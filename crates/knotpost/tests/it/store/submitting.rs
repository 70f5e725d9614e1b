//! Moves that wait to be confirmed.

use knotpost_model::Millis;
use knotpost_storage::SubmissionRow;

use super::Ground;

fn submission(ply: i64, text: &str) -> SubmissionRow {
    SubmissionRow { ply, text: text.to_owned(), comment: format!("about {text}\nindeed") }
}

pub(super) async fn a_seat_submits_one_move_at_a_time(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let (board, other) = (ground.board("osbox", [ann, bob]).await, ground.board("osbox", [bob, ann]).await);
    let write = ground.store.write(async move |tx| {
        tx.save_submission(board, 1, &submission(0, "f1"), Millis(1)).await?;
        tx.save_submission(board, 1, &submission(2, "f2"), Millis(2)).await?;
        tx.save_submission(board, 2, &submission(1, "e9"), Millis(3)).await?;
        tx.save_submission(other, 1, &submission(0, "a1"), Millis(4)).await
    });
    write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    assert_eq!(tx.submission(board, 1).await.unwrap(), Some(submission(2, "f2")));
    assert_eq!(tx.submission(board, 2).await.unwrap(), Some(submission(1, "e9")));
    assert_eq!(tx.submission(other, 2).await.unwrap(), None);
    drop(tx);
    ground.store.write(async move |tx| tx.delete_submissions(board).await).await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    assert_eq!(tx.submission(board, 1).await.unwrap(), None);
    assert_eq!(tx.submission(board, 2).await.unwrap(), None);
    assert_eq!(tx.submission(other, 1).await.unwrap(), Some(submission(0, "a1")));
}

pub(super) async fn what_was_submitted_goes_with_moves_taken_back(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let board = ground.board("osbox", [ann, bob]).await;
    let write = ground.store.write(async move |tx| {
        tx.save_submission(board, 1, &submission(4, "f2"), Millis(1)).await?;
        tx.save_submission(board, 2, &submission(3, "e9"), Millis(1)).await?;
        tx.delete_moves_after(board, 4).await
    });
    write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    assert_eq!(tx.submission(board, 1).await.unwrap(), None);
    assert_eq!(tx.submission(board, 2).await.unwrap(), Some(submission(3, "e9")));
}
