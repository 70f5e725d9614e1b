//! `admin`: users and boards, for whoever has a shell on the machine.

mod mail;
mod mail_text;

use std::io::BufRead as _;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Subcommand;

use super::EX_DATAERR;
use crate::app::App;
use crate::config::Config;
use crate::domain::{BoardRef, BoardState, Millis};
use crate::service::{
    BoardQuery, Recompute, Replayed, Reply, ServiceError, UserEdit, edit_user, recompute_ratings,
    replay_next, start_stopped, view_board, view_boards, view_stopped, view_user, view_users,
};
use crate::store::MailQueue;

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
        action: Board,
    },
    /// Received mail: what came, what became of it, and once more.
    Inbox {
        #[command(subcommand)]
        action: mail::Mails,
    },
    /// Outgoing mail.
    Outbox {
        #[command(subcommand)]
        action: mail::Mails,
    },
    /// Addresses that get no mail any more because it came back.
    Bounces {
        #[command(subcommand)]
        action: Bounces,
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
    List,
    /// One user with his addresses.
    Show {
        /// The user.
        userid: String,
    },
    /// A new user; the password is read from standard input.
    Add {
        /// His name.
        userid: String,
        /// His addresses; they count as confirmed.
        addresses: Vec<String>,
    },
    /// Set a user's password, read from standard input.
    Passwd {
        /// The user.
        userid: String,
    },
    /// Make a user an administrator.
    Grant {
        /// The user.
        userid: String,
    },
    /// Make an administrator a player again.
    Revoke {
        /// The user.
        userid: String,
    },
    /// Lock a user out, or let him in again.
    Suspend {
        /// The user.
        userid: String,
        /// Let him in again.
        #[arg(long)]
        lift: bool,
    },
    /// Resign a user's boards and forget all else for good; the name stays taken, and on his boards.
    Delete {
        /// The user.
        userid: String,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum Board {
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
    },
    /// One board with its whole move list.
    Show {
        /// The game.
        game: String,
        /// The board's number.
        number: u32,
        /// After this move instead of the last one; negative counts back.
        #[arg(long, allow_hyphen_values = true)]
        ply: Option<i64>,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum Bounces {
    /// The addresses, since when, and what the other side said.
    List,
    /// Send mail there again.
    Start {
        /// The addresses.
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        addresses: Vec<String>,
        /// All there are: after a mistake of our own relay, for instance.
        #[arg(long)]
        all: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum Ratings {
    /// Compute all ratings again from the finished boards, report what was stored otherwise, and put it right.
    Recompute {
        /// Only report; exit code 1 when anything is stored otherwise.
        #[arg(long)]
        check: bool,
        /// Only this game.
        #[arg(long)]
        game: Option<String>,
    },
}

pub(super) async fn run(config: Config, action: Action) -> anyhow::Result<ExitCode> {
    let app = super::open(config).await?;
    if let Action::Replay { .. } = action {
        let outcome = replay_all(&app).await;
        app.store.close().await;
        return outcome;
    }
    if let Action::Ratings { action: Ratings::Recompute { check, game } } = action {
        let how = if check { Recompute::Check } else { Recompute::Replace };
        let outcome = recompute(&app, how, game.as_deref()).await;
        app.store.close().await;
        return outcome;
    }
    let done = match action {
        Action::Replay { .. } | Action::Ratings { .. } => Ok(()),
        Action::User { action } => user(&app, action).await,
        Action::Board { action } => board(&app, action).await,
        Action::Inbox { action } => mail::run(&app, MailQueue::Inbox, action).await,
        Action::Outbox { action } => mail::run(&app, MailQueue::Outbox, action).await,
        Action::Bounces { action } => bounces(&app, action).await,
    };
    app.store.close().await;
    match done {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(ServiceError::Refused(refusal)) => {
            eprintln!("knotpost: {}", refusal.message);
            for hint in refusal.hints {
                eprintln!("  {hint}");
            }
            Ok(ExitCode::from(EX_DATAERR))
        }
        Err(ServiceError::Store(error)) => Err(error.into()),
    }
}

async fn replay_all(app: &Arc<App>) -> anyhow::Result<ExitCode> {
    let mut replayed = Replayed::default();
    let mut told = 0;
    while replay_next(app, &mut replayed).await? {
        for difference in replayed.differences.iter().skip(told) {
            println!("{}: {}", difference.board, difference.what);
        }
        told = replayed.differences.len();
        eprintln!("{} boards replayed", replayed.boards);
    }
    println!("{} boards replayed, {told} differences.", replayed.boards);
    Ok(if told == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Games that are switched off are gone through too: their boards stay.
async fn recompute(app: &Arc<App>, how: Recompute, only: Option<&str>) -> anyhow::Result<ExitCode> {
    let mut differences = 0;
    let mut games = app.registry.iter().map(|game| game.meta().name).collect::<Vec<_>>();
    if let Some(only) = only {
        games.retain(|game| game.eq_ignore_ascii_case(only));
        anyhow::ensure!(!games.is_empty(), "there is no game `{only}`");
    }
    for game in games {
        let found = recompute_ratings(app, game, how).await?;
        for line in &found.differences {
            println!("{line}");
        }
        differences += found.differences.len();
        eprintln!("{game}: {} rated boards, {} players", found.boards, found.players);
    }
    let done = if how == Recompute::Replace { " put right" } else { "" };
    println!("{differences} differences{done}.");
    let is_wrong = how == Recompute::Check && differences > 0;
    Ok(if is_wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

async fn user(app: &Arc<App>, action: User) -> Result<(), ServiceError> {
    let (userid, edit, done) = match action {
        User::List => return list_users(app).await,
        User::Show { userid } => {
            let user = view_user(app, &userid).await?;
            println!(
                "userid     {}\nrole       {}\nstate      {}\nsince      {}",
                user.userid, user.role, user.state, user.since
            );
            for (address, confirmed) in user.addresses {
                println!("address    {address}{}", if confirmed { "" } else { " (not confirmed)" });
            }
            for stopped in user.stopped {
                println!(
                    "stopped    {} since {}: {}",
                    stopped.address_key,
                    Millis(stopped.stopped_at).to_readable(),
                    stopped.why
                );
            }
            println!("boards     {} active", user.active_boards);
            return Ok(());
        }
        User::Add { userid, addresses } => {
            (userid, UserEdit::Add { password: read_password()?, addresses }, "added")
        }
        User::Passwd { userid } => (userid, UserEdit::Password(read_password()?), "given a new password"),
        User::Grant { userid } => (userid, UserEdit::Role("admin"), "made an administrator"),
        User::Revoke { userid } => (userid, UserEdit::Role("player"), "made a player"),
        User::Suspend { userid, lift: false } => (userid, UserEdit::Suspend, "locked out"),
        User::Suspend { userid, lift: true } => (userid, UserEdit::Lift, "let in again"),
        User::Delete { userid } => (userid, UserEdit::Delete, "deleted"),
    };
    edit_user(app, &userid, edit).await?;
    println!("{userid} was {done}.");
    Ok(())
}

async fn list_users(app: &Arc<App>) -> Result<(), ServiceError> {
    let mut after = String::new();
    loop {
        let users = view_users(app, &after).await?;
        let Some(last) = users.last() else { return Ok(()) };
        after.clone_from(&last.userid);
        for user in &users {
            println!("{:<20} {:<7} {:<9} {}", user.userid, user.role, user.state, user.since);
        }
    }
}

/// Never from the command line: others on the machine can read that.
fn read_password() -> Result<String, ServiceError> {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line).context("standard input");
    match read {
        Ok(_) => Ok(line.trim_end_matches(['\r', '\n']).to_owned()),
        Err(error) => {
            Err(crate::service::Refusal::new(crate::service::Code::BadValue, format!("{error:#}")).into())
        }
    }
}

async fn bounces(app: &Arc<App>, action: Bounces) -> Result<(), ServiceError> {
    let named = match action {
        Bounces::Start { addresses, all: false } => addresses,
        Bounces::Start { all: true, .. } => {
            let stopped = view_stopped(app).await?;
            stopped.into_iter().map(|row| row.address_key).collect()
        }
        Bounces::List => {
            for row in view_stopped(app).await? {
                println!("{:<32} {} {}", row.address_key, Millis(row.stopped_at).to_rfc3339(), row.why);
            }
            return Ok(());
        }
    };
    for address in named {
        start_stopped(app, &address).await?;
        println!("{address} gets mail again.");
    }
    Ok(())
}

async fn board(app: &Arc<App>, action: Board) -> Result<(), ServiceError> {
    match action {
        Board::List { game, user, state } => list_boards(app, game, user, state).await,
        Board::Show { game, number, ply } => {
            let view = view_board(app, &BoardRef { game: game.to_lowercase(), number }, ply).await?;
            let position = view.board.position_text();
            let state = view.board.row.state.as_str();
            let text = app.composer.text(&Reply::Board(Box::new(view.sheet)));
            println!("{}", text.map_or_else(|error| error, |(_, text)| text));
            println!("State     {state}\nPosition  {position}");
            Ok(())
        }
    }
}

async fn list_boards(
    app: &Arc<App>,
    game: Option<String>,
    userid: Option<String>,
    state: Option<String>,
) -> Result<(), ServiceError> {
    let state = match state.map(BoardState::try_from).transpose() {
        Ok(state) => state,
        Err(error) => {
            let text = format!("--state: {error}; states are active, over and removed");
            return Err(crate::service::Refusal::new(crate::service::Code::BadValue, text).into());
        }
    };
    let mut query = BoardQuery { game, userid, state, limit: 500, ..BoardQuery::default() };
    loop {
        let page = view_boards(app, query.clone()).await?;
        for (row, _, line) in &page.boards {
            let name = format!("{} {}", row.game, row.number);
            println!("{name:<16} move {:<5} {:<24} {}", row.ply, line.status, line.players.join(" "));
        }
        query.after = page.next;
        if page.next.is_none() {
            return Ok(());
        }
    }
}
