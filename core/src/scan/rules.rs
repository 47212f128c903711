//! Which files a scan takes, and the digest that tells whether a folder is as it was.

use std::collections::{BTreeSet, HashMap};

use crate::cover::beside;
use crate::registry::{MediaKind, Notes, Registry};
use crate::scan::disk::{Disk, Entry, Listing, Look};
use crate::scan::name;
use crate::scan::notes::{self, Beside};
use crate::store::folder::Digest;

/// Raised when the core's own part in making items of files changes its meaning.
const VERSION: u32 = 2;

/// The kinds a library takes, by extension.
#[derive(Debug)]
pub(super) struct Rules {
    by_extension: HashMap<&'static str, &'static MediaKind>,
    /// Further kinds that may take files of an extension by their content, by rank. Few
    /// extensions have any.
    contestants: HashMap<&'static str, Vec<&'static MediaKind>>,
    /// Whether any format has an extension of two parts.
    has_pairs: bool,
    /// Names of pictures that some kind takes for the cover of what lies beside them.
    cover_stems: Vec<&'static str>,
    /// The kinds whose readers read notes.
    note_takers: Vec<&'static MediaKind>,
    /// Hash of all that decides what a listing becomes.
    seed: [u8; 32],
}

impl Rules {
    /// The rules of all kinds, or of those that the library is limited to.
    pub(super) fn of(registry: &Registry, limit: Option<&[String]>) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&VERSION.to_le_bytes());
        let mut by_extension = HashMap::new();
        let mut contestants: HashMap<_, Vec<&'static MediaKind>> = HashMap::new();
        let mut cover_stems = BTreeSet::new();
        let mut note_takers = Vec::new();
        for kind in registry.kinds() {
            if limit.is_some_and(|limit| !limit.iter().any(|id| id == kind.id)) {
                continue;
            }
            cover_stems.extend(kind.cover_stems);
            if kind.notes != Notes::NONE {
                note_takers.push(*kind);
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
            // The owner is not among the kinds of this library: the first contestant stands in.
            if !by_extension.contains_key(extension) {
                by_extension.insert(*extension, kinds.remove(0));
            }
        }
        Self {
            has_pairs: by_extension.keys().any(|extension| extension.contains('.')),
            by_extension,
            contestants,
            cover_stems: cover_stems.into_iter().collect(),
            note_takers,
            seed: *hasher.finalize().as_bytes(),
        }
    }

    /// The kind of a file, by its name.
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

    /// The kinds that may take a file by its content if the kind of its extension does not.
    pub(super) fn contestants(&self, file: &[u8]) -> &[&'static MediaKind] {
        if self.contestants.is_empty() {
            return &[];
        }
        let extension = self.extension(file);
        let kinds = self.contestants.get(extension.as_str());
        kinds.map_or(&[], Vec::as_slice)
    }

    /// The extension of a file as kinds are told it: of two only where a format has two.
    pub(super) fn extension(&self, file: &[u8]) -> String {
        let [both, _] = endings(file);
        let known = both.filter(|_| self.has_pairs);
        match known.and_then(|both| self.of_ending(both)) {
            Some((extension, _)) => extension.to_owned(),
            None => name::extension(file).unwrap_or_default(),
        }
    }

    fn of_ending(&self, ending: &[u8]) -> Option<(&'static str, &'static MediaKind)> {
        // Asked for every file of a library: no allocation for the usual short ASCII endings.
        let mut buffer = [0; 16];
        let lower = buffer.get_mut(..ending.len())?;
        lower.copy_from_slice(ending);
        lower.make_ascii_lowercase();
        let extension = std::str::from_utf8(lower).ok()?;
        let (extension, kind) = self.by_extension.get_key_value(extension)?;
        Some((extension, kind))
    }

    /// The pictures of a folder that may be covers. One that cannot be looked at is none today.
    pub(super) fn pictures(&self, disk: &dyn Disk, path: &[u8], listing: &Listing) -> Vec<Entry> {
        let others = listing.others.iter();
        let wanted =
            others.filter(|file| beside::may_be_cover(file, &self.cover_stems, &listing.files));
        looked_at(disk, path, wanted)
    }

    /// The notes of a folder that speak of its files or of those in the folders in it.
    pub(super) fn notes(&self, disk: &dyn Disk, path: &[u8], listing: &Listing) -> Vec<Entry> {
        let others = listing.others.iter();
        let wanted = others.filter(|file| {
            let mut takers = self.note_takers.iter();
            takers.any(|kind| notes::is_note(&kind.notes, file, &listing.files))
        });
        looked_at(disk, path, wanted)
    }

    /// Those of the notes in a folder that speak of every file in it.
    pub(super) fn general_notes(&self, notes: &[Entry]) -> Vec<Entry> {
        self.notes_named(|kind| kind.of_folder, notes)
    }

    /// Those that speak of the files in the folders in it.
    pub(super) fn notes_for_below(&self, notes: &[Entry]) -> Vec<Entry> {
        self.notes_named(|kind| kind.of_folders_below, notes)
    }

    fn notes_named(
        &self,
        names: fn(&Notes) -> &'static [&'static str],
        notes: &[Entry],
    ) -> Vec<Entry> {
        let is_wanted = |note: &&Entry| {
            let mut takers = self.note_takers.iter();
            takers.any(|kind| notes::is_named(names(&kind.notes), &note.name))
        };
        notes.iter().filter(is_wanted).cloned().collect()
    }

    /// Whether any kind reads notes of the folder above a file's.
    pub(super) fn looks_above(&self) -> bool {
        let mut takers = self.note_takers.iter();
        takers.any(|kind| !kind.notes.of_folders_below.is_empty())
    }

    /// A digest of everything about a listing that items, files and covers are made from: two
    /// listings with the same digest under the same rules need no second look.
    pub(super) fn digest(
        &self,
        listing: &Listing,
        pictures: Option<&Digest>,
        beside: &Beside,
        library: &str,
    ) -> Digest {
        let mut hasher = blake3::Hasher::new_keyed(&self.seed);
        // The name of the root may name an item that lies in it.
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
        for (mark, notes) in [(5, &*beside.here), (6, &*beside.above)] {
            for note in notes {
                hasher.update(&[mark]);
                add_entry(&mut hasher, note);
            }
        }
        finish(&hasher)
    }
}

