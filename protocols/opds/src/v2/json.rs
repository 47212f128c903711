//! JSON feeds in the form of OPDS 2.0.

use axum::response::Response;
use ledge_core::Timestamp;
use serde_json::{Map, Value, json};

use crate::addresses::Addresses;
use crate::atom::{self, Paging};

/// Media type of a feed.
pub(crate) const FEED: &str = "application/opds+json";

/// Media type of a single publication.
pub(crate) const PUBLICATION: &str = "application/opds-publication+json";

/// Object without empty members: the schemas forbid them.
#[derive(Debug, Default)]
pub(crate) struct Object(Map<String, Value>);

impl Object {
    /// Adds a member, unless its value is absent or empty.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        let is_empty = match &value {
            Value::Null => true,
            Value::String(text) => text.trim().is_empty(),
            Value::Array(values) => values.is_empty(),
            Value::Object(members) => members.is_empty(),
            Value::Bool(_) | Value::Number(_) => false,
        };
        if !is_empty {
            self.0.insert(name.to_owned(), value);
        }
        self
    }

    /// Creates a link to another feed.
    fn of_link(rel: &str, href: String) -> Self {
        Self::default()
            .with("rel", rel)
            .with("href", href)
            .with("type", FEED)
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Object(object.0)
    }
}

/// Returns a link to another feed.
pub(crate) fn link(rel: &str, href: String) -> Value {
    Object::of_link(rel, href).into()
}

/// Returns a link of a list of links, which users see by its title, with the number of items of its
/// feed if it is known.
pub(crate) fn entry(rel: &str, href: String, title: &str, items: Option<u64>) -> Value {
    let properties = Object::default().with("numberOfItems", items);
    Object::of_link(rel, href)
        .with("title", title)
        .with("properties", properties)
        .into()
}

/// A feed. Empty lists are left out.
#[derive(Debug)]
pub(crate) struct Feed {
    pub(crate) title: String,
    pub(crate) modified: Timestamp,
    pub(crate) paging: Option<Paging>,
    /// Links to this page and to the other ones.
    pub(crate) links: Vec<Value>,
    pub(crate) navigation: Vec<Value>,
    pub(crate) publications: Vec<Value>,
    pub(crate) facets: Vec<Value>,
    pub(crate) groups: Vec<Value>,
}

impl Feed {
    /// Creates a feed without entries.
    pub(crate) fn new(title: String, modified: Timestamp) -> Self {
        Self {
            title,
            modified,
            paging: None,
            links: Vec::new(),
            navigation: Vec::new(),
            publications: Vec::new(),
            facets: Vec::new(),
            groups: Vec::new(),
        }
    }

    /// Returns the response with the feed.
    pub(crate) fn respond(mut self, addresses: &Addresses) -> Response {
        let root = addresses.root();
        if self.navigation.is_empty() && self.publications.is_empty() && self.groups.is_empty() {
            // A feed must have one of these lists.
            let start = entry("start", root.clone(), "Ledge", None);
            self.navigation.push(start);
        }
        self.links.push(link("start", root));
        let publications = addresses.feed("publications", &[]);
        self.links.push(json!({
            "rel": "search", "href": format!("{publications}{{?query}}"),
            "type": FEED, "templated": true,
        }));
        let paging = self.paging;
        let metadata = Object::default()
            .with("title", self.title)
            .with("modified", self.modified.to_string())
            .with("numberOfItems", paging.map(|paging| paging.total))
            .with("itemsPerPage", paging.map(|paging| paging.per_page))
            .with("currentPage", paging.map(|paging| paging.page));
        let feed = Object::default()
            .with("metadata", metadata)
            .with("links", self.links)
            .with("navigation", self.navigation)
            .with("publications", self.publications)
            .with("facets", self.facets)
            .with("groups", self.groups);
        respond(FEED, &feed.into())
    }
}

/// Returns the response with a document.
pub(crate) fn respond(mime: &'static str, document: &Value) -> Response {
    atom::response(mime, document.to_string().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_members_are_left_out() {
        let object = Object::default()
            .with("null", None::<String>)
            .with("text", " ")
            .with("list", Vec::<Value>::new())
            .with("object", Object::default())
            .with("zero", 0)
            .with("no", false);
        assert_eq!(Value::from(object), json!({ "zero": 0, "no": false }));
    }
}
