//! Fingerprints: what tells a file's content from others at the cost of two short reads.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt};

use super::disk::{Disk, Look};
use crate::content::open_inside;
use crate::store::file::Fingerprint;

/// Head and tail that are read.
const END: usize = 64 << 10;
/// Files up to this size are read whole.
const WHOLE: i64 = 128 << 10;
/// Larger files are never hashed whole: a tie between them is left undecided.
pub(super) const MAX_FULL: i64 = 256 << 20;

/// Whether a fingerprint of a file of this size is a hash of all of it.
pub(super) fn covers(size: i64) -> bool {
    size <= WHOLE
}

/// Opens a file for reading, should its name not have become something else since the walk.
pub(super) fn open(disk: &dyn Disk, path: &[u8]) -> io::Result<File> {
    open_inside(&disk.absolute(b""), &disk.absolute(path))
}

/// Size and time of an open file.
pub(super) fn look(file: &File) -> io::Result<Look> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("not a regular file any more"));
    }
    Ok(Look {
        size: i64::try_from(metadata.len()).unwrap_or(i64::MAX),
        mtime_ns: metadata
            .mtime()
            .saturating_mul(1_000_000_000)
            .saturating_add(metadata.mtime_nsec()),
    })
}

/// The fingerprint of a file of `size` bytes; `None` for an empty one.
pub(super) fn of(file: &File, size: i64, buffer: &mut Vec<u8>) -> io::Result<Option<Fingerprint>> {
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

/// A hash of the whole file.
pub(super) fn full(disk: &dyn Disk, path: &[u8]) -> io::Result<[u8; 32]> {
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
