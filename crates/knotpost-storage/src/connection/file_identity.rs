//! Identity of the file that was opened: commits to one that was deleted, replaced or emptied are lost.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A file on disk, identified by device and inode, and the path it was found under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileIdentity {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl FileIdentity {
    /// Identifies the file that `path` leads to now.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let metadata = std::fs::metadata(path)?;
        Ok(Self { path: path.to_owned(), device: metadata.dev(), inode: metadata.ino() })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// True if the path still leads to this file and the file is not empty, also when that cannot be determined,
    /// for lack of permission for example.
    pub(crate) fn is_in_place(&self) -> bool {
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
    fn a_file_that_is_deleted_replaced_or_emptied_is_not_in_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "x").unwrap();
        let file = FileIdentity::of(&path).unwrap();
        assert!(file.is_in_place());
        std::fs::write(&path, "").unwrap();
        assert!(!file.is_in_place(), "emptied");
        std::fs::write(&path, "y").unwrap();
        assert!(file.is_in_place());
        std::fs::rename(&path, folder.path().join("moved")).unwrap();
        assert!(!file.is_in_place(), "deleted");
        std::fs::write(&path, "x").unwrap();
        assert!(!file.is_in_place(), "replaced");
    }
}
