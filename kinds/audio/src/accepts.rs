//! Files whose extension does not tell recordings from films.

use ledge_core::ogg;
use ledge_core::registry::reading::Candidate;

use crate::formats;

/// How much of a file is read to tell, in bytes.
const HEAD: u64 = 64 << 10;

/// Leaves Ogg films to other kinds, and takes contested files that hold nothing but sound. A file
/// that cannot be read is taken under an extension of this kind, and left otherwise.
pub(crate) fn accepts(candidate: &Candidate<'_>) -> bool {
    let is_contested = formats::CONTESTED
        .iter()
        .any(|format| format.extension == candidate.extension);
    if !is_contested && candidate.extension != "ogg" {
        return true;
    }
    let Ok(head) = candidate.beginning(HEAD) else {
        return !is_contested;
    };
    if ogg::begins(&head) {
        return !ogg::has_pictures(&head);
    }
    !is_contested || is_mpeg_audio(&head)
}

/// Whether a file begins with an ID3 tag or a frame header of MPEG audio.
fn is_mpeg_audio(head: &[u8]) -> bool {
    match head {
        [b'I', b'D', b'3', ..] => true,
        // Sync of 11 bits, then layer, bit rate and sample rate, none of them reserved.
        [0xff, second, third, ..] => {
            second & 0xe0 == 0xe0
                && second & 0x18 != 0x08
                && second & 0x06 != 0
                && third & 0xf0 != 0xf0
                && third & 0x0c != 0x0c
        }
        _ => false,
    }
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

    /// The first page of an Ogg stream.
    fn page(packet: &[u8]) -> Vec<u8> {
        let length = u8::try_from(packet.len()).expect("short");
        [b"OggS\0\x02", &[0; 20][..], &[1, length], packet].concat()
    }

    #[test]
    fn ogg_files_are_told_apart_by_their_streams() {
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
    fn mpeg_files_are_recordings_where_they_begin_as_such() {
        for (content, expected) in [
            (&b"ID3\x04"[..], true),
            (b"\xff\xfd\x90\0", true),
            (b"\xff\xff\xff\xff", false),
            (b"\0\0\x01\xba", false),
            (b"", false),
        ] {
            assert_eq!(accepted("a.mpg", Some(content)), expected, "{content:?}");
        }
    }
}
