//! Sends a file's bytes from the page cache to the socket without a copy through this process:
//! `sendfile(2)` below an HTTP library that does not support it.
//!
//! The body passes *stand-ins* to the HTTP library: slices of one memory region that is never read
//! or written. The library forwards them, in order and without a copy, to the connection's
//! [`DirectStream`]. The stream recognizes them by their address and sends the file extents that
//! the body has queued. A request has a [`Direct`] extension only if its connection supports this.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;

/// Maximum number of bytes that one stand-in represents.
pub const CHUNK: usize = 2 << 20;

/// Region that stand-ins are slices of. It is never touched, so that it takes no physical memory.
static REGION: LazyLock<Vec<u8>> = LazyLock::new(|| vec![0; CHUNK]);

fn is_stand_in(slice: &[u8]) -> bool {
    REGION.as_ptr_range().contains(&slice.as_ptr())
}

/// File bytes that are queued for sending.
#[derive(Debug)]
struct Extent {
    file: Arc<File>,
    offset: u64,
    len: usize,
}

/// Queue of extents between the bodies of one connection and its stream.
#[derive(Debug, Clone, Default)]
pub struct Direct(Arc<Mutex<VecDeque<Extent>>>);

impl Direct {
    /// Queues `len` bytes of `file`, at most [`CHUNK`], and returns the stand-in for them.
    pub(super) fn stand_in(&self, file: Arc<File>, offset: u64, len: usize) -> Bytes {
        let region: &'static [u8] = REGION.as_slice();
        let stand_in = region.get(..len).unwrap_or(region);
        let len = stand_in.len();
        self.lock().push_back(Extent { file, offset, len });
        Bytes::from_static(stand_in)
    }

    /// Locks the queue and ignores poisoning: a panic cannot leave it inconsistent.
    fn lock(&self) -> MutexGuard<'_, VecDeque<Extent>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Connection that sends file extents when stand-ins are written to it.
#[derive(Debug)]
pub struct DirectStream {
    stream: TcpStream,
    queue: Direct,
}

impl DirectStream {
    /// Wraps a connection. The caller must add the [`Direct`] to the extensions of its requests.
    pub fn new(stream: TcpStream) -> (Self, Direct) {
        let queue = Direct::default();
        let direct = queue.clone();
        (Self { stream, queue }, direct)
    }

    /// Sends bytes of the first extent, as many as the socket accepts.
    fn poll_send(&self, cx: &mut Context<'_>, written: usize) -> Poll<io::Result<usize>> {
        let mut queue = self.queue.lock();
        let Some(extent) = queue.front_mut() else {
            return Poll::Ready(Err(io::Error::other("a stand-in has no queued extent")));
        };
        loop {
            ready!(self.stream.poll_write_ready(cx))?;
            let mut offset = extent.offset;
            let count = written.min(extent.len);
            let sent = self.stream.try_io(Interest::WRITABLE, || {
                let sent =
                    rustix::fs::sendfile(&self.stream, &extent.file, Some(&mut offset), count);
                Ok(sent?)
            });
            match sent {
                // The client must be able to detect that the promised bytes are missing.
                Ok(0) => return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into())),
                Ok(sent) => {
                    extent.offset = offset;
                    extent.len -= sent;
                    if extent.len == 0 {
                        queue.pop_front();
                    }
                    return Poll::Ready(Ok(sent));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncRead for DirectStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for DirectStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if is_stand_in(bytes) && !bytes.is_empty() {
            self.poll_send(cx, bytes.len())
        } else {
            Pin::new(&mut self.stream).poll_write(cx, bytes)
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let mut filled = slices
            .iter()
            .enumerate()
            .filter(|(_, slice)| !slice.is_empty());
        match filled.find(|(_, slice)| is_stand_in(slice)) {
            None => Pin::new(&mut self.stream).poll_write_vectored(cx, slices),
            Some((n, stand_in)) => {
                let before = slices.get(..n).unwrap_or_default();
                if before.iter().all(|slice| slice.is_empty()) {
                    self.poll_send(cx, stand_in.len())
                } else {
                    Pin::new(&mut self.stream).poll_write_vectored(cx, before)
                }
            }
        }
    }

    /// Returns `true`, because the HTTP library would otherwise copy all slices into one buffer.
    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests;
