//! Parses `Authentication-Results` (RFC 8601): the verdicts of another host on a mail. The caller decides on trust.

use knotpost_model::{DkimVerdict, DmarcPolicy, DmarcVerdict, Source, Verdict, Verdicts};

const MAX_SIGNATURES: usize = 5;

/// Host that wrote the field, in lower case; `None` if the field cannot be parsed.
pub(in crate::inbound) fn host(field: &str) -> Option<String> {
    let parts = split(field)?;
    let head = parts.first()?;
    match head.words.as_slice() {
        [Word::Text(host)] => Some(host.to_ascii_lowercase()),
        [Word::Text(host), Word::Text(version)] if version == "1" => Some(host.to_ascii_lowercase()),
        _ => None,
    }
}

/// Skips unknown methods; `None` if the field cannot be parsed.
pub(in crate::inbound) fn read(field: &str) -> Option<Verdicts> {
    let host = host(field)?;
    let mut verdicts = Verdicts { source: Source::Host(host), ..Verdicts::default() };
    for part in split(field)?.iter().skip(1) {
        let Some(found) = Method::read(part) else { continue };
        match found.name.as_str() {
            "spf" => {
                let of = |property: &str| found.property(property).map(domain_of);
                match of("smtp.mailfrom").or_else(|| of("smtp.mail")) {
                    Some(domain) => {
                        (verdicts.spf.result, verdicts.spf.domain) = (found.result, domain);
                    }
                    None => verdicts.spf.helo = found.result,
                }
            }
            "dkim" if verdicts.dkim.len() < MAX_SIGNATURES => verdicts.dkim.push(found.dkim()),
            "dmarc" => verdicts.dmarc = found.dmarc(part),
            _ => {}
        }
    }
    Some(verdicts)
}

#[derive(Debug, PartialEq, Eq)]
enum Word {
    Text(String),
    Equals,
}

#[derive(Debug, Default)]
struct Part {
    words: Vec<Word>,
    comments: Vec<String>,
}

struct Method {
    name: String,
    result: Verdict,
    properties: Vec<(String, String)>,
}

impl Method {
    fn read(part: &Part) -> Option<Self> {
        let mut pairs = pairs(&part.words)?.into_iter();
        let (method, result) = pairs.next()?;
        let (name, version) = method.split_once('/').unwrap_or((&method, "1"));
        if version != "1" {
            return None;
        }
        Some(Self { name: name.to_owned(), result: Verdict::read(&result)?, properties: pairs.collect() })
    }

