//! An Atom feed (RFC 4287) with an entry for each board at a user's turn.
//!
//! An entry is a board at a move (its id is a `tag:` URI, RFC 4151); when a move is taken back and the user is to move
//! again, the same entry is updated. The feed has no `self` link, although the format recommends one: it would contain
//! the key, in a document that programs store and pass on.

use super::{Source, text};
use crate::session::url_encode;
use knotpost_core::queries::Waiting;
use knotpost_model::Millis;

pub(crate) fn write_atom(source: &Source<'_>, waiting: &[Waiting], since: Millis) -> String {
    let updated = waiting.iter().map(|waiting| waiting.since).max().map_or(since, |at| at.max(since));
    let mut feed = Xml::default();
    feed.open("feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"en\"");
    feed.element("id", &tag(source.domain, &format!("turns/{}", url_encode(source.userid))));
    feed.element("title", &format!("{}: boards that wait for {}", source.server, source.userid));
    feed.element("updated", &updated.to_rfc3339());
    feed.open("author");
    feed.element("name", source.server);
    feed.close("author");
    feed.link(&format!("{}/", source.url));
    feed.element("generator", "Knotpost");
    for waiting in waiting {
        write_entry(&mut feed, source, waiting);
    }
    feed.close("feed");
    feed.0
}

fn write_entry(feed: &mut Xml, source: &Source<'_>, waiting: &Waiting) {
    let (board, ply) = (&waiting.summary, waiting.board.entries.len());
    let (game, number, title) = (url_encode(&board.game), board.number, waiting.board.title());
    feed.open("entry");
    feed.element("id", &tag(source.domain, &format!("turns/{game}/{number}/{ply}")));
    let against = text::against(board, source.userid);
    feed.element("title", &format!("{}: your turn{against}", text::name(waiting)));
    feed.element("updated", &waiting.since.to_rfc3339());
    feed.link(&source.page_of(board));
    feed.empty("category", &[("term", &board.game), ("label", title)]);
    feed.element("summary", &text::tell(waiting).join("\n\n"));
    feed.close("entry");
}

fn tag(domain: &str, what: &str) -> String {
    format!("tag:{},2026:{what}", url_encode(domain))
}

/// A writer of elements. Names are constants of this program; contents are untrusted.
struct Xml(String);

impl Default for Xml {
    fn default() -> Self {
        Self("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n".to_owned())
    }
}

impl Xml {
    fn open(&mut self, tag: &str) {
        self.0.extend(["<", tag, ">\n"]);
    }

    fn close(&mut self, name: &str) {
        self.0.extend(["</", name, ">\n"]);
    }

    fn element(&mut self, name: &str, text: &str) {
        self.0.extend(["<", name, ">"]);
        escape(&mut self.0, text);
        self.close(name);
    }

    fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.0.extend(["<", name]);
        for (attribute, value) in attributes {
            self.0.extend([" ", attribute, "=\""]);
            escape(&mut self.0, value);
            self.0.push('"');
        }
        self.0.push_str("/>\n");
    }

    fn link(&mut self, href: &str) {
        self.empty("link", &[("rel", "alternate"), ("type", "text/html"), ("href", href)]);
    }
}

/// Leaves out characters that XML 1.0 (section 2.2) does not allow.
fn escape(out: &mut String, text: &str) {
    for sign in text.chars() {
        match sign {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(sign),
            '\u{fffe}' | '\u{ffff}' => {}
            _ if sign.is_control() => {}
            _ => out.push(sign),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_breaks_out_of_its_element() {
        let mut feed = Xml::default();
        feed.element("title", "</title><script>&\"'\u{0}\u{b}\u{1b}\r\u{ffff}]]>\u{85}\n\tä");
        assert_eq!(
            feed.0.lines().skip(1).collect::<Vec<_>>().join("\n"),
            "<title>&lt;/title&gt;&lt;script&gt;&amp;&quot;']]&gt;\n\tä</title>"
        );
    }

    #[test]
    fn names_hold_only_what_a_uri_may() {
        assert_eq!(
            tag("knotpost.example", "turns/osbox/101/7"),
            "tag:knotpost.example,2026:turns/osbox/101/7"
        );
        assert_eq!(tag("spiele.bücher.example", "x"), "tag:spiele.b%C3%BCcher.example,2026:x");
    }
}
