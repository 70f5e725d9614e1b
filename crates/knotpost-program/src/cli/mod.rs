//! The command line: one file a subcommand. It translates, calls a use case, and reports the outcome in an exit code.

mod admin;
mod backup;
mod bots;
mod checking;
mod command;
mod deliver;
pub(crate) mod exit_codes;
mod export;
mod health;
mod import;
mod man;
mod moving;
mod new_game;
mod output;
mod personal;
mod play;
mod progress;
mod restore;
mod serve;
mod settings;
mod supervisor;
mod trf;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use clap::{CommandFactory as _, Parser, Subcommand};
use knotpost_bots::FindBot;
use knotpost_rules::Registry;
use tokio::runtime::{Builder, Runtime};

use crate::server::{Opening, OpeningError, read_ports};
use exit_codes::{EX_CONFIG, EX_DATAERR, EX_TEMPFAIL};
use knotpost_core::app::App;
use knotpost_core::boards::{Replayed, ServiceError, replay_next};
use knotpost_core::config::{Config, ConfigError};
use knotpost_platform::clock::{SystemClock, SystemEntropy};
use knotpost_storage::{Store, StoreError};
use output::{complain, say};
use progress::Progress;

/// Games of the program, which this crate cannot name.
pub struct Games {
    /// All of them, under their own titles.
    pub list: fn() -> Registry,
    pub find_bot: FindBot,
}

static GAMES: OnceLock<Games> = OnceLock::new();

fn games() -> &'static Games {
    GAMES.get_or_init(|| Games { list: || Registry::of(Vec::new()), find_bot: |_| None })
}

