//! One word for each container, from ffprobe's names of its demuxers.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::playback::UNKNOWN;

pub(super) const MATROSKA: &str = "matroska";
pub(super) const WEBM: &str = "webm";

/// Demuxers whose own name is not the container's, by the first of their names.
const WORDS: &[(&str, &str)] = &[
    ("mov", "mp4"),
    ("mpeg", "mpegps"),
    ("aac", "adts"),
    ("mpc8", "mpc"),
    ("amrnb", "amr"),
    ("amrwb", "amr"),
    ("w64", "wav"),
];

/// The word for ffprobe's `format_name`, such as `mov,mp4,m4a,3gp,3g2,mj2`.
pub(super) fn word(format_name: &str) -> String {
    let first = format_name.split(',').next().unwrap_or_default().trim();
    let known = WORDS.iter().find(|(name, _)| *name == first);
    match known {
        Some((_, word)) => (*word).to_owned(),
        None if first.is_empty() => UNKNOWN.to_owned(),
        None => first
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(32)
            .collect(),
    }
}

/// Whether a Matroska file calls itself WebM; ffprobe has one name for both.
pub(super) fn is_webm(header: &[u8], path: &Path) -> bool {
    document_type(header).unwrap_or_else(|| {
        path.extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case(WEBM))
    })
}

/// The beginning of a file, read where it is, so that others read it from its beginning.
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
    // The size's own length stands in its leading zero bits.
    let start = id + 3 + usize::try_from(size.leading_zeros()).ok()?;
    Some(header.get(start..)?.starts_with(WEBM.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_container_is_one_word() {
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
