//! The network between the servers and one PostgreSQL server. It can be cut: then nothing passes and nobody is told.

use std::net::SocketAddr;
use std::path::PathBuf;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// What passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Network {
    /// Everything.
    Open,
    /// Nothing; connections stay as they are.
    Cut,
    /// Nobody listens: connections are refused.
    Refusing,
}

/// A listener on this machine that forwards to a socket.
pub(super) struct Proxy {
    pub(super) address: SocketAddr,
    network: watch::Sender<Network>,
    task: JoinHandle<()>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Proxy {
    /// Listens on a free port.
    pub(super) async fn open(target: PathBuf) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (network, seen) = watch::channel(Network::Open);
        let task = tokio::spawn(serve(listener, address, target, seen));
        Ok(Self { address, network, task })
    }

    pub(super) fn set(&self, network: Network) {
        self.network.send_replace(network);
    }
}

async fn serve(first: TcpListener, address: SocketAddr, target: PathBuf, mut seen: watch::Receiver<Network>) {
    let mut listener = Some(first);
    loop {
        let now = *seen.borrow_and_update();
        if now == Network::Refusing {
            listener = None;
        } else if listener.is_none() {
            listener = listen(address).ok();
        }
        let Some(open) = &listener else {
            if seen.changed().await.is_err() {
                return;
            }
            continue;
        };
        tokio::select! {
            accepted = open.accept() => {
                if let Ok((client, _)) = accepted {
                    // Either side may break off, which is no error here.
                    tokio::spawn(forward(client, target.clone(), seen.clone()));
                }
            }
            changed = seen.changed() => if changed.is_err() { return },
        }
    }
}

fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(128)
}

async fn forward(client: TcpStream, target: PathBuf, seen: watch::Receiver<Network>) -> std::io::Result<()> {
    let mut gate = seen.clone();
    // Packets are lost: the client waits.
    let _ = gate.wait_for(|network| *network != Network::Cut).await;
    let server = UnixStream::connect(target).await?;
    let (client_in, client_out) = client.into_split();
    let (server_in, server_out) = server.into_split();
    tokio::select! {
        done = pump(client_in, server_out, seen.clone()) => done,
        done = pump(server_in, client_out, seen) => done,
    }
}

async fn pump(
    mut from: impl AsyncReadExt + Unpin,
    mut to: impl AsyncWriteExt + Unpin,
    mut seen: watch::Receiver<Network>,
) -> std::io::Result<()> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = from.read(&mut buffer).await;
        // Neither bytes nor the end of a connection pass a network that is cut.
        let _ = seen.wait_for(|network| *network != Network::Cut).await;
        let bytes = read?;
        if bytes == 0 {
            return Ok(());
        }
        to.write_all(buffer.get(..bytes).unwrap_or_default()).await?;
    }
}
