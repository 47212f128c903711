//! The root of the JSON feeds.

use axum::extract::State;
use axum::response::Response;
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::http::ApiResult;
use ledge_core::http::protocol::{Origin, Params};
use ledge_core::paging::Window;
use ledge_core::store::catalogue::instance;
use ledge_core::store::item::ItemDetail;
use serde_json::{Value, json};
use uuid::Uuid;

use super::json::{self, Feed};
use crate::addresses::Addresses;
use crate::publication::Publisher;
use crate::publications::Reader;
use crate::query::ShelfQuery;
use crate::root::{self, Shelf};

/// Titles of the shelves whose first publications the root contains.
const GROUPS: [&str; 2] = ["Continue", "New"];

/// Feed of the shelves that contain publications.
const PUBLICATIONS: &str = "publications";

/// First publications of a shelf.
const FIRST: Window = Window {
    offset: 0,
    limit: 12,
};

/// A shelf with the number of its publications, and the first ones if the root contains them.
struct Counted {
    shelf: &'static Shelf,
    items: Vec<ItemDetail>,
    total: u64,
}

/// Returns the root feed.
pub(crate) async fn root(
    visible: Visible,
    State(app): State<App>,
    origin: Origin,
) -> ApiResult<Response> {
    let mut readers = Vec::new();
    for shelf in root::shelves(0).filter(|(_, _, feed, _)| *feed == PUBLICATIONS) {
        let pairs = root::query(shelf).into_iter();
        let pairs = pairs.map(|(name, value)| (name.to_owned(), value));
        let reader = Reader {
            app: app.clone(),
            visible,
            query: ShelfQuery::read(&Params::new(pairs.collect()))?,
        };
        readers.push((shelf, reader));
    }
    let read = app.db.read_with_index(move |conn, view| {
        let mut counted = Vec::new();
        for (shelf, reader) in readers {
            let (items, total) = if GROUPS.contains(&shelf.0) {
                reader.items(conn, view, FIRST)?
            } else {
                (Vec::new(), reader.count(conn, view, &reader.query)?)
            };
            counted.push(Counted {
                shelf,
                items,
                total,
            });
        }
        let libraries = crate::names::libraries_with_publications(conn, visible)?;
        Ok((instance::uuid(conn)?, libraries.len(), counted))
    });
    let (instance, libraries, counted) = read.await?;
    let addresses = Addresses::v2(origin);
    let publisher = Publisher {
        app: &app,
        addresses: &addresses,
        instance: Uuid::from_bytes(instance),
    };
    let mut feed = Feed::new("Ledge".to_owned(), app.clock.now());
    feed.links = vec![json::link("self", addresses.root())];
    let entry = |shelf: &'static Shelf| {
        let mut counted = counted.iter();
        let counted = counted.find(|counted| counted.shelf.0 == shelf.0);
        let (rel, href) = (root::rel(shelf.0), address(&addresses, shelf));
        json::entry(rel, href, shelf.0, counted.map(|counted| counted.total))
    };
    feed.navigation = root::shelves(libraries).map(entry).collect();
    let groups = counted.iter().filter(|group| !group.items.is_empty());
    feed.groups = groups.map(|group| group.to_group(&publisher)).collect();
    Ok(feed.respond(&addresses))
}

fn address(addresses: &Addresses, shelf: &Shelf) -> String {
    addresses.feed(shelf.2, &root::query(shelf))
}

impl Counted {
    fn to_group(&self, publisher: &Publisher<'_>) -> Value {
        let items = self.items.iter();
        let publications: Vec<Value> = items.map(|item| publisher.publication(item)).collect();
        json!({
            "metadata": { "title": self.shelf.0, "numberOfItems": self.total },
            // Apps take the first link of a group as the address of its feed.
            "links": [json::link("self", address(publisher.addresses, self.shelf))],
            "publications": publications,
        })
    }
}
