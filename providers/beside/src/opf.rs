//! calibre's `metadata.opf`: the metadata of a package, without the package.

use ledge_core::markup::text;
use ledge_core::markup::xml::{self, Document, Element, Piece};
use ledge_core::names::people;
use ledge_core::registry::naming::{Credit, Series};
use ledge_core::registry::provider::Candidate;

use ledge_core::enrich::loose;

/// Longest text of one element, in bytes.
const LONGEST: usize = 100_000;

/// Most people that are kept.
const MOST: usize = 100;

/// Roles by their codes at the Library of Congress; who has none wrote it.
const ROLES: &[(&str, &str)] = &[
    ("aut", "author"),
    ("nrt", "narrator"),
    ("trl", "translator"),
    ("ill", "illustrator"),
    ("edt", "editor"),
];

/// Codes of the programs and people who made the file.
const MAKERS: &[&str] = &["bkp", "mrk", "own"];

/// Reads the file; `None` where it tells no title.
pub(crate) fn read(bytes: &[u8]) -> Result<Option<Candidate>, String> {
    let text = xml::decode(bytes);
    let mut document = Document::new(&text);
    let mut found = Found::default();
    let mut is_package = false;
    let broken = |error: ledge_core::registry::reading::ReadError| error.to_string();
    while let Some(piece) = document.piece().map_err(broken)? {
        if let Piece::Open(element) = piece {
            is_package |= element.is("package") || element.is("metadata");
            found.take(&element, &mut document).map_err(broken)?;
        }
    }
    if !is_package {
        return Err("it holds no metadata of a book".to_owned());
    }
    Ok(found.candidate())
}

/// What the elements told so far.
#[derive(Debug, Default)]
struct Found {
    title: Option<String>,
    subtitle: Option<String>,
    credits: Vec<Credit>,
    year: Option<i32>,
    description: Option<String>,
    isbns: Vec<String>,
    languages: Vec<String>,
    series: Option<String>,
    index: Option<f64>,
}

impl Found {
    fn take(
        &mut self,
        element: &Element<'_>,
        document: &mut Document<'_>,
    ) -> Result<(), ledge_core::registry::reading::ReadError> {
        let name = element.name().to_ascii_lowercase();
        if name == "meta" {
            self.meta(element);
            return Ok(());
        }
        let known = [
            "title",
            "subtitle",
            "creator",
            "contributor",
            "date",
            "description",
            "identifier",
            "language",
        ];
        if !known.contains(&name.as_str()) {
            return Ok(());
        }
        let role = element.attribute("role");
        let scheme = element.attribute("scheme").unwrap_or_default();
        let said = document.text(LONGEST)?;
        let line = text::line(&said);
        match name.as_str() {
            "title" => self.title = self.title.take().or(line),
            "subtitle" => self.subtitle = self.subtitle.take().or(line),
            "creator" => self.credit(line, role.as_deref().unwrap_or("aut")),
            "contributor" => self.credit(line, role.as_deref().unwrap_or("ctb")),
            // calibre writes the year 101 where it knows none.
            "date" => self.year = self.year.or_else(|| loose::year_in(&said)),
            "description" => self.description = self.description.take().or(Some(said)),
            "identifier" => self.identifier(line, &scheme),
            _ => self
                .languages
                .extend(line.filter(|language| language != "und")),
        }
        Ok(())
    }

    fn meta(&mut self, element: &Element<'_>) {
        let Some(content) = element.attribute("content") else {
            return;
        };
        match element.attribute("name").as_deref() {
            Some("calibre:series") => self.series = self.series.take().or(text::line(&content)),
            Some("calibre:series_index") => self.index = self.index.or(text::number(&content)),
            _ => {}
        }
    }

    fn credit(&mut self, name: Option<String>, code: &str) {
        let code = code.to_ascii_lowercase();
        let role = ROLES.iter().find(|(known, _)| *known == code);
        let role = role.map_or("contributor", |(_, role)| role);
        let name = name.filter(|_| !MAKERS.contains(&code.as_str()));
        let unknown = |name: &str| name.eq_ignore_ascii_case("unknown");
        if let Some(name) = name.filter(|name| !unknown(name) && self.credits.len() < MOST) {
            self.credits.push(Credit {
                name: people::direct(&name),
                role: role.to_owned(),
            });
        }
    }

    fn identifier(&mut self, said: Option<String>, scheme: &str) {
        let Some(said) = said else { return };
        let lower = said.to_ascii_lowercase();
        let named = ["urn:isbn:", "isbn:"]
            .iter()
            .find_map(|name| lower.strip_prefix(name));
        if let Some(isbn) = named {
            self.isbns.push(isbn.to_ascii_uppercase());
        } else if scheme.eq_ignore_ascii_case("isbn") {
            self.isbns.push(said);
        }
    }

    fn candidate(self) -> Option<Candidate> {
        Some(Candidate {
            title: self.title?,
            subtitle: self.subtitle,
            authors: self.credits,
            year: self.year,
            description: self.description.filter(|said| !said.trim().is_empty()),
            isbns: self.isbns,
            languages: self.languages,
            series: self.series.map(|name| Series {
                name,
                index: self.index,
            }),
            ..Candidate::default()
        })
    }
}
