//! A connection to one of the addresses of a host, with TLS where the URL asks for it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use knotpost_model::HookUrl;

/// Time limit for connecting to one of several addresses.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(4);

/// Connects to the first address that accepts.
pub(super) async fn open(places: &[SocketAddr]) -> Result<TcpStream, String> {
    let mut why = "it cannot be reached".to_owned();
    for place in places {
        match timeout(CONNECT_TIMEOUT, TcpStream::connect(place)).await {
            Ok(Ok(stream)) => {
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Ok(Err(error)) => why = format!("it cannot be reached: {}", error.kind()),
            Err(_) => "it cannot be reached in time".clone_into(&mut why),
        }
    }
    Err(why)
}

/// TLS with a certificate that is valid for the host.
pub(super) async fn secure(
    stream: TcpStream,
    url: &HookUrl,
    tls: &Arc<ClientConfig>,
) -> Result<TlsStream<TcpStream>, String> {
    let name =
        ServerName::try_from(url.host().to_owned()).map_err(|_| "its name cannot be certified".to_owned())?;
    let connector = TlsConnector::from(Arc::clone(tls));
    connector.connect(name, stream).await.map_err(|error| {
        let certified = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
        match certified {
            Some(rustls::Error::InvalidCertificate(why)) => format!("its certificate is not good: {why:?}"),
            Some(_) | None => format!("no secure connection can be made: {}", error.kind()),
        }
    })
}
