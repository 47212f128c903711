//! Tests of folder listings, in particular that they do not leave the root.

use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

#[test]
fn duplicate_name_is_listed_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let disk = LocalDisk::new(folder.path());
    let mut listing = disk.list(b"", &|_| true).expect("a listing");
    for n in [2, 1, 2] {
        let name = format!("{n}.epub").into_bytes();
        listing.files.push(Entry {
            name: name.clone(),
            stat: FileStat {
                size: n,
                mtime_ns: 0,
            },
        });
        listing.others.push(name.clone());
        take_folder(&mut listing, &name, None);
    }
    listing.sort();
    let once = [b"1.epub", b"2.epub"];
    assert!(listing.files.iter().map(|file| &file.name).eq(once));
    assert!(listing.others.iter().eq(once));
    assert!(listing.folders.iter().map(|folder| &folder.name).eq(once));
}

/// Creates a library `shelf` with a folder and a file, and a secret folder next to it.
fn tree() -> (tempfile::TempDir, LocalDisk) {
    let tree = tempfile::tempdir().expect("a folder");
    let path = tree.path().canonicalize().expect("a path");
    for (folder, file) in [("shelf/a", "inside.epub"), ("secret/a", "secret.epub")] {
        std::fs::create_dir_all(path.join(folder)).expect("folders");
        std::fs::write(path.join(folder).join(file), folder).expect("a file");
    }
    let disk = LocalDisk::new(&path.join("shelf"));
    (tree, disk)
}

#[test]
fn folder_that_leads_out_is_neither_listed_nor_read() {
    let (tree, disk) = tree();
    symlink("../secret", tree.path().join("shelf/out")).expect("a link");
    let all = |_: &[u8]| true;
    assert_eq!(disk.list(b"a", &all).expect("a listing").files.len(), 1);
    for way in ["out", "out/a", "a/../../secret", "../secret"] {
        let error = disk.list(way.as_bytes(), &all).expect_err(way);
        assert_eq!(error.kind(), io::ErrorKind::NotFound, "{way}: {error}");
    }
    assert!(disk.stat(b"a/inside.epub").is_ok());
    assert!(disk.stat(b"out/a/secret.epub").is_err());
}

#[test]
fn folder_swapped_for_link_during_listing_does_not_leave_root() {
    const ROUNDS: usize = 10_000;
    /// Size of files inside the root, and of no file outside it: the content is the folder's name.
    const SIZE: i64 = 7;
    let (tree, disk) = tree();
    let (shelf, aside) = (tree.path().join("shelf"), tree.path().join("aside"));
    let (folder, link) = (shelf.join("a"), shelf.join("link.epub"));
    let is_over = AtomicBool::new(false);
    let (mut seen, mut leaked) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                // The folder becomes a link to a folder elsewhere and back. So does a file's
                // folder.
                std::fs::rename(&folder, &aside).expect("moved");
                symlink("../secret/a", &folder).expect("a link");
                symlink("../secret/a/secret.epub", &link).expect("a link");
                std::fs::remove_file(&folder).expect("gone");
                std::fs::rename(&aside, &folder).expect("moved");
                std::fs::remove_file(&link).expect("gone");
                symlink("a/inside.epub", &link).expect("a link");
                std::fs::remove_file(&link).expect("gone");
            }
        });
        for _ in 0..ROUNDS {
            let listed = [b"a".as_slice(), b""].map(|path| disk.list(path, &|_| true));
            let found = listed.into_iter().flatten().flat_map(|found| found.files);
            for file in found {
                seen += 1;
                leaked += usize::from(file.name == b"secret.epub" || file.stat.size != SIZE);
            }
            leaked += usize::from(disk.stat(b"a/secret.epub").is_ok());
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert_eq!(leaked, 0, "of {seen} that were there");
    assert!(seen > 0, "nothing was ever there to be listed");
}
