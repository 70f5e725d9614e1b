//! Any text as a game record: what is read prints to a text that reads as the same record, and then prints the same.
#![no_main]

use knotpost_rules::Record;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    match text.parse::<Record>() {
        Ok(record) => {
            let printed = record.to_string();
            let again = printed.parse::<Record>().unwrap_or_else(|error| panic!("{error}:\n{printed}"));
            assert_eq!(again, record);
            assert_eq!(again.to_string(), printed);
        }
        Err(error) => assert!(!error.to_string().contains('\n')),
    }
});
