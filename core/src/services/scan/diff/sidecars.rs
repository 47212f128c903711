//! Sidecar files: metadata files next to media files, which kinds read too. Each file is stored
//! with a read signature of its kind's reader version and of its sidecar files. If the current
//! signature differs, the file is read again.

use std::sync::Arc;

use crate::fs::disk::Entry;
use crate::registry::{MediaKind, MetadataSidecars};
use crate::scan::rules::{add_name, hash_stat};

/// Sidecar files that apply to the files of one folder.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sidecars {
    /// Sidecar files in the folder, sorted by name.
    pub(crate) here: Vec<Entry>,
    /// Sidecar files in the folder that apply to all files in it. There are only a few, while
    /// `here` may have one per file.
    pub(crate) general: Vec<Entry>,
    /// Sidecar files in the parent folder that apply to this folder.
    pub(crate) above: Arc<[Entry]>,
}

impl Sidecars {
    /// Returns the read signature of a file. The stem of a sidecar file named after its media file
    /// does not count, so that both can be renamed together.
    pub(crate) fn signature(&self, kind: &MediaKind, file: &[u8]) -> i64 {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&kind.reading_version.to_le_bytes());
        let stem = stem(file);
        for (tag, name) in [(1, stem), (2, file)] {
            for sidecar in self.named_after(name) {
                let extension = sidecar.name.get(name.len() + 1..).unwrap_or_default();
                if is_named(kind.metadata_sidecars.of_file, extension) {
                    hasher.update(&[tag]);
                    add_name(&mut hasher, &extension.to_ascii_lowercase());
                    hash_stat(&mut hasher, sidecar.stat);
                }
            }
        }
        let general = self.general.iter();
        let general = general.map(|sidecar| (3, kind.metadata_sidecars.of_folder, sidecar));
        let above = self.above.iter();
        let above = above.map(|sidecar| (4, kind.metadata_sidecars.of_folders_below, sidecar));
        for (tag, names, sidecar) in general.chain(above) {
            if is_named(names, &sidecar.name) {
                hasher.update(&[tag]);
                add_name(&mut hasher, &sidecar.name);
                hash_stat(&mut hasher, sidecar.stat);
            }
        }
        let mut signature = [0; 8];
        hasher.finalize_xof().fill(&mut signature);
        i64::from_le_bytes(signature)
    }

    /// Returns the sidecar files whose name is `name`, a dot and an extension.
    fn named_after(&self, name: &[u8]) -> impl Iterator<Item = &Entry> {
        let start = [name, b"."].concat();
        let first = self
            .here
            .partition_point(|sidecar| sidecar.name.as_slice() < start.as_slice());
        let from = self.here.get(first..).unwrap_or_default().iter();
        from.take_while(move |sidecar| sidecar.name.starts_with(&start))
    }
}

/// Returns `true` if a file may be a sidecar file. `files` are the media files in the same folder,
/// sorted by name.
pub(crate) fn is_sidecar(sidecars: &MetadataSidecars, file: &[u8], files: &[Entry]) -> bool {
    if is_named(sidecars.of_folder, file) || is_named(sidecars.of_folders_below, file) {
        return true;
    }
    let Some(dot) = file.iter().rposition(|byte| *byte == b'.') else {
        return false;
    };
    let (stem, extension) = (file.get(..dot), file.get(dot + 1..));
    is_named(sidecars.of_file, extension.unwrap_or_default())
        && names_a_file(stem.unwrap_or_default(), files)
}

