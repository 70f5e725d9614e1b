//! What commands of a mail session may cost, and the mails that are sent in it.

use knotpost_transport::inbound::smtp::Command;

use super::{Cost, cost};

/// What a command line begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::costs) enum Word {
    /// A command that the listener knows.
    Of(Command),
    /// A line that it does not look at: too long, or with another line end.
    Malformed,
    /// Anything else.
    Unknown,
}

/// What a command line may cost, whatever follows the command.
#[derive(Debug)]
pub(in crate::costs) struct CommandRow {
    pub(in crate::costs) word: Word,
    /// What is said before it, so that it is heard.
    pub(in crate::costs) before: &'static [&'static str],
    /// The smallest and the largest lines: `{line}` is as long as a line may be, `{99}` stands for that many bytes.
    pub(in crate::costs) lines: &'static [&'static str],
    pub(in crate::costs) cost: Cost,
}

/// Nothing but a reply of a line or a few: the database is not asked. The shortest commands take most of a processor for
/// each KiB, half a millisecond.
const SAID: Cost = cost(0, 0, 0, 600).asks(0, 0).takes(20, 10_000);

const fn row(word: Word, before: &'static [&'static str], lines: &'static [&'static str]) -> CommandRow {
    CommandRow { word, before, lines, cost: SAID }
}

const fn of(command: Command, lines: &'static [&'static str]) -> CommandRow {
    row(Word::Of(command), &["EHLO victim.example"], lines)
}

/// A row for every command.
pub(in crate::costs) const COMMANDS: &[CommandRow] = &[
    row(Word::Of(Command::Ehlo), &[], &["EHLO a", "EHLO {255}", "EHLO {line}"]),
    row(Word::Of(Command::Lhlo), &[], &["LHLO a", "LHLO {255}", "LHLO {line}"]),
    row(Word::Of(Command::Helo), &[], &["HELO a", "HELO {255}", "HELO {line}"]),
    of(
        Command::Mail,
        &[
            "MAIL FROM:<>",
            "MAIL FROM:<v@victim.example> SIZE=262144 BODY=8BITMIME SMTPUTF8",
            "MAIL FROM:<v@victim.example> SIZE=99999999999999999999",
            "MAIL FROM:<{240}@victim.example>",
            "MAIL FROM:<{line}@victim.example>",
            "MAIL FROM:<v@victim.example> ENVID={line}",
            "MAIL FROM:<v@victim.example> {line}=1",
        ],
    ),
    row(
        Word::Of(Command::Rcpt),
        &["EHLO victim.example", "MAIL FROM:<v@victim.example>"],
        &[
            "RCPT TO:<games@knotpost.example>",
            "RCPT TO:<postmaster>",
            "RCPT TO:<unknown@knotpost.example>",
            "RCPT TO:<v@victim.example>",
            "RCPT TO:<games+{200}@knotpost.example>",
            "RCPT TO:<{line}@knotpost.example>",
            "RCPT TO:<games@knotpost.example> ORCPT=rfc822;{line}",
        ],
    ),
    // Without a transaction; what a message costs is in `MAILS`.
    of(Command::Data, &["DATA", "DATA {line}"]),
    // Not offered: what follows it is read as commands, and soon there are too many errors.
    of(Command::Bdat, &["BDAT 0", "BDAT 262144 LAST", "BDAT 1 {line}"]),
    of(Command::Rset, &["RSET", "RSET {line}"]),
    of(Command::Noop, &["NOOP", "NOOP {line}"]),
    of(Command::Quit, &["QUIT", "QUIT {line}"]),
    of(Command::Help, &["HELP", "HELP {line}"]),
    of(Command::Vrfy, &["VRFY a", "VRFY {256}", "VRFY {line}"]),
    of(Command::Expn, &["EXPN a", "EXPN {256}", "EXPN {line}"]),
    // Not followed by a handshake: the listener waits for one and ends the session with the client.
    of(Command::StartTls, &["STARTTLS", "STARTTLS {line}"]),
    of(Command::Auth, &["AUTH PLAIN", "AUTH PLAIN {line}", "AUTH {line}"]),
    of(Command::Etrn, &["ETRN a", "ETRN {line}"]),
    of(Command::Atrn, &["ATRN a,b,c,d,e,f,g,h", "ATRN {line}"]),
    of(Command::Burl, &["BURL imap://a LAST", "BURL {line}"]),
    row(Word::Unknown, &[], &["XCLIENT ADDR=127.0.0.1", "GET / HTTP/1.1", "", "{line}"]),
    row(Word::Malformed, &[], &["NOOP\rRSET", "NOOP {100000}"]),
];

/// What a mail is larger by.
#[derive(Clone, Copy, Debug)]
pub(in crate::costs) enum Grows {
    /// The last field of its head.
    Field,
    /// Fields of its head.
    Head,
    /// Its body.
    Body,
}

/// What a mail may cost that is made of one thing, as much of it as fits.
#[derive(Debug)]
pub(in crate::costs) struct MailRow {
    pub(in crate::costs) what: &'static str,
    pub(in crate::costs) head: &'static str,
    pub(in crate::costs) grows: Grows,
    pub(in crate::costs) unit: &'static str,
    /// Bytes of the largest such mail that is read; a larger one meets a limit of the reader before.
    pub(in crate::costs) most_read: usize,
    pub(in crate::costs) cost: Cost,
}

