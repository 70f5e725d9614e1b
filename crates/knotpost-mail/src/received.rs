//! The client that a mail server names in its `Received` field.
//!
//! In `from HELO (NAME [ADDRESS]) by …` the server saw the address; the client chose the name before it, which may
//! look like an address. Nothing that a client chooses is ever taken for the address.

use core::net::IpAddr;

/// Comments of Postfix after the one that names the client. They may contain text chosen by the client: the names in
/// its certificate, its login name.
const OTHER_COMMENTS: [&str; 4] = ["using ", "no client certificate", "client ", "authenticated sender:"];
/// Details of a client in Exim's comment besides the address.
const EXIM_DETAILS: [&str; 3] = ["helo=", "port=", "ident="];

/// Returns the address if the field has a form of Postfix, Sendmail, Exim or a server that writes like them. `None`
/// for a mail submitted on that server, and for an ambiguous field.
pub(crate) fn client_address(field: &str) -> Option<IpAddr> {
    let rest = strip_word(field.trim_start(), "from ")?;
    let (client, server) = split_at_by(rest)?;
    let (name, comments) = split_comments(client)?;
    let address = if server.contains("(Exim ") {
        literal(name).or_else(|| exim_comment(comments.first()?))
    } else {
        comments.iter().rev().find(|comment| !is_other(comment)).and_then(|comment| named(comment))
    };
    address.map(|address| address.to_canonical())
}

fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(word.len())?;
    head.eq_ignore_ascii_case(word).then_some(rest)
}

/// Splits at the word `by` outside of comments. `None` with a second `by`: a client may have chosen it as its name.
fn split_at_by(text: &str) -> Option<(&str, &str)> {
    let (client, server) = split_at_first_by(text)?;
    // The recipient follows, or the return path as Exim writes it, which the sender chose.
    let own = server.split(';').next()?.split(" for ").next()?.split("(envelope-from").next()?;
    split_at_first_by(own).is_none().then_some((client, own))
}

fn split_at_first_by(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    for (place, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            c if c.is_whitespace() && depth == 0 => {
                if let Some(server) =
                    text.get(place + c.len_utf8()..).and_then(|rest| strip_word(rest, "by "))
                {
                    return Some((text.get(..place)?, server));
                }
            }
            _ => {}
        }
    }
    None
}

fn split_comments(text: &str) -> Option<(&str, Vec<&str>)> {
    let start = text.find('(').unwrap_or(text.len());
    let (name, mut rest) = text.split_at(start);
    let mut comments = Vec::new();
    while let Some(inner) = rest.trim_start().strip_prefix('(') {
        let mut depth = 1_usize;
        let end = inner.char_indices().find_map(|(place, c)| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(place)
        })?;
        comments.push(inner.get(..end)?);
        rest = inner.get(end + 1..)?;
    }
    // A client that chose a name of several words could have put a comment into it as well.
    (rest.trim().is_empty() && !name.trim().contains(char::is_whitespace)).then_some((name.trim(), comments))
}

fn is_other(comment: &str) -> bool {
    OTHER_COMMENTS.iter().any(|start| strip_word(comment, start).is_some())
}

/// `NAME [ADDRESS]` or `[ADDRESS]`, as Postfix and Sendmail write it.
fn named(comment: &str) -> Option<IpAddr> {
    let comment = comment.trim();
    let comment = comment.strip_suffix("(may be forged)").unwrap_or(comment).trim_end();
    match comment.rsplit_once(char::is_whitespace) {
        Some((name, address)) if !name.contains(['[', ']', ' ']) => literal(address),
        Some(_) => None,
        None => literal(comment),
    }
}

/// `[ADDRESS] helo=NAME`, as Exim writes it after a name that it has verified.
fn exim_comment(comment: &str) -> Option<IpAddr> {
    let mut words = comment.split_whitespace();
    let address = literal(words.next()?)?;
    words.all(|word| EXIM_DETAILS.iter().any(|detail| word.starts_with(detail))).then_some(address)
}

