//! Validation of `log.level`: a well-formed filter that names nothing would silence the log.

use tracing_subscriber::EnvFilter;

const LEVELS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];
/// All crates of this program, one a line, as log targets name them.
const CRATES: &str = include_str!(concat!(env!("OUT_DIR"), "/crates.txt"));

/// Former common name of the server's crates in filters.
const FORMER_NAME: &str = "knotpost_server";

pub fn filter_text(level: &str) -> String {
    level.replace(FORMER_NAME, "knotpost")
}

/// Error sentence that lists the valid words.
pub(super) fn check_level(text: &str) -> Result<(), String> {
    let words = LEVELS.join(", ");
    let mut has_general = false;
    for directive in text.split(',').map(str::trim) {
        if is_level(directive) {
            has_general = true;
            continue;
        }
        let Some((target, level)) = directive.rsplit_once('=') else {
            return Err(format!("`{directive}` is none of {words}"));
        };
        if !is_level(level) && !level.eq_ignore_ascii_case("off") {
            return Err(format!("`{level}` in `{directive}` is none of {words}, off"));
        }
        let target = target.split('[').next().unwrap_or_default();
        let first = target.split("::").next().unwrap_or_default();
        if first.is_empty() || !(first == FORMER_NAME || CRATES.lines().any(|name| name == first)) {
            return Err(format!(
                "nothing in this program logs as `{first}`; a filter is written `info,sqlx=warn` or \
                 `warn,knotpost=debug`"
            ));
        }
    }
    if !has_general {
        return Err(format!("needs a word for all that it does not name, as in `info,{text}`: {words}"));
    }
    EnvFilter::try_new(text).map(drop).map_err(|error| format!("`{text}` is no log filter: {error}"))
}

fn is_level(word: &str) -> bool {
    LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_filters_that_name_something_are_taken() {
        for good in [
            "info",
            "WARN",
            "info,sqlx=warn",
            "warn,knotpost_transport=trace",
            "warn,knotpost_server=debug",
            "error,hyper=off",
        ] {
            assert_eq!(check_level(good), Ok(()), "{good}");
        }
    }

    #[test]
    fn what_would_silence_the_log_is_refused_with_the_words_that_do_not() {
        for (bad, word) in [
            ("verbose", "trace"),
            ("nonsense !!", "error, warn"),
            ("", "info"),
            ("off", "info"),
            ("info,sqlx=wran", "`wran`"),
            ("info,sqlz=warn", "`sqlz`"),
            ("sqlx=warn", "info,sqlx=warn"),
            ("=,=", "`=`"),
            ("info,=warn", "``"),
            ("info,knotpost_server[=warn", "log filter"),
        ] {
            let sentence = check_level(bad).expect_err(bad);
            assert!(sentence.contains(word), "{bad}: {sentence}");
        }
    }
}
