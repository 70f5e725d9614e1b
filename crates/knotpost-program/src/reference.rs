//! The pages of `docs/reference`, made from the tables of the code. A test compares them with the files.

use std::fmt::Write as _;

use knotpost_bots::{FindBot, Player};
use knotpost_core::config::{SettingText, describe};
use knotpost_rules::Registry;

use crate::cli::exit_codes::{CODES, COMMANDS};
use crate::telemetry::metrics_table;

const MADE: &str =
    "<!-- Made from the code; `REWRITE_DOCS=1 cargo test -p knotpost docs::` writes it anew. -->\n";

/// Section of the settings, its title, and the page that explains it.
const EXPLAINED: &[(&str, &str, &str)] = &[
    ("server", "Settings", "../operations/settings.md"),
    ("http", "Reverse proxies", "../operations/reverse-proxies.md"),
    ("smtp", "Mail in", "../operations/mail-in.md"),
    ("lmtp", "Mail in", "../operations/mail-in.md#postfix-by-lmtp"),
    ("maildir", "Mail in", "../operations/mail-in.md#a-folder"),
    ("inbound", "Mail in", "../operations/mail-in.md"),
    ("mail", "Mail out", "../operations/mail-out.md"),
    ("dkim", "Mail out", "../operations/mail-out.md#signatures"),
    ("database", "PostgreSQL", "../operations/postgresql.md"),
    ("accounts", "Strangers", "../operations/strangers.md"),
    ("limits", "Strangers and rates", "../operations/strangers.md#rates"),
    ("time", "Time", "../operations/time.md"),
    ("bots", "Computer players", "../operations/computer-players.md"),
    ("webhooks", "Webhooks", "../operations/webhooks.md"),
    ("push", "Browser notifications", "../operations/webhooks.md"),
    ("secrets", "The secret key", "../operations/secret-key.md"),
    ("log", "Monitoring", "../operations/monitoring.md#logs"),
];

/// The levels of games with settings of their own, and those of all others.
pub fn levels(registry: &Registry, find_bot: FindBot, usual: [Player; 8]) -> String {
    let mut games: Vec<_> = registry
        .iter()
        .filter_map(|game| Some((game.meta().title, find_bot(game.meta().name)?.levels())))
        .filter(|(_, levels)| *levels != usual)
        .collect();
    games.push(("all others", usual));
    let titles: String = games.iter().flat_map(|(title, _)| [" ", title, " |"]).collect();
    let mut table = format!("| level |{titles}\n|---|{}\n", "---|".repeat(games.len()));
    for level in 0..8 {
        let cells = games.iter().filter_map(|(_, levels)| levels.get(level).copied().map(tell_strength));
        let _ = writeln!(
            table,
            "| {} |{}",
            level + 1,
            cells.flat_map(|cell| [" ".to_owned(), cell, " |".to_owned()]).collect::<String>()
        );
    }
    table
}

fn tell_strength(player: Player) -> String {
    match player {
        Player::Nodes(nodes) => format!("{} nodes", separate(nodes)),
        Player::Erring { nodes, errors } => format!("{} nodes, {errors} by chance", separate(nodes)),
        other => other.to_string(),
    }
}

fn separate(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

pub fn settings() -> String {
    let mut page = format!(
        "# Settings\n\n{MADE}\n\
         All keys of `knotpost.toml`; the manual page knotpost.toml(5) has the same. How the file and the environment\n\
         are read, and how to check them: [Settings](../operations/settings.md).\n"
    );
    for section in describe() {
        let _ = write!(page, "\n## [{}]\n\n{}", section.name, section.about);
        if let Some((_, title, link)) = EXPLAINED.iter().find(|(name, ..)| *name == section.name) {
            let _ = write!(page, " More: [{title}]({link}).");
        }
        page += "\n\n| key | default | meaning |\n|---|---|---|\n";
        for SettingText { key, default, meaning } in section.settings {
            let _ = writeln!(page, "| `{}.{key}` | {default} | {meaning} |", section.name);
        }
    }
    page
}

pub fn metrics() -> String {
    let mut page = format!(
        "# Metrics\n\n{MADE}\n\
         What `GET /metrics` answers, in the text format of Prometheus. Who may ask, and which rules for alerts there\n\
         are: [Monitoring](../operations/monitoring.md).\n\
         \n\
         - Counters begin at zero with all values of their labels, but for `knotpost_http_requests_total` (by route),\n  \
           which appears with its first event, as histograms do.\n\
         - Labels hold routes by their pattern (`/boards/{{game}}/{{number}}`), verbs of the table, and words of this\n  \
           program: nothing that a stranger sends becomes one.\n\
         - Each server counts for itself. What is in the database (boards, users, queues) all of them show alike: take\n  \
           the `max` of it, and the `sum` of the counters.\n\
         \n\
         | metric | kind | meaning |\n|---|---|---|\n"
    );
    for (name, kind, help) in metrics_table() {
        let _ = writeln!(page, "| `{name}` | {kind} | {help} |");
    }
    page
}

pub fn exit_codes() -> String {
    let mut page = format!(
        "# Exit codes\n\n{MADE}\n\
         What the program ends with; 64 to 78 are those of sysexits.h, which mail servers know.\n\n\
         | code | meaning |\n|---|---|\n"
    );
    for (code, meaning) in CODES {
        let _ = writeln!(page, "| {code} | {meaning} |");
    }
    page += "\nCommands with which a code means something more precise:\n\n| command | code | meaning |\n|---|---|---|\n";
    for (command, code, meaning) in COMMANDS {
        let _ = writeln!(page, "| `knotpost {command}` | {code} | {meaning} |");
    }
    page
}