/// A play-by-mail server for board games.
#[derive(Debug, Parser)]
#[command(name = "knotpost", version = crate::build::VERSION.as_str(), about, max_term_width = 100)]
struct Cli {
    /// Configuration file (default: knotpost.toml in the working folder, if there is one).
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the server: web, mail in, mail out (the default).
    Serve(serve::Args),
    /// Take one mail from standard input; exit code 0: taken, 65: refused, 75: try again later.
    Deliver(deliver::Args),
    /// Execute one command line as if mailed by the operator, and print the answer.
    #[command(name = "command")]
    Execute(command::Args),
    /// Play by the rules alone, without a server: replay moves and print the board.
    Play(play::PlayArgs),
    /// Ask a computer player what they would do in a position.
    Think(bots::ThinkArgs),
    /// Have computer players play against each other.
    Match(bots::MatchArgs),
    /// Make the folder of a new game, for its author to go on with.
    NewGame(new_game::NewGameArgs),
    /// The effective configuration.
    Config {
        #[command(subcommand)]
        action: settings::Action,
    },
    /// Check all that `config check` does, and the machine, the relay and DNS; exit code 1 when something does not work.
    Doctor(checking::CheckArgs),
    /// Ask the server that runs with this configuration whether it is ready; exit code 1: it is not, or gives no answer.
    // Its name in earlier versions.
    #[command(alias = "ready")]
    Health,
    /// Bring the database schema up to date.
    Migrate(settings::MigrateArgs),
    /// Copy the entire SQLite database into a new file while the server runs.
    Backup(backup::Args),
    /// Copy a backup of the SQLite database into an empty place, or prove that it would work; exit code 65: the file was
    /// refused.
    Restore(restore::Args),
    /// Write the record of a board, everything held about a user, or the entire server, to standard output or into a file.
    Export(export::Args),
    /// Import finished games from a file of records, or an entire server that `export --all` wrote; exit code 65:
    /// the file was refused.
    Import(import::Args),
    /// Manage users, boards and mail.
    Admin {
        #[command(subcommand)]
        action: admin::Action,
    },
    /// Pair, check, make up and count tournaments in report files of FIDE (TRF), without a server.
    Trf {
        #[command(subcommand)]
        action: trf::Action,
    },
    /// Print the description of the API: OpenAPI 3.1, as JSON.
    Openapi,
    /// Print a completion script for a shell.
    Completions {
        /// bash, zsh, fish, elvish or powershell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write the pages of all commands into a folder.
    Man(man::ManArgs),
}

/// `deliver` by itself. A mail server starts one for each mail, and building the command line of all other commands is a
/// fifth of its processor time.
#[derive(Debug, Parser)]
struct Pipe {
    #[arg(long)]
    config: Option<PathBuf>,
    #[command(flatten)]
    args: deliver::Args,
}

impl Pipe {
    /// Parses only if `deliver` comes first and needs no help text or error message.
    fn try_parse_first() -> Option<Cli> {
        let mut arguments = std::env::args_os().skip(1).peekable();
        if arguments.peek()? != "deliver" {
            return None;
        }
        let Self { config, args } = Self::try_parse_from(arguments).ok()?;
        Some(Cli { config, command: Some(Command::Deliver(args)) })
    }
}

pub fn definition() -> clap::Command {
    Cli::command()
}

pub fn main(games: Games) -> ExitCode {
    let Games { list, find_bot } = *GAMES.get_or_init(|| games);
    let Cli { config, command } = match Pipe::try_parse_first().map_or_else(Cli::try_parse, Ok) {
        Ok(cli) => cli,
        Err(error) => return explain(&error),
    };
    let command = command.unwrap_or_else(|| Command::Serve(serve::Args::default()));
    match command {
        Command::Play(args) => return play::run(&args, &list()),
        Command::Think(args) => return bots::think(&args, &list(), find_bot),
        Command::Match(args) => return bots::contest(&args, &list(), find_bot),
        Command::NewGame(args) => return output::end(new_game::run(&args, &list()), exit_code),
        Command::Trf { action } => return output::end(Ok(trf::run(&action)), exit_code),
        Command::Openapi => {
            say!("{:#}", knotpost_web::openapi());
            return output::end(Ok(ExitCode::SUCCESS), exit_code);
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "knotpost", &mut script);
            output::text(&String::from_utf8_lossy(&script));
            return output::end(Ok(ExitCode::SUCCESS), exit_code);
        }
        Command::Man(args) => {
            let outcome = man::run(&args, Cli::command()).map(|()| ExitCode::SUCCESS);
            return output::end(outcome, exit_code);
        }
        _ => {}
    }
    knotpost_platform::files::set_private_mask();
    let runtime = match start_runtime(&command) {
        Ok(runtime) => runtime,
        Err(error) => {
            complain!("knotpost: {error}");
            return ExitCode::from(EX_TEMPFAIL);
        }
    };
    // These need no sound settings.
    let file = config.as_deref();
    let checked = match &command {
        Command::Config { action: settings::Action::Check(args) } => {
            Some(runtime.block_on(checking::check(file, args)))
        }
        Command::Doctor(args) => Some(runtime.block_on(checking::examine(file, args))),
        _ => None,
    };
    if let Some(code) = checked {
        return output::end(Ok(code), exit_code);
    }
    let config = match Config::load(config.as_deref()) {
        Ok(config) => config,
        Err(error) => {
            complain!("knotpost: the configuration cannot be used: {error}");
            // An operator's mistake must not bounce players' mail: it waits in the queue of the mail server.
            let waits = matches!(command, Command::Deliver(_));
            return ExitCode::from(if waits { EX_TEMPFAIL } else { EX_CONFIG });
        }
    };
    let is_server = matches!(command, Command::Serve(_));
    let outcome = runtime.block_on(run(config, command));
    // Blocking work, such as a hash without a waiting caller, does not delay the end.
    runtime.shutdown_background();
    match outcome {
        // A failed greeting says nothing about the run of a server.
        Ok(code) if is_server => code,
        outcome => output::end(outcome, exit_code),
    }
}