/// Size and time of files in a folder. One that cannot be looked at is none today.
fn looked_at<'a>(
    disk: &dyn Disk,
    path: &[u8],
    names: impl Iterator<Item = &'a Vec<u8>>,
) -> Vec<Entry> {
    let look = |file: &Vec<u8>| {
        Some(Entry {
            name: file.clone(),
            look: disk.look(&name::join(path, file)).ok()?,
        })
    };
    names.filter_map(look).collect()
}

/// A digest of the pictures that may be covers; `None` where there is none.
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
    add_look(hasher, entry.look);
}

pub(super) fn add_look(hasher: &mut blake3::Hasher, look: Look) {
    hasher.update(&look.size.to_le_bytes());
    hasher.update(&look.mtime_ns.to_le_bytes());
}

pub(super) fn add_name(hasher: &mut blake3::Hasher, name: &[u8]) {
    hasher.update(&(name.len() as u64).to_le_bytes());
    hasher.update(name);
}

/// What stands behind the last dot but one of a name, and behind the last.
fn endings(file: &[u8]) -> [Option<&[u8]>; 2] {
    let dot = |name: &[u8]| name.iter().rposition(|byte| *byte == b'.');
    let Some(last) = dot(file) else {
        return [None, None];
    };
    let before = file.get(..last).and_then(dot);
    [before, Some(last)].map(|dot| file.get(dot? + 1..))
}
