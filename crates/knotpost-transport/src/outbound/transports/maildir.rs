//! A Maildir: a folder of mails that any mail program reads, and that survives a crash at any moment.
//!
//! A mail is written to `tmp`, synced to disk, and only then moved to `new`. Knows nothing of what is in a mail.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use knotpost_core::mailing::LocalMailbox;
use knotpost_platform::files::private_folder;

/// A counter of this process, so that no two of its files share a name.
static DELIVERIES: AtomicU64 = AtomicU64::new(0);

/// The end of the names of our mails.
const ENDING: &str = ".knotpost";

/// Number of names that are tried before a delivery fails, in case other processes use them.
const MAX_TRIES: usize = 1000;

/// The folders of complete mails: those not yet seen by a mail program, and the others.
const FOLDERS: [&str; 2] = ["new", "cur"];

/// First or repeated delivery of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// It was not delivered before.
    First,
    /// It may have been: the process that delivered it ended before the acknowledgement.
    Repeated,
}

/// A Maildir on disk.
#[derive(Debug, Clone)]
pub struct Maildir {
    root: PathBuf,
}

impl Maildir {
    /// Opens a Maildir, creating missing folders.
    ///
    /// # Errors
    /// When the folders cannot be made.
    pub fn open(root: impl Into<PathBuf>) -> io::Result<Self> {
        let maildir = Self::at(root.into());
        maildir.make_folders()?;
        Ok(maildir)
    }

    /// A Maildir whose folders may be missing.
    pub(super) fn at(root: PathBuf) -> Self {
        Self { root }
    }

    pub(super) fn make_folders(&self) -> io::Result<()> {
        ["tmp", "new", "cur"].iter().try_for_each(|folder| private_folder(&self.root.join(folder)))
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Delivers a mail durably under this name, as one file: a mail that was delivered before is replaced while it is
    /// in `new`, and left alone once a mail program has moved it. Blocks on the disk.
    ///
    /// # Errors
    /// When it could not be written; then nothing of it is to be seen.
    pub fn deliver(&self, name: &str, mail: &[u8], attempt: Attempt) -> io::Result<()> {
        if !is_plain_name(name) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        if attempt == Attempt::Repeated && self.is_in_cur(name)? {
            return Ok(());
        }
        let (draft, mut file) = self.create_draft()?;
        let folder = self.root.join("new");
        let delivered = file
            .write_all(mail)
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::rename(&draft, folder.join(name)))
            .and_then(|()| File::open(&folder)?.sync_all());
        if delivered.is_err() {
            let _ = fs::remove_file(&draft);
        }
        delivered
    }

    fn is_in_cur(&self, name: &str) -> io::Result<bool> {
        let stable = stable_part(name);
        let mut files = fs::read_dir(self.root.join("cur"))?.flatten();
        Ok(files.any(|file| file.file_name().to_str().is_some_and(|other| stable_part(other) == stable)))
    }

    /// Deletes the mails that a server delivered here and that are older than this, in seconds of the unix time; how many.
    /// Blocks on the disk.
    ///
    /// # Errors
    /// A folder cannot be read, or a mail cannot be deleted.
    pub fn prune(&self, before: u64) -> io::Result<usize> {
        let mut deleted = 0;
        for (folder, name) in self.names()? {
            let stable = stable_part(&name);
            if stable.ends_with(ENDING) && sort_key(stable).0 < before {
                match fs::remove_file(self.root.join(folder).join(&name)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => deleted += 1,
                }
            }
        }
        Ok(deleted)
    }

    /// The names in both folders, in no order. The mails themselves are not read.
    fn names(&self) -> io::Result<impl Iterator<Item = (&'static str, String)>> {
        let mut folders = Vec::new();
        for folder in FOLDERS {
            folders.push((folder, fs::read_dir(self.root.join(folder))?));
        }
        let files =
            folders.into_iter().flat_map(|(folder, files)| files.flatten().map(move |file| (folder, file)));
        let names = files.filter_map(|(folder, file)| Some((folder, file.file_name().into_string().ok()?)));
        Ok(names.filter(|(_, name)| is_plain_name(name)))
    }

