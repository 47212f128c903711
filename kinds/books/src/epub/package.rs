//! The package document of an EPUB: what it says, as it says it.
//!
//! EPUB 2 puts roles and the like into attributes, EPUB 3 into `meta` elements that refine others
//! by their ids; many books mix both. Names are taken without namespaces.

use ledge_core::registry::reading::ReadError;

use crate::archive::ReadResult;
use crate::xml::{Document, Element, Piece};

/// Longest text of one element of the metadata, in bytes.
const LONGEST: usize = 256 << 10;
/// Most entries of the metadata.
const MOST_ENTRIES: usize = 10_000;
/// Most items of the manifest and references of the guide.
const MOST_ITEMS: usize = 50_000;

/// What a package document says.
#[derive(Debug, Default, PartialEq)]
pub struct Package {
    /// The elements of Dublin Core in order.
    pub entries: Vec<Entry>,
    /// The `meta` elements in order.
    pub metas: Vec<Meta>,
    /// The files of the book.
    pub items: Vec<Item>,
    /// Number of sections in reading order.
    pub spine: i64,
    /// `ltr` or `rtl`, where it is said.
    pub direction: Option<String>,
    /// The pages with a purpose: type and reference.
    pub guide: Vec<(String, String)>,
}

/// An element of Dublin Core.
#[derive(Debug, Default, PartialEq)]
pub struct Entry {
    /// Its name: `title`, `creator`, ….
    pub name: String,
    /// Its text, untrimmed.
    pub text: String,
    /// What others refine it by.
    pub id: Option<String>,
    /// EPUB 2's role of a person.
    pub role: Option<String>,
    /// EPUB 2's kind of identifier.
    pub scheme: Option<String>,
    /// EPUB 2's kind of date.
    pub event: Option<String>,
}

/// A `meta` element.
#[derive(Debug, Default, PartialEq)]
pub struct Meta {
    /// EPUB 2's name or EPUB 3's property.
    pub name: String,
    /// EPUB 2's `content` or EPUB 3's text.
    pub value: String,
    /// What others refine it by.
    pub id: Option<String>,
    /// The id of what it refines.
    pub refines: Option<String>,
}

/// A file of the book.
#[derive(Debug, Default, PartialEq)]
pub struct Item {
    /// What the rest of the package calls it.
    pub id: String,
    /// Where it lies, as a reference from the package document.
    pub href: String,
    /// Its media type.
    pub media_type: String,
    /// Words about it: `cover-image`, `nav`.
    pub properties: String,
}

/// How much of a package is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// What it says about the book.
    Metadata,
    /// Its files as well.
    Files,
}

impl Package {
    /// Reads a package document. One that is damaged further on than its metadata is read as far
    /// as it goes.
    pub fn read(text: &str, scope: Scope) -> ReadResult<Self> {
        let mut package = Self::default();
        match package.read_from(&mut Document::new(text), scope) {
            Err(ReadError::Damaged(_)) if package.says_anything() => Ok(package),
            Err(error) => Err(error),
            Ok(()) if package == Self::default() => Err(ReadError::Damaged(
                "its package document says nothing".to_owned(),
            )),
            Ok(()) => Ok(package),
        }
    }

    fn says_anything(&self) -> bool {
        self.entries.iter().any(|entry| entry.name == "title")
    }

