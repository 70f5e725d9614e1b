//! Admin actions as values, and their names in the audit log.

use super::boards::BoardAction;
use crate::admin::UserEdit;
use crate::config::StrangerPolicy;
use crate::mailing::MailChange;
use knotpost_model::{BoardRef, UserKey};
use knotpost_storage::{MailQueue, NewAudit};

/// Characters.
const LONGEST_DETAIL: usize = 300;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdminChannel {
    Shell,
    Web,
    Api,
}

impl AdminChannel {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Web => "web",
            Self::Api => "api",
        }
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

impl AdminAction {
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
        NewAudit {
            channel: admin.channel.as_str(),
            actor: one_line(&admin.name),
            action: self.verb(),
            subject: one_line(&self.subject()),
            subject_user,
            outcome,
            detail: one_line(&self.detail()),
        }
    }
}

/// Flattened and cut for the audit log, which is read line by line.
pub(super) fn one_line(text: &str) -> String {
    let text = text.split(|sign: char| sign.is_control() || sign.is_whitespace());
    let words: Vec<&str> = text.filter(|word| !word.is_empty()).collect();
    words.join(" ").chars().take(LONGEST_DETAIL).collect()
}
