//! Certificate authorities of the operator's own, which are trusted for the relay beside the built-in ones.

use std::path::{Path, PathBuf};

use lettre::transport::smtp::client::Certificate;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

use super::TransportError;

/// Reason why authorities cannot be trusted.
#[derive(Debug, thiserror::Error)]
pub enum AuthorityError {
    /// A file could not be read as PEM.
    #[error("{} holds no usable PEM", path.display())]
    Pem {
        /// The file.
        path: PathBuf,
        /// The error in the PEM.
        source: rustls::pki_types::pem::Error,
    },
    /// A file without any certificate.
    #[error("{} holds no certificate", .0.display())]
    Empty(PathBuf),
    /// The content of the file is no certificate of an authority.
    #[error("a certificate in {} cannot be used", path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
        /// The error in the certificate.
        source: rustls::Error,
    },
}

/// The authorities of a file; none when the path is empty.
pub(super) fn read_authorities(path: &Path) -> Result<Vec<Certificate>, TransportError> {
    if path.as_os_str().is_empty() {
        return Ok(Vec::new());
    }
    let read: Vec<CertificateDer<'_>> = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|source| AuthorityError::Pem { path: path.to_owned(), source })?;
    if read.is_empty() {
        return Err(AuthorityError::Empty(path.to_owned()).into());
    }
    // Checked here, as nothing else looks at them if the relay needs no valid certificate.
    let mut roots = RootCertStore::empty();
    for certificate in &read {
        roots
            .add(certificate.clone())
            .map_err(|source| AuthorityError::Certificate { path: path.to_owned(), source })?;
    }
    let all = read.into_iter().map(|certificate| Certificate::from_der(certificate.to_vec()));
    all.collect::<Result<_, _>>().map_err(|_| TransportError::Tls)
}
