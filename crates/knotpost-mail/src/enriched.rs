//! Formatted text before HTML: `text/enriched` (RFC 1896) and `text/richtext` (RFC 1341).

/// Removes the markup. In both forms one line end is a blank; in enriched text each further one is a line end, in
/// richtext only `<nl>` is.
pub(super) fn to_text(marked: &str, is_richtext: bool) -> String {
    let mut text = String::with_capacity(marked.len());
    let (mut rest, mut is_parameter, mut ends) = (marked, false, 0_usize);
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        rest = after;
        if c == '<' && after.starts_with('<') && !is_richtext {
            rest = after.get(1..).unwrap_or_default();
        } else if let Some((tag, after)) = after.split_once('>').filter(|(tag, _)| c == '<' && is_tag(tag)) {
            rest = after;
            match tag.to_ascii_lowercase().as_str() {
                "param" | "comment" => is_parameter = true,
                "/param" | "/comment" => is_parameter = false,
                "nl" | "np" | "/paragraph" if is_richtext => text.push('\n'),
                "lt" if is_richtext => text.push('<'),
                _ => {}
            }
            continue;
        }
        if is_parameter {
            continue;
        }
        if c == '\n' {
            ends += 1;
            let next_ends = after.starts_with('\n');
            if !next_ends {
                let lines = if is_richtext { 0 } else { ends - 1 };
                text.push_str(&if lines > 0 { "\n".repeat(lines) } else { " ".to_owned() });
                ends = 0;
            }
        } else {
            text.push(c);
        }
    }
    text
}

fn is_tag(tag: &str) -> bool {
    let name = tag.strip_prefix('/').unwrap_or(tag);
    (1..=60).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_and_lines_stay() {
        let text =
            "<bold>a8</bold>\n\nnice <italic>game</italic>,\nreally <<3 <color><param>red</param>x</color>";
        assert_eq!(to_text(text, false), "a8\nnice game, really <3 x");
        assert_eq!(to_text("a8<nl><nl>nice\ngame <lt>3 </bold>1 < 2", true), "a8\n\nnice game <3 1 < 2");
    }
}
