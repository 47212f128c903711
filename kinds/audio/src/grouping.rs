//! How the recordings of one folder form items.
//!
//! A folder whose files are numbered, or that holds one disc of several, is one item: an album or
//! an audiobook. Files that say themselves that they are of several albums are as many items, also
//! without numbers. Anything else is an item a file. An M4B file is a whole audiobook, unless it is
//! one of several parts.

mod tagged;

use std::collections::{HashMap, HashSet};

use ledge_core::names::{clean, natural};
use ledge_core::registry::naming::{FileName, FolderListing, Group, ItemNames, Member, join};

use crate::album::{self, Shelf};
use crate::disc::{self, Disc};
use crate::track::{self, Style, Track};
use tagged::{Album, Tagged};

/// Key of an item that is the library's root itself.
const ROOT_KEY: &str = ".";
/// A disc's parts lie between its number times this and the next one's.
const DISC: i64 = 1_000_000;
/// Files without a number follow those with one.
const UNNUMBERED: i64 = 500_000;

/// The groups of a folder.
pub(crate) fn group(folder: &FolderListing<'_>) -> Vec<Group> {
    if folder.files.is_empty() {
        return Vec::new();
    }
    let shelf = Shelves::of(folder);
    let everything: Vec<usize> = (0..folder.files.len()).collect();
    if shelf.place.disc.is_some() || shelf.place.has_discs {
        return vec![shelf.whole(&everything)];
    }
    let (books, others): (Vec<usize>, Vec<usize>) = everything
        .into_iter()
        .partition(|at| folder.files.get(*at).is_some_and(is_book));
    let mut sorted = Sorted::default();
    if folder.path.is_empty() {
        // Whoever lays files next to the libraries' folders means each for itself.
        sorted.singles = [others, books].concat();
    } else {
        shelf.sort_others(&others, &mut sorted);
        shelf.sort_books(&books, &mut sorted);
    }
    shelf.groups(&sorted)
}

/// Files that nobody has put into a folder are each for itself; in any other all have a say.
pub(crate) fn families(folder: &FolderListing<'_>) -> Vec<u64> {
    let files = folder.files.len() as u64;
    if folder.path.is_empty() && !Place::of(folder).has_discs {
        (0..files).collect()
    } else {
        vec![0; folder.files.len()]
    }
}

/// The files of a folder by the items they are of.
#[derive(Default)]
struct Sorted {
    /// Parts of the album that the folder is.
    parts: Vec<usize>,
    /// Albums of which the folder holds several.
    albums: Vec<Album>,
    singles: Vec<usize>,
}

/// All that grouping a folder needs to know of it.
struct Shelves<'a> {
    folder: &'a FolderListing<'a>,
    place: Place<'a>,
    tracks: Vec<Option<Track>>,
    tagged: Tagged,
}

impl<'a> Shelves<'a> {
    fn of(folder: &'a FolderListing<'a>) -> Self {
        Self {
            folder,
            place: Place::of(folder),
            tracks: folder.files.iter().map(|f| track::parse(&f.stem)).collect(),
            tagged: Tagged::of(folder),
        }
    }

    /// Sorts files other than M4B.
    fn sort_others(&self, files: &[usize], sorted: &mut Sorted) {
        let numbered = is_numbered(self.folder, &self.tracks, files);
        let (mut albums, unsaid) = self.tagged.albums(files);
        let lone = albums.iter().filter(|album| album.files.len() == 1).count();
        let is_called_so = || self.tagged.is_album_called(files, &self.place.own);
        let is_whole = match albums.len() {
            0 => numbered,
            // A song in a folder of its own is an album where the folder is called so.
            1 if files.len() == 1 => numbered || is_called_so(),
            1 => unsaid.is_empty() || (numbered && unsaid.len() * 2 < files.len()),
            // Songs of many albums, numbered for this folder: somebody's own collection.
            _ => numbered && lone * 2 > files.len(),
        };
        if is_whole {
            sorted.parts.extend(files);
            return;
        }
        let (several, lone): (Vec<Album>, Vec<Album>) =
            albums.drain(..).partition(|album| album.files.len() > 1);
        sorted.albums.extend(several);
        sorted
            .singles
            .extend(lone.into_iter().flat_map(|album| album.files));
        sorted.singles.extend(unsaid);
        sorted.singles.sort_unstable();
    }

    /// Sorts M4B files.
    fn sort_books(&self, files: &[usize], sorted: &mut Sorted) {
        let (albums, unsaid) = self.tagged.albums(files);
        let is_told = files.len() > 1
            && albums.len() == 1
            && unsaid.is_empty()
            && self.tagged.numbers(files, false).is_some();
        if is_told || are_parts_of_one_book(self.folder, &self.tracks, files) {
            sorted.parts.extend(files);
        } else {
            sorted.singles.extend(files);
        }
    }

    fn groups(&self, sorted: &Sorted) -> Vec<Group> {
        let folder = self.folder;
        let alone = folder.files.len() == 1;
        let singles = sorted.singles.iter();
        let mut groups: Vec<Group> = singles
            .filter_map(|at| Some(single(folder, *at, folder.files.get(*at)?, alone)))
            .collect();
        groups.extend(sorted.albums.iter().map(|album| self.one_of_several(album)));
        if !sorted.parts.is_empty() {
            groups.push(self.whole(&sorted.parts));
        }
        groups
    }

    /// The item that the folder is.
    fn whole(&self, files: &[usize]) -> Group {
        self.place.album(self, files)
    }

    /// An album that shares the folder with others. No folder's path has two slashes in a row.
    fn one_of_several(&self, album: &Album) -> Group {
        let parts: Vec<&str> = self.folder.parts().collect();
        Group {
            key: format!("{}//{}", self.folder.path, album.key),
            members: self.place.members(self, &album.files),
            names: album::names(&album.title, &Shelf::of(&parts), false),
        }
    }
}

