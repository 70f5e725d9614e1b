//! Converts HTML to the plain text a person would have typed.
//!
//! For mails without a plain part: keeps line breaks, drops hidden and struck-out text, and marks quotes with `>`, so
//! that the next stage knows one kind of quote only. Tables, lists and links are not rendered.

use mail_parser::decoders::html::add_html_token;

use super::decode::is_invisible;
use super::html_style::{Look, attribute, declarations, is_indent};

/// Never fails.
pub(super) fn to_text(html: &str) -> String {
    Page::default().read(html)
}

/// Converts without quote marks for a `blockquote` that is only an indent; `None` if there is none.
pub(super) fn unindented(html: &str) -> Option<String> {
    let mut page = Page { indents: Some(0), ..Page::default() };
    let text = page.read(html);
    (page.indents? > 0).then_some(text)
}

impl Page {
    fn read(&mut self, html: &str) -> String {
        let page = self;
        let mut rest = html;
        while let Some(at) = rest.find('<') {
            let (text, from_tag) = rest.split_at(at);
            page.text(text);
            rest = if let Some((tag, after)) = read_tag(from_tag) {
                page.tag(&tag);
                skip_hidden(&tag, after)
            } else {
                page.text("<");
                from_tag.get(1..).unwrap_or_default()
            };
        }
        page.text(rest);
        page.end_block();
        std::mem::take(&mut page.out)
    }
}

struct Tag<'a> {
    name: String,
    closes: bool,
    attributes: &'a str,
}

impl Tag<'_> {
    /// True for a void element, or a tag that closes itself.
    fn is_empty(&self) -> bool {
        const EMPTY: &[&str] = &[
            "", "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param",
            "source", "track", "wbr",
        ];
        EMPTY.contains(&self.name.as_str()) || self.attributes.ends_with('/')
    }
}

/// True for a block: it begins a line, and the end tag of an inline element around it does not close it.
fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "center"
            | "dd"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "html"
            | "li"
            | "listing"
            | "main"
            | "nav"
            | "ol"
            | "p"
            | "pre"
            | "section"
            | "table"
            | "tbody"
            | "td"
            | "th"
            | "thead"
            | "tr"
            | "ul"
    )
}

/// Elements that a start tag closes implicitly.
fn ended_by(name: &str) -> &'static [&'static str] {
    match name {
        "li" => &["li"],
        "td" | "th" => &["td", "th"],
        "tr" => &["td", "th", "tr"],
        "dd" | "dt" => &["dd", "dt"],
        name if is_block(name) => &["p"],
        _ => &[],
    }
}

/// Reads a tag or comment; `None` if the `<` is just a character.
fn read_tag(text: &str) -> Option<(Tag<'_>, &str)> {
    let inner = text.get(1..)?;
    if let Some(comment) = inner.strip_prefix("!--") {
        let after = comment.find("-->").and_then(|end| comment.get(end + 3..)).unwrap_or_default();
        return Some((Tag { name: String::new(), closes: false, attributes: "" }, after));
    }
    let (closes, name_on) = inner.strip_prefix('/').map_or((false, inner), |rest| (true, rest));
    if !name_on.starts_with(|c: char| c.is_ascii_alphabetic() || c == '!' || c == '?') {
        return None;
    }
    let (inside, after) = split_at_tag_end(name_on);
    let end = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != ':').unwrap_or(inside.len());
    let (name, attributes) = inside.split_at(end);
    Some((Tag { name: name.to_ascii_lowercase(), closes, attributes }, after))
}

/// Splits at the `>` that ends a tag, ignoring those within quotation marks.
fn split_at_tag_end(text: &str) -> (&str, &str) {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => {
                return (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default());
            }
            (None, b'"' | b'\'') if text.get(..at).is_some_and(|before| before.trim_end().ends_with('=')) => {
                quote = Some(byte);
            }
            (Some(open), close) if open == close => quote = None,
            _ => {}
        }
    }
    (text, "")
}

fn skip_hidden<'a>(tag: &Tag<'_>, after: &'a str) -> &'a str {
    if tag.closes
        || !matches!(
            tag.name.as_str(),
            "script" | "style" | "title" | "template" | "xml" | "iframe" | "datalist"
        )
    {
        return after;
    }
    let close = format!("</{}", tag.name);
    let bytes = after.as_bytes();
    let at = bytes.windows(close.len()).position(|window| window.eq_ignore_ascii_case(close.as_bytes()));
    at.and_then(|at| after.get(at..)).unwrap_or_default()
}

