//! The signs by which answering machines and mail systems are told from people: headers, Subjects, names of senders.

use super::phrases::{AWAY, COMPLAINTS, REPORTS, Table};

/// Words after `auto`, `auto-`, `auto_` or `auto ` in the headers of answering machines.
const AFTER_AUTO: [&str; 6] = ["respon", "submitted", "replied", "reply", "generated", "answer"];
const PARTS: [&str; 3] = ["holidayreply", "machinegenerated", "machine-generated"];
/// Values that deny what the name of a header says.
const DENIALS: [&str; 6] = ["", "no", "false", "0", "none", "off"];
/// Headers whose values name programs or kinds of mail.
const KINDS: [&str; 8] = [
    "precedence",
    "x-precedence",
    "preference",
    "x-apple-action",
    "x-mailer",
    "x-mail-software",
    "user-agent",
    "delivered-to",
];

/// True for a header that marks an automatic reply; `name` is in lower case. `Auto-Submitted` has values of its own,
/// and `X-Auto-Response-Suppress`, which people's mail carries too, speaks of the answer.
pub(super) fn is_of_machine(name: &str, value: &str) -> bool {
    let value = value.to_lowercase();
    if name == "auto-submitted" || name.contains("suppress") {
        return false;
    }
    if KINDS.contains(&name) {
        return !value.contains('@') && (says_automatic(&value) || value.starts_with("vacation"));
    }
    // Lists of fields, and addresses, may hold the name of any header.
    let is_own_word = name.starts_with("x-") || name.starts_with("auto");
    let denies = || DENIALS.contains(&value.trim_matches([' ', '"']));
    let says = says_automatic(name) || name.contains("vacation") || name == "x-otrs-loop";
    is_own_word && says && !denies()
        || name == "x-failed-recipients"
        || name.starts_with("x-")
            && value.len() <= 40
            && !is_of_filter(name)
            && !value.contains('@')
            && says_automatic(&value)
}

/// True for headers that filters and mail systems on the way write.
fn is_of_filter(name: &str) -> bool {
    [
        "x-spam",
        "x-ms-",
        "x-microsoft",
        "x-forefront",
        "x-google",
        "x-original",
        "x-loop",
        "x-topic",
        "x-subject",
    ]
    .iter()
    .any(|known| name.starts_with(known))
        || name.contains("signature")
}

fn says_automatic(text: &str) -> bool {
    let after_auto = |rest: &str| {
        let rest = rest.strip_prefix(['-', '_', ' ']).unwrap_or(rest);
        AFTER_AUTO.iter().any(|known| rest.starts_with(known))
    };
    text.match_indices("auto").any(|(at, auto)| text.get(at + auto.len()..).is_some_and(after_auto))
        || PARTS.iter().any(|known| text.contains(known))
}

/// True for the Subject of an automatic reply. An answer to one (`Re: Automatic reply`) is a person's.
pub fn is_away_subject(subject: &str) -> bool {
    let subject = bare(subject);
    begins(&AWAY, &subject)
        || subject.ends_with(" is out of the office")
        || subject.contains(" is out of the office ")
}

/// True for the Subject of a report that a mail was not delivered.
pub fn is_report_subject(subject: &str) -> bool {
    begins(&REPORTS, &bare(subject))
}

/// True for the Subject of a complaint about mail.
pub fn is_complaint_subject(subject: &str) -> bool {
    begins(&COMPLAINTS, &bare(subject))
}

fn begins(table: &Table, subject: &str) -> bool {
    table.candidates(subject).any(|entry| subject.starts_with(entry))
}

/// Lower case, one blank between words, without the bracketed marks that gateways put in front; the words of a mark
/// that announces an automatic reply stay.
fn bare(subject: &str) -> String {
    let subject = subject.to_lowercase().replace('\u{a0}', " ");
    let mut rest = subject.trim_start_matches(['*', ' ', '"']);
    while let Some((mark, after)) = rest.strip_prefix(['[', '(']).and_then(|rest| rest.split_once([']', ')']))
    {
        if begins(&AWAY, mark) {
            return mark.to_owned();
        }
        rest = after.trim_start();
    }
    rest.split_whitespace().collect::<Vec<_>>().join(" ") + " "
}

/// True if a mail system writes under this name, in any spelling.
pub fn is_mailer(address: &str) -> bool {
    matches!(
        squeezed(address).as_str(),
        "mailerdaemon" | "maildaemon" | "maildeliverysubsystem" | "doublebounce"
    )
}

/// True if nobody reads at this address.
pub fn is_no_reply(address: &str) -> bool {
    const NAMES: [&str; 11] = [
        "noreply",
        "noreplies",
        "donotreply",
        "dontreply",
        "bounce",
        "bounces",
        "ndr",
        "autoreply",
        "autoresponder",
        "autoresponse",
        "autoanswer",
    ];
    let local = local_part(address);
    let tagged = ["noreply", "no-reply", "no_reply", "donotreply", "do-not-reply", "bounces"];
    let has_tag =
        |name: &&str| local.strip_prefix(*name).is_some_and(|rest| rest.starts_with(['-', '_', '.', '=']));
    NAMES.contains(&squeezed(address).as_str()) || tagged.iter().any(has_tag)
}

