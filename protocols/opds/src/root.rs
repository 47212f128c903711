//! The root of the catalogue.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
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
use crate::{names, search, v2};

/// A shelf of the root: title, description, feed and its criteria.
pub(crate) type Shelf = (
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

/// Returns the shelves of a user with this number of libraries.
pub(crate) fn shelves(libraries: usize) -> impl Iterator<Item = &'static Shelf> {
    let shelves = SHELVES.iter();
    shelves.filter(move |(_, _, feed, _)| *feed != "libraries" || libraries > 1)
}

/// Returns the parameters of the feed of a shelf.
pub(crate) fn query((_, _, _, query): &Shelf) -> Vec<(&'static str, String)> {
    let query = query.iter();
    query
        .map(|(name, value)| (*name, (*value).to_owned()))
        .collect()
}

/// Returns the root feed: as JSON for an app that accepts no other form.
pub(crate) async fn root(
    visible: Visible,
    State(app): State<App>,
    origin: Origin,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let root = if accepts_only_json(&headers) {
        v2::root::root(visible, State(app), origin).await
    } else {
        atom(visible, State(app), origin).await
    };
    let mut root = root?;
    root.headers_mut()
        .append(header::VARY, HeaderValue::from_static("accept"));
    Ok(root)
}

/// Returns `true` if an app accepts the JSON feeds and names no other form. Some apps prefer JSON
/// and have no page streaming in it, so that a preference is not enough.
fn accepts_only_json(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(header::ACCEPT).iter();
    let lines: Vec<&str> = lines.filter_map(|line| line.to_str().ok()).collect();
    let accepted = lines.join(",").to_ascii_lowercase();
    accepted.contains(v2::json::FEED) && !accepted.contains("atom") && !accepted.contains("*/*")
}

/// Returns the root feed as Atom.
pub(crate) async fn atom(
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
    let entries = shelves(libraries).map(|shelf| {
        let (title, content, feed, _) = shelf;
        let mut entry = Entry::new(id(&format!("shelf/{title}")), (*title).to_owned(), now);
        entry.content = Some((*content).to_owned());
        let kind = if *feed == "publications" {
            FeedKind::Acquisition
        } else {
            FeedKind::Navigation
        };
        let href = addresses.feed(feed, &query(shelf));
        entry.links.push(Link::new(rel(title), href, kind.mime()));
        entry
    });
    let mut links = links(&addresses);
    let here = addresses.root();
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
pub(crate) fn rel(title: &str) -> &'static str {
    match title {
        "New" => "http://opds-spec.org/sort/new",
        "Favourites" | "Continue" => "http://opds-spec.org/shelf",
        _ => "subsection",
    }
}

/// Returns the links of every feed.
pub(crate) fn links(addresses: &Addresses) -> Vec<Link> {
    let root = addresses.root();
    vec![
        Link::new("start", root.clone(), FeedKind::Navigation.mime()),
        Link::new("up", root, FeedKind::Navigation.mime()),
        Link::new("search", search::address(addresses), search::MIME),
    ]
}
