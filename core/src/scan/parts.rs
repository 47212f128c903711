//! Parts of large folders: read, grouped and written one after another, so that not all of their
//! files are in memory with all that is known of them.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::change::{ChangedFolder, SeenFile};
use super::run::Run;
use super::{grouped, name};
use crate::registry::MediaKind;
use crate::registry::naming::{FileName, FolderListing};

/// Files of a part, more or less.
const PART: usize = 4_000;
/// Folders with fewer files are one part.
const LARGE: usize = 2 * PART;

/// The parts of a folder that are left.
pub(super) struct Parts {
    parts: std::vec::IntoIter<Vec<SeenFile>>,
    is_one: bool,
}

impl Parts {
    fn new(parts: Vec<Vec<SeenFile>>) -> Self {
        let is_one = parts.len() == 1;
        let parts = parts.into_iter();
        Self { parts, is_one }
    }

    /// Whether the folder is not parted.
    pub(super) fn is_one(&self) -> bool {
        self.is_one
    }
}

impl Iterator for Parts {
    type Item = Vec<SeenFile>;

    fn next(&mut self) -> Option<Vec<SeenFile>> {
        self.parts.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.parts.size_hint()
    }
}

impl ExactSizeIterator for Parts {}

/// Takes a folder's files out of it, one part at least.
pub(super) fn of(run: &Run<'_>, folder: &mut ChangedFolder) -> Parts {
    let files = std::mem::take(&mut folder.files);
    if files.len() <= LARGE {
        return Parts::new(vec![files]);
    }
    let mut parts = Vec::new();
    for (kind, files) in by_kind(files, |file| file.kind) {
        if files.len() <= LARGE {
            parts.push(files);
            continue;
        }
        match families(run, kind, folder, &files) {
            Some(families) => parts.extend(told_apart(files, &families)),
            None => parts.push(files),
        }
    }
    Parts::new(parts)
}

/// The files in parts of some [`PART`] each, families whole.
fn told_apart<T>(files: Vec<T>, families: &[u64]) -> Vec<Vec<T>> {
    let mut parts: Vec<Vec<T>> = Vec::new();
    parts.resize_with(files.len().div_ceil(PART), Vec::new);
    let count = parts.len();
    // Numbered as they come: what they are called by may be even throughout.
    let mut numbers = HashMap::new();
    for (file, family) in files.into_iter().zip(families) {
        let next = numbers.len();
        let number = *numbers.entry(family).or_insert(next);
        if let Some(part) = parts.get_mut(number % count) {
            part.push(file);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The family of each file; `None` where the kind does not tell.
fn families(
    run: &Run<'_>,
    kind: &MediaKind,
    folder: &ChangedFolder,
    files: &[SeenFile],
) -> Option<Vec<u64>> {
    let families = kind.families?;
    let name = |file| grouped::file_name(&run.rules, file);
    let names: Vec<FileName> = files.iter().map(name).collect();
    let path = name::display(&folder.path);
    let folders: Vec<String> = folder
        .folders
        .iter()
        .map(|name| name::display(name))
        .collect();
    let listing = FolderListing {
        library: &run.root_name,
        path: &path,
        files: &names,
        folders: &folders,
    };
    let answer = catch_unwind(AssertUnwindSafe(|| families(&listing)));
    // Whatever is wrong with the answer, no file is left out.
    answer.ok().filter(|answer| answer.len() == files.len())
}

/// The files of each kind, in the order in which the kinds first occur.
pub(super) fn by_kind<T>(
    files: Vec<T>,
    kind: impl Fn(&T) -> &'static MediaKind,
) -> Vec<(&'static MediaKind, Vec<T>)> {
    let mut by_kind: Vec<(&'static MediaKind, Vec<T>)> = Vec::new();
    for file in files {
        let kind = kind(&file);
        match by_kind.iter_mut().find(|(known, _)| known.id == kind.id) {
            Some((_, files)) => files.push(file),
            None => by_kind.push((kind, vec![file])),
        }
    }
    by_kind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_is_left_out_and_no_family_torn() {
        let files: Vec<u64> = (0..5 * PART as u64).collect();
        let families: Vec<u64> = files.iter().map(|file| file / 3).collect();
        let parts = told_apart(files.clone(), &families);
        assert_eq!(parts.len(), 5);
        for part in &parts {
            let mut of_family = std::collections::HashMap::new();
            for file in part {
                *of_family.entry(file / 3).or_insert(0) += 1;
            }
            // The last family has what the others leave.
            let is_whole =
                |(family, count): (&u64, &u64)| *count == 3 || *family == files.len() as u64 / 3;
            assert!(of_family.iter().all(is_whole));
        }
        let mut all = parts.concat();
        all.sort_unstable();
        assert_eq!(all, files);
        assert_eq!(told_apart(files.clone(), &vec![7; files.len()]), [files]);
    }
}