/// True for the postmaster's name, under which mail systems write, and people too.
pub fn is_postmaster(address: &str) -> bool {
    local_part(address) == "postmaster"
}

fn squeezed(address: &str) -> String {
    let mut name = local_part(address);
    name.retain(|c| c.is_ascii_alphanumeric());
    name
}

/// The name without tag and domain, in lower case.
fn local_part(address: &str) -> String {
    let local = address.rsplit_once('@').map_or(address, |(local, _)| local);
    local.split('+').next().unwrap_or_default().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_machines_are_told_from_those_of_people() {
        for (name, value) in [
            ("x-autoreply", "yes"),
            ("x-autorespond", "Re: hello"),
            ("x-auto-reply-from", "ann@ann.example"),
            ("x-mail-autoreply", "yes"),
            ("x-autogenerated", "Reply"),
            ("x-fc-machinegenerated", "true"),
            ("x-vacation", "on"),
            ("x-auto_replied", "1"),
            ("x-apple-action", "VACATION"),
            ("precedence", "auto_reply"),
            ("precedence", "Auto-Reply"),
            ("x-precedence", "auto_reply"),
            ("preference", "auto_reply"),
            ("x-otrs-loop", "True"),
            ("delivered-to", "Autoresponder"),
            ("x-mailer", "Vacation 1.2"),
            ("user-agent", "AutoResponder"),
            ("x-type", "auto-reply"),
            ("x-failed-recipients", "ann@ann.example"),
            ("autoresponded", "yes"),
        ] {
            assert!(is_of_machine(name, value), "{name}: {value}");
        }
        for (name, value) in [
            ("x-auto-response-suppress", "DR, OOF, AutoReply"),
            ("auto-submitted", "no"),
            ("x-autoreply", "no"),
            ("x-autogenerated", "false"),
            ("dkim-signature", "h=from:auto-submitted:x-auto-response-suppress"),
            ("x-google-dkim-signature", "h=from:auto-submitted"),
            ("x-spam-status", "tests=AUTO_REPLY"),
            ("x-ms-exchange-organization-x", "auto-reply"),
            ("precedence", "list"),
            ("x-mailer", "Autopilot Mail 3"),
            ("delivered-to", "autoreply@ann.example"),
            ("references", "<autoreply-1@ann.example>"),
            ("x-topic", "Vacation photographs"),
            ("x-otrs-loop", "no"),
            ("autocrypt", "addr=ann@ann.example"),
        ] {
            assert!(!is_of_machine(name, value), "{name}: {value}");
        }
    }

    #[test]
    fn subjects_of_machines_are_told_from_those_of_people() {
        for subject in [
            "Auto reply: Osbox Board 101 ann",
            "[Auto-Reply] Osbox chat 101 bob",
            "Automatische Antwort: x",
            "Réponse automatique : x",
            "Réponse\u{a0}automatique\u{a0}: x",
            "Out of Office AutoReply: x",
            "AUTO: Ann Meier is out of the office (returning 12/03/2026)",
            "Ann Meier is out of the office",
            "[EXTERNAL] Automatic reply: x",
            "Автоматический ответ: x",
            "自动回复: x",
            "Automātiskā atbilde: x",
        ] {
            assert!(is_away_subject(subject), "{subject}");
        }
        for subject in [
            "Re: Automatic reply: Osbox Board 101 ann",
            "AW: Automatische Antwort: x",
            "vacation ann ann-secret 5",
            "osbox move 101 ann ann-secret a8",
            "Re: Osbox Board 101 ann",
            "automatic",
            "autobahn",
            "",
        ] {
            assert!(!is_away_subject(subject), "{subject}");
        }
        for subject in
            ["Mail delivery failed: returning message to sender", "Undeliverable: x", "Unzustellbar: x"]
        {
            assert!(is_report_subject(subject), "{subject}");
            assert!(!is_report_subject(&format!("Re: {subject}")), "{subject}");
        }
        assert!(is_complaint_subject("complaint about message from 192.0.2.25"));
        assert!(!is_complaint_subject("Re: complaint about message from 192.0.2.25"));
    }

    #[test]
    fn names_under_which_programs_write() {
        for name in [
            "no-reply",
            "NoReply",
            "do.not.reply",
            "bounces",
            "bounce",
            "ndr",
            "noreply-17",
            "bounces-1-ann=a.b",
        ] {
            assert!(is_no_reply(&format!("{name}@x.example")), "{name}");
        }
        for name in ["bouncer", "ann.bounce", "reply", "noreen", "andrea", "bounce-house", "noreplyann"] {
            assert!(!is_no_reply(&format!("{name}@x.example")), "{name}");
        }
    }
}
