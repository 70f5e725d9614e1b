//! Joining: at the first confirmed address, a user is welcomed and mailed their waiting boards.

use std::sync::Arc;

use serde::Serialize;

use crate::app::App;
use crate::boards::{Board, ServiceError};
use crate::identity::confirming::{self, Proven};
use crate::mailing::post::post_to_user;
use crate::play::waiting_boards::{MOST_MAILED, find_waiting, mail_board};
use crate::replies::{Answer, Content, Facts, Reply};
use knotpost_model::Millis;
use knotpost_storage::{StoreError, UserRow, WriteTx};

#[derive(Debug, Serialize)]
pub(crate) struct Welcome {
    userid: String,
    #[serde(skip)]
    waiting: Waiting,
}

#[derive(Debug)]
enum Waiting {
    /// Mailed, e.g. `Osbox 101`.
    Mailed(Vec<String>),
    TooMany,
}

impl Welcome {
    pub(crate) fn of(userid: impl Into<String>) -> Self {
        Self { userid: userid.into(), waiting: Waiting::Mailed(Vec::new()) }
    }
}

impl Waiting {
    fn told(&self, userid: &str) -> Option<String> {
        match self {
            Self::Mailed(boards) => match boards.as_slice() {
                [] => None,
                [board] => Some(format!("A board waits for you: {board}. It comes by a mail of its own.")),
                boards => Some(format!(
                    "Boards wait for you: {}. Each comes by a mail of its own.",
                    boards.join(", ")
                )),
            },
            Self::TooMany => Some(format!(
                "More than {MOST_MAILED} boards wait for you, too many to mail them all at once. \
                 `all games {userid} next` lists them, and `resend {userid} PASSWORD GAME` mails those of a game."
            )),
        }
    }
}

impl Content for Welcome {
    const TEMPLATE: &'static str = "welcome";

    fn facts(&self) -> Facts {
        Facts::of(self).prose("waiting", self.waiting.told(&self.userid))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirmed {
    Done(String),
    Expired,
    Unknown,
}

pub async fn confirm_by_link(app: &Arc<App>, token: &str) -> Result<Confirmed, StoreError> {
    let (now, token) = (app.clock.now(), token.to_owned());
    let confirmed = app.write(async move |tx, app| confirm_address(tx, app, &token, now).await).await;
    app.signals.outbox.notify_one();
    confirmed
}

async fn confirm_address(
    tx: &mut WriteTx,
    app: &App,
    token: &str,
    now: Millis,
) -> Result<Confirmed, StoreError> {
    let Some(link) = app.links.read_confirmation(token) else { return Ok(Confirmed::Unknown) };
    if now > link.until && tx.proven_address(link.user, &link.address).await?.is_none() {
        return Ok(Confirmed::Expired);
    }
    Ok(match confirming::prove(tx, app, link.user, &link.address, now).await? {
        Some(proven) => {
            receive(tx, app, &proven, now).await?;
            Confirmed::Done(proven.user.userid)
        }
        None => Confirmed::Unknown,
    })
}

pub(crate) async fn answer_reply(
    tx: &mut WriteTx,
    app: &App,
    answered: &confirming::Answered,
    now: Millis,
) -> Result<Answer, ServiceError> {
    match confirming::accept(tx, app, answered, now).await? {
        Some(proven) => {
            receive(tx, app, &proven, now).await?;
            Ok(Answer::to_registered(Reply::from(Welcome::of(proven.user.userid))))
        }
        None => confirming::decline(tx, app, answered, now).await,
    }
}

async fn receive(tx: &mut WriteTx, app: &App, proven: &Proven, now: Millis) -> Result<(), StoreError> {
    if !proven.is_first {
        return Ok(());
    }
    let UserRow { id, userid, .. } = &proven.user;
    let Some(rows) = find_waiting(tx, None, *id).await? else {
        let welcome = Welcome { userid: userid.clone(), waiting: Waiting::TooMany };
        return post_to_user(tx, app, &Reply::from(welcome), *id, now).await;
    };
    // A board that does not replay must not keep anybody from joining.
    let boards: Vec<Board> = Board::from_rows(tx, &app.games, &rows).await?.into_iter().flatten().collect();
    let names = boards.iter().map(|board| format!("{} {}", board.title(), board.row.number)).collect();
    let welcome = Welcome { userid: userid.clone(), waiting: Waiting::Mailed(names) };
    post_to_user(tx, app, &Reply::from(welcome), *id, now).await?;
    for board in &boards {
        mail_board(tx, app, board, *id, now).await?;
    }
    Ok(())
}
