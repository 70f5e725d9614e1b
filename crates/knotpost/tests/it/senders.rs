//! Where mails come from: SPF, DKIM and DMARC against a name server of the test's own.

use std::time::Duration;

use knotpost_core::config::{AuthPolicy, Config};
use knotpost_model::{DmarcPolicy, Verdict, Verdicts};
use knotpost_transport::inbound::{Authenticator, Envelope, Way, parse};
use mail_auth::AuthenticatedMessage;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use tokio::time::Instant;

use crate::dns::{NameServer, Zone};

const RFC_8463: &str = include_str!("../fixtures/dkim/rfc8463.eml");
const BRISBANE: &str = "v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
const TEST: &str = "v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDkHlOQoBTzWRiGs5V6NpP3idY6Wk08a5qhdR6wy5bdOKb2jLQiY/J16JYi0Qvx/byYzCNb3W91y3FutACDfzwQ/BC/e/8uBsCR+yz1Lxj+PL6lHvqMKrM3rG4hstT5QjvHO9PzoxZyVYLzBfO2EeC3Ip3G+2kryOTIKT+l/K4w3QIDAQAB";

/// A mail of `ann@x.example`, with these headers on top.
fn mail(headers: &str) -> String {
    format!(
        "{headers}From: Ann <ann@x.example>\r\nSubject: help\r\nMessage-ID: <1@x.example>\r\n\r\nHello\r\n"
    )
}

fn from(peer: &str) -> Envelope {
    Envelope {
        way: Way::Smtp,
        peer: Some(peer.parse().unwrap()),
        helo: Some("mail.x.example".to_owned()),
        mail_from: Some("ann@x.example".to_owned()),
        recipients: vec!["games@knotpost.example".to_owned()],
    }
}

fn near(way: Way) -> Envelope {
    Envelope { way, ..from("127.0.0.1") }
}

struct Judge {
    authenticator: Authenticator,
    server: NameServer,
}

impl Judge {
    async fn with(zone: Zone, trusted: &[&str]) -> Self {
        let server = NameServer::start(zone).await;
        let mut config = Config::default();
        config.inbound.dns = vec![server.address.clone()];
        config.inbound.trusted_authserv = trusted.iter().map(|host| (*host).to_owned()).collect();
        Self { authenticator: Authenticator::new(&config), server }
    }

    async fn judge(&self, envelope: &Envelope, raw: &str) -> Verdicts {
        let message = parse(raw.as_bytes()).unwrap();
        self.authenticator.verify(envelope, raw.as_bytes(), &message).await.unwrap()
    }
}

#[tokio::test]
async fn spf_gives_every_verdict() {
    let inside = "192.0.2.7";
    for (record, peer, wanted) in [
        ("v=spf1 ip4:192.0.2.0/24 -all", inside, Verdict::Pass),
        ("v=spf1 ip4:192.0.2.0/24 -all", "198.51.100.1", Verdict::Fail),
        ("v=spf1 ip4:192.0.2.0/24 -all", "2001:db8::1", Verdict::Fail),
        ("v=spf1 ip6:2001:db8::/32 -all", "2001:db8::1", Verdict::Pass),
        ("v=spf1 ~all", inside, Verdict::SoftFail),
        ("v=spf1 ?all", inside, Verdict::Neutral),
        ("v=spf1 a:relay.x.example -all", inside, Verdict::Pass),
        ("v=spf1 mx -all", inside, Verdict::Pass),
        ("v=spf1 include:others.example -all", inside, Verdict::Pass),
        ("v=spf1 include:nowhere.example -all", inside, Verdict::PermError),
        ("v=spf1 include:broken.example -all", inside, Verdict::TempError),
        ("v=spf1 redirect=others.example", "198.51.100.1", Verdict::Neutral),
        ("something else", inside, Verdict::None),
    ] {
        let zone = Zone::default()
            .txt("x.example", record)
            .txt("others.example", "v=spf1 ip4:192.0.2.7")
            .failing("broken.example")
            .a("relay.x.example", [192, 0, 2, 7])
            .mx("x.example", "relay.x.example");
        let judge = Judge::with(zone, &[]).await;
        let spf = judge.judge(&from(peer), &mail("")).await.spf;
        assert_eq!((spf.result, spf.domain.as_str()), (wanted, "x.example"), "{record} from {peer}");
    }
}

