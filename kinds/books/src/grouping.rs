//! Grouping of a folder's files into books: files with the same name in several formats are one
//! book.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use ledge_core::registry::naming::{FileName, FolderListing, Group, Member, join};

use crate::formats::is_comic;
use crate::names::{self, folders::ParentFolders};

/// Returns one item per file name without extension. Its files are alternatives.
pub fn group(folder: &FolderListing<'_>) -> Vec<Group> {
    let folders = ParentFolders::parse(folder);
    let mut books: Vec<(&str, Vec<usize>)> = Vec::new();
    let mut by_stem: HashMap<&str, usize> = HashMap::with_capacity(folder.files.len());
    for (index, file) in folder.files.iter().enumerate() {
        let stem = bare_stem(file);
        let at = *by_stem.entry(stem).or_insert(books.len());
        match books.get_mut(at) {
            Some((_, files)) => files.push(index),
            None => books.push((stem, vec![index])),
        }
    }
    let item = |(stem, files): (&str, Vec<usize>)| Group {
        key: join(folder.path, stem),
        names: names::read(stem, any_comic(folder, &files), &folders),
        members: files.into_iter().map(Member::alternative).collect(),
    };
    books.into_iter().map(item).collect()
}

/// Returns a partition id per file. Files of one book have the same name and thus the same id.
pub fn partition(folder: &FolderListing<'_>) -> Vec<u64> {
    let family = |file| hash(bare_stem(file));
    folder.files.iter().map(family).collect()
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Returns the stem without an inner extension: `Title.kepub.epub` and `Title.fb2.fbz` belong to
/// `Title`.
fn bare_stem(file: &FileName) -> &str {
    let stem = file.stem.as_str();
    let inner = match file.extension.as_str() {
        "epub" => ".kepub",
        "fbz" => ".fb2",
        _ => return stem,
    };
    stem.strip_suffix(inner)
        .filter(|bare| !bare.is_empty())
        .unwrap_or(stem)
}

fn any_comic(folder: &FolderListing<'_>, files: &[usize]) -> bool {
    files
        .iter()
        .filter_map(|index| folder.files.get(*index))
        .any(|file| is_comic(&file.extension))
}
