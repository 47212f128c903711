//! Parser for calibre's `metadata.opf`: the metadata element of an EPUB package, without the
//! package.

use ledge_core::registry::naming::{Credit, Series};
use ledge_core::registry::provider::{Candidate, Details, ExternalId};
use ledge_core::text::markup::xml::{Document, Element, Piece};
use ledge_core::text::markup::{text, xml};
use ledge_core::text::names::people;

use ledge_core::enrich::lenient_json;

use crate::node;

/// Longest text of one element, in bytes.
const MAX_TEXT_BYTES: usize = 100_000;

/// Most credits that are kept.
const MAX_CREDITS: usize = 100;

/// MARC relator codes of the Library of Congress, and the roles they map to. A `dc:creator` without
/// a code is an author.
const ROLES: &[(&str, &str)] = &[
    ("aut", "author"),
    ("nrt", "narrator"),
    ("trl", "translator"),
    ("ill", "illustrator"),
    ("edt", "editor"),
];

/// Schemes of Amazon's identifiers in calibre and Audiobookshelf.
const ASIN_SCHEMES: &[&str] = &["asin", "amazon", "mobi-asin"];

/// Relator codes of the programs and people that made the file rather than the book.
const FILE_MAKERS: &[&str] = &["bkp", "mrk", "own"];

/// Parses the file. Returns `None` if it contains no title.
pub(crate) fn read(bytes: &[u8]) -> Result<Option<Candidate>, String> {
    let text = xml::decode(bytes);
    let mut document = Document::new(&text);
    let mut metadata = PackageMetadata::default();
    let mut is_package = false;
    let to_message = |error: ledge_core::error::ReadError| error.to_string();
    while let Some(piece) = document.piece().map_err(to_message)? {
        if let Piece::Open(element) = piece {
            is_package |= element.is("package") || element.is("metadata");
            metadata
                .read_element(&element, &mut document)
                .map_err(to_message)?;
        }
    }
    if !is_package {
        return Err("it contains no metadata of a book".to_owned());
    }
    Ok(metadata.into_candidate())
}

/// Values collected from the elements read so far.
#[derive(Debug, Default)]
struct PackageMetadata {
    title: Option<String>,
    subtitle: Option<String>,
    credits: Vec<Credit>,
    year: Option<i32>,
    description: Option<String>,
    isbns: Vec<String>,
    asin: Option<String>,
    languages: Vec<String>,
    publishers: Vec<String>,
    subjects: Vec<String>,
    released: Option<String>,
    series: Option<String>,
    index: Option<f64>,
}

impl PackageMetadata {
    fn read_element(
        &mut self,
        element: &Element<'_>,
        document: &mut Document<'_>,
    ) -> Result<(), ledge_core::error::ReadError> {
        let name = element.name().to_ascii_lowercase();
        if name == "meta" {
            self.read_meta(element);
            return Ok(());
        }
        let elements = [
            "title",
            "subtitle",
            "creator",
            "contributor",
            "date",
            "description",
            "identifier",
            "language",
            "publisher",
            "subject",
        ];
        if !elements.contains(&name.as_str()) {
            return Ok(());
        }
        let role = element.attribute("role");
        let scheme = element.attribute("scheme").unwrap_or_default();
        let text_content = document.text(MAX_TEXT_BYTES)?;
        let line = text::line(&text_content);
        match name.as_str() {
            "title" => self.title = self.title.take().or(line),
            "subtitle" => self.subtitle = self.subtitle.take().or(line),
            "creator" => self.add_credit(line, role.as_deref().unwrap_or("aut")),
            "contributor" => self.add_credit(line, role.as_deref().unwrap_or("ctb")),
            // calibre writes the year 101 if the date is unknown; `year_in` ignores it.
            "date" => {
                self.year = self.year.or_else(|| lenient_json::year_in(&text_content));
                self.released = self.released.take().or_else(|| node::date(&text_content));
            }
            "description" => self.description = self.description.take().or(Some(text_content)),
            "identifier" => self.add_identifier(line, &scheme),
            "publisher" => self.publishers.extend(line),
            "subject" => self.subjects.extend(line),
            _ => self
                .languages
                .extend(line.filter(|language| language != "und")),
        }
        Ok(())
    }

    fn read_meta(&mut self, element: &Element<'_>) {
        let Some(content) = element.attribute("content") else {
            return;
        };
        match element.attribute("name").as_deref() {
            Some("calibre:series") => self.series = self.series.take().or(text::line(&content)),
            Some("calibre:series_index") => self.index = self.index.or(text::number(&content)),
            _ => {}
        }
    }

    fn add_credit(&mut self, name: Option<String>, code: &str) {
        let code = code.to_ascii_lowercase();
        let role = ROLES.iter().find(|(known, _)| *known == code);
        let role = role.map_or("contributor", |(_, role)| role);
        let name = name.filter(|_| !FILE_MAKERS.contains(&code.as_str()));
        let unknown = |name: &str| name.eq_ignore_ascii_case("unknown");
        if let Some(name) = name.filter(|name| !unknown(name) && self.credits.len() < MAX_CREDITS) {
            self.credits.push(Credit {
                name: people::direct(&name),
                role: role.to_owned(),
            });
        }
    }

    fn add_identifier(&mut self, value: Option<String>, scheme: &str) {
        let Some(value) = value else {
            return;
        };
        let lower = value.to_ascii_lowercase();
        let named = ["urn:isbn:", "isbn:"]
            .iter()
            .find_map(|name| lower.strip_prefix(name));
        if let Some(isbn) = named {
            self.isbns.push(isbn.to_ascii_uppercase());
        } else if scheme.eq_ignore_ascii_case("isbn") {
            self.isbns.push(value);
        } else if ASIN_SCHEMES
            .iter()
            .any(|known| scheme.eq_ignore_ascii_case(known))
        {
            self.asin = self.asin.take().or(Some(value));
        }
    }

    fn into_candidate(self) -> Option<Candidate> {
        Some(Candidate {
            title: self.title?,
            subtitle: self.subtitle,
            authors: self.credits,
            year: self.year,
            description: self.description.filter(|value| !value.trim().is_empty()),
            isbns: self.isbns,
            languages: self.languages,
            external_ids: self
                .asin
                .map(|id| ExternalId::new("asin", id))
                .into_iter()
                .collect(),
            details: Details {
                released: self.released,
                genres: self.subjects,
                studios: self.publishers,
                ..Details::default()
            },
            series: self.series.map(|name| Series {
                name,
                index: self.index,
            }),
            ..Candidate::default()
        })
    }
}
