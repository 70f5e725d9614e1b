//! The DNS queries about one mail, and the verdicts that follow from their answers.
//!
//! Knows the standards through mail-auth. Trust in hosts is decided in the module above.

use std::net::IpAddr;
use std::time::Duration;

use futures_util::future::{join, join3};
use mail_auth::common::cache::NoCache;
use mail_auth::common::crypto::Algorithm;
use mail_auth::common::headers::Header;
use mail_auth::common::verify::{DomainKey, VerifySignature as _};
use mail_auth::dkim::Signature;
use mail_auth::dmarc::Policy;
use mail_auth::dmarc::verify::DmarcParameters;
use mail_auth::spf::verify::SpfParameters;
use mail_auth::{
    AuthenticatedMessage, DkimOutput, DkimResult, DmarcOutput, DmarcResult, MessageAuthenticator, Parameters,
    SpfOutput, SpfResult,
};
use tokio::time::{Instant, timeout_at};

use knotpost_mail::without_envelope_line;
use knotpost_model::{DkimVerdict, DmarcPolicy, DmarcVerdict, Source, SpfVerdict, Verdict, Verdicts};

/// Limit of SPF and DKIM: they query the servers of domains that the mail names.
const SPF_DKIM_TIMEOUT: Duration = Duration::from_secs(2);
/// Limit of all checks, including DMARC, which queries the author's domain. A check that takes longer is a temporary
/// error.
const ALL_CHECKS_TIMEOUT: Duration = Duration::from_secs(3);
const MAX_SIGNATURES: usize = 5;
const MAX_SIGNED_FIELDS: usize = 200;
/// Fields that a mail may have once. A signature does not cover a second one, and mail programs may show either.
const SINGLE: &[&str] =
    &["From", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type", "Content-Transfer-Encoding"];

/// Fields that decide how a mail is read. A signature that does not cover one of them proves nothing: somebody else
/// may have written it.
const DECISIVE: &[&str] = &["Subject", "Content-Type", "MIME-Version"];

/// Flag `y` of a key, by the number that mail-auth gives it without a public name.
const ON_TRIAL: u64 = 0x10;

/// A mail with those of its signatures that are checked.
pub(in crate::inbound) struct SignedMail<'a> {
    /// Holds the signatures of domains that may be aligned with the author's.
    related: AuthenticatedMessage<'a>,
    /// Holds the other signatures.
    strange: AuthenticatedMessage<'a>,
    set_aside: Vec<DkimVerdict>,
    /// Domain in From, as this server reads it; empty without exactly one author.
    author: &'a str,
    /// True if mail-auth, which checks the policy of the author's domain, reads another author.
    is_disputed: bool,
    decisive: Vec<&'static str>,
}

impl<'a> SignedMail<'a> {
    /// `author` is the domain in From. `None` without headers.
    pub(in crate::inbound) fn read(raw: &'a [u8], author: &'a str) -> Option<Self> {
        let mut mail = AuthenticatedMessage::parse(without_envelope_line(raw))?;
        mail.errors.truncate(MAX_SIGNATURES);
        let is_disputed = !author.is_empty() && !is_by(&mail, author);
        let is_sound = !is_disputed && SINGLE.iter().all(|name| count_fields(&mail, name) <= 1);
        let decisive = DECISIVE.iter().copied().filter(|name| count_fields(&mail, name) > 0).collect();
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
        related.truncate(MAX_SIGNATURES);
        strange.truncate(MAX_SIGNATURES - related.len());
        set_aside.truncate(MAX_SIGNATURES);
        let with =
            |dkim_headers: Vec<Header<'a, Signature>>| AuthenticatedMessage { dkim_headers, ..mail.clone() };
        let mut strange = with(strange);
        let related = with(related);
        // Signatures that cannot be parsed are reported once.
        strange.errors.clear();
        Some(Self { related, strange, set_aside, author, is_disputed, decisive })
    }

    /// True if a signature covers all [`DECISIVE`] fields of the mail.
    fn is_covered_by(&self, signature: &Signature) -> bool {
        let covers = |wanted: &&str| signature.h.iter().any(|name| name.trim().eq_ignore_ascii_case(wanted));
        self.decisive.iter().all(covers)
    }

    /// True with any signature, valid or not.
    pub(in crate::inbound) fn is_signed(&self) -> bool {
        let none = self.related.dkim_headers.is_empty() && self.strange.dkim_headers.is_empty();
        !(none && self.set_aside.is_empty())
    }
}

/// True if mail-auth reads one author, of this domain.
fn is_by(mail: &AuthenticatedMessage<'_>, domain: &str) -> bool {
    let [author] = mail.froms() else { return false };
    author.rsplit_once('@').is_some_and(|(_, read)| read.to_lowercase() == domain.to_lowercase())
}

fn count_fields(mail: &AuthenticatedMessage<'_>, name: &str) -> usize {
    let is_named = |field: &[u8]| field.trim_ascii_end().eq_ignore_ascii_case(name.as_bytes());
    mail.headers.iter().filter(|(field, _)| is_named(field)).count()
}

/// RFC 6376, section 5.4, asks for From; RFC 8301 ends SHA-1.
fn can_count(signature: &Signature) -> bool {
    signature.h.len() <= MAX_SIGNED_FIELDS
        && signature.a != Algorithm::RsaSha1
        && signature.h.iter().any(|name| name.eq_ignore_ascii_case("From"))
}

/// Wider than DMARC's alignment, never narrower.
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

#[derive(Clone, Copy)]
pub(in crate::inbound) struct Host<'a> {
    pub(in crate::inbound) address: IpAddr,
    pub(in crate::inbound) helo: &'a str,
    /// Empty for the null path.
    pub(in crate::inbound) mail_from: &'a str,
    /// True if an SPF failure of this host counts against the mail.
    pub(in crate::inbound) can_fail: bool,
}

