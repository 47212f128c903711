//! Rules for the files that a scan accepts, and the digest that detects changed folders.

use std::collections::{BTreeSet, HashMap};

use crate::fs::disk::{Disk, Entry, FileStat, Listing};
use crate::path;
use crate::registry::{MediaKind, MetadataSidecars, Registry, cover_names};
use crate::scan::diff::sidecars::{self, Sidecars};
use crate::store::file::folder::Digest;

/// Version of the core's own grouping logic. It must be raised when that logic changes its results.
const VERSION: u32 = 3;

/// Kinds of a library, by file extension.
#[derive(Debug)]
pub(super) struct Rules {
    by_extension: HashMap<&'static str, &'static MediaKind>,
    /// Other kinds that may accept files of an extension by their content, ordered by rank. Few
    /// extensions have any.
    contestants: HashMap<&'static str, Vec<&'static MediaKind>>,
    /// `true` if a format has an extension of two parts.
    has_pairs: bool,
    /// Stems of picture files that a kind uses as the cover of a folder.
    cover_stems: Vec<&'static str>,
    /// Kinds that read sidecar files.
    sidecar_kinds: Vec<&'static MediaKind>,
    /// Hash of everything that determines the result of a listing.
    seed: [u8; 32],
}

impl Rules {
    /// Returns the rules of all kinds, or of the kinds that the library is limited to.
    pub(super) fn of(registry: &Registry, limit: Option<&[String]>) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&VERSION.to_le_bytes());
        let mut by_extension = HashMap::new();
        let mut contestants: HashMap<_, Vec<&'static MediaKind>> = HashMap::new();
        let mut cover_stems = BTreeSet::new();
        let mut sidecar_kinds = Vec::new();
        for kind in registry.kinds() {
            if limit.is_some_and(|limit| !limit.iter().any(|id| id == kind.id)) {
                continue;
            }
            cover_stems.extend(kind.cover_stems);
            if kind.metadata_sidecars != MetadataSidecars::NONE {
                sidecar_kinds.push(*kind);
            }
            hasher.update(kind.id.as_bytes());
            hasher.update(&[0]);
            hasher.update(&kind.grouping_version.to_le_bytes());
            hasher.update(&kind.reading_version.to_le_bytes());
            for format in kind.formats {
                hasher.update(format.extension.as_bytes());
                hasher.update(&[0]);
                by_extension.insert(format.extension, *kind);
            }
            for format in kind.contested {
                hasher.update(b"?");
                hasher.update(format.extension.as_bytes());
                hasher.update(&[0]);
                contestants.entry(format.extension).or_default().push(*kind);
            }
        }
        for (extension, kinds) in &mut contestants {
            // The library does not include the owner of the extension. The first contestant
            // replaces it.
            if !by_extension.contains_key(extension) {
                by_extension.insert(*extension, kinds.remove(0));
            }
        }
        Self {
            has_pairs: by_extension.keys().any(|extension| extension.contains('.')),
            by_extension,
            contestants,
            cover_stems: cover_stems.into_iter().collect(),
            sidecar_kinds,
            seed: *hasher.finalize().as_bytes(),
        }
    }

    /// Returns the kind of a file by its name.
    pub(super) fn kind_of(&self, file: &[u8]) -> Option<&'static MediaKind> {
        let [both, last] = endings(file);
        let known = |ending: Option<&[u8]>| self.of_ending(ending?);
        if self.has_pairs
            && let Some((_, kind)) = known(both)
        {
            return Some(kind);
        }
        known(last).map(|(_, kind)| kind)
    }

    /// Returns the kinds that may accept a file by its content if the kind of its extension rejects
    /// it.
    pub(super) fn contestants(&self, file: &[u8]) -> &[&'static MediaKind] {
        if self.contestants.is_empty() {
            return &[];
        }
        let extension = self.extension(file);
        let kinds = self.contestants.get(extension.as_str());
        kinds.map_or(&[], Vec::as_slice)
    }

    /// Returns the extension of a file as kinds receive it. It has two parts only if a format does.
    pub(super) fn extension(&self, file: &[u8]) -> String {
        let [both, _] = endings(file);
        let known = both.filter(|_| self.has_pairs);
        match known.and_then(|both| self.of_ending(both)) {
            Some((extension, _)) => extension.to_owned(),
            None => path::extension(file).unwrap_or_default(),
        }
    }

    fn of_ending(&self, ending: &[u8]) -> Option<(&'static str, &'static MediaKind)> {
        // This runs for every file of a library, so short ASCII extensions must not allocate.
        let mut buffer = [0; 16];
        let lower = buffer.get_mut(..ending.len())?;
        lower.copy_from_slice(ending);
        lower.make_ascii_lowercase();
        let extension = std::str::from_utf8(lower).ok()?;
        let (extension, kind) = self.by_extension.get_key_value(extension)?;
        Some((extension, kind))
    }

    /// Returns the picture files of a folder that may be covers. Files that cannot be examined are
    /// left out.
    pub(super) fn pictures(&self, disk: &dyn Disk, path: &[u8], listing: &Listing) -> Vec<Entry> {
        let others = listing.others.iter();
        let wanted = others
            .filter(|file| cover_names::may_be_cover(file, &self.cover_stems, &listing.files));
        looked_at(disk, path, wanted)
    }

    /// Returns the sidecar files of a folder that apply to its files or to files in its subfolders.
    pub(super) fn sidecars(&self, disk: &dyn Disk, path: &[u8], listing: &Listing) -> Vec<Entry> {
        let others = listing.others.iter();
        let wanted = others.filter(|file| {
            let mut takers = self.sidecar_kinds.iter();
            takers.any(|kind| sidecars::is_sidecar(&kind.metadata_sidecars, file, &listing.files))
        });
        looked_at(disk, path, wanted)
    }

    /// Returns the sidecar files of a folder that apply to every file in it.
    pub(super) fn general_sidecars(&self, found: &[Entry]) -> Vec<Entry> {
        self.sidecars_named(|kind| kind.of_folder, found)
    }

    /// Returns the sidecar files of a folder that apply to files in its subfolders.
    pub(super) fn sidecars_for_below(&self, found: &[Entry]) -> Vec<Entry> {
        self.sidecars_named(|kind| kind.of_folders_below, found)
    }

    fn sidecars_named(
        &self,
        names: fn(&MetadataSidecars) -> &'static [&'static str],
        found: &[Entry],
    ) -> Vec<Entry> {
        let is_wanted = |sidecar: &&Entry| {
            let mut takers = self.sidecar_kinds.iter();
            takers.any(|kind| sidecars::is_named(names(&kind.metadata_sidecars), &sidecar.name))
        };
        found.iter().filter(is_wanted).cloned().collect()
    }

    /// Returns `true` if a kind reads sidecar files of the parent folder.
    pub(super) fn looks_above(&self) -> bool {
        let mut takers = self.sidecar_kinds.iter();
        takers.any(|kind| !kind.metadata_sidecars.of_folders_below.is_empty())
    }

    /// Returns a digest of everything in a listing that affects items, files and covers. If two
    /// listings have the same digest under the same rules, the folder is unchanged.
    pub(super) fn digest(
        &self,
        listing: &Listing,
        pictures: Option<&Digest>,
        sidecars: &Sidecars,
        library: &str,
    ) -> Digest {
        let mut hasher = blake3::Hasher::new_keyed(&self.seed);
        // The name of the root may be the name of an item in it.
        hasher.update(library.as_bytes());
        for file in &listing.files {
            hasher.update(&[1]);
            add_entry(&mut hasher, file);
        }
        for other in &listing.others {
            hasher.update(&[2]);
            add_name(&mut hasher, other);
        }
        for folder in &listing.folders {
            hasher.update(&[3]);
            add_name(&mut hasher, &folder.name);
        }
        if let Some(pictures) = pictures {
            hasher.update(&[4]);
            hasher.update(pictures);
        }
        for (tag, found) in [(5, &*sidecars.here), (6, &*sidecars.above)] {
            for sidecar in found {
                hasher.update(&[tag]);
                add_entry(&mut hasher, sidecar);
            }
        }
        finish(&hasher)
    }
}

