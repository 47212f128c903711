//! Cache of the pictures of the folder that was listed last. Items of one folder are processed one
//! after another, and a folder of a hundred thousand files must not be listed for each of them.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::fs::disk::{Disk, LocalDisk};
use crate::registry::{MediaKind, cover_names};

/// Minimum age of a folder's last change at the time of its listing. With a younger one, a later
/// change might not alter the timestamp, because file systems have a resolution of up to two
/// seconds.
const STEP: Duration = Duration::from_secs(3);

/// Timestamps of a folder as seconds and nanoseconds: `mtime` and `ctime`.
type Changed = (i64, i64, i64, i64);

/// Pictures of one folder.
#[derive(Debug, Default)]
pub(super) struct Pictures {
    /// Sorted names.
    names: Vec<Vec<u8>>,
    /// Cached covers of the whole folder for a list of stems.
    folder_covers: Option<(&'static [&'static str], Vec<Vec<u8>>)>,
}

impl Pictures {
    fn new(mut names: Vec<Vec<u8>>) -> Self {
        names.retain(|file| cover_names::is_picture(file));
        names.sort_unstable();
        Self {
            names,
            folder_covers: None,
        }
    }

    /// Returns the pictures named after a file, in the order of preference.
    pub(super) fn named_after(&self, file: &[u8], kind: &MediaKind) -> Vec<Vec<u8>> {
        let stem = cover_names::stem(file, kind);
        let start = self.names.partition_point(|name| name.as_slice() < stem);
        let rest = self.names.get(start..).unwrap_or_default();
        let near = rest.partition_point(|name| name.starts_with(stem));
        cover_names::named_after(rest.get(..near).unwrap_or_default(), stem, kind.cover_stems)
            .into_iter()
            .map(<[u8]>::to_vec)
            .collect()
    }

    /// Returns the pictures that are covers of the whole folder, in the order of preference.
    pub(super) fn of_folder(&mut self, stems: &'static [&'static str]) -> Vec<Vec<u8>> {
        match &self.folder_covers {
            Some((of, folder_covers)) if *of == stems => folder_covers.clone(),
            _ => {
                let folder_covers: Vec<_> = cover_names::of_folder(&self.names, stems)
                    .into_iter()
                    .map(<[u8]>::to_vec)
                    .collect();
                self.folder_covers = Some((stems, folder_covers.clone()));
                folder_covers
            }
        }
    }
}

#[derive(Debug)]
struct Listed {
    root: PathBuf,
    folder: Vec<u8>,
    pictures: Pictures,
    /// Timestamps at the listing, or `None` if they could not be read.
    changed: Option<Changed>,
    /// Time since which the folder is known to be unchanged.
    since: Instant,
    /// `true` if any later change alters the timestamps.
    is_settled: bool,
}

/// Cache for the folder that was listed last.
#[derive(Debug, Default)]
pub(super) struct PictureCache {
    listed: Option<Listed>,
    must_recheck: bool,
}

impl PictureCache {
    pub(super) fn pictures(&mut self, root: &Path, folder: &[u8]) -> &mut Pictures {
        let before = self
            .listed
            .take()
            .filter(|listed| listed.root == root && listed.folder == folder);
        let listed = match before {
            Some(listed) if !self.must_recheck => listed,
            before => again(before, root, folder),
        };
        self.must_recheck = false;
        &mut self.listed.insert(listed).pictures
    }

    /// Makes the next access check the folder for changes.
    pub(super) fn recheck(&mut self) {
        self.must_recheck = true;
    }
}

/// Returns the listing of a folder, and lists it again only if it changed.
fn again(before: Option<Listed>, root: &Path, folder: &[u8]) -> Listed {
    let disk = LocalDisk::new(root);
    let changed = changed(&disk.absolute(folder));
    let before = before.filter(|listed| listed.changed == changed && changed.is_some());
    let now = Instant::now();
    let since = before.as_ref().map_or(now, |listed| listed.since);
    if let Some(listed) = before
        && listed.is_settled
    {
        return listed;
    }
    // A folder that cannot be listed has no cover. The scan has already reported it.
    let listing = disk.list(folder, &|_| false);
    let others = listing.map(|listing| listing.others).unwrap_or_default();
    Listed {
        root: root.to_owned(),
        folder: folder.to_vec(),
        pictures: Pictures::new(others),
        changed,
        since,
        is_settled: now.duration_since(since) >= STEP,
    }
}

fn changed(folder: &Path) -> Option<Changed> {
    let found = std::fs::metadata(folder).ok()?;
    Some((
        found.mtime(),
        found.mtime_nsec(),
        found.ctime(),
        found.ctime_nsec(),
    ))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn cache_of(root: &Path, age: Duration) -> PictureCache {
        let mut picture_cache = PictureCache::default();
        picture_cache.pictures(root, b"");
        let listed = picture_cache.listed.as_mut().expect("a listing");
        listed.since = Instant::now().checked_sub(age).expect("an earlier time");
        picture_cache.recheck();
        picture_cache.pictures(root, b"");
        picture_cache
    }

    fn stems(picture_cache: &mut PictureCache, root: &Path) -> Vec<Vec<u8>> {
        picture_cache.pictures(root, b"").of_folder(&["cover"])
    }

    #[test]
    fn unchanged_folder_is_listed_once() {
        let root = tempfile::tempdir().expect("a folder");
        let mut picture_cache = cache_of(root.path(), STEP);
        let listed = picture_cache.listed.as_mut().expect("a listing");
        assert!(listed.is_settled);
        listed.pictures.names = vec![b"cover.jpg".to_vec()];
        picture_cache.recheck();
        assert_eq!(
            stems(&mut picture_cache, root.path()),
            [b"cover.jpg".to_vec()]
        );
    }

    #[test]
    fn recently_changed_folder_is_listed_again() {
        let root = tempfile::tempdir().expect("a folder");
        let mut picture_cache = cache_of(root.path(), Duration::ZERO);
        let listed = picture_cache.listed.as_mut().expect("a listing");
        assert!(!listed.is_settled);
        listed.pictures.names = vec![b"cover.jpg".to_vec()];
        picture_cache.recheck();
        assert!(stems(&mut picture_cache, root.path()).is_empty());
    }

    #[test]
    fn added_picture_is_found() {
        let root = tempfile::tempdir().expect("a folder");
        let mut picture_cache = cache_of(root.path(), STEP);
        assert!(stems(&mut picture_cache, root.path()).is_empty());
        fs::write(root.path().join("Cover.png"), b"a picture").expect("a file");
        assert!(
            stems(&mut picture_cache, root.path()).is_empty(),
            "without a recheck, the folder is not read"
        );
        picture_cache.recheck();
        assert_eq!(
            stems(&mut picture_cache, root.path()),
            [b"Cover.png".to_vec()]
        );
    }

    #[test]
    fn other_folder_has_its_local_pictures() {
        let root = tempfile::tempdir().expect("a folder");
        fs::create_dir(root.path().join("Dune")).expect("a folder");
        fs::write(root.path().join("Dune/cover.jpg"), b"a picture").expect("a file");
        let mut picture_cache = cache_of(root.path(), STEP);
        let own = picture_cache
            .pictures(root.path(), b"Dune")
            .of_folder(&["cover"]);
        assert_eq!(own, [b"cover.jpg".to_vec()]);
        assert!(stems(&mut picture_cache, root.path()).is_empty());
    }
}
