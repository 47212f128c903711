//! OpenAPI document: the descriptions of the handlers, and the parts that are common to many of
//! them.

mod access;
mod document;
mod refusals;
mod schemas;

use ledge_core::http::KindRoutes;
use ledge_core::registry::Registry;
use serde_json::Value;
use utoipa::OpenApi as _;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::tag::TagBuilder;

pub(crate) use document::ApiDocument;

pub(crate) use access::Access;

/// Frame of the document around the routes.
#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Ledge",
        description = "A self-hosted media library.\n\n\
            Requests and responses are JSON. Timestamps are UTC with microseconds. Unknown values \
            are `null`; their fields are never omitted. Unknown fields of a body are rejected; \
            unknown parameters of a query are ignored. An unknown path gives 404, an unsupported \
            method 405 with `Allow`. `HEAD` is supported wherever `GET` is. Every response has an \
            `X-Request-Id`, which identifies its lines in the server's log."
    ),
    tags(
        (name = "auth", description = "Sessions, the user's own password, and app passwords"),
        (name = "users", description = "Accounts, for administrators"),
        (name = "libraries", description = "Folders of the server and the access to them"),
        (name = "scans", description = "Updates of the catalogue from the folders"),
        (name = "home", description = "Shelves of the home page"),
        (name = "items", description = "Items of the libraries"),
        (name = "organise", description = "Tags and ratings"),
        (name = "progress", description = "Progress in items, and its history"),
        (name = "annotations", description = "Bookmarks and highlights"),
        (name = "playlists", description = "Playlists, and the saved queue"),
        (name = "collections", description = "Manual and smart collections"),
        (name = "statistics", description = "Sums of the user's own sessions"),
        (name = "enrichment", description = "Metadata from providers"),
        (name = "files", description = "Content of media files"),
        (name = "playback", description = "Check if a client's engines play a file directly"),
        (name = "system", description = "Health, version and metrics of the server"),
    )
)]
struct Document;

/// Id of a registered media kind.
#[derive(Debug, utoipa::ToSchema)]
#[schema(value_type = String, format = "kind")]
#[expect(dead_code, reason = "only the OpenAPI document uses it")]
pub(crate) struct KindId(String);

/// Returns the document without routes.
pub(crate) fn empty() -> utoipa::openapi::OpenApi {
    let mut document = Document::openapi();
    access::name_schemes(&mut document);
    document
}

/// Completes the document after all routes were added.
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

/// Adds a tag for each kind with routes of its own.
fn name_kinds(document: &mut utoipa::openapi::OpenApi, registry: &Registry) {
    let with_routes =
        KindRoutes::of_kinds(registry).filter_map(|routes| registry.kind(routes.kind));
    let tags = document.tags.get_or_insert_default();
    tags.extend(with_routes.map(|kind| {
        let description = format!("Routes for {} only", kind.label_plural.to_lowercase());
        TagBuilder::new()
            .name(kind.id)
            .description(Some(description))
            .build()
    }));
}

/// Removes the router's mark from parameters that take the rest of a path.
fn name_wildcards(document: &mut utoipa::openapi::OpenApi) {
    let paths = std::mem::take(&mut document.paths.paths).into_iter();
    let plain = paths.map(|(path, item)| (path.replace("{*", "{"), item));
    document.paths.paths = plain.collect();
}

/// Returns the operations of a path with their methods.
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

/// Gives the `HEAD` operation of a shared handler an operation id of its own, and responses without
/// a body.
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
