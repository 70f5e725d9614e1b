//! Complaints: reports of providers whose users call a mail unwanted (ARF, RFC 5965).
//!
//! Their content is a stranger's word, except for return paths and Message-IDs that this server made.

use knotpost_core::intake::Complaint;
use knotpost_mail::{Section, body_of, outline, parse};
use knotpost_model::{OwnAddresses, Recipient};

pub(in crate::inbound) fn read_complaint(raw: &[u8], own: &OwnAddresses) -> Complaint {
    let sections = outline(raw).unwrap_or_default();
    let report = sections.iter().find(|section| section.kind == "message/feedback-report");
    let report = report.and_then(|section| section.text.as_deref()).unwrap_or_default();
    let fields = || report.lines().filter_map(|line| line.split_once(':'));
    let values = |name: &'static str| {
        fields()
            .filter(move |(known, _)| known.trim().eq_ignore_ascii_case(name))
            .map(|(_, value)| bare(value))
    };
    let is_copy =
        |section: &Section| matches!(section.kind.as_str(), "message/rfc822" | "text/rfc822-headers");
    let copy = sections.iter().position(is_copy).and_then(|at| body_of(raw, at).ok()?);
    let copy = copy.map(|mut copy| {
        // A copy of the headers alone may lack the empty line below them.
        copy.extend_from_slice(b"\r\n\r\n");
        copy
    });
    let copy = copy.and_then(|copy| parse(&copy).ok()).unwrap_or_default();
    let paths = values("Original-Mail-From").map(ToOwned::to_owned).chain(copy.return_path.clone());
    let return_path = paths.into_iter().find_map(|path| match own.recipient(&path) {
        Some(Recipient::Bounce { id, sig }) => Some((id, sig)),
        _ => None,
    });
    let addresses = values("Original-Rcpt-To").map(ToOwned::to_owned).chain(copy.to);
    Complaint {
        return_path,
        message_id: copy.message_id.filter(|id| own.is_own_message_id(id)),
        recipient: addresses.into_iter().find_map(|address| address.parse().ok()),
    }
}

/// Address in a field that may name its type, as in `rfc822; <ann@example.org>`.
fn bare(value: &str) -> &str {
    let value = value.split_once(';').map_or(value, |(_, value)| value);
    value.trim().trim_matches(['<', '>'])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(fields: &str, copy: &str) -> Complaint {
        let raw = format!(
            "From: fbl@provider.example\nSubject: FW: x\nMIME-Version: 1.0\n\
             Content-Type: multipart/report; report-type=feedback-report; boundary=b\n\n--b\n\nA complaint.\n\
             --b\nContent-Type: message/feedback-report\n\nFeedback-Type: abuse\n{fields}\n--b\n\
             Content-Type: message/rfc822\n\n{copy}\n--b--\n"
        );
        read_complaint(raw.replace('\n', "\r\n").as_bytes(), &OwnAddresses::new("games@example.org").unwrap())
    }

    #[test]
    fn a_complaint_names_the_mail_by_whatever_the_provider_left() {
        let path = Some(("17".to_owned(), "abc".to_owned()));
        let redacted = read("Original-Mail-From: <games+b.17.abc@example.org>\n", "Subject: x\n\nwords");
        assert_eq!(redacted, Complaint { return_path: path.clone(), ..Complaint::default() });
        let in_copy = read("", "Return-Path: <games+b.17.abc@example.org>\nSubject: x\n\nwords");
        assert_eq!(in_copy.return_path, path);
        let id = read("", "Message-ID: <knotpost.1@example.org>\nTo: ann@ann.example\n\nwords");
        assert_eq!(id.message_id.as_deref(), Some("knotpost.1@example.org"));
        assert_eq!(id.recipient.unwrap().to_string(), "ann@ann.example");
        let told = read("Original-Rcpt-To: rfc822; <bob@bob.example>\n", "To: ann@ann.example\n\nwords");
        assert_eq!(told.recipient.unwrap().to_string(), "bob@bob.example");
        let foreign = read("Original-Mail-From: eve@eve.example\n", "Message-ID: <1@eve.example>\n\n");
        assert_eq!(foreign, Complaint::default());
        assert_eq!(
            read_complaint(b"no mail", &OwnAddresses::new("g@x.example").unwrap()),
            Complaint::default()
        );
    }
}
