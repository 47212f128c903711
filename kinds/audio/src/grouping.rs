//! Grouping of the recordings of one folder into items.
//!
//! | Folder | Items |
//! |---|---|
//! | numbered files, or one disc of several | one: an album or an audiobook |
//! | tags that name several albums | one per album |
//! | anything else | one per file |
//!
//! An M4B file is a whole audiobook unless it is one of several parts.

mod tagged;

use std::collections::{HashMap, HashSet};

use ledge_core::registry::naming::{FileName, FolderListing, Group, ItemNames, Member, join};
use ledge_core::text::names::{clean, natural};

use crate::naming::album::{self, ParentFolders};
use crate::naming::disc::{self, Disc};
use crate::naming::track::{self, Style, Track};
use tagged::{Album, FolderTags};

/// Key of an item that consists of the library's root folder.
const ROOT_KEY: &str = ".";
/// Factor between disc numbers in the sort order of parts.
const DISC: i64 = 1_000_000;
/// Offset that sorts files without a number after the numbered files of a disc.
const UNNUMBERED: i64 = 500_000;

/// Groups the files of a folder.
pub(crate) fn group(folder: &FolderListing<'_>) -> Vec<Group> {
    if folder.files.is_empty() {
        return Vec::new();
    }
    let context = FolderContext::new(folder);
    let everything: Vec<usize> = (0..folder.files.len()).collect();
    if context.album_folder.disc.is_some() || context.album_folder.has_discs {
        return vec![context.whole(&everything)];
    }
    let (books, others): (Vec<usize>, Vec<usize>) = everything
        .into_iter()
        .partition(|at| folder.files.get(*at).is_some_and(is_book));
    let mut sorted = SortedFiles::default();
    if folder.path.is_empty() {
        // Files directly in the root are unrelated to each other.
        sorted.singles = [others, books].concat();
    } else {
        context.sort_others(&others, &mut sorted);
        context.sort_books(&books, &mut sorted);
    }
    context.groups(&sorted)
}

/// Partitions a large folder. Files in the root are independent; in other folders, all files
/// influence the grouping.
pub(crate) fn partition(folder: &FolderListing<'_>) -> Vec<u64> {
    let files = folder.files.len() as u64;
    if folder.path.is_empty() && !AlbumFolder::new(folder).has_discs {
        (0..files).collect()
    } else {
        vec![0; folder.files.len()]
    }
}

/// Files of a folder, by the kind of item they belong to.
#[derive(Default)]
struct SortedFiles {
    /// Parts of the album that the folder itself is.
    parts: Vec<usize>,
    /// Albums of a folder that contains several albums.
    albums: Vec<Album>,
    singles: Vec<usize>,
}

/// Parsed data about a folder that the grouping needs.
struct FolderContext<'a> {
    folder: &'a FolderListing<'a>,
    album_folder: AlbumFolder<'a>,
    tracks: Vec<Option<Track>>,
    tagged: FolderTags,
}

impl<'a> FolderContext<'a> {
    fn new(folder: &'a FolderListing<'a>) -> Self {
        Self {
            folder,
            album_folder: AlbumFolder::new(folder),
            tracks: folder.files.iter().map(|f| track::parse(&f.stem)).collect(),
            tagged: FolderTags::new(folder),
        }
    }

    /// Sorts all files except M4B.
    fn sort_others(&self, files: &[usize], sorted: &mut SortedFiles) {
        let numbered = is_numbered(self.folder, &self.tracks, files);
        let (mut albums, untagged) = self.tagged.albums(files);
        let single_albums = albums.iter().filter(|album| album.files.len() == 1).count();
        let has_folder_name = || self.tagged.is_album_named(files, &self.album_folder.name);
        let is_whole = match albums.len() {
            0 => numbered,
            // A single song in a folder is an album if the folder has the album's name.
            1 if files.len() == 1 => numbered || has_folder_name(),
            1 => untagged.is_empty() || (numbered && untagged.len() * 2 < files.len()),
            // Songs of many albums with consecutive numbers: a collection that the user compiled.
            _ => numbered && single_albums * 2 > files.len(),
        };
        if is_whole {
            sorted.parts.extend(files);
            return;
        }
        let (several, single_albums): (Vec<Album>, Vec<Album>) =
            albums.drain(..).partition(|album| album.files.len() > 1);
        sorted.albums.extend(several);
        sorted
            .singles
            .extend(single_albums.into_iter().flat_map(|album| album.files));
        sorted.singles.extend(untagged);
        sorted.singles.sort_unstable();
    }