/// Returns `true` if a name is in the list. Ignores ASCII case.
pub(crate) fn is_named(names: &[&str], name: &[u8]) -> bool {
    names
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

/// Returns `true` if a file has this name, with or without an extension.
fn names_a_file(name: &[u8], files: &[Entry]) -> bool {
    let at = files.partition_point(|file| file.name.as_slice() < name);
    let from = files.get(at..).unwrap_or_default().iter();
    from.take_while(|file| file.name.starts_with(name))
        .any(|file| file.name.len() == name.len() || stem(&file.name) == name)
}

fn stem(file: &[u8]) -> &[u8] {
    let dot = file.iter().rposition(|byte| *byte == b'.');
    dot.and_then(|dot| file.get(..dot)).unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fs::disk::FileStat;
    use crate::registry::{Format, Unit};

    const KIND: MediaKind = MediaKind {
        metadata_sidecars: MetadataSidecars {
            of_file: &["slip"],
            of_folder: &["shelf.slip"],
            of_folders_below: &["house.slip"],
        },
        ..MediaKind::new(
            "paper",
            "Sheet",
            "Sheets",
            &[Format::untyped("sheet", "download", Unit::Page)],
        )
    };

    fn entries(names: &[(&str, i64)]) -> Vec<Entry> {
        let entry = |(name, size): &(&str, i64)| Entry {
            name: name.as_bytes().to_vec(),
            stat: FileStat {
                size: *size,
                mtime_ns: 1,
            },
        };
        names.iter().map(entry).collect()
    }

    fn signature(here: &[(&str, i64)], above: &[(&str, i64)], file: &str) -> i64 {
        let is_general = |(name, _): &&(&str, i64)| *name == "shelf.slip";
        let general: Vec<(&str, i64)> = here.iter().filter(is_general).copied().collect();
        let sidecars = Sidecars {
            here: entries(here),
            general: entries(&general),
            above: entries(above).into(),
        };
        sidecars.signature(&KIND, file.as_bytes())
    }

    #[test]
    fn sidecar_named_after_file_changes_only_its_signature() {
        let plain = signature(&[], &[], "a.sheet");
        let own = signature(&[("a.slip", 1)], &[], "a.sheet");
        assert_ne!(own, plain);
        assert_ne!(own, signature(&[("a.slip", 2)], &[], "a.sheet"));
        assert_ne!(signature(&[("a.sheet.slip", 1)], &[], "a.sheet"), plain);
        assert_eq!(signature(&[("a.slip", 1)], &[], "b.sheet"), plain);
        assert_eq!(signature(&[("a.b.slip", 1)], &[], "a.sheet"), plain);
        assert_eq!(own, signature(&[("b.SLIP", 1)], &[], "b.sheet"), "renamed");
    }

    #[test]
    fn sidecar_of_folder_changes_all_signatures() {
        let plain = signature(&[], &[], "a.sheet");
        assert_ne!(signature(&[("shelf.slip", 1)], &[], "a.sheet"), plain);
        assert_ne!(signature(&[], &[("house.slip", 1)], "a.sheet"), plain);
        assert_eq!(signature(&[], &[("shelf.slip", 1)], "a.sheet"), plain);
    }

    #[test]
    fn newer_reading_version_changes_signature() {
        let better = MediaKind {
            reading_version: 2,
            ..KIND
        };
        let sidecars = Sidecars::default();
        assert_ne!(
            sidecars.signature(&KIND, b"a.sheet"),
            sidecars.signature(&better, b"a.sheet")
        );
    }

    #[test]
    fn only_files_named_after_media_files_or_folders_are_sidecars() {
        let files = entries(&[("a b.sheet", 1), ("a.b.sheet", 1), ("a.sheet", 1)]);
        for (name, is_wanted) in [
            ("a.slip", true),
            ("a.SLIP", true),
            ("a.sheet.slip", true),
            ("a b.slip", true),
            ("a.b.slip", true),
            ("c.slip", false),
            ("a.she.slip", false),
            ("a.txt", false),
            ("Shelf.Slip", true),
            ("house.slip", true),
            ("slip", false),
        ] {
            assert_eq!(
                is_sidecar(&KIND.metadata_sidecars, name.as_bytes(), &files),
                is_wanted,
                "{name}"
            );
        }
    }
}
