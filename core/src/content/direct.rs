//! Sending a file's bytes from the page cache to the socket without copying them through this
//! process: `sendfile(2)` under an HTTP library that knows nothing of it.
//!
//! The body hands the HTTP library *stand-ins*: slices of one region of memory that nobody reads
//! or writes. The library passes them on, in order and uncopied, to the connection's
//! [`DirectStream`], which knows them by their address and sends the extents of files that the
//! body queued with them. A request bears a [`Direct`] only where its connection does this.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;

/// Bytes that one stand-in stands for at most.
pub const CHUNK: usize = 2 << 20;

/// What stand-ins are slices of. Never touched, so that it takes no memory.
static REGION: LazyLock<Vec<u8>> = LazyLock::new(|| vec![0; CHUNK]);

fn is_stand_in(slice: &[u8]) -> bool {
    REGION.as_ptr_range().contains(&slice.as_ptr())
}

/// Bytes of a file that are to be sent.
#[derive(Debug)]
struct Extent {
    file: Arc<File>,
    offset: u64,
    len: usize,
}

/// The queue of extents between the bodies of one connection and its stream.
#[derive(Debug, Clone, Default)]
pub struct Direct(Arc<Mutex<VecDeque<Extent>>>);

impl Direct {
    /// Queues `len` bytes of `file`, at most [`CHUNK`], and stands in for them.
    pub(super) fn stand_in(&self, file: Arc<File>, offset: u64, len: usize) -> Bytes {
        let region: &'static [u8] = REGION.as_slice();
        let stand_in = region.get(..len).unwrap_or(region);
        let len = stand_in.len();
        self.lock().push_back(Extent { file, offset, len });
        Bytes::from_static(stand_in)
    }

    /// No panic can leave a queue half written.
    fn lock(&self) -> MutexGuard<'_, VecDeque<Extent>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that sends files where stand-ins are written to it.
#[derive(Debug)]
pub struct DirectStream {
    stream: TcpStream,
    queue: Direct,
}

impl DirectStream {
    /// Wraps a connection; put the [`Direct`] into the extensions of its requests.
    pub fn new(stream: TcpStream) -> (Self, Direct) {
        let queue = Direct::default();
        let direct = queue.clone();
        (Self { stream, queue }, direct)
    }

    /// Sends bytes of the extent in front, as many as the socket takes.
    fn poll_send(&self, cx: &mut Context<'_>, written: usize) -> Poll<io::Result<usize>> {
        let mut queue = self.queue.lock();
        let Some(extent) = queue.front_mut() else {
            return Poll::Ready(Err(io::Error::other("a stand-in for nothing")));
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
                // Whoever was promised more bytes must see that they do not come.
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

    /// Without this the HTTP library would copy what it is given into one buffer.
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
