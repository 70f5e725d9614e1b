//! Bounces without a machine-readable part, in the manner of the mail servers that write them.

use knotpost_model::BounceKind;
use knotpost_model::BounceKind::{Hard, Soft};

pub(super) const REPORTS: &[(&str, &str, Option<BounceKind>)] = &[
    (
        "qmail, nobody",
        "From: MAILER-DAEMON@mx.example\nSubject: failure notice\n\n\
         Hi. This is the qmail-send program at mx.example.\n\
         I'm afraid I wasn't able to deliver your message to the following addresses.\n\
         This is a permanent error; I've given up. Sorry it didn't work out.\n\n\
         <ann@b.example>:\nSorry, no mailbox here by that name. (#5.1.1)\n\n\
         --- Below this line is a copy of the message.\n\nSubject: 4.2.2 is in here\n",
        Some(Hard),
    ),
    (
        "qmail, too long in the queue",
        "From: MAILER-DAEMON@mx.example\nSubject: failure notice\n\n\
         Hi. This is the qmail-send program at mx.example.\n\n\
         <ann@b.example>:\n10.1.2.3 does not like recipient.\n\
         I'm not going to try again; this message has been in the queue too long. (#4.4.7)\n",
        Some(Soft),
    ),
    (
        "Postfix, nobody",
        "From: MAILER-DAEMON@mx.example (Mail Delivery System)\nSubject: Undelivered Mail Returned to Sender\n\n\
         This is the mail system at host mx.example.\n\n\
         I'm sorry to have to inform you that your message could not\nbe delivered to one or more recipients.\n\n\
         <ann@b.example>: host mail.b.example[5.6.7.8] said: 550 5.1.1\n    \
         <ann@b.example>: Recipient address rejected: User unknown in local\n    recipient table (in reply to RCPT TO command)\n",
        Some(Hard),
    ),
    (
        "Postfix, a policy",
        "From: MAILER-DAEMON@mx.example\nSubject: Undelivered Mail Returned to Sender\n\n\
         <ann@b.example>: host mail.b.example[5.6.7.8] said: 554 5.7.1 Service\n    unavailable; client blocked\n",
        Some(Soft),
    ),
    (
        "Exim, no route",
        "From: Mail Delivery System <Mailer-Daemon@mx.example>\n\
         Subject: Mail delivery failed: returning message to sender\n\n\
         This message was created automatically by mail delivery software.\n\n\
         A message that you sent could not be delivered to one or more of its\nrecipients. \
         This is a permanent error. The following address(es) failed:\n\n  \
         ann@b.example\n    Unrouteable address\n\n\
         ------ This is a copy of the message, including all the headers. ------\n\n450 later\n",
        Some(Hard),
    ),
    (
        "Exim, a warning",
        "From: Mail Delivery System <Mailer-Daemon@mx.example>\n\
         Subject: Warning: message 1abcde-000000-00 delayed 24 hours\n\n\
         This message was created automatically by mail delivery software.\n\
         A message that you sent has not yet been delivered to one or more of its\n\
         recipients after more than 24 hours on the queue on mx.example.\n\n\
         No action is required on your part. Delivery attempts will continue for some time.\n\n  \
         ann@b.example\n    Delay reason: SMTP timeout, 451 4.4.1 connection timed out\n",
        None,
    ),
    (
        "Exchange, nobody",
        "From: postmaster@b.example\nSubject: Undeliverable: Osbox Board 7 ann\n\n\
         Delivery has failed to these recipients or groups:\n\nann@b.example\n\
         The email address you entered couldn't be found.\n\n\
         Diagnostic information for administrators:\n\
         Remote Server returned '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup'\n",
        Some(Hard),
    ),
    (
        "Exchange, full",
        "From: postmaster@b.example\nSubject: Undeliverable: Osbox Board 7 ann\n\n\
         ann@b.example\nThe recipient's mailbox is full and can't accept messages now.\n\
         #554 5.2.2 mailbox full ##\n",
        Some(Soft),
    ),
    (
        "Gmail, nobody",
        "From: Mail Delivery Subsystem <mailer-daemon@googlemail.example>\n\
         Subject: Delivery Status Notification (Failure)\n\n** Address not found **\n\n\
         Your message wasn't delivered to ann@b.example because the address couldn't be found.\n\n\
         The response from the remote server was:\n\
         550 5.1.1 The email account that you tried to reach does not exist.\n",
        Some(Hard),
    ),
    (
        "Gmail, a delay",
        "From: Mail Delivery Subsystem <mailer-daemon@googlemail.example>\n\
         Subject: Delivery Status Notification (Delay)\n\n** Delivery incomplete **\n\n\
         There was a temporary problem delivering your message to ann@b.example.\n\
         Gmail will retry for 47 more hours.\n",
        None,
    ),
    (
        "sendmail, in the old days",
        "From: Mail Delivery Subsystem <MAILER-DAEMON@mx.example>\nSubject: Returned mail: see transcript for details\n\n\
         The original message was received at Fri, 20 Nov 2026 10:00:00 GMT\n\n   \
         ----- The following addresses had permanent fatal errors -----\n<ann@b.example>\n    \
         (reason: 550 Host unknown)\n\n   ----- Transcript of session follows -----\n550 5.1.2 Host unknown\n",
        Some(Hard),
    ),
    (
        "Exim, a dead mailbox behind an alias",
        "From: Mail Delivery System <Mailer-Daemon@mx.example>\n\
         Subject: Mail delivery failed: returning message to sender\n\n\
         This is a permanent error. The following address(es) failed:\n\n  \
         dora@other.example\n    (generated from ann@b.example)\n    \
         host mx.other.example [192.0.2.9]: 550 no such user here\n",
        Some(Soft),
    ),
    (
        "an explanation without a reason",
        "From: MAILER-DAEMON@mx.example\nSubject: Undelivered mail\n\n\
         We were unable to deliver your mail to ann@b.example.\n",
        Some(Soft),
    ),
    (
        "a mail that was delivered",
        "From: MAILER-DAEMON@mx.example\nSubject: Delivery Status Notification (Relay)\n\n\
         Your mail to ann@b.example was passed on.\n",
        None,
    ),
];
