//! The end of a message and what is in it: dot-stuffing, sizes, line ends.
//!
//! Only CRLF.CRLF ends a message, and a message with a bare CR or LF is refused: what one server takes for the end
//! and another does not is how messages are smuggled.

use smtp_proto::request::receiver::{DataReceiver, DummyDataReceiver};

/// A message that has come to its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Message {
    /// The bytes, without the dots that were stuffed in.
    Whole(Vec<u8>),
    /// More bytes than allowed.
    TooLarge,
    /// With a CR or LF that stands alone, or a NUL.
    BareLineEnd,
}

/// Takes a message in chunks.
pub(super) struct DataReader {
    body: Vec<u8>,
    limit: usize,
    state: State,
}

enum State {
    Keeping(DataReceiver),
    Discarding(DummyDataReceiver),
}

/// smtp-proto sees a dot only behind a line end, and the first line of a message has none before it.
const LINE_END: &[u8] = b"\r\n";

impl DataReader {
    pub(super) fn new(limit: usize) -> Self {
        let mut receiver = DataReceiver::new();
        let mut body = Vec::with_capacity(8 * 1024);
        receiver.ingest(&mut LINE_END.iter(), &mut body);
        Self { body, limit: limit + LINE_END.len(), state: State::Keeping(receiver) }
    }

    /// Takes what it needs of the bytes; returns how many that were, and whether the message has ended.
    pub(super) fn ingest(&mut self, bytes: &[u8]) -> (usize, Progress) {
        let mut rest = bytes.iter();
        let ended = match &mut self.state {
            State::Keeping(receiver) => receiver.ingest(&mut rest, &mut self.body),
            State::Discarding(receiver) => receiver.ingest(&mut rest),
        };
        // The CR of the line that ends the message stands in the body until its LF has come.
        if !ended
            && self.body.len() > self.limit + 1
            && let State::Keeping(receiver) = &self.state
        {
            self.state = State::Discarding(DummyDataReceiver::new_data(receiver));
            self.body = Vec::new();
        }
        let taken = bytes.len() - rest.len();
        (taken, if ended { Progress::Ended } else { Progress::Going })
    }

    /// The message, once it has ended.
    pub(super) fn finish(mut self) -> Message {
        if matches!(self.state, State::Discarding(_)) || self.body.len() > self.limit {
            return Message::TooLarge;
        }
        self.body.drain(..LINE_END.len().min(self.body.len()));
        if has_bare_line_end(&self.body) { Message::BareLineEnd } else { Message::Whole(self.body) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    Going,
    Ended,
}

fn has_bare_line_end(body: &[u8]) -> bool {
    let mut previous = 0;
    for &byte in body {
        if (previous == b'\r') != (byte == b'\n') || byte == 0 {
            return true;
        }
        previous = byte;
    }
    previous == b'\r'
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Feeds the bytes in pieces of this length; the message and how many bytes it took, if it ended.
    fn read(bytes: &[u8], piece: usize, limit: usize) -> Option<(Message, usize)> {
        let mut reader = DataReader::new(limit);
        let mut used = 0;
        for chunk in bytes.chunks(piece) {
            let mut chunk = chunk;
            while !chunk.is_empty() {
                let (taken, progress) = reader.ingest(chunk);
                used += taken;
                if progress == Progress::Ended {
                    return Some((reader.finish(), used));
                }
                chunk = &chunk[taken..];
            }
        }
        None
    }

    #[test]
    fn messages_end_at_crlf_dot_crlf_alone() {
        for piece in [1, 2, 3, 5, 1000] {
            assert_eq!(
                read(b".\r\nNOOP\r\n", piece, 99),
                Some((Message::Whole(vec![]), 3)),
                "the empty message"
            );
            assert_eq!(read(b"a\r\n.\r\nQUIT", piece, 99), Some((Message::Whole(b"a\r\n".to_vec()), 6)));
            assert_eq!(
                read(b"..\r\n.a\r\n...\r\n.\r\n", piece, 99),
                Some((Message::Whole(b".\r\na\r\n..\r\n".to_vec()), 16))
            );
            for probe in [
                &b"a\n.\nb\r\n.\r\n"[..],
                b"a\n.\r\nb\r\n.\r\n",
                b"a\r.\rb\r\n.\r\n",
                b"a\r\n.\nb\r\n.\r\n",
                b"a\r\n.\rb\r\n.\r\n",
                b"\n.\r\n\r\n.\r\n",
                b".\nb\r\n.\r\n",
                b"a\0\r\n.\r\n",
                b"a\r\r\n.\r\n",
            ] {
                assert_eq!(
                    read(probe, piece, 99),
                    Some((Message::BareLineEnd, probe.len())),
                    "{probe:?} by {piece}"
                );
            }
            assert_eq!(read(b"a\r\n.", piece, 99), None);
        }
    }

    #[test]
    fn the_limit_counts_the_bytes_of_the_message() {
        assert_eq!(read(b"12345\r\n.\r\n", 3, 7), Some((Message::Whole(b"12345\r\n".to_vec()), 10)));
        assert_eq!(read(b"123456\r\n.\r\n", 3, 7), Some((Message::TooLarge, 11)));
        assert_eq!(read(b"123456\r\n.\r\n", 100, 7), Some((Message::TooLarge, 11)));
        assert_eq!(
            read(&[&b"x\r\n".repeat(500)[..], b".\r\n"].concat(), 4, 7),
            Some((Message::TooLarge, 1503))
        );
    }

    proptest! {
        #[test]
        fn what_is_stuffed_comes_out_again(lines in prop::collection::vec("[.a]{0,5}", 0..6), piece in 1usize..8) {
            let message = lines.join("\r\n") + if lines.is_empty() { "" } else { "\r\n" };
            let dotted: Vec<String> = lines.iter().map(|line| if line.starts_with('.') { format!(".{line}") } else { line.clone() }).collect();
            let stuffed = dotted.join("\r\n") + if dotted.is_empty() { "" } else { "\r\n" };
            let wire = format!("{stuffed}.\r\nNEXT");
            prop_assert_eq!(read(wire.as_bytes(), piece, 999), Some((Message::Whole(message.into_bytes()), wire.len() - 4)));
        }
    }
}
