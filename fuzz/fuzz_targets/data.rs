//! Any bytes behind `DATA`, in chunks of any size: the message ends where a plain search finds CRLF.CRLF, and what
//! comes out has no line end but CRLF.
#![no_main]

use knotpost_mail::data::{DataReader, Progress, Received};
use libfuzzer_sys::fuzz_target;

const LIMIT: usize = 4096;

fuzz_target!(|input: (Vec<u8>, u8)| {
    let (wire, step) = input;
    let mut reader = DataReader::new(LIMIT);
    let mut used = 0;
    let mut ended = false;
    for chunk in wire.chunks(usize::from(step) + 1) {
        let (taken, progress) = reader.ingest(chunk);
        used += taken;
        if progress == Progress::Ended {
            ended = true;
            break;
        }
        assert_eq!(taken, chunk.len());
    }
    let framed = [b"\r\n", &wire[..]].concat();
    let end = framed.windows(5).position(|five| five == b"\r\n.\r\n");
    assert_eq!(ended.then_some(used), end.map(|end| end + 3));
    let Some(end) = end else { return };
    match reader.finish() {
        Received::Whole(message) => {
            let text = message.iter().filter(|byte| matches!(byte, b'\r' | b'\n')).count();
            let ends = message.windows(2).filter(|two| **two == *b"\r\n").count();
            assert!(text == 2 * ends && !message.contains(&0) && message.len() <= LIMIT.min(end));
        }
        Received::TooLarge => assert!(end > LIMIT),
        Received::Malformed => {
            let alone = framed[..end + 2].iter().filter(|byte| matches!(byte, b'\r' | b'\n')).count();
            let ends = framed[..end + 2].windows(2).filter(|two| **two == *b"\r\n").count();
            assert!(alone != 2 * ends || framed[..end].contains(&0));
        }
    }
});
