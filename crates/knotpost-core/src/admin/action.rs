//! What administrators can do, as values, and how the audit log names it. Nothing is carried out here.

use super::boards::BoardAction;
use crate::admin::UserEdit;
use crate::config::StrangerPolicy;
use crate::mailing::MailChange;
use knotpost_model::{BoardRef, UserKey};
use knotpost_storage::{MailQueue, NewAudit};

/// Characters of the details that the audit log stores with an action.
const LONGEST_DETAIL: usize = 300;

/// Which way an administrator came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdminChannel {
    /// From a shell of the machine.
    Shell,
    Web,
    /// Through the API.
    Api,
}

impl AdminChannel {
    /// The word of the audit log.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Web => "web",
            Self::Api => "api",
        }
    }
}

/// Who acts.
#[derive(Clone, Debug)]
pub struct Administrator {
    /// Which way.
    pub channel: AdminChannel,
    /// The userid; of the shell, the user of the machine.
    pub name: String,
    /// The user, who must still be an administrator when the action is carried out; the shell needs none.
    pub user: Option<UserKey>,
}

impl Administrator {
    /// Whoever has a shell on the machine.
    pub fn of_shell(name: impl Into<String>) -> Self {
        Self { channel: AdminChannel::Shell, name: name.into(), user: None }
    }
}

/// Something that only administrators do.
#[derive(Clone, Debug)]
pub enum AdminAction {
    /// A change to a user.
    User {
        /// Whom.
        userid: String,
        edit: UserEdit,
    },
    /// A change to a board.
    Board {
        board: BoardRef,
        action: BoardAction,
        /// What the players are told about it; may be empty.
        why: String,
    },
    /// Looking at a board as one of its players sees it, which may be more than others see.
    LookAs {
        board: BoardRef,
        /// With whose eyes.
        seat: u8,
    },
    /// A change to a mail that came or is to go.
    Mail {
        /// Where it lies.
        queue: MailQueue,
        /// Its number.
        id: i64,
        change: MailChange,
    },
    /// Sending mail again to an address where it was stopped.
    StartAddress { address: String },
    /// Sending no mail to an address or a domain, whatever causes it.
    Block {
        /// Whom.
        target: String,
        /// Why.
        reason: String,
    },
    /// Taking an entry off the list of those who get no mail.
    Unblock {
        /// Whom.
        target: String,
    },
    /// Changing what mail of strangers comes to.
    Strangers {
        /// From now on; `None`: what the configuration says.
        policy: Option<StrangerPolicy>,
    },
    /// Holding the server, or letting it go, from its next start on.
    Hold {
        /// True: mails are held; false: they are released.
        on: bool,
    },
    /// Writing to everybody.
    Broadcast {
        /// The words.
        text: String,
    },
}

impl AdminAction {
    /// The stable word of the audit log.
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

    /// The row of the audit log that tells of it.
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

/// Text for a row of the log, which is read line by line.
pub(super) fn one_line(text: &str) -> String {
    let text = text.split(|sign: char| sign.is_control() || sign.is_whitespace());
    let words: Vec<&str> = text.filter(|word| !word.is_empty()).collect();
    words.join(" ").chars().take(LONGEST_DETAIL).collect()
}
