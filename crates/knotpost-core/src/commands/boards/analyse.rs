//! `analyse`: evaluation of a finished board, move by move, with the worst moves.
//!
//! Computed before the transaction, like a hint.

use crate::config::Config;
use serde::Serialize;

use crate::app::App;
use crate::boards::{Board, Code, Refusal, ServiceError, Standing, find_board, find_game};
use crate::commands::boards::hint::{check_players, question, try_again};
use crate::commands::prepare::check_rate;
use crate::replies::analysis::Analysis;
use crate::replies::{Answer, Content, Fact, Facts, Reply};
use crate::requests::{Preparation, Ready};
use crate::thinking::Unanswered;
use knotpost_storage::ReadTx;

#[derive(Debug, Serialize)]
struct GameAnalysis {
    title: String,
    game: String,
    number: u32,
    players: Vec<String>,
    chart: String,
    #[serde(skip)]
    analysis: Analysis,
}

impl Content for GameAnalysis {
    const TEMPLATE: &'static str = "analysis";

    fn facts(&self) -> Facts {
        let mistakes = self.analysis.mistakes.iter();
        let mistakes =
            mistakes.map(|mistake| Facts::none().prose("said", format!("{}.", mistake.sentence())));
        let remarks = self.analysis.remarks().join(" ");
        Facts::of(self)
            .prose("caption", self.analysis.caption())
            .prose("remarks", (!remarks.is_empty()).then_some(remarks))
            .with("mistakes", Fact::Parts(mistakes.collect()))
    }
}

pub(in crate::commands) async fn run(
    tx: &mut ReadTx,
    app: &App,
    ready: &Ready,
    game: &str,
    number: u32,
) -> Result<Answer, ServiceError> {
    find_game(&app.games, game)?;
    let board = find_board(tx, app, game, number).await?;
    let analysed =
        check(&app.config, &board).and_then(|()| check_rate(ready)).and_then(|()| find(&board, ready));
    match analysed {
        Ok(analysis) => {
            let reply = GameAnalysis {
                title: board.title().to_owned(),
                game: board.row.game.clone(),
                number,
                players: analysis.players.clone(),
                chart: analysis.chart(),
                analysis,
            };
            Ok(Answer::to_sender(Reply::from(reply)).about(board.name()))
        }
        Err(refusal) => Err(refusal.about(board).into()),
    }
}

/// Only finished boards: before that it would be advice.
pub(in crate::commands) fn check(config: &Config, board: &Board) -> Result<(), Refusal> {
    check_players(config)?;
    let (game, number) = (&board.row.game, board.row.number);
    match board.standing() {
        Standing::Over(_) => Ok(()),
        Standing::ToMove(_) => {
            Err(Refusal::new(Code::Conflict, format!("{} board {number} is not over yet", board.title()))
                .hint("An analysis is for finished boards.")
                .hint(format!("On your turn on an unrated board: {game} hint {number} USERID PASSWORD")))
        }
    }
}

fn find(board: &Board, ready: &Ready) -> Result<Analysis, Refusal> {
    let thoughts = match &ready.preparation {
        Preparation::Analysis { question: asked, thoughts } if *asked == question(board) => Some(thoughts),
        _ => None,
    };
    match thoughts {
        Some(Ok(thoughts)) => Ok(Analysis::of(board, thoughts)),
        Some(Err(Unanswered::Busy)) => {
            Err(try_again("several games are being analysed already; try again in a moment"))
        }
        Some(Err(Unanswered::Unknown)) => {
            Err(Refusal::new(Code::NotSupported, format!("no computer player knows {}", board.title())))
        }
        None => Err(try_again("the board has just changed; ask once more")),
    }
}
