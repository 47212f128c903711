//! The OpenAPI document: what the handlers say of themselves, and what holds for many of them,
//! said once.

mod access;
mod refusals;
mod schemas;

use ledge_core::registry::Registry;
use serde_json::Value;
use utoipa::OpenApi as _;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::tag::TagBuilder;

pub(crate) use access::Access;

/// What stands around the routes.
#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Ledge",
        description = "A self-hosted media library.\n\n\
            JSON in and out. Timestamps are UTC with microseconds. Facts that are not known are \
            `null` and never left out. Unknown fields of a body are refused; unknown parameters of \
            a query are ignored. A path that is not here answers 404, a method that is not here \
            405 with `Allow`; `HEAD` answers wherever `GET` does. Every answer bears an \
            `X-Request-Id`, by which the server's log can be searched."
    ),
    tags(
        (name = "auth", description = "Sessions, and one's own password"),
        (name = "users", description = "Accounts, for administrators"),
        (name = "libraries", description = "Folders of the server and who may read them"),
        (name = "scans", description = "Bringing the catalogue in line with the folders"),
        (name = "home", description = "The shelves of the first page"),
        (name = "items", description = "What is in the libraries"),
        (name = "progress", description = "Where one is in an item, and where one was"),
        (name = "annotations", description = "Bookmarks and highlights"),
        (name = "enrichment", description = "What metadata providers say of items"),
        (name = "files", description = "The bytes of media files"),
        (name = "playback", description = "Whether a client's engines play a file as it is"),
        (name = "system", description = "The server about itself"),
    )
)]
struct Document;

/// The id of a kind that is linked in.
#[derive(Debug, utoipa::ToSchema)]
#[schema(value_type = String, format = "kind")]
#[expect(dead_code, reason = "it stands in the description only")]
pub(crate) struct KindId(String);

/// The document before any route is in it.
pub(crate) fn empty() -> utoipa::openapi::OpenApi {
    let mut document = Document::openapi();
    access::name_schemes(&mut document);
    document
}

/// The whole document, once every route is in it.
pub(crate) fn complete(mut document: utoipa::openapi::OpenApi, registry: &Registry) -> Value {
    name_wildcards(&mut document);
    for (path, item) in &mut document.paths.paths {
        for (_, operation) in operations(item) {
            refusals::describe(path, operation);
        }
        name_head(item);
    }
    name_kinds(&mut document, registry);
    let mut document = serde_json::to_value(document).expect("an OpenAPI document is JSON");
    refusals::define(&mut document);
    schemas::tidy(&mut document, registry);
    document
}

/// A kind's own routes stand under its id.
fn name_kinds(document: &mut utoipa::openapi::OpenApi, registry: &Registry) {
    let with_routes = registry.kinds().iter().filter(|kind| kind.routes.is_some());
    let tags = document.tags.get_or_insert_default();
    tags.extend(with_routes.map(|kind| {
        let description = format!("What only {} have", kind.label_plural.to_lowercase());
        TagBuilder::new()
            .name(kind.id)
            .description(Some(description))
            .build()
    }));
}

/// A parameter that takes the rest of a path is marked for the router alone.
fn name_wildcards(document: &mut utoipa::openapi::OpenApi) {
    let paths = std::mem::take(&mut document.paths.paths).into_iter();
    let plain = paths.map(|(path, item)| (path.replace("{*", "{"), item));
    document.paths.paths = plain.collect();
}

/// The operations of a path, with their methods.
fn operations(item: &mut PathItem) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    let methods = [
        ("get", &mut item.get),
        ("head", &mut item.head),
        ("post", &mut item.post),
        ("put", &mut item.put),
        ("patch", &mut item.patch),
        ("delete", &mut item.delete),
    ];
    let known = methods.into_iter();
    known.filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

/// A handler of two methods has one name; each operation has one of its own, and `HEAD` answers
/// without a body.
fn name_head(item: &mut PathItem) {
    let Some(head) = &mut item.head else {
        return;
    };
    if let Some(name) = &mut head.operation_id {
        name.push_str("_head");
    }
    for response in head.responses.responses.values_mut() {
        if let utoipa::openapi::RefOr::T(response) = response {
            response.content.clear();
        }
    }
}
