//! NFO files of Kodi, Jellyfin and similar programs: `Film.nfo`, `movie.nfo`, `tvshow.nfo`.
//!
//! Format: <https://kodi.wiki/view/NFO_files>.

mod lookup;

use std::collections::BTreeMap;

use ledge_core::registry::MetadataSidecars;
use ledge_core::registry::naming::{Credit, Series};
use ledge_core::text::markup::xml::{self, Document, Element, Piece};
use ledge_formats::ReadResult;
use serde_json::{Value, json};

use crate::reading::text;

pub use lookup::{read_for_file, read_for_show};

/// Sidecar files that are read with a video by [`read_for_file`] and [`read_for_show`].
pub const METADATA_SIDECARS: MetadataSidecars = MetadataSidecars {
    of_file: &["nfo"],
    of_folder: &["movie.nfo", "tvshow.nfo"],
    of_folders_below: &["tvshow.nfo"],
};

/// Maximum length of the text in one element, in bytes.
const MAX_SIZE: usize = 100_000;
/// Maximum number of people, and of values per fact.
const MAX_COUNT: usize = 200;
/// Root element of an episode.
const EPISODE: &str = "episodedetails";
/// Maximum number of further episodes in one file.
const MAX_EPISODES: usize = 50;
/// Metadata databases whose ids are kept. A fact has the name of its database.
const DATABASES: &[&str] = &[
    "imdb", "tmdb", "tvdb", "anidb", "anilist", "tvmaze", "wikidata",
];

/// Content of an NFO file.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Nfo {
    /// Name of the root element: `movie`, `tvshow`, `episodedetails` or `musicvideo`.
    pub root: String,
    /// Title of the film, show or episode.
    pub title: Option<String>,
    /// Release year.
    pub year: Option<i32>,
    /// Date of the first broadcast, as `YYYY-MM-DD`.
    pub aired: Option<String>,
    /// Synopsis as plain text.
    pub plot: Option<String>,
    /// People in the order directors, writers, actors.
    pub people: Vec<Credit>,
    /// Set of films to which the film belongs.
    pub series: Option<Series>,
    /// Further facts by name.
    pub facts: BTreeMap<String, Value>,
}

/// Parses the first root element. Returns `None` for other content, such as the text files of
/// release groups.
pub fn read(bytes: &[u8]) -> ReadResult<Option<Nfo>> {
    let text = xml::decode(bytes);
    // Some files have other text before the root element, or a URL after it.
    let roots = ["<movie", "<tvshow", "<episodedetails", "<musicvideo"];
    let Some(start) = roots.iter().filter_map(|root| text.find(root)).min() else {
        return Ok(None);
    };
    let text = text.get(start..).unwrap_or_default();
    let mut document = Document::new(text);
    let Some(Piece::Open(root)) = document.piece()? else {
        return Ok(None);
    };
    let mut builder = NfoBuilder::default();
    builder.nfo.root = root.name().to_ascii_lowercase();
    let inside = document.depth();
    while document.depth() >= inside {
        match document.piece() {
            Ok(Some(Piece::Open(element))) => builder.element(&element, &mut document)?,
            Ok(Some(_)) => {}
            // Content before a syntax error is kept.
            Ok(None) | Err(_) => break,
        }
    }
    if builder.nfo.root == EPISODE {
        builder.add_titles(&titles_of_others(text));
    }
    Ok(Some(builder.finish()))
}

/// Returns the titles of the second and later episodes of a file of several episodes.
fn titles_of_others(text: &str) -> Vec<String> {
    let starts = text.match_indices("<episodedetails").skip(1);
    let titles = starts.take(MAX_EPISODES).filter_map(|(start, _)| {
        let mut document = Document::new(text.get(start..)?);
        document.piece().ok()?;
        let inside = document.depth();
        while document.depth() >= inside {
            match document.piece().ok()?? {
                Piece::Open(element) if element.is("title") => {
                    return text::line(&document.text(MAX_SIZE).ok()?);
                }
                Piece::Open(_) => document.skip().ok()?,
                _ => {}
            }
        }
        None
    });
    titles.collect()
}

#[derive(Default)]
struct NfoBuilder {
    nfo: Nfo,
    date: Option<i32>,
    directors: Vec<String>,
    writers: Vec<String>,
    actors: Vec<String>,
    lists: BTreeMap<&'static str, Vec<String>>,
}