fn is_book(file: &FileName) -> bool {
    file.extension == "m4b"
}

/// Where the folder's album lives: here, or above a folder that is one of its discs.
struct Place<'a> {
    key: String,
    own: String,
    shelf: Shelf<'a>,
    disc: Option<i64>,
    has_discs: bool,
}

impl<'a> Place<'a> {
    fn of(folder: &FolderListing<'a>) -> Self {
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
        let (own, shelf_end) = if let Some(album) = &album {
            (album.clone(), anchor)
        } else {
            let own = path.last().copied().unwrap_or(folder.library);
            (own.to_owned(), anchor.saturating_sub(1))
        };
        let key = match album {
            Some(album) => join(&path.join("/"), &album),
            None if path.is_empty() => ROOT_KEY.to_owned(),
            None => path.join("/"),
        };
        Self {
            key,
            own,
            shelf: Shelf::of(path.get(..shelf_end).unwrap_or_default()),
            disc: number,
            has_discs,
        }
    }

    /// One item of the given files.
    fn album(&self, shelves: &Shelves<'_>, files: &[usize]) -> Group {
        let folder = shelves.folder;
        let books = files
            .iter()
            .filter_map(|at| folder.files.get(*at))
            .all(is_book);
        let mut names = album::names(&self.own, &self.shelf, books);
        let discs: HashSet<i64> = files
            .iter()
            .filter_map(|at| shelves.tracks.get(*at)?.as_ref()?.disc)
            .collect();
        if discs.len() > 1 {
            names.facts.insert("discs".to_owned(), discs.len().into());
        }
        Group {
            key: self.key.clone(),
            members: self.members(shelves, files),
            names,
        }
    }

    /// The files in the order of the numbers they bear inside, else of those in their names.
    fn members(&self, shelves: &Shelves<'_>, files: &[usize]) -> Vec<Member> {
        let (folder, tracks) = (shelves.folder, shelves.tracks.as_slice());
        let numbered = is_numbered(folder, tracks, files);
        let told = shelves.tagged.numbers(files, !numbered);
        let stem = |at: &usize| folder.files.get(*at).map_or("", |file| file.stem.as_str());
        let mut order: Vec<usize> = files.to_vec();
        order.sort_by(|a, b| natural::cmp(stem(a), stem(b)));
        let member = |(place, at): (usize, usize)| {
            let track = tracks.get(at).and_then(Option::as_ref).filter(|_| numbered);
            let named = || track.map(|track| (track.disc, track.number));
            let number = match &told {
                Some(told) => told.get(&at).copied(),
                None => named(),
            };
            let disc = self.disc.or(number.and_then(|(disc, _)| disc)).unwrap_or(0);
            let within = number.map_or_else(
                || UNNUMBERED + i64::try_from(place).unwrap_or(0),
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

/// Whether most of the files bear track numbers that tell them apart.
fn is_numbered(folder: &FolderListing<'_>, tracks: &[Option<Track>], files: &[usize]) -> bool {
    let found: Vec<(&Track, &str)> = files
        .iter()
        .filter_map(|at| {
            let extension = folder.files.get(*at)?.extension.as_str();
            Some((tracks.get(*at)?.as_ref()?, extension))
        })
        .collect();
    // A number that may belong to a title is a track's only where other names are the same before.
    let mut sharing: HashMap<&str, usize> = HashMap::new();
    for (track, _) in found.iter().filter(|(track, _)| track.style.is_doubtful()) {
        *sharing.entry(&track.before).or_default() += 1;
    }
    let counts = |track: &Track| {
        !track.style.is_doubtful() || sharing.get(track.before.as_str()).is_some_and(|n| *n > 1)
    };
    let numbered: Vec<_> = found
        .into_iter()
        .filter(|(track, _)| counts(track))
        .collect();
    let distinct: HashSet<(Option<i64>, i64, &str)> = numbered
        .iter()
        .map(|(track, extension)| (track.disc, track.number, *extension))
        .collect();
    // Loose songs of many albums, each with its number, meet in the same numbers.
    numbered.len() * 2 > files.len() && distinct.len() * 10 >= numbered.len() * 7
}

/// Numbered M4B files are parts where nothing but the number differs; `01 - Title A` and
/// `02 - Title B` are two books of a series.
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
            Style::Word | Style::Trailing | Style::Inner => track.before.as_str(),
            Style::Leading | Style::Middle => track.title.as_deref().unwrap_or_default(),
        });
    names.collect::<HashSet<&str>>().len() == 1
}

/// A file that is an item of its own.
fn single(folder: &FolderListing<'_>, at: usize, file: &FileName, alone: bool) -> Group {
    let parts: Vec<&str> = folder.parts().collect();
    let book = is_book(file);
    let names = album::file_names(untracked(file, book), &Shelf::of(&parts), book);
    let own_folder = parts
        .split_last()
        .filter(|_| alone)
        .map(|(own, above)| album::names(own, &Shelf::of(above), book));
    Group {
        key: join(folder.path, &file.name),
        members: vec![Member::alternative(at)],
        // A book in a folder of its own: the folder bears year, narrator and series.
        names: match own_folder {
            Some(own) if says_more(&own, &names) => own,
            _ => names,
        },
    }
}

fn says_more(folder: &ItemNames, file: &ItemNames) -> bool {
    let same = album::alike(&folder.title, &file.title);
    let numbered = same
        && file
            .series
            .as_ref()
            .is_some_and(|series| series.index.is_some());
    same && !numbered && !(folder.year.is_none() && file.year.is_some())
}

/// The stem without a track number that surely is one. Of a book it is the number in a series,
/// which the label reads.
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
