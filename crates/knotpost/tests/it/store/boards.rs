//! Boards, seats, moves and what is said on them.

use knotpost_model::{BoardKey, BoardState, Millis, MoveKind, RemarkKind, SeatState};
use knotpost_storage::{BoardFilter, BoardRow, MoveRow, NewSeat, StoreError};

use super::{Ground, new_board};

fn entry(number: i64, auto: bool) -> MoveRow {
    MoveRow {
        number,
        seat: 2 - number % 2,
        kind: MoveKind::Move,
        text: format!("m{number}"),
        auto,
        at: Millis(20 + number),
    }
}

/// Ends the board in this state at that time.
async fn end(ground: &Ground, key: BoardKey, state: BoardState, at: i64) {
    let write = ground.store.write(async move |tx| {
        let mut row = tx.board(key).await?.unwrap();
        row.state = state;
        row.winners = Some("1,2".to_owned());
        row.reason = Some("score".to_owned());
        row.ended_at = Some(at);
        tx.update_board(&row).await
    });
    write.await.unwrap();
}

pub(super) async fn a_board_comes_back_as_it_was_stored(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let key = ground.board("osbox", [ann, bob]).await;
    let mut tx = ground.store.read().await.unwrap();
    let row = tx.find_board("osbox", 101).await.unwrap().unwrap();
    assert_eq!((row.id, row.number, row.ply, row.rated, row.state), (key, 101, 0, true, BoardState::Active));
    assert_eq!(
        (row.seed.as_slice(), row.options.as_str(), row.rules_version),
        ([7; 32].as_slice(), "-size=5", 1)
    );
    assert_eq!((row.nag_ms, row.forfeit_ms, row.total_ms), (None, Some(5), None));
    assert_eq!((row.winners, row.reason, row.last_move_at, row.ended_at), (None, None, None, None));
    assert!(tx.find_board("osbox", 102).await.unwrap().is_none());
    assert!(tx.find_board("osbo", 101).await.unwrap().is_none());
    assert!(tx.board(BoardKey(99)).await.unwrap().is_none());
    drop(tx);
    end(ground, key, BoardState::Over, 77).await;
    let row = ground.store.read().await.unwrap().board(key).await.unwrap().unwrap();
    assert_eq!(
        (row.winners.as_deref(), row.reason.as_deref(), row.ended_at),
        (Some("1,2"), Some("score"), Some(77))
    );
}

pub(super) async fn a_move_number_is_given_once(ground: &Ground) {
    let key = ground.board("osbox", [ground.user("ann").await, ground.user("bob").await]).await;
    let write = ground.store.write(async move |tx| {
        assert_eq!(tx.find_seated_board("osbox", 101).await?.unwrap().seats.len(), 2);
        tx.insert_move(key, &entry(1, false)).await?;
        tx.insert_move(key, &entry(2, true)).await
    });
    write.await.unwrap();
    let twice = ground.store.write(async move |tx| tx.insert_move(key, &entry(2, false)).await).await;
    assert!(matches!(twice, Err(StoreError::Conflict(_))), "{twice:?}");
    let orphan = ground.store.write(async move |tx| tx.insert_move(BoardKey(99), &entry(1, false)).await);
    assert!(orphan.await.is_err(), "a move needs a board");
    let moves = ground.store.read().await.unwrap().moves(key).await.unwrap();
    assert_eq!(moves, [entry(1, false), entry(2, true)]);
}

pub(super) async fn seats_and_watchers_are_kept_apart(ground: &Ground) {
    let (ann, bob, eve) = (ground.user("ann").await, ground.user("bob").await, ground.user("Eve").await);
    let key = ground.board("osbox", [ann, bob]).await;
    let write = ground.store.write(async move |tx| {
        let mut seats = tx.seats(key).await?;
        seats[1].resign_pending = true;
        seats[1].to_move = true;
        seats[1].state = SeatState::Resigned;
        tx.update_seat(key, &seats[1]).await?;
        tx.subscribe(key, eve).await?;
        tx.subscribe(key, eve).await?;
        tx.subscribe(key, bob).await
    });
    write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    let seats = tx.seats(key).await.unwrap();
    let seats: Vec<_> =
        seats.iter().map(|s| (s.seat, s.userid.as_str(), s.state, s.to_move, s.resign_pending)).collect();
    let expected = [(1, "ann", SeatState::Playing, true, false), (2, "bob", SeatState::Resigned, true, true)];
    assert_eq!(seats, expected);
    assert_eq!(tx.subscribers(key).await.unwrap(), [(bob.0, "bob".to_owned()), (eve.0, "Eve".to_owned())]);
}

