//! Results of SPF, DKIM and DMARC for a mail, as stored and shown to administrators.
//!
//! Neither the checks nor their consequences are here.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::words;

words! {
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    Verdict {
        Pass = "pass",
        Fail = "fail",
        SoftFail = "softfail",
        Neutral = "neutral",
        /// Nothing to check, or no means to check it.
        #[default]
        None = "none",
        TempError = "temperror",
        PermError = "permerror",
    }

    /// DMARC policy requested by a domain.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    DmarcPolicy {
        None = "none",
        Quarantine = "quarantine",
        Reject = "reject",
    }
}

impl Verdict {
    /// Parses the word of a header; `policy` (a pass that local policy does not count) is neutral, `hardfail`
    /// an old word.
    pub fn read(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "hardfail" => Some(Self::Fail),
            "policy" => Some(Self::Neutral),
            "skipped" => Some(Self::None),
            word => Self::from_word(word),
        }
    }
}

impl DmarcPolicy {
    pub fn read(word: &str) -> Option<Self> {
        Self::from_word(&word.to_ascii_lowercase())
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    #[default]
    Own,
    /// A trusted host, by its `Authentication-Results`.
    Host(String),
}

/// SPF (RFC 7208).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpfVerdict {
    pub result: Verdict,
    pub domain: String,
    /// For the HELO name.
    pub helo: Verdict,
}

/// DKIM, one signature (RFC 6376).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DkimVerdict {
    pub result: Verdict,
    pub domain: String,
    pub selector: String,
}

/// DMARC: alignment with the domain in From (RFC 7489).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DmarcVerdict {
    pub result: Verdict,
    pub domain: String,
    pub policy: Option<DmarcPolicy>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdicts {
    pub source: Source,
    pub spf: SpfVerdict,
    pub dkim: Vec<DkimVerdict>,
    pub dmarc: DmarcVerdict,
}

impl Verdicts {
    /// True if the mail provably comes from `domain`: by DMARC, or by SPF or DKIM of it or a parent domain.
    pub fn prove(&self, domain: &str) -> bool {
        let dmarc = self.dmarc.result == Verdict::Pass && is_same(&self.dmarc.domain, domain);
        let spf = self.spf.result == Verdict::Pass && speaks_for(&self.spf.domain, domain);
        let dkim = |signature: &DkimVerdict| {
            signature.result == Verdict::Pass && speaks_for(&signature.domain, domain)
        };
        dmarc || spf || self.dkim.iter().any(dkim)
    }

    /// Policy of the From domain, if DMARC failed.
    pub fn violated_policy(&self) -> Option<DmarcPolicy> {
        self.dmarc.policy.filter(|_| self.dmarc.result == Verdict::Fail)
    }

    /// True if DMARC may fail against a quarantine or reject policy, but DNS was too slow to tell.
    pub fn may_violate_policy(&self) -> bool {
        self.dmarc.result == Verdict::TempError
            && matches!(self.dmarc.policy, Some(DmarcPolicy::Reject | DmarcPolicy::Quarantine))
    }

    pub fn best_dkim(&self) -> Verdict {
        let results = || self.dkim.iter().map(|signature| signature.result);
        let order = [Verdict::Pass, Verdict::TempError, Verdict::Fail, Verdict::PermError, Verdict::Neutral];
        order.into_iter().find(|wanted| results().any(|result| result == *wanted)).unwrap_or_default()
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    pub fn from_json(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }
}

/// For administrators: `spf=pass (x.example) dkim=none dmarc=fail (x.example, reject)`.
impl fmt::Display for Verdicts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |domain: &str| if domain.is_empty() { String::new() } else { format!(" ({domain})") };
        write!(out, "spf={}{}", self.spf.result.as_str(), of(&self.spf.domain))?;
        if self.dkim.is_empty() {
            out.write_str(" dkim=none")?;
        }
        for signature in &self.dkim {
            write!(out, " dkim={}{}", signature.result.as_str(), of(&signature.domain))?;
        }
        let policy = self.dmarc.policy.map_or(String::new(), |policy| format!(", {}", policy.as_str()));
        write!(out, " dmarc={}", self.dmarc.result.as_str())?;
        if !self.dmarc.domain.is_empty() {
            write!(out, " ({}{policy})", self.dmarc.domain)?;
        }
        match &self.source {
            Source::Own => Ok(()),
            Source::Host(host) => write!(out, ", says {host}"),
        }
    }
}

fn is_same(one: &str, other: &str) -> bool {
    one.trim_end_matches('.').eq_ignore_ascii_case(other.trim_end_matches('.'))
}

/// A domain's owner also owns its subdomains. The reverse does not hold.
fn speaks_for(holder: &str, domain: &str) -> bool {
    let (holder, domain) = (holder.trim_end_matches('.'), domain.trim_end_matches('.'));
    let is_above = || {
        let split = domain.len().checked_sub(holder.len()).and_then(|at| domain.split_at_checked(at));
        split.is_some_and(|(before, tail)| before.ends_with('.') && tail.eq_ignore_ascii_case(holder))
    };
    holder.contains('.') && (is_same(holder, domain) || is_above())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spf(domain: &str) -> Verdicts {
        let spf = SpfVerdict { result: Verdict::Pass, domain: domain.to_owned(), helo: Verdict::None };
        Verdicts { spf, ..Verdicts::default() }
    }

    #[test]
    fn a_domain_speaks_for_itself_and_for_what_is_below_it() {
        assert!(spf("Example.org").prove("example.org"));
        assert!(spf("example.org").prove("mail.example.org"));
        assert!(!spf("mail.example.org").prove("example.org"), "a subdomain may be let to others");
        assert!(!spf("org").prove("example.org"), "nobody holds a whole top-level domain");
        assert!(!spf("ample.org").prove("example.org"));
        assert!(!spf("").prove(""));
    }

    #[test]
    fn only_a_pass_proves_anything() {
        let mut verdicts = Verdicts::default();
        verdicts.dmarc.domain = "example.org".to_owned();
        for result in [Verdict::Fail, Verdict::None, Verdict::TempError, Verdict::Neutral] {
            verdicts.dmarc.result = result;
            assert!(!verdicts.prove("example.org"));
        }
        verdicts.dmarc.result = Verdict::Pass;
        assert!(verdicts.prove("example.org") && !verdicts.prove("example.net"));
    }

    #[test]
    fn what_is_stored_reads_back() {
        let mut verdicts = spf("example.org");
        verdicts.source = Source::Host("mx.example.net".to_owned());
        verdicts.dkim.push(DkimVerdict {
            result: Verdict::TempError,
            domain: "example.org".to_owned(),
            selector: "s1".to_owned(),
        });
        verdicts.dmarc.policy = Some(DmarcPolicy::Quarantine);
        assert_eq!(Verdicts::from_json(&verdicts.to_json()), Some(verdicts.clone()));
        assert_eq!(
            verdicts.to_string(),
            "spf=pass (example.org) dkim=temperror (example.org) dmarc=none, says mx.example.net"
        );
        assert_eq!(Verdicts::from_json("not json"), None);
    }
}
