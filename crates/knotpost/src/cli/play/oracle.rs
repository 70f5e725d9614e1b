//! Comparison with another engine: its lines against our rules, and random games of ours as such lines.

use super::{
    refuse,
    reply::Writer,
    request::{Request, RequestError},
};
use crate::cli::exit_codes::EX_NOINPUT;
use flate2::read::MultiGzDecoder;
use knotpost_games::oracle::{check_lines, play_out};
use knotpost_rules::Registry;
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Write},
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
    let lines = match File::open(file).and_then(read_lines) {
        Ok(lines) => lines,
        Err(error) => {
            writer.error("bad_value", &format!("{file} cannot be read: {error}"))?;
            return Ok(EX_NOINPUT);
        }
    };
    // A line that cannot be read differs from every other.
    match check_lines(registry, lines.map(Result::unwrap_or_default)) {
        Ok(count) => writer.plain(&format!("{count} lines agree\n")).map(|()| 0),
        Err((number, mismatch)) => {
            writer.error("different", &format!("line {number}, {mismatch}"))?;
            Ok(1)
        }
    }
}

/// The lines of a file, which may be compressed by gzip.
fn read_lines(file: File) -> io::Result<impl Iterator<Item = io::Result<String>>> {
    let mut file = BufReader::new(file);
    let is_compressed = file.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    let lines: Box<dyn BufRead> =
        if is_compressed { Box::new(BufReader::new(MultiGzDecoder::new(file))) } else { Box::new(file) };
    Ok(lines.lines())
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
