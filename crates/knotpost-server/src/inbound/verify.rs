//! The questions that DNS is asked about one mail, and the verdicts that its answers make.
//!
//! Knows the standards through mail-auth. Whom to believe, and whether to ask at all, is decided in `authenticate`.

use std::net::IpAddr;
use std::time::Duration;

use futures_util::future::{join, join3};
use mail_auth::common::crypto::Algorithm;
use mail_auth::common::headers::Header;
use mail_auth::dkim::Signature;
use mail_auth::dmarc::Policy;
use mail_auth::dmarc::verify::DmarcParameters;
use mail_auth::spf::verify::SpfParameters;
use mail_auth::{
    AuthenticatedMessage, DkimOutput, DkimResult, DmarcOutput, DmarcResult, MessageAuthenticator, Parameters,
    SpfOutput, SpfResult,
};
use tokio::time::{Instant, timeout_at};

use crate::domain::{DkimVerdict, DmarcPolicy, DmarcVerdict, Source, SpfVerdict, Verdict, Verdicts};

/// SPF and DKIM, which ask the servers of whoever the mail names, are answered in this time ...
const FIRST: Duration = Duration::from_secs(2);
/// ... and DMARC, which asks those of the author's domain, within this. What is not counts as a temporary error.
const LAST: Duration = Duration::from_secs(3);
/// So many signatures of a mail are looked at.
const MOST_SIGNATURES: usize = 5;
/// More fields than this are named by no honest signature.
const MOST_SIGNED_FIELDS: usize = 200;
/// Fields that a mail has once. Of a second one a signature says nothing, and readers may take either.
const SINGLE: &[&str] =
    &["From", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type", "Content-Transfer-Encoding"];

/// A mail and its signatures, as far as they are worth looking at.
pub(super) struct SignedMail<'a> {
    /// With the signatures that could speak for its author.
    related: AuthenticatedMessage<'a>,
    /// With those of others.
    strange: AuthenticatedMessage<'a>,
    /// Signatures that do not count, however they look.
    set_aside: Vec<DkimVerdict>,
}

impl<'a> SignedMail<'a> {
    /// `None` when there are no headers.
    pub(super) fn read(raw: &'a [u8]) -> Option<Self> {
        let mut mail = AuthenticatedMessage::parse(without_envelope_line(raw))?;
        mail.errors.truncate(MOST_SIGNATURES);
        let is_sound = SINGLE.iter().all(|name| count_fields(&mail, name) <= 1);
        let author =
            mail.from.first().and_then(|from| from.rsplit_once('@')).map_or("", |(_, domain)| domain);
        let (mut related, mut strange, mut set_aside) = (Vec::new(), Vec::new(), Vec::new());
        for header in std::mem::take(&mut mail.dkim_headers) {
            if !is_sound || !can_count(&header.header) {
                let result = if is_sound { Verdict::PermError } else { Verdict::Neutral };
                set_aside.push(DkimVerdict { result, ..named(&header.header) });
            } else if are_related(&header.header.d, author) {
                related.push(header);
            } else {
                strange.push(header);
            }
        }
        related.truncate(MOST_SIGNATURES);
        strange.truncate(MOST_SIGNATURES - related.len());
        set_aside.truncate(MOST_SIGNATURES);
        let with =
            |dkim_headers: Vec<Header<'a, Signature>>| AuthenticatedMessage { dkim_headers, ..mail.clone() };
        let mut strange = with(strange);
        let related = with(related);
        // What cannot be read as a signature is told once.
        strange.errors.clear();
        Some(Self { related, strange, set_aside })
    }

    /// Whether it bears a signature, of whatever worth.
    pub(super) fn is_signed(&self) -> bool {
        let none = self.related.dkim_headers.is_empty() && self.strange.dkim_headers.is_empty();
        !(none && self.set_aside.is_empty())
    }
}

/// Mail boxes put a line `From …` above the headers.
fn without_envelope_line(raw: &[u8]) -> &[u8] {
    if !raw.starts_with(b"From ") && !raw.starts_with(b">From ") {
        return raw;
    }
    raw.iter().position(|byte| *byte == b'\n').and_then(|end| raw.get(end + 1..)).unwrap_or_default()
}