#[tokio::test]
async fn the_name_of_the_host_is_judged_beside_the_return_path() {
    let zone = Zone::default().txt("mail.x.example", "v=spf1 ip4:192.0.2.7 -all");
    let judge = Judge::with(zone, &[]).await;
    let verdicts = judge.judge(&from("192.0.2.7"), &mail("")).await;
    assert_eq!((verdicts.spf.result, verdicts.spf.helo), (Verdict::None, Verdict::Pass));
    assert!(!verdicts.prove("x.example"), "a host's name is nobody's signature");
}

#[tokio::test]
async fn dmarc_asks_who_speaks_for_the_author() {
    let zone = || Zone::default().txt("_dmarc.x.example", "v=DMARC1; p=reject");
    let ours = "v=spf1 ip4:192.0.2.7 -all";
    let judge = Judge::with(zone().txt("x.example", ours), &[]).await;
    let good = judge.judge(&from("192.0.2.7"), &mail("")).await;
    assert_eq!((good.dmarc.result, good.dmarc.policy), (Verdict::Pass, Some(DmarcPolicy::Reject)));
    assert!(good.prove("x.example"));
    let forged = judge.judge(&from("192.0.2.8"), &mail("")).await;
    assert_eq!(forged.violated_policy(), Some(DmarcPolicy::Reject));
    assert_eq!(
        forged.to_string(),
        "spf=fail (x.example) dkim=none dmarc=fail (x.example, reject)",
        "as an administrator reads it"
    );

    // The return path of somebody else proves nothing, however well.
    let judge = Judge::with(zone().txt("evil.example", ours), &[]).await;
    let other = Envelope { mail_from: Some("ann@evil.example".to_owned()), ..from("192.0.2.7") };
    let forged = judge.judge(&other, &mail("")).await;
    assert_eq!((forged.spf.result, forged.dmarc.result), (Verdict::Pass, Verdict::Fail));
    assert!(!forged.prove("x.example"));

    // A subdomain of the same holder does, when the domain does not forbid it.
    let judge = Judge::with(zone().txt("bounces.x.example", ours), &[]).await;
    let own = Envelope { mail_from: Some("b1@bounces.x.example".to_owned()), ..from("192.0.2.7") };
    assert_eq!(judge.judge(&own, &mail("")).await.dmarc.result, Verdict::Pass);
}

#[tokio::test]
async fn a_domain_without_dmarc_asks_for_nothing() {
    let judge = Judge::with(Zone::default().txt("x.example", "v=spf1 -all"), &[]).await;
    let verdicts = judge.judge(&from("192.0.2.7"), &mail("")).await;
    assert_eq!((verdicts.spf.result, verdicts.dmarc.result), (Verdict::Fail, Verdict::None));
    assert_eq!(verdicts.violated_policy(), None);
}

#[tokio::test]
async fn broken_and_silent_name_servers_are_temporary_errors_in_time() {
    let zone = Zone::default().failing("x.example").txt("_dmarc.x.example", "v=DMARC1; p=reject");
    let broken = Judge::with(zone, &[]).await.judge(&from("192.0.2.7"), &mail("")).await;
    assert_eq!((broken.spf.result, broken.dmarc.result), (Verdict::TempError, Verdict::TempError));
    let start = Instant::now();
    let zone = Zone::default().silent("x.example").silent("mail.x.example").silent("_dmarc.x.example");
    let silent = Judge::with(zone, &[]).await.judge(&from("192.0.2.7"), &mail("")).await;
    assert_eq!((silent.spf.result, silent.dmarc.result), (Verdict::TempError, Verdict::TempError));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(silent.violated_policy(), None);
}

/// Whoever forges a mail also chooses its return path; its slow servers must not help the forger.
#[tokio::test]
async fn strange_name_servers_do_not_delay_the_authors_policy() {
    let zone = Zone::default().txt("_dmarc.x.example", "v=DMARC1; p=reject").silent("slow.example");
    let judge = Judge::with(zone, &[]).await;
    let forged = Envelope { mail_from: Some("a@slow.example".to_owned()), ..from("192.0.2.7") };
    let verdicts = judge.judge(&forged, &mail("")).await;
    assert_eq!((verdicts.spf.result, verdicts.dmarc.result), (Verdict::TempError, Verdict::Fail));
}

