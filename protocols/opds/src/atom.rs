//! Atom feeds in the profile of OPDS.

use std::io;

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use ledge_core::Timestamp;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

/// Kind of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FeedKind {
    /// A list of other feeds.
    Navigation,
    /// A list of publications.
    Acquisition,
}

impl FeedKind {
    /// Returns the media type of a feed.
    pub(crate) fn mime(self) -> &'static str {
        match self {
            Self::Navigation => "application/atom+xml;profile=opds-catalog;kind=navigation",
            Self::Acquisition => "application/atom+xml;profile=opds-catalog;kind=acquisition",
        }
    }
}

/// Media type of a single entry.
pub(crate) const ENTRY: &str = "application/atom+xml;type=entry;profile=opds-catalog";

/// A link with its further attributes.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) rel: &'static str,
    pub(crate) href: String,
    pub(crate) mime: String,
    pub(crate) attributes: Vec<(&'static str, String)>,
}

impl Link {
    pub(crate) fn new(rel: &'static str, href: String, mime: impl Into<String>) -> Self {
        Self {
            rel,
            href,
            mime: mime.into(),
            attributes: Vec::new(),
        }
    }

    /// Adds an attribute.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.attributes.push((name, value.into()));
        self
    }
}

/// An author with the address of the author's feed, if there is one.
#[derive(Debug, Clone)]
pub(crate) struct Author {
    pub(crate) name: String,
    pub(crate) href: Option<String>,
}

/// An entry of a feed.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) updated: Timestamp,
    pub(crate) authors: Vec<Author>,
    /// Further elements with a text: names with prefix, and texts.
    pub(crate) fields: Vec<(&'static str, String)>,
    pub(crate) categories: Vec<String>,
    /// Plain text.
    pub(crate) summary: Option<String>,
    /// Plain text of an entry that leads to another feed.
    pub(crate) content: Option<String>,
    pub(crate) links: Vec<Link>,
}

impl Entry {
    /// Creates an entry without further elements.
    pub(crate) fn new(id: String, title: String, updated: Timestamp) -> Self {
        Self {
            id,
            title,
            updated,
            authors: Vec::new(),
            fields: Vec::new(),
            categories: Vec::new(),
            summary: None,
            content: None,
            links: Vec::new(),
        }
    }
}

/// Position of a page in its list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paging {
    pub(crate) total: u64,
    pub(crate) per_page: u32,
    /// Number of the page, from 1.
    pub(crate) page: u64,
}

/// A feed.
#[derive(Debug, Clone)]
pub(crate) struct Feed {
    pub(crate) kind: FeedKind,
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) updated: Timestamp,
    pub(crate) links: Vec<Link>,
    pub(crate) paging: Option<Paging>,
    pub(crate) entries: Vec<Entry>,
}

/// Prefixes of all elements and attributes. An app fails on an unbound one.
const NAMESPACES: [(&str, &str); 6] = [
    ("xmlns", "http://www.w3.org/2005/Atom"),
    ("xmlns:dcterms", "http://purl.org/dc/terms/"),
    ("xmlns:opds", "http://opds-spec.org/2010/catalog"),
    ("xmlns:opensearch", "http://a9.com/-/spec/opensearch/1.1/"),
    ("xmlns:pse", "http://vaemendis.net/opds-pse/ns"),
    ("xmlns:thr", "http://purl.org/syndication/thread/1.0"),
];

/// Returns the response with a feed.
pub(crate) fn feed(feed: &Feed) -> Response {
    let body = document(|xml| {
        xml.create_element("feed")
            .with_attributes(NAMESPACES)
            .write_inner_content(|xml| write_feed(xml, feed))?;
        Ok(())
    });
    response(feed.kind.mime(), body)
}

/// Returns the response with a single entry.
pub(crate) fn entry(entry: &Entry) -> Response {
    let body = document(|xml| write_entry(xml, entry, &NAMESPACES));
    response(ENTRY, body)
}

/// Returns the response with a document that clients must ask for again.
pub(crate) fn response(mime: &'static str, body: Vec<u8>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(mime)),
        (
            header::CACHE_CONTROL,
            HeaderValue::from_static("private, no-cache"),
        ),
    ];
    (headers, body).into_response()
}

pub(crate) type Xml = Writer<Vec<u8>>;

/// Returns a document with one root element.
pub(crate) fn document(write: impl FnOnce(&mut Xml) -> io::Result<()>) -> Vec<u8> {
    let mut xml = Writer::new(Vec::new());
    let declaration = BytesDecl::new("1.0", Some("UTF-8"), None);
    xml.write_event(Event::Decl(declaration))
        .and_then(|()| write(&mut xml))
        .expect("a vector takes all that is written to it");
    xml.into_inner()
}

