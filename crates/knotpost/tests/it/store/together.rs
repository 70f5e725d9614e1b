//! Moves that are made together: each is as if it were made alone.

use futures_util::future::join_all;
use knotpost_core::boards::ServiceError;
use knotpost_model::{BoardKey, Millis, MoveKind, RemarkKind, UserKey};
use knotpost_storage::{
    BoardMail, MailFilter, MoveRow, NewOutbox, NewToken, OutboxContent, StoreError, Turn, Window, WriteTx,
};

use super::{Ground, refusal};

/// A board of each of `count` pairs of players, and the first player of each.
pub(super) async fn boards(ground: &Ground, count: i64) -> Vec<(BoardKey, UserKey)> {
    let (ann, bob, cid) = (ground.user("ann").await, ground.user("bob").await, ground.user("cid").await);
    let mut boards = Vec::new();
    for number in 0..count {
        let players = if number % 2 == 0 { [ann, bob] } else { [cid, ann] };
        boards.push((ground.board("osbox", players).await, players[0]));
    }
    boards
}

pub(super) fn number_of(index: usize) -> u32 {
    101 + index as u32
}

/// Makes the next move of a board, with words and mails, and says what was found on the way.
pub(super) async fn make_move(tx: &mut WriteTx, number: u32, user: UserKey) -> Result<String, StoreError> {
    let found = tx.find_seated_board("osbox", number).await?.expect("there is a board");
    let mover = tx.mover(user, "osbox", None).await?.expect("there is a user");
    let (mut board, ply) = (found.board.clone(), found.board.ply + 1);
    board.ply = ply;
    board.position = format!("after {ply}");
    board.due_at = Some(500 + ply);
    let entry = MoveRow {
        number: ply,
        seat: 2 - ply % 2,
        kind: MoveKind::Move,
        text: format!("m{ply}"),
        auto: false,
        at: Millis(20 + ply),
    };
    let turn = Turn { board: &board, moves: &[&entry], next: Some(1 + ply % 2), is_rescheduled: true };
    tx.store_turn(turn).await?;
    let said = format!("{} says {ply}", mover.user.userid);
    let remark = tx.insert_remark(board.id, ply, Some(user), RemarkKind::Comment, &said, Millis(30)).await?;
    let facts = tx.board_reader_facts(board.id, "osbox").await?;
    let shown = format!("{remark:?}");
    let mail = NewOutbox {
        kind: "board",
        recipient: format!("{number}@x.example"),
        user: Some(user),
        content: OutboxContent::Board(BoardMail { board: board.id, ply, facts: shown, wait_ms: 0 }),
        on_reply: None,
        message_id: format!("{number}-{ply}@here"),
        date: Millis(40),
    };
    tx.insert_outboxes(&[mail]).await?;
    let seats: Vec<_> = found.seats.iter().map(|seat| (seat.userid.as_str(), seat.to_move)).collect();
    Ok(format!("{ply} {seats:?} {:?} {:?} {:?}", mover.confirm, facts.wishes, facts.watchers))
}

async fn move_on(ground: &Ground, index: usize, user: UserKey) -> Result<String, StoreError> {
    let number = number_of(index);
    ground.store.write(async move |tx| make_move(tx, number, user).await).await
}

/// Stored state of a board: its moves, where it stands, who is next, what was said, and the mails that wait.
pub(super) async fn stored(ground: &Ground, index: usize, key: BoardKey) -> String {
    let mut tx = ground.store.read().await.unwrap();
    let found = tx.find_seated_board("osbox", 101 + index as u32).await.unwrap().unwrap();
    let moves: Vec<String> = tx.moves(key).await.unwrap().into_iter().map(|row| row.text).collect();
    let next: Vec<i64> = found.seats.iter().filter(|seat| seat.to_move).map(|seat| seat.seat).collect();
    let said: Vec<String> = tx.chat_lines(key, 9).await.unwrap().into_iter().map(|row| row.text).collect();
    let row = found.board;
    let window = Window { low: 1, high: i64::MAX };
    let mut waiting = tx.list_outbox(&MailFilter::default(), window, 999).await.unwrap();
    waiting.retain(|mail| mail.number == Some(101 + index as i64));
    waiting.sort_unstable_by_key(|mail| mail.id);
    let remarks: Vec<i64> = tx.comments(key).await.unwrap().iter().map(|row| row.ply).collect();
    let mails: Vec<i64> = waiting.iter().filter_map(|mail| mail.ply).collect();
    format!("{moves:?} {} {} {:?} {next:?} {said:?} {remarks:?} {mails:?}", row.ply, row.position, row.due_at)
}

pub(super) const ONE_MOVE: &str = "[\"m1\"] 1 after 1 Some(501) [2]";
const TWO_MOVES: &str = "[\"m1\", \"m2\"] 2 after 2 Some(502) [1]";

