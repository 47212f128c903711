//! Collections: lists, single ones, their changes, and previews of rules.

pub(crate) mod items;
mod request;

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::db::item_index::IndexSnapshot;
use ledge_core::http::{ApiJson, ApiQuery, ApiResult, ErrorBody, PageQuery, Versioned};
use ledge_core::paging::Page;
use ledge_core::registry::Registry;
use ledge_core::store::item::ItemCard;
use ledge_core::store::user_data::lists::collection::{
    self, Collection, Collections, OwnCollection, ReadableCollection, Reader,
};
use ledge_core::store::user_data::lists::user_list::{self, overview};
use ledge_core::time::Timestamp;
use ledge_core::version::ExpectedVersion;

use request::{CreateCollection, PreviewRule, UpdateCollection};

use super::lists::ListsQuery;
use super::lists::access::{Own, Readable, no_list};
use super::lists::cover::{MosaicQuery, mosaic_of};
use crate::http::routes::media::playback::EnginesQuery;

/// Values of a reader that outlive the request's task.
struct OwnedReader {
    registry: Arc<Registry>,
    visible: Visible,
    now: Timestamp,
}

impl OwnedReader {
    fn of(app: &App, visible: Visible) -> Self {
        Self {
            registry: app.registry.clone(),
            visible,
            now: app.clock.now(),
        }
    }

    fn reader<'a>(&'a self, conn: &'a rusqlite::Connection, view: &'a IndexSnapshot) -> Reader<'a> {
        Reader {
            conn,
            registry: &self.registry,
            view,
            visible: self.visible,
            now: self.now,
        }
    }
}

/// Reads a collection with its version, or 404 if it has been deleted in the meantime.
async fn read(app: &App, list: ReadableCollection) -> ApiResult<Versioned<Collection>> {
    let reading = OwnedReader::of(app, list.visible());
    let found = app
        .db
        .read_with_index(move |conn, view| collection::get(&reading.reader(conn, view), list))
        .await?;
    let body = found.ok_or_else(no_list::<Collections>)?;
    Ok(Versioned {
        version: body.version,
        body,
    })
}

/// Reads a collection after a change.
async fn read_again(
    app: &App,
    list: OwnCollection,
    exists: bool,
) -> ApiResult<Versioned<Collection>> {
    if !exists {
        return Err(no_list::<Collections>());
    }
    read(app, list.readable()).await
}

/// Lists the user's collections and the public ones.
#[utoipa::path(
    get, path = "/collections", tag = "collections",
    params(ListsQuery, PageQuery),
    responses(
        (status = 200, description = "The collections", body = Page<Collection>),
    ),
)]
pub(crate) async fn list_collections(
    visible: Visible,
    State(app): State<App>,
    ApiQuery(query): ApiQuery<ListsQuery>,
    ApiQuery(page): ApiQuery<PageQuery>,
) -> ApiResult<ApiJson<Page<Collection>>> {
    let (filter, window) = (query.filter(), page.window()?);
    let page = app
        .db
        .read(move |conn| overview::page::<Collections>(conn, visible, &filter, window))
        .await?;
    Ok(ApiJson(page))
}

/// Creates a collection.
#[utoipa::path(
    post, path = "/collections", tag = "collections",
    request_body = CreateCollection,
    responses(
        (status = 201, description = "Created", body = Collection),
        (status = 409, description = "The user has too many collections", body = ErrorBody),
    ),
)]
pub(crate) async fn create_collection(
    visible: Visible,
    State(app): State<App>,
    ApiJson(body): ApiJson<CreateCollection>,
) -> ApiResult<(StatusCode, Versioned<Collection>)> {
    let (new, content) = body.check(&app.registry)?;
    let now = app.clock.now();
    let created = app
        .db
        .write(move |tx| collection::create(tx, visible, &new, &content, now))
        .await?;
    Ok((StatusCode::CREATED, read(&app, created).await?))
}

