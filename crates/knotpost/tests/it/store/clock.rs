//! What the clock works with: due boards, its duty, outages and vacations.

use knotpost_model::{Millis, Period};
use knotpost_storage::{LeaderLease, StoreError, VacationRow};

use super::Ground;

pub(super) async fn due_boards_come_longest_due_first(ground: &Ground) {
    let players = [ground.user("ann").await, ground.user("bob").await];
    let (one, two) = (ground.board("osbox", players).await, ground.board("osbo", players).await);
    let three = ground.board("osbox", players).await;
    let work = ground.store.write(async move |tx| {
        assert_eq!(tx.due_boards(Millis(10), 9).await?.len(), 3, "a new board is due when it begins");
        tx.set_due(one, Some(Millis(50)), Some(Millis(7))).await?;
        tx.set_due(two, Some(Millis(40)), None).await?;
        tx.set_due(three, None, None).await?;
        let due: Vec<_> = tx.due_boards(Millis(60), 9).await?.into_iter().map(|due| due.id).collect();
        assert_eq!(due, [two, one]);
        assert_eq!(tx.due_boards(Millis(60), 1).await?.len(), 1);
        assert_eq!(tx.due_boards(Millis(39), 9).await?.len(), 0);
        assert_eq!(tx.board(one).await?.unwrap().nagged_at, Some(7));
        tx.put_off(two, Millis(90)).await?;
        tx.put_off(three, Millis(90)).await?;
        let dues = [tx.board(two).await?.unwrap().due_at, tx.board(three).await?.unwrap().due_at];
        assert_eq!(dues, [Some(90), None]);
        // It is ann's turn everywhere, and nobody's that waits for bob.
        tx.make_due(players[1], Millis(20)).await?;
        assert_eq!(tx.due_boards(Millis(20), 9).await?.len(), 0);
        tx.make_due(players[0], Millis(20)).await?;
        assert_eq!(tx.due_boards(Millis(20), 9).await?.len(), 2);
        tx.set_due(one, Some(Millis(99)), None).await?;
        tx.make_all_due(Millis(30)).await?;
        assert_eq!(tx.board(one).await?.unwrap().due_at, Some(30));
        assert_eq!(tx.board(two).await?.unwrap().due_at, Some(20), "not later than before");
        Ok::<_, StoreError>(())
    });
    work.await.unwrap();
}

pub(super) async fn a_duty_is_with_whoever_took_it_last(ground: &Ground) {
    let work = ground.store.write(async move |tx| {
        assert_eq!(tx.leader_lease("clock").await?, None);
        for holder in ["one", "two"] {
            let duty = LeaderLease { holder: holder.to_owned(), until_at: Millis(9), alive_at: Millis(5) };
            tx.put_leader_lease("clock", &duty).await?;
            assert_eq!(tx.leader_lease("clock").await?, Some(duty));
        }
        assert_eq!(tx.leader_lease("other").await?, None);
        tx.release_leader_leases().await?;
        let duty = tx.leader_lease("clock").await?.unwrap();
        assert_eq!((duty.until_at, duty.alive_at), (Millis(5), Millis(5)));
        Ok::<_, StoreError>(())
    });
    work.await.unwrap();
}

pub(super) async fn outages_are_kept_and_cut_off(ground: &Ground) {
    let players = [ground.user("ann").await, ground.user("bob").await];
    let board = ground.board("osbox", players).await;
    let period = |from, until| Period::new(Millis(from), Millis(until));
    let work = ground.store.write(async move |tx| {
        for outage in [period(30, 60), period(0, 10), period(30, 50), period(70, 80)] {
            tx.insert_outage(outage).await?;
        }
        assert_eq!(tx.outages(Millis(0)).await?, [period(0, 10), period(30, 60), period(70, 80)]);
        assert_eq!(tx.outages(Millis(10)).await?.len(), 2);
        tx.trim_outages(Millis(40)).await?;
        assert_eq!(tx.outages(Millis(0)).await?, [period(0, 10), period(30, 40)]);
        tx.insert_board_pause(board, period(5, 6)).await?;
        tx.insert_board_pause(board, period(5, 8)).await?;
        assert_eq!(tx.board_pauses(board).await?, [period(5, 8)]);
        Ok::<_, StoreError>(())
    });
    work.await.unwrap();
}

pub(super) async fn vacations_are_kept_with_their_board(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let board = ground.board("osbox", [ann, ann]).await;
    let vacation =
        |user_id, from, until| VacationRow { user_id, from_at: Millis(from), until_at: Millis(until) };
    let work = ground.store.write(async move |tx| {
        assert_eq!(tx.seats(board).await?[0].away_until, None);
        for vacation in [vacation(ann, 10, 20), vacation(bob, 15, 30), vacation(ann, 40, 50)] {
            tx.set_vacation(&vacation).await?;
        }
        tx.set_vacation(&vacation(ann, 40, 45)).await?;
        assert_eq!(tx.vacations(ann, Millis(0)).await?, [vacation(ann, 10, 20), vacation(ann, 40, 45)]);
        assert_eq!(tx.vacations(ann, Millis(20)).await?, [vacation(ann, 40, 45)]);
        assert_eq!(tx.vacations_on(board, Millis(20)).await?, [vacation(ann, 40, 45)], "each once");
        assert_eq!(tx.seats(board).await?[0].away_until, Some(45));
        tx.set_vacation(&vacation(ann, 40, 40)).await?;
        assert_eq!(tx.vacations(ann, Millis(20)).await?, [], "ended where it began");
        Ok::<_, StoreError>(())
    });
    work.await.unwrap();
}
