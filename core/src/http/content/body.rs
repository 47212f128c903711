//! Body of a media response: chunks of an open file, read at the speed of the client.
//!
//! Data in the page cache is copied at once on the async thread, or sent without a copy if the
//! connection supports that. Other data is read on a blocking thread. Body and connection reuse
//! their buffers, so memory depends only on the number of clients. A client that disconnects drops
//! the body, which ends the reading.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, IoSliceMut};
use std::os::unix::fs::FileExt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use rustix::io::{Errno, ReadWriteFlags};
use tokio::task::JoinHandle;

use super::direct::{self, Direct};
use super::range::ByteRange;

/// Bytes per read. Smaller chunks need more system calls. Larger ones leave the processor cache
/// before they are sent.
const CHUNK: usize = 256 << 10;

/// Distance in bytes between the positions that are tested for presence in the page cache.
const PROBE: usize = 128 << 10;

/// Part of a body.
#[derive(Debug)]
pub enum Segment {
    /// Byte range of the file.
    File(ByteRange),
    /// Bytes between ranges, such as multipart headers.
    Text(Bytes),
}

impl Segment {
    fn len(&self) -> u64 {
        match self {
            Self::File(range) => range.count(),
            Self::Text(text) => text.len() as u64,
        }
    }
}

/// Body that consists of consecutive segments.
#[derive(Debug)]
pub struct FileBody {
    file: Arc<File>,
    segments: VecDeque<Segment>,
    remaining: u64,
    pool: Pool,
    reading: Option<JoinHandle<io::Result<Buffer>>>,
    direct: Option<Direct>,
}

impl FileBody {
    /// Creates a body of these segments of `file`.
    pub fn new(file: File, segments: impl IntoIterator<Item = Segment>) -> Self {
        let segments: VecDeque<Segment> = segments.into_iter().collect();
        Self {
            file: Arc::new(file),
            remaining: segments.iter().map(Segment::len).sum(),
            segments,
            pool: Pool::default(),
            reading: None,
            direct: None,
        }
    }

    /// Lets the connection send the file bytes, if it supports that.
    #[must_use]
    pub fn sent_by(mut self, direct: Option<Direct>) -> Self {
        self.direct = direct;
        self
    }

    /// Returns the number of bytes that are not sent yet.
    pub fn remaining(&self) -> u64 {
        self.remaining
    }

    /// Returns the next bytes of the first range, at least one.
    fn poll_file(&mut self, cx: &mut Context<'_>, range: ByteRange) -> Poll<io::Result<Bytes>> {
        if let (Some(direct), None) = (&self.direct, &self.reading) {
            let len = chunk_of(range, direct::CHUNK);
            if is_cached(&self.file, range.first, len) {
                let bytes = direct.stand_in(self.file.clone(), range.first, len);
                return Poll::Ready(Ok(bytes));
            }
        }
        let buffer = match &mut self.reading {
            Some(reading) => {
                let joined = ready!(Pin::new(reading).poll(cx));
                self.reading = None;
                joined.map_err(io::Error::other)??
            }
            None => match self
                .pool
                .take(chunk_of(range, CHUNK))
                .fill_from_cache(&self.file, range.first)
            {
                Ok(buffer) => buffer,
                Err(buffer) => {
                    let file = self.file.clone();
                    self.reading = Some(tokio::task::spawn_blocking(move || {
                        buffer.fill_from_disk(&file, range.first)
                    }));
                    return self.poll_file(cx, range);
                }
            },
        };
        if buffer.filled == 0 {
            // The client must be able to detect that the promised bytes are missing.
            return Poll::Ready(Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the file became shorter while it was sent",
            )));
        }
        Poll::Ready(Ok(Bytes::from_owner(buffer)))
    }
}

impl Body for FileBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let Some(segment) = self.segments.pop_front() else {
            return Poll::Ready(None);
        };
        let bytes = match segment {
            Segment::Text(text) => text,
            Segment::File(range) => match self.poll_file(cx, range) {
                Poll::Pending => {
                    self.segments.push_front(Segment::File(range));
                    return Poll::Pending;
                }
                Poll::Ready(Err(error)) => {
                    self.segments.clear();
                    tracing::warn!(%error, "sending a file was aborted");
                    return Poll::Ready(Some(Err(error)));
                }
                Poll::Ready(Ok(bytes)) => {
                    let first = range.first + bytes.len() as u64;
                    if first <= range.last {
                        let rest = ByteRange { first, ..range };
                        self.segments.push_front(Segment::File(rest));
                    }
                    bytes
                }
            },
        };
        self.remaining -= bytes.len() as u64;
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.segments.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.remaining)
    }
}

/// Returns the number of bytes of a range that one chunk contains.
fn chunk_of(range: ByteRange, chunk: usize) -> usize {
    usize::try_from(range.count()).map_or(chunk, |len| len.min(chunk))
}