impl NfoBuilder {
    fn element(&mut self, element: &Element<'_>, document: &mut Document<'_>) -> ReadResult<()> {
        let name = element.name().to_ascii_lowercase();
        match name.as_str() {
            "actor" => return self.actor(document),
            "set" => return self.set(document),
            "uniqueid" => {
                let kind = element.attribute("type");
                self.key(kind.as_deref(), &document.text(200)?);
                return Ok(());
            }
            "fileinfo" | "resume" | "ratings" | "fanart" | "art" | "thumb" => {
                return document.skip();
            }
            _ => {}
        }
        let value = document.text(MAX_SIZE)?;
        let line = || text::line(&value);
        match name.as_str() {
            "title" => self.nfo.title = self.nfo.title.take().or_else(line),
            "plot" => self.nfo.plot = text::lines(&value),
            "outline" if self.nfo.plot.is_none() => self.nfo.plot = text::lines(&value),
            "year" => self.nfo.year = text::year(&value).or(self.nfo.year),
            "premiered" | "releasedate" | "aired" => {
                self.date = self.date.or_else(|| text::year(&value));
                if name == "aired" {
                    self.nfo.aired = self.nfo.aired.take().or_else(|| text::date(&value));
                }
            }
            "originaltitle" => self.fact("original_title", line()),
            "tagline" => self.fact("tagline", line()),
            "mpaa" | "certification" => self.fact("certification", line()),
            "director" => push(&mut self.directors, line()),
            "credits" | "writer" => push(&mut self.writers, line()),
            "genre" => self.list("genres", &value),
            "studio" => self.list("studios", &value),
            "country" => self.list("countries", &value),
            "imdbid" | "imdb_id" => self.key(Some("imdb"), &value),
            "tmdbid" => self.key(Some("tmdb"), &value),
            "tvdbid" => self.key(Some("tvdb"), &value),
            "id" if value.trim().starts_with("tt") => self.key(Some("imdb"), &value),
            _ => {}
        }
        Ok(())
    }

    fn actor(&mut self, document: &mut Document<'_>) -> ReadResult<()> {
        let inside = document.depth();
        while document.depth() >= inside {
            match document.piece()? {
                Some(Piece::Open(element)) if element.is("name") => {
                    let name = text::line(&document.text(MAX_SIZE)?);
                    push(&mut self.actors, name);
                }
                Some(Piece::Open(_)) => document.skip()?,
                Some(_) => {}
                None => break,
            }
        }
        Ok(())
    }

    /// Parses `<set>Name</set>` and the newer `<set><name>Name</name></set>`.
    fn set(&mut self, document: &mut Document<'_>) -> ReadResult<()> {
        let inside = document.depth();
        let (mut plain, mut named) = (String::new(), None);
        while document.depth() >= inside {
            match document.piece()? {
                Some(Piece::Open(element)) if element.is("name") => {
                    named = text::line(&document.text(MAX_SIZE)?);
                }
                Some(Piece::Open(_)) => document.skip()?,
                Some(Piece::Text(text)) if plain.len() < 1_000 => plain.push_str(&text),
                Some(_) => {}
                None => break,
            }
        }
        let name = named.or_else(|| text::line(&plain));
        self.nfo.series = name.map(|name| Series { name, index: None });
        Ok(())
    }

    /// Adds the titles of further episodes in the same file.
    fn add_titles(&mut self, others: &[String]) {
        let titles = self.nfo.title.iter().chain(others);
        let titles: Vec<&str> = titles.map(String::as_str).collect();
        self.nfo.title = text::line(&titles.join(" / "));
    }

    fn fact(&mut self, name: &str, value: Option<String>) {
        if let Some(value) = value {
            self.nfo
                .facts
                .entry(name.to_owned())
                .or_insert(value.into());
        }
    }

    /// Values may be in separate elements, or several in one element.
    fn list(&mut self, name: &'static str, value: &str) {
        let list = self.lists.entry(name).or_default();
        for value in value.split(" / ").filter_map(text::line) {
            if list.len() < MAX_COUNT && !list.contains(&value) {
                list.push(value);
            }
        }
    }

    fn key(&mut self, database: Option<&str>, key: &str) {
        let database = database.unwrap_or_default().to_lowercase();
        let key = key.trim();
        let is_key =
            (1..=40).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_alphanumeric());
        if is_key && DATABASES.contains(&database.as_str()) {
            self.fact(&database, Some(key.to_owned()));
        }
    }

    fn finish(mut self) -> Nfo {
        self.nfo.year = self.nfo.year.or(self.date);
        let credit = |role: &'static str| {
            move |name: String| Credit {
                name,
                role: role.to_owned(),
            }
        };
        let mut people: Vec<Credit> = self.directors.into_iter().map(Credit::author).collect();
        people.extend(self.writers.into_iter().map(credit("writer")));
        people.extend(self.actors.into_iter().map(credit("actor")));
        people.truncate(MAX_COUNT);
        self.nfo.people = people;
        for (name, values) in self.lists {
            if !values.is_empty() {
                self.nfo.facts.insert(name.to_owned(), json!(values));
            }
        }
        self.nfo
    }
}

fn push(list: &mut Vec<String>, value: Option<String>) {
    list.extend(value.filter(|value| list.len() < MAX_COUNT && !list.contains(value)));
}

#[cfg(test)]
mod tests;
