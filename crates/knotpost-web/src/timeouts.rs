//! Time limits of a connection: for sending the header of a request, and for reading a response.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// Progress of a connection's requests, reported by the service that answers them.
#[derive(Clone, Debug, Default)]
pub(super) struct Progress(Arc<Requests>);

#[derive(Debug, Default)]
struct Requests {
    begun: AtomicU64,
    /// True while a request is handled; its body may still be arriving.
    in_hand: AtomicBool,
}

impl Progress {
    pub(super) fn begin(&self) {
        self.0.begun.fetch_add(1, Ordering::Relaxed);
        self.0.in_hand.store(true, Ordering::Relaxed);
    }

    pub(super) fn answer(&self) {
        self.0.in_hand.store(false, Ordering::Relaxed);
    }
}

/// Limits headers and writing, not the idle time between two requests.
#[derive(Debug)]
pub(super) struct TimedStream<S> {
    stream: S,
    progress: Progress,
    header_timeout: Duration,
    write_timeout: Duration,
    /// Deadline of the header being read, and the number of requests before it. A new connection has to send one.
    heading: Option<(u64, Instant)>,
    waiting: Option<Pin<Box<Sleep>>>,
    /// Runs while a write makes no progress.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> TimedStream<S> {
    /// A read fails if a header is not complete within `header_timeout` of its first byte, a write if it makes no
    /// progress for `write_timeout`.
    pub(super) fn new(
        stream: S,
        progress: Progress,
        header_timeout: Duration,
        write_timeout: Duration,
    ) -> Self {
        let heading = Some((0, Instant::now() + header_timeout));
        Self { stream, progress, header_timeout, write_timeout, heading, waiting: None, stalled: None }
    }

    /// Updates the deadline after a read; ready with an error when it has passed.
    fn limit_header(&mut self, context: &mut Context<'_>, has_come: bool) -> Poll<io::Error> {
        let begun = self.progress.0.begun.load(Ordering::Relaxed);
        if self.heading.is_some_and(|(before, _)| before != begun) {
            (self.heading, self.waiting) = (None, None);
        }
        if has_come {
            if self.heading.is_none() && !self.progress.0.in_hand.load(Ordering::Relaxed) {
                self.heading = Some((begun, Instant::now() + self.header_timeout));
            }
            return Poll::Pending;
        }
        let Some((_, until)) = self.heading else { return Poll::Pending };
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep_until(until)));
        waiting.as_mut().poll(context).map(|()| io::ErrorKind::TimedOut.into())
    }

    fn limit_write<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let until = self.write_timeout;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + until)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TimedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        let has_come = buffer.filled().len() > before;
        if (has_come || read.is_pending())
            && let Poll::Ready(error) = self.limit_header(context, has_come)
        {
            return Poll::Ready(Err(error));
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.limit_write(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.limit_write(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.limit_write(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    #[tokio::test]
    async fn a_client_that_leaves_a_response_unread_is_disconnected() {
        let (ours, mut theirs) = tokio::io::duplex(8);
        let mut stream =
            TimedStream::new(ours, Progress::default(), Duration::from_mins(1), Duration::from_millis(10));
        stream.write_all(b"12345678").await.unwrap();
        let ended = stream.write_all(b"9").await.unwrap_err();
        assert_eq!(ended.kind(), io::ErrorKind::TimedOut);
        // A client that reads late is still served.
        let mut read = [0; 8];
        theirs.read_exact(&mut read).await.unwrap();
        stream.write_all(b"abcdefgh").await.unwrap();
        theirs.read_exact(&mut read).await.unwrap();
        assert_eq!(&read, b"abcdefgh");
    }
    #[tokio::test]
    async fn a_header_has_its_time_from_its_first_byte_and_bodies_and_silence_have_theirs_elsewhere() {
        let (ours, mut theirs) = tokio::io::duplex(64);
        let progress = Progress::default();
        let (short, long) = (Duration::from_millis(10), Duration::from_mins(1));
        let mut stream = TimedStream::new(ours, progress.clone(), short, long);
        let mut read = [0; 8];
        theirs.write_all(b"a header").await.unwrap();
        stream.read_exact(&mut read).await.unwrap();
        progress.begin();
        // Neither a body nor an idle connection after the response is limited here.
        assert!(tokio::time::timeout(short * 3, stream.read_exact(&mut read)).await.is_err());
        progress.answer();
        assert!(tokio::time::timeout(short * 3, stream.read_exact(&mut read)).await.is_err());
        theirs.write_all(b"half").await.unwrap();
        assert_eq!(stream.read_exact(&mut read).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
