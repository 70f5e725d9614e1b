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
use std::time::UNIX_EPOCH;

use knotpost_core::mailing::LocalMailbox;
use knotpost_platform::files::private_folder;

/// A counter of this process, so that no two of its files share a name.
static DELIVERIES: AtomicU64 = AtomicU64::new(0);

/// The end of the names of our mails.
const ENDING: &str = ".knotpost";

/// Number of names that are tried before a delivery fails, in case other processes use them.
const MAX_TRIES: usize = 1000;

/// The two folders of complete mails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folder {
    /// Not yet seen by a mail program.
    New,
    /// Seen, or processed.
    Cur,
}

impl Folder {
    fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Cur => "cur",
        }
    }
}

/// A mail in a Maildir.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The file's name, which names the mail in [`Maildir::read`].
    pub name: String,
    pub folder: Folder,
    /// Bytes.
    pub size: u64,
}

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
        let root = root.into();
        for folder in ["tmp", "new", "cur"] {
            private_folder(&root.join(folder))?;
        }
        Ok(Self { root })
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Delivers a mail durably and returns its name. Blocks on the disk.
    ///
    /// # Errors
    /// When it could not be written; then nothing of it is to be seen.
    pub fn deliver(&self, mail: &[u8]) -> io::Result<String> {
        let (draft, mut file, number) = self.create_draft()?;
        let delivered = write_durably(&mut file, mail).and_then(|()| self.publish(&draft, &file, number));
        if delivered.is_err() || draft.exists() {
            let _ = fs::remove_file(&draft);
        }
        delivered
    }

    /// Delivers a mail durably under this name, as one file: a mail that was delivered before is replaced while it is
    /// in `new`, and left alone once a mail program has moved it. Blocks on the disk.
    ///
    /// # Errors
    /// When it could not be written; then nothing of it is to be seen.
    pub fn deliver_as(&self, name: &str, mail: &[u8], attempt: Attempt) -> io::Result<()> {
        if !is_plain_name(name) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        if attempt == Attempt::Repeated && self.is_in_cur(name)? {
            return Ok(());
        }
        let (draft, mut file, _) = self.create_draft()?;
        let folder = self.root.join("new");
        let delivered = write_durably(&mut file, mail)
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

    /// The mails in both folders, oldest first.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn list(&self) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for folder in [Folder::New, Folder::Cur] {
            for file in fs::read_dir(self.root.join(folder.name()))? {
                let file = file?;
                let Ok(name) = file.file_name().into_string() else { continue };
                // Another program moved it meanwhile.
                let Ok(metadata) = file.metadata() else { continue };
                if metadata.is_file() && !name.starts_with('.') {
                    entries.push(Entry { name, folder, size: metadata.len() });
                }
            }
        }
        entries.sort_by(|a, b| sort_key(&a.name).cmp(&sort_key(&b.name)));
        Ok(entries)
    }

    /// The bytes of a mail; `None` when there is none of that name. A mail that was moved or flagged meanwhile is
    /// found by the fixed part of its name.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        match self.find(name)? {
            None => Ok(None),
            Some(path) => match fs::read(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                read => read.map(Some),
            },
        }
    }

    /// Moves a mail from `new` to `cur`, marked as seen. Nothing happens when it is not there any more.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn mark_seen(&self, name: &str) -> io::Result<()> {
        if !is_plain_name(name) {
            return Ok(());
        }
        let seen = format!("{}:2,S", stable_part(name));
        match fs::rename(self.root.join("new").join(name), self.root.join("cur").join(seen)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            moved => moved,
        }
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
                match fs::remove_file(self.root.join(folder.name()).join(&name)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => deleted += 1,
                }
            }
        }
        Ok(deleted)
    }

    /// The names in both folders, in no order. The mails themselves are not read.
    fn names(&self) -> io::Result<impl Iterator<Item = (Folder, String)>> {
        let mut folders = Vec::new();
        for folder in [Folder::New, Folder::Cur] {
            folders.push((folder, fs::read_dir(self.root.join(folder.name()))?));
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
        for folder in [Folder::New, Folder::Cur] {
            let path = self.root.join(folder.name()).join(name);
            if path.is_file() {
                return Ok(Some(path));
            }
        }
        let moved = self.names()?.find(|(_, other)| stable_part(other) == stable_part(name));
        Ok(moved.map(|(folder, name)| self.root.join(folder.name()).join(name)))
    }

    fn create_draft(&self) -> io::Result<(PathBuf, File, u64)> {
        for _ in 0..MAX_TRIES {
            let number = DELIVERIES.fetch_add(1, Ordering::Relaxed);
            let path = self.root.join("tmp").join(format!("P{}Q{number}.knotpost", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((path, file, number)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Moves the draft to `new`. The time in its name is the modification time of the file.
    fn publish(&self, draft: &Path, file: &File, number: u64) -> io::Result<String> {
        let age = file.metadata()?.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        let name = format!(
            "{}.M{:06}P{}Q{number:06}.knotpost",
            age.as_secs(),
            age.subsec_micros(),
            std::process::id()
        );
        let folder = self.root.join("new");
        let place = folder.join(&name);
        match fs::hard_link(draft, &place) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
            // Not every file system has hard links.
            Err(_) => fs::rename(draft, &place)?,
        }
        File::open(&folder)?.sync_all()?;
        Ok(name)
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

fn write_durably(file: &mut File, mail: &[u8]) -> io::Result<()> {
    file.write_all(mail)?;
    file.sync_all()
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

    #[test]
    fn what_is_delivered_can_be_listed_and_read() {
        let folder = tempfile::tempdir().unwrap();
        let maildir = Maildir::open(folder.path().join("mail/out")).unwrap();
        let first = maildir.deliver(b"one\n").unwrap();
        let second = maildir.deliver(b"two!\n").unwrap();
        let names: Vec<_> =
            maildir.list().unwrap().into_iter().map(|entry| (entry.name, entry.folder, entry.size)).collect();
        assert_eq!(names, [(first.clone(), Folder::New, 4), (second.clone(), Folder::New, 5)]);
        assert_eq!(maildir.read(&second).unwrap().unwrap(), b"two!\n");
        maildir.mark_seen(&first).unwrap();
        assert_eq!(maildir.list().unwrap()[0].folder, Folder::Cur);
        assert_eq!(maildir.read(&first).unwrap().unwrap(), b"one\n", "found under its new name");
        assert_eq!(fs::read_dir(folder.path().join("mail/out/tmp")).unwrap().count(), 0);
    }

    #[test]
    fn a_mail_that_is_delivered_again_is_there_once() {
        let folder = tempfile::tempdir().unwrap();
        let maildir = Maildir::open(folder.path()).unwrap();
        let listed = || maildir.list().unwrap().into_iter().map(|entry| entry.name).collect::<Vec<_>>();
        maildir.deliver_as("7.R1.knotpost", b"one\n", Attempt::First).unwrap();
        maildir.deliver_as("7.R1.knotpost", b"one\n", Attempt::Repeated).unwrap();
        assert_eq!(listed(), ["7.R1.knotpost"]);
        maildir.mark_seen("7.R1.knotpost").unwrap();
        maildir.deliver_as("7.R1.knotpost", b"one\n", Attempt::Repeated).unwrap();
        assert_eq!(listed(), ["7.R1.knotpost:2,S"]);
        maildir.deliver_as("7.R2.knotpost", b"two\n", Attempt::Repeated).unwrap();
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
            maildir.deliver_as(name, b"one\n", Attempt::First).unwrap();
        }
        maildir.mark_seen("99.R1.knotpost").unwrap();
        assert_eq!(maildir.prune(100).unwrap(), 2);
        let mut left: Vec<String> = maildir.list().unwrap().into_iter().map(|entry| entry.name).collect();
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
            assert_eq!(maildir.read(name).unwrap(), None, "{name:?}");
            maildir.mark_seen(name).unwrap();
        }
    }

    #[test]
    fn many_at_once_lose_none() {
        let folder = tempfile::tempdir().unwrap();
        let maildir = Maildir::open(folder.path()).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..10).for_each(|_| drop(maildir.deliver(b"x").unwrap())));
            }
        });
        assert_eq!(maildir.list().unwrap().len(), 40);
    }
}
