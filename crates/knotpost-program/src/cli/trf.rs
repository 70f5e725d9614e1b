//! `trf`: report files of tournaments, paired, checked, made up and counted, without a server.

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use knotpost_tournaments::{
    Chances, Form, Pairing, Record, TieBreak, check_round, pair_next, random_tournament, read_trf, standings,
    write_trf,
};

use super::exit_codes::{EX_DATAERR, EX_IOERR, EX_NOINPUT};
use super::output::{complain, say, text};

#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Pair the next round: the number of pairs, then white and black of each; 0 stands for the bye.
    Pair {
        /// A report file; those with an entry for the next round are away.
        file: PathBuf,
    },
    /// Pair every round again, and name those that differ in pairs, colours or bye; exit code 1: one differs.
    Check {
        /// Report files.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Make up a tournament of which all rounds were played.
    Random(RandomArgs),
    /// Print the table.
    Standings {
        /// A report file.
        file: PathBuf,
        /// Tie-breaks by their codes in FIDE's C.07: DE, SB, WIN, BH, BH/C1.
        #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "BH/C1,BH,SB,WIN")]
        tiebreaks: Vec<TieBreak>,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct RandomArgs {
    /// The number of players.
    #[arg(long, value_parser = clap::value_parser!(u16).range(2..=1000))]
    players: u16,
    /// The number of rounds.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=64))]
    rounds: u16,
    /// The same seed gives the same tournament.
    #[arg(long)]
    seed: u64,
    /// Games that are drawn, in percent.
    #[arg(long, value_name = "PERCENT", default_value_t = Chances::default().draws, value_parser = percent())]
    draws: u32,
    /// Pairings that are decided without play, in percent.
    #[arg(long, value_name = "PERCENT", default_value_t = Chances::default().forfeits, value_parser = percent())]
    forfeits: u32,
    /// Rounds for which a player is away, in percent.
    #[arg(long, value_name = "PERCENT", default_value_t = Chances::default().byes, value_parser = percent())]
    byes: u32,
    /// The file to write (default: standard output).
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

fn percent() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(0..=100)
}

pub(super) fn run(action: &Action) -> ExitCode {
    let outcome = match action {
        Action::Pair { file } => pair(file),
        Action::Check { files } => check(files),
        Action::Random(args) => random(args),
        Action::Standings { file, tiebreaks } => print_table(file, tiebreaks),
    };
    outcome.unwrap_or_else(|code| code)
}

/// Complains about a file that cannot be read.
fn read(file: &Path) -> Result<Record, ExitCode> {
    let bytes = fs::read(file).map_err(|error| fail(file, error, EX_NOINPUT))?;
    read_trf(&String::from_utf8_lossy(&bytes)).map_err(|error| fail(file, error, EX_DATAERR))
}

fn fail(file: &Path, error: impl Display, code: u8) -> ExitCode {
    complain!("knotpost: {}: {error}", file.display());
    ExitCode::from(code)
}

fn pair(file: &Path) -> Result<ExitCode, ExitCode> {
    let record = read(file)?;
    let pairing = pair_next(&record).map_err(|error| fail(file, error, 1))?;
    let number = |player: usize| record.players[player].number;
    say!("{}", pairing.boards.len() + usize::from(pairing.bye.is_some()));
    for &(white, black) in &pairing.boards {
        say!("{} {}", number(white), number(black));
    }
    if let Some(bye) = pairing.bye {
        say!("{} 0", number(bye));
    }
    Ok(ExitCode::SUCCESS)
}

fn check(files: &[PathBuf]) -> Result<ExitCode, ExitCode> {
    let (mut rounds, mut differ) = (0, 0);
    for file in files {
        let record = read(file)?;
        for round in 0..record.paired_rounds() {
            rounds += 1;
            let (played, found) = check_round(&record, round);
            let difference = match &found {
                Ok(found) => describe_difference(&record, &played, found),
                Err(error) => Some(error.to_string()),
            };
            if let Some(difference) = difference {
                differ += 1;
                say!("{} round {}: {difference}", file.display(), round + 1);
            }
        }
    }
    say!("{rounds} rounds, {differ} differ");
    Ok(if differ > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The boards of two pairings that only one of them has.
fn describe_difference(record: &Record, played: &Pairing, found: &Pairing) -> Option<String> {
    let number = |player: usize| record.players[player].number;
    let only = |one: &Pairing, other: &Pairing| {
        let mut boards: Vec<(usize, usize)> =
            one.boards.iter().copied().filter(|board| !other.boards.contains(board)).collect();
        boards.sort_unstable();
        let mut words: Vec<String> =
            boards.iter().map(|&(white, black)| format!("{}-{}", number(white), number(black))).collect();
        words.extend(one.bye.filter(|_| one.bye != other.bye).map(|bye| format!("bye {}", number(bye))));
        words.join(" ")
    };
    let (was, should_be) = (only(played, found), only(found, played));
    (!was.is_empty() || !should_be.is_empty()).then(|| format!("{was}; expected: {should_be}"))
}

fn random(args: &RandomArgs) -> Result<ExitCode, ExitCode> {
    let chances = Chances { draws: args.draws, forfeits: args.forfeits, byes: args.byes };
    let record = random_tournament(args.players.into(), args.rounds.into(), args.seed, chances);
    let written = write_trf(&record);
    match &args.output {
        None => text(&written),
        Some(file) => fs::write(file, written).map_err(|error| fail(file, error, EX_IOERR))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn print_table(file: &Path, tie_breaks: &[TieBreak]) -> Result<ExitCode, ExitCode> {
    let record = read(file)?;
    let everybody: Vec<usize> = (0..record.players.len()).collect();
    let table = standings(&record, &everybody, record.paired_rounds(), Form::Swiss, tie_breaks);
    let heads: Vec<String> = tie_breaks.iter().map(|tie_break| format!(" {tie_break:>6}")).collect();
    say!("Place   No Points{}  Name", heads.concat());
    for line in table {
        let player = &record.players[line.player];
        let values: Vec<String> = line.tie_breaks.iter().map(|value| format!(" {value:>6}")).collect();
        say!("{:>5} {:>4} {:>6}{}  {}", line.place, player.number, line.points, values.concat(), player.name);
    }
    Ok(ExitCode::SUCCESS)
}
