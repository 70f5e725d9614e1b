//! The program of `examples`, which plays for an account, beside a real server.

use std::process::Stdio;
use std::time::Duration;

use data_encoding::BASE64;
use tokio::process::Command;
use tokio::time::timeout;

use super::running::{Place, Running, has_neighbour, read_all, wait_for};
use super::wire::request;

/// A whole game on a small board may take long on a machine that does much else.
const LONG: Duration = Duration::from_mins(3);

async fn make_key(server: &Running) -> String {
    let password = BASE64.encode(b"bob:bob-secret");
    let head = format!(
        "POST /api/v1/tokens HTTP/1.1\r\nAuthorization: Basic {password}\r\nContent-Type: application/json"
    );
    let wish = r#"{"name":"program","scopes":["bot"]}"#;
    let made = request(server.ports.http.unwrap(), &head, wish).await.unwrap();
    assert_eq!(made.status, 201, "{made:?}");
    made.json()["token"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_program_of_the_examples_plays_every_game_against_a_computer_player_across_a_restart() {
    if !has_neighbour("python3") {
        return;
    }
    let place = Place::new();
    let server = place.start().await;
    server.sign_up_two().await;
    server.ask("set bob bob-secret bot=on").await;
    let key = make_key(&server).await;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/bot.py");
    let run = |server: &Running| {
        let mut command = Command::new("python3");
        command.args([script, &format!("http://{}", server.http()), &key, "--games", "4"]);
        command.kill_on_drop(true).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let mut program = run(&server);
    for (game, options) in
        [("osbox", "-size=4"), ("osbo", "-size=3"), ("obsidio", "-size=5"), ("boxilies", "")]
    {
        server.ask(&format!("{game} challenge {options} bob knotbot-1")).await;
    }
    wait_for("moves of both", async || (server.moves(101).await.len() >= 2).then_some(())).await;
    // A server that stops ends the streams; whoever starts again is told where it is their turn.
    program.kill().await.unwrap();
    server.stop().await;
    let server = place.start().await;
    let mut program = run(&server);
    let status = timeout(LONG, program.wait()).await.expect("the game ends").unwrap();
    let said = String::from_utf8(read_all(&mut program.stdout.take().unwrap()).await).unwrap();
    let failed = String::from_utf8(read_all(&mut program.stderr.take().unwrap()).await).unwrap();
    assert!(status.success(), "{said}{failed}");
    assert!(!said.contains("refused"), "{said}");
    for game in ["osbox", "osbo", "obsidio", "boxilies"] {
        assert!(said.contains(&format!("{game} 101: turn")), "{said}");
        assert!(said.contains(&format!("{game} 101: over")), "{said}");
        let board = server.get(&format!("/api/v1/boards/{game}/101")).await.json();
        assert_eq!((&board["state"], &board["rated"]), (&"over".into(), &false.into()), "{board}");
    }
    server.stop().await;
}
