//! Parses the output of `strace`: which bytes went into which file, and what was synced when. It knows only the calls that
//! SQLite makes on its files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Something that happened to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Bytes written at an offset, at least in part.
    Write { file: PathBuf, offset: u64, bytes: Vec<u8>, done: bool },
    /// A new length.
    Truncate { file: PathBuf, length: u64, done: bool },
    /// A sync begins; what was written before is durable once it is done.
    SyncBegun { file: PathBuf, process: u32 },
    /// The sync is done.
    Synced { file: PathBuf, process: u32 },
    /// The file is unlinked; another file may get its name.
    Removed { file: PathBuf },
}

/// The calls that must be in the trace.
pub(super) const CALLS: &str = "trace=pwrite64,write,fdatasync,fsync,ftruncate,unlink";
/// More than the largest write, in bytes.
pub(super) const LONGEST: &str = "1000000";

/// All events of a trace in their order.
pub(super) fn read(trace: &str) -> anyhow::Result<Vec<Event>> {
    let mut events = Vec::new();
    let mut begun: HashMap<u32, String> = HashMap::new();
    for line in trace.lines() {
        let Some((process, call)) = split_process(line) else { continue };
        if let Some(resumed) = call.strip_prefix("<... ") {
            let rest = resumed.split_once(" resumed>").map_or("", |(_, rest)| rest);
            let Some(first) = begun.remove(&process) else { continue };
            read_call(process, &format!("{first}{rest}"), &mut events)?;
            continue;
        }
        if let Some(file) = synced_file(call) {
            events.push(Event::SyncBegun { file, process });
        }
        match call.strip_suffix(" <unfinished ...>") {
            Some(call) => drop(begun.insert(process, call.to_owned())),
            None => read_call(process, call, &mut events)?,
        }
    }
    // A call in progress when the process ended may have taken effect, in part or not at all.
    for (process, call) in begun {
        read_call(process, &format!("{call}) = ?"), &mut events)?;
    }
    Ok(events)
}

fn split_process(line: &str) -> Option<(u32, &str)> {
    let (process, call) = line.split_once(char::is_whitespace)?;
    Some((process.parse().ok()?, call.trim_start()))
}

fn synced_file(call: &str) -> Option<PathBuf> {
    let (name, rest) = call.split_once('(')?;
    matches!(name, "fsync" | "fdatasync").then(|| path_of(rest)).flatten()
}

/// `12<\x2f\x74…>, …`: the path of the first argument.
fn path_of(arguments: &str) -> Option<PathBuf> {
    let (_, rest) = arguments.split_once('<')?;
    let (path, _) = rest.split_once('>')?;
    Some(PathBuf::from(String::from_utf8(unescape(path)?).ok()?))
}

fn read_call(process: u32, call: &str, events: &mut Vec<Event>) -> anyhow::Result<()> {
    let Some((call, result)) = call.rsplit_once(" = ") else { return Ok(()) };
    let Some((name, arguments)) = call.trim_end().trim_end_matches(')').split_once('(') else {
        return Ok(());
    };
    // A call in which the process was killed has no result, or one without an error name.
    let done = !result.starts_with('?') && !result.contains("(errno ");
    let result = result.split_whitespace().next().unwrap_or_default();
    if done && result.starts_with('-') {
        return Ok(());
    }
    let wrong = || anyhow::anyhow!("a line of the trace cannot be read: {name}({arguments:.120}");
    match name {
        "pwrite64" => {
            let file = path_of(arguments).ok_or_else(wrong)?;
            let (bytes, rest) = quoted(arguments).ok_or_else(wrong)?;
            let mut bytes = unescape(bytes).ok_or_else(wrong)?;
            let offset = rest.rsplit(", ").next().and_then(|at| at.trim().parse().ok()).ok_or_else(wrong)?;
            if let Ok(written) = result.parse::<usize>() {
                bytes.truncate(written);
            }
            events.push(Event::Write { file, offset, bytes, done });
        }
        // SQLite writes at offsets; any other call is outside of this model.
        "write" => anyhow::bail!("a file is written without an offset: {arguments:.120}"),
        "ftruncate" => {
            let file = path_of(arguments).ok_or_else(wrong)?;
            let length = arguments.rsplit(", ").next().and_then(|length| length.trim().parse().ok());
            events.push(Event::Truncate { file, length: length.ok_or_else(wrong)?, done });
        }
        "fsync" | "fdatasync" if done => {
            events.push(Event::Synced { file: path_of(arguments).ok_or_else(wrong)?, process });
        }
        "unlink" if done => {
            let (path, _) = quoted(arguments).ok_or_else(wrong)?;
            let path = String::from_utf8(unescape(path).ok_or_else(wrong)?)?;
            events.push(Event::Removed { file: Path::new(&path).to_owned() });
        }
        _ => {}
    }
    Ok(())
}

