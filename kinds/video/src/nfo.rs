//! What Kodi, Jellyfin and their kin write beside videos: `Film.nfo`, `movie.nfo`, `tvshow.nfo`.
//! <https://kodi.wiki/view/NFO_files>.

mod beside;

use std::collections::BTreeMap;

use ledge_core::markup::xml::{self, Document, Element, Piece};
use ledge_core::registry::Notes;
use ledge_core::registry::naming::{Credit, Series};
use serde_json::{Value, json};

use crate::input::ReadResult;
use crate::text;

pub use beside::{of_file, of_show};

/// What lies beside a video and is read with it, as [`of_file`] and [`of_show`] find it.
pub const NOTES: Notes = Notes {
    of_file: &["nfo"],
    of_folder: &["movie.nfo", "tvshow.nfo"],
    of_folders_below: &["tvshow.nfo"],
};

/// Longest text of one element, in bytes.
const LONGEST: usize = 100_000;
/// Most people, and most values of a fact.
const MOST: usize = 200;
/// Databases whose keys are kept, and the names of their facts.
const DATABASES: &[&str] = &["imdb", "tmdb", "tvdb", "anidb"];

/// What one says.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Nfo {
    /// What it is about: `movie`, `tvshow`, `episodedetails`, `musicvideo`.
    pub root: String,
    /// Title.
    pub title: Option<String>,
    /// Year.
    pub year: Option<i32>,
    /// What it is about, in words.
    pub plot: Option<String>,
    /// People: directors first, then writers, then who plays.
    pub people: Vec<Credit>,
    /// The set of films it belongs to.
    pub series: Option<Series>,
    /// Further facts.
    pub facts: BTreeMap<String, Value>,
}

/// Reads the first one in a file; `None` where it is something else, as releases' own notes are.
pub fn read(bytes: &[u8]) -> ReadResult<Option<Nfo>> {
    let text = xml::decode(bytes);
    // Some stand behind a line of something else, or have an address behind them.
    let roots = ["<movie", "<tvshow", "<episodedetails", "<musicvideo"];
    let Some(start) = roots.iter().filter_map(|root| text.find(root)).min() else {
        return Ok(None);
    };
    let mut document = Document::new(text.get(start..).unwrap_or_default());
    let Some(Piece::Open(root)) = document.piece()? else {
        return Ok(None);
    };
    let mut reading = Reading::default();
    reading.nfo.root = root.name().to_ascii_lowercase();
    let inside = document.depth();
    while document.depth() >= inside {
        match document.piece() {
            Ok(Some(Piece::Open(element))) => reading.element(&element, &mut document)?,
            Ok(Some(_)) => {}
            // What stands before a mistake counts.
            Ok(None) | Err(_) => break,
        }
    }
    Ok(Some(reading.finish()))
}

#[derive(Default)]
struct Reading {
    nfo: Nfo,
    date: Option<i32>,
    directors: Vec<String>,
    writers: Vec<String>,
    actors: Vec<String>,
    lists: BTreeMap<&'static str, Vec<String>>,
}

impl Reading {
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
        let value = document.text(LONGEST)?;
        let line = || text::line(&value);
        match name.as_str() {
            "title" => self.nfo.title = self.nfo.title.take().or_else(line),
            "plot" => self.nfo.plot = text::lines(&value),
            "outline" if self.nfo.plot.is_none() => self.nfo.plot = text::lines(&value),
            "year" => self.nfo.year = text::year(&value).or(self.nfo.year),
            "premiered" | "releasedate" | "aired" => {
                self.date = self.date.or_else(|| text::year(&value));
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
                    let name = text::line(&document.text(LONGEST)?);
                    push(&mut self.actors, name);
                }
                Some(Piece::Open(_)) => document.skip()?,
                Some(_) => {}
                None => break,
            }
        }
        Ok(())
    }

    /// `<set>Name</set>`, and today `<set><name>Name</name></set>`.
    fn set(&mut self, document: &mut Document<'_>) -> ReadResult<()> {
        let inside = document.depth();
        let (mut plain, mut named) = (String::new(), None);
        while document.depth() >= inside {
            match document.piece()? {
                Some(Piece::Open(element)) if element.is("name") => {
                    named = text::line(&document.text(LONGEST)?);
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

    fn fact(&mut self, name: &str, value: Option<String>) {
        if let Some(value) = value {
            self.nfo
                .facts
                .entry(name.to_owned())
                .or_insert(value.into());
        }
    }

    /// Values stand in elements of their own, or several in one.
    fn list(&mut self, name: &'static str, value: &str) {
        let list = self.lists.entry(name).or_default();
        for value in value.split(" / ").filter_map(text::line) {
            if list.len() < MOST && !list.contains(&value) {
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
        people.truncate(MOST);
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
    list.extend(value.filter(|value| list.len() < MOST && !list.contains(value)));
}

#[cfg(test)]
mod tests;
