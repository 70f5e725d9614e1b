//! Receipts: the reply to the host or program that delivered a mail.

use super::intake::Receipt;
use knotpost_core::intake::{BudgetKind, Committed, QueueLimit};

pub(super) fn receipt_of(committed: Committed) -> Receipt {
    match committed {
        Committed::Recorded => Receipt::Stored { text: "kept".to_owned() },
        Committed::Executed(reason) => Receipt::Stored { text: reason.to_string() },
        Committed::Queued => Receipt::Stored { text: "queued".to_owned() },
        Committed::BudgetSpent(budget) => put_off_for_budget(budget),
        Committed::QueueFull(limit) => put_off_for_queue(&limit),
    }
}

/// Several senders share this budget: sent again later, the mail may be answered.
fn put_off_for_budget(budget: BudgetKind) -> Receipt {
    let whose = match budget {
        BudgetKind::Domain => "addresses of this domain",
        BudgetKind::Host => "mail of your host",
        BudgetKind::All | BudgetKind::Address | BudgetKind::User | BudgetKind::Same | BudgetKind::Chats => {
            "mail whose sender is not proven"
        }
    };
    let text = format!("too many answers went to {whose} within the hour; try again later");
    Receipt::TryLater { code: 450, enhanced: "4.7.1", text }
}

/// The sender's server keeps the mail and tries again.
fn put_off_for_queue(limit: &QueueLimit) -> Receipt {
    let (enhanced, whose) = match limit {
        QueueLimit::Host => ("4.7.1", " from your host".to_owned()),
        QueueLimit::Sender => ("4.7.1", " from your address".to_owned()),
        QueueLimit::Domain(domain) => ("4.7.1", format!(" from {domain}")),
        QueueLimit::Total => ("4.3.1", String::new()),
    };
    let text = format!("too many mails{whose} wait here to be processed; please try again in a few minutes");
    Receipt::TryLater { code: 451, enhanced, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put_off(committed: Committed) -> String {
        match receipt_of(committed) {
            Receipt::TryLater { code, enhanced, text } => format!("{code} {enhanced} {text}"),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_full_queue_names_the_limit_that_was_met() {
        let later = "wait here to be processed; please try again in a few minutes";
        let full = |limit| put_off(Committed::QueueFull(limit));
        assert_eq!(full(QueueLimit::Host), format!("451 4.7.1 too many mails from your host {later}"));
        assert_eq!(full(QueueLimit::Sender), format!("451 4.7.1 too many mails from your address {later}"));
        let domain = QueueLimit::Domain("x.example".to_owned());
        assert_eq!(full(domain), format!("451 4.7.1 too many mails from x.example {later}"));
        assert_eq!(full(QueueLimit::Total), format!("451 4.3.1 too many mails {later}"));
    }

    #[test]
    fn a_spent_budget_names_those_who_share_it() {
        let spent = |budget| put_off(Committed::BudgetSpent(budget));
        let sentence =
            |whose| format!("450 4.7.1 too many answers went to {whose} within the hour; try again later");
        assert_eq!(spent(BudgetKind::Domain), sentence("addresses of this domain"));
        assert_eq!(spent(BudgetKind::Host), sentence("mail of your host"));
        assert_eq!(spent(BudgetKind::All), sentence("mail whose sender is not proven"));
    }
}