/// Returns size and time of files in a folder. Files that cannot be examined are left out.
fn looked_at<'a>(
    disk: &dyn Disk,
    path: &[u8],
    names: impl Iterator<Item = &'a Vec<u8>>,
) -> Vec<Entry> {
    let stat = |file: &Vec<u8>| {
        Some(Entry {
            name: file.clone(),
            stat: disk.stat(&path::join(path, file)).ok()?,
        })
    };
    names.filter_map(stat).collect()
}

/// Returns a digest of the pictures that may be covers, or `None` if there are none.
pub(super) fn digest_of(pictures: &[Entry]) -> Option<Digest> {
    if pictures.is_empty() {
        return None;
    }
    let mut hasher = blake3::Hasher::new();
    for picture in pictures {
        add_entry(&mut hasher, picture);
    }
    Some(finish(&hasher))
}

fn finish(hasher: &blake3::Hasher) -> Digest {
    let mut digest = Digest::default();
    hasher.finalize_xof().fill(&mut digest);
    digest
}

fn add_entry(hasher: &mut blake3::Hasher, entry: &Entry) {
    add_name(hasher, &entry.name);
    hash_stat(hasher, entry.stat);
}

pub(super) fn hash_stat(hasher: &mut blake3::Hasher, stat: FileStat) {
    hasher.update(&stat.size.to_le_bytes());
    hasher.update(&stat.mtime_ns.to_le_bytes());
}

pub(super) fn add_name(hasher: &mut blake3::Hasher, name: &[u8]) {
    hasher.update(&(name.len() as u64).to_le_bytes());
    hasher.update(name);
}

/// Returns the parts of a name after its last but one dot and after its last dot.
fn endings(file: &[u8]) -> [Option<&[u8]>; 2] {
    let dot = |name: &[u8]| name.iter().rposition(|byte| *byte == b'.');
    let Some(last) = dot(file) else {
        return [None, None];
    };
    let before = file.get(..last).and_then(dot);
    [before, Some(last)].map(|dot| file.get(dot? + 1..))
}