    /// Sorts M4B files.
    fn sort_books(&self, files: &[usize], sorted: &mut SortedFiles) {
        let (albums, untagged) = self.tagged.albums(files);
        let is_tagged_book = files.len() > 1
            && albums.len() == 1
            && untagged.is_empty()
            && self.tagged.numbers(files, false).is_some();
        if is_tagged_book || are_parts_of_one_book(self.folder, &self.tracks, files) {
            sorted.parts.extend(files);
        } else {
            sorted.singles.extend(files);
        }
    }

    fn groups(&self, sorted: &SortedFiles) -> Vec<Group> {
        let folder = self.folder;
        let is_single = folder.files.len() == 1;
        let singles = sorted.singles.iter();
        let mut groups: Vec<Group> = singles
            .filter_map(|at| Some(single(folder, *at, folder.files.get(*at)?, is_single)))
            .collect();
        groups.extend(
            sorted
                .albums
                .iter()
                .map(|album| self.album_in_shared_folder(album)),
        );
        if !sorted.parts.is_empty() {
            groups.push(self.whole(&sorted.parts));
        }
        groups
    }

    /// Returns the item of the whole folder.
    fn whole(&self, files: &[usize]) -> Group {
        self.album_folder.album(self, files)
    }

    /// Returns an album that shares the folder with others. The key contains `//`, which occurs in
    /// no folder path, so it cannot collide.
    fn album_in_shared_folder(&self, album: &Album) -> Group {
        let parts: Vec<&str> = self.folder.parts().collect();
        Group {
            key: format!("{}//{}", self.folder.path, album.key),
            members: self.album_folder.members(self, &album.files),
            names: album::folder_names(&album.title, &ParentFolders::from_path(&parts), false),
        }
    }
}

fn is_book(file: &FileName) -> bool {
    file.extension == "m4b"
}

/// Album of a folder: the folder itself, or the folder above if this one is a disc.
struct AlbumFolder<'a> {
    key: String,
    name: String,
    parents: ParentFolders<'a>,
    disc: Option<i64>,
    has_discs: bool,
}

impl<'a> AlbumFolder<'a> {
    fn new(folder: &FolderListing<'a>) -> Self {
        let parts: Vec<&str> = folder.parts().collect();
        let disc = folder.name().and_then(disc::parse);
        let own_discs = |name: &String| matches!(disc::parse(name), Some(Disc { album: None, .. }));
        let has_discs = disc.is_none() && folder.folders.iter().any(own_discs);
        let number = disc.as_ref().map(|disc| disc.number);
        let above = parts.len().saturating_sub(1);
        let (anchor, album) = match disc {
            Some(Disc { album, .. }) => (above, album),
            None => (parts.len(), None),
        };
        let path = parts.get(..anchor).unwrap_or_default();
        let (name, parents_end) = if let Some(album) = &album {
            (album.clone(), anchor)
        } else {
            let name = path.last().copied().unwrap_or(folder.library);
            (name.to_owned(), anchor.saturating_sub(1))
        };
        let key = match album {
            Some(album) => join(&path.join("/"), &album),
            None if path.is_empty() => ROOT_KEY.to_owned(),
            None => path.join("/"),
        };
        Self {
            key,
            name,
            parents: ParentFolders::from_path(path.get(..parents_end).unwrap_or_default()),
            disc: number,
            has_discs,
        }
    }

    /// Returns one item of the given files.
    fn album(&self, context: &FolderContext<'_>, files: &[usize]) -> Group {
        let folder = context.folder;
        let books = files
            .iter()
            .filter_map(|at| folder.files.get(*at))
            .all(is_book);
        let mut names = album::folder_names(&self.name, &self.parents, books);
        let discs: HashSet<i64> = files
            .iter()
            .filter_map(|at| context.tracks.get(*at)?.as_ref()?.disc)
            .collect();
        if discs.len() > 1 {
            names.facts.insert("discs".to_owned(), discs.len().into());
        }
        Group {
            key: self.key.clone(),
            members: self.members(context, files),
            names,
        }
    }

    /// Orders the files by their tagged numbers, otherwise by the numbers in their names.
    fn members(&self, context: &FolderContext<'_>, files: &[usize]) -> Vec<Member> {
        let (folder, tracks) = (context.folder, context.tracks.as_slice());
        let numbered = is_numbered(folder, tracks, files);
        let tagged_numbers = context.tagged.numbers(files, !numbered);
        let stem = |at: &usize| folder.files.get(*at).map_or("", |file| file.stem.as_str());
        let mut order: Vec<usize> = files.to_vec();
        order.sort_by(|a, b| natural::cmp(stem(a), stem(b)));
        let member = |(index, at): (usize, usize)| {
            let track = tracks.get(at).and_then(Option::as_ref).filter(|_| numbered);
            let named = || track.map(|track| (track.disc, track.number));
            let number = match &tagged_numbers {
                Some(tagged_numbers) => tagged_numbers.get(&at).copied(),
                None => named(),
            };
            let disc = self.disc.or(number.and_then(|(disc, _)| disc)).unwrap_or(0);
            let within = number.map_or_else(
                || UNNUMBERED + i64::try_from(index).unwrap_or(0),
                |(_, number)| number,
            );
            let title = match track {
                Some(track) => track.title.clone(),
                None => Some(clean::spaced(stem(&at))).filter(|title| !title.is_empty()),
            };
            Member {
                title,
                ..Member::part(at, disc.saturating_mul(DISC).saturating_add(within))
            }
        };
        order.into_iter().enumerate().map(member).collect()
    }
}