/// Writes an element with a text.
pub(crate) fn text(xml: &mut Xml, name: &str, text: &str) -> io::Result<()> {
    let text = legal(text);
    xml.create_element(name)
        .write_text_content(BytesText::new(&text))?;
    Ok(())
}

fn write_feed(xml: &mut Xml, feed: &Feed) -> io::Result<()> {
    text(xml, "id", &feed.id)?;
    text(xml, "title", &feed.title)?;
    text(xml, "updated", &feed.updated.to_string())?;
    xml.create_element("author")
        .write_inner_content(|xml| text(xml, "name", "Ledge"))?;
    if let Some(paging) = feed.paging {
        let first = (paging.page - 1) * u64::from(paging.per_page) + 1;
        text(xml, "opensearch:totalResults", &paging.total.to_string())?;
        text(xml, "opensearch:itemsPerPage", &paging.per_page.to_string())?;
        text(xml, "opensearch:startIndex", &first.to_string())?;
    }
    for link in &feed.links {
        write_link(xml, link)?;
    }
    for entry in &feed.entries {
        write_entry(xml, entry, &[])?;
    }
    Ok(())
}

fn write_entry(xml: &mut Xml, entry: &Entry, attributes: &[(&str, &str)]) -> io::Result<()> {
    xml.create_element("entry")
        .with_attributes(attributes.iter().copied())
        .write_inner_content(|xml| {
            text(xml, "title", &entry.title)?;
            text(xml, "id", &entry.id)?;
            text(xml, "updated", &entry.updated.to_string())?;
            for author in &entry.authors {
                write_author(xml, author)?;
            }
            for (name, value) in &entry.fields {
                text(xml, name, value)?;
            }
            for category in &entry.categories {
                let category = legal(category);
                let category = category.as_str();
                xml.create_element("category")
                    .with_attributes([("term", category), ("label", category)])
                    .write_empty()?;
            }
            for (name, value) in [("summary", &entry.summary), ("content", &entry.content)] {
                if let Some(value) = value {
                    xml.create_element(name)
                        .with_attribute(("type", "text"))
                        .write_text_content(BytesText::new(&legal(value)))?;
                }
            }
            for link in &entry.links {
                write_link(xml, link)?;
            }
            Ok(())
        })?;
    Ok(())
}

fn write_author(xml: &mut Xml, author: &Author) -> io::Result<()> {
    xml.create_element("author").write_inner_content(|xml| {
        text(xml, "name", &author.name)?;
        match &author.href {
            Some(href) => text(xml, "uri", href),
            None => Ok(()),
        }
    })?;
    Ok(())
}

fn write_link(xml: &mut Xml, link: &Link) -> io::Result<()> {
    let attributes = link.attributes.iter();
    let attributes: Vec<_> = attributes
        .map(|(name, value)| (*name, legal(value)))
        .collect();
    let attributes = attributes
        .iter()
        .map(|(name, value)| (*name, value.as_str()));
    xml.create_element("link")
        .with_attributes([
            ("rel", link.rel),
            ("href", link.href.as_str()),
            ("type", link.mime.as_str()),
        ])
        .with_attributes(attributes)
        .write_empty()?;
    Ok(())
}

/// Returns a text without the characters that XML 1.0 forbids.
fn legal(text: &str) -> String {
    let is_legal = |c: &char| {
        matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
            && !matches!(c, '\u{7f}'..='\u{9f}')
    };
    text.chars().filter(is_legal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_texts_stay_texts() {
        let mut entry = Entry::new(
            "urn:x".to_owned(),
            "a]]>\u{0}\u{b}<script>&\u{ffff}".to_owned(),
            Timestamp::from_micros(0),
        );
        entry.links =
            vec![Link::new("self", "/a?b=1&c=\"2\"".to_owned(), "text/x").with("title", "\u{1}<")];
        let xml = document(|xml| write_entry(xml, &entry, &NAMESPACES));
        let xml = String::from_utf8(xml).expect("UTF-8");
        assert!(
            xml.contains("<title>a]]&gt;&lt;script&gt;&amp;</title>"),
            "{xml}"
        );
        assert!(xml.contains("b=1&amp;c=&quot;2&quot;"), "{xml}");
        assert!(xml.contains("title=\"&lt;\""), "{xml}");
        assert!(xml.ends_with("</entry>") && !xml.contains("CDATA"), "{xml}");
    }
}
