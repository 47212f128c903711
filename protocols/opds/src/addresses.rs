//! Addresses of feeds, files and pictures.

use ledge_core::http::protocol::Origin;
use ledge_core::id::{FileId, ItemId};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::progression::{FORM, Form};

/// Paths of one version of the catalogue.
#[derive(Debug)]
struct Version {
    root: &'static str,
    /// Beginning of the paths of the feeds.
    catalogue: &'static str,
    /// Beginning of the paths of single publications.
    items: &'static str,
}

const ATOM: Version = Version {
    root: "/opds",
    catalogue: "/opds/v1.2",
    items: "/opds/items",
};

const JSON: Version = Version {
    root: "/opds/v2",
    catalogue: "/opds/v2",
    items: "/opds/v2/items",
};

/// Characters of a file name that stay as they are.
const NAME: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Returns the path of a section inside a file as a relative reference.
pub(crate) fn path_of_section(path: &str) -> String {
    let parts = path.split('/');
    let parts: Vec<String> = parts
        .map(|part| utf8_percent_encode(part, NAME).to_string())
        .collect();
    parts.join("/")
}

/// Builder of addresses: absolute ones, or paths if the origin is unknown.
#[derive(Debug, Clone)]
pub(crate) struct Addresses {
    origin: Origin,
    version: &'static Version,
}

impl Addresses {
    /// Creates the builder of addresses of the Atom feeds.
    pub(crate) fn new(origin: Origin) -> Self {
        Self {
            origin,
            version: &ATOM,
        }
    }

    /// Creates the builder of addresses of the JSON feeds.
    pub(crate) fn v2(origin: Origin) -> Self {
        Self {
            origin,
            version: &JSON,
        }
    }

    /// Returns the address of a path.
    pub(crate) fn of(&self, path: &str) -> String {
        format!("{}{path}", self.origin.0)
    }

    /// Returns the address of the root.
    pub(crate) fn root(&self) -> String {
        self.of(self.version.root)
    }

    /// Returns the address of a feed with these parameters.
    pub(crate) fn feed(&self, feed: &str, query: &[(&str, String)]) -> String {
        let mut encoded = form_urlencoded::Serializer::new(String::new());
        encoded.extend_pairs(query);
        let query = encoded.finish();
        let separator = if query.is_empty() { "" } else { "?" };
        let catalogue = self.version.catalogue;
        self.of(&format!("{catalogue}/{feed}{separator}{query}"))
    }

    /// Returns the address of a page of a feed.
    pub(crate) fn page(&self, feed: &str, query: &[(&'static str, String)], page: u64) -> String {
        let mut query = query.to_vec();
        if page > 1 {
            query.push(("page", page.to_string()));
        }
        self.feed(feed, &query)
    }

    /// Returns the address of a complete entry.
    pub(crate) fn item(&self, item: ItemId) -> String {
        let items = self.version.items;
        self.of(&format!("{items}/{item}"))
    }

    /// Returns the address of a cover. The version in it lets an app keep the picture.
    pub(crate) fn cover(&self, item: ItemId, size: &str, version: &str) -> String {
        self.of(&format!(
            "/opds/items/{item}/cover.jpg?size={size}&v={version}"
        ))
    }

    /// Returns the address of a file, which ends in its name: some apps read the type from it.
    pub(crate) fn file(&self, file: FileId, name: &str) -> String {
        let name: String = name
            .chars()
            .map(|c| match c {
                ';' | '\\' | '/' => '_',
                c if c.is_control() => '_',
                c => c,
            })
            .collect();
        let name = utf8_percent_encode(&name, NAME);
        self.of(&format!("/opds/files/{file}/{name}"))
    }

    /// Returns the address of the progress of a file.
    pub(crate) fn progression(&self, item: ItemId, file: FileId, form: Form) -> String {
        let form = match form {
            Form::Progression => String::new(),
            Form::Readium => format!("&{}={}", FORM.0, FORM.1),
        };
        self.of(&format!("/opds/items/{item}/progression?file={file}{form}"))
    }

    /// Returns the template of the addresses of pages.
    pub(crate) fn pages(&self, file: FileId) -> String {
        self.of(&format!(
            "/opds/files/{file}/pages/{{pageNumber}}?width={{maxWidth}}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_contain_names_and_queries_encoded() {
        let known = Addresses::new(Origin("https://books.example".to_owned()));
        let unknown = Addresses::new(Origin(String::new()));
        assert_eq!(
            known.file(FileId(7), "a/b; \"ç\" 100%?.epub"),
            "https://books.example/opds/files/7/a_b_%20%22%C3%A7%22%20100%25%3F.epub"
        );
        assert_eq!(
            unknown.feed("publications", &[("q", "a b&c".to_owned())]),
            "/opds/v1.2/publications?q=a+b%26c"
        );
        assert_eq!(unknown.feed("authors", &[]), "/opds/v1.2/authors");
        let letter = [("letter", "a".to_owned())];
        assert_eq!(
            unknown.page("authors", &letter, 2),
            "/opds/v1.2/authors?letter=a&page=2"
        );
        assert_eq!(unknown.page("authors", &[], 1), "/opds/v1.2/authors");
        let json = Addresses::v2(Origin(String::new()));
        assert_eq!(json.page("authors", &[], 2), "/opds/v2/authors?page=2");
        assert_eq!(json.item(ItemId(7)), "/opds/v2/items/7");
        assert_eq!(json.root(), "/opds/v2");
        assert_eq!(
            unknown.pages(FileId(7)),
            "/opds/files/7/pages/{pageNumber}?width={maxWidth}"
        );
    }
}