fn count_fields(mail: &AuthenticatedMessage<'_>, name: &str) -> usize {
    let is_named = |field: &[u8]| field.trim_ascii_end().eq_ignore_ascii_case(name.as_bytes());
    mail.headers.iter().filter(|(field, _)| is_named(field)).count()
}

/// RFC 6376, section 5.4, asks for From; RFC 8301 ends SHA-1.
fn can_count(signature: &Signature) -> bool {
    signature.h.len() <= MOST_SIGNED_FIELDS
        && signature.a != Algorithm::RsaSha1
        && signature.h.iter().any(|name| name.eq_ignore_ascii_case("From"))
}

/// Whether two domains could belong together: nothing that DMARC calls aligned is left out.
fn are_related(one: &str, other: &str) -> bool {
    let tail = |domain: &str| -> Vec<String> {
        domain.trim_end_matches('.').rsplit('.').take(2).map(str::to_ascii_lowercase).collect()
    };
    tail(one) == tail(other)
}

fn named(signature: &Signature) -> DkimVerdict {
    let domain = signature.d.to_ascii_lowercase();
    DkimVerdict { result: Verdict::None, domain, selector: signature.s.clone() }
}

/// The host that brought a mail for its sender.
#[derive(Clone, Copy)]
pub(super) struct Host<'a> {
    pub(super) address: IpAddr,
    /// The name it gave itself.
    pub(super) helo: &'a str,
    /// The return path; empty: the null path.
    pub(super) mail_from: &'a str,
    /// Whether it counts against the mail that this host may not send for its sender's domain.
    pub(super) can_fail: bool,
}

/// Everything that is asked about one mail.
pub(super) struct Question<'a> {
    pub(super) verifier: &'a MessageAuthenticator,
    pub(super) mail: &'a SignedMail<'a>,
    /// `None`: whoever brought it did so for everybody, and SPF has nothing to say.
    pub(super) host: Option<Host<'a>>,
    pub(super) own_name: &'a str,
}

impl Question<'_> {
    /// The verdicts, after [`LAST`] at the latest. `author` is the domain in From.
    pub(super) async fn answer(&self, author: &str) -> Verdicts {
        let start = Instant::now();
        let (spf, related, strange) = join3(
            self.ask_spf(start + FIRST),
            self.ask_dkim(&self.mail.related, start + FIRST),
            self.ask_dkim(&self.mail.strange, start + FIRST),
        )
        .await;
        let (spf, helo) = spf;
        let dmarc = self.ask_dmarc(&spf, related.as_deref(), start + LAST).await;
        let dmarc = DmarcVerdict { domain: author.to_ascii_lowercase(), ..dmarc };
        let mut dkim = verdicts(&self.mail.related, related.as_deref());
        dkim.extend(verdicts(&self.mail.strange, strange.as_deref()));
        dkim.extend(self.mail.set_aside.iter().cloned());
        dkim.truncate(MOST_SIGNATURES);
        let spf =
            SpfVerdict { result: of_spf(spf.result()), domain: spf.domain().to_ascii_lowercase(), helo };
        Verdicts { source: Source::Own, spf, dkim, dmarc }
    }

    /// SPF for the return path and for the name that the host gave itself.
    async fn ask_spf(&self, deadline: Instant) -> (SpfOutput, Verdict) {
        let Some(Host { address, helo, mail_from, can_fail }) = self.host else {
            return (SpfOutput::default(), Verdict::None);
        };
        let domain = mail_from.rsplit_once('@').map_or("", |(_, domain)| domain);
        let path = SpfParameters::verify_mail_from(address, helo, self.own_name, mail_from);
        let name = SpfParameters::verify_ehlo(address, helo, self.own_name);
        let (path, name) = join(
            timeout_at(deadline, self.verifier.verify_spf(path)),
            timeout_at(deadline, self.verifier.verify_spf(name)),
        )
        .await;
        let late = |_| SpfOutput::new(domain.to_owned()).with_result(SpfResult::TempError);
        let path = if domain.is_empty() { SpfOutput::default() } else { path.unwrap_or_else(late) };
        if !can_fail {
            // All that can be said is that the mail comes from its sender's domain. No name was told to be judged.
            let passed = path.result() == SpfResult::Pass;
            return (if passed { path } else { SpfOutput::default() }, Verdict::None);
        }
        (path, name.map_or(Verdict::TempError, |name| of_spf(name.result())))
    }

    /// `None`: not in time.
    async fn ask_dkim<'m>(
        &self,
        mail: &'m AuthenticatedMessage<'m>,
        deadline: Instant,
    ) -> Option<Vec<DkimOutput<'m>>> {
        timeout_at(deadline, self.verifier.verify_dkim(mail)).await.ok()
    }

    async fn ask_dmarc(
        &self,
        spf: &SpfOutput,
        dkim: Option<&[DkimOutput<'_>]>,
        deadline: Instant,
    ) -> DmarcVerdict {
        let parameters = Parameters::new(DmarcParameters {
            message: &self.mail.related,
            dkim_output: dkim.unwrap_or_default(),
            dkim2_output: None,
            rfc5321_mail_from_domain: spf.domain(),
            spf_output: spf,
        });
        let Ok(output) = timeout_at(deadline, self.verifier.verify_dmarc(parameters)).await else {
            return DmarcVerdict { result: Verdict::TempError, ..DmarcVerdict::default() };
        };
        let result = match of_dmarc(&output) {
            Verdict::Fail if dkim.is_none() => Verdict::TempError,
            // SPF was not asked and might have passed where the mail came in.
            Verdict::Fail if self.host.is_none_or(|host| !host.can_fail) => Verdict::None,
            result => result,
        };
        DmarcVerdict { result, policy: policy(&output), ..DmarcVerdict::default() }
    }
}

