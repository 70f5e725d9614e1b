//! The key file: created once, replaced atomically, readable by its owner alone.

use std::fs::File;
use std::io::{Error, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::{Path, PathBuf};

use super::{KEY_FILE, to_hex};
use crate::clock::{Entropy, random_bytes};
use crate::files::{create_new_private, folder_of, sync_name};

/// Creates a key atomically and returns its text; concurrent processes all get the first.
pub(super) fn create(path: &Path, entropy: &dyn Entropy) -> std::io::Result<String> {
    let key: [u8; 32] = random_bytes(entropy)?;
    let mark: [u8; 8] = random_bytes(entropy)?;
    let folder = folder_of(path);
    let draft = folder.join(format!("{KEY_FILE}.{}", to_hex(&mark)));
    let text = format!("{}\n", to_hex(&key));
    write_draft(&draft, &text)?.sync_all()?;
    let linked = std::fs::hard_link(&draft, path);
    std::fs::remove_file(&draft)?;
    match linked {
        Ok(()) => sync_name(path).map(|()| text),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => std::fs::read_to_string(path),
        Err(error) => Err(error),
    }
}

/// Replaces an existing file; one of two concurrent processes is refused.
pub(super) fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let was = std::fs::metadata(path)?;
    let mut draft = path.as_os_str().to_owned();
    draft.push(".new");
    let draft = PathBuf::from(draft);
    let file = write_draft(&draft, text).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Error::other(format!(
            "{} is there: somebody else changes the keys, or was interrupted; then remove it",
            draft.display()
        )),
        _ => error,
    })?;
    let moved =
        give_to(&file, &was).and_then(|()| file.sync_all()).and_then(|()| std::fs::rename(&draft, path));
    if moved.is_err() {
        std::fs::remove_file(&draft)?;
    }
    moved?;
    sync_name(path)
}

/// Keeps the owner of the file, when another user replaces it.
fn give_to(file: &File, was: &std::fs::Metadata) -> std::io::Result<()> {
    let now = file.metadata()?;
    if (now.uid(), now.gid()) == (was.uid(), was.gid()) {
        return Ok(());
    }
    fchown(file, Some(was.uid()), Some(was.gid()))
}

fn write_draft(draft: &Path, text: &str) -> std::io::Result<File> {
    let mut file = create_new_private(draft)?;
    file.write_all(text.as_bytes())?;
    Ok(file)
}