/// The first string of the arguments, and what follows it.
fn quoted(arguments: &str) -> Option<(&str, &str)> {
    let (_, rest) = arguments.split_once('"')?;
    let (text, rest) = rest.split_once('"')?;
    // A shortened string would lose bytes.
    (!rest.starts_with("...")).then_some((text, rest))
}

/// `\x53\x51` as bytes; a string without escapes as it is.
fn unescape(text: &str) -> Option<Vec<u8>> {
    let bytes = text.as_bytes();
    if !bytes.starts_with(b"\\x") {
        return Some(bytes.to_vec());
    }
    let digit = |byte: u8| char::from(byte).to_digit(16);
    bytes
        .chunks(4)
        .map(|escape| match escape {
            [b'\\', b'x', high, low] => u8::try_from(digit(*high)? * 16 + digit(*low)?).ok(),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(trace: &str) -> Vec<Event> {
        read(trace).expect("it can be read")
    }

    #[test]
    fn writes_syncs_and_removals_are_read_with_their_bytes() {
        let file = PathBuf::from("/a");
        let read = events(
            "7  pwrite64(12<\\x2f\\x61>, \"\\x00\\xff\", 2, 32) = 2\n7  fsync(12<\\x2f\\x61>) = 0\n\
             8  ftruncate(12<\\x2f\\x61>, 0) = 0\n8  unlink(\"\\x2f\\x61\") = 0\n8  +++ exited with 0 +++\n\
             8  unlink(\"\\x2f\\x61\") = -1 ENOENT (No such file or directory)\n",
        );
        assert_eq!(
            read,
            [
                Event::Write { file: file.clone(), offset: 32, bytes: vec![0, 255], done: true },
                Event::SyncBegun { file: file.clone(), process: 7 },
                Event::Synced { file: file.clone(), process: 7 },
                Event::Truncate { file: file.clone(), length: 0, done: true },
                Event::Removed { file },
            ]
        );
    }

    #[test]
    fn calls_of_several_threads_are_put_together_and_unended_ones_are_not_done() {
        let file = PathBuf::from("/a");
        let read = events(
            "7  fsync(12<\\x2f\\x61> <unfinished ...>\n8  pwrite64(12<\\x2f\\x61>, \"\\x01\", 1, 0) = 1\n\
             7  <... fsync resumed>) = 0\n8  pwrite64(12<\\x2f\\x61>, \"\\x02\", 1, 1 <unfinished ...>\n",
        );
        assert_eq!(
            read,
            [
                Event::SyncBegun { file: file.clone(), process: 7 },
                Event::Write { file: file.clone(), offset: 0, bytes: vec![1], done: true },
                Event::Synced { file: file.clone(), process: 7 },
                Event::Write { file, offset: 1, bytes: vec![2], done: false },
            ]
        );
    }

    #[test]
    fn a_call_that_was_killed_may_have_happened_and_one_that_failed_has_not() {
        let call = "7  pwrite64(12<\\x2f\\x61>, \"\\x01\", 1, 0)";
        let file = PathBuf::from("/a");
        let maybe = [Event::Write { file, offset: 0, bytes: vec![1], done: false }];
        assert_eq!(events(&format!("{call} = -1 (errno 18446744073709551615)")), maybe);
        assert_eq!(events(&format!("{call} = ?")), maybe);
        assert_eq!(events(&format!("{call} = -1 ENOSPC (No space left on device)")), []);
    }

    #[test]
    fn a_trace_that_hides_bytes_or_places_is_an_error() {
        assert!(read("7  pwrite64(12<\\x2f\\x61>, \"\\x01\"..., 2, 0) = 2").is_err());
        assert!(read("7  write(12<\\x2f\\x61>, \"\\x01\", 1) = 1").is_err());
    }
}