pub(super) async fn moves_made_together_are_as_if_made_alone(ground: &Ground) {
    let boards = boards(ground, 32).await;
    let (watched, watcher) = (boards[3].0, ground.user("eve").await);
    let prepare = ground.store.write(async move |tx| {
        tx.set_preference(watcher, "osbox", "style", Some("large")).await?;
        tx.subscribe(watched, watcher).await
    });
    prepare.await.unwrap();
    let (one, next) = (boards[4].1, boards[5].1);
    let prepare = ground.store.write(async move |tx| {
        tx.set_preference(one, "", "confirm", Some("on")).await?;
        tx.set_preference(next, "osbox", "confirm", Some("off")).await
    });
    prepare.await.unwrap();
    let all = boards.iter().enumerate().map(|(index, (_, user))| move_on(ground, index, *user));
    let found: Vec<String> = join_all(all).await.into_iter().map(Result::unwrap).collect();
    assert!(found[0].starts_with("1 [(\"ann\", true), (\"bob\", false)] Some(\"on\")"), "{}", found[0]);
    assert!(found[1].starts_with("1 [(\"cid\", true), (\"ann\", false)] Some(\"off\")"), "{}", found[1]);
    assert!(found[3].contains("large") && found[3].contains("\"eve\""), "{}", found[3]);
    assert!(!found[4].contains("eve"), "{}", found[4]);
    for (index, (key, user)) in boards.iter().enumerate() {
        let who = if index % 2 == 0 { "ann" } else { "cid" };
        let expected = format!("{ONE_MOVE} [\"{who} says 1\"] [1] [1]");
        assert_eq!(stored(ground, index, *key).await, expected);
        assert!(user.0 > 0);
    }
    let all = boards.iter().enumerate().map(|(index, (_, user))| move_on(ground, index, *user));
    assert!(join_all(all).await.into_iter().all(|found| found.unwrap().starts_with("2 ")));
    for (index, (key, _)) in boards.iter().enumerate() {
        let found = stored(ground, index, *key).await;
        assert!(found.starts_with(TWO_MOVES) && found.ends_with("[1, 2] [1, 2]"), "{found}");
    }
    let mut tx = ground.store.read().await.unwrap();
    assert_eq!(tx.count_waiting_outbox().await.unwrap(), 64);
}

pub(super) async fn a_move_that_fails_among_others_is_undone_alone(ground: &Ground) {
    let boards = boards(ground, 9).await;
    let all = boards.iter().enumerate().map(|(index, (_, user))| {
        let user = *user;
        ground.store.write(async move |tx| {
            make_move(tx, 101 + index as u32, user).await?;
            assert_ne!(index, 1, "a fault for the test");
            match index {
                4 => Err(refusal()),
                7 => Err(StoreError::Corrupt("on purpose".to_owned()).into()),
                _ => Ok(()),
            }
        })
    });
    let outcomes = join_all(all).await;
    for (index, (outcome, (key, _))) in outcomes.into_iter().zip(&boards).enumerate() {
        let found = stored(ground, index, *key).await;
        match index {
            1 => assert!(matches!(outcome, Err(ServiceError::Store(StoreError::Panicked))), "{outcome:?}"),
            4 => assert!(matches!(outcome, Err(ServiceError::Refused(_))), "{outcome:?}"),
            7 => assert!(matches!(outcome, Err(ServiceError::Store(StoreError::Corrupt(_)))), "{outcome:?}"),
            _ => outcome.unwrap(),
        }
        let is_made = found.starts_with(ONE_MOVE);
        assert_eq!(is_made, !matches!(index, 1 | 4 | 7), "{index}: {found}");
        assert!(is_made || found.starts_with("[] 0 start Some(10) [1] [] [] []"), "{index}: {found}");
    }
}

pub(super) async fn a_key_is_looked_at_with_the_move_that_shows_it(ground: &Ground) {
    let boards = boards(ground, 6).await;
    let owner = boards[0].1;
    let token = NewToken {
        digest: "digest".to_owned(),
        user: owner,
        name: "a program".to_owned(),
        scopes: "play".to_owned(),
        password_mark: "mark".to_owned(),
        expires_at: Millis(99),
    };
    let write = ground.store.write(async move |tx| tx.insert_token(&token, Millis(1)).await);
    let key = write.await.unwrap();
    // The last two are about one board.
    let moves =
        [(0, Some(key)), (1, Some(key)), (2, Some(key + 1)), (3, None), (4, None), (4, Some(key + 1))];
    let all = moves.iter().map(|&(index, key)| {
        let user = boards[index].1;
        ground.store.write(async move |tx| {
            let mover = tx.mover(user, "osbox", key).await?.expect("there is a user");
            make_move(tx, 101 + index as u32, user).await?;
            Ok::<_, StoreError>(mover.has_key)
        })
    });
    let found: Vec<bool> = join_all(all).await.into_iter().map(Result::unwrap).collect();
    let is_theirs = boards[1].1 == owner;
    assert_eq!(found, [true, is_theirs, false, true, true, false]);
    assert!(!is_theirs, "one of the keys is somebody else's");
}

