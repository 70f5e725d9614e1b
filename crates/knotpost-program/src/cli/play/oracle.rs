//! Comparison with another engine: its lines against our rules, and random games of ours as such lines.

use super::{
    reply::Writer,
    request::{Request, RequestError},
};
use flate2::read::MultiGzDecoder;
use knotpost_rules::Registry;
use knotpost_rules::oracle::{check_lines, play_out};
use std::{
    fs::File,
    io::{self, BufRead, BufReader},
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

pub(super) fn check(file: &str, registry: &Registry, writer: &mut Writer) -> Result<(), RequestError> {
    let lines = File::open(file)
        .and_then(read_lines)
        .map_err(|error| RequestError::OracleFile(file.to_owned(), error))?;
    // A line that cannot be read differs from every other.
    let count = check_lines(registry, lines.map(Result::unwrap_or_default))
        .map_err(|(number, mismatch)| RequestError::Different(number, mismatch))?;
    Ok(writer.plain(&format!("{count} lines agree\n"))?)
}

/// The lines of a file, which may be compressed by gzip.
fn read_lines(file: File) -> io::Result<impl Iterator<Item = io::Result<String>>> {
    let mut file = BufReader::new(file);
    let is_compressed = file.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    let lines: Box<dyn BufRead> =
        if is_compressed { Box::new(BufReader::new(MultiGzDecoder::new(file))) } else { Box::new(file) };
    Ok(lines.lines())
}

pub(super) fn dump(request: &Request<'_>, count: u64, writer: &mut Writer) -> Result<(), RequestError> {
    let options = request.game.parse_options(&request.options, request.players)?;
    for number in 0..count {
        let mut seed = request.seed;
        for (byte, number) in seed.0.iter_mut().zip(number.to_le_bytes()) {
            *byte ^= number;
        }
        let line = play_out(request.game, &options, request.players, &seed, MOST_TURNS);
        writer.object(&line)?;
    }
    Ok(())
}
