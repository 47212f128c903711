//! Items of collections.

use axum::extract::State;
use axum::http::StatusCode;
use ledge_core::App;
use ledge_core::http::{ApiError, ApiJson, ApiQuery, ApiResult, ErrorBody, PageQuery, Versioned};
use ledge_core::id::ItemId;
use ledge_core::paging::Page;
use ledge_core::store::item::ItemCard;
use ledge_core::store::user_data::lists::collection::{self, Collection, Collections};
use ledge_core::store::user_data::lists::user_list;
use ledge_core::version::ExpectedVersion;
use serde::Deserialize;
use utoipa::IntoParams;

use super::request::AddItems;
use super::{OwnedReader, read_again};
use crate::http::routes::catalogue::items::OrderQuery;
use crate::http::routes::id_list;
use crate::http::routes::media::playback::EnginesQuery;
use crate::http::routes::organise::lists::AddedEntries;
use crate::http::routes::organise::lists::access::{Own, Readable, no_list};
use crate::http::routes::organise::lists::request::MoveEntries;

/// Lists the visible items of a collection: in the owner's order, or as the rule selects them.
#[utoipa::path(
    get, path = "/collections/{id}/items", tag = "collections",
    params(
        ("id" = i64, Path, description = "The collection's id"),
        OrderQuery, EnginesQuery, PageQuery,
    ),
    responses(
        (status = 200, description = "The items", body = Page<ItemCard>),
    ),
)]
pub(crate) async fn list_collection_items(
    Readable(list): Readable<Collections>,
    State(app): State<App>,
    ApiQuery(order): ApiQuery<OrderQuery>,
    ApiQuery(engines): ApiQuery<EnginesQuery>,
    ApiQuery(page): ApiQuery<PageQuery>,
) -> ApiResult<Versioned<Page<ItemCard>>> {
    let (order, window) = (order.requested(), page.window()?);
    let offer = engines.offer(&app.registry)?;
    let reading = OwnedReader::of(&app, list.visible());
    let (version, body) = app
        .db
        .read_with_index(move |conn, view| {
            let version = user_list::version(conn, list)?;
            let reader = reading.reader(conn, view);
            let items = collection::items(&reader, list, order, offer.as_ref(), window)?;
            Ok((version, items))
        })
        .await?;
    let version = version.ok_or_else(no_list::<Collections>)?;
    Ok(Versioned { version, body })
}

/// Adds items to a manual collection of the user.
#[utoipa::path(
    post, path = "/collections/{id}/items", tag = "collections",
    params(
        ("id" = i64, Path, description = "The collection's id"),
        ("If-Match" = Option<String>, Header, description = "Expected version"),
    ),
    request_body = AddItems,
    responses(
        (status = 201, description = "Added", body = AddedEntries),
        (status = 409, description = "The collection is smart", body = ErrorBody),
        (status = 412, description = "The collection has another version", body = ErrorBody),
    ),
)]
pub(crate) async fn add_collection_items(
    Own(list): Own<Collections>,
    State(app): State<App>,
    expected: ExpectedVersion,
    ApiJson(body): ApiJson<AddItems>,
) -> ApiResult<(StatusCode, Versioned<AddedEntries>)> {
    let (insertion, now) = (body.check()?, app.clock.now());
    let added = app
        .db
        .write(move |tx| collection::add(tx, list, &insertion, &expected, now))
        .await?;
    let added = added.ok_or_else(no_list::<Collections>)?;
    Ok(AddedEntries::response(added))
}

/// Moves items of a manual collection of the user.
#[utoipa::path(
    patch, path = "/collections/{id}/items", tag = "collections",
    params(
        ("id" = i64, Path, description = "The collection's id"),
        ("If-Match" = Option<String>, Header, description = "Expected version"),
    ),
    request_body = MoveEntries,
    responses(
        (status = 200, description = "Moved", body = Collection),
        (status = 409, description = "The collection is smart", body = ErrorBody),
        (status = 412, description = "The collection has another version", body = ErrorBody),
    ),
)]
pub(crate) async fn move_collection_items(
    Own(list): Own<Collections>,
    State(app): State<App>,
    expected: ExpectedVersion,
    ApiJson(body): ApiJson<MoveEntries>,
) -> ApiResult<Versioned<Collection>> {
    let (moves, now) = (body.check()?, app.clock.now());
    let exists = app
        .db
        .write(move |tx| collection::rearrange(tx, list, &moves, &expected, now))
        .await?;
    read_again(&app, list, exists).await
}

/// Items to remove.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ItemsQuery {
    /// Ids of 1 to 1,000 items, separated by commas. Ids that the collection does not contain are
    /// ignored.
    #[param(required = true)]
    id: Option<String>,
}

/// Removes items from a manual collection of the user. The items stay in their libraries.
#[utoipa::path(
    delete, path = "/collections/{id}/items", tag = "collections",
    params(
        ("id" = i64, Path, description = "The collection's id"),
        ItemsQuery,
        ("If-Match" = Option<String>, Header, description = "Expected version"),
    ),
    responses(
        (status = 200, description = "Removed", body = Collection),
        (status = 409, description = "The collection is smart", body = ErrorBody),
        (status = 412, description = "The collection has another version", body = ErrorBody),
    ),
)]
pub(crate) async fn remove_collection_items(
    Own(list): Own<Collections>,
    State(app): State<App>,
    expected: ExpectedVersion,
    ApiQuery(query): ApiQuery<ItemsQuery>,
) -> ApiResult<Versioned<Collection>> {
    let ids = query.id.as_deref();
    let ids = ids.ok_or_else(|| ApiError::invalid("id", "Name the items in `id`."))?;
    let ids = id_list::parse("id", ids, id_list::MAX_IDS, ItemId)?;
    let now = app.clock.now();
    let exists = app
        .db
        .write(move |tx| collection::remove(tx, list, &ids, &expected, now))
        .await?;
    read_again(&app, list, exists).await
}
