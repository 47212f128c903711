//! Paths and file names as bytes and as text: file systems use bytes, users and kinds read text.

use std::fmt::{Display, Write};

/// Maximum length of an error text, in characters.
const MAX_ERROR: usize = 500;

/// First byte of a tombstone name: the stored name of a file that lost its path and has not been
/// found again. No name on a disk contains this byte. The file's id, a slash and its old name
/// follow.
const TOMBSTONE: u8 = 0;

/// Extensions of files that are still being written or copied.
const INCOMPLETE: [&str; 14] = [
    "part",
    "crdownload",
    "!qb",
    "!ut",
    "!bt",
    "bc!",
    "tmp",
    "temp",
    "partial",
    "download",
    "opdownload",
    "aria2",
    "filepart",
    "unconfirmed",
];

/// Extensions of folders in which browsers and download clients keep unfinished files.
const INCOMPLETE_FOLDERS: [&str; 3] = ["download", "crdownload", "!qb"];

/// System files and folders of operating systems and NAS devices, in lower case.
const LITTER: [&str; 9] = [
    "@eadir",
    "#recycle",
    "#snapshot",
    "$recycle.bin",
    "system volume information",
    "lost+found",
    "thumbs.db",
    "desktop.ini",
    "__macosx",
];

/// Returns the name as text. Bytes that are not UTF-8 become `\xNN`, so that different names stay
/// different. A tombstone name becomes the old name.
pub fn display(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in original(bytes).utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// Returns the tombstone name of a file that lost its path.
pub(crate) fn tombstone(file: crate::id::FileId, name: &[u8]) -> Vec<u8> {
    let mut tombstone = vec![TOMBSTONE];
    tombstone.extend_from_slice(file.to_string().as_bytes());
    tombstone.push(b'/');
    tombstone.extend_from_slice(original(name));
    tombstone
}

/// Returns `true` if this is a tombstone name.
pub(crate) fn is_tombstone(name: &[u8]) -> bool {
    name.first() == Some(&TOMBSTONE)
}

/// Returns the name on the disk for a stored name.
pub(crate) fn original(name: &[u8]) -> &[u8] {
    if !is_tombstone(name) {
        return name;
    }
    let slash = name.iter().position(|byte| *byte == b'/');
    slash.and_then(|at| name.get(at + 1..)).unwrap_or(name)
}

/// Returns `folder/name`, or `name` at the root.
pub(crate) fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(folder.len() + 1 + name.len());
    path.extend_from_slice(folder);
    if !folder.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

/// Returns the part after the last dot in lower case. Returns `None` if there is no dot, or if that
/// part is empty, not UTF-8 or longer than 16 bytes.
pub(crate) fn extension(name: &[u8]) -> Option<String> {
    let dot = name.iter().rposition(|byte| *byte == b'.')?;
    let extension = std::str::from_utf8(name.get(dot + 1..)?).ok()?;
    (!extension.is_empty() && extension.len() <= 16).then(|| extension.to_lowercase())
}

/// Returns `true` for hidden, system and incomplete files.
pub(crate) fn is_left_out_file(name: &[u8]) -> bool {
    is_left_out(name)
        || extension(name).is_some_and(|extension| INCOMPLETE.contains(&extension.as_str()))
}

/// Returns `true` for hidden folders, system folders and folders of incomplete downloads.
pub(crate) fn is_left_out_folder(name: &[u8]) -> bool {
    is_left_out(name)
        || extension(name).is_some_and(|extension| INCOMPLETE_FOLDERS.contains(&extension.as_str()))
}

fn is_left_out(name: &[u8]) -> bool {
    name.first() == Some(&b'.')
        || LITTER
            .iter()
            .any(|litter| name.eq_ignore_ascii_case(litter.as_bytes()))
}

/// Returns `true` if a scan ignores this path, as a file or as a folder.
pub fn is_passed_over(path: &[u8]) -> bool {
    let mut names = path.split(|byte| *byte == b'/').rev();
    names.next().is_some_and(is_left_out_file) || names.any(is_left_out_folder)
}

/// Returns `true` if a walk does not enter the folder at this path.
pub fn is_passed_over_as_folder(path: &[u8]) -> bool {
    !path.is_empty() && path.split(|byte| *byte == b'/').any(is_left_out_folder)
}

/// Returns `path` and the folders above it, nearest first. The last one is the root (empty).
pub(crate) fn ancestors(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::successors(Some(path), |path| {
        if path.is_empty() {
            return None;
        }
        let slash = path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        path.get(..slash)
    })
}

/// Formats an error about a path below the root as one line.
pub(crate) fn error_line(path: &[u8], what: &dyn Display) -> String {
    let place = if path.is_empty() {
        ".".to_owned()
    } else {
        display(path)
    };
    let text = format!("{place}: {what}");
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(MAX_ERROR).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::FileId;

    #[test]
    fn display_of_invalid_utf8_escapes_bytes_distinctly() {
        assert_eq!(display("Çédille.epub".as_bytes()), "Çédille.epub");
        assert_eq!(display(b"caf\xe9.epub"), "caf\\xe9.epub");
        assert_ne!(display(b"\xfe"), display(b"\xff"));
    }

    #[test]
    fn display_of_tombstone_is_original_name() {
        let name = tombstone(FileId(7), b"Dune.epub");
        assert!(is_tombstone(&name));
        assert_eq!(display(&name), "Dune.epub");
        assert_eq!(tombstone(FileId(7), &name), name);
    }

    #[test]
    fn hidden_incomplete_and_system_files_are_left_out() {
        for name in [
            ".hidden.epub",
            "a.epub.part",
            "a.mkv.!qB",
            "A.CRDOWNLOAD",
            "Thumbs.db",
        ] {
            assert!(is_left_out_file(name.as_bytes()), "{name}");
        }
        for name in [".git", "@eaDir", "#recycle", "$RECYCLE.BIN", "lost+found"] {
            assert!(is_left_out_folder(name.as_bytes()), "{name}");
        }
        for name in ["Part 1", "Kill Bill.part", "a.temp.dir"] {
            assert!(!is_left_out_folder(name.as_bytes()), "{name}");
        }
        assert!(!is_left_out_file(b"part.epub"));
    }

    #[test]
    fn ancestors_end_at_root() {
        let up: Vec<_> = ancestors(b"a/b/c").collect();
        assert_eq!(up, [&b"a/b/c"[..], b"a/b", b"a", b""]);
        assert_eq!(ancestors(b"").count(), 1);
    }
}
