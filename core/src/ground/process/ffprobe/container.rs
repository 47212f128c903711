//! Container names, derived from ffprobe's demuxer names.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::registry::UNKNOWN_CODEC;

pub(super) const MATROSKA: &str = "matroska";
pub(super) const WEBM: &str = "webm";

/// Demuxers whose name differs from the container's, by the first of their names.
const WORDS: &[(&str, &str)] = &[
    ("mov", "mp4"),
    ("mpeg", "mpegps"),
    ("aac", "adts"),
    ("mpc8", "mpc"),
    ("amrnb", "amr"),
    ("amrwb", "amr"),
    ("w64", "wav"),
];

/// Returns the container name for ffprobe's `format_name`, such as `mov,mp4,m4a,3gp,3g2,mj2`.
pub(super) fn word(format_name: &str) -> String {
    let first = format_name.split(',').next().unwrap_or_default().trim();
    let known = WORDS.iter().find(|(name, _)| *name == first);
    match known {
        Some((_, word)) => (*word).to_owned(),
        None if first.is_empty() => UNKNOWN_CODEC.to_owned(),
        None => first
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(32)
            .collect(),
    }
}

/// Returns `true` if a Matroska file is a WebM file. ffprobe has one name for both.
pub(super) fn is_webm(header: &[u8], path: &Path) -> bool {
    document_type(header).unwrap_or_else(|| {
        path.extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case(WEBM))
    })
}

/// Returns the first 128 bytes of a file. The file position stays unchanged, because ffprobe reads
/// the descriptor from its start.
pub(super) fn header(file: &File) -> io::Result<Vec<u8>> {
    let mut header = vec![0; 128];
    let read = file.read_at(&mut header, 0)?;
    header.truncate(read);
    Ok(header)
}

/// Reads the DocType element (ID 0x4282) of the EBML header, RFC 8794.
fn document_type(header: &[u8]) -> Option<bool> {
    let id = header.windows(2).position(|pair| pair == [0x42, 0x82])?;
    let size = header.get(id + 2)?;
    // The number of leading zero bits is the number of further bytes of the size.
    let start = id + 3 + usize::try_from(size.leading_zeros()).ok()?;
    Some(header.get(start..)?.starts_with(WEBM.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_of_format_name_is_one_word() {
        for (name, expected) in [
            ("mov,mp4,m4a,3gp,3g2,mj2", "mp4"),
            ("matroska,webm", "matroska"),
            ("mpeg", "mpegps"),
            ("mpegts", "mpegts"),
            ("aac", "adts"),
            ("avi", "avi"),
            ("asf", "asf"),
            ("flac", "flac"),
            ("", "unknown"),
        ] {
            assert_eq!(word(name), expected, "{name}");
        }
    }
}