/// One answer. The rows: the mail that came, its mark, the answer, its budgets. The bytes: a reply for each of a hundred
/// recipients.
const ANSWERED: Cost = cost(1, 4_000, 8, 6_000).asks(60, 20).takes(200, 8_000);

const fn mail(
    what: &'static str,
    head: &'static str,
    grows: Grows,
    unit: &'static str,
    most_read: usize,
) -> MailRow {
    MailRow { what, head, grows, unit, most_read, cost: ANSWERED }
}

/// Nothing of it meets a limit before the mail itself is too large.
const ALL: usize = usize::MAX;
/// The limit of one field.
const FIELD: usize = 30 * 1024;
/// The limit of a head.
const HEAD: usize = 112 * 1024;
/// A field of 250 bytes, of which a head may have as many as fit.
const LONG_FIELD: &str = "X-Field: 890123456789012345678901234567890123456789012345678901234567890123456789\r\n \
                          0123456789012345678901234567890123456789012345678901234567890123456789012345678901\r\n \
                          012345678901234567890123456789012345678901234567890123456789012345678901234567\r\n";

/// Mails that are expensive to read, each of one kind.
pub(in crate::costs) const MAILS: &[MailRow] = &[
    mail("words", "Subject: help\r\n", Grows::Body, "words of a mail that are many\r\n", ALL),
    mail("empty lines", "Subject: help\r\n", Grows::Body, "\r\n", ALL),
    mail("one long line", "Subject: help\r\n", Grows::Body, "x", ALL),
    mail("quoted lines", "Subject: help\r\n", Grows::Body, "> > > > x\r\n", ALL),
    mail("attributions", "Subject: help\r\n", Grows::Body, "On 2026 a@b.example wrote:\r\n\r\n> \r\n", ALL),
    mail("commands", "Subject: multiple\r\n", Grows::Body, "osbox show 101 102 103\r\n", ALL),
    mail("commands without a Subject", "", Grows::Body, "osbox show 101\r\n", ALL),
    mail("markup", "Subject: help\r\nContent-Type: text/html\r\n", Grows::Body, "<div><p>", ALL),
    mail(
        "quotes in markup",
        "Subject: help\r\nContent-Type: text/html\r\n",
        Grows::Body,
        "<blockquote>",
        ALL,
    ),
    mail("entities", "Subject: help\r\nContent-Type: text/html\r\n", Grows::Body, "&amp;&#64;", ALL),
    mail(
        "escapes",
        "Subject: help\r\nContent-Transfer-Encoding: quoted-printable\r\n",
        Grows::Body,
        "=C3=A4",
        ALL,
    ),
    mail(
        "base64",
        "Subject: help\r\nContent-Transfer-Encoding: base64\r\n",
        Grows::Body,
        "YWJjIGFiYyBh\r\n",
        ALL,
    ),
    mail(
        "flowed text",
        "Subject: help\r\nContent-Type: text/plain; format=flowed; delsp=yes\r\n",
        Grows::Body,
        "words \r\n",
        ALL,
    ),
    mail(
        "parts",
        "Subject: help\r\nContent-Type: multipart/mixed; boundary=b\r\n",
        Grows::Body,
        "--b\r\n\r\nwords\r\n",
        2_600,
    ),
    mail(
        "parts in parts",
        "Subject: help\r\nContent-Type: multipart/mixed; boundary=b\r\n",
        Grows::Body,
        "--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n",
        900,
    ),
    mail(
        "reports",
        "Subject: help\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n",
        Grows::Body,
        "--b\r\nContent-Type: message/delivery-status\r\n\r\nFinal-Recipient: rfc822; a@b.example\r\nStatus: 5.1.1\r\n\r\n",
        20_000,
    ),
    mail("fields", "Subject: help\r\n", Grows::Head, "X: y\r\n", 2_900),
    mail("long fields", "Subject: help\r\n", Grows::Head, LONG_FIELD, HEAD),
    mail("Subjects", "", Grows::Head, "Subject: osbox show 101 102 103 104\r\n", 18_000),
    mail(
        "hops",
        "Subject: help\r\n",
        Grows::Head,
        "Received: from a (b [192.0.2.1]) by c; Fri, 20 Nov 2026 10:00:00 +0000\r\n",
        35_000,
    ),
    mail(
        "verdicts",
        "Subject: help\r\n",
        Grows::Head,
        "Authentication-Results: a; dkim=pass header.d=victim.example\r\n",
        30_000,
    ),
    mail(
        "signatures",
        "Subject: help\r\n",
        Grows::Head,
        "DKIM-Signature: v=1; a=rsa-sha256; d=victim.example; s=s; h=from; bh=; b=\r\n",
        36_000,
    ),
    mail("a long Subject", "Subject: help", Grows::Field, "\r\n osbox", FIELD),
    mail("encoded words", "Subject: help", Grows::Field, "\r\n =?utf-8?q?=41?=", FIELD),
    mail("references", "Subject: help\r\nReferences:", Grows::Field, "\r\n <a@b.example>", FIELD),
    mail("recipients", "Subject: help\r\nCc: a@b.example", Grows::Field, ",\r\n a@b.example", FIELD),
    mail("senders", "Subject: help\r\nReply-To: a@b.example", Grows::Field, ",\r\n a@b.example", FIELD),
    mail("comments", "Subject: help\r\nReply-To: a@b.example ", Grows::Field, "(((((((((\r\n ", FIELD),
];