    fn property(&self, name: &str) -> Option<&str> {
        self.properties.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    fn dkim(&self) -> DkimVerdict {
        let domain = self.property("header.d").or(self.property("header.i")).map(domain_of);
        DkimVerdict {
            result: self.result,
            domain: domain.unwrap_or_default(),
            selector: self.property("header.s").unwrap_or_default().to_owned(),
        }
    }

    fn dmarc(&self, part: &Part) -> DmarcVerdict {
        let stated = ["polrec.p", "policy.dmarc", "policy.p"];
        let stated = stated.into_iter().find_map(|name| self.property(name)).and_then(DmarcPolicy::read);
        DmarcVerdict {
            result: self.result,
            domain: self.property("header.from").map(domain_of).unwrap_or_default(),
            policy: stated.or_else(|| policy_in_comments(&part.comments)),
        }
    }
}

/// `key = value` words, keys in lower case; `None` if anything else is there.
fn pairs(words: &[Word]) -> Option<Vec<(String, String)>> {
    let mut pairs = Vec::new();
    let mut words = words.iter().peekable();
    while words.peek().is_some() {
        let mut key = String::new();
        // Blanks may stand around the dots and slashes of a key.
        while let Word::Text(text) = words.next()? {
            key.push_str(text);
        }
        let Word::Text(value) = words.next()? else { return None };
        pairs.push((key.to_ascii_lowercase(), value.clone()));
    }
    Some(pairs)
}

/// Finds the domain's policy, which most programs write in a comment: `(p=REJECT sp=NONE dis=NONE)`,
/// `(policy=reject)`.
fn policy_in_comments(comments: &[String]) -> Option<DmarcPolicy> {
    let words = comments.iter().flat_map(|comment| comment.split([' ', ',', ';']));
    words
        .filter_map(|word| word.split_once(['=', ':']))
        .find(|(key, _)| key.eq_ignore_ascii_case("p") || key.eq_ignore_ascii_case("policy"))
        .and_then(|(_, value)| DmarcPolicy::read(value))
}

/// Domain of an address, or the word itself, in lower case.
fn domain_of(value: &str) -> String {
    let domain = value.rsplit_once('@').map_or(value, |(_, domain)| domain);
    domain.trim_end_matches(['.', '>']).to_ascii_lowercase()
}

/// `None` if a comment or a quoted string does not end.
fn split(field: &str) -> Option<Vec<Part>> {
    let mut parts = vec![Part::default()];
    let mut chars = field.chars().peekable();
    // A value runs on to the next blank: it may hold an equals sign of its own.
    let mut in_value = false;
    while let Some(c) = chars.peek().copied() {
        let part = parts.last_mut()?;
        match c {
            ';' => {
                chars.next();
                parts.push(Part::default());
                in_value = false;
            }
            '(' => part.comments.push(read_comment(&mut chars)?),
            '=' => {
                chars.next();
                part.words.push(Word::Equals);
                in_value = true;
            }
            c if c.is_whitespace() => {
                chars.next();
            }
            _ => {
                let mut text = String::new();
                while let Some(c) = chars.peek().copied() {
                    match c {
                        '"' => text.push_str(&read_quoted(&mut chars)?),
                        ';' | '(' => break,
                        '=' if !in_value => break,
                        c if c.is_whitespace() => break,
                        c => {
                            chars.next();
                            text.push(c);
                        }
                    }
                }
                part.words.push(Word::Text(text));
                in_value = false;
            }
        }
    }
    Some(parts)
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Comments nest (RFC 5322, section 3.2.2).
fn read_comment(chars: &mut Chars<'_>) -> Option<String> {
    let mut text = String::new();
    let mut depth = 0_usize;
    loop {
        match chars.next()? {
            '\\' => text.push(chars.next()?),
            '(' => depth += 1,
            ')' if depth == 1 => return Some(text),
            ')' => depth -= 1,
            c => text.push(c),
        }
    }
}

fn read_quoted(chars: &mut Chars<'_>) -> Option<String> {
    chars.next();
    let mut text = String::new();
    loop {
        match chars.next()? {
            '\\' => text.push(chars.next()?),
            '"' => return Some(text),
            c => text.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(field: &str) -> String {
        read(field).map_or_else(|| "unreadable".to_owned(), |verdicts| verdicts.to_string())
    }

    #[test]
    fn the_forms_of_well_known_programs_are_read() {
        let google = "mx.google.example; dkim=pass header.i=@x.example header.s=s1 header.b=\"ab/c+d=\"; \
                      spf=pass (google.example: domain of ann@x.example designates 192.0.2.1 as permitted sender) \
                      smtp.mailfrom=ann@x.example; dmarc=pass (p=REJECT sp=NONE dis=NONE) header.from=x.example";
        assert_eq!(
            shown(google),
            "spf=pass (x.example) dkim=pass (x.example) dmarc=pass (x.example, reject), says mx.google.example"
        );
        let opendmarc = "mx.example.org; dmarc=fail (p=quarantine dis=none) header.from=Bank.example";
        assert_eq!(
            shown(opendmarc),
            "spf=none dkim=none dmarc=fail (bank.example, quarantine), says mx.example.org"
        );
        let stated = "mx.example.org 1; dmarc=fail polrec.p=reject header.from=bank.example; spf=softfail \
                      smtp.mailfrom=elsewhere.example; spf=none smtp.helo=x; dkim=fail header.d=bank.example header.b=a=b=";
        assert_eq!(
            shown(stated),
            "spf=softfail (elsewhere.example) dkim=fail (bank.example) dmarc=fail (bank.example, reject), says mx.example.org"
        );
    }

    #[test]
    fn comments_blanks_versions_and_quotes_stand_anywhere() {
        // After the examples of RFC 8601, appendix B.
        let odd = "foo.example.net (foobar) 1 (baz);\r\n dkim (Because I like it) / 1 (One yay) = (wait for it) fail\r\n \
                   policy (A dot can go here) . (like that) expired (this surprised me) = (as I wasn't expecting it) 1362471462";
        let read_odd = read(odd).map(|verdicts| (verdicts.source.clone(), verdicts.best_dkim()));
        assert_eq!(read_odd, Some((Source::Host("foo.example.net".to_owned()), Verdict::Fail)));
        assert_eq!(shown("\"mx.example.org\"; none"), "spf=none dkim=none dmarc=none, says mx.example.org");
        let quoted =
            "mx.example.org; spf=pass reason=\"a; dmarc=pass\" smtp.mailfrom=\"joe; dmarc=pass\"@x.example";
        assert_eq!(shown(quoted), "spf=pass (x.example) dkim=none dmarc=none, says mx.example.org");
        let nested =
            "mx.example.org; spf=fail (a (b; dmarc=pass header.from=x.example) c) smtp.mailfrom=x.example";
        assert_eq!(shown(nested), "spf=fail (x.example) dkim=none dmarc=none, says mx.example.org");
    }

    #[test]
    fn what_is_not_in_the_form_says_nothing() {
        for field in
            ["", "mx.example.org (never ends", "mx.example.org 2; spf=pass smtp.mailfrom=x.y", "a b c"]
        {
            assert_eq!(read(field), None, "{field}");
        }
        for field in [
            "mx.example.org; dmarc=superb header.from=x.y",
            "mx.example.org; dmarc/2=pass header.from=x.y",
            "mx.example.org; = pass",
            "mx.example.org; dmarc",
            "mx.example.org; dmarc==pass",
        ] {
            assert_eq!(shown(field), "spf=none dkim=none dmarc=none, says mx.example.org", "{field}");
        }
    }

    proptest! {
        #[test]
        fn no_field_makes_it_stumble(field in "[a-z0-9=;.@/()\"\\\\ ]{0,200}") {
            let _ = read(&field);
        }

        #[test]
        fn whatever_it_is(field in any::<String>()) {
            let _ = read(&field);
        }
    }
}
