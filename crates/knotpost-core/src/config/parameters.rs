//! Parameters after the `?` of a PostgreSQL address. The client library logs unknown ones with their values,
//! such as a misspelt password.

use super::{Config, Warning};

pub(super) const KNOWN: [&str; 19] = [
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
    "target_session_attrs",
];

pub(super) fn drop_unknown(config: &mut Config) {
    let address = &mut config.database.url.0;
    if !address.starts_with("postgres") {
        return;
    }
    let Some((place, query)) = address.split_once('?') else { return };
    let given = query.split('&').filter(|parameter| !parameter.is_empty());
    let (known, unknown): (Vec<_>, Vec<_>) =
        given.partition(|parameter| is_known(parameter.split('=').next().unwrap_or_default()));
    if unknown.is_empty() {
        return;
    }
    let rest = if known.is_empty() { String::new() } else { format!("?{}", known.join("&")) };
    let used = format!("{place}{rest}");
    let count = if unknown.len() == 1 { "a parameter" } else { "parameters" };
    *address = used;
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
            ("postgres://h/db?passwrd=geheim&host=/run", "postgres://h/db?host=/run", 1),
            (
                "postgres://h:5433/db?passwrd=geheim&target_session_attrs=primary",
                "postgres://h:5433/db?target_session_attrs=primary",
                1,
            ),
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
