//! The verbs, one file each: effect inside the transaction, and answer.
//!
//! Dispatch by verb happens here alone, in `run` and `policy`. A verb knows nothing of `execute`, which
//! carries it out.

pub(crate) mod execute;
pub(crate) mod prepare;
mod response;

pub(crate) use execute::{Outcome, apply};
pub use execute::{Saved, execute, execute_once};
pub use prepare::{prepare, prepare_at_once};
pub use response::CommandResponse;

mod authorize;
mod help;
mod multiple;
mod policy;
mod repetition;

mod accounts {
    pub(super) mod add;
    pub(super) mod addresses;
    pub(super) mod change_address;
    pub(super) mod change_password;
    pub(super) mod delete;
    pub(super) mod export_me;
    pub(super) mod password_reset;
    pub(super) mod set;
    pub(super) mod signoff;
    pub(super) mod signup;
    pub(super) mod vacation;
}

mod boards {
    pub(super) mod analyse;
    pub(super) mod challenge;
    pub(super) mod chat;
    pub(super) mod confirm;
    pub(super) mod hint;
    pub(super) mod moves;
    pub(super) mod preview;
    pub(super) mod queue;
    pub(super) mod rematch;
    pub(super) mod resign;
    pub(super) mod submit;
}

mod lists {
    pub(super) mod all_games;
    pub(super) mod all_show;
    pub(super) mod export;
    pub(super) mod games;
    pub(super) mod history;
    pub(super) mod list;
    pub(super) mod puzzle;
    pub(super) mod show;
    pub(super) mod show_as;
    pub(super) mod standings;
    pub(super) mod test_display;
}

mod messages {
    pub(super) mod broadcast;
    pub(super) mod message;
    pub(super) mod notify;
    pub(super) mod resend;
    pub(super) mod watching;
}

mod people {
    pub(super) mod about;
    pub(super) mod players;
    pub(super) mod profile;
    pub(super) mod relate;
}

mod tournaments;

mod opponents {
    pub(super) mod limit;
    pub(super) mod seek;
    pub(super) mod seeker;
    pub(super) mod willingness;
}

use knotpost_commands::{Action, Command};

pub use help::{TOPICS, help_page};
pub use lists::standings::{view_seeks, view_standings};
pub use messages::broadcast::pass_on_broadcast;
pub use repetition::already_played;

pub(crate) use accounts::addresses::players_address;
pub(crate) use authorize::authorize;
pub(crate) use boards::hint::question as question_about;
pub(crate) use messages::broadcast::take_broadcast;
pub(crate) use multiple::{most_answered, no_lines, too_much_asked};
pub(crate) use policy::{Demand, Spends};

use accounts::{
    add, change_address, change_password, delete, export_me, password_reset as reset, set, signoff, signup,
    vacation,
};
use boards::{analyse, challenge, chat, confirm, hint, moves, preview, queue, rematch, submit};
use lists::{
    all_games, all_show, export, games, history, list, puzzle, show, show_as, standings, test_display,
};
use messages::watching::Watch;
use messages::{broadcast, message, notify, resend, watching};
use opponents::willingness::Willingness;
use opponents::{limit, seek, willingness};
use people::{about, players, profile, relate};
use policy::Policy;
use tournaments::{
    announce, direct, enter, ladder_challenge, tournament, tournaments as list_tournaments, withdraw,
};

use crate::app::App;
use crate::boards::ServiceError;
use crate::play::moves::Turning;
use crate::play::preferences::favourite;
use crate::replies::Answer;
use crate::requests::Ready;
use knotpost_model::{Millis, Rate};
use knotpost_storage::{ReadTx, StoreError, WriteTx};

#[derive(Debug)]
pub(crate) enum Access<'t> {
    Read(&'t mut ReadTx),
    Write(&'t mut WriteTx),
}

impl Access<'_> {
    fn read(&mut self) -> &mut ReadTx {
        match self {
            Self::Read(tx) => tx,
            Self::Write(tx) => tx,
        }
    }

    /// Fails for a command whose [`Effect`](knotpost_commands::Effect) promises no change.
    fn write(&mut self) -> Result<&mut WriteTx, StoreError> {
        match self {
            Self::Write(tx) => Ok(tx),
            Self::Read(_) => {
                Err(StoreError::Corrupt("a command that changes rows was taken for a query".to_owned()))
            }
        }
    }
}