#[tokio::test]
async fn the_signatures_of_the_standard_hold_and_changed_mails_do_not() {
    let zone = Zone::default()
        .txt("brisbane._domainkey.football.example.com", BRISBANE)
        .txt("test._domainkey.football.example.com", TEST);
    let judge = Judge::with(zone, &[]).await;
    let results = async |raw: &str| {
        let verdicts = judge.judge(&near(Way::Pipe), raw).await;
        verdicts.dkim.iter().map(|signature| signature.result).collect::<Vec<_>>()
    };
    assert_eq!(results(RFC_8463).await, [Verdict::Pass; 2], "lines of a file");
    assert_eq!(results(&RFC_8463.replace('\n', "\r\n")).await, [Verdict::Pass; 2], "lines of a mail");
    assert_eq!(
        results(&format!("From joe Fri Jul 11\n{RFC_8463}")).await,
        [Verdict::Pass; 2],
        "in a mail box"
    );
    for (what, with) in [
        ("We lost", "We won"),
        ("Is dinner ready?", "osbox resign 101 joe"),
        ("joe@football", "ann@football"),
    ] {
        let changed = results(&RFC_8463.replace(what, with)).await;
        assert!(!changed.contains(&Verdict::Pass), "{what}: {changed:?}");
    }
    for added in
        ["Content-Type: text/html", "MIME-Version: 1.0", "content-type : multipart/mixed; boundary=Hi."]
    {
        let changed = results(&format!("{added}\n{RFC_8463}")).await;
        assert_eq!(changed, [Verdict::Neutral; 2], "the signatures do not cover {added}");
    }
    let second_subject = RFC_8463.replace("Subject: Is", "Subject: osbox resign 101\nSubject: Is");
    assert_eq!(
        results(&second_subject).await,
        [Verdict::Neutral; 2],
        "of two Subjects one is signed by nobody"
    );
    let old = RFC_8463.replace("a=rsa-sha256", "a=rsa-sha1");
    assert!(results(&old).await.contains(&Verdict::PermError), "SHA-1 has had its time");
    assert_eq!(results(&RFC_8463.replace("s=brisbane", "s=nowhere")).await[0], Verdict::PermError);
}

/// RFC 6376, section 3.6.1.
#[tokio::test]
async fn a_key_that_is_tried_out_proves_nothing() {
    let zone = |flags: &str| {
        Zone::default()
            .txt("brisbane._domainkey.football.example.com", &BRISBANE.replace("k=", &format!("{flags}k=")))
            .txt("_dmarc.football.example.com", "v=DMARC1; p=reject")
    };
    for (flags, dmarc, dkim) in [
        ("", Verdict::Pass, Verdict::Pass),
        ("t=s; ", Verdict::Pass, Verdict::Pass),
        ("t=y; ", Verdict::Fail, Verdict::PermError),
        ("t=s:y; ", Verdict::Fail, Verdict::PermError),
    ] {
        let verdicts = Judge::with(zone(flags), &[]).await.judge(&from("203.0.113.5"), RFC_8463).await;
        assert_eq!((verdicts.dmarc.result, verdicts.best_dkim()), (dmarc, dkim), "{flags}");
    }
}

/// Words that are not covered may be somebody else's, so they prove nothing; nor are they proof of a forgery.
#[tokio::test]
async fn a_signature_that_covers_too_little_asks_for_a_password() {
    let zone = Zone::default()
        .txt("brisbane._domainkey.football.example.com", BRISBANE)
        .txt("test._domainkey.football.example.com", TEST)
        .txt("_dmarc.football.example.com", "v=DMARC1; p=reject");
    let raw = format!("MIME-Version: 1.0\nContent-Type: text/plain\n{RFC_8463}");
    let verdicts = Judge::with(zone, &[]).await.judge(&from("203.0.113.5"), &raw).await;
    assert!(!verdicts.prove("football.example.com"));
    assert_eq!(verdicts.violated_policy(), None);
    assert!(verdicts.may_violate_policy(), "{verdicts:?}");
}

/// mail-auth asks about the author that it reads; what it finds out must not count for another one.
#[tokio::test]
async fn an_author_whom_only_one_of_two_parsers_reads_is_not_proven() {
    let zone =
        Zone::default().txt("evil.example", "v=spf1 +all").txt("_dmarc.evil.example", "v=DMARC1; p=none");
    let server = Judge::with(zone, &[]).await;
    let envelope = Envelope { mail_from: Some("e@evil.example".to_owned()), ..from("192.0.2.7") };
    let raw = mail("").replace("ann@x.example", "e@evil.example");
    let message = parse(mail("").as_bytes()).unwrap();
    let verdicts = server.authenticator.verify(&envelope, raw.as_bytes(), &message).await.unwrap();
    assert_eq!((verdicts.dmarc.result, verdicts.dmarc.domain.as_str()), (Verdict::Fail, "x.example"));
    assert_eq!(verdicts.violated_policy(), Some(DmarcPolicy::Reject));
    assert!(!verdicts.prove("x.example"));
    let message = parse(raw.as_bytes()).unwrap();
    let verdicts = server.authenticator.verify(&envelope, raw.as_bytes(), &message).await.unwrap();
    assert_eq!(verdicts.dmarc.result, Verdict::Pass);
}

