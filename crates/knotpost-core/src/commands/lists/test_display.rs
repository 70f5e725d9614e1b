//! `test display`: one board in every format, to find the best for a mail program.

use knotpost_rules::{Layout, Position, Seed, Turn, Viewer};
use serde::Serialize;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::replies::{Answer, Content, Reply};

const MOVES: usize = 3;

#[derive(Debug, Serialize)]
struct DisplayTest {
    userid: String,
    title: String,
    samples: Vec<Sample>,
}

impl Content for DisplayTest {
    const TEMPLATE: &'static str = "test_display";
}

#[derive(Clone, Debug, Serialize)]
pub struct Sample {
    pub format: &'static str,
    pub text: String,
}

pub(in crate::commands) fn run(app: &App, userid: Option<&str>) -> Result<Answer, ServiceError> {
    let Some((title, position)) = sample_board(app) else {
        return Err(Refusal::new(Code::Unavailable, "there is no game on this server to show").into());
    };
    let view = position.view(Viewer::Spectator);
    let samples = Layout::ALL
        .into_iter()
        .map(|(layout, format)| Sample { format, text: view.lay_out(layout) })
        .collect();
    let userid = userid.unwrap_or("USERID").to_owned();
    Ok(Answer::to_sender(Reply::from(DisplayTest { userid, title: title.to_owned(), samples })))
}

/// Sample of the game that shows formats best: several panels that fit side by side.
fn sample_board(app: &App) -> Option<(&'static str, Box<dyn Position>)> {
    let boards = app.offered_games().filter_map(|game| {
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
