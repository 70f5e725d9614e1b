//! Escaping of values in pages, the same for all templates. It changes the five signs that end a text or an
//! attribute and no others: a link stays as it is, since filters of mail distrust links in disguise.

use std::fmt;

use minijinja::{AutoEscape, Error, Output, State, Value, escape_formatter};

/// Text as it may stand between tags and inside quoted attributes.
pub(super) struct Escaped<'t>(pub(super) &'t str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
            let (plain, special) = rest.split_at(at);
            f.write_str(plain)?;
            f.write_str(match special.as_bytes().first() {
                Some(b'&') => "&amp;",
                Some(b'<') => "&lt;",
                Some(b'>') => "&gt;",
                Some(b'"') => "&quot;",
                _ => "&#39;",
            })?;
            rest = special.get(1..).unwrap_or_default();
        }
        f.write_str(rest)
    }
}

/// Writes what a template names: escaped in pages, unless it is known to be safe.
pub(super) fn write_value(
    out: &mut Output<'_>,
    state: &mut State<'_, '_>,
    value: &Value,
) -> Result<(), Error> {
    match value.as_str() {
        Some(text) if !value.is_safe() && matches!(state.auto_escape(), AutoEscape::Html) => {
            write!(out, "{}", Escaped(text)).map_err(Error::from)
        }
        _ => escape_formatter(out, state, value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_stay_as_they_are_and_signs_that_end_something_do_not() {
        let escaped = |text: &str| Escaped(text).to_string();
        assert_eq!(escaped("https://a.b/c?d=e"), "https://a.b/c?d=e");
        assert_eq!(
            escaped("<a href=\"x\" b='y'>&amp; ü"),
            "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp; ü"
        );
        assert_eq!(escaped("\"><script>"), "&quot;&gt;&lt;script&gt;");
    }
}