    fn find(&self, name: &str) -> io::Result<Option<PathBuf>> {
        if !is_plain_name(name) {
            return Ok(None);
        }
        for folder in FOLDERS {
            let path = self.root.join(folder).join(name);
            if path.is_file() {
                return Ok(Some(path));
            }
        }
        let moved = self.names()?.find(|(_, other)| stable_part(other) == stable_part(name));
        Ok(moved.map(|(folder, name)| self.root.join(folder).join(name)))
    }

    fn create_draft(&self) -> io::Result<(PathBuf, File)> {
        for _ in 0..MAX_TRIES {
            let number = DELIVERIES.fetch_add(1, Ordering::Relaxed);
            let path = self.root.join("tmp").join(format!("P{}Q{number}.knotpost", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((path, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

impl LocalMailbox for Maildir {
    /// Only the newest names are held in memory, and no mail is opened.
    fn newest(&self, before: Option<&str>, count: usize) -> io::Result<Vec<String>> {
        let key = |name: &str| -> (u64, String) {
            let (seconds, rest) = sort_key(stable_part(name));
            (seconds, rest.to_owned())
        };
        let limit = before.map(key);
        let mut newest: BinaryHeap<Reverse<((u64, String), String)>> = BinaryHeap::new();
        for (_, name) in self.names()? {
            let key = key(&name);
            let is_wanted = limit.as_ref().is_none_or(|limit| key < *limit);
            if is_wanted
                && (newest.len() < count || newest.peek().is_some_and(|Reverse((last, _))| *last < key))
            {
                newest.push(Reverse((key, name)));
                if newest.len() > count {
                    newest.pop();
                }
            }
        }
        Ok(newest.into_sorted_vec().into_iter().map(|Reverse((_, name))| name).collect())
    }

    fn read_up_to(&self, name: &str, most: u64) -> io::Result<Option<Vec<u8>>> {
        let Some(path) = self.find(name)? else { return Ok(None) };
        let mut bytes = Vec::new();
        match File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => read.map(|_| Some(bytes)),
        }
    }
}

/// The name without the flags that mail programs add.
fn stable_part(name: &str) -> &str {
    name.split_once(":2,").map_or(name, |(stable, _)| stable)
}

/// By seconds as a number, then by the rest.
fn sort_key(name: &str) -> (u64, &str) {
    let (seconds, rest) = name.split_once('.').unwrap_or((name, ""));
    (seconds.parse().unwrap_or(u64::MAX), rest)
}

/// True if a name is a plain file name. Names come from web requests, and must not lead out of the folder.
fn is_plain_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('.')
        && !name.contains(['/', '\\', '\0'])
        && Path::new(name).file_name() == Some(OsStr::new(name))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Marks a mail as seen, as mail programs do.
    fn see(maildir: &Maildir, name: &str) {
        let seen = maildir.root().join("cur").join(format!("{name}:2,S"));
        fs::rename(maildir.root().join("new").join(name), seen).unwrap();
    }

    #[test]
    fn what_is_delivered_can_be_listed_and_read() {
        let folder = tempfile::tempdir().unwrap();
        let maildir = Maildir::open(folder.path().join("mail/out")).unwrap();
        maildir.deliver("7.first", b"one\n", Attempt::First).unwrap();
        maildir.deliver("8.second", b"two!\n", Attempt::First).unwrap();
        assert_eq!(maildir.newest(None, 9).unwrap(), ["8.second", "7.first"]);
        assert_eq!(maildir.read_up_to("8.second", 9).unwrap().unwrap(), b"two!\n");
        see(&maildir, "7.first");
        assert_eq!(maildir.newest(None, 9).unwrap(), ["8.second", "7.first:2,S"]);
        assert_eq!(maildir.read_up_to("7.first", 9).unwrap().unwrap(), b"one\n", "found under its new name");
        assert_eq!(fs::read_dir(folder.path().join("mail/out/tmp")).unwrap().count(), 0);
    }

    #[test]
    fn a_mail_that_is_delivered_again_is_there_once() {
        let folder = tempfile::tempdir().unwrap();
        let maildir = Maildir::open(folder.path()).unwrap();
        let listed = || maildir.newest(None, 9).unwrap();
        maildir.deliver("7.R1.knotpost", b"one\n", Attempt::First).unwrap();
        maildir.deliver("7.R1.knotpost", b"one\n", Attempt::Repeated).unwrap();
        assert_eq!(listed(), ["7.R1.knotpost"]);
        see(&maildir, "7.R1.knotpost");
        maildir.deliver("7.R1.knotpost", b"one\n", Attempt::Repeated).unwrap();
        assert_eq!(listed(), ["7.R1.knotpost:2,S"]);
        maildir.deliver("7.R2.knotpost", b"two\n", Attempt::Repeated).unwrap();
        assert_eq!(listed().len(), 2);
    }

    #[test]
    fn old_mails_of_ours_are_deleted_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let maildir = Maildir::open(folder.path()).unwrap();
        for name in [
            "99.R1.knotpost",
            "7.R2.knotpost",
            "100.R3.knotpost",
            "1000.R4.knotpost",
            "5.theirs",
            "x.knotpost",
        ] {
            maildir.deliver(name, b"one\n", Attempt::First).unwrap();
        }
        see(&maildir, "99.R1.knotpost");
        assert_eq!(maildir.prune(100).unwrap(), 2);
        let mut left: Vec<String> = maildir.newest(None, 9).unwrap();
        left.sort();
        assert_eq!(left, ["100.R3.knotpost", "1000.R4.knotpost", "5.theirs", "x.knotpost"]);
        assert_eq!(maildir.prune(100).unwrap(), 0);
    }

    #[test]
    fn the_newest_are_named_page_by_page() {
        let folder = tempfile::tempdir().unwrap();
        let maildir = Maildir::open(folder.path()).unwrap();
        for number in 0..30 {
            let place =
                if number % 3 == 0 { format!("cur/{number}.x:2,S") } else { format!("new/{number}.x") };
            fs::write(folder.path().join(place), "x").unwrap();
        }
        fs::write(folder.path().join("new/.hidden"), "x").unwrap();
        let mut seen = Vec::new();
        let mut before: Option<String> = None;
        loop {
            let page = maildir.newest(before.as_deref(), 7).unwrap();
            before = page.last().cloned();
            seen.extend(
                page.iter().map(|name| stable_part(name).trim_end_matches(".x").parse::<u32>().unwrap()),
            );
            if before.is_none() {
                break;
            }
        }
        assert_eq!(seen, (0..30).rev().collect::<Vec<_>>());
        assert_eq!(maildir.read_up_to("3.x", 10).unwrap().unwrap(), b"x", "found under its new name");
    }

    #[test]
    fn names_lead_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("secret"), "x").unwrap();
        let maildir = Maildir::open(folder.path().join("box")).unwrap();
        for name in ["../../secret", "../secret", "/etc/passwd", "..", ".", "", "a\0b", "new/x", "..\\secret"]
        {
            assert_eq!(maildir.read_up_to(name, 9).unwrap(), None, "{name:?}");
            assert!(maildir.deliver(name, b"x", Attempt::First).is_err(), "{name:?}");
        }
    }

    #[test]
    fn many_at_once_lose_none() {
        let folder = tempfile::tempdir().unwrap();
        let maildir = Maildir::open(folder.path()).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let deliver = |name: String| maildir.deliver(&name, b"x", Attempt::First).unwrap();
                scope.spawn(move || (0..10).for_each(|mail| deliver(format!("{thread}.{mail}"))));
            }
        });
        assert_eq!(maildir.newest(None, 99).unwrap().len(), 40);
    }
}
