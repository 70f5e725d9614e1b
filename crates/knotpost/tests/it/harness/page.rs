//! The HTML form of a mail, held against its text: they say the same, and the page needs nothing from elsewhere.

use std::collections::HashMap;

use mail_parser::{Message, MimeHeaders, PartType};

/// What a page says, its tags taken off: a tag ends a word unless it only marks one.
pub(crate) fn words_of_page(html: &str) -> String {
    let body = html.split_once("<body").map_or(html, |(_, body)| body);
    let body = body.split_once('>').map_or(body, |(_, body)| body);
    let mut words = String::new();
    let mut rest = body;
    while let Some((before, tag)) = rest.split_once('<') {
        words.push_str(before);
        let (name, after) = if let Some(comment) = tag.strip_prefix("!--") {
            ("!", comment.split_once("-->").expect("comments end").1)
        } else {
            let (name, after) = tag.split_once('>').expect("tags end");
            (name, after)
        };
        let name = name.trim_start_matches('/').split([' ', '\n']).next().unwrap_or("");
        if !["code", "a", "strong", "!"].contains(&name) {
            words.push(' ');
        }
        rest = after;
    }
    words.push_str(rest);
    for (entity, sign) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#x27;", "'"),
        ("&#39;", "'"),
        ("&#39;", "'"),
        ("&#x2f;", "/"),
        ("&amp;", "&"),
    ] {
        words = words.replace(entity, sign);
    }
    words
}

/// Each word of a text with how often it stands there; rules, stars, backticks and knots drawn with `#` are looks. A page
/// says of a face `a: down` what text draws below `a`.
fn count(text: &str) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for word in text.split_whitespace() {
        let word = word.replace('`', "");
        let word = if word.len() == 2 { word.trim_end_matches(':').to_owned() } else { word };
        if !word.is_empty() && !word.bytes().all(|sign| matches!(sign, b'-' | b'*' | b'#')) {
            *counts.entry(word).or_default() += 1;
        }
    }
    counts
}

/// Every word of the text stands on the page, as often as there.
pub(crate) fn assert_same_words(text: &str, html: &str) {
    let page = words_of_page(html);
    let said = count(&page);
    let missing: Vec<String> = count(text)
        .into_iter()
        .filter(|(word, times)| said.get(word).copied().unwrap_or(0) < *times && !word.ends_with('~'))
        .map(|(word, _)| word)
        .collect();
    assert!(
        missing.is_empty(),
        "the page lacks {missing:?}\n--- text\n{text}\n--- page\n{page}\n---\n{html}"
    );
    for sentence in text.split("\n\n").filter(|part| is_prose(part)) {
        let flat = |text: &str| text.replace('`', "").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat(&page).contains(&flat(sentence)), "the page lacks `{sentence}`\n{page}");
    }
}

/// Words in lines from the left margin, no table, drawing or rule.
fn is_prose(part: &str) -> bool {
    part.lines().all(|line| {
        line.starts_with(|c: char| c.is_alphabetic()) && !line.contains("  ") && !line.contains("--")
    })
}

/// The page loads nothing, runs nothing, and every picture it shows is in the mail and told in words.
pub(crate) fn assert_self_contained(html: &str, message: &Message<'_>) {
    let lower = html.to_lowercase();
    for foreign in ["<script", "<link", "src=\"http", "url(", "@import", "javascript:", "<iframe", "<form"] {
        assert!(!lower.contains(foreign), "{foreign} in a mail");
    }
    let pictures: Vec<&str> = message
        .parts
        .iter()
        .filter(|part| matches!(part.body, PartType::InlineBinary(_) | PartType::Binary(_)))
        .map(|part| part.content_id().expect("a picture has a name"))
        .collect();
    let shown: Vec<&str> =
        html.split("src=\"cid:").skip(1).map(|rest| rest.split_once('"').expect("a name").0).collect();
    assert_eq!(shown, pictures, "what is shown and what is sent");
    assert_eq!(
        html.matches("<img").count(),
        html.matches(" alt=\"").count() - html.matches(" alt=\"\"").count()
    );
}
