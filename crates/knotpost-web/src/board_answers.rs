//! Answers with a board as it stands, by board and media type. The one rule: an answer is given again while the rows that
//! it was made of are what they were.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::content::Content;
use super::error::Problem;
use knotpost_core::app::App;
use knotpost_core::queries::{BoardSources, BoardView, look_at_board};
use knotpost_model::BoardRef;

/// Answers in memory; when there are as many, all leave.
const MAX_ANSWERS: usize = 256;
/// The longest body in memory, in bytes.
const MAX_BODY: usize = 16 << 10;

/// An answer and what it was made of, by board and media type.
type Answers = HashMap<(BoardRef, &'static str), (BoardSources, Content)>;

/// The answers given last.
#[derive(Debug, Default)]
pub(super) struct BoardAnswers(Mutex<Answers>);

impl BoardAnswers {
    /// The board as `kind`, whose body `write` makes.
    pub(super) async fn answer(
        &self,
        app: &App,
        name: BoardRef,
        kind: &'static str,
        write: impl FnOnce(&BoardView) -> Result<String, Problem>,
    ) -> Result<Content, Problem> {
        let look = look_at_board(&app.store, &app.games, &name).await?;
        let key = (name, kind);
        if let Some((sources, content)) = self.lock().get(&key)
            && sources == look.sources()
        {
            return Ok(content.clone());
        }
        let (sources, view) = look.view(app).await?;
        let body = write(&view)?;
        let is_short = body.len() <= MAX_BODY;
        let content = Content::new(kind, body);
        if is_short {
            let mut answers = self.lock();
            if answers.len() >= MAX_ANSWERS {
                answers.clear();
            }
            answers.insert(key, (sources, content.clone()));
        }
        Ok(content)
    }

    fn lock(&self) -> MutexGuard<'_, Answers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