#[derive(Default)]
struct Page {
    out: String,
    line: String,
    space_due: bool,
    quotes: usize,
    preformatted: usize,
    /// The paragraph has no margin: Outlook writes one for every line.
    tight: bool,
    open: Vec<Open>,
    /// Number of unmarked indents; `None` if indents are marked.
    indents: Option<usize>,
}

struct Open {
    name: String,
    marks: Marks,
    look: Look,
}

/// Elements searched for the one that a tag ends.
const NEAR: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Marks {
    Quote,
    Preformatted,
    Nothing,
}

/// Most quote marks; deeper quotes get this number.
const MAX_QUOTES: usize = 8;

impl Page {
    fn text(&mut self, text: &str) {
        if self.look().is_unread() {
            return;
        }
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            if let Some((entity, after)) = split_entity(rest) {
                let mut decoded = String::new();
                add_html_token(&mut decoded, entity.as_bytes(), false);
                decoded.chars().for_each(|c| self.shown(c));
                rest = after;
                continue;
            }
            self.source_char(c);
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
    }

    /// Collapses blanks and line ends of the source.
    fn source_char(&mut self, c: char) {
        match c {
            '\n' if self.preformatted > 0 => self.end_line(),
            ' ' | '\t' if self.preformatted > 0 => self.line.push(c),
            '\r' => {}
            ' ' | '\t' | '\n' => self.space_due = true,
            c => self.shown(c),
        }
    }

    fn shown(&mut self, c: char) {
        if std::mem::take(&mut self.space_due) && !self.line.is_empty() && !self.line.ends_with(' ') {
            self.line.push(' ');
        }
        match c {
            '\u{a0}' => self.line.push(' '),
            c if c.is_control() || is_invisible(c) => {}
            c => self.line.push(c),
        }
    }

    fn look(&self) -> Look {
        self.open.last().map_or_else(Look::default, |open| open.look)
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        let name = tag.name.as_str();
        if tag.closes {
            let was_gone = self.look().is_gone;
            self.close(name);
            if !was_gone {
                self.lay_out(tag);
            }
            return;
        }
        for ended in ended_by(name) {
            self.close(ended);
        }
        let look = self.look().within(name, tag.attributes);
        if !look.is_gone {
            self.lay_out(tag);
        }
        if !tag.is_empty() {
            let marks = if look.is_gone { Marks::Nothing } else { self.begin(tag) };
            self.open.push(Open { name: tag.name.clone(), marks, look });
        }
    }

