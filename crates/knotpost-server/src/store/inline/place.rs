//! Which file a path led to: one that was deleted, replaced or emptied since is not the one whose commits count.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A file as it was found under a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlace {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl FilePlace {
    /// The file under that path.
    ///
    /// # Errors
    /// When there is none.
    pub fn of(path: &Path) -> io::Result<Self> {
        let metadata = std::fs::metadata(path)?;
        Ok(Self { path: path.to_owned(), device: metadata.dev(), inode: metadata.ino() })
    }

    /// Whether the path still leads to that file, and something is in it. Where that cannot be told, it does.
    pub fn is_in_place(&self) -> bool {
        match std::fs::metadata(&self.path) {
            Ok(metadata) => {
                metadata.len() > 0 && metadata.dev() == self.device && metadata.ino() == self.inode
            }
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_file_that_is_deleted_replaced_or_emptied_is_not_in_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "x").unwrap();
        let place = FilePlace::of(&path).unwrap();
        assert!(place.is_in_place());
        std::fs::write(&path, "").unwrap();
        assert!(!place.is_in_place(), "emptied");
        std::fs::write(&path, "y").unwrap();
        assert!(place.is_in_place());
        std::fs::rename(&path, folder.path().join("aside")).unwrap();
        assert!(!place.is_in_place(), "deleted");
        std::fs::write(&path, "x").unwrap();
        assert!(!place.is_in_place(), "replaced");
    }
}
