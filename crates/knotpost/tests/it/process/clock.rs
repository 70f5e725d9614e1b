//! The clock of a running server: nobody has to ask for reminders and losses on time.

use super::letters::letters;
use super::running::{Place, wait_for};

#[tokio::test]
async fn a_running_server_reminds_and_ends_games_by_itself_also_after_a_kill() {
    let place = Place::new();
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("osbox challenge -size=4 ann bob --nagtime=0.00002 --forfeittime=0.0001").await;
    server.ask("osbox move 101 ann ann-secret f1").await;
    server.ask("osbox move 101 bob bob-secret f9").await;
    server.kill().await;
    let server = place.start().await;
    let has = async |subject: &str| {
        let found = letters(&place.maildir())
            .iter()
            .any(|letter| letter.header("Subject").as_deref() == Some(subject));
        found.then_some(())
    };
    wait_for("a reminder", async || has("Nag: Osbox Board 101 ann").await).await;
    wait_for("the end", async || has("Osbox Board 101").await).await;
    assert_eq!(server.moves(101).await.len(), 3);
    server.stop().await;
}
