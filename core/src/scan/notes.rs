//! Notes: files beside media files that readers read too. What was read of a file bears a mark of
//! the notes that speak of it and of its kind's readers; a file whose mark would be another today
//! is read again.

use std::sync::Arc;

use super::disk::Entry;
use super::rules::{add_look, add_name};
use crate::registry::{MediaKind, Notes};

/// The notes that speak of the files of one folder.
#[derive(Debug, Clone, Default)]
pub(super) struct Beside {
    /// Those in the folder, by name.
    pub(super) here: Vec<Entry>,
    /// Those among them that speak of all in it: few, where there may be one for every file.
    pub(super) general: Vec<Entry>,
    /// Those in the folder above that speak of this one.
    pub(super) above: Arc<[Entry]>,
}

impl Beside {
    /// The mark that what is read of a file bears. The names of notes that are named after it do
    /// not count, so that both may be renamed together.
    pub(super) fn mark(&self, kind: &MediaKind, file: &[u8]) -> i64 {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&kind.reading_version.to_le_bytes());
        let stem = stem(file);
        for (mark, name) in [(1, stem), (2, file)] {
            for note in self.named_after(name) {
                let extension = note.name.get(name.len() + 1..).unwrap_or_default();
                if is_named(kind.notes.of_file, extension) {
                    hasher.update(&[mark]);
                    add_name(&mut hasher, &extension.to_ascii_lowercase());
                    add_look(&mut hasher, note.look);
                }
            }
        }
        let general = self.general.iter();
        let general = general.map(|note| (3, kind.notes.of_folder, note));
        let above = self.above.iter();
        let above = above.map(|note| (4, kind.notes.of_folders_below, note));
        for (mark, names, note) in general.chain(above) {
            if is_named(names, &note.name) {
                hasher.update(&[mark]);
                add_name(&mut hasher, &note.name);
                add_look(&mut hasher, note.look);
            }
        }
        let mut mark = [0; 8];
        hasher.finalize_xof().fill(&mut mark);
        i64::from_le_bytes(mark)
    }

    /// The notes whose names are this one and an extension.
    fn named_after(&self, name: &[u8]) -> impl Iterator<Item = &Entry> {
        let start = [name, b"."].concat();
        let first = self
            .here
            .partition_point(|note| note.name.as_slice() < start.as_slice());
        let from = self.here.get(first..).unwrap_or_default().iter();
        from.take_while(move |note| note.name.starts_with(&start))
    }
}

/// Whether a file may be a note that speaks of something; `files` are the media files beside it,
/// sorted.
pub(super) fn is_note(notes: &Notes, file: &[u8], files: &[Entry]) -> bool {
    if is_named(notes.of_folder, file) || is_named(notes.of_folders_below, file) {
        return true;
    }
    let Some(dot) = file.iter().rposition(|byte| *byte == b'.') else {
        return false;
    };
    let (stem, extension) = (file.get(..dot), file.get(dot + 1..));
    is_named(notes.of_file, extension.unwrap_or_default())
        && names_a_file(stem.unwrap_or_default(), files)
}

/// Whether a name is one of these, in any case of letters.
pub(super) fn is_named(names: &[&str], name: &[u8]) -> bool {
    names
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

/// Whether a file has this name, with an extension of its own or without.
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
    use crate::registry::{Format, Unit};
    use crate::scan::disk::Look;

    const KIND: MediaKind = MediaKind {
        notes: Notes {
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
            look: Look {
                size: *size,
                mtime_ns: 1,
            },
        };
        names.iter().map(entry).collect()
    }

    fn mark(here: &[(&str, i64)], above: &[(&str, i64)], file: &str) -> i64 {
        let is_general = |(name, _): &&(&str, i64)| *name == "shelf.slip";
        let general: Vec<(&str, i64)> = here.iter().filter(is_general).copied().collect();
        let beside = Beside {
            here: entries(here),
            general: entries(&general),
            above: entries(above).into(),
        };
        beside.mark(&KIND, file.as_bytes())
    }

    #[test]
    fn a_note_that_is_named_after_a_file_speaks_of_it_alone() {
        let plain = mark(&[], &[], "a.sheet");
        let own = mark(&[("a.slip", 1)], &[], "a.sheet");
        assert_ne!(own, plain);
        assert_ne!(own, mark(&[("a.slip", 2)], &[], "a.sheet"));
        assert_ne!(mark(&[("a.sheet.slip", 1)], &[], "a.sheet"), plain);
        assert_eq!(mark(&[("a.slip", 1)], &[], "b.sheet"), plain);
        assert_eq!(mark(&[("a.b.slip", 1)], &[], "a.sheet"), plain);
        assert_eq!(own, mark(&[("b.SLIP", 1)], &[], "b.sheet"), "renamed");
    }

    #[test]
    fn a_note_of_a_folder_speaks_of_all_in_it() {
        let plain = mark(&[], &[], "a.sheet");
        assert_ne!(mark(&[("shelf.slip", 1)], &[], "a.sheet"), plain);
        assert_ne!(mark(&[], &[("house.slip", 1)], "a.sheet"), plain);
        assert_eq!(mark(&[], &[("shelf.slip", 1)], "a.sheet"), plain);
    }

    #[test]
    fn better_readers_leave_another_mark() {
        let better = MediaKind {
            reading_version: 2,
            ..KIND
        };
        let beside = Beside::default();
        assert_ne!(
            beside.mark(&KIND, b"a.sheet"),
            beside.mark(&better, b"a.sheet")
        );
    }

    #[test]
    fn only_notes_that_speak_of_something_are_looked_at() {
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
                is_note(&KIND.notes, name.as_bytes(), &files),
                is_wanted,
                "{name}"
            );
        }
    }
}
