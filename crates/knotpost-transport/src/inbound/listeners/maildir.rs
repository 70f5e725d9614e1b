//! The Maildir listener: takes mails from a folder, oldest first, and moves them to `cur`.
//!
//! A mail is moved only after its outcome is committed. After a crash between the two it is taken once more, and is
//! recognised as a duplicate. A faulty file never stops the watcher.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use tokio_util::sync::CancellationToken;

use crate::inbound::intake::{Envelope, Intake, Receipt, STORE_TROUBLE};
use crate::inbound::mail_intake::MailIntake;
use crate::inbound::parse::{Message, parse};
use crate::inbound::read::addressed::addressed;
use knotpost_core::intake::{Reason, Way};
use knotpost_model::OwnAddresses;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Round {
    Done,
    /// Some files have to wait: the folder or the database fails.
    Trouble,
}

#[derive(Debug)]
pub struct MaildirWatcher {
    root: Arc<Path>,
    max_bytes: usize,
    /// Processed files that could not be moved out of `new`. They are not taken again.
    stuck: HashSet<OsString>,
    /// Logged once.
    trouble: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Taken,
    /// Kept for a person to look at.
    Quarantined,
}

enum Wait {
    /// Too many of its kind are queued already.
    This(String),
    /// The failure is not about this mail: the others have to wait as well.
    All(String),
}

/// A file in `new`. It is locked against other processes as long as it is open.
enum Found {
    Message {
        raw: Vec<u8>,
        file: File,
    },
    Unfit {
        reason: Reason,
        file: Option<File>,
    },
    /// Another process takes it or has taken it.
    Elsewhere,
}

struct ProcessedFile {
    fate: Fate,
    _file: Option<File>,
}

impl MaildirWatcher {
    /// The Maildir may appear later. Files larger than `max_bytes` are quarantined.
    pub fn new(root: PathBuf, max_bytes: usize) -> Self {
        Self { root: root.into(), max_bytes, stuck: HashSet::new(), trouble: None }
    }

    pub async fn walk(&mut self, intake: &MailIntake, stop: &CancellationToken) -> Round {
        let root = Arc::clone(&self.root);
        let names = match blocking(move || list(&root)).await {
            Ok(names) => names,
            Err(error) => return self.complain(&error.to_string()),
        };
        self.stuck.retain(|name| names.contains(name));
        let mut round = Round::Done;
        for name in names {
            if stop.is_cancelled() {
                break;
            }
            let processed = if self.stuck.contains(&name) {
                Ok(Some(ProcessedFile { fate: Fate::Taken, _file: None }))
            } else {
                self.take(intake, &name).await
            };
            match processed {
                Ok(None) => {}
                Ok(Some(processed)) => {
                    if let Err(error) = self.put_away(&name, processed.fate).await {
                        self.stuck.insert(name);
                        round = self.complain(&format!("a mail cannot be moved to cur: {error}"));
                    } else {
                        // The next file with this name is another mail.
                        self.stuck.remove(&name);
                    }
                }
                Err(Wait::This(text)) => round = self.complain(&text),
                Err(Wait::All(text)) => return self.complain(&text),
            }
        }
        if round == Round::Done && self.trouble.take().is_some() {
            tracing::info!(folder = %self.root.display(), "the watched folder can be read again");
        }
        round
    }

    fn complain(&mut self, text: &str) -> Round {
        if self.trouble.as_deref() != Some(text) {
            tracing::warn!(folder = %self.root.display(), error = text, "the watched folder cannot be emptied");
            self.trouble = Some(text.to_owned());
        }
        Round::Trouble
    }

    /// `None` if another process takes it.
    async fn take(&self, intake: &MailIntake, name: &OsStr) -> Result<Option<ProcessedFile>, Wait> {
        let (path, most) = (self.root.join("new").join(name), self.max_bytes);
        let found =
            blocking(move || Ok(open(&path, most))).await.map_err(|error| Wait::All(error.to_string()))?;
        let (raw, file) = match found {
            Found::Message { raw, file } => (raw, Some(file)),
            Found::Elsewhere => return Ok(None),
            Found::Unfit { reason, file } => {
                tracing::warn!(file = %name.display(), %reason, "a file in the watched folder is set aside");
                quarantine(intake, &empty_envelope(intake), &[], reason).await?;
                return Ok(Some(ProcessedFile { fate: Fate::Quarantined, _file: file }));
            }
        };
        let envelope = match parse(&raw) {
            Ok(message) => envelope_of(&message, &intake.app.own),
            Err(_) => empty_envelope(intake),
        };
        match intake.receive(envelope.clone(), raw.clone()).await {
            Receipt::Stored { .. } => Ok(Some(ProcessedFile { fate: Fate::Taken, _file: file })),
            Receipt::TryLater { enhanced: STORE_TROUBLE, text, .. } => Err(Wait::All(text)),
            Receipt::TryLater { text, .. } => Err(Wait::This(text)),
            Receipt::Refused { text, .. } => {
                let reason = intake.refusal_reason(&envelope, &raw);
                tracing::info!(file = %name.display(), %reason, text, "a mail in the watched folder is set aside");
                quarantine(intake, &envelope, &raw, reason).await?;
                Ok(Some(ProcessedFile { fate: Fate::Quarantined, _file: file }))
            }
        }
    }

