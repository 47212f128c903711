//! Names of the metadata files, and the search for them in an item's folders.

use std::path::Path;

use ledge_core::registry::provider::{
    AskError, Candidate, ItemFolder, LocalPictures, Lookup, Net, Query,
};

use crate::pictures::{self, Budget};
use crate::{album, comic, gamelist, json, local_pictures, nfo, opf, season, show};

/// Largest metadata file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 2 << 20;

/// Most file stems of an item that are tried as names of metadata files.
const MAX_STEMS: usize = 20;

/// Most folders above an item's folder in which a list of games is looked for.
const MAX_LEVELS: usize = 3;

/// Subkind of shows.
pub(crate) const SERIES: &str = "series";

/// Provider of local metadata files. It has no configuration.
#[derive(Debug)]
pub(crate) struct LocalFiles;

/// Format of a metadata file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Json,
    Opf,
    FilmNfo,
    ShowNfo,
    AlbumNfo,
    ComicInfo,
    GameList,
}

/// Metadata file that may exist.
#[derive(Debug)]
struct Source<'a> {
    /// Folder of the file.
    place: ItemFolder,
    name: String,
    format: Format,
    /// Folder of the item's files.
    item: &'a ItemFolder,
}

impl Lookup for LocalFiles {
    fn search(&self, question: &Query, _: &dyn Net) -> Result<Vec<Candidate>, AskError> {
        let mut failure = None;
        for source in sources(question) {
            match source.read(question) {
                // The first file matches with certainty, so that no other one is read.
                Ok(Some(candidate)) => return Ok(vec![candidate]),
                Ok(None) => {}
                Err(error) => failure = Some(error),
            }
        }
        failure.map_or_else(|| Ok(Vec::new()), Err)
    }

    fn by_id(
        &self,
        provider_id: &str,
        question: &Query,
        _: &dyn Net,
    ) -> Result<Option<Candidate>, AskError> {
        let sources = sources(question).into_iter();
        let mut found = sources.filter(|source| source.name == provider_id);
        found
            .find_map(|source| source.read(question).transpose())
            .transpose()
    }

    fn local_pictures(&self, question: &Query) -> LocalPictures {
        local_pictures::read(question)
    }
}

/// Returns the files to try, the most specific first: the item's own file, then the folder's, then
/// those of the folders above.
fn sources(question: &Query) -> Vec<Source<'_>> {
    let folders = question.folders.iter();
    let mut sources: Vec<Source<'_>> = folders
        .flat_map(|item| match question.kind.as_str() {
            "video" => of_video(item, question.subkind.as_deref() == Some(SERIES)),
            "games" => of_game(item),
            kind => of_book(item, kind),
        })
        .collect();
    if question.kind == "audio" {
        sources.extend(of_discs(question));
    }
    // Seasons share the folder of their show.
    let mut known: Vec<(std::path::PathBuf, String)> = Vec::new();
    sources.retain(|source| {
        let key = (source.place.folder.clone(), source.name.clone());
        let is_new = source.format == Format::GameList || !known.contains(&key);
        known.push(key);
        is_new
    });
    sources
}

impl<'a> Source<'a> {
    fn of_folder(item: &'a ItemFolder, name: impl Into<String>, format: Format) -> Self {
        Self {
            place: item.clone(),
            name: name.into(),
            format,
            item,
        }
    }

    /// Returns a file of a folder above. It describes everything below.
    fn above(item: &'a ItemFolder, folder: &Path, name: &str, format: Format) -> Self {
        let place = ItemFolder {
            root: item.root.clone(),
            folder: folder.to_owned(),
            stems: Vec::new(),
            is_alone: true,
        };
        Self {
            place,
            ..Self::of_folder(item, name, format)
        }
    }

    fn read(&self, question: &Query) -> Result<Option<Candidate>, AskError> {
        let limit = match self.format {
            Format::GameList => gamelist::MAX_BYTES,
            _ => MAX_FILE_BYTES,
        };
        let Some(bytes) = self.place.read(&self.name, limit)? else {
            return Ok(None);
        };
        let read = match self.format {
            Format::Json => json::read(&bytes),
            Format::Opf => opf::read(&bytes),
            Format::FilmNfo => Ok(nfo::read(&bytes, &["movie", "musicvideo"])),
            Format::ShowNfo => Ok(nfo::read(&bytes, &["tvshow"])),
            Format::AlbumNfo => album::read(&bytes),
            Format::ComicInfo => comic::read(&bytes, &question.stored_title),
            Format::GameList => gamelist::read(&bytes, &self.place, self.item),
        };
        let name = &self.name;
        let candidate = read.map_err(|error| AskError::Malformed(format!("{name}: {error}")))?;
        Ok(candidate.map(|candidate| self.with_pictures(candidate, &question.kind)))
    }

