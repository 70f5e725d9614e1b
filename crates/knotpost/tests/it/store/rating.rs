//! Ratings, seeks, and how users stand to a game.

use knotpost_model::{BoardState, Millis, Pool, Rating, UserKey};
use knotpost_storage::{
    BoardRow, NewSeat, RatingChange, RatingRow, SeatRow, SeekRow, StandingsBlock, StoreError, UserState,
};

use super::Ground;

fn rated(user: UserKey, rating: f64, games: u32, ended_at: i64) -> RatingRow {
    let rating = Rating { rating, games, won: games, ..Rating::default() };
    RatingRow::of(user, rating, true, Millis(ended_at))
}

pub(super) async fn who_plays_where_follows_boards_and_seats(ground: &Ground) {
    let (ann, bob, cyd) = (ground.user("ann").await, ground.user("bob").await, ground.user("cyd").await);
    let (osbox, twice) = (ground.board("osbox", [ann, bob]).await, ground.board("osbox", [ann, ann]).await);
    let counts = async || {
        let mut tx = ground.store.read().await.unwrap();
        let mut counts = [0; 3];
        for (count, user) in counts.iter_mut().zip([ann, bob, cyd]) {
            *count = tx.count_active_boards("osbox", user).await.unwrap();
        }
        counts
    };
    assert_eq!(counts().await, [2, 1, 0]);
    let set_state = async |board, state| {
        let write = ground.store.write(async move |tx| {
            let row = tx.board(board).await?.unwrap();
            tx.update_board(&BoardRow { state, ..row }).await
        });
        write.await.unwrap();
    };
    set_state(osbox, BoardState::Over).await;
    assert_eq!(counts().await, [1, 0, 0]);
    // An administrator takes back the move that ended it.
    set_state(osbox, BoardState::Active).await;
    assert_eq!(counts().await, [2, 1, 0]);
    let write = ground.store.write(async move |tx| {
        let seats = tx.seats(osbox).await?;
        tx.exchange_users(osbox, &seats[0], &seats[1]).await?;
        // The player passes one of two seats on, and still plays there.
        let seats = tx.seats(twice).await?;
        let other = SeatRow { user_id: cyd, ..seats[1].clone() };
        tx.exchange_users(twice, &seats[0], &other).await
    });
    write.await.unwrap();
    assert_eq!(counts().await, [2, 1, 1]);
    let write = ground.store.write(async move |tx| {
        // The game begins again without her.
        tx.delete_seats(twice).await?;
        tx.insert_seat(twice, NewSeat { seat: 1, user: cyd, to_move: true }).await
    });
    write.await.unwrap();
    assert_eq!(counts().await, [1, 1, 1]);
    set_state(twice, BoardState::Removed).await;
    assert_eq!(counts().await, [1, 1, 0]);
}

pub(super) async fn challenges_are_taken_without_limit_until_something_is_said(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let board = ground.board("osbox", [ann, ann]).await;
    let write = ground.store.write(async move |tx| {
        assert!(tx.accepts("osbox", ann).await?);
        assert_eq!(tx.board_limit("osbox", ann).await?, None);
        assert_eq!(tx.hold_board_limit("osbox", ann).await?, None);
        tx.set_board_limit("osbox", ann, Some(3)).await?;
        tx.set_accepts("osbox", ann, false).await?;
        assert!(!tx.accepts("osbox", ann).await? && tx.accepts("osbo", ann).await?);
        assert_eq!(tx.board_limit("osbox", ann).await?, Some(3), "one does not change the other");
        assert_eq!(tx.hold_board_limit("osbox", ann).await?, Some(3));
        tx.set_accepts("osbox", ann, true).await?;
        tx.set_board_limit("osbox", ann, None).await?;
        assert!(tx.accepts("osbox", ann).await?);
        assert_eq!(tx.hold_board_limit("osbox", ann).await?, None);
        assert_eq!(tx.count_active_boards("osbox", ann).await?, 1, "two seats of one board");
        assert_eq!(tx.count_active_boards("osbo", ann).await?, 0);
        let mut row = tx.board(board).await?.unwrap();
        row.state = BoardState::Over;
        tx.update_board(&row).await?;
        assert_eq!(tx.count_active_boards("osbox", ann).await?, 0);
        tx.set_user_state(bob, UserState::Suspended).await?;
        assert!(!tx.accepts("osbox", bob).await?, "who is locked out takes none");
        Ok::<_, StoreError>(())
    });
    write.await.unwrap();
}

