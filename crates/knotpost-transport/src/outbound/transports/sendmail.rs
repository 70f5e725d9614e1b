//! The sendmail transport: passes mails to a `sendmail` program on this machine.

use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio::time::timeout;

use super::SendError;

/// Time limit of the program for one mail.
const SEND_TIMEOUT: Duration = Duration::from_mins(2);

/// Exit codes of sysexits.h that mean a permanent failure.
const PERMANENT: &[i32] = &[64, 65, 77];
/// Exit codes that mean that the user or host does not exist.
const NOBODY: &[i32] = &[67, 68];

#[derive(Debug, Clone)]
/// A `sendmail` program.
pub struct Sendmail {
    pub program: PathBuf,
}

impl Sendmail {
    pub(super) async fn send(
        &self,
        envelope_from: Option<&str>,
        to: &str,
        mail: &[u8],
    ) -> Result<(), SendError> {
        let transient =
            |error: std::io::Error| SendError::Transient(format!("sendmail could not be run: {error}"));
        let mut child = Command::new(&self.program)
            .args(["-i", "-f", envelope_from.unwrap_or_default(), "--", to])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(transient)?;
        let stdin = child.stdin.take();
        let work = async {
            if let Some(mut stdin) = stdin {
                // A program that exits without reading reports the reason by its exit code.
                let _ = stdin.write_all(mail).await;
                let _ = stdin.shutdown().await;
            }
            child.wait_with_output().await
        };
        match timeout(SEND_TIMEOUT, work).await {
            Err(_) => Err(SendError::Unheard("sendmail did not end in time".to_owned())),
            Ok(Err(error)) => Err(SendError::Unheard(format!("sendmail was lost: {error}"))),
            Ok(Ok(output)) => judge(output.status, &output.stderr),
        }
    }
}

fn judge(status: ExitStatus, stderr: &[u8]) -> Result<(), SendError> {
    if status.success() {
        return Ok(());
    }
    let words: String = String::from_utf8_lossy(stderr)
        .chars()
        .take(300)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let said = format!("sendmail ended with {status}: {}", words.trim());
    if status.code().is_some_and(|code| NOBODY.contains(&code)) {
        Err(SendError::Recipient(said))
    } else if status.code().is_some_and(|code| PERMANENT.contains(&code)) {
        Err(SendError::Permanent(said))
    } else if status.code().is_none() {
        // Killed, perhaps after it had taken the mail.
        Err(SendError::Unheard(said))
    } else {
        Err(SendError::Transient(said))
    }
}