/// Returns `true` if the page cache contains these bytes. Tests one byte of every [`PROBE`],
/// because the kernel reads ahead in larger units. Sending uncached bytes would block an async
/// thread.
fn is_cached(file: &File, offset: u64, len: usize) -> bool {
    let end = offset + len as u64;
    (offset..end).step_by(PROBE).chain([end - 1]).all(|at| {
        let mut byte = [0; 1];
        let slices = &mut [IoSliceMut::new(&mut byte)];
        let read = rustix::io::preadv2(file, slices, at, ReadWriteFlags::NOWAIT);
        matches!(read, Ok(1))
    })
}

/// Unused buffers of one body.
#[derive(Debug, Clone, Default)]
struct Pool(Arc<Mutex<Vec<Vec<u8>>>>);

impl Pool {
    /// Returns a buffer of `wanted` bytes.
    fn take(&self, wanted: usize) -> Buffer {
        let mut bytes = self.lock().pop().unwrap_or_default();
        bytes.resize(wanted, 0);
        Buffer {
            bytes,
            filled: 0,
            pool: self.clone(),
        }
    }

    /// Locks the list and ignores poisoning: a panic cannot leave the list inconsistent.
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Buffer that returns to its pool when it is dropped.
#[derive(Debug)]
struct Buffer {
    bytes: Vec<u8>,
    filled: usize,
    pool: Pool,
}

impl Buffer {
    /// Copies the cached bytes from `offset`. Returns the buffer as the error if none are cached,
    /// or if the file system does not support the check.
    fn fill_from_cache(mut self, file: &File, offset: u64) -> Result<Self, Self> {
        let slices = &mut [IoSliceMut::new(&mut self.bytes)];
        match rustix::io::preadv2(file, slices, offset, ReadWriteFlags::NOWAIT) {
            Ok(filled) => {
                self.filled = filled;
                Ok(self)
            }
            Err(_) => Err(self),
        }
    }

    /// Reads from `offset` and waits for the disk.
    fn fill_from_disk(mut self, file: &File, offset: u64) -> io::Result<Self> {
        loop {
            match file.read_at(&mut self.bytes, offset) {
                Ok(filled) => {
                    self.filled = filled;
                    return Ok(self);
                }
                Err(error) if Errno::from_io_error(&error) == Some(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        self.bytes.get(..self.filled).unwrap_or_default()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let bytes = std::mem::take(&mut self.bytes);
        self.pool.lock().push(bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, SeekFrom, Write};

    use http_body_util::BodyExt;

    use super::*;

    fn file(len: usize) -> (File, Vec<u8>) {
        let bytes: Vec<u8> = (0..len)
            .map(|n| u8::try_from(n % 251).expect("small"))
            .collect();
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(&bytes).expect("bytes");
        file.seek(SeekFrom::Start(0)).expect("the start");
        (file, bytes)
    }

    fn range(first: usize, last: usize) -> Segment {
        Segment::File(ByteRange {
            first: first as u64,
            last: last as u64,
        })
    }

    #[tokio::test]
    async fn segments_follow_one_another_byte_for_byte() {
        let (file, bytes) = file(3 * CHUNK + 17);
        let body = FileBody::new(
            file,
            [
                range(5, 2 * CHUNK),
                Segment::Text(Bytes::from_static(b"--between--")),
                range(0, 0),
                range(3 * CHUNK, 3 * CHUNK + 16),
            ],
        );
        let expected = [
            &bytes[5..=2 * CHUNK],
            b"--between--",
            &bytes[..1],
            &bytes[3 * CHUNK..],
        ]
        .concat();
        assert_eq!(body.remaining(), expected.len() as u64);
        assert_eq!(body.size_hint().exact(), Some(expected.len() as u64));
        let sent = body.collect().await.expect("a body").to_bytes();
        assert!(sent == expected);
    }

    #[tokio::test]
    async fn truncated_file_ends_in_error() {
        let (file, _) = file(2 * CHUNK);
        let handle = file.try_clone().expect("a second handle");
        let mut body = FileBody::new(file, [range(0, 2 * CHUNK - 1)]);
        let first = body.frame().await.expect("a frame").expect("bytes");
        assert_eq!(first.into_data().expect("data").len(), CHUNK);
        handle.set_len(CHUNK as u64).expect("a shorter file");
        let error = body.frame().await.expect("an end").expect_err("an error");
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        assert!(body.frame().await.is_none());
    }

    #[tokio::test]
    async fn buffers_are_reused() {
        let (file, bytes) = file(64 * CHUNK);
        let mut body = FileBody::new(file, [range(0, bytes.len() - 1)]);
        let mut sent = 0;
        while let Some(frame) = body.frame().await {
            sent += frame.expect("bytes").into_data().expect("data").len();
            assert!(body.pool.lock().len() <= 2);
        }
        assert_eq!(sent, bytes.len());
    }

    #[test]
    fn disk_read_equals_cache_read() {
        let (file, bytes) = file(CHUNK + 3);
        let pool = Pool::default();
        let buffer = pool.take(CHUNK).fill_from_disk(&file, 3);
        assert!(buffer.expect("bytes").as_ref() == &bytes[3..]);
        let buffer = pool.take(10).fill_from_disk(&file, bytes.len() as u64);
        assert_eq!(buffer.expect("the end").as_ref(), b"");
    }
}
