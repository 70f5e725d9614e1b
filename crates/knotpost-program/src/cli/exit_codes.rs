//! The exit codes of the program. Those above 63 are of sysexits.h.

/// For commands that read their words themselves.
pub(super) const EX_USAGE: u8 = 64;
pub(super) const EX_DATAERR: u8 = 65;
pub(super) const EX_NOINPUT: u8 = 66;
pub(super) const EX_IOERR: u8 = 74;
pub(super) const EX_TEMPFAIL: u8 = 75;
pub(super) const EX_CONFIG: u8 = 78;
/// As a shell reports a program ended by SIGPIPE.
pub(super) const EX_CLOSED: u8 = 141;

pub(crate) const CODES: &[(u8, &str)] = &[
    (0, "What was asked for is done."),
    (1, "It failed, or a check found something."),
    (2, "The command line cannot be understood."),
    (EX_USAGE, "`play`, `think` or `match` lacks an argument, or two arguments exclude each other."),
    (
        EX_DATAERR,
        "The input was refused. With `play`, `think` and `match`: there is no such game, option or layout, a value is \
         impossible, or a move is illegal.",
    ),
    (EX_NOINPUT, "A file for `play`, `think`, `match` or `trf` cannot be read."),
    (EX_IOERR, "The output could not be written."),
    (EX_TEMPFAIL, "Temporary failure: try again later."),
    (
        EX_CONFIG,
        "The configuration cannot be used, there is no server where it points, or the schema of its database is another.",
    ),
    (EX_CLOSED, "The command failed, and the reader of its output had closed it."),
];

pub(crate) const COMMANDS: &[(&str, u8, &str)] = &[
    ("serve", 0, "A signal ended the server in order."),
    (
        "serve",
        1,
        "It could not start, its database file is damaged, or a loop failed again and again. The unit starts it again.",
    ),
    (
        "serve",
        EX_CONFIG,
        "The configuration cannot be used, or the schema of the database is another. The unit does not start it again.",
    ),
    ("health", 1, "The server is not ready, or there is none that answers; the reason is on standard error."),
    ("deliver", 0, "The message is on disk."),
    ("deliver", EX_DATAERR, "The message can never be taken; the reason is on standard error."),
    (
        "deliver",
        EX_TEMPFAIL,
        "It cannot be taken now, or the command line or the configuration cannot be used: the mail server keeps the mail.",
    ),
    ("command", EX_DATAERR, "The command was refused; the answer says why."),
    ("command", EX_TEMPFAIL, "The command came too often or cannot be carried out now."),
    ("config check", EX_CONFIG, "`serve` would refuse to start."),
    ("config templates", 1, "A template of yours is not used."),
    ("doctor", 1, "Something does not work; warnings alone are 0."),
    (
        "restore",
        1,
        "The place is not empty, the database is PostgreSQL, or with `--verify` a board differs from what the rules say or \
         the key is not the one of the backup; `--no-key` accepts that there is none.",
    ),
    ("restore", EX_DATAERR, "The file was refused."),
    ("export", EX_DATAERR, "The board cannot be exported."),
    ("import", EX_DATAERR, "The file was refused."),
    ("trf pair", 1, "No pairing is possible."),
    ("trf check", 1, "A round differs."),
    ("trf", EX_DATAERR, "The file is not a report file; the number of the line is on standard error."),
    ("admin replay", 1, "A board differs from what the rules say."),
    ("admin ratings recompute --check", 1, "A rating differs."),
    ("admin key drop", 1, "Nothing was changed: `--yes` is needed."),
    ("admin key drop", EX_DATAERR, "There is no such key, or it must stay."),
    ("admin", EX_DATAERR, "What was asked for was refused, such as a mail that cannot be tried again."),
];

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn codes_are_sorted_and_commands_exist() {
        assert!(CODES.is_sorted_by_key(|(code, _)| *code));
        for (words, code, meaning) in COMMANDS {
            assert!(CODES.iter().any(|(known, _)| known == code), "{code}");
            assert!(meaning.ends_with('.'), "{meaning}");
            let mut command = crate::cli::Cli::command();
            for word in words.split_whitespace().filter(|word| !word.starts_with("--")) {
                let below = command.find_subcommand(word).unwrap_or_else(|| panic!("{words}")).clone();
                command = below;
            }
        }
    }
}
