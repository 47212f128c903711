//! Fingerprints: they distinguish the contents of files at the cost of two short reads.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt};

use crate::fs::disk::{Disk, FileStat};
use crate::fs::open_inside;
use crate::store::file::Fingerprint;

/// Bytes that are read at the head and at the tail of a file.
const END: usize = 64 << 10;
/// Files up to this size, in bytes, are hashed completely.
const WHOLE: i64 = 128 << 10;
/// Maximum size, in bytes, of files that get a full hash. A tie between larger files stays
/// undecided.
pub(crate) const MAX_FULL: i64 = 256 << 20;

/// Returns `true` if the fingerprint of a file of this size is a hash of its whole content.
pub(crate) fn covers(size: i64) -> bool {
    size <= WHOLE
}

/// Opens a file for reading. Fails if the path has become something else than a file inside the
/// root.
pub(crate) fn open(disk: &dyn Disk, path: &[u8]) -> io::Result<File> {
    open_inside(&disk.absolute(b""), &disk.absolute(path))
}

/// Returns size and modification time of an open file.
pub(crate) fn stat(file: &File) -> io::Result<FileStat> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("not a regular file any more"));
    }
    Ok(FileStat {
        size: i64::try_from(metadata.len()).unwrap_or(i64::MAX),
        mtime_ns: metadata
            .mtime()
            .saturating_mul(1_000_000_000)
            .saturating_add(metadata.mtime_nsec()),
    })
}

/// Returns the fingerprint of a file of `size` bytes, or `None` for an empty file.
pub(crate) fn of(file: &File, size: i64, buffer: &mut Vec<u8>) -> io::Result<Option<Fingerprint>> {
    if size <= 0 {
        return Ok(None);
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(&size.to_le_bytes());
    let length = u64::try_from(size).unwrap_or(0);
    if covers(size) {
        read_part(file, 0, usize::try_from(size).unwrap_or(0), buffer)?;
        hasher.update(buffer);
    } else {
        read_part(file, 0, END, buffer)?;
        hasher.update(buffer);
        read_part(file, length - END as u64, END, buffer)?;
        hasher.update(buffer);
    }
    let mut fingerprint = Fingerprint::default();
    hasher.finalize_xof().fill(&mut fingerprint);
    Ok(Some(fingerprint))
}

fn read_part(file: &File, offset: u64, length: usize, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.resize(length, 0);
    file.read_exact_at(buffer, offset)
}

/// Returns the BLAKE3 hash of the whole file.
pub(crate) fn full(disk: &dyn Disk, path: &[u8]) -> io::Result<[u8; 32]> {
    let mut file = open(disk, path)?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 256 << 10];
    loop {
        let read = file.read(&mut buffer)?;
        let Some(part) = buffer.get(..read).filter(|part| !part.is_empty()) else {
            return Ok(*hasher.finalize().as_bytes());
        };
        hasher.update(part);
    }
}
