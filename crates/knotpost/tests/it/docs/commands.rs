//! Commands in the documents, parsed as the program parses them.

use clap::error::ErrorKind;

use super::{inline_code, pages, root};

/// Folders of the repository whose files are named in commands.
const FOLDERS: [&str; 6] = ["deploy/", "docs/", "tests/", "examples/", "templates/", "crates/"];

/// The words of a shell's line, and `|`, `;`, `&`, `(`, `)` as words of their own. Comments are left out.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quote, mut is_word) = (String::new(), None, false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '\'' | '"') => (quote, is_word) = (Some(letter), true),
            (None | Some('"'), '\\') => word.extend(letters.next()),
            (None, '#') if !is_word => break,
            (None, letter) if letter.is_whitespace() || "|;&()<>".contains(letter) => {
                if std::mem::take(&mut is_word) {
                    words.push(std::mem::take(&mut word));
                }
                if !letter.is_whitespace() {
                    words.push(letter.to_string());
                }
            }
            _ => {
                word.push(letter);
                is_word = true;
            }
        }
    }
    if is_word {
        words.push(word);
    }
    words
}

/// The simple commands of a script, each with its words.
fn simple_commands(script: &str) -> Vec<Vec<String>> {
    let script = script.replace("\\\n", " ");
    let mut commands = Vec::new();
    for line in script.lines() {
        let mut command = Vec::new();
        for word in words(line) {
            if word.len() == 1 && "|;&()".contains(&word) {
                commands.push(std::mem::take(&mut command));
            } else {
                command.push(word);
            }
        }
        commands.push(command);
    }
    commands
}

/// The words from the program's name on; `None`: another program.
fn of_program(command: &[String]) -> Option<&[String]> {
    let mut rest = command;
    loop {
        let first = rest.first()?;
        if first == "sudo" {
            rest = rest.get(3..)?;
        } else if first.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        }) {
            rest = &rest[1..];
        } else {
            let name = first.rsplit('/').next()?;
            return (name == "knotpost").then_some(rest);
        }
    }
}

/// Parses the words of a command; redirections are not its own.
fn parse(words: &[String]) -> Result<(), clap::Error> {
    let end = words.iter().position(|word| word == "<" || word == ">" || word == "2").unwrap_or(words.len());
    let parsed = knotpost_program::cli::definition().try_get_matches_from(&words[..end]);
    match parsed {
        Ok(_) => Ok(()),
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Whether each command of this program can be parsed, and each file of the repository is there.
pub(super) fn examine_script(script: &str) -> Result<(), String> {
    for command in simple_commands(script) {
        if let Some(own) = of_program(&command) {
            parse(own).map_err(|error| format!("{}: {error}", own.join(" ")))?;
        }
        for word in &command {
            let is_ours = FOLDERS.iter().any(|folder| word.starts_with(folder));
            if is_ours && !word.contains(['*', '$']) && !root().join(word).exists() {
                return Err(format!("there is no {word}"));
            }
        }
    }
    Ok(())
}

/// Whether a command lacks nothing but what a text leaves to its reader; a word in capitals is such a thing.
fn is_only_short(error: &clap::Error, words: &[String]) -> bool {
    let is_capital =
        |word: &String| word.bytes().any(|byte| byte.is_ascii_uppercase()) && *word == word.to_uppercase();
    let is_placeholder = matches!(error.kind(), ErrorKind::ValueValidation | ErrorKind::InvalidValue);
    (is_placeholder && words.iter().any(is_capital))
        || matches!(
            error.kind(),
            ErrorKind::MissingRequiredArgument
                | ErrorKind::MissingSubcommand
                | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        )
}

#[test]
fn every_command_in_the_texts_is_one_of_the_program() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for page in &pages() {
        for (line, code) in inline_code(&page.text) {
            for command in simple_commands(&code.replace("\\|", "/")) {
                let Some(own) = of_program(&command) else { continue };
                // `[open/known]` and `WORD…` stand for what the reader writes.
                let own: Vec<String> = own
                    .iter()
                    .filter(|word| !word.starts_with(['[', '…']))
                    .map(|word| word.replace('…', ""))
                    .collect();
                count += 1;
                if let Err(error) = parse(&own)
                    && !is_only_short(&error, &own)
                {
                    wrong.push(format!(
                        "{}:{line}: `{code}`: {}",
                        page.name,
                        error.to_string().lines().next().unwrap()
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(count > 100, "{count}");
}
