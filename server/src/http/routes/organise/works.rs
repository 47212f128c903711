//! Works: items that are forms of one title, and positions in another form.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use ledge_core::App;
use ledge_core::access::{Visible, VisibleItem};
use ledge_core::http::{ApiError, ApiJson, ApiQuery, ApiResult, parse_id};
use ledge_core::id::{ItemId, WorkId};
use ledge_core::store::catalogue::work::handover::{self, Handover};
use ledge_core::store::catalogue::work::{self, Work};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::http::routes::id_list;

/// Limit of the items of one request.
const MAX_ITEMS: usize = 50;

const NO_ITEM: ApiError = ApiError::NotFound("item");

/// Items to link.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "items": [1, 2] }))]
pub(crate) struct WorkBody {
    /// Ids of 2 to 50 items.
    #[schema(min_items = 2, max_items = 50)]
    items: Vec<ItemId>,
}

/// Links items as forms of one title. The works to which they already belong are merged.
#[utoipa::path(
    post, path = "/works", tag = "organise",
    request_body = WorkBody,
    responses(
        (status = 200, description = "The work with its visible forms", body = Work),
    ),
)]
pub(crate) async fn create_work(
    visible: Visible,
    State(app): State<App>,
    ApiJson(body): ApiJson<WorkBody>,
) -> ApiResult<ApiJson<Work>> {
    let items = id_list::distinct("items", &body.items)?;
    if !(2..=MAX_ITEMS).contains(&items.len()) {
        let message = format!("`items` has 2 to {MAX_ITEMS} different ids.");
        return Err(ApiError::invalid("items", message));
    }
    let work = app
        .db
        .write(move |tx| work::create(tx, visible, &items))
        .await?;
    Ok(ApiJson(work))
}

/// Removes an item from a work. The server never links it automatically to these forms again. A work
/// with only one item is deleted.
#[utoipa::path(
    delete, path = "/works/{id}/items/{item}", tag = "organise",
    params(
        ("id" = i64, Path, description = "The work's id"),
        ("item" = i64, Path, description = "The item's id"),
    ),
    responses(
        (status = 204, description = "Done"),
    ),
)]
pub(crate) async fn remove_form(
    visible: Visible,
    State(app): State<App>,
    path: Result<Path<(String, String)>, PathRejection>,
) -> ApiResult<StatusCode> {
    let Path((work, item)) = path.map_err(|_| NO_ITEM)?;
    let work = parse_id(&work)
        .map(WorkId)
        .ok_or(ApiError::NotFound("work"))?;
    let item = parse_id(&item).map(ItemId).ok_or(NO_ITEM)?;
    let removed = app
        .db
        .write(move |tx| match visible.item(tx, item)? {
            Some(item) => work::remove(tx, work, item),
            None => Ok(false),
        })
        .await?;
    removed.then_some(StatusCode::NO_CONTENT).ok_or(NO_ITEM)
}

/// The other form.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct HandoverQuery {
    /// Id of another form of the item.
    #[param(value_type = i64, required = true)]
    to: Option<ItemId>,
}

/// Returns the position in another form that corresponds to the user's progress in the item. One of
/// them is a text, the other one a recording. Without progress, all fields are null.
#[utoipa::path(
    get, path = "/items/{id}/handover", tag = "progress",
    params(("id" = i64, Path, description = "The item's id"), HandoverQuery),
    responses(
        (status = 200, description = "The position", body = Handover),
    ),
)]
pub(crate) async fn get_handover(
    item: VisibleItem,
    visible: Visible,
    State(app): State<App>,
    ApiQuery(query): ApiQuery<HandoverQuery>,
) -> ApiResult<ApiJson<Handover>> {
    let to = query
        .to
        .ok_or_else(|| ApiError::invalid("to", "`to` is the id of another form."))?;
    let registry = app.registry.clone();
    let found = app
        .db
        .read(move |conn| handover::find(conn, &registry, visible, item, to))
        .await?;
    found.map(ApiJson).ok_or(NO_ITEM)
}
