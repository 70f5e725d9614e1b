//! `delete`: closes the account. By mail it asks for confirmation.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::json;

use crate::app::App;
use crate::boards::ServiceError;
use crate::commands::authorize::authorize;
use crate::mailing::post::post_to_user;
use crate::play::account_deletion::leave;
use crate::replies::answer::numbers;
use crate::replies::{Answer, Content, Fact, Facts, Reply};
use crate::requests::Ready;
use knotpost_commands::{Leaving, Remarks};
use knotpost_model::{BoardState, Channel, Millis};
use knotpost_storage::{BoardFilter, UserRow, WriteTx};

/// Boards named in the question.
const MOST_NAMED: usize = 40;
/// Boards counted for the question.
const MOST_COUNTED: i64 = 1000;

/// Question before the deletion: the consequences, and how to confirm.
#[derive(Debug, Serialize)]
struct Asked {
    userid: String,
    with_remarks: bool,
    #[serde(skip)]
    boards: BTreeMap<String, Vec<i64>>,
    count: usize,
    /// Boards beyond those named.
    more: usize,
}

impl Content for Asked {
    const TEMPLATE: &'static str = "delete_asked";

    fn facts(&self) -> Facts {
        let of_game = |(title, boards): (&String, &Vec<i64>)| {
            Facts::of(&json!({ "title": title, "several": boards.len() > 1 }))
                .with("numbers", numbers(boards))
        };
        Facts::of(self).with("games", Fact::Parts(self.boards.iter().map(of_game).collect()))
    }
}

pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    (leaving, remarks): (Leaving, Remarks),
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, ready).await?;
    // A mail may be a slip or a quoted line; programs and pages ask by themselves.
    if leaving == Leaving::Asked && ready.origin.channel == Channel::Mail {
        return ask(tx, app, user, remarks, now).await;
    }
    let with_remarks = remarks == Remarks::Removed;
    let reply = Reply::said("goodbye", json!({ "userid": user.userid, "with_remarks": with_remarks }));
    // Before the addresses are deleted.
    post_to_user(tx, app, &reply, user.id, now).await?;
    leave(tx, app, &user, remarks, now).await?;
    Ok(Answer::to_registered(reply))
}

async fn ask(
    tx: &mut WriteTx,
    app: &App,
    user: UserRow,
    remarks: Remarks,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let filter =
        BoardFilter { user: Some(user.id), state: Some(BoardState::Active), ..BoardFilter::default() };
    let boards = tx.list_boards(&filter, MOST_COUNTED).await?;
    let (count, more) = (boards.len(), boards.len().saturating_sub(MOST_NAMED));
    let mut named: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for row in boards.into_iter().take(MOST_NAMED) {
        let title = app.games.registry.find(&row.game).map(|game| game.meta().title.to_owned());
        named.entry(title.unwrap_or(row.game)).or_default().push(row.number);
    }
    let reply = Reply::from(Asked {
        userid: user.userid,
        with_remarks: remarks == Remarks::Removed,
        boards: named,
        count,
        more,
    });
    post_to_user(tx, app, &reply, user.id, now).await?;
    Ok(Answer::to_registered(reply))
}
