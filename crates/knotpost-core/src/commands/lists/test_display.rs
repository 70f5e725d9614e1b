//! `test display`: one board in every format, to find the best for a mail program.

use knotpost_rules::{Layout, Position, Seed, Turn, Viewer};
use serde_json::{Value, json};

use crate::app::App;
use crate::boards::{Code, Games, Refusal, ServiceError};
use crate::replies::{Answer, Reply};

const MOVES: usize = 3;

pub(in crate::commands) fn run(app: &App, userid: Option<&str>) -> Result<Answer, ServiceError> {
    let Some((title, position)) = sample_board(&app.games) else {
        return Err(Refusal::new(Code::Unavailable, "there is no game on this server to show").into());
    };
    let view = position.view(Viewer::Spectator);
    let samples: Vec<Value> = Layout::ALL
        .into_iter()
        .map(|(layout, format)| json!({ "format": format, "text": view.lay_out(layout) }))
        .collect();
    let facts = json!({ "userid": userid.unwrap_or("USERID"), "title": title, "samples": samples });
    Ok(Answer::to_sender(Reply::said("test_display", facts)))
}

/// Sample of the game that shows formats best: several panels that fit side by side.
fn sample_board(games: &Games) -> Option<(&'static str, Box<dyn Position>)> {
    let boards = games.offered().filter_map(|game| {
        let meta = game.meta();
        let players = *meta.players.start();
        let options = game.parse_options(&[], players).ok()?;
        let mut position = game.setup(&options, players, &Seed::default());
        for _ in 0..MOVES {
            let Some(play) = position.example_move() else { break };
            if position.play(Turn::from_word(&play)).is_err() {
                break;
            }
        }
        Some((meta.title, position))
    });
    boards.min_by_key(|(_, position)| {
        let view = position.view(Viewer::Spectator);
        let width = view.lay_out(Layout::Wide).lines().map(str::len).max().unwrap_or(0);
        (view.panels.len() < 2, width)
    })
}