    fn read_from(&mut self, document: &mut Document<'_>, scope: Scope) -> ReadResult<()> {
        let mut is_metadata = false;
        while let Some(piece) = document.piece()? {
            let Piece::Open(element) = piece else {
                continue;
            };
            match element.name() {
                "metadata" => is_metadata = true,
                "manifest" | "guide" => is_metadata = false,
                // It has metadata of its own, about another book.
                "collection" => document.skip()?,
                "spine" => {
                    is_metadata = false;
                    self.direction = element.attribute("page-progression-direction");
                }
                "itemref" => self.spine += 1,
                "item" if scope == Scope::Files => self.add_item(&element),
                "reference" if scope == Scope::Files => self.add_reference(&element),
                "meta" => self.add_meta(document, &element)?,
                // The older way has a wrapper around each half of the metadata.
                "dc-metadata" | "x-metadata" => {}
                _ if is_metadata => self.add_entry(document, &element)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn add_entry(&mut self, document: &mut Document<'_>, element: &Element<'_>) -> ReadResult<()> {
        const NAMES: &[&str] = &[
            "title",
            "creator",
            "contributor",
            "language",
            "publisher",
            "date",
            "description",
            "identifier",
            "subject",
        ];
        let Some(name) = NAMES.iter().find(|name| element.is(name)) else {
            return Ok(());
        };
        if self.entries.len() == MOST_ENTRIES {
            return document.skip();
        }
        let entry = Entry {
            name: (*name).to_owned(),
            id: element.attribute("id"),
            role: element.attribute("role"),
            scheme: element.attribute("scheme"),
            event: element.attribute("event"),
            text: document.text(LONGEST)?,
        };
        self.entries.push(entry);
        Ok(())
    }

    fn add_meta(&mut self, document: &mut Document<'_>, element: &Element<'_>) -> ReadResult<()> {
        let property = element.attribute("property");
        let name = property.clone().or_else(|| element.attribute("name"));
        let content = element.attribute("content");
        let id = element.attribute("id");
        let refines = element.attribute("refines");
        let text = document.text(LONGEST)?;
        if let Some(name) = name
            && self.metas.len() < MOST_ENTRIES
        {
            let value = content.filter(|_| property.is_none() || text.trim().is_empty());
            self.metas.push(Meta {
                name,
                value: value.unwrap_or(text),
                id,
                refines: refines.map(|id| id.trim_start_matches('#').to_owned()),
            });
        }
        Ok(())
    }

    fn add_item(&mut self, element: &Element<'_>) {
        if let Some(href) = element.attribute("href")
            && self.items.len() < MOST_ITEMS
        {
            self.items.push(Item {
                id: element.attribute("id").unwrap_or_default(),
                href,
                media_type: element.attribute("media-type").unwrap_or_default(),
                properties: element.attribute("properties").unwrap_or_default(),
            });
        }
    }

    fn add_reference(&mut self, element: &Element<'_>) {
        if let Some(href) = element.attribute("href")
            && self.guide.len() < MOST_ITEMS
        {
            let purpose = element.attribute("type").unwrap_or_default();
            self.guide.push((purpose.to_lowercase(), href));
        }
    }

    /// The elements of a name, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Entry> {
        self.entries.iter().filter(move |entry| entry.name == name)
    }

    /// The value of a `meta` that refines nothing.
    pub fn meta(&self, name: &str) -> Option<&str> {
        self.metas
            .iter()
            .find(|meta| meta.refines.is_none() && meta.name.eq_ignore_ascii_case(name))
            .map(|meta| meta.value.trim())
            .filter(|value| !value.is_empty())
    }

    /// The values by which a property refines an element, in order.
    pub fn refinements<'a>(
        &'a self,
        id: Option<&'a str>,
        property: &'a str,
    ) -> impl Iterator<Item = &'a str> {
        self.metas
            .iter()
            .filter(move |meta| meta.says_of(id, property))
            .map(|meta| meta.value.trim())
    }

    /// The first of [`Self::refinements`].
    pub fn refinement(&self, id: Option<&str>, property: &str) -> Option<&str> {
        let first = self.metas.iter().find(|meta| meta.says_of(id, property));
        first.map(|meta| meta.value.trim())
    }
}

impl Meta {
    /// Whether this is such a property of the element with this id.
    fn says_of(&self, id: Option<&str>, property: &str) -> bool {
        id.is_some() && self.refines.as_deref() == id && self.name == property
    }
}
