//! `about`: the words of a player about themselves.

use serde::Serialize;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::commands::authorize::authorize;
use crate::mailing::post::post_to_user;
use crate::replies::{Answer, Content, Facts, Reply};
use crate::requests::Ready;
use knotpost_model::{Millis, clean_line};
use knotpost_storage::WriteTx;

const LONGEST: usize = 300;

#[derive(Debug, Serialize)]
struct About {
    userid: String,
    has_words: bool,
    #[serde(skip)]
    words: Option<String>,
}

impl Content for About {
    const TEMPLATE: &'static str = "about";

    fn facts(&self) -> Facts {
        Facts::of(self).prose("words", self.words.clone())
    }
}

/// Replaces, removes or shows them.
pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    is_removed: bool,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, ready).await?;
    let line = clean_line(&ready.body);
    let text = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let length = text.chars().count();
    if length > LONGEST {
        let words = format!("the words about you have at most {LONGEST} characters, these have {length}");
        return Err(Refusal::new(Code::BadValue, words).into());
    }
    if is_removed || !text.is_empty() {
        tx.set_about(user.id, if is_removed { "" } else { &text }, now).await?;
    }
    let words = tx.about(user.id).await?;
    let reply = Reply::from(About { userid: user.userid, has_words: words.is_some(), words });
    post_to_user(tx, app, &reply, user.id, now).await?;
    Ok(Answer::to_registered(reply))
}
