//! The end of a message within an SMTP session, and dot-stuffing (RFC 5321, section 4.5.2).
//!
//! Only CRLF.CRLF ends a message. A bare CR or LF never does, and makes the message malformed: message smuggling relies on
//! two servers that disagree about the end.

use memchr::memchr3;

/// State of a message while it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The end has not been read yet.
    Going,
    /// The bytes read last ended it.
    Ended,
}

/// A message read to its end.
#[derive(Debug, PartialEq, Eq)]
pub enum Received {
    /// The bytes, without dot-stuffing.
    Whole(Vec<u8>),
    /// More bytes than allowed.
    TooLarge,
    /// With a bare CR or LF, or a NUL.
    Malformed,
}

/// The end of the bytes read so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Start of the message, or CRLF.
    LineStart,
    /// A dot at the start of a line.
    Dot,
    DotCr,
    Text,
    Cr,
}

/// Reads a message in chunks of any size.
#[derive(Debug)]
pub struct DataReader {
    body: Vec<u8>,
    limit: usize,
    state: State,
    too_large: bool,
    malformed: bool,
}

impl DataReader {
    /// Accepts at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        let body = Vec::with_capacity(limit.min(8 * 1024));
        Self { body, limit, state: State::LineStart, too_large: false, malformed: false }
    }

    /// Reads up to the end of the message; returns the number of bytes used.
    pub fn ingest(&mut self, bytes: &[u8]) -> (usize, Progress) {
        let mut rest = bytes;
        while let Some((&byte, after)) = rest.split_first() {
            if self.state == State::Text {
                let run = memchr3(b'\r', b'\n', 0, rest).unwrap_or(rest.len());
                let (text, after) = rest.split_at(run);
                self.keep(text);
                if run > 0 {
                    rest = after;
                    continue;
                }
            }
            rest = after;
            if self.step(byte) == Progress::Ended {
                return (bytes.len() - rest.len(), Progress::Ended);
            }
        }
        (bytes.len(), Progress::Going)
    }

    /// Size in bytes of the message so far.
    pub fn held(&self) -> usize {
        self.body.len()
    }

    /// Drops the message and reads on to its end.
    pub fn give_up(&mut self) {
        self.too_large = true;
        self.body = Vec::new();
    }

    /// Returns the message; call it after [`Progress::Ended`].
    pub fn finish(self) -> Received {
        if self.malformed {
            Received::Malformed
        } else if self.too_large {
            Received::TooLarge
        } else {
            Received::Whole(self.body)
        }
    }

    fn step(&mut self, byte: u8) -> Progress {
        self.state = match (self.state, byte) {
            (State::DotCr, b'\n') => return Progress::Ended,
            (State::Cr, b'\n') => {
                self.keep(b"\r\n");
                State::LineStart
            }
            (State::LineStart, b'.') => State::Dot,
            (State::Dot, b'\r') => State::DotCr,
            (State::LineStart | State::Text, b'\r') => State::Cr,
            // A bare CR, then a CR that an LF may still follow.
            (State::Cr | State::DotCr, b'\r') => {
                self.malformed = true;
                State::Cr
            }
            (State::Cr | State::DotCr, _) | (_, b'\n' | 0) => {
                self.malformed = true;
                State::Text
            }
            (State::LineStart | State::Dot | State::Text, _) => {
                self.keep(&[byte]);
                State::Text
            }
        };
        Progress::Going
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.too_large |= self.body.len() + bytes.len() > self.limit;
        if self.too_large || self.malformed {
            self.body = Vec::new();
        } else {
            self.body.extend_from_slice(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, limit: usize) -> Option<(Received, usize)> {
        let mut reader = DataReader::new(limit);
        let mut used = 0;
        for piece in pieces {
            let (taken, progress) = reader.ingest(piece);
            used += taken;
            if progress == Progress::Ended {
                return Some((reader.finish(), used));
            }
            assert_eq!(taken, piece.len(), "all of it is needed");
        }
        None
    }

    /// Finds the first CRLF.CRLF, including a CRLF before the text.
    fn by_search(wire: &[u8]) -> Option<(Received, usize)> {
        let text = [b"\r\n", wire].concat();
        let end = text.windows(5).position(|five| five == b"\r\n.\r\n")?;
        let used = end + 3;
        let text = std::str::from_utf8(&text[2..end + 2]).unwrap();
        let alone = text.replace("\r\n", "");
        if alone.contains(['\r', '\n', '\0']) {
            return Some((Received::Malformed, used));
        }
        let lines = text.split("\r\n").map(|line| line.strip_prefix('.').unwrap_or(line));
        Some((Received::Whole(lines.collect::<Vec<_>>().join("\r\n").into_bytes()), used))
    }

    #[test]
    fn every_short_string_ends_where_a_plain_search_finds_the_end() {
        const LETTERS: &[u8] = b"\r\n.a";
        let mut ended = 0;
        for length in 0..=8_u32 {
            for number in 0..4_usize.pow(length) {
                let text: Vec<u8> =
                    (0..length).map(|place| LETTERS[number / 4_usize.pow(place) % 4]).collect();
                let expected = by_search(&text);
                ended += usize::from(expected.is_some());
                assert_eq!(read([&text[..]], 99), expected, "{text:?}");
                assert_eq!(read(text.chunks(1), 99), expected, "{text:?} byte by byte");
                for split in 1..text.len() {
                    let (one, two) = text.split_at(split);
                    assert_eq!(read([one, two], 99), expected, "{text:?} split at {split}");
                }
            }
        }
        assert!(ended > 1600, "{ended} of them end");
    }

    #[test]
    fn dots_are_unstuffed_and_what_follows_the_end_is_left() {
        let whole = |text: &[u8]| Received::Whole(text.to_vec());
        for piece in [1, 2, 3, 5, 1000] {
            let read = |wire: &'static [u8]| read(wire.chunks(piece), 99);
            assert_eq!(read(b".\r\nNOOP\r\n"), Some((whole(b""), 3)), "the empty message");
            assert_eq!(read(b"a\r\n.\r\nQUIT"), Some((whole(b"a\r\n"), 6)));
            assert_eq!(read(b"..\r\n.a\r\n...\r\n.\r\n"), Some((whole(b".\r\na\r\n..\r\n"), 16)));
            assert_eq!(read(b"a\0\r\n.\r\n"), Some((Received::Malformed, 7)));
            assert_eq!(read(b"a\r\n."), None);
            let smuggled = b"hi\r\n.\r\r\nMAIL FROM:<x@y.z>\r\nDATA\r\nb\r\n.\r\n";
            assert_eq!(read(smuggled), Some((Received::Malformed, smuggled.len())), "one message");
        }
    }

    #[test]
    fn the_limit_counts_the_bytes_of_the_message() {
        let read = |wire: &[u8], piece| read(wire.chunks(piece), 7);
        assert_eq!(read(b"12345\r\n.\r\n", 3), Some((Received::Whole(b"12345\r\n".to_vec()), 10)));
        assert_eq!(read(b"123456\r\n.\r\n", 3), Some((Received::TooLarge, 11)));
        assert_eq!(read(b"123456\r\n.\r\n", 100), Some((Received::TooLarge, 11)));
        assert_eq!(read(b"123456789\n\r\n.\r\n", 4), Some((Received::Malformed, 15)), "refused for good");
        let long = [&b"x\r\n".repeat(500)[..], b".\r\n"].concat();
        assert_eq!(read(&long, 4), Some((Received::TooLarge, 1503)));
    }

    proptest! {
        #[test]
        fn what_is_stuffed_comes_out_again(lines in prop::collection::vec("[.a]{0,5}", 0..6), piece in 1usize..8) {
            let ended = |lines: Vec<String>| lines.into_iter().map(|line| line + "\r\n").collect::<String>();
            let stuff = |line: &String| if line.starts_with('.') { format!(".{line}") } else { line.clone() };
            let wire = ended(lines.iter().map(stuff).collect()) + ".\r\nNEXT";
            let message = Received::Whole(ended(lines).into_bytes());
            prop_assert_eq!(read(wire.as_bytes().chunks(piece), 999), Some((message, wire.len() - 4)));
        }
    }
}
