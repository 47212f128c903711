//! Content checks for extensions that audio and video files share.

use ledge_core::registry::reading::Candidate;
use ledge_formats::{mpeg_audio, ogg};

use super::extensions;

/// Bytes of a file that are read to identify its content.
const HEAD: u64 = 64 << 10;

/// Rejects Ogg files with a video stream. Accepts contested files (`.mpg`, `.ogx`) only if they
/// contain sound alone.
///
/// An unreadable file is accepted under an extension of this kind and rejected under a contested
/// one.
pub(crate) fn accepts(candidate: &Candidate<'_>) -> bool {
    let is_contested = extensions::CONTESTED
        .iter()
        .any(|format| format.extension == candidate.extension);
    if !is_contested && candidate.extension != "ogg" {
        return true;
    }
    let Ok(head) = candidate.beginning(HEAD) else {
        return !is_contested;
    };
    if head.starts_with(ogg::MAGIC) {
        return !ogg::has_pictures(&head);
    }
    !is_contested || mpeg_audio::begins(&head)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use ledge_core::registry::reading::FolderNotes;

    use super::*;

    fn accepted(name: &str, content: Option<&[u8]>) -> bool {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        if let Some(content) = content {
            std::fs::write(&path, content).expect("a file");
        }
        let extension = name.rsplit('.').next().expect("an extension");
        accepts(&Candidate {
            path: &path,
            root: Path::new("/"),
            extension,
            siblings: &[],
            names: &[],
            notes: &FolderNotes::default(),
        })
    }

    /// Builds the first page of an Ogg stream.
    fn page(packet: &[u8]) -> Vec<u8> {
        let length = u8::try_from(packet.len()).expect("short");
        [b"OggS\0\x02", &[0; 20][..], &[1, length], packet].concat()
    }

    #[test]
    fn ogg_files_with_video_streams_are_rejected() {
        let sound = page(b"\x01vorbis");
        let film = [sound.clone(), page(b"\x80theora")].concat();
        for (name, content, expected) in [
            ("a.ogg", Some(sound.as_slice()), true),
            ("a.ogg", Some(&film), false),
            ("a.ogg", Some(b"damaged"), true),
            ("a.ogg", None, true),
            ("a.ogx", Some(&sound), true),
            ("a.ogx", Some(&film), false),
            ("a.ogx", Some(b"damaged"), false),
            ("a.ogx", None, false),
            ("a.oga", Some(&film), true),
        ] {
            assert_eq!(accepted(name, content), expected, "{name} {content:?}");
        }
    }

    #[test]
    fn mpeg_files_are_accepted_if_they_begin_with_audio_frames() {
        for (content, expected) in [
            (&b"ID3\x04"[..], true),
            (b"\xff\xfd\x90\0", true),
            (b"\xff\xff\xff\xff", false),
            (b"\xff\xf1\x50\x80", false),
            (b"\0\0\x01\xba", false),
            (b"", false),
        ] {
            assert_eq!(accepted("a.mpg", Some(content)), expected, "{content:?}");
        }
    }
}
