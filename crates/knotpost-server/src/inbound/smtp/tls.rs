//! Certificate and key for STARTTLS.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Why TLS cannot be offered.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file could not be read as PEM.
    #[error("{} holds no usable PEM", path.display())]
    Pem {
        /// The file.
        path: PathBuf,
        /// What was wrong.
        source: rustls::pki_types::pem::Error,
    },
    /// Certificate and key do not go together.
    #[error("the certificate and the key cannot be used")]
    Pair(#[from] rustls::Error),
}

/// Reads a certificate chain and its private key from PEM files.
///
/// # Errors
/// [`TlsError`] when a file is missing or the two do not match.
pub fn load_tls(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, TlsError> {
    let broken = |path: &Path| {
        let path = path.to_owned();
        move |source| TlsError::Pem { path, source }
    };
    let chain: Vec<_> = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect)
        .map_err(broken(certificate))?;
    let key = PrivateKeyDer::from_pem_file(key).map_err(broken(key))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    Ok(Arc::new(config))
}
