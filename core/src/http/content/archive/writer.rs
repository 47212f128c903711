//! Produces the bytes of a range of an archive, in chunks.
//!
//! At most one file is open and one chunk is in memory. The state of a file is compared with the
//! layout after each read, because the length of the archive is already sent.

use std::io;
use std::os::unix::fs::FileExt;

use bytes::Bytes;

use super::super::open::open;
use super::super::range::ByteRange;
use super::checksums;
use super::layout::{Entry, Layout, Piece};
use super::permits::{self, OpenPermit};
use crate::access::Visible;
use crate::db::Db;
use crate::fs::MediaFile;
use crate::store::file::location;

/// Bytes per read.
const CHUNK: u64 = 256 << 10;

/// Writer of one response.
#[derive(Debug)]
pub(super) struct Writer {
    source: (Db, Visible),
    layout: Layout,
    piece: Piece,
    /// Number of bytes of the piece that are sent or skipped.
    done: u64,
    /// Number of bytes of the range that are not sent yet.
    remaining: u64,
    /// Known checksums by entry.
    sums: Vec<Option<u32>>,
    open: Option<OpenFile>,
    _permit: OpenPermit,
}

impl Writer {
    /// Starts at the first byte of the range. `source` finds the files that the reader still sees.
    pub(super) fn new(
        source: (Db, Visible),
        layout: Layout,
        range: ByteRange,
        permit: OpenPermit,
    ) -> Self {
        let (piece, done) = layout.find(range);
        Self {
            source,
            piece,
            done,
            remaining: range.count(),
            sums: vec![None; layout.count()],
            layout,
            open: None,
            _permit: permit,
        }
    }

    /// Returns the next bytes, or `None` at the end of the range.
    ///
    /// # Errors
    ///
    /// Returns an error if a file has changed, is absent or is no longer visible to the reader.
    pub(super) async fn next(&mut self) -> io::Result<Option<Bytes>> {
        while self.remaining > 0 {
            let rest = self.layout.length(self.piece).saturating_sub(self.done);
            if rest == 0 {
                let next = self.layout.after(self.piece);
                self.piece = next.ok_or(io::ErrorKind::UnexpectedEof)?;
                self.done = 0;
                continue;
            }
            let mut bytes = match self.piece {
                Piece::Content(at) => self.content(at, rest.min(self.remaining)).await?,
                piece => self.fields(piece).await?,
            };
            bytes.truncate(usize::try_from(self.remaining).unwrap_or(usize::MAX));
            self.done += bytes.len() as u64;
            self.remaining -= bytes.len() as u64;
            return Ok(Some(bytes));
        }
        Ok(None)
    }

    /// Returns the rest of a piece that is not content.
    async fn fields(&mut self, piece: Piece) -> io::Result<Bytes> {
        let crc = match piece {
            Piece::Descriptor(at) | Piece::Directory(at) => self.sum(at).await?,
            Piece::Header(_) | Piece::Content(_) | Piece::End => 0,
        };
        let mut bytes = Bytes::from(self.layout.bytes(piece, crc));
        let done = usize::try_from(self.done).unwrap_or(usize::MAX);
        Ok(bytes.split_off(done.min(bytes.len())))
    }

    /// Returns up to `limit` bytes of an entry's content, at least one.
    async fn content(&mut self, at: usize, limit: u64) -> io::Result<Bytes> {
        let open = if let Some(open) = self.open.take().filter(|open| open.at == at) {
            open
        } else {
            let is_from_start = self.done == 0 && self.known(at).is_none();
            self.open(at, is_from_start).await?
        };
        let (bytes, open) = open.read(self.done, limit.min(CHUNK)).await?;
        self.note(&open);
        self.open = Some(open);
        Ok(bytes)
    }

    /// Stores the checksum of a file that was read to its end.
    fn note(&mut self, open: &OpenFile) {
        let (Some(crc), Some(entry)) = (open.sum(), self.layout.entry(open.at)) else {
            return;
        };
        checksums::put(entry, crc);
        if let Some(sum) = self.sums.get_mut(open.at) {
            *sum = Some(crc);
        }
    }

    /// Returns the checksum of an entry if it is known.
    fn known(&self, at: usize) -> Option<u32> {
        let own = self.sums.get(at).copied().flatten();
        own.or_else(|| checksums::get(self.layout.entry(at)?))
    }

    /// Returns the checksum of an entry. If it is unknown, the whole file is read.
    async fn sum(&mut self, at: usize) -> io::Result<u32> {
        if let Some(crc) = self.known(at) {
            return Ok(crc);
        }
        let _permit = permits::sum().await?;
        let mut open = self.open(at, true).await?;
        loop {
            let position = open.position;
            (_, open) = open.read(position, CHUNK).await?;
            if let Some(crc) = open.sum() {
                self.note(&open);
                return Ok(crc);
            }
        }
    }

    /// Opens the file of an entry and compares it with the layout.
    async fn open(&self, at: usize, with_sum: bool) -> io::Result<OpenFile> {
        let entry = self.layout.entry(at).ok_or(io::ErrorKind::NotFound)?;
        let ((db, viewer), id) = (&self.source, entry.file);
        let viewer = *viewer;
        let location = db
            .read_inline(move |conn| match viewer.file(conn, id)? {
                Some(file) => location::of_file(conn, file),
                None => Ok(None),
            })
            .await
            .map_err(io::Error::other)?;
        let location = location.ok_or(io::ErrorKind::NotFound)?;
        let file = open(&location).await.map_err(io::Error::other)?;
        if (file.size, file.mtime_ns) != (entry.size, entry.mtime_ns) {
            return Err(changed(entry));
        }
        Ok(OpenFile {
            at,
            file,
            position: 0,
            hasher: with_sum.then(crc32fast::Hasher::new),
        })
    }
}

fn changed(entry: &Entry) -> io::Error {
    io::Error::other(format!("the file {} has changed", entry.file))
}

/// Open file of an entry.
#[derive(Debug)]
struct OpenFile {
    at: usize,
    file: MediaFile,
    /// End of the last read.
    position: u64,
    /// Checksum of the bytes before `position`, if the file was read from its start.
    hasher: Option<crc32fast::Hasher>,
}

impl OpenFile {
    /// Returns the checksum if the whole file was read.
    fn sum(&self) -> Option<u32> {
        let hasher = self.hasher.as_ref()?;
        (self.position == self.file.size).then(|| hasher.clone().finalize())
    }

    /// Reads up to `length` bytes on a blocking thread, at least one.
    async fn read(self, offset: u64, length: u64) -> io::Result<(Bytes, Self)> {
        let read = tokio::task::spawn_blocking(move || self.read_blocking(offset, length));
        read.await.map_err(io::Error::other)?
    }

    fn read_blocking(mut self, offset: u64, length: u64) -> io::Result<(Bytes, Self)> {
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        let filled = loop {
            match self.file.file.read_at(&mut bytes, offset) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                filled => break filled?,
            }
        };
        // A file that became shorter is a changed file.
        if filled == 0 || !self.file.is_unchanged()? {
            return Err(io::Error::other("a file has changed while it was sent"));
        }
        bytes.truncate(filled);
        if let Some(hasher) = self.hasher.as_mut().filter(|_| self.position == offset) {
            hasher.update(&bytes);
        } else {
            self.hasher = None;
        }
        self.position = offset + filled as u64;
        Ok((Bytes::from(bytes), self))
    }
}