fn start_runtime(command: &Command) -> std::io::Result<Runtime> {
    let mut runtime = match command {
        // A mail server starts one for each mail; it does one thing after another.
        Command::Deliver(_) => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    // Answers of PostgreSQL and of the writer come from other threads. Workers poll for them after every few of their
    // own tasks.
    runtime.enable_all().global_queue_interval(8).build()
}

fn exit_code(error: &anyhow::Error) -> u8 {
    let is_setting = error.is::<ConfigError>() || error.is::<OpeningError>();
    let schema = error.downcast_ref::<StoreError>();
    let is_schema = matches!(schema, Some(StoreError::OlderSchema(_) | StoreError::NewerSchema(_)));
    if is_setting || is_schema { EX_CONFIG } else { 1 }
}

fn explain(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    // A mistake in the line of a pipe must not bounce players' mail.
    let waits = error.use_stderr() && std::env::args_os().any(|argument| argument == "deliver");
    match error.exit_code() {
        _ if waits => ExitCode::from(EX_TEMPFAIL),
        code => u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from),
    }
}

async fn run(config: Config, command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Serve(args) => Box::pin(serve::run(config, &args)).await,
        Command::Deliver(args) => Ok(Box::pin(deliver::run(config, args)).await),
        Command::Execute(args) => Box::pin(command::run(config, args)).await,
        Command::Config { action } => settings::run(&config, &action),
        Command::Health => health::run(&config).await,
        Command::Migrate(args) => settings::migrate(config, &args).await,
        Command::Backup(args) => backup::run(config, args).await,
        Command::Restore(args) => Box::pin(restore::run(config, args)).await,
        Command::Export(args) => Box::pin(export::run(config, args)).await,
        Command::Import(args) => import::run(config, args).await,
        Command::Admin { action } => Box::pin(admin::run(config, action)).await,
        Command::Doctor(_)
        | Command::NewGame(_)
        | Command::Play(_)
        | Command::Think(_)
        | Command::Match(_)
        | Command::Trf { .. }
        | Command::Openapi
        | Command::Completions { .. }
        | Command::Man(_) => Ok(ExitCode::SUCCESS),
    }
}

/// Replays every board and says what differs from what is stored; true if nothing does.
async fn replay_all(store: &Store, games: &knotpost_core::boards::Games) -> anyhow::Result<bool> {
    let (mut replayed, mut told) = (Replayed::default(), 0);
    let mut progress = Progress::of("boards");
    while replay_next(store, games, &mut replayed).await? {
        for difference in replayed.differences.iter().skip(told) {
            say!("{}: {}", difference.board, difference.what);
        }
        told = replayed.differences.len();
        // Boards may have come since they were counted.
        progress.show("", replayed.boards as u64, replayed.total.max(replayed.boards) as u64);
    }
    say!("{} boards replayed, {told} differences.", replayed.boards);
    Ok(told == 0)
}

/// Says why something was refused; other errors are passed on.
fn report(done: Result<(), ServiceError>) -> anyhow::Result<ExitCode> {
    match done {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(ServiceError::Refused(refusal)) => {
            complain!("knotpost: {}", refusal.message);
            for hint in refusal.hints {
                complain!("  {hint}");
            }
            Ok(ExitCode::from(EX_DATAERR))
        }
        Err(ServiceError::Store(error)) => Err(error.into()),
    }
}

/// The games under the titles that they have on this server.
fn name_games(config: &Config) -> &'static Registry {
    let (titles, own) = (config.games.titles.iter(), (games().list)());
    Box::leak(Box::new(titles.fold(own, |games, (name, title)| games.renamed(name, title))))
}

/// Accepts any key of the database.
async fn open_with_any_key(config: Config, opening: Opening) -> anyhow::Result<Arc<App>> {
    let (clock, entropy) = (Arc::new(SystemClock), Arc::new(SystemEntropy::default()));
    let (registry, find_bot) = (name_games(&config), games().find_bot);
    crate::server::open_with_any_key(config, registry, find_bot, clock, entropy, opening).await
}

async fn open(mut config: Config, opening: Opening) -> anyhow::Result<Arc<App>> {
    // Links that a command writes lead to the running server.
    if config.links_follow_port()
        && let Some(http) = read_ports(&config.server.data).ok().and_then(|ports| ports.http)
    {
        config.lead_links_to(http);
    }
    let (clock, entropy) = (Arc::new(SystemClock), Arc::new(SystemEntropy::default()));
    let (registry, find_bot) = (name_games(&config), games().find_bot);
    crate::server::open(config, registry, find_bot, clock, entropy, opening).await
}
