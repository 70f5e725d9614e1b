//! `admin key`: rotation of the server's secret keys.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use secrecy::ExposeSecret as _;
use serde_json::json;

use crate::cli::output::{Form, complain, say};
use crate::cli::{EX_CONFIG, EX_DATAERR, open};
use crate::server::{Opening, absolute};
use knotpost_core::config::Config;
use knotpost_core::identity::{reseal_webhooks, view_key_use};
use knotpost_platform::clock::SystemEntropy;
use knotpost_platform::secret::KeyRing;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Key {
    /// The keys: id, role, and a fingerprint that says nothing else about them.
    List(Form),
    /// Make the key that will be the current one: servers accept it and do not use it yet. With several servers this
    /// comes first.
    Next,
    /// Use the next key, made now where there is none; the previous one is still accepted.
    Rotate,
    /// Accept an old or next key no longer. Without `--yes`: only say what would be lost; exit code 1.
    Drop(Drop),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Drop {
    /// The id, two hexadecimal digits, as `list` shows it.
    #[arg(value_parser = parse_id)]
    id: u8,
    /// Do it.
    #[arg(long)]
    yes: bool,
}

fn parse_id(text: &str) -> Result<u8, String> {
    let id = u8::from_str_radix(text, 16).ok().filter(|_| text.len() == 2);
    id.ok_or_else(|| "an id is two hexadecimal digits".to_owned())
}

pub(super) async fn run(config: Config, action: Key) -> anyhow::Result<ExitCode> {
    let entropy = SystemEntropy::default();
    let file = config.key_file();
    let given = config.secrets.key.expose_secret();
    if given.is_empty() && !file.exists() {
        complain!("knotpost: there is no key in {}; `knotpost serve` makes one", absolute(&file).display());
        return Ok(ExitCode::from(EX_CONFIG));
    }
    let keys = KeyRing::load(given, &file, &entropy)?;
    match action {
        Key::List(form) => {
            for (id, role, fingerprint) in keys.list() {
                let (id, role) = (format!("{id:02x}"), role.to_string());
                let row = json!({ "id": id, "role": role, "fingerprint": fingerprint });
                form.say(&row, format!("{id}  {role:<8} {fingerprint}"));
            }
            let fingerprint = keys.digests_fingerprint();
            let row = json!({ "id": null, "role": "digests", "fingerprint": fingerprint });
            form.say(&row, format!("    digests  {fingerprint}"));
        }
        Key::Next => save(&config, &keys.with_next(&entropy)?)?,
        Key::Rotate => save(&config, &keys.rotated(&entropy)?)?,
        Key::Drop(Drop { id, yes }) => {
            let rest = match keys.without(id) {
                Ok(rest) => rest,
                Err(error) => {
                    complain!("knotpost: {error}");
                    return Ok(ExitCode::from(EX_DATAERR));
                }
            };
            return drop_key(config, id, &rest, yes).await;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn drop_key(config: Config, id: u8, rest: &KeyRing, yes: bool) -> anyhow::Result<ExitCode> {
    let app = open(config.clone(), Opening::Existing).await?;
    let used = view_key_use(&app.store, &app.secret, id).await?;
    say!("Without key {id:02x}:");
    say!(
        "- replies to board mails that were mailed while it was current need the password (such mails can be answered for 90 days);"
    );
    say!(
        "- links given out under it are good no more: to confirm, to reset, to log in, to unsubscribe, and the addresses of feeds;"
    );
    say!("- reports about mails that could not be delivered and were sent under it are not recognised;");
    say!("- {} stored mails cannot be read any more;", used.mails);
    say!("- {} secrets of webhooks that another key sealed are sealed anew first.", used.webhooks);
    if !yes {
        say!("Nothing was changed. With --yes it is dropped.");
        app.store.close().await;
        return Ok(ExitCode::FAILURE);
    }
    let sealed = reseal_webhooks(&Arc::clone(&app)).await;
    app.store.close().await;
    say!("{} secrets of webhooks were sealed anew.", sealed?);
    save(&config, rest)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the file, or shows the keys if the settings hold them.
fn save(config: &Config, keys: &KeyRing) -> anyhow::Result<()> {
    if !config.secrets.key.expose_secret().is_empty() {
        let text = keys.to_text();
        say!("The keys stand in the settings. From now on secrets.key, on every server, is");
        say!("{}", text.split_whitespace().collect::<Vec<_>>().join(" "));
        return Ok(());
    }
    let file = config.key_file();
    keys.save(&file).with_context(|| file.display().to_string())?;
    say!("{} was changed. Give it to every server on this database and start each again.", file.display());
    Ok(())
}
