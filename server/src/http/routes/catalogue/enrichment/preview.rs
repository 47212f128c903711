//! Preview of the changes that a refresh or a chosen match would make.

use axum::extract::State;
use ledge_core::App;
use ledge_core::access::{Visible, VisibleItem};
use ledge_core::enrich::{self, EntryPreview, FieldChange, RefreshPreview};
use ledge_core::http::{ApiError, ApiJson, ApiQuery, ApiResult, ErrorBody};
use ledge_core::id::ItemId;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::EnrichItem;
use super::matches::{CandidateView, ChooseMatch, ItemAsked, NO_ITEM, refusal};
use crate::http::routes::library::libraries::ManagedLibrary;

/// Number of items that represent a library.
const SAMPLE: usize = 5;

/// Changes that an entry of a provider would make.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EntryPreviewView {
    /// Id of the provider.
    provider: &'static str,
    /// Name of the provider.
    label: &'static str,
    /// The entry.
    #[serde(flatten)]
    entry: CandidateView,
    /// Similarity to the item from 0 to 1; null for an entry that was requested by its id.
    score: Option<f64>,
    /// Changed fields; empty if no field changes.
    changes: Vec<FieldChange>,
    /// Roles of the pictures that come with the entry: `cover`, `backdrop`, `logo`, `season`,
    /// `still`, `portrait`.
    pictures: Vec<&'static str>,
}

impl From<EntryPreview> for EntryPreviewView {
    fn from(preview: EntryPreview) -> Self {
        Self {
            provider: preview.provider.id,
            label: preview.provider.label,
            score: preview.score,
            changes: preview.changes,
            pictures: preview.pictures,
            entry: preview.candidate.into(),
        }
    }
}

/// A queried provider.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct QueriedView {
    /// Id of the provider.
    provider: &'static str,
    /// Name of the provider.
    label: &'static str,
    /// Reason why the provider did not answer; null if it did.
    error: Option<String>,
}

/// Result of a refresh that changes no item.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RefreshPreviewView {
    /// Entry that the refresh would apply; null if no queried provider has a match or responded.
    entry: Option<EntryPreviewView>,
    /// Queried providers in order; empty if all answers are still valid.
    asked: Vec<QueriedView>,
}

impl From<RefreshPreview> for RefreshPreviewView {
    fn from(preview: RefreshPreview) -> Self {
        let asked = preview.asked.into_iter();
        let asked = asked.map(|(provider, error)| QueriedView {
            provider: provider.id,
            label: provider.label,
            error: error.map(|error| error.to_string()),
        });
        Self {
            entry: preview.entry.map(EntryPreviewView::from),
            asked: asked.collect(),
        }
    }
}

/// Queries the providers of an item like a refresh, and returns the changes. Changes no item.
#[utoipa::path(
    post, path = "/items/{id}/enrich/preview", tag = "enrichment",
    params(("id" = i64, Path, description = "The item's id")),
    request_body = Option<EnrichItem>,
    responses(
        (status = 200, description = "The changes", body = RefreshPreviewView),
        (status = 404, description = "No such item", body = ErrorBody),
    )
)]
pub(crate) async fn preview_refresh(
    item: VisibleItem,
    State(app): State<App>,
    body: Option<ApiJson<EnrichItem>>,
) -> ApiResult<ApiJson<RefreshPreviewView>> {
    let force = body.is_none_or(|ApiJson(body)| body.force);
    let preview = move || enrich::preview_refresh(&app, item, force);
    let preview = tokio::task::spawn_blocking(preview).await;
    let preview = preview.map_err(ApiError::internal)??.ok_or(NO_ITEM)?;
    Ok(ApiJson(preview.into()))
}

/// Requests an entry of a provider, and returns the changes that its choice would make. Changes no
/// item.
#[utoipa::path(
    post, path = "/items/{id}/matches/{provider}/preview", tag = "enrichment",
    params(
        ("id" = i64, Path, description = "The item's id"),
        ("provider" = String, Path, description = "The provider's identifier"),
    ),
    request_body = ChooseMatch,
    responses(
        (status = 200, description = "The changes", body = EntryPreviewView),
        (status = 404, description = "No such item, or no such provider for it", body = ErrorBody),
        (status = 409, description = "The provider did not respond", body = ErrorBody),
    )
)]
pub(crate) async fn preview_match(
    ItemAsked(asked): ItemAsked,
    State(app): State<App>,
    ApiJson(body): ApiJson<ChooseMatch>,
) -> ApiResult<ApiJson<EntryPreviewView>> {
    let id = body.check()?;
    let preview = move || enrich::preview_entry(&app, asked.visible(), asked.provider(), &id);
    let preview = tokio::task::spawn_blocking(preview).await;
    let preview = preview.map_err(ApiError::internal)??;
    let preview = preview.map_err(|why| refusal(&why).unwrap_or(NO_ITEM))?;
    Ok(ApiJson(preview.into()))
}

/// Options of the preview of a library.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PreviewQuery {
    /// Includes items whose answers are still valid.
    #[serde(default)]
    force: bool,
}

/// Items that a refresh of a library would query first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LibraryPreviewView {
    /// Ids of the first items that need a query; at most 5.
    item_ids: Vec<ItemId>,
}

/// Returns the items that a refresh of a library would query first, for previews of their changes.
/// Queries no provider.
#[utoipa::path(
    get, path = "/libraries/{id}/enrich/preview", tag = "enrichment",
    params(("id" = i64, Path, description = "The library's id"), PreviewQuery),
    responses(
        (status = 200, description = "The items", body = LibraryPreviewView),
        (status = 404, description = "No such library, or it is not granted", body = ErrorBody),
    )
)]
pub(crate) async fn preview_library(
    ManagedLibrary(library): ManagedLibrary,
    visible: Visible,
    State(app): State<App>,
    ApiQuery(query): ApiQuery<PreviewQuery>,
) -> ApiResult<ApiJson<LibraryPreviewView>> {
    // The items of a library are visible only with a grant, also to administrators.
    let next = move || enrich::next_of_library(&app, visible, library, query.force, SAMPLE);
    let next = tokio::task::spawn_blocking(next).await;
    let next = next.map_err(ApiError::internal)??;
    let item_ids = next.ok_or(ApiError::NotFound("library"))?;
    Ok(ApiJson(LibraryPreviewView { item_ids }))
}
