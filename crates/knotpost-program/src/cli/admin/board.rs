//! `admin board`: boards, for operators with a shell on the machine.

use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::json;

use super::operator;
use crate::cli::output::{Form, say};
use knotpost_core::admin::{AdminAction, BoardAction, administer};
use knotpost_core::app::App;
use knotpost_core::boards::{Code, Refusal, ServiceError};
use knotpost_core::queries::{BoardQuery, ListedBoard, view_board, view_boards};
use knotpost_core::replies::Reply;
use knotpost_model::{BoardRef, BoardState};

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Board {
    /// Boards, one a line.
    List {
        /// Only this game.
        #[arg(long)]
        game: Option<String>,
        /// Only this user's.
        #[arg(long)]
        user: Option<String>,
        /// Only in this state: active, over or removed.
        #[arg(long)]
        state: Option<String>,
        #[command(flatten)]
        form: Form,
    },
    /// One board with all its moves.
    Show {
        /// The game.
        game: String,
        /// The board's number.
        number: u32,
        /// After this move instead of the last one; negative counts back.
        #[arg(long, allow_hyphen_values = true)]
        ply: Option<i64>,
        /// One JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Stop moves and time until the board is resumed.
    Pause(Which),
    /// Resume a paused board.
    Resume(Which),
    /// End a board as you decide; several winners share the first place.
    Adjudicate {
        #[command(flatten)]
        which: Which,
        /// The winning seat, from 1; repeat it for a tie.
        #[arg(long = "winner", value_name = "SEAT", required = true)]
        winners: Vec<u8>,
    },
    /// Take back the last move that a player made.
    TakeBack(Which),
    /// Take a board off the server; rated boards that are over stay.
    Remove(Which),
}

/// A board, and the reason.
#[derive(Debug, Args)]
pub(in crate::cli) struct Which {
    /// The game.
    game: String,
    /// The board's number.
    number: u32,
    /// The reason, for the players.
    #[arg(long, default_value = "")]
    why: String,
}

pub(super) async fn run(app: &Arc<App>, action: Board) -> Result<(), ServiceError> {
    match action {
        Board::List { game, user, state, form } => list_boards(app, game, user, state, form).await,
        Board::Show { game, number, ply, json } => show(app, game, number, ply, json).await,
        Board::Pause(which) => rule(app, which, BoardAction::Pause, "paused").await,
        Board::Resume(which) => rule(app, which, BoardAction::Resume, "resumed").await,
        Board::Adjudicate { which, winners } => {
            rule(app, which, BoardAction::Adjudicate { winners }, "decided").await
        }
        Board::TakeBack(which) => rule(app, which, BoardAction::TakeBack, "taken back by a move").await,
        Board::Remove(which) => rule(app, which, BoardAction::Remove, "removed").await,
    }
}

async fn rule(app: &Arc<App>, which: Which, action: BoardAction, done: &str) -> Result<(), ServiceError> {
    let board = BoardRef { game: which.game.to_lowercase(), number: which.number };
    administer(app, &operator(), AdminAction::Board { board: board.clone(), action, why: which.why }).await?;
    say!("{board} was {done}.");
    Ok(())
}

async fn show(
    app: &Arc<App>,
    game: String,
    number: u32,
    ply: Option<i64>,
    json: bool,
) -> Result<(), ServiceError> {
    let view = view_board(app, &BoardRef { game: game.to_lowercase(), number }, ply).await?;
    let position = view.board.position_text();
    let state = view.summary.state.as_str();
    let paused = view.summary.paused.map_or("", |_| ", paused");
    if json {
        let summary = &view.summary;
        say!(
            "{}",
            json!({
                "game": summary.game, "number": summary.number, "ply": view.board.entries.len(), "state": state,
                "paused": summary.paused.is_some(), "position": position,
            })
        );
        return Ok(());
    }
    let text = app.composer.text(&Reply::Board(Box::new(view.sheet)));
    let text = text.map_or_else(|error| error, |(_, text)| text);
    say!("{}", knotpost_model::clean_text(&text));
    say!("State     {state}{paused}\nPosition  {position}");
    Ok(())
}

async fn list_boards(
    app: &Arc<App>,
    game: Option<String>,
    userid: Option<String>,
    state: Option<String>,
    form: Form,
) -> Result<(), ServiceError> {
    let state = match state.map(BoardState::try_from).transpose() {
        Ok(state) => state,
        Err(error) => {
            let text = format!("--state: {error}; states are active, over and removed");
            return Err(Refusal::new(Code::BadValue, text).into());
        }
    };
    let mut query = BoardQuery { game, userid, state, limit: 500, ..BoardQuery::default() };
    loop {
        let page = view_boards(app, query.clone()).await?;
        for ListedBoard { summary, line } in &page.boards {
            let name = format!("{} {}", summary.game, summary.number);
            let row = json!({
                "game": summary.game, "number": summary.number, "state": summary.state.as_str(),
                "ply": summary.last_ply, "status": line.status, "players": line.players,
            });
            let (ply, players) = (summary.last_ply, line.players.join(" "));
            form.say(&row, format!("{name:<16} move {ply:<5} {:<24} {players}", line.status));
        }
        query.after = page.next;
        if page.next.is_none() {
            return Ok(());
        }
    }
}
