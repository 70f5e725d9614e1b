//! Users, addresses, and the guards that hang on them.

use knotpost_model::{Address, Millis};
use knotpost_storage::{ConfirmationShare, NewUser, RequestKey, SavedResponse, StoreError, UserState};

use super::Ground;

pub(super) async fn names_ignore_case_and_are_taken_once(ground: &Ground) {
    let ann = ground.user("Ann").await;
    let again = NewUser { userid: "aNN".to_owned(), password_hash: "other".to_owned(), at: Millis(2) };
    let taken = ground.store.write(async move |tx| tx.insert_user(&again).await);
    assert_eq!(taken.await.unwrap(), None);
    let mut tx = ground.store.read().await.unwrap();
    let row = tx.find_user("ANN").await.unwrap().unwrap();
    assert_eq!((row.id, row.userid.as_str(), row.role.as_str()), (ann, "Ann", "player"));
    assert_eq!(
        (row.password_hash.as_deref(), row.state, row.created_at),
        (Some("hash"), UserState::Active, Millis(1))
    );
    assert!(tx.find_user("nobody").await.unwrap().is_none());
    assert!(tx.user(999.into()).await.unwrap().is_none());
}

pub(super) async fn what_is_known_of_a_user_can_be_changed(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let write = ground.store.write(async move |tx| {
        tx.set_password_hash(ann, None, Millis(9)).await?;
        tx.set_user_state(ann, UserState::Deleted).await?;
        tx.set_user_role(bob, "admin").await?;
        tx.set_password_hash(bob, Some("new"), Millis(9)).await
    });
    write.await.unwrap();
    let mut tx = ground.store.read().await.unwrap();
    let ann = tx.user(ann).await.unwrap().unwrap();
    assert_eq!((ann.password_hash, ann.state), (None, UserState::Deleted));
    let bob = tx.user(bob).await.unwrap().unwrap();
    assert_eq!((bob.password_hash.as_deref(), bob.role.as_str()), (Some("new"), "admin"));
    let names =
        |rows: Vec<knotpost_storage::UserRow>| rows.into_iter().map(|row| row.userid).collect::<Vec<_>>();
    assert_eq!(names(tx.list_users("", 10).await.unwrap()), ["ann", "bob"]);
    assert_eq!(names(tx.list_users("ANN", 10).await.unwrap()), ["bob"]);
    assert_eq!(names(tx.list_users("", 1).await.unwrap()), ["ann"]);
}

pub(super) async fn addresses_belong_to_their_user(ground: &Ground) {
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let write = ground.store.write(async move |tx| {
        let home: Address = "Ann@Example.org".parse().unwrap();
        let work: Address = "ann@work.example".parse().unwrap();
        let new = (
            tx.add_address(ann, &home, None, Millis(5)).await?,
            tx.add_address(ann, &home, Some(Millis(6)), Millis(6)).await?,
            tx.add_address(ann, &work, Some(Millis(7)), Millis(7)).await?,
            tx.add_address(bob, &home, None, Millis(8)).await?,
        );
        let verified = (
            tx.verify_address(ann, &home.key(), Millis(9)).await?,
            tx.verify_address(ann, &home.key(), Millis(10)).await?,
            tx.verify_address(ann, "ann@elsewhere.example", Millis(9)).await?,
        );
        tx.remove_address(ann, &work.key()).await?;
        Ok::<_, StoreError>((new, verified))
    });
    assert_eq!(write.await.unwrap(), ((true, false, true, true), (true, true, false)));
    let mut tx = ground.store.read().await.unwrap();
    let rows = tx.addresses(ann).await.unwrap();
    let rows: Vec<_> = rows.iter().map(|row| (row.address.to_lowercase(), row.verified_at)).collect();
    assert_eq!(rows, [("ann@example.org".to_owned(), Some(9))]);
    assert_eq!(tx.addresses(bob).await.unwrap()[0].verified_at, None);
}

pub(super) async fn a_stranger_is_asked_once_in_a_while(ground: &Ground) {
    const SHARE: ConfirmationShare =
        ConfirmationShare { aligned: false, limits: &[(1, 50), (2, 300)], of_user: None };
    let (ann, bob) = (ground.user("ann").await, ground.user("bob").await);
    let write = ground.store.write(async move |tx| {
        let (x, own) = ("x@example.org", ConfirmationShare { aligned: true, ..SHARE });
        let first = tx.claim_confirmation((ann, x), SHARE, Millis(100)).await?;
        let soon = tx.claim_confirmation((bob, x), SHARE, Millis(149)).await?;
        let itself = tx.claim_confirmation((bob, x), own, Millis(149)).await?;
        let later = tx.claim_confirmation((bob, x), SHARE, Millis(150)).await?;
        let third = tx.claim_confirmation((bob, x), SHARE, Millis(250)).await?;
        let other = tx.claim_confirmation((ann, "y@example.org"), SHARE, Millis(250)).await?;
        let last = tx.last_confirmation(ann, x).await?;
        let more = tx.prune_confirmation_mails(Millis(151)).await?;
        let forgotten = tx.claim_confirmation((ann, x), SHARE, Millis(250)).await?;
        Ok::<_, StoreError>(([first, soon, itself, later, third, other, more, forgotten], last))
    });
    let (claims, last) = write.await.unwrap();
    assert_eq!(claims, [true, false, true, true, false, true, false, true]);
    assert_eq!(last, Some(Millis(100)));
}

pub(super) async fn answers_to_requests_are_kept_for_a_while(ground: &Ground) {
    let answer = |body: &str| SavedResponse {
        request_digest: "r".to_owned(),
        status: 200,
        content_type: "text/plain".to_owned(),
        retry_after: None,
        body: body.to_owned(),
    };
    let (one, two) = (answer("one"), answer("two"));
    let kept = two.clone();
    let write = ground.store.write(async move |tx| {
        tx.save_response("k", &one, Millis(10)).await?;
        tx.save_response("k", &two, Millis(20)).await?;
        tx.save_response("old", &two, Millis(5)).await?;
        tx.prune_responses(Millis(6)).await
    });
    assert!(!write.await.unwrap());
    let mut tx = ground.store.read().await.unwrap();
    for (digest, since, expected) in [("k", 19, Some(kept)), ("k", 20, None), ("old", 0, None)] {
        let key = RequestKey { digest: digest.to_owned(), since: Millis(since) };
        assert_eq!(tx.saved_response(&key).await.unwrap(), expected, "{key:?}");
    }
}