    async fn put_away(&self, name: &OsStr, fate: Fate) -> io::Result<()> {
        let (root, name) = (Arc::clone(&self.root), name.to_owned());
        blocking(move || move_to_cur(&root, &name, fate)).await
    }
}

async fn quarantine(
    intake: &MailIntake,
    envelope: &Envelope,
    raw: &[u8],
    reason: Reason,
) -> Result<(), Wait> {
    intake.quarantine(envelope, raw, reason).await.map_err(|error| Wait::All(error.with_causes()))
}

fn envelope_of(message: &Message, own: &OwnAddresses) -> Envelope {
    Envelope {
        way: Way::Maildir,
        peer: None,
        helo: None,
        mail_from: message.envelope_sender().map(ToOwned::to_owned),
        recipients: addressed(message, own),
    }
}

fn empty_envelope(intake: &MailIntake) -> Envelope {
    envelope_of(&Message::default(), &intake.app.own)
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(io::Error::other(error)))
}

/// Lists `new`, oldest first; empty without the folder. Folders, links and hidden files are no mails.
fn list(root: &Path) -> io::Result<Vec<OsString>> {
    let folder = match fs::read_dir(root.join("new")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        folder => folder?,
    };
    let mut files = Vec::new();
    for file in folder {
        let file = file?;
        let name = file.file_name();
        // Removed meanwhile: another process has taken it.
        let Ok(metadata) = file.metadata() else { continue };
        if metadata.is_file() && !name.as_bytes().starts_with(b".") {
            files.push((age(&name, &metadata), name));
        }
    }
    files.sort();
    Ok(files.into_iter().map(|(_, name)| name).collect())
}

/// Unix seconds, by the name or else the file.
fn age(name: &OsStr, metadata: &fs::Metadata) -> u64 {
    let digits = name.as_bytes().split(|byte| *byte == b'.').next().unwrap_or_default();
    let named = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
    named.unwrap_or_else(|| {
        let written = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        written.map_or(0, |since| since.as_secs())
    })
}

fn open(path: &Path, most: usize) -> Found {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Found::Elsewhere,
        Err(_) => return Found::Unfit { reason: Reason::Unreadable, file: None },
    };
    // On file systems without locks two processes may take the same mail; the second time it is a duplicate.
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        return Found::Elsewhere;
    }
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let same = match (fs::symlink_metadata(path), file.metadata()) {
        (Ok(named), Ok(opened)) => identity(named) == identity(opened),
        _ => false,
    };
    if !same {
        return Found::Elsewhere;
    }
    let mut raw = Vec::new();
    match (&mut file).take(most as u64 + 1).read_to_end(&mut raw) {
        Ok(_) if raw.len() > most => Found::Unfit { reason: Reason::TooLarge, file: Some(file) },
        Ok(_) => Found::Message { raw, file },
        Err(_) => Found::Unfit { reason: Reason::Unreadable, file: Some(file) },
    }
}

/// Marks a taken mail as seen, and leaves one for a person unseen.
fn move_to_cur(root: &Path, name: &OsStr, fate: Fate) -> io::Result<()> {
    let cur = root.join("cur");
    fs::create_dir_all(&cur)?;
    let mut place = cur.join(name_in_cur(name, fate, 0));
    for copy in 1..1000 {
        if fs::symlink_metadata(&place).is_err() {
            break;
        }
        place = cur.join(name_in_cur(name, fate, copy));
    }
    match fs::rename(root.join("new").join(name), place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        moved => moved,
    }
}

fn name_in_cur(name: &OsStr, fate: Fate, copy: u32) -> OsString {
    const MARK: &[u8] = b":2,";
    let name = name.as_bytes();
    let mark = name.windows(MARK.len()).position(|window| window == MARK);
    let (stable, flags) = match mark {
        Some(at) => (name.get(..at).unwrap_or_default(), name.get(at + MARK.len()..).unwrap_or_default()),
        None => (name, &b""[..]),
    };
    let mut flags = flags.to_vec();
    if fate == Fate::Taken {
        flags.push(b'S');
    }
    flags.sort_unstable();
    flags.dedup();
    let copy = if copy == 0 { String::new() } else { format!("_{copy}") };
    OsString::from_vec([stable, copy.as_bytes(), MARK, &flags].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_flags_and_gain_the_one_for_seen() {
        for (name, fate, copy, expected) in [
            ("1.a.host", Fate::Taken, 0, "1.a.host:2,S"),
            ("1.a.host", Fate::Quarantined, 0, "1.a.host:2,"),
            ("1.a.host:2,RF", Fate::Taken, 0, "1.a.host:2,FRS"),
            ("1.a.host:2,S", Fate::Taken, 2, "1.a.host_2:2,S"),
        ] {
            assert_eq!(name_in_cur(OsStr::new(name), fate, copy), expected);
        }
    }
}
