//! `admin`: users and boards, for operators with a shell on the machine.

mod audit;
mod board;
mod key;
mod mail;
mod strangers;

use std::io::BufRead as _;
use std::os::unix::fs::MetadataExt as _;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde_json::json;

use super::output::{Form, complain, say};
use super::replay_all;
use crate::server::Opening;
use knotpost_core::admin::{
    AdminAction, Administrator, Recompute, UserEdit, UserLine, administer, recompute_ratings,
    search_refused_names, search_users, view_user,
};
use knotpost_core::app::App;
use knotpost_core::boards::{Code, Refusal, ServiceError};
use knotpost_core::config::Config;
use knotpost_core::mailing::{MailQueue, UserAddress, view_stopped};

const LINES: usize = 500;

#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Users.
    User {
        #[command(subcommand)]
        action: User,
    },
    /// Boards.
    Board {
        #[command(subcommand)]
        action: board::Board,
    },
    /// Received mail: what came, what became of it; retry or drop it.
    Inbox {
        #[command(subcommand)]
        action: mail::Mails,
    },
    /// Outgoing mail.
    Outbox {
        #[command(subcommand)]
        action: mail::Mails,
    },
    /// Actions of administrators.
    Audit {
        #[command(subcommand)]
        action: audit::Audit,
    },
    /// Addresses that get no mail any more because it came back.
    Bounces {
        #[command(subcommand)]
        action: Bounces,
    },
    /// The server's secret keys.
    Key {
        #[command(subcommand)]
        action: key::Key,
    },
    /// Addresses and domains that get no mail, whatever causes it.
    DoNotMail {
        #[command(subcommand)]
        action: strangers::DoNotMail,
    },
    /// Show or set how mail of strangers is handled, on all servers of the database at once.
    Strangers {
        /// `open`, `known` or `closed`; `default`: what the configuration says.
        policy: Option<String>,
    },
    /// Show whether this server is on hold, or change it from the next start on: a server on hold tells nobody anything.
    Hold {
        /// `on` or `off`.
        #[arg(value_parser = ["on", "off"])]
        change: Option<String>,
    },
    /// Ratings.
    Ratings {
        #[command(subcommand)]
        action: Ratings,
    },
    /// Replay stored boards under the present rules and report differences; exit code 1 when there are any.
    Replay {
        /// Every board, finished and removed ones too.
        #[arg(long, required = true)]
        all: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum User {
    /// All users.
    List {
        /// Only those whose name would be refused to a new user today, and why.
        #[arg(long)]
        reserved: bool,
        #[command(flatten)]
        form: Form,
    },
    /// One user with their addresses.
    Show {
        /// The user.
        userid: String,
        /// One JSON object.
        #[arg(long)]
        json: bool,
    },
    /// A new user; the password is read from standard input.
    Add {
        /// The user's name.
        userid: String,
        /// The user's addresses; they count as confirmed.
        addresses: Vec<String>,
    },
    /// Set a user's password, read from standard input.
    Passwd(Who),
    /// Give a user another name; boards, ratings, mail and everything else that is theirs follow, and the name they had
    /// stays taken.
    Rename {
        /// The user.
        userid: String,
        /// The name from now on.
        name: String,
    },
    /// Make a user an administrator.
    Grant(Who),
    /// Make an administrator a player again.
    Revoke(Who),
    /// Lock a user out, or let them in again.
    Suspend {
        /// The user.
        userid: String,
        /// Let them in again.
        #[arg(long)]
        lift: bool,
    },
    /// Mail a user a link and a code for a new password.
    SendPassword(Who),
    /// Log a user out everywhere.
    LogOut(Who),
    /// Remove what a user says about themselves.
    DropAbout(Who),
    /// End all of a user's keys of the API.
    RevokeTokens(Who),
    /// Resign a user's boards and delete what is theirs alone for good; the name stays taken, and on their boards.
    Delete {
        userid: String,
        /// Remove what they said on boards too.
        #[arg(long)]
        with_remarks: bool,
    },
}

#[derive(Debug, Args)]
pub(super) struct Who {
    /// The user.
    userid: String,
}

#[derive(Debug, Subcommand)]
pub(super) enum Bounces {
    /// The addresses, since when, and what the other side said.
    List(Form),
    /// Send mail there again.
    #[command(group(clap::ArgGroup::new("which").required(true).args(["addresses", "all"])))]
    Start {
        /// The addresses.
        addresses: Vec<String>,
        /// All stopped addresses: after a mistake of our own relay, for instance.
        #[arg(long)]
        all: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum Ratings {
    /// Compute all ratings again from the finished boards, report what differs, and correct it.
    Recompute {
        /// Only report; exit code 1 when anything differs.
        #[arg(long)]
        check: bool,
        /// Only this game.
        #[arg(long)]
        game: Option<String>,
    },
}

pub(super) async fn run(config: Config, action: Action) -> anyhow::Result<ExitCode> {
    if let Action::Key { action } = action {
        return key::run(config, action).await;
    }
    let opening = match action {
        Action::User { action: User::Add { .. } } => Opening::Create,
        _ => Opening::Existing,
    };
    let app = super::open(config, opening).await?;
    let done = match action {
        Action::Replay { .. } | Action::Ratings { .. } => {
            let agrees = match action {
                Action::Ratings { action: Ratings::Recompute { check, game } } => {
                    let how = if check { Recompute::Check } else { Recompute::Replace };
                    recompute(&app, how, game.as_deref()).await
                }
                _ => replay_all(&app.store, &app.games).await,
            };
            app.store.close().await;
            return Ok(if agrees? { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Action::Key { .. } => Ok(()),
        Action::User { action } => user(&app, action).await,
        Action::Board { action } => board::run(&app, action).await,
        Action::Audit { action } => audit::run(&app, action).await,
        Action::Inbox { action } => mail::run(&app, MailQueue::Inbox, action).await,
        Action::Outbox { action } => mail::run(&app, MailQueue::Outbox, action).await,
        Action::Bounces { action } => bounces(&app, action).await,
        Action::DoNotMail { action } => strangers::change_list(&app, action).await,
        Action::Strangers { policy } => strangers::change_policy(&app, policy).await,
        Action::Hold { change } => strangers::change_hold(&app, change.as_deref()).await,
    };
    app.store.close().await;
    super::report(done)
}

/// Names the user by the environment, without proof.
fn operator() -> Administrator {
    let name = ["SUDO_USER", "USER", "LOGNAME"].into_iter().find_map(knotpost_core::config::environment);
    // The kernel's answer if the environment has none.
    let uid = || std::fs::metadata("/proc/self").map_or(String::new(), |own| format!("uid {}", own.uid()));
    Administrator::of_shell(name.unwrap_or_else(uid))
}

/// Boards of disabled games count too: they are still stored. Returns false for ratings that were wrong and stay so.
async fn recompute(app: &Arc<App>, how: Recompute, only: Option<&str>) -> anyhow::Result<bool> {
    let mut differences = 0;
    let mut games = app.games.registry.iter().map(|game| game.meta().name).collect::<Vec<_>>();
    if let Some(only) = only {
        games.retain(|game| game.eq_ignore_ascii_case(only));
        anyhow::ensure!(!games.is_empty(), "there is no game `{only}`");
    }
    for game in games {
        let found = recompute_ratings(&app.store, app.clock.as_ref(), &operator(), game, how).await?;
        for line in &found.differences {
            say!("{line}");
        }
        differences += found.differences.len();
        complain!("{game}: {} rated boards, {} players", found.boards, found.players);
    }
    let done = if how == Recompute::Replace { " put right" } else { "" };
    say!("{differences} differences{done}.");
    Ok(how == Recompute::Replace || differences == 0)
}

async fn user(app: &Arc<App>, action: User) -> Result<(), ServiceError> {
    let (userid, edit, done) = match action {
        User::List { reserved, form } => return list_users(app, reserved, form).await,
        User::Show { userid, json } => {
            let user = view_user(app, &userid).await?;
            if json {
                say!("{}", json!(user));
                return Ok(());
            }
            let UserLine { userid, role, state, since, .. } = &user.line;
            say!("userid     {userid}\nrole       {role}\nstate      {state}\nsince      {since}");
            for UserAddress { address, confirmed, .. } in &user.addresses {
                say!("address    {address}{}", if *confirmed { "" } else { " (not confirmed)" });
            }
            for stop in user.stops() {
                say!("stopped    {} since {}: {}", stop.address_key, stop.since.to_readable(), stop.why);
            }
            say!("boards     {} active", user.active_boards);
            return Ok(());
        }
        User::Add { userid, addresses } => {
            (userid, UserEdit::Add { password: read_password()?, addresses }, "added")
        }
        User::Passwd(Who { userid }) => {
            (userid, UserEdit::Password(read_password()?), "given a new password")
        }
        User::Grant(Who { userid }) => (userid, UserEdit::Role("admin"), "made an administrator"),
        User::Revoke(Who { userid }) => (userid, UserEdit::Role("player"), "made a player"),
        User::Suspend { userid, lift: false } => (userid, UserEdit::Suspend, "locked out"),
        User::Suspend { userid, lift: true } => (userid, UserEdit::Lift, "let in again"),
        User::Delete { userid, with_remarks: false } => (userid, UserEdit::Delete, "deleted"),
        User::Delete { userid, with_remarks: true } => {
            (userid, UserEdit::DeleteWithRemarks, "deleted with all they said")
        }
        User::SendPassword(Who { userid }) => (userid, UserEdit::SendReset, "sent a link and a code"),
        User::LogOut(Who { userid }) => (userid, UserEdit::LogOut, "logged out everywhere"),
        User::Rename { userid, name } => {
            let done = format!("renamed: the name is {name} now, and nobody can take {userid}");
            return edit(app, userid, UserEdit::Rename(name), &done).await;
        }
        User::DropAbout(Who { userid }) => {
            (userid, UserEdit::DropAbout, "left without words about themselves")
        }
        User::RevokeTokens(Who { userid }) => (userid, UserEdit::RevokeTokens, "left without keys"),
    };
    self::edit(app, userid, edit, done).await
}

async fn edit(app: &Arc<App>, userid: String, edit: UserEdit, done: &str) -> Result<(), ServiceError> {
    administer(app, &operator(), AdminAction::User { userid: userid.clone(), edit }).await?;
    say!("{userid} was {done}.");
    Ok(())
}

async fn list_users(app: &Arc<App>, reserved: bool, form: Form) -> Result<(), ServiceError> {
    let mut after = Some(String::new());
    while let Some(last) = after {
        let page = if reserved {
            search_refused_names(&app.store, &app.vocabulary, "", &last, LINES).await?
        } else {
            search_users(&app.store, &app.vocabulary, "", &last, LINES).await?
        };
        for user in &page.users {
            let why = user.name_refused.as_deref().filter(|_| reserved).unwrap_or_default();
            let UserLine { userid, role, state, since, .. } = user;
            form.say(&json!(user), format!("{userid:<20} {role:<7} {state:<9} {since} {why}"));
        }
        after = page.cursor;
    }
    Ok(())
}

/// Never from the command line: others on the machine can read that.
fn read_password() -> Result<String, ServiceError> {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line).context("standard input");
    read.map_err(|error| Refusal::new(Code::BadValue, format!("{error:#}")))?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

async fn bounces(app: &Arc<App>, action: Bounces) -> Result<(), ServiceError> {
    let named = match action {
        Bounces::Start { addresses, all: false } => addresses,
        Bounces::Start { all: true, .. } => {
            let stopped = view_stopped(&app.store).await?;
            stopped.into_iter().map(|row| row.address_key).collect()
        }
        Bounces::List(form) => {
            for row in view_stopped(&app.store).await? {
                let words = format!("{:<32} {} {}", row.address_key, row.since.to_rfc3339(), row.why);
                form.say(&json!(row), words);
            }
            return Ok(());
        }
    };
    for address in named {
        administer(app, &operator(), AdminAction::StartAddress { address: address.clone() }).await?;
        say!("{address} gets mail again.");
    }
    Ok(())
}
