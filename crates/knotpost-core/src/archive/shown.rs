//! Formatting of stored values in the archive.

use knotpost_commands::Vocabulary;
use serde_json::{Value, json};

use crate::mailing::inspector::mail_text::{Author, mask_tokens, masked_lines};
use crate::mailing::references::Reference;
use knotpost_model::Millis;
use knotpost_storage::{Cell, Format};

pub(super) fn show(vocabulary: &Vocabulary, cell: &Cell, format: Format) -> Value {
    match (cell, format) {
        (Cell::Int(at), Format::Time) => Millis(*at).to_rfc3339().into(),
        (Cell::Int(value), _) => (*value).into(),
        (Cell::Flag(value), _) => (*value).into(),
        (Cell::Real(value), _) => (*value).into(),
        (Cell::Text(text), Format::Host) => host(text).into(),
        (Cell::Text(text), Format::Masked) => {
            text.lines().map(mask_tokens).collect::<Vec<_>>().join("\n").into()
        }
        (Cell::Text(facts), Format::Letter) => match serde_json::from_str(facts) {
            Ok(Reference::Letter(stored)) => {
                let text = masked_lines(vocabulary, &stored.letter.text, Author::Server);
                json!({ "subject": stored.letter.subject, "text": text })
            }
            _ => Value::Null,
        },
        (Cell::Text(text), _) => text.as_str().into(),
        // No shown column holds bytes.
        (Cell::Null | Cell::Bytes(_), _) => Value::Null,
    }
}

fn host(address: &str) -> Option<String> {
    let url = url::Url::parse(address).ok()?;
    let host = url.host_str()?;
    Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn of_an_address_the_host_is_shown_alone() {
        assert_eq!(
            host("https://hooks.example.org/services/secret?x=1").as_deref(),
            Some("hooks.example.org")
        );
        assert_eq!(host("http://user:word@127.0.0.1:8081/x").as_deref(), Some("127.0.0.1:8081"));
        assert_eq!(host("no address"), None);
    }
}
