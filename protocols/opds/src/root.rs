//! The root of the catalogue.

use axum::extract::State;
use axum::response::Response;
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::http::ApiResult;
use ledge_core::http::protocol::Origin;
use ledge_core::store::catalogue::instance;
use uuid::Uuid;

use crate::addresses::Addresses;
use crate::atom::{self, Entry, Feed, FeedKind, Link};
use crate::query::RECENT;
use crate::{names, search};

/// A shelf of the root: title, description, feed and its criteria.
type Shelf = (
    &'static str,
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

const SHELVES: [Shelf; 9] = [
    (
        "Continue",
        "Started publications, the last one first",
        "publications",
        &[("state", "started"), ("sort", RECENT)],
    ),
    (
        "New",
        "The newest publications first",
        "publications",
        &[("sort", "new")],
    ),
    (
        "Favourites",
        "Your favourites",
        "publications",
        &[("favourite", "true")],
    ),
    (
        "Unstarted",
        "Publications that you have not started",
        "publications",
        &[("state", "unstarted")],
    ),
    ("All", "All publications by title", "publications", &[]),
    ("Authors", "Publications by author", "authors", &[]),
    ("Series", "Publications by series", "series", &[]),
    ("Subjects", "Publications by subject", "subjects", &[]),
    ("Libraries", "Publications by library", "libraries", &[]),
];

/// Returns the root feed.
pub(crate) async fn root(
    visible: Visible,
    State(app): State<App>,
    origin: Origin,
) -> ApiResult<Response> {
    let read = app.db.read(move |conn| {
        let libraries = names::libraries_with_publications(conn, visible)?;
        Ok((instance::uuid(conn)?, libraries.len()))
    });
    let (instance, libraries) = read.await?;
    let instance = Uuid::from_bytes(instance);
    let addresses = Addresses::new(origin);
    let now = app.clock.now();
    let id = |name: &str| Uuid::new_v5(&instance, name.as_bytes()).urn().to_string();
    let shelves = SHELVES.iter();
    let shelves = shelves.filter(|(_, _, feed, _)| *feed != "libraries" || libraries > 1);
    let entries = shelves.map(|(title, content, feed, query)| {
        let mut entry = Entry::new(id(&format!("shelf/{title}")), (*title).to_owned(), now);
        entry.content = Some((*content).to_owned());
        let kind = if *feed == "publications" {
            FeedKind::Acquisition
        } else {
            FeedKind::Navigation
        };
        let query: Vec<_> = query
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()))
            .collect();
        let href = addresses.feed(feed, &query);
        entry.links.push(Link::new(rel(title), href, kind.mime()));
        entry
    });
    let mut links = links(&addresses);
    let here = addresses.of("/opds");
    links.push(Link::new("self", here, FeedKind::Navigation.mime()));
    Ok(atom::feed(&Feed {
        kind: FeedKind::Navigation,
        id: id("root"),
        title: "Ledge".to_owned(),
        updated: now,
        links,
        paging: None,
        entries: entries.collect(),
    }))
}

/// Returns the relation of a shelf, as the specification names common ones.
fn rel(title: &str) -> &'static str {
    match title {
        "New" => "http://opds-spec.org/sort/new",
        "Favourites" | "Continue" => "http://opds-spec.org/shelf",
        _ => "subsection",
    }
}

/// Returns the links of every feed.
pub(crate) fn links(addresses: &Addresses) -> Vec<Link> {
    let root = addresses.of("/opds");
    vec![
        Link::new("start", root.clone(), FeedKind::Navigation.mime()),
        Link::new("up", root, FeedKind::Navigation.mime()),
        Link::new("search", search::address(addresses), search::MIME),
    ]
}
