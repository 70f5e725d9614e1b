//! Any text as a command line: nothing panics, masking is stable, and no error repeats a long word.
#![no_main]

use knotpost_commands::{
    ExampleContext, GameWords, OptionWord, Vocabulary, clean, command_lines, mask, mask_cautiously, parse,
    parse_short,
};
use libfuzzer_sys::fuzz_target;

fn vocabulary() -> Vocabulary {
    let option = |name: &str, default: &str| OptionWord {
        name: name.to_owned(),
        takes_value: !default.is_empty(),
        help: String::new(),
        default: default.to_owned(),
    };
    let game = |name: &str, options| GameWords {
        name: name.to_owned(),
        aliases: Vec::new(),
        title: name.to_owned(),
        options,
    };
    Vocabulary::new(vec![
        game("osbox", vec![option("size", "4"), option("any_side", ""), option("score", "crossings")]),
        game("osbo", vec![option("size", "5"), option("auto_tips", "")]),
    ])
}

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let vocabulary = vocabulary();
    let line = clean(&text);
    assert_eq!(clean(&line), line);
    for mask in [mask, mask_cautiously] {
        let once = mask(&text, &vocabulary);
        assert_eq!(mask(&once, &vocabulary), once);
    }
    match parse(&text, &vocabulary) {
        Ok(command) => {
            let shown = format!("{command:?}");
            let password = command.credentials().and_then(|who| who.password.as_ref());
            // A shorter password may coincide with what the text is made of.
            if let Some(password) = password.filter(|password| password.expose().len() >= 40) {
                assert!(!shown.contains(password.expose()));
            }
        }
        Err(error) => {
            let _ = (error.to_string(), error.syntax(), error.example(&ExampleContext::default()));
        }
    }
    let _ = parse_short(&text, &vocabulary);
    let _ = command_lines(&text);
});
