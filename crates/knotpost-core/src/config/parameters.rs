//! The parameters behind the `?` of a PostgreSQL address. The library that connects writes those which it does not know
//! into the log, with their values: a misspelt password would be there.

use super::{Config, Warning};

/// What the library knows.
const KNOWN: [&str; 18] = [
    "sslmode",
    "ssl-mode",
    "sslrootcert",
    "ssl-root-cert",
    "ssl-ca",
    "sslcert",
    "ssl-cert",
    "sslkey",
    "ssl-key",
    "statement-cache-capacity",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "application_name",
    "options",
];

/// Takes unknown parameters out of the address, and says that some were there.
pub(super) fn drop_unknown(config: &mut Config) {
    let address = &mut config.database.url.0;
    if !address.starts_with("postgres") {
        return;
    }
    let Ok(mut url) = url::Url::parse(address) else { return };
    let given = url.query_pairs().into_owned();
    let (known, unknown): (Vec<_>, Vec<_>) = given.partition(|(name, _)| is_known(name));
    if unknown.is_empty() {
        return;
    }
    url.set_query(None);
    if !known.is_empty() {
        url.query_pairs_mut().extend_pairs(known);
    }
    *address = url.into();
    let count = if unknown.len() == 1 { "a parameter" } else { "parameters" };
    config.warnings.push(Warning::new(
        "database.url",
        format!("database.url has {count} that nothing here knows; left out"),
        format!("known are {}", KNOWN.join(", ")),
    ));
}

fn is_known(name: &str) -> bool {
    KNOWN.contains(&name) || name.starts_with("options[")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_that_is_not_known_is_neither_used_nor_repeated() {
        for (given, used, told) in [
            ("postgres://u:p%40w@h:5432/db", "postgres://u:p%40w@h:5432/db", 0),
            ("postgres:///db?host=/run/pg&user=a+b", "postgres:///db?host=/run/pg&user=a+b", 0),
            ("postgres://u:p%40w@h/db?passwrd=geheim", "postgres://u:p%40w@h/db", 1),
            ("postgres://h/db?passwrd=geheim&host=%2Frun", "postgres://h/db?host=%2Frun", 1),
            ("sqlite:db?passwrd=geheim", "sqlite:db?passwrd=geheim", 0),
        ] {
            let mut config = Config::default();
            given.clone_into(&mut config.database.url.0);
            drop_unknown(&mut config);
            assert_eq!((&*config.database.url, config.warnings.len()), (used, told), "{given}");
            let said = config.warnings.iter().map(ToString::to_string).collect::<String>();
            assert!(!said.contains("geheim") && !said.contains("passwrd"), "{said}");
        }
    }
}