/// A server of the forger that may speak for the author's domain, and never answers.
#[tokio::test]
async fn a_slow_sibling_of_the_authors_domain_does_not_hide_its_policy() {
    let zone = Zone::default()
        .txt("_dmarc.x.co.example", "v=DMARC1; p=reject")
        .silent("s._domainkey.evil.co.example");
    let signature = "DKIM-Signature: v=1; a=rsa-sha256; c=simple/simple; d=evil.co.example; s=s; h=from; \
                     bh=Ba3gj8+xBPQLJTahTfzW6RbWQ/XPgESxkCi2B66PSQg=; b=AAAA\r\n";
    let raw = mail(signature).replace("ann@x.example", "ann@x.co.example");
    let verdicts = Judge::with(zone, &[]).await.judge(&from("192.0.2.7"), &raw).await;
    assert_eq!(verdicts.violated_policy(), None);
    assert!(verdicts.may_violate_policy(), "{verdicts:?}");
}

proptest! {
    /// Whatever stands in a header that is taken, mail-auth and this server read the same fields that matter.
    #[test]
    fn both_parsers_read_the_same_fields(lines in vec(select(HEADER_LINES), 0..8)) {
        let raw = lines.concat() + "\r\nbody\r\n";
        if let Ok(message) = parse(raw.as_bytes()) {
            let read = AuthenticatedMessage::parse(raw.as_bytes()).expect("a header");
            let authors: Vec<String> = message.from.iter().map(|author| author.to_lowercase()).collect();
            prop_assert_eq!(read.froms(), authors.as_slice());
            let subjects = read.headers.iter().filter(|(name, _)| name.trim_ascii().eq_ignore_ascii_case(b"subject"));
            prop_assert_eq!(subjects.count() > 0, !message.subject.is_empty());
        }
    }
}

/// Lines of headers, some of which are no fields.
const HEADER_LINES: &[&str] = &[
    "From: a@x.example\r\n",
    "from : b@x.example\r\n",
    "FROM:\r\n c@x.example\r\n",
    "F rom: d@x.example\r\n",
    "From\t: Ann <e@x.example>,\r\n\tf@x.example\r\n",
    "From: group: g@x.example, h@x.example;\r\n",
    "Subject: help\r\n",
    "SUBJECT : list\r\n",
    "Sub ject: resign\r\n",
    "X-A: b\r\n",
    "X-A:\r\n",
    ":\r\n",
    " \r\n",
    "\t\r\n",
    " From: i@x.example\r\n",
    "no field\r\n",
    "To: k@x.example\r\n",
];

#[tokio::test]
async fn a_signature_proves_its_domain_even_through_other_hands() {
    let zone = Zone::default()
        .txt("brisbane._domainkey.football.example.com", BRISBANE)
        .txt("test._domainkey.football.example.com", TEST)
        .txt("_dmarc.football.example.com", "v=DMARC1; p=reject");
    let judge = Judge::with(zone, &[]).await;
    for envelope in [near(Way::Pipe), near(Way::Maildir), near(Way::Lmtp), from("203.0.113.5")] {
        let verdicts = judge.judge(&envelope, RFC_8463).await;
        assert_eq!(verdicts.dmarc.result, Verdict::Pass, "{envelope:?}");
        assert!(verdicts.prove("football.example.com") && !verdicts.prove("x.example"));
    }
    let tampered = RFC_8463.replace("lost", "won");
    let near = judge.judge(&near(Way::Pipe), &tampered).await.dmarc.result;
    assert_eq!(near, Verdict::None, "SPF might have passed where the mail came in");
    let far = judge.judge(&from("203.0.113.5"), &tampered).await.dmarc.result;
    assert_eq!(far, Verdict::Fail);
}

