//! Lists a folder of a library. The folder must be inside the root after links are resolved, which
//! is checked on the descriptor that is listed.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Dir, DirEntry, FileType, OFlags};
use rustix::io::Errno;

use crate::fs::rooted;

/// Entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Name as the file system returns it.
    pub name: OsString,
    /// `true` for a folder, but not for a link to a folder.
    pub is_folder: bool,
}

/// Returns at most `most` entries of the folder at `path`, which is `root` or below it, in no
/// particular order. Blocks. A path that leads out of the root is treated as absent.
pub fn list_inside(root: &Path, path: &Path, most: usize) -> io::Result<Vec<Listed>> {
    let folder = open(root, path)?;
    let names = entries(&folder)?.take(most).map(|entry| Listed {
        name: name(&entry).to_owned(),
        is_folder: is_folder(&folder, &entry),
    });
    Ok(names.collect())
}

/// Returns `true` if `is_it` accepts one of the first `most` names that [`list_inside`] would
/// return.
pub fn any_inside(
    root: &Path,
    path: &Path,
    most: usize,
    mut is_it: impl FnMut(&OsStr) -> bool,
) -> io::Result<bool> {
    let folder = open(root, path)?;
    let found = entries(&folder)?
        .take(most)
        .any(|entry| is_it(name(&entry)));
    Ok(found)
}

fn open(root: &Path, path: &Path) -> io::Result<OwnedFd> {
    let absent = || io::Error::from(Errno::NOENT);
    let relative = path.strip_prefix(root).map_err(|_| absent())?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rooted::open(root, relative, flags, None)?.ok_or_else(absent)
}

fn entries(folder: &OwnedFd) -> io::Result<impl Iterator<Item = DirEntry>> {
    let entries = Dir::read_from(folder)?.flatten();
    Ok(entries.filter(|entry| !matches!(entry.file_name().to_bytes(), b"." | b"..")))
}

fn name(entry: &DirEntry) -> &OsStr {
    OsStr::from_bytes(entry.file_name().to_bytes())
}

fn is_folder(folder: &OwnedFd, entry: &DirEntry) -> bool {
    let file_type = match entry.file_type() {
        // Some file systems do not report the file type in the listing.
        FileType::Unknown => {
            rustix::fs::statat(folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)
                .map(|stat| FileType::from_raw_mode(stat.st_mode))
        }
        result => Ok(result),
    };
    file_type == Ok(FileType::Directory)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Creates a root `shelf` with a folder, a file and links, and a folder with a secret next to
    /// it.
    fn tree() -> tempfile::TempDir {
        let tree = tempfile::tempdir().expect("a folder");
        let shelf = tree.path().join("shelf");
        std::fs::create_dir_all(shelf.join("sub")).expect("folders");
        std::fs::create_dir_all(tree.path().join("shelf-private")).expect("folders");
        std::fs::write(tree.path().join("shelf-private/secret"), "x").expect("a file");
        std::fs::write(shelf.join("sub/.a"), "x").expect("a file");
        symlink("sub", shelf.join("inside")).expect("a link");
        symlink(shelf.join("sub"), shelf.join("absolute")).expect("a link");
        symlink("../shelf-private", shelf.join("out")).expect("a link");
        tree
    }

    fn listed(tree: &tempfile::TempDir, path: &str, most: usize) -> Option<Vec<String>> {
        let root = tree.path().join("shelf");
        let listed = list_inside(&root, &tree.path().join(path), most).ok()?;
        let mut names: Vec<String> = listed
            .into_iter()
            .map(|Listed { name, is_folder }| {
                let end = if is_folder { "/" } else { "" };
                format!("{}{end}", name.to_string_lossy())
            })
            .collect();
        names.sort();
        Some(names)
    }

    #[test]
    fn any_inside_finds_listed_names_only() {
        let tree = tree();
        let root = tree.path().join("shelf");
        let has = |path: &str, most: usize, name: &str| {
            any_inside(&root, &tree.path().join(path), most, |found| found == name).ok()
        };
        assert_eq!(has("shelf", 9, "sub"), Some(true));
        assert_eq!(has("shelf", 9, "none"), Some(false));
        assert_eq!(has("shelf", 9, ".."), Some(false));
        assert_eq!(has("shelf/sub", 0, ".a"), Some(false));
        assert_eq!(has("shelf/out", 9, "secret"), None);
    }

    #[test]
    fn folder_inside_root_is_listed_through_link() {
        let tree = tree();
        let names = ["absolute", "inside", "out", "sub/"];
        assert_eq!(listed(&tree, "shelf", 9).expect("names"), names);
        assert_eq!(listed(&tree, "shelf/", 9).expect("names"), names);
        assert_eq!(listed(&tree, "shelf", 3).expect("names").len(), 3);
        for folder in ["shelf/sub", "shelf/inside", "shelf/absolute"] {
            assert_eq!(listed(&tree, folder, 1).expect("names"), [".a"], "{folder}");
        }
    }

    #[test]
    fn folder_outside_root_and_file_are_not_listed() {
        let tree = tree();
        for path in [
            "shelf/out",
            "shelf/../shelf-private",
            "shelf-private",
            "",
            "shelf/none",
            "shelf/sub/.a",
        ] {
            assert_eq!(listed(&tree, path, 9), None, "{path}");
        }
    }
}
