//! The archive of a user's data. Opening the mailed link changes nothing and gives nothing, because mail scanners open
//! links: the button does, for the logged-in user it was made for.

use std::io::{self, Write};
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use minijinja::context;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_stream::wrappers::UnboundedReceiverStream;

use crate::Web;
use crate::error::Failure;
use crate::extract::PagePath;
use crate::session::{LoggedIn, keep_secret, no_store};
use knotpost_core::archive::{ArchiveLink, count_archive, view_archive_link, write_archive};
use knotpost_core::boards::{Code, Refusal, ServiceError};
use knotpost_core::identity::Visitor;

pub(in crate::pages) async fn ask(
    State(web): State<Web>,
    LoggedIn(visitor): LoggedIn,
    PagePath(token): PagePath<String>,
) -> Response {
    let page = check(&web, &visitor, &token).await.map(|()| {
        let userid = visitor.userid.clone();
        web.pages.page_for(Some(&visitor), StatusCode::OK, "archive.html", context! { userid })
    });
    keep_secret(page.map_err(Failure::from))
}

pub(in crate::pages) async fn act(
    State(web): State<Web>,
    LoggedIn(visitor): LoggedIn,
    PagePath(token): PagePath<String>,
) -> Response {
    let page = check(&web, &visitor, &token).await.and_then(|()| download(&web, &visitor));
    keep_secret(page.map_err(Failure::from))
}

/// Fails if the link is another user's or too old.
async fn check(web: &Web, visitor: &Visitor, token: &str) -> Result<(), ServiceError> {
    let refused = |code, message: &str| Err(Refusal::new(code, message).into());
    match view_archive_link(&web.app, token).await? {
        ArchiveLink::Good(user, _) if user == visitor.user => Ok(()),
        ArchiveLink::Good(_, userid) => {
            refused(Code::NotAllowed, &format!("this link is for {userid}: log in under that name"))
        }
        ArchiveLink::Expired => refused(
            Code::NotAllowed,
            "this link is older than a day; send `export me` again, or use the button on the settings page",
        ),
        ArchiveLink::Unknown => refused(Code::BadValue, "this link is damaged; copy it whole from the mail"),
    }
}

/// Sends the archive while it is written, and stores it nowhere.
pub(in crate::pages) fn download(web: &Web, visitor: &Visitor) -> Result<Response, ServiceError> {
    let busy = || {
        let message = "other archives are being made at this moment; try again in a minute";
        let mut refusal = Refusal::new(Code::Unavailable, message);
        refusal.retry_after = Some(60);
        ServiceError::from(refusal)
    };
    let place = web.archives.turn_now(visitor.user).ok_or_else(busy)?;
    count_archive(&web.app.limits, visitor.user)?;
    let (chunks, waiting) = unbounded_channel();
    let (app, userid) = (Arc::clone(&web.app), visitor.userid.clone());
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"knotpost-{userid}.zip\""));
    tokio::spawn(async move {
        let mut out = Chunks::new(chunks);
        let written = write_archive(&app, &userid, &mut out).await;
        drop(place);
        if let Err(error) = written {
            // The download fails: a browser keeps no part of it.
            if !out.is_gone {
                tracing::error!(%error, "an archive of a user could not be made");
            }
            let _ = out.client.send(Err(io::Error::other("the archive could not be made")));
        }
    });
    let facts = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/zip")),
        (header::CONTENT_ENCODING, HeaderValue::from_static("identity")),
        (header::CONTENT_DISPOSITION, disposition.unwrap_or(HeaderValue::from_static("attachment"))),
    ];
    let body = Body::from_stream(UnboundedReceiverStream::new(waiting));
    Ok(no_store((facts, body).into_response()))
}

/// Passes written bytes on in chunks. They wait in memory for a slow client: a snapshot of the database is not held
/// open until it has read them.
struct Chunks {
    client: UnboundedSender<io::Result<Bytes>>,
    buffer: Vec<u8>,
    /// True after the client went away. That is an error once, which ends the work; later bytes are dropped.
    is_gone: bool,
}

const CHUNK: usize = 64 << 10;

impl Chunks {
    fn new(client: UnboundedSender<io::Result<Bytes>>) -> Self {
        Self { client, buffer: Vec::with_capacity(CHUNK), is_gone: false }
    }
}

impl Write for Chunks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= CHUNK {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let chunk = Bytes::from(std::mem::take(&mut self.buffer));
        if chunk.is_empty() || self.is_gone || self.client.send(Ok(chunk)).is_ok() {
            return Ok(());
        }
        self.is_gone = true;
        Err(io::ErrorKind::BrokenPipe.into())
    }
}