pub(super) async fn a_board_can_begin_again(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let key = ground.board("osbox", [ann, bob]).await;
    let write = ground.store.write(async move |tx| {
        tx.insert_move(key, &entry(1, false)).await?;
        tx.delete_moves(key).await?;
        tx.delete_seats(key).await?;
        tx.insert_seat(key, NewSeat { seat: 1, user: bob, to_move: true }).await
    });
    write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    assert_eq!(tx.moves(key).await.unwrap(), []);
    assert_eq!(tx.seats(key).await.unwrap().iter().map(|s| s.user_id).collect::<Vec<_>>(), [bob]);
}

pub(super) async fn remarks_know_their_move_and_speaker(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let key = ground.board("osbox", [ann, bob]).await;
    let write = ground.store.write(async move |tx| {
        tx.insert_remark(key, 0, None, RemarkKind::Comment, "hello", Millis(1)).await?;
        tx.insert_remark(key, 3, Some(ann), RemarkKind::Comment, "first", Millis(2)).await?;
        let last = tx.insert_remark(key, 3, Some(bob), RemarkKind::Comment, "Grüße ♜", Millis(3)).await?;
        tx.insert_remark(key, 3, Some(bob), RemarkKind::Chat, "chat", Millis(4)).await?;
        Ok::<_, StoreError>(last)
    });
    let last = write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    let challenge = tx.comment(key, 0).await.unwrap().unwrap();
    assert_eq!((challenge.userid, challenge.text.as_str()), (None, "hello"));
    let comment = tx.comment(key, 3).await.unwrap().unwrap();
    assert_eq!(
        (comment.id, comment.userid.as_deref(), comment.text.as_str()),
        (last, Some("bob"), "Grüße ♜")
    );
    assert_eq!(tx.remark(last).await.unwrap().unwrap().kind, RemarkKind::Comment);
    assert!(tx.comment(key, 1).await.unwrap().is_none());
    assert!(tx.remark(999.into()).await.unwrap().is_none());
}

fn keys(rows: &[BoardRow]) -> Vec<BoardKey> {
    rows.iter().map(|row| row.id).collect()
}

pub(super) async fn lists_hold_what_the_filter_asks_for(ground: &Ground) {
    let (ann, bob, eve) = (ground.user("ann").await, ground.user("bob").await, ground.user("eve").await);
    let a = ground.board("osbox", [ann, bob]).await;
    let b = ground.board("osbo", [ann, ann]).await;
    let c = ground.board("osbox", [bob, eve]).await;
    let d = ground.board("osbox", [eve, ann]).await;
    end(ground, c, BoardState::Over, 50).await;
    end(ground, d, BoardState::Removed, 60).await;
    let mut tx = ground.store.read().await.unwrap();
    let all = BoardFilter::default();
    let osbox = BoardFilter { game: Some("osbox".to_owned()), ..all.clone() };
    let active = BoardFilter { state: Some(BoardState::Active), ..all.clone() };
    let cases = [
        (all.clone(), vec![a, b, c]),
        (BoardFilter { after: Some(a), ..all.clone() }, vec![b, c]),
        (osbox.clone(), vec![a, c]),
        (BoardFilter { after: Some(a), ..osbox.clone() }, vec![c]),
        (BoardFilter { after: Some(BoardKey(i64::MAX)), ..all.clone() }, vec![]),
        (active.clone(), vec![a, b]),
        (BoardFilter { after: Some(a), ..active.clone() }, vec![b]),
        (BoardFilter { state: Some(BoardState::Removed), ..osbox.clone() }, vec![d]),
        (BoardFilter { state: Some(BoardState::Over), ..osbox.clone() }, vec![c]),
        (BoardFilter { user: Some(ann), ..all.clone() }, vec![a, b]),
        (BoardFilter { user: Some(ann), state: Some(BoardState::Removed), ..all.clone() }, vec![d]),
        (BoardFilter { user: Some(bob), next: true, ..all.clone() }, vec![c]),
        (BoardFilter { user: Some(ann), next: true, ..osbox.clone() }, vec![a]),
        (BoardFilter { user: Some(ann), after: Some(a), ..active.clone() }, vec![b]),
    ];
    for (filter, expected) in cases {
        let rows = tx.list_boards(&filter, 10).await.unwrap();
        assert_eq!(keys(&rows), expected, "{filter:?}");
        let first = tx.list_boards(&filter, 1).await.unwrap();
        assert_eq!(keys(&first), expected.into_iter().take(1).collect::<Vec<_>>(), "{filter:?}");
    }
}

