//! Comparison with another engine: its lines against our rules, and random games of ours as such lines.

use super::{
    refuse,
    reply::Writer,
    request::{Request, RequestError},
};
use crate::cli::exit_codes::EX_NOINPUT;
use knotpost_games::oracle::{check_lines, play_out};
use knotpost_rules::Registry;
use std::{
    fs::File,
    io::{self, Write},
};

/// Games that do not end by themselves are cut off here.
const MOST_TURNS: usize = 2_000;

/// The file of `--oracle FILE` or `--oracle=FILE`, when that is all there is.
pub(super) fn named_file(words: &[String]) -> Option<&str> {
    match words {
        [flag, file] if flag == "--oracle" => Some(file),
        [word] => word.strip_prefix("--oracle="),
        _ => None,
    }
}

pub(super) fn check<O: Write, E: Write>(
    file: &str,
    registry: &Registry,
    writer: &mut Writer<O, E>,
) -> io::Result<u8> {
    let checked = match File::open(file).and_then(|file| check_lines(registry, file)) {
        Ok(checked) => checked,
        Err(error) => {
            writer.error("not_found", &format!("{file}: {error}"))?;
            return Ok(EX_NOINPUT);
        }
    };
    match checked {
        Ok(count) => writer.plain(&format!("{count} lines agree\n")).map(|()| 0),
        Err((number, mismatch)) => {
            writer.error("different", &format!("line {number}, {mismatch}"))?;
            Ok(1)
        }
    }
}

pub(super) fn dump<O: Write, E: Write>(
    request: &Request<'_>,
    count: u64,
    writer: &mut Writer<O, E>,
) -> io::Result<u8> {
    let options = match request.game.parse_options(&request.options, request.players) {
        Ok(options) => options,
        Err(error) => return refuse(writer, &RequestError::from(error)),
    };
    for number in 0..count {
        let mut seed = request.seed;
        for (byte, number) in seed.0.iter_mut().zip(number.to_le_bytes()) {
            *byte ^= number;
        }
        let line = play_out(request.game, &options, request.players, &seed, MOST_TURNS);
        writer.object(&line)?;
    }
    Ok(0)
}
