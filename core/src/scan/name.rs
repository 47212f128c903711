//! Names as bytes and as text: file systems know bytes, people and kinds read text.

use std::fmt::Write;

/// Leads the stored name of a file that lost its path to another and has not been found again:
/// no name on a disk has this byte. After it stand the file's id, a slash and its old name.
const PARKED: u8 = 0;

/// Endings of files that are still being written or copied.
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

/// Endings of folders in which browsers and clients keep what they are still loading.
const INCOMPLETE_FOLDERS: [&str; 3] = ["download", "crdownload", "!qb"];

/// What operating systems and NAS boxes leave lying about, in lower case.
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

/// The bytes as text; those that are no UTF-8 as `\xNN`, so that unlike names stay unlike. A file
/// that lost its path bears its old name.
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

/// The stored name of a file that lost its path.
pub(crate) fn parked(file: crate::id::FileId, name: &[u8]) -> Vec<u8> {
    let mut parked = vec![PARKED];
    parked.extend_from_slice(file.to_string().as_bytes());
    parked.push(b'/');
    parked.extend_from_slice(original(name));
    parked
}

/// Whether this is the stored name of a file that lost its path.
pub(crate) fn is_parked(name: &[u8]) -> bool {
    name.first() == Some(&PARKED)
}

/// The name on the disk behind a stored name.
pub(crate) fn original(name: &[u8]) -> &[u8] {
    if !is_parked(name) {
        return name;
    }
    let slash = name.iter().position(|byte| *byte == b'/');
    slash.and_then(|at| name.get(at + 1..)).unwrap_or(name)
}

/// `folder/name`, or `name` at the root.
pub(crate) fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(folder.len() + 1 + name.len());
    path.extend_from_slice(folder);
    if !folder.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

/// The part after the last dot in lower case; `None` where there is no dot or no text after it.
pub(crate) fn extension(name: &[u8]) -> Option<String> {
    let dot = name.iter().rposition(|byte| *byte == b'.')?;
    let extension = std::str::from_utf8(name.get(dot + 1..)?).ok()?;
    (!extension.is_empty() && extension.len() <= 16).then(|| extension.to_lowercase())
}

/// Hidden, litter, or not complete yet.
pub(crate) fn is_left_out_file(name: &[u8]) -> bool {
    is_left_out(name)
        || extension(name).is_some_and(|extension| INCOMPLETE.contains(&extension.as_str()))
}

/// A hidden folder, litter, or one for downloads that are not complete yet.
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

/// Whether a scan takes no notice of what lies at this path, be it a file or a folder.
pub fn is_passed_over(path: &[u8]) -> bool {
    let mut names = path.split(|byte| *byte == b'/').rev();
    names.next().is_some_and(is_left_out_file) || names.any(is_left_out_folder)
}

/// Whether a walk does not come to the folder at this path.
pub fn is_passed_over_as_folder(path: &[u8]) -> bool {
    !path.is_empty() && path.split(|byte| *byte == b'/').any(is_left_out_folder)
}

/// Folders above `path`, nearest first, `path` itself at the start, the root (empty) at the end.
pub(crate) fn ancestors(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::successors(Some(path), |path| {
        if path.is_empty() {
            return None;
        }
        let slash = path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        path.get(..slash)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::FileId;

    #[test]
    fn bytes_that_are_no_utf8_are_shown_and_told_apart() {
        assert_eq!(display("Çédille.epub".as_bytes()), "Çédille.epub");
        assert_eq!(display(b"caf\xe9.epub"), "caf\\xe9.epub");
        assert_ne!(display(b"\xfe"), display(b"\xff"));
    }

    #[test]
    fn a_file_that_lost_its_path_is_shown_by_its_old_name() {
        let name = parked(FileId(7), b"Dune.epub");
        assert!(is_parked(&name));
        assert_eq!(display(&name), "Dune.epub");
        assert_eq!(parked(FileId(7), &name), name);
    }

    #[test]
    fn hidden_incomplete_and_litter_are_left_out() {
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
    fn the_way_up_ends_at_the_root() {
        let up: Vec<_> = ancestors(b"a/b/c").collect();
        assert_eq!(up, [&b"a/b/c"[..], b"a/b", b"a", b""]);
        assert_eq!(ancestors(b"").count(), 1);
    }
}
