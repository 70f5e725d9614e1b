//! Masking of secrets in addresses that are shown or logged.

use super::parameters::KNOWN;

pub(super) const MASK: &str = "********";
const PATHS: [&str; 4] = ["sqlite", "maildir", "sendmail", "memory"];

/// Masks all possible secrets: between the user name and the last `@`, and all values after a `?`. In doubt
/// it masks more.
pub(super) fn mask_url(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once(':') else { return MASK.to_owned() };
    if PATHS.contains(&scheme.trim()) {
        return url.to_owned();
    }
    let Some(rest) = rest.strip_prefix("//") else { return format!("{scheme}:{MASK}") };
    let (user, place) = match rest.rsplit_once('@') {
        // A password with a question mark, or a parameter with an `@`.
        Some((before, _)) if before.contains(['?', '#']) => return format!("{scheme}://{MASK}"),
        Some((user, place)) => (format!("{}@", mask_user(user)), place),
        None => (String::new(), rest),
    };
    let Some((place, query)) = place.split_once(['?', '#']) else {
        return format!("{scheme}://{user}{place}");
    };
    let query: Vec<String> = query.split('&').map(mask_parameter).collect();
    format!("{scheme}://{user}{place}?{}", query.join("&"))
}

/// The password begins after the first colon.
fn mask_user(user: &str) -> String {
    match user.split_once(':') {
        Some((name, _)) if name.contains('/') => MASK.to_owned(),
        Some((name, _)) => format!("{name}:{MASK}"),
        None if user.contains('/') => MASK.to_owned(),
        None => user.to_owned(),
    }
}

fn mask_parameter(parameter: &str) -> String {
    match parameter.split_once('=') {
        // Any other might be part of a password.
        Some((name, _)) if name == "tls" || KNOWN.contains(&name) => format!("{name}={MASK}"),
        _ => MASK.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_secret_stays_readable() {
        for (url, shown) in [
            ("postgres://knot:geheim@localhost/knotpost", "postgres://knot:********@localhost/knotpost"),
            ("postgres://u:p@h/db?password=geheim", "postgres://u:********@h/db?password=********"),
            ("postgres://knot@localhost/db?host=/run", "postgres://knot@localhost/db?host=********"),
            ("smtp://user:pa/ss@relay:587?tls=none", "smtp://user:********@relay:587?tls=********"),
            ("smtp://user:pa@ss@relay", "smtp://user:********@relay"),
            ("smtp://me@example.org:geheim@relay", "smtp://me@example.org:********@relay"),
            ("smtp://user:pa?ss@relay", "smtp://********"),
            ("smtp:user:geheim@relay", "smtp:********"),
            (
                "postgres://knot:geheim@one:5432/db?target_session_attrs=read-write",
                "postgres://knot:********@one:5432/db?target_session_attrs=********",
            ),
            ("geheim", "********"),
            ("smtps://relay.example", "smtps://relay.example"),
            ("sqlite:/var/a@b/knotpost.db", "sqlite:/var/a@b/knotpost.db"),
            ("maildir:", "maildir:"),
            ("sendmail:/usr/sbin/sendmail", "sendmail:/usr/sbin/sendmail"),
        ] {
            assert_eq!(mask_url(url), shown, "{url}");
        }
    }

    proptest! {
        /// No three consecutive characters of a password survive, wherever it stands.
        #[test]
        fn no_part_of_a_password_survives(password in "[Q-Z5-9/?#@:&=%+;. -]{4,24}") {
            for url in [
                format!("postgres://knot:{password}@localhost/base"),
                format!("postgres://knot:{password}@localhost/base?sslmode=disable"),
                format!("smtp://me@games.example:{password}@relay:25"),
                format!("postgres://localhost/base?password={password}"),
                format!("postgres://knot:{password}@localhost/base?password={password}"),
            ] {
                let shown = mask_url(&url);
                let written = url.replace(&password, "\u{0}");
                for part in password.as_bytes().windows(3).filter_map(|part| std::str::from_utf8(part).ok()) {
                    if written.contains(part) || "://********".contains(part) || part == "://" {
                        continue;
                    }
                    prop_assert!(!shown.contains(part), "{part} of {url} in {shown}");
                }
            }
        }
    }
}