struct Checked<'m> {
    outputs: Vec<DkimOutput<'m>>,
    /// Valid signatures that do not cover all [`DECISIVE`] fields.
    partial: Vec<DkimVerdict>,
}

pub(in crate::inbound) struct Question<'a> {
    pub(in crate::inbound) verifier: &'a MessageAuthenticator,
    pub(in crate::inbound) mail: &'a SignedMail<'a>,
    /// `None` if the host passes on mail of all senders, so that SPF does not apply.
    pub(in crate::inbound) host: Option<Host<'a>>,
    pub(in crate::inbound) own_name: &'a str,
}

impl Question<'_> {
    /// Answers after [`ALL_CHECKS_TIMEOUT`] at the latest.
    pub(in crate::inbound) async fn answer(&self) -> Verdicts {
        let start = Instant::now();
        let (spf, related, strange) = join3(
            self.ask_spf(start + SPF_DKIM_TIMEOUT),
            self.ask_dkim(&self.mail.related, start + SPF_DKIM_TIMEOUT),
            self.ask_dkim(&self.mail.strange, start + SPF_DKIM_TIMEOUT),
        )
        .await;
        let (spf, helo) = spf;
        let dmarc = self.ask_dmarc(&spf, related.as_ref(), start + ALL_CHECKS_TIMEOUT).await;
        let dmarc = DmarcVerdict { domain: self.mail.author.to_ascii_lowercase(), ..dmarc };
        let mut dkim = verdicts(&self.mail.related, related.as_ref());
        dkim.extend(verdicts(&self.mail.strange, strange.as_ref()));
        dkim.extend(self.mail.set_aside.iter().cloned());
        dkim.truncate(MAX_SIGNATURES);
        let spf =
            SpfVerdict { result: of_spf(spf.result()), domain: spf.domain().to_ascii_lowercase(), helo };
        Verdicts { source: Source::Own, spf, dkim, dmarc }
    }

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
            // A mail from its sender's domain passes; there is no greeting to check.
            let passed = path.result() == SpfResult::Pass;
            return (if passed { path } else { SpfOutput::default() }, Verdict::None);
        }
        (path, name.map_or(Verdict::TempError, |name| of_spf(name.result())))
    }

    /// `None` if DNS is too slow.
    async fn ask_dkim<'m>(
        &self,
        mail: &'m AuthenticatedMessage<'m>,
        deadline: Instant,
    ) -> Option<Checked<'m>> {
        timeout_at(deadline, self.check_signatures(mail)).await.ok()
    }

    async fn check_signatures<'m>(&self, mail: &'m AuthenticatedMessage<'m>) -> Checked<'m> {
        let mut checked = Checked { outputs: Vec::new(), partial: Vec::new() };
        for output in self.verifier.verify_dkim(mail).await {
            match output.signature().filter(|_| *output.result() == DkimResult::Pass) {
                Some(signature) if self.is_on_trial(signature).await => {}
                Some(signature) if !self.mail.is_covered_by(signature) => {
                    checked.partial.push(DkimVerdict { result: Verdict::Neutral, ..named(signature) });
                }
                _ => checked.outputs.push(output),
            }
        }
        checked
    }

    /// True if the domain only tries out its key: such mail is as good as unsigned (RFC 6376, section 3.6.1). The
    /// answer is cached from the check.
    async fn is_on_trial(&self, signature: &Signature) -> bool {
        let key = self.verifier.txt_lookup::<DomainKey>(signature.domain_key(), None::<&NoCache<_, _>>).await;
        key.map_or(true, |key| key.has_flag(ON_TRIAL))
    }

    async fn ask_dmarc(
        &self,
        spf: &SpfOutput,
        dkim: Option<&Checked<'_>>,
        deadline: Instant,
    ) -> DmarcVerdict {
        if self.mail.is_disputed {
            // The answer would be about somebody else.
            let policy = Some(DmarcPolicy::Reject);
            return DmarcVerdict { result: Verdict::Fail, policy, ..DmarcVerdict::default() };
        }
        let parameters = Parameters::new(DmarcParameters {
            message: &self.mail.related,
            dkim_output: dkim.map(|checked| checked.outputs.as_slice()).unwrap_or_default(),
            dkim2_output: None,
            rfc5321_mail_from_domain: spf.domain(),
            spf_output: spf,
        });
        let Ok(output) = timeout_at(deadline, self.verifier.verify_dmarc(parameters)).await else {
            return DmarcVerdict { result: Verdict::TempError, ..DmarcVerdict::default() };
        };
        let result = match of_dmarc(&output) {
            Verdict::Fail if dkim.is_none() => Verdict::TempError,
            // The domain may have sent it or not; under a strict policy a password is asked for.
            Verdict::Fail if dkim.is_some_and(|checked| !checked.partial.is_empty()) => Verdict::TempError,
            // SPF was not checked, and may have passed where the mail came in.
            Verdict::Fail if self.host.is_none_or(|host| !host.can_fail) => Verdict::None,
            result => result,
        };
        DmarcVerdict { result, policy: policy(&output), ..DmarcVerdict::default() }
    }
}

/// Verdicts on the signatures of `mail`; without `checked` DNS was too slow.
fn verdicts(mail: &AuthenticatedMessage<'_>, checked: Option<&Checked<'_>>) -> Vec<DkimVerdict> {
    let Some(Checked { outputs, partial }) = checked else {
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
    outputs.iter().map(verdict).chain(partial.iter().cloned()).collect()
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
