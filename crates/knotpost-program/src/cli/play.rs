//! `knotpost play`: the rules on the command line, without users, storage or mail.

mod oracle;
mod picture;
pub(super) mod reply;
pub(super) mod request;
pub(super) mod table;
mod verify;

use super::exit_codes::EX_IOERR;
use knotpost_rules::Registry;
use reply::{Style, Writer};
use request::{Request, RequestError, Script};
use std::{io, process::ExitCode};
use table::{Fault, Table};

/// The words behind `knotpost play`. They stay raw here because the options are those of the game.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(super) struct PlayArgs {
    /// The game, its options, flags of `play` and moves; `knotpost play --help` lists them
    #[arg(value_name = "GAME [OPTION|MOVE]", trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<String>,
}

const USAGE: &str = "\
Usage: knotpost play GAME [options] [MOVE ...]

Replays the moves by the rules alone and prints the board. Options are those
of a challenge (-size=5 or --size=5), moves those of the game; pass, swap and
resign are words of their own.

  --players N        how many seats there are (default: the fewest)
  --position 'POS'   start from a position string
  --record FILE      replay a game record, then the moves given
  --verify-dice FILE recompute the rolls or the deal of a record from its seed
  --seed HEX         64 hexadecimal digits the chance comes from (default 0...);
                     a roll in the position comes before those of the seed
  --svg FILE         write a picture of the last position as SVG
  --png FILE         the same as PNG
  --layout LAYOUT    how boards are printed: standard, wide, narrow (40 columns),
                     list (in words)
  --json             one JSON object a line: the start, then each move
  --legal            list the legal moves of the last position
  --interactive      go on by reading moves from the keyboard; `legal:BEGUN`
                     lists how a begun move can go on
  --dump N           print the ends of N random games, a JSON object a line
  --oracle FILE      compare such lines of another engine with these rules
  --help-rules       print the game's help page
";

pub(super) fn run(args: &PlayArgs, registry: &Registry) -> ExitCode {
    answer(&args.words, USAGE, |writer| {
        if let Some(file) = oracle::named_file(&args.words) {
            return oracle::check(file, registry, writer);
        }
        let request = Request::parse(&args.words, registry)?;
        writer.set_layout(request.layout);
        if request.help {
            return Ok(writer.plain(&request.game.help().to_string())?);
        }
        if let Some(count) = request.dump {
            return oracle::dump(&request, count, writer);
        }
        let table = request.open()?;
        match &request.verify {
            Some(record) => Ok(writer.proof(&verify::verify(&request, record, table)?)?),
            None => play(&request, table, writer),
        }
    })
}

/// Returns 0, 1 for a line of an oracle that differs, 64 for wrong usage, 65 for wrong data such as an illegal move, 66
/// for an unreadable file, 74 for a broken stream.
pub(super) fn answer(
    words: &[String],
    usage: &str,
    run: impl FnOnce(&mut Writer) -> Result<(), RequestError>,
) -> ExitCode {
    let style = if words.iter().any(|word| word == "--json") { Style::Json } else { Style::Text };
    let mut writer = Writer::new(style);
    let ended = if words.is_empty() || words.iter().any(|word| word == "--help") {
        writer.plain(usage).map_err(RequestError::from)
    } else {
        run(&mut writer)
    };
    let told = match ended {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(RequestError::Stream(error)) => Err(error),
        Err(error) => {
            writer.error(error.code(), &error.to_string()).map(|()| ExitCode::from(error.exit_code()))
        }
    };
    told.unwrap_or_else(|error| match error.kind() {
        // The reader has closed the stream.
        io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        _ => ExitCode::from(EX_IOERR),
    })
}

fn play(request: &Request<'_>, mut table: Table, writer: &mut Writer) -> Result<(), RequestError> {
    writer.line(&table)?;
    for word in &request.moves {
        table.play(word)?;
        writer.line(&table)?;
    }
    if request.script == Script::Interactive {
        table = hold_game(table, writer)?;
    } else {
        writer.board(&table)?;
        if request.legal {
            writer.legal(&table)?;
        }
    }
    for file in &request.pictures {
        picture::save(&table, file)?;
    }
    Ok(())
}

/// Plays a hot-seat game, one or more words a line, until it is over or the input ends. Returns the last position.
fn hold_game(table: Table, writer: &mut Writer) -> io::Result<Table> {
    writer.board(&table)?;
    let mut tables = Tables { past: Vec::new(), now: table };
    let mut lines = io::stdin().lines();
    loop {
        writer.prompt(&tables.now)?;
        let Some(line) = lines.next() else {
            writer.plain("\n")?;
            return Ok(tables.now);
        };
        for word in line?.split_whitespace() {
            if word.eq_ignore_ascii_case("quit") {
                return Ok(tables.now);
            }
            obey(word, &mut tables, writer)?;
        }
    }
}

struct Tables {
    past: Vec<Table>,
    now: Table,
}

fn obey(word: &str, tables: &mut Tables, writer: &mut Writer) -> io::Result<()> {
    let lower = word.to_ascii_lowercase();
    if let Some(begun) = lower.strip_prefix("legal:") {
        return writer.next(&tables.now, begun);
    }
    match lower.as_str() {
        "legal" => writer.legal(&tables.now),
        "help" => writer.hint(&tables.now),
        "undo" => {
            let Some(before) = tables.past.pop() else {
                return writer.error("not_allowed", &Fault::NothingToUndo.to_string());
            };
            tables.now = before;
            writer.line(&tables.now)?;
            writer.board(&tables.now)
        }
        _ => {
            let mut next = tables.now.clone();
            if let Err(fault) = next.play(word) {
                return writer.error(fault.code(), &fault.to_string());
            }
            writer.line(&next)?;
            writer.board(&next)?;
            tables.past.push(std::mem::replace(&mut tables.now, next));
            Ok(())
        }
    }
}
