//! `admin do-not-mail`, `admin strangers` and `admin hold`: recipients of the server's mail.

use std::sync::Arc;

use clap::Subcommand;
use serde_json::json;

use super::operator;
use crate::cli::output::{Form, say};
use knotpost_core::admin::{AdminAction, administer};
use knotpost_core::app::App;
use knotpost_core::boards::{Code, Refusal, ServiceError};
use knotpost_core::config::StrangerPolicy;
use knotpost_core::hold::Hold;
use knotpost_core::identity::view_stranger_policy;
use knotpost_core::mailing::{read_unmailed, view_unmailed};

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum DoNotMail {
    /// The addresses and domains, since when, and why.
    List(Form),
    /// Send no mail there any more, whatever causes it.
    Add {
        /// An address, or a domain: `@example.org`. An address stands for itself with every `+tag`, a domain not for
        /// the domains below it.
        target: String,
        /// The reason.
        #[arg(default_value = "")]
        reason: Vec<String>,
    },
    /// Send mail there again.
    Remove {
        /// The entry as `list` shows it.
        target: String,
    },
}

pub(super) async fn change_list(app: &Arc<App>, action: DoNotMail) -> Result<(), ServiceError> {
    match action {
        DoNotMail::List(form) => {
            let mut after = Some(String::new());
            while let Some(last) = after {
                let page = view_unmailed(&app.store, &last).await?;
                for row in &page.entries {
                    let since = row.since.to_rfc3339();
                    let words = format!("{:<32} {since} {}", row.target, row.reason);
                    form.say(&json!({ "target": row.target, "since": since, "why": row.reason }), words);
                }
                after = page.cursor;
            }
        }
        DoNotMail::Add { target, reason } => {
            let reason = reason.join(" ").trim().to_owned();
            administer(app, &operator(), AdminAction::Block { target: target.clone(), reason }).await?;
            say!("{} gets no mail any more.", read_unmailed(&target)?.in_words());
        }
        DoNotMail::Remove { target } => {
            administer(app, &operator(), AdminAction::Unblock { target: target.clone() }).await?;
            say!("{} gets mail again.", read_unmailed(&target)?.in_words());
        }
    }
    Ok(())
}

pub(super) async fn change_policy(app: &Arc<App>, word: Option<String>) -> Result<(), ServiceError> {
    if let Some(word) = word {
        let policy = match word.as_str() {
            "default" => None,
            word => Some(StrangerPolicy::from_word(word).ok_or_else(|| {
                Refusal::new(Code::BadValue, "say `open`, `known`, `closed`, or `default`")
            })?),
        };
        administer(app, &operator(), AdminAction::Strangers { policy }).await?;
    }
    let now = view_stranger_policy(&app.store, &app.config).await?;
    let source = if now.is_set { "set by an administrator" } else { "from the configuration" };
    say!("{} ({source})", now.policy);
    Ok(())
}

pub(super) async fn change_hold(app: &Arc<App>, change: Option<&str>) -> Result<(), ServiceError> {
    if let Some(word) = change {
        administer(app, &operator(), AdminAction::Hold { on: word == "on" }).await?;
    }
    match Hold::of(&app.store, app.config.mail.hold).await? {
        Some(hold) => say!("on: {}. To end it: {}", Hold::WORDS, hold.mend()),
        None => say!("off"),
    }
    if change.is_some() {
        say!("A server that runs goes by that after its next start.");
    }
    Ok(())
}