fn literal(word: &str) -> Option<IpAddr> {
    let (address, port) = word.strip_prefix('[')?.split_once(']')?;
    let port = port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    let address = strip_word(address, "IPv6:").unwrap_or(address);
    address.parse().ok().filter(|_| port)
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSTFIX: &str = "by mx.example.org (Postfix) with ESMTP id 4BxQ5W for <pbmserv@games.example>; Mon, 23 Nov 2026 10:00:00 +0000";
    const POSTFIX_TLS: &str = "(using TLSv1.3 with cipher TLS_AES_256_GCM_SHA384 (256/256 bits) key-exchange X25519 \
                               server-signature RSA-PSS (2048 bits) server-digest SHA256)";
    const EXIM: &str = "by mx.example.org with esmtps (TLS1.3) tls TLS_AES_256_GCM_SHA384 (Exim 4.96) (envelope-from <a@b.example>) \
                        id 1rXyZ-0001 for pbmserv@games.example; Mon, 23 Nov 2026 10:00:00 +0000";
    const SENDMAIL: &str = "by mx.example.org (8.17.1/8.17.1) with ESMTPS id 4ANA0 for <pbmserv@games.example>; Mon, 23 Nov 2026 10:00:00 GMT";

    fn address(client: &str, server: &str) -> Option<String> {
        client_address(&format!("from {client} {server}")).map(|address| address.to_string())
    }

    #[test]
    fn the_address_is_the_one_that_the_server_saw() {
        for (client, server, expected) in [
            ("mail.example.com (mail.example.com [192.0.2.1])", POSTFIX, "192.0.2.1"),
            ("laptop (unknown [192.0.2.1])", POSTFIX, "192.0.2.1"),
            ("mail.example.com (unknown [IPv6:2001:db8::1])", POSTFIX, "2001:db8::1"),
            ("mail.example.com (localhost [127.0.0.1])", POSTFIX, "127.0.0.1"),
            ("a.example ([192.0.2.1])", POSTFIX, "192.0.2.1"),
            ("mail.example.com (mail.example.com [192.0.2.1])", SENDMAIL, "192.0.2.1"),
            ("mail.example.com (pool.example.net [192.0.2.1] (may be forged))", SENDMAIL, "192.0.2.1"),
            ("mail.example.com (IDENT:ann@mail.example.com [192.0.2.1])", SENDMAIL, "192.0.2.1"),
            ("mail.example.com ([192.0.2.1])", SENDMAIL, "192.0.2.1"),
            ("mail.example.com ([192.0.2.1])", EXIM, "192.0.2.1"),
            ("mail.example.com ([192.0.2.1] helo=other.example)", EXIM, "192.0.2.1"),
            ("mail.example.com ([192.0.2.1]:40123 helo=other.example)", EXIM, "192.0.2.1"),
            ("[192.0.2.1] (helo=laptop)", EXIM, "192.0.2.1"),
            ("[192.0.2.1] (port=40123 helo=laptop ident=ann)", EXIM, "192.0.2.1"),
            ("[192.0.2.1]", EXIM, "192.0.2.1"),
            ("[2001:db8::1] (helo=laptop)", EXIM, "2001:db8::1"),
        ] {
            assert_eq!(address(client, server).as_deref(), Some(expected), "{client}");
        }
        for comments in [
            format!("{POSTFIX_TLS} (No client certificate requested)"),
            format!("{POSTFIX_TLS} (Client did not present a certificate)"),
            format!("{POSTFIX_TLS} (Client CN \"x [9.9.9.9]\", Issuer \"y [9.9.9.9]\" (not verified))"),
            "(Authenticated sender: ann [9.9.9.9])".to_owned(),
        ] {
            let client = format!("laptop (unknown [192.0.2.1]) {comments}");
            assert_eq!(address(&client, POSTFIX).as_deref(), Some("192.0.2.1"), "{client}");
        }
    }

    #[test]
    fn what_a_client_calls_itself_is_never_its_address() {
        for (client, server, expected) in [
            ("[9.9.9.9] (unknown [192.0.2.1])", POSTFIX, Some("192.0.2.1")),
            ("[IPv6:2001:db8::9] (unknown [192.0.2.1])", SENDMAIL, Some("192.0.2.1")),
            ("foo ([9.9.9.9]) (unknown [192.0.2.1])", POSTFIX, Some("192.0.2.1")),
            ("foo (bar [9.9.9.9]) (unknown [192.0.2.1])", POSTFIX, Some("192.0.2.1")),
            ("helo=x (unknown [192.0.2.1])", POSTFIX, Some("192.0.2.1")),
            ("[192.0.2.1] (helo=[9.9.9.9])", EXIM, Some("192.0.2.1")),
            ("mail.example.com ([192.0.2.1] helo=[9.9.9.9])", EXIM, Some("192.0.2.1")),
            ("mail.example.com ([192.0.2.1] ident=[9.9.9.9] helo=x)", EXIM, Some("192.0.2.1")),
            // Ambiguous fields name no client.
            ("[9.9.9.9]", POSTFIX, None),
            ("9.9.9.9", POSTFIX, None),
            ("[9.9.9.9] (9.9.9.9)", POSTFIX, None),
            ("[9.9.9.9] (helo=x)", POSTFIX, None),
            (
                "unknown (HELO [9.9.9.9]) (192.0.2.1)",
                "by mx.example.org with SMTP; 23 Nov 2026 10:00:00 -0000",
                None,
            ),
            ("foo by ([9.9.9.9]) (unknown [192.0.2.1])", POSTFIX, None),
            ("foo ([9.9.9.9]) by evil.example (unknown [192.0.2.1])", POSTFIX, None),
            ("foo) ([9.9.9.9] (unknown [192.0.2.1])", POSTFIX, None),
            ("foo (unknown [192.0.2.1]) [9.9.9.9]", POSTFIX, None),
            ("foo (unknown [192.0.2.1] [9.9.9.9])", POSTFIX, None),
            ("foo (unknown [unknown])", POSTFIX, None),
            ("foo (unknown [192.0.2.1]", POSTFIX, None),
            ("foo", POSTFIX, None),
        ] {
            let found = address(client, server);
            assert!(found.as_deref() != Some("9.9.9.9"), "{client}");
            assert_eq!(found.as_deref(), expected, "{client}");
        }
        // A recipient does not make Postfix an Exim.
        let server = POSTFIX.replace("pbmserv@", "\"pbmserv+(Exim 4\"@");
        assert_eq!(address("[9.9.9.9] (unknown [192.0.2.1])", &server).as_deref(), Some("192.0.2.1"));
    }

    #[test]
    fn a_mail_that_was_written_on_the_server_has_no_client() {
        let pickup =
            "by mx.example.org (Postfix, from userid 1000) id 4BxQ5W; Mon, 23 Nov 2026 10:00:00 +0000";
        assert_eq!(client_address(pickup), None);
        let exim = format!("from ann {}", EXIM.replace("esmtps", "local"));
        assert_eq!(client_address(&exim), None);
        let named = EXIM.replace("<a@b.example>", "<\"a) by b\"@evil.example>");
        let client = format!("from mx.evil.example ([192.0.2.7] helo=evil) {named}");
        assert!(client_address(&client).is_some(), "the return path is no second server");
        assert_eq!(client_address("(qmail 7 invoked by uid 1000); 23 Nov 2026 10:00:00 -0000"), None);
        assert_eq!(client_address(""), None);
    }
}
