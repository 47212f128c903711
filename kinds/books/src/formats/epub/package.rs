//! The package document of an EPUB, without interpretation.
//!
//! EPUB 2 stores roles and similar properties in attributes. EPUB 3 stores them in `meta` elements
//! that refine other elements by id. Many books mix both. Namespaces are ignored.

use ledge_core::error::ReadError;

use crate::archive::ReadResult;
use crate::xml::{Document, Element, Piece};

/// Longest text of one metadata element, in bytes.
const LONGEST: usize = 256 << 10;
/// Most entries of the metadata.
const MOST_ENTRIES: usize = 10_000;
/// Most items of the manifest and references of the guide.
const MOST_ITEMS: usize = 50_000;

/// Parsed package document.
#[derive(Debug, Default, PartialEq)]
pub struct Package {
    /// Dublin Core elements in document order.
    pub entries: Vec<Entry>,
    /// `meta` elements in document order.
    pub metas: Vec<Meta>,
    /// Files of the manifest.
    pub items: Vec<Item>,
    /// Number of sections in the spine.
    pub spine: i64,
    /// Ids of the files of the sections, in order.
    pub sections: Vec<String>,
    /// Step to the spine, as in a CFI: twice its number among the children of the root. 0 without a
    /// spine.
    pub spine_step: usize,
    /// Page direction, `ltr` or `rtl`, if declared.
    pub direction: Option<String>,
    /// References of the guide: type in lower case, and reference.
    pub guide: Vec<(String, String)>,
}

/// An element of Dublin Core.
#[derive(Debug, Default, PartialEq)]
pub struct Entry {
    /// Element name, such as `title` or `creator`.
    pub name: String,
    /// Text content, untrimmed.
    pub text: String,
    /// Id that refining `meta` elements refer to.
    pub id: Option<String>,
    /// Role code of EPUB 2.
    pub role: Option<String>,
    /// Identifier scheme of EPUB 2.
    pub scheme: Option<String>,
    /// Date event of EPUB 2, such as `publication`.
    pub event: Option<String>,
}

/// A `meta` element.
#[derive(Debug, Default, PartialEq)]
pub struct Meta {
    /// Name (EPUB 2) or property (EPUB 3).
    pub name: String,
    /// Attribute `content` (EPUB 2) or text (EPUB 3).
    pub value: String,
    /// Id that refining `meta` elements refer to.
    pub id: Option<String>,
    /// Id of the refined element, without `#`.
    pub refines: Option<String>,
}

/// File of the manifest.
#[derive(Debug, Default, PartialEq)]
pub struct Item {
    /// Id within the package.
    pub id: String,
    /// Path, relative to the package document.
    pub href: String,
    /// Declared media type.
    pub media_type: String,
    /// Space-separated properties such as `cover-image` or `nav`.
    pub properties: String,
}

/// Part of a package document that the caller needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Metadata and spine.
    Metadata,
    /// Metadata and spine, manifest and guide.
    Files,
}

impl Package {
    /// Parses a package document. If the document is damaged after its title, returns the values
    /// before the damage.
    pub fn read(text: &str, scope: Scope) -> ReadResult<Self> {
        let mut package = Self::default();
        match package.read_from(&mut Document::new(text), scope) {
            Err(ReadError::Damaged(_)) if package.has_title() => Ok(package),
            Err(error) => Err(error),
            Ok(()) if package == Self::default() => Err(ReadError::Damaged(
                "its package document is empty".to_owned(),
            )),
            Ok(()) => Ok(package),
        }
    }

    fn has_title(&self) -> bool {
        self.entries.iter().any(|entry| entry.name == "title")
    }

    fn read_from(&mut self, document: &mut Document<'_>, scope: Scope) -> ReadResult<()> {
        let mut is_metadata = false;
        let mut children = 0;
        while let Some(piece) = document.piece()? {
            let Piece::Open(element) = piece else {
                continue;
            };
            if document.depth() == 2 {
                children += 1;
            }
            match element.name() {
                "metadata" => is_metadata = true,
                "manifest" | "guide" => is_metadata = false,
                // A `collection` contains its own metadata about another publication.
                "collection" => document.skip()?,
                "spine" => {
                    is_metadata = false;
                    self.spine_step = 2 * children;
                    self.direction = element.attribute("page-progression-direction");
                }
                "itemref" => self.add_section(&element, scope),
                "item" if scope == Scope::Files => self.add_item(&element),
                "reference" if scope == Scope::Files => self.add_reference(&element),
                "meta" => self.add_meta(document, &element)?,
                // Older packages wrap each half of the metadata in one of these elements.
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

    fn add_section(&mut self, element: &Element<'_>, scope: Scope) {
        self.spine += 1;
        if scope == Scope::Files && self.sections.len() < MOST_ITEMS {
            let id = element.attribute("idref").unwrap_or_default();
            self.sections.push(id);
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

    /// Returns the elements with this name, in document order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Entry> {
        self.entries.iter().filter(move |entry| entry.name == name)
    }

    /// Returns the value of a `meta` that refines no other element.
    pub fn meta(&self, name: &str) -> Option<&str> {
        self.metas
            .iter()
            .find(|meta| meta.refines.is_none() && meta.name.eq_ignore_ascii_case(name))
            .map(|meta| meta.value.trim())
            .filter(|value| !value.is_empty())
    }

    /// Returns the values of a property that refines an element, in document order.
    pub fn refinements<'a>(
        &'a self,
        id: Option<&'a str>,
        property: &'a str,
    ) -> impl Iterator<Item = &'a str> {
        self.metas
            .iter()
            .filter(move |meta| meta.refines_element(id, property))
            .map(|meta| meta.value.trim())
    }

    /// Returns the first of [`Self::refinements`].
    pub fn refinement(&self, id: Option<&str>, property: &str) -> Option<&str> {
        let first = self
            .metas
            .iter()
            .find(|meta| meta.refines_element(id, property));
        first.map(|meta| meta.value.trim())
    }
}

impl Meta {
    /// Returns true if this is the given property of the element with this id.
    fn refines_element(&self, id: Option<&str>, property: &str) -> bool {
        id.is_some() && self.refines.as_deref() == id && self.name == property
    }
}