/// Returns the items that a rule selects. The server stores nothing.
#[utoipa::path(
    post, path = "/collections/preview", tag = "collections",
    params(EnginesQuery, PageQuery),
    request_body = PreviewRule,
    responses(
        (status = 200, description = "The items", body = Page<ItemCard>),
    ),
)]
pub(crate) async fn preview_collection(
    visible: Visible,
    State(app): State<App>,
    ApiQuery(engines): ApiQuery<EnginesQuery>,
    ApiQuery(page): ApiQuery<PageQuery>,
    ApiJson(body): ApiJson<PreviewRule>,
) -> ApiResult<ApiJson<Page<ItemCard>>> {
    let (rule, window) = (body.check(&app.registry)?, page.window()?);
    let offer = engines.offer(&app.registry)?;
    let reading = OwnedReader::of(&app, visible);
    let page = app
        .db
        .read_with_index(move |conn, view| {
            let reader = reading.reader(conn, view);
            collection::preview(&reader, &rule, offer.as_ref(), window)
        })
        .await?;
    Ok(ApiJson(page))
}

/// Returns a collection.
#[utoipa::path(
    get, path = "/collections/{id}", tag = "collections",
    params(
        ("id" = i64, Path, description = "The collection's id"),
        ("If-Match" = Option<String>, Header, description = "Expected version"),
    ),
    responses(
        (status = 200, description = "The collection", body = Collection),
        (status = 412, description = "The collection has another version", body = ErrorBody),
    ),
)]
pub(crate) async fn get_collection(
    Readable(list): Readable<Collections>,
    State(app): State<App>,
    expected: ExpectedVersion,
) -> ApiResult<Versioned<Collection>> {
    let found = read(&app, list).await?;
    expected.check(found.version)?;
    Ok(found)
}

/// Changes a collection of the user.
#[utoipa::path(
    patch, path = "/collections/{id}", tag = "collections",
    params(
        ("id" = i64, Path, description = "The collection's id"),
        ("If-Match" = Option<String>, Header, description = "Expected version"),
    ),
    request_body = UpdateCollection,
    responses(
        (status = 200, description = "Changed", body = Collection),
        (status = 412, description = "The collection has another version", body = ErrorBody),
    ),
)]
pub(crate) async fn update_collection(
    Own(list): Own<Collections>,
    State(app): State<App>,
    expected: ExpectedVersion,
    ApiJson(body): ApiJson<UpdateCollection>,
) -> ApiResult<Versioned<Collection>> {
    let ((patch, rule), now) = (body.check(&app.registry)?, app.clock.now());
    let exists = app
        .db
        .write(move |tx| collection::update(tx, list, &patch, rule.as_ref(), &expected, now))
        .await?;
    read_again(&app, list, exists).await
}

/// Deletes a collection of the user. The items stay.
#[utoipa::path(
    delete, path = "/collections/{id}", tag = "collections",
    params(
        ("id" = i64, Path, description = "The collection's id"),
        ("If-Match" = Option<String>, Header, description = "Expected version"),
    ),
    responses(
        (status = 204, description = "Deleted"),
        (status = 412, description = "The collection has another version", body = ErrorBody),
    ),
)]
pub(crate) async fn delete_collection(
    Own(list): Own<Collections>,
    State(app): State<App>,
    expected: ExpectedVersion,
) -> ApiResult<StatusCode> {
    let deleted = app
        .db
        .write(move |tx| user_list::delete(tx, list, &expected))
        .await?;
    deleted
        .then_some(StatusCode::NO_CONTENT)
        .ok_or_else(no_list::<Collections>)
}

/// Returns a mosaic of the first four distinct covers that the user sees in a collection.
#[utoipa::path(
    method(get, head),
    path = "/collections/{id}/cover",
    tag = "collections",
    params(
        ("id" = i64, Path, description = "The collection's id"),
        MosaicQuery,
        ("If-None-Match" = Option<String>, Header, description = "Known ETag"),
    ),
    responses(
        (status = 200, description = "The image", content_type = "image/jpeg"),
        (status = 304, description = "Not modified"),
        (status = 404, description = "No such collection, or it has no cover", body = ErrorBody),
        (status = 412, description = "The precondition failed", body = ErrorBody),
    )
)]
pub(crate) async fn get_collection_cover(
    Readable(list): Readable<Collections>,
    State(app): State<App>,
    ApiQuery(query): ApiQuery<MosaicQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let reading = OwnedReader::of(&app, list.visible());
    let tiles = app
        .db
        .read_with_index(move |conn, view| collection::tiles(&reading.reader(conn, view), list))
        .await?;
    let tiles = tiles.ok_or_else(no_list::<Collections>)?;
    mosaic_of(&app, tiles, &query, &headers).await
}