/// Returns `true` if most of the files have distinct track numbers.
fn is_numbered(folder: &FolderListing<'_>, tracks: &[Option<Track>], files: &[usize]) -> bool {
    let found: Vec<(&Track, &str)> = files
        .iter()
        .filter_map(|at| {
            let extension = folder.files.get(*at)?.extension.as_str();
            Some((tracks.get(*at)?.as_ref()?, extension))
        })
        .collect();
    // An ambiguous number is a track number only if several names have the same text before it.
    let mut sharing: HashMap<&str, usize> = HashMap::new();
    for (track, _) in found.iter().filter(|(track, _)| track.style.is_ambiguous()) {
        *sharing.entry(&track.prefix).or_default() += 1;
    }
    let counts = |track: &Track| {
        !track.style.is_ambiguous() || sharing.get(track.prefix.as_str()).is_some_and(|n| *n > 1)
    };
    let numbered: Vec<_> = found
        .into_iter()
        .filter(|(track, _)| counts(track))
        .collect();
    let distinct: HashSet<(Option<i64>, i64, &str)> = numbered
        .iter()
        .map(|(track, extension)| (track.disc, track.number, *extension))
        .collect();
    // A mix of songs from many albums repeats the same track numbers.
    numbered.len() * 2 > files.len() && distinct.len() * 10 >= numbered.len() * 7
}

/// Returns `true` if numbered M4B files differ only in the number. `01 - Title A` and `02 - Title
/// B` are two books of a series.
fn are_parts_of_one_book(
    folder: &FolderListing<'_>,
    tracks: &[Option<Track>],
    files: &[usize],
) -> bool {
    if files.len() < 2 || !is_numbered(folder, tracks, files) {
        return false;
    }
    let names = files
        .iter()
        .filter_map(|at| tracks.get(*at)?.as_ref())
        .map(|track| match track.style {
            // `Dracula Part 1 - Arrival` and `Dracula Part 2 - Voyage` belong together.
            Style::Word | Style::Trailing | Style::Inner => track.prefix.as_str(),
            Style::Leading | Style::Middle => track.title.as_deref().unwrap_or_default(),
        });
    names.collect::<HashSet<&str>>().len() == 1
}

/// Returns a file as an item of its own.
fn single(folder: &FolderListing<'_>, at: usize, file: &FileName, is_single: bool) -> Group {
    let parts: Vec<&str> = folder.parts().collect();
    let book = is_book(file);
    let names = album::file_names(
        untracked(file, book),
        &ParentFolders::from_path(&parts),
        book,
    );
    let own_folder = parts
        .split_last()
        .filter(|_| is_single)
        .map(|(own, above)| album::folder_names(own, &ParentFolders::from_path(above), book));
    Group {
        key: join(folder.path, &file.name),
        members: vec![Member::alternative(at)],
        // The folder of a single book contains the year, the narrator and the series.
        names: match own_folder {
            Some(folder_names) if folder_is_preferred(&folder_names, &names) => folder_names,
            _ => names,
        },
    }
}

fn folder_is_preferred(folder: &ItemNames, file: &ItemNames) -> bool {
    let same = album::same_name(&folder.title, &file.title);
    let numbered = same
        && file
            .series
            .as_ref()
            .is_some_and(|series| series.index.is_some());
    same && !numbered && !(folder.year.is_none() && file.year.is_some())
}

/// Returns the stem without an unambiguous track number. A number before a book is its index in a
/// series, which [`Label`](crate::naming::label::Label) parses.
fn untracked(file: &FileName, book: bool) -> &str {
    let stem = file.stem.as_str();
    let (digits, rest) = natural::digits(stem);
    let rest = rest.trim_start();
    let sure = (1..=3).contains(&digits.len())
        && rest.starts_with(['-', '.', '_'])
        && rest.chars().any(char::is_alphabetic);
    if sure && !book {
        clean::trimmed(rest.trim_start_matches('.'))
    } else {
        stem
    }
}

#[cfg(test)]
mod tests;