#[expect(clippy::too_many_lines, reason = "an arm for each command")]
pub(crate) async fn run(
    tx: &mut Access<'_>,
    app: &App,
    ready: &Ready,
    command: &Command,
    now: Millis,
) -> Result<Answer, ServiceError> {
    match command {
        Command::Help { subjects } => help::run(tx.read(), app, ready, subjects).await,
        Command::Signup { who, addresses } => signup::run(tx.write()?, app, ready, who, addresses, now).await,
        Command::Add { who: _, addresses } => add::run(tx.write()?, app, ready, addresses, now).await,
        Command::ChangePassword { who: _, new: _ } => {
            change_password::run(tx.write()?, app, ready, now).await
        }
        Command::ChangeAddress { who: _, addresses } => {
            change_address::run(tx.write()?, app, ready, addresses, now).await
        }
        Command::Signoff { who: _, addresses } => signoff::run(tx.write()?, app, ready, addresses, now).await,
        Command::Delete { who: _, leaving, remarks } => {
            delete::run(tx.write()?, app, ready, (*leaving, *remarks), now).await
        }
        Command::ExportMe { who: _ } => export_me::run(tx.write()?, app, ready, now).await,
        Command::List { games } => list::run(tx.read(), app, games).await,
        Command::Message { who: _, to } => message::run(tx.write()?, app, ready, to, now).await,
        Command::Broadcast { who: _ } => broadcast::run(tx.write()?, app, ready, now).await,
        Command::Players { begin } => players::run(tx.read(), begin.as_deref()).await,
        Command::Profile { userid, other } => {
            profile::run(tx.read(), app, userid, other.as_deref(), now).await
        }
        Command::About { who: _, is_removed } => about::run(tx.write()?, app, ready, *is_removed, now).await,
        Command::Relate { who: _, users, change } => {
            relate::run(tx.write()?, app, ready, users, *change, now).await
        }
        // Expanded into its lines before this point.
        Command::Multiple => Err(no_lines().into()),
        Command::AllShow { users, selector } => all_show::run(tx.read(), app, users, *selector, now).await,
        Command::AllGames { users, selector } => all_games::run(tx.read(), app, users, *selector).await,
        Command::PasswordReset { userid } => reset::run(tx.write()?, app, ready, userid, now).await,
        Command::Vacation { who: _, until } => vacation::run(tx.write()?, app, ready, *until, now).await,
        Command::Set { who: _, game, values } => {
            set::run(tx.write()?, app, ready, game.as_deref(), values, now).await
        }
        Command::Favourite { game, who: _, is_favourite } => {
            let wish = favourite(*is_favourite);
            set::run(tx.write()?, app, ready, Some(game), &[wish], now).await
        }
        Command::Puzzle { game, day, play } => puzzle::run(app, game.as_deref(), *day, play.as_deref(), now),
        Command::TestDisplay { userid } => test_display::run(app, userid.as_deref()),
        Command::Resend { who: _, game, board } => {
            resend::run(tx.write()?, app, ready, game.as_deref(), *board, now).await
        }
        Command::Tournaments { game, which } => {
            list_tournaments::run(tx.read(), app, game.as_deref(), *which).await
        }
        Command::Tournament { tournament, part } => {
            tournament::run(tx.read(), app, tournament, part.as_ref()).await
        }
        Command::Announce { game, who: _, form, options, terms } => {
            announce::run(tx.write()?, app, ready, (game, form, options, terms), now).await
        }
        Command::Enter { who: _, tournament } => enter::run(tx.write()?, app, ready, tournament, now).await,
        Command::Withdraw { who: _, tournament } => {
            withdraw::run(tx.write()?, app, ready, tournament, now).await
        }
        Command::Direct { who: _, tournament, action } => {
            direct::run(tx.write()?, app, ready, (tournament, action), now).await
        }
        Command::LadderChallenge { who: _, tournament, opponent } => {
            ladder_challenge::run(tx.write()?, app, ready, (tournament, opponent.as_deref()), now).await
        }
        Command::Challenge { game, players, options, server } => {
            challenge::run(tx.write()?, app, ready, game, players, options, server, now).await
        }
        Command::Move { game, board, who, action, number } => {
            let (game, userid) = (game.as_deref(), who.userid.as_str());
            let turning = Turning { game, board: *board, userid, action, number: *number };
            moves::run(tx.write()?, app, ready, turning, now).await
        }
        Command::Queue { game, board, who, moves, number } => {
            let wanted = queue::Queueing { game, board: *board, userid: &who.userid, moves, number: *number };
            queue::run(tx.write()?, app, ready, wanted, now).await
        }
        Command::Chat { game, board, who: _ } => chat::run(tx.write()?, app, ready, game, *board, now).await,
        Command::Submit { game, board, who: _, action, number } => {
            submit::run(tx.write()?, app, ready, game, *board, (action, *number), now).await
        }
        Command::Confirm { game, board, who: _ } => {
            confirm::run(tx.write()?, app, ready, game, *board, now).await
        }
        Command::Rematch { game, board, who: _ } => {
            rematch::run(tx.write()?, app, ready, game, *board, now).await
        }
        Command::Hint { game, board, who: _ } => hint::run(tx.read(), app, ready, game, *board, now).await,
        Command::Analyse { game, board } => analyse::run(tx.read(), app, ready, game, *board).await,
        Command::Preview { game, board, at, moves } => {
            preview::run(tx.read(), app, game, *board, *at, moves, now).await
        }
        Command::PreviewNew { game, players, moves, options } => {
            preview::run_new(&app.games, game, *players as usize, moves, options, now)
        }
        Command::Accept { game, who: _ } => {
            willingness::run(tx.write()?, app, ready, game, Willingness::Accept, now).await
        }
        Command::Reject { game, who: _ } => {
            willingness::run(tx.write()?, app, ready, game, Willingness::Reject, now).await
        }
        Command::Limit { game, who: _, change } => {
            limit::run(tx.write()?, app, ready, game, *change, now).await
        }
        Command::Seek { game, who: _, change, options, server } => {
            seek::run(tx.write()?, app, ready, game, *change, options, server, now).await
        }
        Command::Subscribe { game, who: _, boards } => {
            watching::run(tx.write()?, app, ready, game, boards, Watch::Begin, now).await
        }
        Command::Unsubscribe { game, who: _, boards } => {
            watching::run(tx.write()?, app, ready, game, boards, Watch::End, now).await
        }
        Command::Notify { game, who: _, boards } => {
            notify::run(tx.write()?, app, ready, game, boards, now).await
        }
        Command::ShowBoards { game, boards } => show::run(tx.read(), app, game, boards, now).await,
        Command::ShowUsers { game, users, selector } => {
            show::run_of_users(tx.read(), &app.games, game, users, *selector, now).await
        }
        Command::ShowAs { game, who: _, boards, selector } => {
            show_as::run(tx.read(), app, ready, game, boards, *selector, now).await
        }
        Command::Games { game, users, selector } => games::run(tx.read(), app, game, users, *selector).await,
        Command::Standings { game } => standings::run(tx.read(), app, game, now).await,
        Command::History { game, users } => history::run(tx.read(), app, game, users).await,
        Command::Export { game, board } => export::run(tx.read(), app, game, *board).await,
    }
}

