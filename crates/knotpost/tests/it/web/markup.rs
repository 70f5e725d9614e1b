//! The markup of a page, as far as tests read it.

fn unescape(text: &str) -> String {
    let signs = [("&#x2f;", "/"), ("&#x27;", "'"), ("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">")];
    let text = signs.iter().fold(text.to_owned(), |text, (name, sign)| text.replace(name, sign));
    text.replace("&amp;", "&")
}

/// The tags of that name, each with what stands behind it.
pub(super) fn tags<'a>(text: &'a str, name: &str) -> Vec<(&'a str, &'a str)> {
    let begin = format!("<{name}");
    let after = text.split(begin.as_str()).skip(1);
    let own = after.filter(|rest| rest.starts_with([' ', '>', '\n']));
    own.filter_map(|rest| rest.split_once('>')).collect()
}

pub(super) fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    Some(unescape(rest.split('"').next()?))
}

fn has(tag: &str, name: &str) -> bool {
    tag.split([' ', '=']).any(|word| word == name)
}

/// The fields of a form, or of all forms of a page, with what they hold at first.
pub(super) fn fields(body: &str) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    for (tag, _) in tags(body, "input") {
        let kind = attribute(tag, "type").unwrap_or_default();
        let is_left_out = ["checkbox", "radio"].contains(&kind.as_str()) && !has(tag, "checked");
        if let Some(name) = attribute(tag, "name").filter(|_| !is_left_out) {
            fields.push((name, attribute(tag, "value").unwrap_or_default()));
        }
    }
    for (tag, rest) in tags(body, "textarea") {
        let text = rest.split("</textarea>").next().unwrap_or_default();
        fields.extend(attribute(tag, "name").map(|name| (name, unescape(text))));
    }
    for (tag, rest) in tags(body, "select") {
        let options = tags(rest.split("</select>").next().unwrap_or_default(), "option");
        let chosen = options.iter().find(|(tag, _)| has(tag, "selected")).or(options.first());
        let value = chosen.and_then(|(tag, _)| attribute(tag, "value")).unwrap_or_default();
        fields.extend(attribute(tag, "name").map(|name| (name, value)));
    }
    fields
}
