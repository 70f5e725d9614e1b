//! A mail that left the server, as its reader sees it.

use std::collections::HashSet;
use std::fmt;

use knotpost_transport::outbound::Sent;
use mail_parser::MessageParser;

/// Wider lines are broken by mail programs; links alone may be longer.
const WIDTH: usize = 72;

/// A mail, read.
#[derive(Clone, Debug)]
pub(crate) struct Letter {
    pub(crate) to: String,
    pub(crate) subject: String,
    pub(crate) text: String,
    /// Where it asks to be answered, when not where it came from.
    pub(crate) reply_to: Option<String>,
    /// Without angle brackets.
    pub(crate) message_id: String,
    pub(crate) html: Option<String>,
    pub(crate) bytes: Vec<u8>,
}

impl Letter {
    pub(super) fn read(sent: &Sent) -> Self {
        let message = MessageParser::default().parse(&sent.bytes).expect("a mail");
        let to = message.to().and_then(|to| to.first()).and_then(|to| to.address()).unwrap_or("").to_owned();
        assert_eq!(to, sent.to, "the envelope and the To are the same");
        assert!(
            message.date().is_some() && message.message_id().is_some(),
            "every mail has a Date and an id"
        );
        let header = |name: &'static str| message.header_raw(name).map(str::trim);
        assert!(matches!(header("Auto-Submitted"), Some("auto-generated" | "auto-replied")));
        assert_eq!(header("X-Auto-Response-Suppress"), Some("All"));
        assert_eq!(header("X-Loop"), Some(super::ADDRESS));
        assert_eq!(header("List-Unsubscribe").is_some(), header("List-Unsubscribe-Post").is_some());
        assert_eq!(header("In-Reply-To").is_some(), header("References").is_some());
        assert!(sent.from.as_deref().is_some_and(|path| path.contains("+b.")), "bounces are told apart");
        assert!(sent.bytes.is_ascii(), "every mail server takes it");
        assert!(sent.bytes.split(|byte| *byte == b'\n').all(|line| line.len() <= 999), "no line is too long");
        let text = message.body_text(0).expect("a text").replace("\r\n", "\n");
        let html = (message.html_body_count() > 0 && message.parts.len() > 1)
            .then(|| message.body_html(0).expect("a page").into_owned());
        if let Some(html) = &html {
            super::page::assert_same_words(&text, html);
            super::page::assert_self_contained(html, &message);
        }
        Self {
            to,
            html,
            subject: message.subject().unwrap_or("").to_owned(),
            reply_to: message
                .reply_to()
                .and_then(|to| to.first())
                .and_then(|to| to.address())
                .map(str::to_owned),
            message_id: message.message_id().unwrap_or("").to_owned(),
            text,
            bytes: sent.bytes.clone(),
        }
    }
}

impl fmt::Display for Letter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = "=".repeat(WIDTH);
        write!(f, "{rule}\nTo: {}\nSubject: {}\n\n{}", self.to, self.subject, self.text)
    }
}

/// Mails one below the other, to be read, with a digest in the place of each drawing; none may be wider than mail programs
/// show.
pub(crate) fn show_all(letters: &[Letter]) -> String {
    show(letters, |_| false)
}

/// As above with each drawing once: for stories about the look of boards.
pub(crate) fn show_drawn(letters: &[Letter]) -> String {
    let mut known = HashSet::new();
    show(letters, |drawing| known.insert(drawing.to_owned()))
}

fn show(letters: &[Letter], mut is_wanted: impl FnMut(&str) -> bool) -> String {
    let lines = letters.iter().flat_map(|letter| letter.text.lines());
    let wide: Vec<&str> =
        lines.filter(|line| line.chars().count() > WIDTH && !line.starts_with("http")).collect();
    assert!(wide.is_empty(), "too wide:\n{}", wide.join("\n"));
    if letters.is_empty() {
        return "(no mail)\n".to_owned();
    }
    let folded = |letter: &Letter| Letter { text: fold(&letter.text, &mut is_wanted), ..letter.clone() };
    letters.iter().map(folded).map(|letter| letter.to_string()).collect()
}

/// A text with a digest in the place of each drawing that is not wanted.
fn fold(text: &str, mut is_wanted: impl FnMut(&str) -> bool) -> String {
    let parts: Vec<&str> = text.trim_end_matches('\n').split("\n\n").collect();
    let runs = parts.chunk_by(|one, next| is_drawing(one) == is_drawing(next)).map(|run| {
        let whole = run.join("\n\n");
        if !is_drawing(&whole) || is_wanted(&whole) {
            return whole;
        }
        // FNV-1a.
        let mix = |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        let digest = whole.bytes().fold(0x811c_9dc5, mix);
        format!("[a drawing of {} lines, {digest:08x}]", whole.lines().count())
    });
    runs.collect::<Vec<_>>().join("\n\n") + "\n"
}

/// A board, the stones of a hand, or the faces of the dice.
fn is_drawing(part: &str) -> bool {
    part.contains("+--") || part.contains("###")
}

/// Mails of a long story, of which each is shown whole once: one with the subject of an earlier one by the lines that no
/// earlier one had, its drawings by their digests.
#[derive(Default)]
pub(crate) struct Shown {
    subjects: HashSet<String>,
    lines: HashSet<String>,
}

impl Shown {
    pub(crate) fn show(&mut self, letters: &[Letter]) -> String {
        let letters: Vec<Letter> = letters.iter().map(|letter| self.shorten(letter)).collect();
        show_drawn(&letters)
    }

    fn shorten(&mut self, letter: &Letter) -> Letter {
        let mut shown = letter.clone();
        let folded = fold(&letter.text, |_| false);
        if !self.subjects.insert(letter.subject.clone()) {
            let is_new = |line: &&str| !line.is_empty() && !self.lines.contains(*line);
            shown.text = folded.lines().filter(is_new).flat_map(|line| [line, "\n"]).collect();
        }
        self.lines.extend(folded.lines().map(str::to_owned));
        shown
    }
}
