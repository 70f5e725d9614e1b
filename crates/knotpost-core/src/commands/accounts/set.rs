use knotpost_commands::Setting;
use knotpost_rules::Registry;
use serde::Serialize;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError, find_game};
use crate::commands::authorize::authorize;
use crate::mailing::digest::move_digest;
use crate::mailing::post::post_to_user;
use crate::mailing::puzzles::{self, PUZZLE};
use crate::play::PreferenceLine;
use crate::play::preferences::{BOT, DEFAULT, KINDS, line, stored_of};
use crate::replies::{Answer, Column, Content, Facts, Reply, Table};
use crate::requests::Ready;
use knotpost_model::{Millis, Zone};
use knotpost_storage::{ALL_GAMES, PROGRAM, ReadTx, UserRow, WriteTx};

#[derive(Debug, Serialize)]
struct Preferences {
    userid: String,
    title: Option<String>,
    #[serde(skip)]
    lines: Vec<PreferenceLine>,
    others: Vec<String>,
}

impl Content for Preferences {
    const TEMPLATE: &'static str = "preferences";

    fn facts(&self) -> Facts {
        Facts::of(self).table("table", preferences_table(&self.lines))
    }
}

pub(in crate::commands) async fn run(
    tx: &mut WriteTx,
    app: &App,
    ready: &Ready,
    game: Option<&str>,
    values: &[Setting],
    now: Millis,
) -> Result<Answer, ServiceError> {
    let game = game.map(|game| find_game(&app.games, game).map(knotpost_rules::AnyGame::meta)).transpose()?;
    let mut user = authorize(tx, ready).await?;
    let place = game.map_or(ALL_GAMES, |meta| meta.name);
    let mut wishes = Vec::new();
    for setting in values {
        wishes.push(check(setting, place)?);
    }
    if let Some((_, value)) = wishes.iter().rfind(|(name, _)| *name == BOT) {
        Box::pin(mark_program(tx, app.games.registry, &mut user, value.as_deref() == Some("on"))).await?;
    }
    for (name, value) in wishes.iter().filter(|(name, _)| *name != BOT) {
        tx.set_preference(user.id, place, name, value.as_deref()).await?;
    }
    if wishes.iter().any(|(name, _)| matches!(*name, "digest" | "timezone")) {
        move_digest(tx, user.id, now).await?;
    }
    if wishes.iter().any(|(name, _)| matches!(*name, "digest" | "timezone" | PUZZLE)) {
        puzzles::schedule(tx, app, user.id, now).await?;
    }
    let reply = show(tx, &user, game.map(|meta| (meta.name, meta.title))).await?;
    post_to_user(tx, app, &reply, user.id, now).await?;
    Ok(Answer::to_registered(reply))
}

/// Marks an account as a program's; idempotent. Irrevocable, so that opponents know it, before and afterwards.
async fn mark_program(
    tx: &mut WriteTx,
    registry: &'static Registry,
    user: &mut UserRow,
    wanted: bool,
) -> Result<(), ServiceError> {
    let refuse = |message: &str, hint: &str| Err(Refusal::new(Code::NotAllowed, message).hint(hint).into());
    if wanted == user.is_bot() {
        return Ok(());
    }
    if !wanted {
        let hint =
            "Those who played against it are to know that later too. Whoever runs this server can change it.";
        return refuse("the account of a program stays one", hint);
    }
    if user.role == "admin" {
        let hint = "Sign up another userid for your program.";
        return refuse("a program does not play for an administrator", hint);
    }
    if tx.plays_rated_boards(user.id).await? {
        let hint = "Finish them first, or sign up another userid for your program.";
        return refuse("rated boards are being played in this account", hint);
    }
    for game in registry.iter() {
        tx.delete_seek(game.meta().name, user.id).await?;
    }
    tx.set_user_role(user.id, PROGRAM).await?;
    PROGRAM.clone_into(&mut user.role);
    Ok(())
}

/// Name and value as stored; `None` resets it.
fn check(setting: &Setting, game: &str) -> Result<(&'static str, Option<String>), ServiceError> {
    let Some(kind) = KINDS.iter().find(|kind| kind.name == setting.name) else {
        let message = format!("there is no preference `{}`", setting.name);
        return Err(Refusal::new(Code::BadOption, message).into());
    };
    if !kind.per_game && game != ALL_GAMES {
        let message = format!("`{}` cannot be set for one game alone", kind.name);
        return Err(Refusal::new(Code::BadOption, message)
            .hint(format!("Without a game: set USERID PASSWORD {}={}", kind.name, setting.value))
            .about_game(game)
            .into());
    }
    if setting.value.eq_ignore_ascii_case(DEFAULT) {
        return Ok((kind.name, None));
    }
    if kind.name != "timezone" {
        return Ok((kind.name, Some(setting.value.clone())));
    }
    match Zone::named(&setting.value) {
        Some(zone) => Ok((kind.name, Some(zone.name().to_owned()))),
        None => Err(Refusal::new(Code::BadValue, format!("there is no time zone `{}`", setting.value))
            .hint("Zones are named by place: Europe/Vienna, America/New_York, Asia/Tokyo, UTC")
            .into()),
    }
}

async fn show(
    tx: &mut ReadTx,
    user: &UserRow,
    game: Option<(&'static str, &'static str)>,
) -> Result<Reply, ServiceError> {
    let stored = stored_of(tx, user).await?;
    let kinds = KINDS.iter().filter(|kind| kind.per_game || game.is_none());
    let lines: Vec<PreferenceLine> = kinds.map(|kind| line(kind, &stored, game)).collect();
    let mut others: Vec<String> = stored.into_iter().map(|row| row.game).collect();
    others.retain(|other| other != ALL_GAMES && game.is_none());
    others.dedup();
    Ok(Reply::from(Preferences {
        userid: user.userid.clone(),
        title: game.map(|(_, title)| title.to_owned()),
        lines,
        others,
    }))
}

fn preferences_table(lines: &[PreferenceLine]) -> Table {
    let columns =
        vec![Column::of_words("Name", 10), Column::of_words("Value", 10), Column::of_words("From", 9)];
    let rows =
        lines.iter().map(|line| vec![line.name.to_owned(), line.value.clone(), line.from.clone()]).collect();
    Table { columns, rows }
}
