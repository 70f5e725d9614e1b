//! Admin actions as values, and their names in the audit log.

use super::boards::BoardAction;
use crate::admin::UserEdit;
use crate::config::StrangerPolicy;
use crate::mailing::MailChange;
use knotpost_model::{BoardRef, UserKey, words};
use knotpost_storage::{MailQueue, NewAudit};

/// Characters.
const LONGEST_DETAIL: usize = 300;

words! {
    AdminChannel {
        Shell = "shell",
        Web = "web",
        Api = "api",
    }
}

#[derive(Clone, Debug)]
pub struct Administrator {
    pub channel: AdminChannel,
    /// Userid, or for the shell the operating system's user.
    pub name: String,
    /// Checked for the role again when the action is carried out; `None` for the shell.
    pub user: Option<UserKey>,
}

impl Administrator {
    pub fn of_shell(name: impl Into<String>) -> Self {
        Self { channel: AdminChannel::Shell, name: name.into(), user: None }
    }

    pub(super) fn entry(
        &self,
        action: &'static str,
        subject: &str,
        outcome: &'static str,
        detail: &str,
    ) -> NewAudit {
        NewAudit {
            channel: self.channel.as_str(),
            actor: one_line(&self.name),
            action,
            subject: one_line(subject),
            subject_user: None,
            outcome,
            detail: one_line(detail),
        }
    }
}

#[derive(Clone, Debug)]
pub enum AdminAction {
    User {
        userid: String,
        edit: UserEdit,
    },
    Board {
        board: BoardRef,
        action: BoardAction,
        /// Reason told to the players; may be empty.
        why: String,
    },
    /// A board from one seat, which may show more than the public view.
    LookAs {
        board: BoardRef,
        seat: u8,
    },
    Mail {
        queue: MailQueue,
        id: i64,
        change: MailChange,
    },
    StartAddress {
        address: String,
    },
    Block {
        target: String,
        reason: String,
    },
    Unblock {
        target: String,
    },
    Strangers {
        /// `None`: back to the configuration.
        policy: Option<StrangerPolicy>,
    },
    /// Takes effect at the next start.
    Hold {
        /// True holds mails, false releases them.
        on: bool,
    },
    Broadcast {
        text: String,
    },
}

