//! Simulated file system for the scanner.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use ledge_core::fs::disk::{Disk, FileStat, Listing, LocalDisk, Node};

/// Manipulations of folder listings. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Eyes(Arc<Mutex<Vec<Trick>>>);

type Change = Arc<dyn Fn(io::Result<Listing>) -> io::Result<Listing> + Send + Sync>;

#[derive(Clone)]
struct Trick {
    folder: String,
    change: Change,
}

impl std::fmt::Debug for Trick {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.folder)
    }
}

impl Eyes {
    /// Changes the result of listing `folder`.
    pub(crate) fn trick(
        &self,
        folder: &str,
        change: impl Fn(io::Result<Listing>) -> io::Result<Listing> + Send + Sync + 'static,
    ) {
        self.0.lock().expect("no panic").push(Trick {
            folder: folder.to_owned(),
            change: Arc::new(change),
        });
    }

    pub(crate) fn mount(&self, folder: &str) {
        self.trick(folder, |listing| {
            listing.map(|listing| Listing {
                is_mount: true,
                ..listing
            })
        });
    }

    pub(crate) fn unreadable(&self, folder: &str) {
        self.trick(folder, |_| Err(io::ErrorKind::PermissionDenied.into()));
    }

    pub(crate) fn honest(&self) {
        self.0.lock().expect("no panic").clear();
    }
}

#[derive(Debug)]
pub(super) struct TrickDisk {
    pub(super) real: LocalDisk,
    pub(super) eyes: Eyes,
}

impl Disk for TrickDisk {
    fn list(&self, folder: &[u8], wanted: &dyn Fn(&[u8]) -> bool) -> io::Result<Listing> {
        let tricks = self.eyes.0.lock().expect("no panic").clone();
        let real = self.real.list(folder, wanted);
        tricks
            .iter()
            .filter(|trick| trick.folder.as_bytes() == folder)
            .fold(real, |listing, trick| (trick.change)(listing))
    }

    fn stat(&self, path: &[u8]) -> io::Result<FileStat> {
        self.real.stat(path)
    }

    fn folder(&self, path: &[u8]) -> io::Result<Option<Node>> {
        self.real.folder(path)
    }

    fn absolute(&self, path: &[u8]) -> PathBuf {
        self.real.absolute(path)
    }
}
