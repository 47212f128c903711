//! JSON feeds of publications, and single publications.

use axum::extract::State;
use axum::response::Response;
use ledge_core::App;
use ledge_core::access::{Visible, VisibleItem};
use ledge_core::http::ApiResult;
use ledge_core::http::protocol::{Origin, Params};
use serde_json::{Value, json};
use uuid::Uuid;

use super::json::{self, Feed, Object};
use crate::addresses::Addresses;
use crate::publication::Publisher;
use crate::publications::{self, Facet, Listed};

/// Returns a page of publications.
pub(crate) async fn list(
    visible: Visible,
    State(app): State<App>,
    origin: Origin,
    params: Params,
) -> ApiResult<Response> {
    let Listed {
        query,
        paging,
        shelf,
    } = publications::read(&app, visible, &params).await?;
    let addresses = Addresses::v2(origin);
    let publisher = Publisher {
        app: &app,
        addresses: &addresses,
        instance: Uuid::from_bytes(shelf.instance),
    };
    let pairs = query.pairs();
    let pages = publications::pages(paging);
    let items = shelf.items.iter();
    let mut feed = Feed::new(shelf.title, app.clock.now());
    feed.paging = Some(paging);
    feed.links = pages
        .map(|(rel, page)| json::link(rel, addresses.page("publications", &pairs, page)))
        .collect();
    feed.publications = items.map(|item| publisher.publication(item)).collect();
    feed.facets = facets(&addresses, &shelf.facets);
    Ok(feed.respond(&addresses))
}

/// Returns the facets by their groups.
fn facets(addresses: &Addresses, facets: &[Facet]) -> Vec<Value> {
    let groups = facets.chunk_by(|one, next| one.group == next.group);
    let group = |facets: &[Facet]| {
        let title = facets.first().map_or("", |facet| facet.group);
        let links = facets.iter().map(|facet| facet_link(addresses, facet));
        json!({ "metadata": { "title": title }, "links": links.collect::<Vec<Value>>() })
    };
    groups.map(group).collect()
}

fn facet_link(addresses: &Addresses, facet: &Facet) -> Value {
    let properties = Object::default().with("numberOfItems", facet.count);
    let link = Object::default()
        .with("rel", facet.is_active.then_some("self"))
        .with("href", addresses.feed("publications", &facet.query.pairs()))
        .with("type", json::FEED)
        .with("title", facet.title.as_str())
        .with("properties", properties);
    link.into()
}

/// Returns a publication.
pub(crate) async fn one(
    item: VisibleItem,
    visible: Visible,
    State(app): State<App>,
    origin: Origin,
) -> ApiResult<Response> {
    let (instance, detail) = publications::detail(&app, visible, item).await?;
    let publisher = Publisher {
        app: &app,
        addresses: &Addresses::v2(origin),
        instance,
    };
    let publication = publisher.publication(&detail);
    Ok(json::respond(json::PUBLICATION, &publication))
}
