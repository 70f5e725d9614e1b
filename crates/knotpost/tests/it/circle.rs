//! Mail that must not go in circles: two servers, and around them everything that answers or repeats mail without
//! saying so. Days go by, and the number of mails stays small and can be explained.

mod world;

use crate::harness::edit_user;
use knotpost_core::admin::UserEdit;

use world::{Habit, Whom, World, away_text, marked};

/// Error answers that one address gets in an hour, and the mail that says that there are no more.
const ANSWERS_AN_HOUR: usize = 11;
/// Times one address gets the answer to the same question in an hour.
const SAME_ANSWERS_AN_HOUR: usize = 10;
/// Chats of one address that are carried out in an hour.
const CHATS_AN_HOUR: usize = 30;
/// Who reads the list.
const MEMBERS: &[&str] = &["games@one.example", "games@two.example", "reader@quiet.example"];
/// Mails of one sender that are handed to the administrators in a day.
const HANDED_A_DAY: usize = 1;
const DAYS: usize = 4;

/// Somebody whose mail program answers every mail, with neither a header nor a null return path.
#[tokio::test]
async fn a_responder_without_any_mark_is_answered_to_a_limit() {
    for (name, subject) in [
        ("fixed words", (|_: &str| "I am away".to_owned()) as fn(&str) -> String),
        ("our subject", |subject: &str| subject.to_owned()),
        ("our subject as a reply", |subject: &str| format!("Re: {subject}")),
        ("our subject behind words", |subject: &str| format!("Automatic reply: {subject}")),
    ] {
        let mut world = World::begin().await;
        world.expect("ann@away.example", Habit::Answers { whom: Whom::Author, subject, text: away_text });
        world.play(&["ann@away.example", "bob@quiet.example"]).await;
        let mut sent = 0;
        for _ in 0..DAYS {
            // One move a day: a board mail for each of the two.
            world.move_once().await;
            sent += world.pass_a_day().await;
        }
        let explained = DAYS * (2 + ANSWERS_AN_HOUR);
        println!("{name}: {sent} mails in {DAYS} days, at most {explained}");
        assert!(sent <= explained && sent >= 2 * DAYS, "{name}: {sent} mails, {explained} can be explained");
    }
}

/// The same when the answer happens to be a complete command, which is carried out again and again.
#[tokio::test]
async fn a_responder_whose_subject_is_a_command_is_answered_to_a_limit() {
    for command in ["list", "osbox board 101", "help move", "standings osbox", "games osbox ann"] {
        let mut world = World::begin().await;
        let subject = match command {
            "list" => (|_: &str| "list".to_owned()) as fn(&str) -> String,
            "osbox board 101" => |_: &str| "osbox show board 101".to_owned(),
            "help move" => |_: &str| "Re: help move".to_owned(),
            "standings osbox" => |_: &str| "osbox standings".to_owned(),
            _ => |_: &str| "osbox games ann".to_owned(),
        };
        world.expect("ann@away.example", Habit::Answers { whom: Whom::Author, subject, text: away_text });
        world.play(&["ann@away.example", "bob@quiet.example"]).await;
        let mut sent = 0;
        for _ in 0..DAYS {
            world.move_once().await;
            sent += world.pass_a_day().await;
        }
        let explained = DAYS * (2 + SAME_ANSWERS_AN_HOUR.max(ANSWERS_AN_HOUR));
        println!("{command}: {sent} mails in {DAYS} days, at most {explained}");
        assert!(
            sent <= explained && sent >= 2 * DAYS,
            "{command}: {sent} mails, {explained} can be explained"
        );
    }
}

/// Programs that answer to where the mail asks them to, with words that mean something there.
#[tokio::test]
async fn a_responder_at_the_reply_address_comes_to_rest() {
    type Text = fn(&str) -> String;
    for (name, whom, text, answers) in [
        ("a holiday at the reply address", Whom::ReplyTo, away_text as Text, ANSWERS_AN_HOUR),
        ("a command at the reply address", Whom::ReplyTo, |_| "show\r\n".to_owned(), SAME_ANSWERS_AN_HOUR),
        // Carried out each time, and told to both players.
        (
            "a chat at the reply address",
            Whom::ReplyTo,
            |_| "chat back on Monday\r\n".to_owned(),
            // One mail that no more are passed on, and what answering that one comes to.
            2 * CHATS_AN_HOUR + 1 + ANSWERS_AN_HOUR,
        ),
        ("a holiday at the return path", Whom::ReturnPath, away_text, 0),
        ("a command at the return path", Whom::ReturnPath, |_| "show\r\n".to_owned(), 0),
    ] {
        let mut world = World::begin().await;
        world.expect(
            "ann@away.example",
            Habit::Answers { whom, subject: |subject| format!("Re: {subject}"), text },
        );
        world.play(&["ann@away.example", "bob@quiet.example"]).await;
        let mut sent = 0;
        for _ in 0..DAYS {
            world.move_once().await;
            sent += world.pass_a_day().await;
        }
        let explained = DAYS * (2 + answers);
        println!("{name}: {sent} mails in {DAYS} days, at most {explained}");
        assert!(sent <= explained && sent >= 2 * DAYS, "{name}: {sent} mails, {explained} can be explained");
    }
}