pub(super) async fn the_boards_of_a_user_are_paged_through_in_order(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let mut made = Vec::new();
    for (index, game) in ["osbox", "osbo", "osbox"].iter().cycle().take(30).enumerate() {
        // Some are played against oneself: of two seats there is one board.
        made.push(ground.board(game, [ann, if index % 4 == 0 { ann } else { bob }]).await);
    }
    for (index, key) in made.iter().enumerate() {
        match index % 3 {
            0 => end(ground, *key, BoardState::Over, 1000 - index as i64).await,
            1 if index % 2 == 0 => end(ground, *key, BoardState::Removed, 1).await,
            _ => {}
        }
    }
    let mut tx = ground.store.read().await.unwrap();
    for game in [None, Some("osbox")] {
        for state in [None, Some(BoardState::Active), Some(BoardState::Over), Some(BoardState::Removed)] {
            let filter = BoardFilter {
                game: game.map(str::to_owned),
                user: Some(ann),
                state,
                ..BoardFilter::default()
            };
            let whole = keys(&tx.list_boards(&filter, 100).await.unwrap());
            let mut expected = Vec::new();
            for key in &made {
                let row = tx.board(*key).await.unwrap().unwrap();
                let is_listed = state.map_or(row.state != BoardState::Removed, |state| row.state == state);
                if is_listed && game.is_none_or(|game| row.game == game) {
                    expected.push(*key);
                }
            }
            assert_eq!(whole, expected, "{filter:?}");
            let (mut paged, mut next) = (Vec::new(), filter);
            loop {
                let page = keys(&tx.list_boards(&next, 3).await.unwrap());
                next.after = page.last().copied();
                paged.extend_from_slice(&page);
                if page.len() < 3 {
                    break;
                }
            }
            assert_eq!(paged, whole, "{next:?}");
        }
    }
    let ended: Vec<BoardKey> = [0, 3, 6, 9, 12, 15, 18, 21, 24, 27]
        .into_iter()
        .filter_map(|index| made.get(index).copied())
        .collect();
    assert_eq!(keys(&tx.list_finished("osbox", Some(ann), 100).await.unwrap()), ended);
}

pub(super) async fn counts_follow_the_boards(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let mut made = Vec::new();
    for _ in 0..20 {
        made.push(ground.board("osbox", [ann, bob]).await);
    }
    ground.board("osbo", [ann, bob]).await;
    for (key, at) in made.iter().take(5).zip(100..) {
        end(ground, *key, BoardState::Over, at).await;
        // Stored again without a change.
        end(ground, *key, BoardState::Over, at).await;
    }
    end(ground, made[19], BoardState::Removed, 200).await;
    let mut tx = ground.store.read().await.unwrap();
    assert_eq!(tx.count_boards("osbox").await.unwrap(), (14, 5));
    assert_eq!(tx.count_boards("osbo").await.unwrap(), (1, 0));
    assert_eq!(tx.count_boards("hex").await.unwrap(), (0, 0));
    let latest = [made[4], made[3], made[2]];
    assert_eq!(keys(&tx.list_finished("osbox", None, 3).await.unwrap()), latest);
    assert_eq!(keys(&tx.list_finished("osbox", Some(ann), 3).await.unwrap()), latest);
    assert_eq!(keys(&tx.list_finished("osbox", Some(999.into()), 3).await.unwrap()), []);
    assert_eq!(keys(&tx.list_finished("osbo", None, 3).await.unwrap()), []);
}

pub(super) async fn a_number_without_a_game_finds_the_users_boards(ground: &Ground) {
    let (ann, bob, eve) = (ground.user("ann").await, ground.user("bob").await, ground.user("eve").await);
    ground.board("osbox", [ann, bob]).await;
    ground.board("osbo", [ann, ann]).await;
    let removed = ground.board("boxilies", [ann, bob]).await;
    end(ground, removed, BoardState::Removed, 1).await;
    let numbers = ground.store.write(async move |tx| {
        Ok::<_, StoreError>((tx.take_board_number("osbox").await?, tx.take_board_number("hex").await?))
    });
    assert_eq!(numbers.await.unwrap(), (102, 101));
    let taken = ground.store.write(async move |tx| tx.insert_board(101, &new_board("osbox")).await).await;
    assert!(matches!(taken, Err(StoreError::Conflict(_))), "{taken:?}");
    let mut tx = ground.store.read().await.unwrap();
    assert_eq!(tx.games_with_board(101, ann).await.unwrap(), ["osbo", "osbox"]);
    assert_eq!(tx.games_with_board(101, eve).await.unwrap(), Vec::<String>::new());
    assert_eq!(tx.games_with_board(102, ann).await.unwrap(), Vec::<String>::new());
}
