//! `deliver`: one message from standard input, for pipes of mail servers and `.forward` files.

use std::io::Read as _;
use std::process::ExitCode;
use std::sync::Arc;

use super::{EX_DATAERR, EX_TEMPFAIL};
use crate::config::Config;
use crate::inbound::handover::{Piped, hand_over, judge};
use crate::inbound::{Desk, Intake, Receipt, parse};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Address the message was delivered to (default: the server's own); may be repeated.
    #[arg(long, value_name = "ADDRESS")]
    to: Vec<String>,
}

pub(super) async fn run(config: Config, args: Args) -> ExitCode {
    let raw = match read_message(config.inbound.max_bytes) {
        Ok(Some(raw)) => raw,
        Ok(None) => {
            eprintln!("knotpost: the message is larger than {} bytes", config.inbound.max_bytes);
            return ExitCode::from(EX_DATAERR);
        }
        Err(error) => {
            eprintln!("knotpost: the message could not be read: {error}");
            return ExitCode::from(EX_TEMPFAIL);
        }
    };
    let recipients = if args.to.is_empty() { vec![config.server.address.clone()] } else { args.to };
    // A pipe has no envelope: the return path is what the mail server wrote on top, or the author.
    let mail_from = parse(&raw).ok().and_then(|message| message.envelope_sender().map(ToOwned::to_owned));
    let piped = Piped { recipients, mail_from };
    match give(config, piped, raw).await {
        Ok(Receipt::Stored { .. }) => ExitCode::SUCCESS,
        Ok(Receipt::Refused { enhanced, text, .. }) => {
            eprintln!("knotpost: refused ({enhanced}): {text}");
            ExitCode::from(EX_DATAERR)
        }
        Ok(Receipt::TryLater { text }) => {
            eprintln!("knotpost: {text}");
            ExitCode::from(EX_TEMPFAIL)
        }
        Err(error) => {
            eprintln!("knotpost: {error:#}");
            ExitCode::from(EX_TEMPFAIL)
        }
    }
}

/// Hands the message to the running server; without one, stores it for the next to find.
async fn give(config: Config, piped: Piped, raw: Vec<u8>) -> anyhow::Result<Receipt> {
    if let Some(receipt) = hand_over(&config.server.data, &piped, &raw).await? {
        return Ok(receipt);
    }
    let app = super::open(config).await?;
    let desk = Desk::new(Arc::clone(&app))?;
    let receipt = judge(&desk as &dyn Intake, piped, raw).await;
    app.store.close().await;
    Ok(receipt)
}

/// The message; `None`: it is larger than is taken.
fn read_message(max: usize) -> std::io::Result<Option<Vec<u8>>> {
    let mut raw = Vec::new();
    std::io::stdin().lock().take(max as u64 + 1).read_to_end(&mut raw)?;
    Ok((raw.len() <= max).then_some(raw))
}
