//! Receipts of what was committed: the reply to the host or program that delivered a mail.

use super::intake::Receipt;
use knotpost_core::intake::{BudgetKind, Committed, QueueLimit};

/// The reply about a mail that was committed or put off.
pub(super) fn receipt_of(committed: Committed) -> Receipt {
    match committed {
        Committed::Recorded => Receipt::Stored { text: "kept".to_owned() },
        Committed::Executed(reason) => Receipt::Stored { text: reason.to_string() },
        Committed::Queued => Receipt::Stored { text: "queued".to_owned() },
        Committed::BudgetSpent(budget) => put_off_for_budget(budget),
        Committed::QueueFull(limit) => put_off_for_queue(&limit),
    }
}

/// A budget for answers that several senders share is spent: sent again later, the mail may be answered.
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

/// The mail cannot be queued. The sender's server keeps it and tries again.
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