    fn lay_out(&mut self, tag: &Tag<'_>) {
        match tag.name.as_str() {
            "br" => self.end_line(),
            "hr" => {
                self.end_block();
                self.line.push_str(&"_".repeat(32));
                self.end_block();
            }
            "td" | "th" => self.space_due = true,
            "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.end_block();
                if !tag.closes {
                    self.tight = tag.attributes.contains("MsoNormal");
                } else if !self.tight {
                    self.blank_line();
                }
            }
            name if is_block(name) => self.end_block(),
            _ => {}
        }
    }

    /// Yahoo quotes in a `div` with a class of its own, all others in `blockquote`; K-9 keeps line ends in a `div`.
    fn begin(&mut self, tag: &Tag<'_>) -> Marks {
        let keeps_lines = || {
            let style = attribute(tag.attributes, "style").unwrap_or_default();
            declarations(style).any(|(property, value)| property == "white-space" && value.starts_with("pre"))
        };
        match tag.name.as_str() {
            "blockquote" => {
                if let Some(indents) =
                    self.indents.as_mut().filter(|_| self.quotes == 0 && is_indent(tag.attributes))
                {
                    *indents += 1;
                    return Marks::Nothing;
                }
                self.quotes += 1;
                Marks::Quote
            }
            "div" if tag.attributes.contains("yahoo_quoted") => {
                self.quotes += 1;
                Marks::Quote
            }
            name if matches!(name, "pre" | "listing") || (name == "div" && keeps_lines()) => {
                self.preformatted += 1;
                Marks::Preformatted
            }
            _ => Marks::Nothing,
        }
    }

    /// Closes the nearest element of a name, with its contents. An inline element does not end beyond the block around
    /// it, nor a paragraph; nor a cell or item beyond its table or list.
    fn close(&mut self, name: &str) {
        let ends_search = |around: &str| match name {
            "td" | "th" | "tr" => around == "table",
            "li" => matches!(around, "ul" | "ol"),
            "dd" | "dt" => around == "dl",
            "p" => is_block(around),
            name => !is_block(name) && is_block(around),
        };
        let mut near = self.open.iter().enumerate().rev().take(NEAR);
        let found = near.find_map(|(at, open)| {
            if open.name == name { Some(Some(at)) } else { ends_search(&open.name).then_some(None) }
        });
        let Some(at) = found.flatten() else { return };
        // A closed line belongs to the element it stands in.
        if self.open.iter().skip(at).any(|open| open.marks == Marks::Quote) {
            self.end_block();
        }
        for open in self.open.drain(at..) {
            match open.marks {
                Marks::Quote => self.quotes = self.quotes.saturating_sub(1),
                Marks::Preformatted => self.preformatted = self.preformatted.saturating_sub(1),
                Marks::Nothing => {}
            }
        }
    }

    /// Ends a line that is not empty; a non-breaking space counts as content.
    fn end_block(&mut self) {
        if !self.line.is_empty() {
            self.end_line();
        }
        self.space_due = false;
        self.line.clear();
    }

    fn end_line(&mut self) {
        // The blank distinguishes the line above a signature from the command `--`.
        if std::mem::take(&mut self.space_due) && self.line == "--" {
            self.line.push(' ');
        }
        if self.quotes > 0 {
            self.out.push_str(&">".repeat(self.quotes.min(MAX_QUOTES)));
            self.out.push(' ');
        }
        self.out.push_str(if self.line == "-- " { &self.line } else { self.line.trim_end() });
        self.out.push('\n');
        self.line.clear();
    }

    fn blank_line(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.end_line();
        }
    }
}

fn split_entity(text: &str) -> Option<(&str, &str)> {
    if !text.starts_with('&') {
        return None;
    }
    let end = text.bytes().take(40).position(|byte| byte == b';')?;
    let entity = text.get(..=end)?;
    let name = entity.get(1..end)?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'#');
    is_name.then_some((entity, text.get(end + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_that_are_shown_apart_stay_apart() {
        assert_eq!(to_text("<div>f12</div><div>nice <b>game</b></div>"), "f12\nnice game\n");
        assert_eq!(to_text("a<br>b<br/>\n c\n d"), "a\nb\nc d\n");
        assert_eq!(to_text("<p>one</p>\n<p>two</p>"), "one\n\ntwo\n\n");
        assert_eq!(to_text("<table><tr><td>a</td><td>b</td></tr></table>"), "a b\n");
    }

    #[test]
    fn quotes_are_marked_and_what_is_hidden_is_gone() {
        let html = "<html><head><title>x</title><style>p > a {}</style></head><body>f12<blockquote>old<br>text</blockquote>ok<!-- no > no --></body>";
        assert_eq!(to_text(html), "f12\n> old\n> text\nok\n");
        assert_eq!(
            to_text("<div>a<div id=\"yahoo_quoted_1\" class=\"yahoo_quoted\">b<div>c</div></div>d</div>"),
            "a\n> b\n> c\nd\n"
        );
    }

    #[test]
    fn entities_become_characters_and_lone_signs_stay() {
        assert_eq!(to_text("a&nbsp;&lt;b&gt; &amp; &#233; &eacute; R&D; &"), "a <b> & é é R&D; &\n");
        assert_eq!(to_text("1 < 2 <3 you"), "1 < 2 <3 you\n");
    }

    #[test]
    fn boards_in_pre_keep_their_shape() {
        assert_eq!(to_text("<pre>+--+\n|  |\n+--+</pre>"), "+--+\n|  |\n+--+\n");
    }

    proptest! {
        #[test]
        fn no_markup_makes_it_panic(html in "(<|>|/|div|blockquote|pre|br|&|;|#|x41|amp|\"|'|=| |\n|ü|-|!|script|\\PC){0,60}") {
            let _ = to_text(&html);
        }
    }
}
