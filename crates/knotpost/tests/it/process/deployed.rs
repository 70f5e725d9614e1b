//! The program as it stands at a real operator's: a relay brings its mail and takes what it sends, a reverse proxy
//! stands before its pages, limits are on, addresses must be confirmed, configuration and data are in different
//! folders, and the processes belong to an ordinary user.

pub(in crate::process) mod outside;
mod proxy;
mod site;

use serde_json::Value;

use crate::postgres::database;
use outside::Arrived;
use site::{Site, is_possible};

/// More turns than the game of the story can have.
const MOST_TURNS: usize = 20;

#[tokio::test]
async fn a_deployed_server_carries_two_strangers_from_sign_up_to_the_end_of_their_game() {
    if !is_possible() {
        return;
    }
    let site = Site::start(1, None).await;
    tell(&site).await;
    site.stop().await;
}

#[tokio::test]
async fn two_deployed_servers_on_postgres_carry_two_strangers_through_their_game() {
    if !is_possible() {
        return;
    }
    let Some(database) = database().await else { return };
    let site = Site::start(2, Some(database.url())).await;
    tell(&site).await;
    site.stop().await;
}

/// Everything that two players do, by mail and on the web.
async fn tell(site: &Site) {
    for name in ["ann", "bob"] {
        sign_up(site, name).await;
    }
    site.mail("ann", "osbox challenge -size=3 -no_capture ann bob", "Shall we?").await;
    let mut boards = Vec::new();
    for name in ["ann", "bob"] {
        boards.push(
            site.read(name, "the new board", |mail| mail.subject.contains("New Osbox Board 101")).await,
        );
    }
    let turns = play(site, boards).await;
    assert_eq!(turns, 9, "nine dice fill the box");
    for name in ["ann", "bob"] {
        site.read(name, "the end of the game", |mail| {
            mail.text.contains("Game won by") || mail.text.contains("tie")
        })
        .await;
    }
    change_forgotten_password(site).await;
    site.mail("ann", "vacation ann another-secret 3", "").await;
    site.read("ann", "the vacation", |mail| mail.subject.contains("Vacation")).await;
    site.mail("bob", "delete bob bob-secret", "").await;
    site.read("bob", "the question", |mail| mail.subject.contains("Leave")).await;
    site.mail("bob", "delete bob bob-secret really", "").await;
    site.read("bob", "the farewell", |mail| mail.subject.contains("Goodbye")).await;
    let gone = site.command("osbox challenge ann bob").await;
    assert_ne!(gone.status, 200, "{gone:?}");
}

/// A mail, a link in the answer, a button behind it, a welcome.
async fn sign_up(site: &Site, name: &str) {
    site.mail(name, &format!("signup {name} {name}-secret"), "").await;
    let asked = site.read(name, "the confirmation", |mail| mail.page("/confirm/").is_some()).await;
    let page = asked.page("/confirm/").unwrap();
    let shown = site.get(&page).await;
    assert!(shown.status == 200 && shown.body.contains("<form"), "{shown:?}");
    let unproven = site.unread(name);
    assert!(unproven.is_empty(), "nothing more is mailed to an unproven address: {unproven:?}");
    let confirmed = site.submit(&page, "").await;
    assert_eq!(confirmed.status, 200, "{confirmed:?}");
    site.read(name, "the welcome", |mail| mail.subject.contains("Welcome")).await;
}

/// Plays board 101 to its end, two turns by mail, two on the web and so on, with words in between; how many turns.
async fn play(site: &Site, boards: Vec<Arrived>) -> usize {
    let mut latest: Vec<Arrived> = boards;
    for turn in 0..MOST_TURNS {
        let board = site.board().await;
        let Some(name) = board["to_move"][0].as_str() else { return turn };
        let legal: Value = site.get("/api/v1/boards/osbox/101/legal").await.json();
        let mv = legal["legal"][0].as_str().unwrap();
        if turn / 2 % 2 == 0 {
            let seat = usize::from(name == "bob");
            site.reply(name, &latest[seat], mv).await;
        } else {
            let made = site.command(&format!("osbox move 101 {name} {name}-secret {mv}")).await;
            assert_eq!(made.status, 200, "{made:?}");
        }
        site.wait_for_ply(turn + 1).await;
        if turn == 8 {
            continue;
        }
        for (seat, name) in ["ann", "bob"].into_iter().enumerate() {
            let about = |mail: &Arrived| {
                mail.subject.contains("Osbox Board 101") && mail.text.contains(&format!("{} {mv}", turn + 1))
            };
            latest[seat] = site.read(name, "the move", about).await;
        }
        if turn == 1 {
            site.mail("bob", "osbox chat 101 bob bob-secret", "A fine opening, this.").await;
            site.read("ann", "the chat", |mail| mail.text.contains("A fine opening, this.")).await;
        }
    }
    panic!("the game does not end");
}

/// By a link that the reset mail brings.
async fn change_forgotten_password(site: &Site) {
    site.mail("ann", "password ann", "").await;
    let asked = site.read("ann", "the reset", |mail| mail.page("/reset/").is_some()).await;
    let page = asked.page("/reset/").unwrap();
    assert_eq!(site.get(&page).await.status, 200);
    let chosen = site.submit(&page, "password=another-secret").await;
    assert_eq!(chosen.status, 200, "{chosen:?}");
    let old = site.command("vacation ann ann-secret").await;
    assert_eq!(old.status, 401, "{old:?}");
}