/// Authentication and rate limit of a command. Its effect is told by [`Command::effect`].
pub(crate) fn policy(command: &Command) -> Policy {
    match command {
        Command::Signup { .. } => Policy::spends(Spends::Share(Rate::Signup)),
        Command::Challenge { .. } | Command::Rematch { .. } => Policy::spends(Spends::Share(Rate::Challenge)),
        Command::PasswordReset { userid } => reset::policy(userid),
        Command::Message { .. } | Command::Broadcast { .. } => {
            Policy::spends(Spends::ShareOfUser(Rate::Message))
        }
        Command::Hint { .. } => Policy::spends(Spends::ShareOfUser(Rate::Hint)),
        Command::ExportMe { .. } => {
            Policy { demand: Demand::Lately, spends: Spends::ShareOfUser(Rate::Archive) }
        }
        Command::Analyse { .. } => Policy::spends(Spends::Share(Rate::Analysis)),
        Command::Chat { game, board, .. } => chat::policy(game, *board),
        Command::Move { board, action: Action::Propose | Action::Undo | Action::Substitute, .. } => {
            moves::policy_of_proposal(*board)
        }
        Command::ChangePassword { .. } | Command::Delete { .. } => Policy::demands(Demand::Typed),
        Command::Set { values, .. } if values.iter().any(|value| value.name == "bot") => {
            Policy::demands(Demand::Lately)
        }
        // The next password is mailed to these addresses.
        Command::Add { .. } | Command::ChangeAddress { .. } | Command::Signoff { .. } => {
            Policy::demands(Demand::Lately)
        }
        Command::Help { .. }
        | Command::List { .. }
        | Command::Players { .. }
        | Command::Profile { .. }
        | Command::About { .. }
        | Command::Relate { .. }
        | Command::Multiple
        | Command::AllShow { .. }
        | Command::AllGames { .. }
        | Command::Vacation { .. }
        | Command::Set { .. }
        | Command::Favourite { .. }
        | Command::Puzzle { .. }
        | Command::TestDisplay { .. }
        | Command::Resend { .. }
        | Command::Move { .. }
        | Command::Queue { .. }
        | Command::Submit { .. }
        | Command::Confirm { .. }
        | Command::Preview { .. }
        | Command::PreviewNew { .. }
        | Command::Accept { .. }
        | Command::Reject { .. }
        | Command::Limit { .. }
        | Command::Seek { .. }
        | Command::Subscribe { .. }
        | Command::Unsubscribe { .. }
        | Command::Notify { .. }
        | Command::ShowBoards { .. }
        | Command::ShowUsers { .. }
        | Command::ShowAs { .. }
        | Command::Games { .. }
        | Command::Standings { .. }
        | Command::History { .. }
        | Command::Export { .. }
        | Command::Tournaments { .. }
        | Command::Tournament { .. }
        | Command::Announce { .. }
        | Command::Enter { .. }
        | Command::Withdraw { .. }
        | Command::Direct { .. }
        | Command::LadderChallenge { .. } => Policy::FREE,
    }
}
