//! Private files and folders: readable by the server's user alone, whatever the umask.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::{Access, AtFlags, CWD, accessat};

const FOLDER: u32 = 0o700;
const FILE: u32 = 0o600;
/// All bits of group and others.
const OTHERS: u32 = 0o077;
/// Read and write bits of group and others.
const READ_OR_WRITE: u32 = 0o066;

/// Sets the umask: new files and folders are private unless their mode is set explicitly.
pub fn set_private_mask() {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(OTHERS));
}

/// Creates the folder with missing parents. An existing one is left as it is.
pub fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER).create(path)
}

/// Opens the file truncated for writing, or creates it. An existing one keeps its permissions.
pub fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).mode(FILE).open(path)
}

/// Fails if the file exists.
pub fn create_new_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(FILE).open(path)
}

/// The working folder for a bare name.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Syncs the folder entry of a new or renamed file, against power failures.
pub fn sync_name(path: &Path) -> io::Result<()> {
    File::open(folder_of(path))?.sync_all()
}

/// Checks that this process can use or create the folder. Creates nothing.
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

/// True if others than the owner can read or change the file; `None`: missing or inaccessible.
pub fn is_open_to_others(path: &Path) -> Option<bool> {
    std::fs::metadata(path).ok().map(|found| found.mode() & READ_OR_WRITE != 0)
}

/// True if every user of the machine can read the file; `None`: missing or inaccessible.
pub fn is_open_to_all(path: &Path) -> Option<bool> {
    std::fs::metadata(path).ok().map(|found| found.mode() & 0o004 != 0)
}

pub fn owner(path: &Path) -> Option<u32> {
    std::fs::metadata(path).ok().map(|found| found.uid())
}

/// True if this process can read and write the file; `None`: missing or inaccessible.
pub fn is_writable(path: &Path) -> Option<bool> {
    match accessat(CWD, path, Access::READ_OK | Access::WRITE_OK, AtFlags::EACCESS) {
        Ok(()) => Some(true),
        Err(rustix::io::Errno::ACCESS) => Some(false),
        Err(_) => None,
    }
}

/// Free space on a file system for unprivileged users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    pub bytes: u64,
    /// Free inodes; `None`: unlimited.
    pub files: Option<u64>,
}

/// Free space at an existing or future path.
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

pub fn this_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Uid of the owner, if not this process's.
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
