//! `block`, `follow` and their ends.

use knotpost_commands::Relating;
use serde::Serialize;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError, find_present_user, find_user};
use crate::commands::authorize::authorize;
use crate::mailing::post::post_to_user;
use crate::replies::{Answer, Content, Fact, Facts, Reply};
use crate::requests::Ready;
use knotpost_model::{Millis, Relation};
use knotpost_storage::{UserRow, WriteTx};

/// Users whom one user blocks or follows at most.
const MOST: i64 = 500;

#[derive(Debug, Serialize)]
struct Related {
    userid: String,
    relation: &'static str,
    #[serde(skip)]
    users: Vec<String>,
    count: usize,
}

impl Content for Related {
    const TEMPLATE: &'static str = "related";

    fn facts(&self) -> Facts {
        Facts::of(self).with("users", Fact::Words(self.users.clone()))
    }
}

/// Nobody else is told.
pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    users: &[String],
    change: Relating,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let user = authorize(tx, ready).await?;
    let kind = match change {
        Relating::Block | Relating::Unblock => Relation::Block,
        Relating::Follow | Relating::Unfollow => Relation::Follow,
    };
    for name in users {
        match change {
            Relating::Block => {
                let other = find_present_user(tx, name).await?;
                check_blocked(&user, &other)?;
                tx.set_relation(user.id, other.id, Relation::Block, now).await?;
            }
            Relating::Follow => {
                let other = find_present_user(tx, name).await?;
                check_followed(tx, &user, &other).await?;
                tx.set_relation(user.id, other.id, Relation::Follow, now).await?;
            }
            Relating::Unblock | Relating::Unfollow => {
                let other = find_user(tx, name).await?;
                tx.drop_relation(user.id, other.id, kind).await?;
            }
        }
    }
    if tx.count_related(user.id).await? > MOST {
        let message = format!("you may block and follow {MOST} users at most");
        return Err(Refusal::new(Code::TooMuchMail, message).into());
    }
    let related = tx.related(user.id, kind).await?;
    let reply = Reply::from(Related {
        userid: user.userid,
        relation: kind.as_str(),
        count: related.len(),
        users: related,
    });
    post_to_user(tx, app, &reply, user.id, now).await?;
    Ok(Answer::to_registered(reply))
}

fn check_blocked(user: &UserRow, other: &UserRow) -> Result<(), Refusal> {
    if other.id == user.id {
        return Err(Refusal::new(Code::BadValue, "this is your own userid"));
    }
    if other.is_computer_player() {
        let message = format!("{} is a computer player, which does nothing unasked", other.userid);
        return Err(Refusal::new(Code::BadValue, message));
    }
    if other.role == "admin" {
        let message = format!("{} is an administrator of this server, whom nobody can block", other.userid);
        return Err(Refusal::new(Code::NotAllowed, message));
    }
    Ok(())
}

async fn check_followed(tx: &mut WriteTx, user: &UserRow, other: &UserRow) -> Result<(), ServiceError> {
    if other.id == user.id {
        return Err(Refusal::new(Code::BadValue, "this is your own userid").into());
    }
    if tx.relation(user.id, other.id).await? == Some(Relation::Block) {
        let message = format!("you have blocked {}", other.userid);
        let hint = format!("To end that: unblock {} PASSWORD {}", user.userid, other.userid);
        return Err(Refusal::new(Code::Conflict, message).hint(hint).into());
    }
    Ok(())
}
