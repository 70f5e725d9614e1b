//! `deliver`: one message from standard input, for pipes of mail servers and `.forward` files.

use std::io::Read as _;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;

use super::output::complain;
use super::{EX_DATAERR, EX_TEMPFAIL};
use crate::server::Opening;
use knotpost_core::config::Config;
use knotpost_model::OwnAddresses;
use knotpost_transport::inbound::local_socket::{Piped, SubmitError, receive_piped, submit};
use knotpost_transport::inbound::{Intake, MailIntake, Receipt, addressed, parse};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Address the message was delivered to (default: the server's addresses in the message); may be repeated.
    // An address may begin with a hyphen; like any other that is not ours, it is refused.
    #[arg(long, value_name = "ADDRESS", allow_hyphen_values = true)]
    to: Vec<String>,
}

pub(super) async fn run(config: Config, args: Args) -> ExitCode {
    let raw = match read_message(config.inbound.max_bytes) {
        Ok(Some(raw)) => raw,
        Ok(None) => {
            complain!("knotpost: the message is larger than {} bytes", config.inbound.max_bytes);
            return ExitCode::from(EX_DATAERR);
        }
        Err(error) => {
            complain!("knotpost: the message could not be read: {error}");
            return ExitCode::from(EX_TEMPFAIL);
        }
    };
    let piped = address(&config, args.to, &raw);
    match give(config, piped, raw).await {
        Ok(Receipt::Stored { .. }) => ExitCode::SUCCESS,
        Ok(Receipt::Refused { enhanced, text, .. }) => {
            complain!("knotpost: refused ({enhanced}): {text}");
            ExitCode::from(EX_DATAERR)
        }
        Ok(Receipt::TryLater { text, .. }) => {
            complain!("knotpost: {text}");
            ExitCode::from(EX_TEMPFAIL)
        }
        Err(error) => {
            complain!("knotpost: {error:#}");
            ExitCode::from(EX_TEMPFAIL)
        }
    }
}

/// A pipe has no envelope: the mail server wrote the return path on top, or the author stands for it.
fn address(config: &Config, to: Vec<String>, raw: &[u8]) -> Piped {
    let message = parse(raw).unwrap_or_default();
    let recipients = match OwnAddresses::new(&config.server.address) {
        Ok(own) if to.is_empty() => addressed(&message, &own),
        _ => to,
    };
    Piped { recipients, mail_from: message.envelope_sender().map(ToOwned::to_owned) }
}

/// Hands the message to the running server or, failing that, stores it for a server to find. A message that a server
/// took before it went away is recognised as a duplicate.
async fn give(config: Config, piped: Piped, raw: Vec<u8>) -> anyhow::Result<Receipt> {
    let why = match submit(&config.socket(), &piped, &raw).await {
        Ok(receipt) => return Ok(receipt),
        Err(why) => why,
    };
    let stored = store(config, piped, raw).await;
    match why {
        SubmitError::NoServer => stored,
        // Both failed: an operator can mend the server's side.
        why => stored.with_context(|| with_cause(&why)),
    }
}

fn with_cause(why: &SubmitError) -> String {
    let cause = std::error::Error::source(why).map_or_else(String::new, |cause| format!(" ({cause})"));
    format!("{why}{cause}, and the message cannot be stored without it")
}

async fn store(config: Config, piped: Piped, raw: Vec<u8>) -> anyhow::Result<Receipt> {
    let app = super::open(config, Opening::Existing).await?;
    let intake = MailIntake::new(Arc::clone(&app));
    let receipt = receive_piped(&intake as &dyn Intake, piped, raw).await;
    app.store.close().await;
    Ok(receipt)
}

/// `None` for a message over the limit.
fn read_message(max: usize) -> std::io::Result<Option<Vec<u8>>> {
    let mut raw = Vec::new();
    std::io::stdin().lock().take(max as u64 + 1).read_to_end(&mut raw)?;
    Ok((raw.len() <= max).then_some(raw))
}