    fn with_pictures(&self, mut candidate: Candidate, kind: &str) -> Candidate {
        let details = &mut candidate.details;
        let mut budget = Budget::default();
        if matches!(self.format, Format::FilmNfo | Format::ShowNfo) {
            details.pictures = pictures::portraits(&self.place, &details.people, &mut budget);
        }
        match self.format {
            // Portraits and posters precede, because there may be thousands of episodes.
            Format::ShowNfo => {
                let folders = show::list(&self.place);
                let posters = season::posters(kind, &folders, &mut budget);
                details.pictures.extend(posters);
                let (episodes, stills) = show::episodes(&folders, &mut budget);
                details.episodes = episodes;
                details.pictures.extend(stills);
            }
            Format::AlbumNfo => {
                if let [artist] = details.people.as_slice() {
                    let picture = pictures::artist(&self.place, &artist.name, &mut budget);
                    details.pictures.extend(picture);
                }
            }
            _ => {}
        }
        if self.format != Format::GameList {
            details.backdrop = pictures::backdrop(&self.place);
            details.logo = pictures::logo(&self.place);
        }
        Candidate {
            provider_id: self.name.clone(),
            is_certain: true,
            ..candidate
        }
    }
}

/// Returns `name.extension` for the files of an item.
fn own_names(item: &ItemFolder, extension: &str) -> impl Iterator<Item = String> {
    let stems = item.stems.iter().take(MAX_STEMS);
    stems.filter_map(move |stem| Some(format!("{}.{extension}", stem.to_str()?)))
}

fn of_book<'a>(item: &'a ItemFolder, kind: &str) -> Vec<Source<'a>> {
    let own = own_names(item, "opf").map(|name| Source::of_folder(item, name, Format::Opf));
    let mut sources: Vec<Source<'a>> = own.collect();
    if item.is_alone {
        sources.push(Source::of_folder(item, "metadata.json", Format::Json));
        sources.push(Source::of_folder(item, "metadata.opf", Format::Opf));
        sources.push(match kind {
            "audio" => Source::of_folder(item, "album.nfo", Format::AlbumNfo),
            _ => Source::of_folder(item, "ComicInfo.xml", Format::ComicInfo),
        });
    }
    sources
}

/// Returns the file in the folder above several discs.
fn of_discs(question: &Query) -> Option<Source<'_>> {
    let [first, others @ ..] = question.folders.as_slice() else {
        return None;
    };
    let album = first.folder.parent()?;
    let is_album = |disc: &ItemFolder| disc.is_alone && disc.folder.parent() == Some(album);
    let has_discs = !others.is_empty() && question.folders.iter().all(is_album);
    has_discs.then(|| Source::above(first, album, "album.nfo", Format::AlbumNfo))
}

fn of_video(item: &ItemFolder, is_series: bool) -> Vec<Source<'_>> {
    if !is_series {
        let own = own_names(item, "nfo").map(|name| Source::of_folder(item, name, Format::FilmNfo));
        let folder = Source::of_folder(item, "movie.nfo", Format::FilmNfo);
        return own.chain(item.is_alone.then_some(folder)).collect();
    }
    let folder = Source {
        // The names of episodes are not names of pictures of the show.
        place: ItemFolder {
            stems: Vec::new(),
            ..item.clone()
        },
        ..Source::of_folder(item, "tvshow.nfo", Format::ShowNfo)
    };
    // Seasons are in folders of their own.
    let above = item.folder.parent();
    // A file in the root of the library describes no show.
    let above = above.filter(|show| !show.as_os_str().is_empty());
    let above = above.map(|show| Source::above(item, show, "tvshow.nfo", Format::ShowNfo));
    let folder = item.is_alone.then_some(folder);
    folder.into_iter().chain(above).collect()
}

fn of_game(item: &ItemFolder) -> Vec<Source<'_>> {
    let folders = item.folder.ancestors().take(MAX_LEVELS + 1);
    let list = |folder: &Path| Source::above(item, folder, gamelist::NAME, Format::GameList);
    folders.map(list).collect()
}

/// Parses bytes as a file of each format and drops the results. The fuzz target calls it.
pub fn parse_every_format(bytes: &[u8]) {
    let folder = ItemFolder {
        root: "/nonexistent".into(),
        folder: "games".into(),
        stems: vec!["game".into()],
        is_alone: true,
    };
    let _ = json::read(bytes);
    let _ = opf::read(bytes);
    let _ = nfo::read(bytes, &["movie", "musicvideo", "tvshow"]);
    let _ = show::parse(bytes);
    let _ = album::read(bytes);
    let _ = comic::read(bytes, "title");
    let _ = gamelist::read(bytes, &folder, &folder);
}
