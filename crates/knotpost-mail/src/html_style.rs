//! Attributes of HTML elements, and the visibility that their styles give the text.

/// Attributes in order; a bare one has an empty value.
pub(super) fn attributes(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/' || c == '"' || c == '\'');
        let ends = |c: char| c.is_whitespace() || matches!(c, '=' | '/');
        let end = rest.char_indices().skip(1).find(|(_, c)| ends(*c)).map_or(rest.len(), |(at, _)| at);
        let (name, after) = rest.split_at(end);
        if name.is_empty() {
            return None;
        }
        let Some(value) = after.trim_start().strip_prefix('=') else {
            rest = after;
            return Some((name, ""));
        };
        let value = value.trim_start();
        let (value, after) = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                let inner = value.get(1..).unwrap_or_default();
                inner.split_once(quote).unwrap_or((inner, ""))
            }
            _ => value.split_at(value.find(char::is_whitespace).unwrap_or(value.len())),
        };
        rest = after;
        Some((name, value))
    })
}

/// Looks up a lower-case name.
pub(super) fn attribute<'a>(text: &'a str, wanted: &str) -> Option<&'a str> {
    attributes(text).find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value)
}

/// Visibility of the text in an element to a person.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "properties of CSS, each by itself")]
pub(super) struct Look {
    /// Removed from the page, with all elements within.
    pub(super) is_gone: bool,
    /// Struck out, or of no extent.
    is_void: bool,
    /// Not visible; an element within may be.
    is_invisible: bool,
    /// In unreadably small letters; an element within may have larger ones.
    is_tiny: bool,
    /// On a background declared white.
    is_on_white: bool,
    is_white: bool,
}

impl Look {
    pub(super) fn is_unread(self) -> bool {
        self.is_gone
            || self.is_void
            || self.is_invisible
            || self.is_tiny
            || (self.is_on_white && self.is_white)
    }

    pub(super) fn within(self, name: &str, attributes_of: &str) -> Self {
        let mut look = self;
        look.is_void |= matches!(name, "s" | "del" | "strike");
        let (mut color, mut background) = (None, None);
        let mut style = Extent::default();
        for (name, value) in attributes(attributes_of) {
            if name.eq_ignore_ascii_case("hidden") {
                look.is_gone = true;
            } else if name.eq_ignore_ascii_case("bgcolor") {
                look.is_on_white = is_white(&value.to_ascii_lowercase());
            } else if name.eq_ignore_ascii_case("color") {
                look.is_white = is_white(&value.to_ascii_lowercase());
            } else if name.eq_ignore_ascii_case("style") {
                for (property, value) in declarations(value) {
                    match (property.as_str(), value.as_str()) {
                        ("display", "none") | ("mso-hide", "all") => look.is_gone = true,
                        ("visibility", "inherit") => {}
                        ("visibility", value) => look.is_invisible = matches!(value, "hidden" | "collapse"),
                        ("font-size", value) => look.is_tiny = is_tiny(value, look.is_tiny),
                        ("text-decoration" | "text-decoration-line", value) => {
                            look.is_void |= value.contains("line-through");
                        }
                        ("opacity" | "max-height", value) => look.is_void |= is_zero(value),
                        ("height" | "width" | "max-width", value) => style.is_nothing |= is_zero(value),
                        ("overflow", value) => style.is_cut |= matches!(value, "hidden" | "clip"),
                        ("text-indent" | "left" | "top", value) => look.is_void |= is_far_off(value),
                        ("color", value) => {
                            look.is_white = is_white(value);
                            color = Some(value.to_owned());
                        }
                        ("background" | "background-color", value) => {
                            look.is_on_white = is_white(value);
                            background = Some(value.to_owned());
                        }
                        _ => {}
                    }
                }
            }
        }
        look.is_void |= style.is_nothing && style.is_cut;
        look.is_void |= color.is_some() && (color == background || color.as_deref() == Some("transparent"));
        look
    }
}

#[derive(Default)]
struct Extent {
    is_nothing: bool,
    is_cut: bool,
}

/// Declarations of a style, in lower case.
pub(super) fn declarations(style: &str) -> impl Iterator<Item = (String, String)> + '_ {
    style.split(';').filter_map(|declaration| {
        let (property, value) = declaration.split_once(':')?;
        let value = value.trim().to_ascii_lowercase();
        let value = value.strip_suffix("!important").unwrap_or(&value).trim_end().to_owned();
        Some((property.trim().to_ascii_lowercase(), value))
    })
}

fn length(value: &str) -> Option<(f64, &str)> {
    let end = value.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(value.len());
    let (number, unit) = value.split_at(end);
    Some((number.parse().ok()?, unit.trim()))
}

fn is_zero(value: &str) -> bool {
    length(value).is_some_and(|(number, _)| number == 0.0)
}

/// True for a position beyond the left or upper edge.
fn is_far_off(value: &str) -> bool {
    value.strip_prefix('-').and_then(length).is_some_and(|(number, _)| number >= 999.0)
}

fn is_white(value: &str) -> bool {
    matches!(value, "white" | "#fff" | "#ffffff" | "rgb(255,255,255)" | "rgb(255, 255, 255)")
}

/// True for letters too small to be read. A relative size inherits `around`.
fn is_tiny(value: &str, around: bool) -> bool {
    match length(value) {
        Some((number, "px" | "pt")) => number < 3.0,
        Some((number, "em" | "%" | "ex")) => number == 0.0 || around,
        Some((number, _)) => number == 0.0,
        None => around && matches!(value, "inherit" | "smaller" | "larger"),
    }
}

/// True for a `blockquote` that only indents, as the button "indent" of mail programs makes.
pub(super) fn is_indent(attributes_of: &str) -> bool {
    let (mut moves, mut is_quote) = (false, false);
    for (name, value) in attributes(attributes_of) {
        match name.to_ascii_lowercase().as_str() {
            "type" | "cite" => is_quote = true,
            "class" | "id" => {
                let value = value.to_ascii_lowercase();
                is_quote |= value.contains("quote") || value.contains("cite");
            }
            "style" => {
                for (property, value) in declarations(value) {
                    match property.as_str() {
                        "border" | "border-left" | "border-width" | "border-left-width" | "border-style" => {
                            let is_none = value.starts_with("none") || is_zero(&value);
                            moves |= is_none;
                            is_quote |= !is_none;
                        }
                        "margin" | "margin-left" => moves = true,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    moves && !is_quote
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_read_however_they_are_written() {
        let read: Vec<_> = attributes(" a=1 B = \"x y\" hidden c='\"' d/ ").collect();
        assert_eq!(read, [("a", "1"), ("B", "x y"), ("hidden", ""), ("c", "\""), ("d", "")]);
        assert_eq!(attribute(" STYLE='display:none'", "style"), Some("display:none"));
        assert_eq!(attribute(" hidden", "hidden"), Some(""));
    }

    #[test]
    fn an_indent_is_no_quote() {
        for attributes in [
            " style=\"margin:0 0 0 40px;border:none;padding:0px\"",
            " style=\"margin-top:0;margin-left:30px\"",
            " style='border: 0'",
        ] {
            assert!(is_indent(attributes), "{attributes}");
        }
        for attributes in [
            "",
            " type=\"cite\" style=\"margin:0\"",
            " class=\"gmail_quote\" style=\"margin:0 0 0 .8ex;border-left:1px solid\"",
            " style=\"margin-left:5px;border-left:2px solid #1010FF\"",
            " cite=\"mid:1@x\" style=\"border:none\"",
        ] {
            assert!(!is_indent(attributes), "{attributes}");
        }
    }
}
