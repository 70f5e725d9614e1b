//! Applies the configured policy to the verdicts on a mail. A temporary error never refuses a mail.

use knotpost_core::config::AuthPolicy;
use knotpost_core::requests::Credit;
use knotpost_model::{DmarcPolicy, Verdicts};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::inbound) enum Ruling {
    Believed,
    /// The address in From does not count; a password does.
    Unproven,
    /// The domain in From wants the mail refused.
    Refused,
}

impl Ruling {
    pub(in crate::inbound) fn credit(self) -> Credit {
        match self {
            Self::Believed => Credit::Believed,
            Self::Unproven | Self::Refused => Credit::Unproven,
        }
    }
}

/// `domain` is the author's; without verdicts the mail was not checked.
pub(in crate::inbound) fn rule(policy: AuthPolicy, verdicts: Option<&Verdicts>, domain: &str) -> Ruling {
    let violated = || verdicts.and_then(Verdicts::violated_policy);
    let is_doubtful = || verdicts.is_some_and(Verdicts::may_violate_policy);
    match policy {
        AuthPolicy::Off | AuthPolicy::Annotate => Ruling::Believed,
        AuthPolicy::RequireForTokens if verdicts.is_some_and(|verdicts| verdicts.prove(domain)) => {
            Ruling::Believed
        }
        AuthPolicy::RequireForTokens => Ruling::Unproven,
        AuthPolicy::RejectFail => match violated() {
            Some(DmarcPolicy::Reject) => Ruling::Refused,
            // There is no quarantine for moves: such a mail needs a password.
            Some(DmarcPolicy::Quarantine) => Ruling::Unproven,
            // Name servers that a forger chose may be slow on purpose.
            _ if is_doubtful() => Ruling::Unproven,
            Some(DmarcPolicy::None) | None => Ruling::Believed,
        },
    }
}

pub(in crate::inbound) fn refusal(domain: &str) -> String {
    format!(
        "{domain} asks for the refusal of mail in its name that fails DMARC, as this one does; \
         send it through the mail server of {domain}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use knotpost_model::Verdict;

    fn verdicts(dmarc: Verdict, policy: Option<DmarcPolicy>) -> Verdicts {
        let mut verdicts = Verdicts::default();
        (verdicts.dmarc.result, verdicts.dmarc.policy) = (dmarc, policy);
        verdicts.dmarc.domain = "x.example".to_owned();
        verdicts
    }

    #[test]
    fn by_default_verdicts_change_nothing() {
        let forged = verdicts(Verdict::Fail, Some(DmarcPolicy::Reject));
        for policy in [AuthPolicy::Off, AuthPolicy::Annotate] {
            assert_eq!(rule(policy, Some(&forged), "x.example"), Ruling::Believed);
            assert_eq!(rule(policy, None, "x.example"), Ruling::Believed);
        }
    }

    #[test]
    fn tokens_may_ask_for_proof() {
        let policy = AuthPolicy::RequireForTokens;
        assert_eq!(rule(policy, Some(&verdicts(Verdict::Pass, None)), "X.example"), Ruling::Believed);
        for result in [Verdict::Fail, Verdict::None, Verdict::TempError] {
            let found = verdicts(result, Some(DmarcPolicy::Reject));
            assert_eq!(rule(policy, Some(&found), "x.example"), Ruling::Unproven);
        }
        assert_eq!(rule(policy, None, "x.example"), Ruling::Unproven);
    }

    #[test]
    fn only_what_its_domain_wants_refused_is_refused() {
        let ruling =
            |result, policy| rule(AuthPolicy::RejectFail, Some(&verdicts(result, policy)), "x.example");
        assert_eq!(ruling(Verdict::Fail, Some(DmarcPolicy::Reject)), Ruling::Refused);
        assert_eq!(ruling(Verdict::Fail, Some(DmarcPolicy::Quarantine)), Ruling::Unproven);
        assert_eq!(ruling(Verdict::Fail, Some(DmarcPolicy::None)), Ruling::Believed);
        assert_eq!(ruling(Verdict::Fail, None), Ruling::Believed);
        for policy in [DmarcPolicy::Reject, DmarcPolicy::Quarantine] {
            assert_eq!(ruling(Verdict::TempError, Some(policy)), Ruling::Unproven);
        }
        assert_eq!(ruling(Verdict::TempError, Some(DmarcPolicy::None)), Ruling::Believed);
        assert_eq!(ruling(Verdict::TempError, None), Ruling::Believed);
        assert_eq!(ruling(Verdict::None, None), Ruling::Believed);
    }
}
