//! The server's key is changed while mails made with the old one are under way.

use std::os::unix::fs::PermissionsExt as _;

use super::letters::{Letter, letters};
use super::running::{Place, Running};
use super::wire::mail;

/// The latest board mail to this player.
pub(super) fn board_mail(place: &Place, to: &str) -> Letter {
    let mut found: Vec<Letter> = letters(&place.maildir())
        .into_iter()
        .filter(|letter| letter.header("To").is_some_and(|header| header.contains(to)))
        .filter(|letter| letter.header("Reply-To").is_some_and(|header| header.contains("+r.")))
        .collect();
    // An id begins with the time.
    found.sort_by_key(Letter::message_id);
    found.pop().expect("a board mail")
}

/// Replies to a board mail by its address alone, without a password and without naming the mail.
pub(super) async fn reply(server: &Running, place: &Place, from: &str, letter: &Letter, words: &str) {
    let to = letter.header("Reply-To").unwrap();
    let to = to.split(['<', '>']).find(|part| part.contains("+r.")).unwrap().trim().to_owned();
    let id = words.replace(' ', "-");
    let message = format!(
        "From: {from}\nTo: {to}\nSubject: Re: your move\nMessage-ID: <{id}@example.org>\n\n{words}\n"
    );
    let answer = mail(server.smtp(), from, &to, &message).await.unwrap();
    assert!(answer.starts_with("250"), "{answer}");
    place.wait_until_idle().await;
}

/// The ids of the keys in their order.
async fn ids(place: &Place) -> Vec<String> {
    let list = place.run(&["admin", "key", "list"]).await.succeed();
    let id = |line: &str| line.split_whitespace().next().unwrap().to_owned();
    list.lines().filter(|line| !line.contains("digests")).map(id).collect()
}

#[tokio::test]
async fn a_reply_to_a_mail_from_before_a_change_of_keys_moves_until_the_old_key_is_dropped() {
    let place = Place::new().with("KNOTPOST_INBOUND__KEEP_RAW", "all");
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge ann bob").await;
    server
        .post(
            "ann@example.org",
            "From: ann@example.org\nTo: pbmserv@localhost\nSubject: frobnicate\n\nkept\n",
        )
        .await;
    place.wait_until_idle().await;
    let asked = board_mail(&place, "ann@example.org");
    server.stop().await;

    place.run(&["admin", "key", "rotate"]).await.succeed();
    let key = place.data().join("secret.key");
    let mode = || std::fs::metadata(&key).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(), 0o600);
    let server = place.start().await;
    reply(&server, &place, "ann@example.org", &asked, "a1").await;
    assert_eq!(server.moves(101).await, ["a1"], "its key is old, and known");
    let raw = place.run(&["admin", "inbox", "show", "1"]).await.succeed();
    assert!(raw.contains("text/plain, "), "it is opened with the old key: {raw}");
    server.ask("osbox move 101 bob bob-secret a9").await;
    place.wait_until_idle().await;
    server.stop().await;

    // Two changes on; the first key goes.
    place.run(&["admin", "key", "next"]).await.succeed();
    let known = ids(&place).await;
    place.run(&["admin", "key", "rotate"]).await.succeed();
    let [newest, middle, first] = &ids(&place).await[..] else { panic!("three keys") };
    assert_eq!(known, [middle.as_str(), newest, first], "the next key is the one that is used now");
    let told = place.run(&["admin", "key", "drop", first]).await;
    assert_eq!((told.code(), ids(&place).await.len()), (1, 3), "{told:?}");
    assert!(told.stdout.contains("1 stored mails") && told.stdout.contains("--yes"), "{told:?}");
    assert_eq!(place.run(&["admin", "key", "drop", newest, "--yes"]).await.code(), 65);
    place.run(&["admin", "key", "drop", first, "--yes"]).await.succeed();
    assert_eq!((mode(), ids(&place).await), (0o600, vec![newest.clone(), middle.clone()]));

    let server = place.start().await;
    let before = letters(&place.maildir()).len();
    reply(&server, &place, "ann@example.org", &asked, "a2").await;
    assert_eq!(server.moves(101).await, ["a1", "a9"], "its key is gone");
    assert!(letters(&place.maildir()).len() > before, "and ann is told");
    server.stop().await;
}
