//! Parts of large folders. They are read, grouped and written one after another, so that memory use
//! is bounded.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::path;
use crate::registry::MediaKind;
use crate::registry::naming::{FileName, FolderListing};
use crate::scan::diff::folder_change::{ChangedFolder, SeenFile};
use crate::scan::group::lazy;
use crate::scan::run::Run;

/// Approximate number of files in a part.
const PART: usize = 4_000;
/// Folders with at most this number of files are one part.
const LARGE: usize = 2 * PART;

/// Remaining parts of a folder.
pub(crate) struct Parts {
    parts: std::vec::IntoIter<Vec<SeenFile>>,
    is_one: bool,
}

impl Parts {
    fn new(parts: Vec<Vec<SeenFile>>) -> Self {
        let is_one = parts.len() == 1;
        let parts = parts.into_iter();
        Self { parts, is_one }
    }

    /// Returns `true` if the folder is not split.
    pub(crate) fn is_one(&self) -> bool {
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

/// Takes a folder's files out of it, as at least one part.
pub(crate) fn of(run: &Run<'_>, folder: &mut ChangedFolder) -> Parts {
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
        match partition(run, kind, folder, &files) {
            Some(partition) => parts.extend(split_by_partition(files, &partition)),
            None => parts.push(files),
        }
    }
    Parts::new(parts)
}

/// Distributes files over parts of about [`PART`] files each. Files of one partition id stay
/// together.
fn split_by_partition<T>(files: Vec<T>, partition: &[u64]) -> Vec<Vec<T>> {
    let mut parts: Vec<Vec<T>> = Vec::new();
    parts.resize_with(files.len().div_ceil(PART), Vec::new);
    let count = parts.len();
    // Ids are numbered by first occurrence, because the ids themselves may all be even.
    let mut numbers = HashMap::new();
    for (file, part_id) in files.into_iter().zip(partition) {
        let next = numbers.len();
        let number = *numbers.entry(part_id).or_insert(next);
        if let Some(part) = parts.get_mut(number % count) {
            part.push(file);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Returns the partition id of each file, or `None` if the kind does not provide it.
fn partition(
    run: &Run<'_>,
    kind: &MediaKind,
    folder: &ChangedFolder,
    files: &[SeenFile],
) -> Option<Vec<u64>> {
    let partition = kind.partition?;
    let name = |file| lazy::file_name(&run.rules, file);
    let names: Vec<FileName> = files.iter().map(name).collect();
    let path = path::display(&folder.path);
    let folders: Vec<String> = folder
        .folders
        .iter()
        .map(|name| path::display(name))
        .collect();
    let listing = FolderListing {
        library: &run.root_name,
        path: &path,
        files: &names,
        folders: &folders,
    };
    let answer = catch_unwind(AssertUnwindSafe(|| partition(&listing)));
    // An invalid answer is ignored, so that no file is left out.
    answer.ok().filter(|answer| answer.len() == files.len())
}

/// Groups files by kind, in the order in which the kinds first occur.
pub(crate) fn by_kind<T>(
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
    fn parts_contain_every_file_and_whole_partitions() {
        let files: Vec<u64> = (0..5 * PART as u64).collect();
        let partition: Vec<u64> = files.iter().map(|file| file / 3).collect();
        let parts = split_by_partition(files.clone(), &partition);
        assert_eq!(parts.len(), 5);
        for part in &parts {
            let mut of_family = std::collections::HashMap::new();
            for file in part {
                *of_family.entry(file / 3).or_insert(0) += 1;
            }
            // The last partition has the remaining files.
            let is_whole =
                |(part_id, count): (&u64, &u64)| *count == 3 || *part_id == files.len() as u64 / 3;
            assert!(of_family.iter().all(is_whole));
        }
        let mut all = parts.concat();
        all.sort_unstable();
        assert_eq!(all, files);
        assert_eq!(
            split_by_partition(files.clone(), &vec![7; files.len()]),
            [files]
        );
    }
}
