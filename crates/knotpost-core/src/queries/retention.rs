//! Retention periods in words, from the configuration and the server's constants.

use crate::config::Config;

/// Kinds of data, with their periods.
pub fn retention_lines(config: &Config) -> Vec<(&'static str, String)> {
    let retention = &config.retention;
    let days = |days: u32| if days == 1 { "a day".to_owned() } else { format!("{days} days") };
    let raw = match config.inbound.keep_raw {
        crate::config::KeepRaw::Never => "they are processed".to_owned(),
        crate::config::KeepRaw::Failed => {
            "they are processed; those that failed for 7 days, encrypted".to_owned()
        }
        crate::config::KeepRaw::All => "7 days after they were processed, encrypted".to_owned(),
    };
    let forever = "as long as the server is there".to_owned();
    let of_account = "you change it or delete the account".to_owned();
    vec![
        ("Addresses, preferences, notes to yourself", of_account),
        ("Boards, moves, ratings, comments and chat, the userid", forever),
        ("Mails to the server, passwords masked", days(retention.inbox_days)),
        ("The messages themselves, as they came", raw),
        ("Mails from the server", days(retention.outbox_days)),
        ("Reports about mail that came back, words to everybody", days(retention.outbox_days)),
        ("Browsers that are logged in", "14 days without use, at most 60 days".to_owned()),
        ("Network addresses of log-ins", "31 days".to_owned()),
        ("Mails that asked for the confirmation of an address, changes of addresses", "30 days".to_owned()),
        ("Keys for programs", "30 days after they ended".to_owned()),
        ("Requests for new passwords and links, answers to repeated requests", "2 days".to_owned()),
        ("What administrators did", days(retention.audit_days)),
    ]
}