/// Actions by the words of forms and programs, each made of its arguments.
pub type Acts<A> = [(&'static str, fn(A) -> AdminAction)];

/// Actions on a userid, or on one of the user's addresses.
pub const USER_ACTS: &Acts<(String, String)> = &[
    ("suspend", |(userid, _)| AdminAction::User { userid, edit: UserEdit::Suspend }),
    ("lift", |(userid, _)| AdminAction::User { userid, edit: UserEdit::Lift }),
    ("grant", |(userid, _)| AdminAction::User { userid, edit: UserEdit::Role("admin") }),
    ("revoke", |(userid, _)| AdminAction::User { userid, edit: UserEdit::Role("player") }),
    ("send_password", |(userid, _)| AdminAction::User { userid, edit: UserEdit::SendReset }),
    ("log_out", |(userid, _)| AdminAction::User { userid, edit: UserEdit::LogOut }),
    ("revoke_tokens", |(userid, _)| AdminAction::User { userid, edit: UserEdit::RevokeTokens }),
    ("drop_about", |(userid, _)| AdminAction::User { userid, edit: UserEdit::DropAbout }),
    ("delete", |(userid, _)| AdminAction::User { userid, edit: UserEdit::Delete }),
    ("delete_with_remarks", |(userid, _)| AdminAction::User { userid, edit: UserEdit::DeleteWithRemarks }),
    ("start", |(_, address)| AdminAction::StartAddress { address }),
];

/// Actions on a board, with the reason and the winning seats.
pub const BOARD_ACTS: &Acts<(BoardRef, String, Vec<u8>)> = &[
    ("pause", |(board, why, _)| AdminAction::Board { board, action: BoardAction::Pause, why }),
    ("resume", |(board, why, _)| AdminAction::Board { board, action: BoardAction::Resume, why }),
    ("adjudicate", |(board, why, winners)| AdminAction::Board {
        board,
        action: BoardAction::Adjudicate { winners },
        why,
    }),
    ("take_back", |(board, why, _)| AdminAction::Board { board, action: BoardAction::TakeBack, why }),
    ("remove", |(board, why, _)| AdminAction::Board { board, action: BoardAction::Remove, why }),
];

/// Actions on a mail.
pub const MAIL_ACTS: &Acts<(MailQueue, i64)> = &[
    ("retry", |(queue, id)| AdminAction::Mail { queue, id, change: MailChange::Retry }),
    ("drop", |(queue, id)| AdminAction::Mail { queue, id, change: MailChange::Drop }),
];

/// Actions on the do-not-mail list, with a target and a reason.
pub const DO_NOT_MAIL_ACTS: &Acts<(String, String)> = &[
    ("add", |(target, reason)| AdminAction::Block { target, reason }),
    ("remove", |(target, _)| AdminAction::Unblock { target }),
];

pub fn act_words<A>(acts: &Acts<A>) -> Vec<&'static str> {
    acts.iter().map(|(word, _)| *word).collect()
}

impl AdminAction {
    /// `None`: there is no such word.
    pub fn named<A>(acts: &Acts<A>, word: &str, arguments: A) -> Option<Self> {
        acts.iter().find(|(known, _)| *known == word).map(|(_, make)| make(arguments))
    }

    /// True if a form asks for a confirmation: it cannot be undone, or locks somebody out or in.
    pub fn is_grave(&self) -> bool {
        match self {
            Self::User { edit, .. } => {
                use UserEdit::{Delete, DeleteWithRemarks, Role, Suspend};
                matches!(edit, Delete | DeleteWithRemarks | Suspend | Role("admin"))
            }
            Self::Board { action, .. } => !matches!(action, BoardAction::Pause | BoardAction::Resume),
            Self::Mail { change, .. } => *change == MailChange::Drop,
            Self::Broadcast { .. } => true,
            _ => false,
        }
    }

    pub fn verb(&self) -> &'static str {
        match self {
            Self::User { edit, .. } => edit.verb(),
            Self::Board { action, .. } => action.verb(),
            Self::LookAs { .. } => "board.look_as",
            Self::Mail { queue, change, .. } => match (queue, change) {
                (MailQueue::Inbox, MailChange::Retry) => "inbox.retry",
                (MailQueue::Inbox, MailChange::Drop) => "inbox.drop",
                (MailQueue::Outbox, MailChange::Retry) => "outbox.retry",
                (MailQueue::Outbox, MailChange::Drop) => "outbox.drop",
            },
            Self::StartAddress { .. } => "address.start",
            Self::Block { .. } => "do_not_mail.add",
            Self::Unblock { .. } => "do_not_mail.remove",
            Self::Strangers { .. } => "strangers",
            Self::Hold { .. } => "hold",
            Self::Broadcast { .. } => "broadcast",
        }
    }

    fn subject(&self) -> String {
        match self {
            Self::User { userid, .. } => userid.clone(),
            Self::Board { board, .. } | Self::LookAs { board, .. } => board.to_string(),
            Self::Mail { queue: MailQueue::Inbox, id, .. } => format!("inbox {id}"),
            Self::Mail { queue: MailQueue::Outbox, id, .. } => format!("outbox {id}"),
            Self::StartAddress { address } => address.clone(),
            Self::Block { target, .. } | Self::Unblock { target } => target.clone(),
            Self::Strangers { policy } => policy.map_or("default", StrangerPolicy::as_str).to_owned(),
            Self::Hold { on } => (if *on { "on" } else { "off" }).to_owned(),
            Self::Broadcast { .. } => "everybody".to_owned(),
        }
    }

    fn detail(&self) -> String {
        match self {
            Self::Board { action, why, .. } => {
                let parts = [action.detail(), why.clone()];
                parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
            }
            Self::LookAs { seat, .. } => format!("seat {seat}"),
            Self::User { edit: UserEdit::Rename(name), .. } => format!("to {name}"),
            Self::Block { reason, .. } => reason.clone(),
            Self::Broadcast { text } => format!("{} characters", text.chars().count()),
            _ => String::new(),
        }
    }

    pub(super) fn audit(&self, admin: &Administrator, outcome: &'static str) -> NewAudit {
        let subject_user = match self {
            Self::User { userid, .. } => Some(userid.clone()),
            _ => None,
        };
        NewAudit { subject_user, ..admin.entry(self.verb(), &self.subject(), outcome, &self.detail()) }
    }
}

/// Flattened and cut for the audit log, which is read line by line.
fn one_line(text: &str) -> String {
    let text = text.split(|sign: char| sign.is_control() || sign.is_whitespace());
    let words: Vec<&str> = text.filter(|word| !word.is_empty()).collect();
    words.join(" ").chars().take(LONGEST_DETAIL).collect()
}