#[tokio::test]
async fn nothing_is_asked_about_unsigned_mail_of_this_machine() {
    let judge = Judge::with(Zone::default().txt("x.example", "v=spf1 -all"), &[]).await;
    for way in [Way::Smtp, Way::Lmtp, Way::Pipe, Way::Http, Way::Maildir] {
        assert_eq!(judge.judge(&near(way), &mail("")).await, Verdicts::default());
    }
    assert_eq!(judge.server.asked(), 0);
    judge.judge(&from("::ffff:192.0.2.7"), &mail("")).await;
    assert!(judge.server.asked() > 0);
}

#[tokio::test]
async fn hundreds_of_signatures_cost_no_more_than_five() {
    let judge = Judge::with(Zone::default(), &[]).await;
    let signature = |n: usize| {
        format!(
            "DKIM-Signature: v=1; a=rsa-sha256; d=d{n}.example; s=s; h=from; bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=; b=AAAA\r\n"
        )
    };
    let raw = mail(&(0..400).map(signature).collect::<String>());
    let verdicts = judge.judge(&near(Way::Pipe), &raw).await;
    assert_eq!(verdicts.dkim.len(), 5);
    assert!(judge.server.asked() <= 30, "{}", judge.server.asked());
}

const TRUSTED: &str = "Authentication-Results: mx.knotpost.example; dmarc=pass header.from=x.example\r\n";

#[tokio::test]
async fn a_trusted_host_is_believed_when_it_wrote_last() {
    let judge = Judge::with(Zone::default(), &["MX.knotpost.example"]).await;
    let proven = async |envelope: &Envelope, headers: &str| {
        judge.judge(envelope, &mail(headers)).await.prove("x.example")
    };
    for way in [Way::Smtp, Way::Lmtp, Way::Pipe, Way::Http, Way::Maildir] {
        assert!(proven(&near(way), TRUSTED).await, "{way:?}");
    }
    let received = "Received: from a by b; Fri, 20 Nov 2026 10:00:00 +0000\r\n";
    assert!(proven(&near(Way::Smtp), &format!("{received}{TRUSTED}")).await);
    let other = "Authentication-Results: mx.evil.example; dmarc=fail header.from=x.example\r\n";
    assert!(proven(&near(Way::Smtp), &format!("{TRUSTED}{other}")).await, "what came with the mail is below");

    assert!(!proven(&near(Way::Smtp), &format!("{other}{TRUSTED}")).await, "somebody wrote after it");
    let own = "Authentication-Results: mx.knotpost.example; dmarc=fail header.from=x.example\r\n";
    assert!(!proven(&near(Way::Smtp), &format!("{own}{TRUSTED}")).await, "forged in its name, but below");
    assert!(!proven(&near(Way::Smtp), &format!("{own}{received}{TRUSTED}")).await);
    let elsewhere = TRUSTED.replace("header.from=x", "header.from=y");
    assert!(!proven(&near(Way::Smtp), &elsewhere).await, "another domain passed");
    assert!(!proven(&from("203.0.113.5"), TRUSTED).await, "not handed over by that host");
}

#[tokio::test]
async fn a_trusted_host_elsewhere_is_known_by_its_address() {
    let zone = Zone::default().txt("x.example", "v=spf1 -all").txt("_dmarc.x.example", "v=DMARC1; p=reject");
    let judge = Judge::with(zone, &["mx.knotpost.example 203.0.113.5 2001:db8::5"]).await;
    for peer in ["203.0.113.5", "::ffff:203.0.113.5", "2001:db8::5", "127.0.0.1"] {
        assert!(judge.judge(&from(peer), &mail(TRUSTED)).await.prove("x.example"), "{peer}");
    }
    let forged = judge.judge(&from("203.0.113.6"), &mail(TRUSTED)).await;
    assert_eq!(forged.violated_policy(), Some(DmarcPolicy::Reject));
    // That host lets mail in for everybody: what SPF says of its own address is no verdict on a sender.
    let unmarked = judge.judge(&from("203.0.113.5"), &mail("")).await;
    assert_eq!(unmarked, Verdicts::default());
}

#[tokio::test]
async fn without_a_policy_nobody_looks() {
    let server = NameServer::start(Zone::default()).await;
    let mut config = Config::default();
    config.inbound.dns = vec![server.address.clone()];
    config.inbound.auth_policy = AuthPolicy::Off;
    let raw = mail("");
    let message = parse(raw.as_bytes()).unwrap();
    let verdicts = Authenticator::new(&config).verify(&from("192.0.2.7"), raw.as_bytes(), &message).await;
    assert_eq!((verdicts, server.asked()), (None, 0));
}
