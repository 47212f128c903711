//! Files of ZIP and tar archives, unpacked while they are sent.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;

use super::{Archive, ReadResult, damaged, limit, missing_member};

/// Bytes that are unpacked at once, and the most that a slow client keeps in memory.
const CHUNK_BYTES: usize = 256 << 10;

/// A file of an archive that is being unpacked.
struct Unpacking {
    bytes: Box<dyn Read + Send>,
    left: u64,
}

/// The first piece of a file and the rest.
pub struct Streamed {
    /// Unpacked size of the whole file in bytes.
    pub size: u64,
    /// First bytes of the file. All of them if it is small.
    pub first: Bytes,
    rest: Unpacking,
}

impl std::fmt::Debug for Streamed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Streamed({} bytes)", self.size)
    }
}

impl Archive<File> {
    /// Starts to unpack a file of at most `most` bytes. The first piece is unpacked at once, so that
    /// damage is an error before the response begins.
    ///
    /// # Errors
    /// Fails for RAR and 7z archives, which unpack whole files only; see [`Archive::is_direct`].
    pub fn into_stream(self, index: usize, most: u64) -> ReadResult<Streamed> {
        let (bytes, size): (Box<dyn Read + Send>, u64) = match self {
            Self::Zip(mut zip) => {
                let entry = *zip.entries().get(index).ok_or_else(missing_member)?;
                let at = zip.data_offset(&entry)?;
                let mut file = zip.into_inner();
                file.seek(SeekFrom::Start(at))?;
                let packed = file.take(entry.packed_size());
                (Box::new(entry.unpacked(packed)), entry.size)
            }
            Self::Tar(tar) => {
                let (content, size) = tar.into_content(index)?;
                (Box::new(content), size)
            }
            Self::SevenZip(_) | Self::Rar(_) => return Err(damaged("cannot be read in pieces")),
        };
        if size > most {
            return Err(limit("a file in it is too large"));
        }
        let mut rest = Unpacking { bytes, left: size };
        let first = rest
            .chunk()
            .map_err(|_| damaged("a file in it is damaged"))?;
        Ok(Streamed { size, first, rest })
    }
}

impl Unpacking {
    /// Returns the next bytes, or none at the end. A length other than the declared one is an error
    /// before the last bytes, so that the transfer does not look complete.
    fn chunk(&mut self) -> io::Result<Bytes> {
        let wanted = self.left.min(CHUNK_BYTES as u64);
        let mut chunk = Vec::new();
        self.bytes.by_ref().take(wanted).read_to_end(&mut chunk)?;
        if (chunk.len() as u64) < wanted {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= wanted;
        if self.left == 0 && self.bytes.by_ref().take(1).read_to_end(&mut Vec::new())? > 0 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(chunk.into())
    }
}

impl From<Streamed> for Body {
    /// Creates a body that unpacks the rest on demand. A disconnected client ends it.
    fn from(Streamed { first, rest, .. }: Streamed) -> Self {
        if rest.left == 0 {
            return first.into();
        }
        Self::from_stream(stream::try_unfold((Some(first), rest), next))
    }
}

type StreamState = (Option<Bytes>, Unpacking);

async fn next((first, mut rest): StreamState) -> io::Result<Option<(Bytes, StreamState)>> {
    if let Some(first) = first {
        return Ok(Some((first, (None, rest))));
    }
    if rest.left == 0 {
        return Ok(None);
    }
    let unpacked = tokio::task::spawn_blocking(move || rest.chunk().map(|chunk| (chunk, rest)));
    let (chunk, rest) = unpacked.await.map_err(io::Error::other)??;
    Ok(Some((chunk, (None, rest))))
}