pub(super) async fn moves_on_one_board_follow_each_other(ground: &Ground) {
    let boards = boards(ground, 1).await;
    let (key, user) = boards[0];
    let outcomes = join_all((0..6).map(|_| move_on(ground, 0, user))).await;
    let mut plies: Vec<String> =
        outcomes.into_iter().map(|found| found.unwrap().split(' ').next().unwrap().to_owned()).collect();
    plies.sort_unstable();
    assert_eq!(plies, ["1", "2", "3", "4", "5", "6"]);
    let found = stored(ground, 0, key).await;
    assert!(
        found.contains(" 6 after 6 ") && found.ends_with("[1, 2, 3, 4, 5, 6] [1, 2, 3, 4, 5, 6]"),
        "{found}"
    );
}

pub(super) async fn what_a_move_has_written_is_what_it_finds(ground: &Ground) {
    let boards = boards(ground, 3).await;
    let all = boards.iter().enumerate().map(|(index, (key, user))| {
        let (number, key, user) = (number_of(index), *key, *user);
        ground.store.write(async move |tx| {
            // Another one's wish, on which the other boards' mails depend.
            tx.set_preference(user, "osbox", "style", Some("tiny")).await?;
            let found = make_move(tx, number, user).await?;
            assert!(found.contains("tiny"), "{found}");
            assert_eq!(tx.moves(key).await?.len(), 1);
            let undone = tx.part(async |tx| {
                make_move(tx, number, user).await?;
                assert_eq!(tx.moves(key).await?.len(), 2);
                make_move(tx, number, user).await?;
                Err::<(), _>(refusal())
            });
            match undone.await {
                // It has met another write; all of it runs again.
                Err(ServiceError::Store(error)) => return Err(error),
                undone => assert!(undone.is_err()),
            }
            let row = tx.board(key).await?.expect("there is a board");
            assert_eq!((row.ply, row.position.as_str()), (1, "after 1"));
            tx.part(async |tx| make_move(tx, number, user).await).await
        })
    });
    for outcome in join_all(all).await {
        outcome.unwrap();
    }
    for (index, (key, _)) in boards.iter().enumerate() {
        let found = stored(ground, index, *key).await;
        assert!(found.starts_with(TWO_MOVES) && found.ends_with("[1, 2] [1, 2]"), "{found}");
    }
}

/// Works that are no moves share a commit with some on SQLite, and may change what these ask.
pub(super) async fn what_is_written_beside_moves_does_not_mislead_them(ground: &Ground) {
    let boards = boards(ground, 8).await;
    let watcher = ground.user("eve").await;
    for round in 1_i64..=4 {
        let wish = format!("wish{round}");
        let watched = boards[round as usize].0;
        let wishes = boards.iter().map(|(_, user)| {
            let (wish, user) = (wish.clone(), *user);
            ground.store.write(async move |tx| {
                tx.subscribe(watched, watcher).await?;
                tx.set_preference(user, "osbox", "confirm", Some(&wish)).await
            })
        });
        let moves = boards.iter().enumerate().map(|(index, (_, user))| {
            let (number, user) = (number_of(index), *user);
            ground.store.write(async move |tx| {
                let found = make_move(tx, number, user).await?;
                let wishes = tx.preferences(user).await?;
                Ok::<_, StoreError>((
                    found,
                    wishes.into_iter().find(|wish| wish.name == "confirm").map(|wish| wish.value),
                ))
            })
        });
        let (wishes, moves) = tokio::join!(join_all(wishes), join_all(moves));
        assert!(wishes.iter().all(Result::is_ok), "{wishes:?}");
        for (index, outcome) in moves.into_iter().enumerate() {
            let (found, wish) = outcome.unwrap();
            assert!(found.starts_with(&format!("{round} ")), "{index}: {found}");
            assert!(found.contains(&format!(")] {wish:?} ")), "{index}: {found}, but {wish:?}");
        }
    }
}

pub(super) async fn closing_finishes_moves_that_wait(ground: &Ground) {
    let boards = boards(ground, 8).await;
    let all = boards.iter().enumerate().map(|(index, (_, user))| move_on(ground, index, *user));
    let (outcomes, ()) = tokio::join!(join_all(all), ground.store.close());
    assert!(
        outcomes.iter().all(|outcome| matches!(outcome, Ok(_) | Err(StoreError::Closed))),
        "{outcomes:?}"
    );
    assert!(matches!(move_on(ground, 0, boards[0].1).await, Err(StoreError::Closed)));
    let again = knotpost_storage::Store::open(&ground.settings).await.unwrap();
    for (index, outcome) in outcomes.iter().enumerate() {
        let row = again.read().await.unwrap().find_board("osbox", 101 + index as u32).await.unwrap().unwrap();
        assert_eq!(row.ply == 1, outcome.is_ok(), "{index}: {outcome:?}");
    }
    again.close().await;
}