pub(super) async fn seeks_find_their_equals_in_order(ground: &Ground) {
    let names = ["ann", "bob", "cyd", "dan"];
    let mut users = Vec::new();
    for name in names {
        users.push(ground.user(name).await);
    }
    let write = ground.store.write(async move |tx| {
        let seek = |index: usize, nag_ms| SeekRow {
            user_id: users[index],
            userid: names[index].to_owned(),
            wanted: 2,
            options: "-size=5".to_owned(),
            rated: true,
            nag_ms,
            forfeit_ms: None,
            total_ms: None,
        };
        for (index, nag_ms) in [(1, None), (2, Some(5)), (3, None), (0, None), (1, None)] {
            let place = tx.take_seek_place("osbox").await?;
            tx.put_seek("osbox", place, &seek(index, nag_ms), Millis(1)).await?;
        }
        let names = |rows: Vec<SeekRow>| rows.into_iter().map(|row| row.userid).collect::<Vec<_>>();
        let own = tx.seek("osbox", users[0]).await?.unwrap();
        assert_eq!(own, seek(0, None));
        // Who begins to look anew goes to the end.
        assert_eq!(names(tx.equal_seeks("osbox", &own, 9).await?), ["dan", "bob"]);
        assert_eq!(names(tx.equal_seeks("osbox", &own, 1).await?), ["dan"]);
        let unrated = SeekRow { rated: false, ..own.clone() };
        assert_eq!(names(tx.equal_seeks("osbox", &unrated, 9).await?), Vec::<String>::new());
        assert_eq!(names(tx.equal_seeks("osbo", &own, 9).await?), Vec::<String>::new());
        assert_eq!(names(tx.list_seeks("osbox", 9).await?), ["cyd", "dan", "ann", "bob"]);
        tx.count_down_seek("osbox", users[0]).await?;
        assert_eq!(tx.seek("osbox", users[0]).await?.unwrap().wanted, 1);
        tx.count_down_seek("osbox", users[0]).await?;
        assert_eq!(tx.seek("osbox", users[0]).await?, None);
        tx.count_down_seek("osbox", users[0]).await?;
        tx.delete_seek("osbox", users[1]).await?;
        assert_eq!(names(tx.list_seeks("osbox", 9).await?), ["cyd", "dan"]);
        Ok::<_, StoreError>(())
    });
    write.await.unwrap();
}

pub(super) async fn ratings_come_back_as_they_were_stored(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let board = ground.board("osbox", [bob, ann]).await;
    let write = ground.store.write(async move |tx| {
        assert_eq!(tx.rating("osbox", ann).await?, None);
        assert_eq!(tx.take_rating_place("osbox").await?, (1, Pool::default()));
        let pool = Pool { players: 2, sum: -7 };
        tx.set_rating_pool("osbox", pool).await?;
        assert_eq!(tx.take_rating_place("osbox").await?, (2, pool));
        assert_eq!(tx.rating_pool("osbox").await?, pool);
        assert_eq!(tx.rating_pool("osbo").await?, Pool::default());
        let mut row = rated(ann, 1.0 / 3.0, 5, 70);
        tx.put_rating("osbox", &row).await?;
        row.rating = f64::from_bits(row.rating.to_bits() + 1);
        tx.put_rating("osbox", &row).await?;
        assert_eq!(tx.rating("osbox", ann).await?, Some(row.clone()), "to the last bit");
        assert_eq!(tx.rated_games(ann).await?, ["osbox"]);
        for at in [80, 60] {
            tx.note_unrated_end("osbox", ann, Millis(at)).await?;
        }
        tx.change_activity("osbox", 2, ann, false, Millis(90)).await?;
        row = RatingRow { ended_at: Millis(80), active: false, ..row };
        assert_eq!(tx.all_ratings("osbox").await?, [row]);
        assert_eq!(tx.rating_activity("osbox").await?, [(2, ann, false)]);
        let change = |user, before, after| RatingChange {
            board,
            user,
            place: 3,
            before,
            after,
            active: true,
            at: Millis(90),
        };
        let changes = [change(ann, 1600.0, 1800.0), change(bob, 1600.0, 1400.0)];
        for change in &changes {
            tx.insert_rating_change("osbox", change).await?;
        }
        assert_eq!(tx.all_rating_changes("osbox").await?, changes);
        let seen = tx.rating_changes(board).await?;
        assert_eq!(seen, [("bob".to_owned(), 1600.0, 1400.0), ("ann".to_owned(), 1600.0, 1800.0)]);
        tx.delete_rating_change(board, ann).await?;
        assert_eq!(tx.all_rating_changes("osbox").await?.len(), 1);
        tx.delete_rating("osbox", ann).await?;
        assert_eq!(tx.all_ratings("osbox").await?, []);
        Ok::<_, StoreError>(())
    });
    write.await.unwrap();
}

