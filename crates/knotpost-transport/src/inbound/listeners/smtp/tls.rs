//! Certificate and key for STARTTLS.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use super::validity::end_of;
use knotpost_model::Millis;

#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("{} holds no usable PEM", path.display())]
    Pem {
        /// The file at fault.
        path: PathBuf,
        source: rustls::pki_types::pem::Error,
    },
    #[error("the certificate and the key cannot be used")]
    Pair(#[from] rustls::Error),
}

/// A certificate chain with its key, for sessions that begin from now on.
#[derive(Debug)]
pub struct Certificates {
    certificate: PathBuf,
    key: PathBuf,
    current: RwLock<Arc<CertifiedKey>>,
}

impl Certificates {
    pub fn load(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let current = RwLock::new(Arc::new(read(certificate, key)?));
        Ok(Self { certificate: certificate.to_owned(), key: key.to_owned(), current })
    }

    pub fn read(&self) -> Result<CertifiedKey, TlsError> {
        read(&self.certificate, &self.key)
    }

    pub fn replace(&self, certified: CertifiedKey) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(certified);
    }

    /// Expiry of the current certificate; `None` if it names none.
    pub fn ends_at(&self) -> Option<Millis> {
        let current = Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner));
        end_of(current.cert.first()?)
    }

    /// Each session uses the certificate that is current when it begins.
    pub fn server_config(self: &Arc<Self>) -> Result<Arc<ServerConfig>, TlsError> {
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(self) as Arc<dyn ResolvesServerCert>);
        Ok(Arc::new(config))
    }
}

impl ResolvesServerCert for Certificates {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

fn read(certificate: &Path, key: &Path) -> Result<CertifiedKey, TlsError> {
    let broken = |path: &Path| {
        let path = path.to_owned();
        move |source| TlsError::Pem { path, source }
    };
    let chain: Vec<_> = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect)
        .map_err(broken(certificate))?;
    let key = PrivateKeyDer::from_pem_file(key).map_err(broken(key))?;
    Ok(CertifiedKey::from_der(chain, key, &rustls::crypto::ring::default_provider())?)
}
