//! A Unix socket with a name: created with its final mode, replaces a dead server's socket but never a running one's,
//! and is removed when its server stops.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use tokio::net::UnixListener;

/// Appended to the name while the socket is created; no client connects to that name.
const DRAFT: &str = "~";

#[derive(Debug)]
pub struct NamedSocket {
    listener: UnixListener,
    name: SocketName,
}

#[derive(Debug)]
pub struct SocketName {
    path: PathBuf,
    /// Device and inode: another server's socket may have the name by now.
    identity: (u64, u64),
}

impl NamedSocket {
    /// Fails if another server listens there, or the name is no socket's.
    pub fn bind(path: &Path, mode: u32) -> io::Result<Self> {
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        // Without the lock two servers that start at once could replace each other's socket. Some file systems cannot
        // lock folders; that race is accepted there.
        let looking = File::open(folder)?;
        let _ = looking.lock();
        ensure_free(path)?;
        let mut draft = path.as_os_str().to_owned();
        draft.push(DRAFT);
        let draft = PathBuf::from(draft);
        ensure_free(&draft)?;
        let listener = UnixListener::bind(&draft)?;
        // The socket gets its name only with its final mode, because a client that connects early stays connected.
        let named = fs::set_permissions(&draft, fs::Permissions::from_mode(mode))
            .and_then(|()| fs::symlink_metadata(&draft))
            .and_then(|made| fs::rename(&draft, path).map(|()| made));
        match named {
            Ok(made) => {
                let identity = (made.dev(), made.ino());
                Ok(Self { listener, name: SocketName { path: path.to_owned(), identity } })
            }
            Err(error) => {
                let _ = fs::remove_file(&draft);
                Err(error)
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.name.path
    }

    pub fn into_parts(self) -> (UnixListener, SocketName) {
        (self.listener, self.name)
    }
}

impl Drop for SocketName {
    fn drop(&mut self) {
        let ours =
            fs::symlink_metadata(&self.path).is_ok_and(|found| (found.dev(), found.ino()) == self.identity);
        if ours {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Removes the socket of a dead server; an error if the name is in use.
fn ensure_free(path: &Path) -> io::Result<()> {
    let taken = |text: String| Err(io::Error::new(io::ErrorKind::AddrInUse, text));
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if !found.file_type().is_socket() {
        return taken(format!("{} is there and is no socket", path.display()));
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(_) => taken(format!("another server listens on {}", path.display())),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[tokio::test]
    async fn a_socket_has_its_mode_and_goes_with_its_server() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lmtp");
        let socket = NamedSocket::bind(&path, 0o600).unwrap();
        assert_eq!(mode(&path), 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no draft stays behind");
        let second = NamedSocket::bind(&path, 0o600).unwrap_err();
        assert_eq!(second.kind(), io::ErrorKind::AddrInUse, "{second}");
        let (listener, name) = socket.into_parts();
        assert!(UnixStream::connect(&path).is_ok(), "the second left the first alone");
        drop((listener, name));
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn a_dead_servers_socket_is_replaced_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lmtp");
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        assert!(path.exists(), "left behind");
        let first = NamedSocket::bind(&path, 0o666).unwrap();
        assert_eq!(mode(&path), 0o666);
        // The socket was removed and another server started in the meantime.
        fs::remove_file(&path).unwrap();
        let second = NamedSocket::bind(&path, 0o660).unwrap();
        drop(first);
        assert!(UnixStream::connect(second.path()).is_ok(), "it is the second's name now");

        let file = folder.path().join("letter");
        fs::write(&file, "dear").unwrap();
        assert!(NamedSocket::bind(&file, 0o660).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "dear");
        assert!(NamedSocket::bind(&folder.path().join("absent/lmtp"), 0o660).is_err());
    }
}