/// A list whose members are both servers, and whose address somebody has registered at both.
#[tokio::test]
async fn a_list_that_repeats_everything_to_both_servers_comes_to_rest() {
    for (name, habit, answers) in [
        // Its own From and a List-Id: never answered on error.
        ("an honest list", Habit::Repeats { members: MEMBERS, marks: true, keeps_from: false }, 0),
        // Nothing added, all our marks taken off, the list as author: each server answers to its limit.
        (
            "a list without a mark",
            Habit::Repeats { members: MEMBERS, marks: false, keeps_from: false },
            2 * ANSWERS_AN_HOUR,
        ),
        // The first server as author, another Message-ID, no marks: that server knows its address, and the other
        // one tells it once, with all marks, that this was no command.
        ("a list in our name", Habit::Repeats { members: MEMBERS, marks: false, keeps_from: true }, 1),
    ] {
        let mut world = World::begin().await;
        world.expect("list@lists.example", habit);
        world.play(&["list@lists.example", "bob@quiet.example"]).await;
        let mut sent = 0;
        for _ in 0..DAYS {
            world.move_once().await;
            sent += world.pass_a_day().await;
        }
        let explained = DAYS * (2 + answers);
        println!("{name}: {sent} mails in {DAYS} days, at most {explained}");
        assert!(sent <= explained && sent >= 2 * DAYS, "{name}: {sent} mails, {explained} can be explained");
    }
}

/// The servers write to one another, and to each other's postmaster.
#[tokio::test]
async fn two_servers_have_nothing_to_say_to_each_other() {
    let mut world = World::begin().await;
    // Somebody registers the other server as their address, at both.
    world.play(&["games@two.example", "bob@quiet.example"]).await;
    let mut sent = 0;
    for day in 0..DAYS {
        world.move_once().await;
        for (from, to) in [
            ("postmaster@one.example", "games@two.example"),
            ("postmaster@two.example", "games@one.example"),
            ("postmaster@one.example", "postmaster@two.example"),
            ("games@one.example", "postmaster@two.example"),
        ] {
            world.post(from, to, &marked(from, to, "nonsense", day));
        }
        sent += world.pass_a_day().await;
    }
    println!("two servers: {sent} mails in {DAYS} days, at most {}", 2 * DAYS);
    assert_eq!(sent, 2 * DAYS, "the two mails of each move, and no answer to any");
}

/// Each administrator's mail is forwarded to the other server's postmaster, every mark taken off.
#[tokio::test]
async fn postmasters_who_forward_to_each_other_come_to_rest() {
    let mut world = World::begin().await;
    world.expect("admin@one-home.example", Habit::Forwards { to: "postmaster@two.example" });
    world.expect("admin@two-home.example", Habit::Forwards { to: "postmaster@one.example" });
    for (server, address) in [(0, "admin@one-home.example"), (1, "admin@two-home.example")] {
        let add = UserEdit::Add { password: "carol-secret".to_owned(), addresses: vec![address.to_owned()] };
        edit_user(&world.servers[server].app, "carol", add).await.unwrap();
        edit_user(&world.servers[server].app, "carol", UserEdit::Role("admin")).await.unwrap();
    }
    let mut sent = 0;
    for day in 0..DAYS {
        let from = "eve@quiet.example";
        world.post(from, "postmaster@one.example", &marked(from, "postmaster@one.example", "trouble", day));
        sent += world.pass_a_day().await;
    }
    // Eve's mail, and what each server hands on of the other's in a day.
    let explained = DAYS * (1 + 2 * HANDED_A_DAY);
    println!("postmasters: {sent} mails in {DAYS} days, at most {explained}");
    assert!(sent <= explained && sent >= DAYS, "{sent} mails, {explained} can be explained");
}