/// The verdicts on the signatures of `mail`; without outputs DNS was too slow.
fn verdicts(mail: &AuthenticatedMessage<'_>, outputs: Option<&[DkimOutput<'_>]>) -> Vec<DkimVerdict> {
    let Some(outputs) = outputs else {
        let late = |header: &Header<'_, Signature>| DkimVerdict {
            result: Verdict::TempError,
            ..named(&header.header)
        };
        return mail.dkim_headers.iter().map(late).collect();
    };
    let verdict = |output: &DkimOutput<'_>| DkimVerdict {
        result: of_dkim(output.result()),
        ..output.signature().map(named).unwrap_or_default()
    };
    outputs.iter().map(verdict).collect()
}

fn of_spf(result: SpfResult) -> Verdict {
    match result {
        SpfResult::Pass => Verdict::Pass,
        SpfResult::Fail => Verdict::Fail,
        SpfResult::SoftFail => Verdict::SoftFail,
        SpfResult::Neutral => Verdict::Neutral,
        SpfResult::TempError => Verdict::TempError,
        SpfResult::PermError => Verdict::PermError,
        SpfResult::None => Verdict::None,
    }
}

fn of_dkim(result: &DkimResult) -> Verdict {
    match result {
        DkimResult::Pass => Verdict::Pass,
        DkimResult::Fail(_) => Verdict::Fail,
        DkimResult::Neutral(_) => Verdict::Neutral,
        DkimResult::TempError(_) => Verdict::TempError,
        DkimResult::PermError(_) => Verdict::PermError,
        DkimResult::None => Verdict::None,
    }
}

fn of_dmarc(output: &DmarcOutput) -> Verdict {
    match output.result() {
        DmarcResult::Pass => Verdict::Pass,
        DmarcResult::Fail(_) => Verdict::Fail,
        DmarcResult::TempError(_) => Verdict::TempError,
        DmarcResult::PermError(_) => Verdict::PermError,
        DmarcResult::None => Verdict::None,
    }
}

fn policy(output: &DmarcOutput) -> Option<DmarcPolicy> {
    output.dmarc_record()?;
    Some(match output.policy() {
        Policy::Reject => DmarcPolicy::Reject,
        Policy::Quarantine => DmarcPolicy::Quarantine,
        Policy::None | Policy::Unspecified => DmarcPolicy::None,
    })
}