pub(super) async fn history_holds_the_rated_boards_that_are_over(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let boards = [
        ground.board("osbox", [ann, bob]).await,
        ground.board("osbox", [bob, ann]).await,
        ground.board("osbox", [ann, bob]).await,
        ground.board("osbo", [ann, bob]).await,
    ];
    let write = ground.store.write(async move |tx| {
        for (index, board) in boards.into_iter().enumerate() {
            let mut row = tx.board(board).await?.unwrap();
            // The first one is being played, the second one is not rated.
            row.state = if index == 0 { BoardState::Active } else { BoardState::Over };
            row.rated = index != 1;
            (row.winners, row.ended_at) = (Some("2".to_owned()), Some(100 + index as i64));
            tx.update_board(&row).await?;
        }
        let seats = tx.rated_boards("osbox", 0.into(), 9).await?;
        let seen: Vec<_> = seats.iter().map(|row| (row.board, row.number, row.seat, row.user_id)).collect();
        assert_eq!(seen, [(boards[2], 103, 1, ann), (boards[2], 103, 2, bob)]);
        assert_eq!((seats[0].winners.as_str(), seats[0].ended_at), ("2", Millis(102)));
        assert!(tx.rated_boards("osbox", boards[2], 9).await?.is_empty());
        let mut ends = tx.last_ends("osbox").await?;
        ends.sort_unstable();
        assert_eq!(ends, [(ann, Millis(102)), (bob, Millis(102))]);
        Ok::<_, StoreError>(())
    });
    write.await.unwrap();
}

pub(super) async fn standings_part_players_from_those_who_are_gone(ground: &Ground) {
    let names = ["ann", "bob", "cyd", "dan", "eve", "fay"];
    let mut users = Vec::new();
    for name in names {
        users.push(ground.user(name).await);
    }
    ground.board("osbox", [users[2], users[0]]).await;
    let write = ground.store.write(async move |tx| {
        let rows = [
            rated(users[0], 1500.0, 20, 100),
            rated(users[1], 1700.0, 30, 100),
            rated(users[2], 1800.0, 30, 10), // Long ago, but plays.
            rated(users[3], 1900.0, 30, 10), // Long ago.
            rated(users[4], 2000.0, 19, 100),
            rated(users[5], 2100.0, 19, 100),
        ];
        for row in &rows {
            tx.put_rating("osbox", row).await?;
        }
        tx.change_activity("osbox", 1, users[5], false, Millis(100)).await?;
        let lapsed = tx.lapsed_players("osbox", Millis(50)).await?;
        assert_eq!(lapsed, [rows[3].clone()]);
        for (block, limit, expected) in [
            (StandingsBlock::Established, 9, vec!["cyd", "bob", "ann"]),
            (StandingsBlock::Established, 2, vec!["cyd", "bob"]),
            (StandingsBlock::Provisional, 9, vec!["eve"]),
            (StandingsBlock::Inactive, 9, vec!["fay", "dan"]),
        ] {
            let rows = tx.standings("osbox", block, Millis(50), limit).await?;
            let seen: Vec<_> = rows.iter().map(|row| row.userid.as_str()).collect();
            assert_eq!(seen, expected, "{block:?}");
        }
        tx.set_user_state(users[3], UserState::Deleted).await?;
        assert_eq!(tx.standings("osbox", StandingsBlock::Inactive, Millis(50), 9).await?.len(), 1);
        Ok::<_, StoreError>(())
    });
    write.await.unwrap();
}
