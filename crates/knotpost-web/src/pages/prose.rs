//! Help texts, written for mails of 72 columns, as HTML: paragraphs are reflowed, commands and drawings keep their
//! lines.

use minijinja::HtmlEscape;

struct Line<'a> {
    indent: usize,
    text: &'a str,
}

enum Piece<'a> {
    Heading(&'a str),
    Paragraph(String),
    Verbatim(Vec<&'a str>),
}

const LONGEST_HEADING: usize = 48;

pub(super) fn to_html(text: &str) -> String {
    pieces(text).iter().map(Piece::to_html).collect()
}

/// As [`to_html`], with these drawings in the place of the texts that they show.
pub(super) fn to_html_with(text: &str, drawings: &[(String, String)]) -> String {
    let found =
        drawings.iter().find_map(|(shown, drawing)| Some((text.split_once(shown.as_str())?, drawing)));
    match found {
        Some(((before, after), drawing)) => {
            format!("{}{drawing}{}", to_html_with(before, drawings), to_html_with(after, drawings))
        }
        None => to_html(text),
    }
}

impl Piece<'_> {
    fn to_html(&self) -> String {
        match self {
            Self::Heading(words) => format!("<h3>{}</h3>\n", inline(words)),
            Self::Paragraph(words) => match words.strip_prefix("* ").or_else(|| words.strip_prefix("- ")) {
                Some(words) => format!("<p>• {}</p>\n", inline(words)),
                None => format!("<p>{}</p>\n", inline(words)),
            },
            Self::Verbatim(lines) => {
                let shallowest =
                    lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(line)).min();
                let cut = |line: &&str| line.get(shallowest.unwrap_or(0)..).unwrap_or_default().to_owned();
                let kept = lines.iter().map(cut).collect::<Vec<_>>().join("\n");
                format!("<pre class=\"board\" tabindex=\"0\">{}</pre>\n", HtmlEscape(kept.trim_end()))
            }
        }
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn inline(words: &str) -> String {
    let parts = words.split('`').enumerate();
    let show = |(place, part): (usize, &str)| {
        if place % 2 == 1 {
            format!("<code>{}</code>", HtmlEscape(part))
        } else {
            HtmlEscape(part).to_string()
        }
    };
    parts.map(show).collect()
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces: Vec<Piece> = Vec::new();
    let (mut is_new, mut base) = (true, 0);
    let lines: Vec<&str> = text.lines().collect();
    for (place, whole) in lines.iter().enumerate() {
        let line = Line { indent: indent(whole), text: whole.trim() };
        if line.text.is_empty() {
            // A gap inside a drawing belongs to it.
            match pieces.last_mut() {
                Some(Piece::Verbatim(kept)) => kept.push(whole),
                _ => is_new = true,
            }
            continue;
        }
        if line.indent == 0 {
            base = item_indent(line.text);
        }
        let next = lines.get(place + 1).copied().unwrap_or_default();
        if is_rule(line.text) && pieces.last().is_some_and(|piece| matches!(piece, Piece::Heading(_))) {
            continue;
        }
        if is_new && line.indent == 0 && is_rule(next) {
            pieces.push(Piece::Heading(line.text));
        } else if is_verbatim(&line, base) {
            match pieces.last_mut() {
                Some(Piece::Verbatim(kept)) => kept.push(whole),
                _ => pieces.push(Piece::Verbatim(vec![whole])),
            }
            is_new = true;
        } else if is_heading(&line, is_new, next, place + 1 == lines.len()) {
            pieces.push(Piece::Heading(line.text));
            is_new = true;
        } else if let (false, Some(Piece::Paragraph(words)), false) =
            (is_new, pieces.last_mut(), line.indent == 0 && base > 0)
        {
            words.push(' ');
            words.push_str(line.text);
        } else {
            pieces.push(Piece::Paragraph(line.text.to_owned()));
            is_new = false;
        }
    }
    pieces
}

/// Indentation of the lines that continue a list item such as `1. Open an account.` or `* Write from …`; 0 for other
/// lines.
fn item_indent(text: &str) -> usize {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let is_numbered = digits > 0 && text.get(digits..).is_some_and(|rest| rest.starts_with(". "));
    if is_numbered {
        digits + 2
    } else if text.starts_with("* ") || text.starts_with("- ") {
        2
    } else {
        0
    }
}

/// True for a preformatted line: indented deeper than the text around it, a frame, or columns.
fn is_verbatim(line: &Line<'_>, base: usize) -> bool {
    line.indent > base || line.text.starts_with(['+', '|']) || line.text.contains("   ")
}

/// True for a line that underlines a heading.
fn is_rule(line: &str) -> bool {
    line.len() >= 3 && ["=", "-"].iter().any(|sign| line.trim_matches(|one| sign.contains(one)).is_empty())
}

fn is_heading(line: &Line<'_>, is_new: bool, next: &str, is_last: bool) -> bool {
    is_new
        && !is_last
        && line.indent == 0
        && next.trim().is_empty()
        && line.text.len() <= LONGEST_HEADING
        && line.text.starts_with(|sign: char| sign.is_uppercase())
        && !line.text.ends_with(['.', ':', ',', ';', '!', '?'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_flow_and_commands_keep_their_lines() {
        let text = "You are ann,\non board 101.\n\nQueued moves\n\n   osbox queue 101 ann\n\nkeeps <three> moves; `help turns`\ntells more.";
        let html = "<p>You are ann, on board 101.</p>\n<h3>Queued moves</h3>\n\
                    <pre class=\"board\" tabindex=\"0\">osbox queue 101 ann</pre>\n\
                    <p>keeps &lt;three&gt; moves; <code>help turns</code> tells more.</p>\n";
        assert_eq!(to_html(text), html);
    }

    #[test]
    fn a_drawing_stands_where_its_text_stood() {
        let drawings = [
            ("+-+\n|a|".to_owned(), "<svg>a</svg>".to_owned()),
            ("|b|".to_owned(), "<svg>b</svg>".to_owned()),
        ];
        let html = to_html_with("Before:\n\n|b|\nthen\n\n+-+\n|a|\n\nAfter.", &drawings);
        assert_eq!(html, "<p>Before:</p>\n<svg>b</svg><p>then</p>\n<svg>a</svg><p>After.</p>\n");
        assert_eq!(to_html_with("Nothing.", &drawings), "<p>Nothing.</p>\n");
    }

    #[test]
    fn underlined_lines_are_headings() {
        let text = "Obsidio - surround targets. Along lines\n=======\n\nChallenge\n---------\nobsidio challenge ann\n\n+---+\n|   |\n+---+";
        let html = "<h3>Obsidio - surround targets. Along lines</h3>\n<h3>Challenge</h3>\n\
                    <p>obsidio challenge ann</p>\n<pre class=\"board\" tabindex=\"0\">+---+\n|   |\n+---+</pre>\n";
        assert_eq!(to_html(text), html);
    }

    #[test]
    fn items_of_a_list_go_on_indented() {
        let text = "1. Open an account. Write\n   with this Subject:\n\n      signup ann PASSWORD\n\n   The address is yours.\n\n2. Go on.";
        let html = "<p>1. Open an account. Write with this Subject:</p>\n\
                    <pre class=\"board\" tabindex=\"0\">signup ann PASSWORD</pre>\n\
                    <p>The address is yours.</p>\n<p>2. Go on.</p>\n";
        assert_eq!(to_html(text), html);
        assert_eq!(to_html("* Write from\n  home.\n* Wait."), "<p>• Write from home.</p>\n<p>• Wait.</p>\n");
        let things = "<p>Do one of these:</p>\n<p>• place one;</p>\n<p>• claim.</p>\n<p>Then wait.</p>\n";
        assert_eq!(to_html("Do one of these:\n\n- place one;\n- claim.\n\nThen wait."), things);
    }

    #[test]
    fn drawings_stay_whole() {
        let text = "So:\n\n+---+---+\n| # |   |\n+---+---+\n\n  a   b\n\nAnd on.";
        let html = "<p>So:</p>\n<pre class=\"board\" tabindex=\"0\">+---+---+\n| # |   |\n+---+---+\n\n  a   b</pre>\n<p>And on.</p>\n";
        assert_eq!(to_html(text), html);
    }
}
