//! Files and folders of the server's own: only its user can read them, whatever the umask of the process.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::{Access, AtFlags, CWD, accessat};

/// Permissions of folders.
const FOLDER: u32 = 0o700;
/// Permissions of files.
const FILE: u32 = 0o600;
/// What the group and all others may do.
const OTHERS: u32 = 0o077;
/// Reading and writing for the group and all others.
const READ_OR_WRITE: u32 = 0o066;

/// From now on this process makes no file or folder that others can use, except where it sets a mode by itself.
pub fn set_private_mask() {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(OTHERS));
}

/// Makes the folder and those above it that are missing. One that is there is left as it is.
///
/// # Errors
/// When it cannot be made, or is no folder.
pub fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER).create(path)
}

/// Opens the file for writing, empty, and makes it when it is missing. One that is there keeps its permissions.
///
/// # Errors
/// When it cannot be made or written.
pub fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).mode(FILE).open(path)
}

/// Makes a file that must not be there yet.
///
/// # Errors
/// When it is there, or cannot be made.
pub fn create_new_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(FILE).open(path)
}

/// The folder that holds a file: of a bare name, the working folder.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes the name of a new or renamed file to disk, so that it outlasts a power failure as its content does.
///
/// # Errors
/// When the folder cannot be opened or written.
pub fn sync_name(path: &Path) -> io::Result<()> {
    File::open(folder_of(path))?.sync_all()
}

/// Whether this process can use the folder, or make it. Makes nothing.
///
/// # Errors
/// When the folder cannot be entered, read and written, or there is none and none can be made.
pub fn check_folder(path: &Path) -> io::Result<()> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    match std::fs::metadata(path) {
        Ok(found) if !found.is_dir() => {
            Err(io::Error::new(io::ErrorKind::NotADirectory, "it is not a folder"))
        }
        Ok(_) => {
            let all = Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK;
            Ok(accessat(CWD, path, all, AtFlags::EACCESS)?)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            path.parent().map_or(Err(error), check_folder)
        }
        Err(error) => Err(error),
    }
}

/// Whether others than the owner can read or change the file; `None`: it does not exist or cannot be inspected.
pub fn is_open_to_others(path: &Path) -> Option<bool> {
    std::fs::metadata(path).ok().map(|found| found.mode() & READ_OR_WRITE != 0)
}

/// Whether every user of the machine can read the file; `None`: it does not exist or cannot be inspected.
pub fn is_open_to_all(path: &Path) -> Option<bool> {
    std::fs::metadata(path).ok().map(|found| found.mode() & 0o004 != 0)
}

/// The number of the user that a file or folder belongs to.
pub fn owner(path: &Path) -> Option<u32> {
    std::fs::metadata(path).ok().map(|found| found.uid())
}

/// Returns true if this process can read and write the file; `None`: it does not exist or cannot be inspected.
pub fn is_writable(path: &Path) -> Option<bool> {
    match accessat(CWD, path, Access::READ_OK | Access::WRITE_OK, AtFlags::EACCESS) {
        Ok(()) => Some(true),
        Err(rustix::io::Errno::ACCESS) => Some(false),
        Err(_) => None,
    }
}

/// What is left on a file system for users without privileges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    pub bytes: u64,
    /// Files that can still be made; `None`: as many as there is room for.
    pub files: Option<u64>,
}

/// What is left where this file or folder is, or would be.
///
/// # Errors
/// When that cannot be determined.
pub fn free_space(path: &Path) -> io::Result<Space> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    match rustix::fs::statvfs(path) {
        Ok(found) => Ok(Space {
            bytes: found.f_bavail.saturating_mul(found.f_frsize),
            files: (found.f_files > 0).then_some(found.f_favail),
        }),
        Err(rustix::io::Errno::NOENT) => {
            path.parent().map_or(Err(io::ErrorKind::NotFound.into()), free_space)
        }
        Err(error) => Err(error.into()),
    }
}

/// The user of this process.
pub fn this_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// The number of the user that a file or folder belongs to, when that is not the user of this process.
pub fn foreign_owner(path: &Path) -> Option<u32> {
    let owner = owner(path)?;
    (owner != this_user()).then_some(owner)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn what_is_made_is_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("one/two");
        private_folder(&deep).unwrap();
        private_folder(&deep).unwrap();
        assert_eq!((mode(&folder.path().join("one")), mode(&deep)), (0o700, 0o700));
        let file = deep.join("file");
        create_new_private(&file).unwrap();
        assert!(create_new_private(&file).is_err());
        create_private(&file).unwrap();
        create_private(&deep.join("other")).unwrap();
        assert_eq!((mode(&file), mode(&deep.join("other"))), (0o600, 0o600));
        assert_eq!((is_open_to_others(&file), foreign_owner(&file)), (Some(false), None));
        assert_eq!(is_open_to_others(&deep.join("absent")), None);
    }

    #[test]
    fn a_folder_that_could_be_made_is_not_made() {
        let folder = tempfile::tempdir().unwrap();
        check_folder(folder.path()).unwrap();
        check_folder(&folder.path().join("one/two")).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        std::fs::write(folder.path().join("file"), "").unwrap();
        assert!(check_folder(&folder.path().join("file")).is_err());
        assert!(check_folder(&folder.path().join("file/two")).is_err());
    }

    #[test]
    fn what_others_can_read_is_seen_and_what_they_can_pass_through_is_not() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        for (bits, open) in [(0o700, false), (0o711, false), (0o750, true), (0o755, true), (0o720, true)] {
            std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(bits)).unwrap();
            assert_eq!(is_open_to_others(folder.path()), Some(open), "{bits:o}");
        }
    }
}
