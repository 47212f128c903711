//! Enrichment: requests and status.

pub(crate) mod identify;
pub(crate) mod matches;
pub(crate) mod preview;

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use ledge_core::App;
use ledge_core::access::{Visible, VisibleItem};
use ledge_core::enrich::{self, EnrichmentStatus};
use ledge_core::http::{ApiError, ApiJson, ApiResult, ErrorBody};
use ledge_core::id::ItemId;
use ledge_core::paging::Items;
use ledge_core::store::job;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::http::routes::id_list;
use crate::http::routes::library::libraries::ManagedLibrary;
use crate::http::routes::library::scans;
use crate::http::routes::operation::jobs::Queued;

/// Options of the enrichment of a library.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "force": false }))]
pub(crate) struct EnrichLibrary {
    /// Repeats queries that were answered within the last 30 days.
    #[serde(default)]
    force: bool,
}

/// Options of the enrichment of an item.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "force": true }))]
pub(crate) struct EnrichItem {
    /// Repeats queries that were answered within the last 30 days.
    #[serde(default = "yes")]
    #[schema(default = true)]
    force: bool,
}

fn yes() -> bool {
    true
}

/// Queries providers about the items of a library. If such a job is queued or running, returns that
/// job.
#[utoipa::path(
    post, path = "/libraries/{id}/enrich", tag = "enrichment",
    params(("id" = i64, Path, description = "The library's id")),
    request_body = Option<EnrichLibrary>,
    responses(
        (status = 202, description = "Queued", body = Queued),
        (status = 404, description = "No such library", body = ErrorBody),
    )
)]
pub(crate) async fn enrich_library(
    ManagedLibrary(library): ManagedLibrary,
    State(app): State<App>,
    body: Option<ApiJson<EnrichLibrary>>,
) -> ApiResult<(StatusCode, ApiJson<Queued>)> {
    let force = body.is_some_and(|ApiJson(body)| body.force);
    let now = app.clock.now();
    app.providers.reset_backoff();
    let (job_id, job) = app
        .db
        .write(move |tx| {
            let id = enrich::request_library(tx, library, force, now)?;
            Ok((id, job::get(tx, id)?))
        })
        .await?;
    scans::announce(&app, job);
    Ok((StatusCode::ACCEPTED, ApiJson(Queued { job_id })))
}

/// Stops the enrichment of a library after its current item, or before its start.
#[utoipa::path(
    delete, path = "/libraries/{id}/enrich", tag = "enrichment",
    params(("id" = i64, Path, description = "The library's id")),
    responses(
        (status = 204, description = "Stopped, or there was none"),
        (status = 404, description = "No such library", body = ErrorBody),
    )
)]
pub(crate) async fn cancel_enrichment(
    ManagedLibrary(library): ManagedLibrary,
    State(app): State<App>,
) -> ApiResult<StatusCode> {
    let cancel = move || enrich::cancel_library(&app, library);
    let cancelled = tokio::task::spawn_blocking(cancel).await;
    cancelled.map_err(ApiError::internal)??;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the status of the latest enrichment of a library.
#[utoipa::path(
    get, path = "/libraries/{id}/enrich/status", tag = "enrichment",
    params(("id" = i64, Path, description = "The library's id")),
    responses(
        (status = 200, description = "The status", body = EnrichmentStatus),
        (status = 404, description = "No such library", body = ErrorBody),
    )
)]
pub(crate) async fn get_enrichment_status(
    ManagedLibrary(library): ManagedLibrary,
    State(app): State<App>,
) -> ApiResult<ApiJson<EnrichmentStatus>> {
    let status = app
        .db
        .read(move |conn| enrich::status_unscoped(conn, library))
        .await?;
    Ok(ApiJson(status))
}

/// Queries providers about one item. If such a job is queued or running, returns that job.
#[utoipa::path(
    post, path = "/items/{id}/enrich", tag = "enrichment",
    params(("id" = i64, Path, description = "The item's id")),
    request_body = Option<EnrichItem>,
    responses(
        (status = 202, description = "Queued", body = Queued),
        (status = 404, description = "No such item", body = ErrorBody),
    )
)]
pub(crate) async fn enrich_item(
    item: VisibleItem,
    State(app): State<App>,
    body: Option<ApiJson<EnrichItem>>,
) -> ApiResult<(StatusCode, ApiJson<Queued>)> {
    let force = body.is_none_or(|ApiJson(body)| body.force);
    let now = app.clock.now();
    app.providers.reset_backoff();
    let (job_id, job) = app
        .db
        .write(move |tx| {
            let id = enrich::request_item(tx, item.id(), force, now)?;
            Ok((id, job::get(tx, id)?))
        })
        .await?;
    scans::announce(&app, job);
    Ok((StatusCode::ACCEPTED, ApiJson(Queued { job_id })))
}

/// Items to enrich.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "ids": [12, 15], "force": true }))]
pub(crate) struct EnrichItems {
    /// Ids of the items.
    #[schema(min_items = 1, max_items = 1000)]
    ids: Vec<ItemId>,
    /// Repeats queries that were answered within the last 30 days.
    #[serde(default = "yes")]
    #[schema(default = true)]
    force: bool,
}

/// Queries providers about several items, as one job.
#[utoipa::path(
    post, path = "/items/enrich", tag = "enrichment",
    request_body = EnrichItems,
    responses(
        (status = 202, description = "Queued", body = Queued),
    )
)]
pub(crate) async fn enrich_items(
    visible: Visible,
    State(app): State<App>,
    ApiJson(body): ApiJson<EnrichItems>,
) -> ApiResult<(StatusCode, ApiJson<Queued>)> {
    let items = id_list::distinct("ids", &body.ids)?;
    let (force, now) = (body.force, app.clock.now());
    app.providers.reset_backoff();
    let (job_id, job) = app
        .db
        .write(move |tx| {
            visible.check_items(tx, &items)?;
            let id = enrich::request_items(tx, items, force, now)?;
            Ok((id, job::get(tx, id)?))
        })
        .await?;
    scans::announce(&app, job);
    Ok((StatusCode::ACCEPTED, ApiJson(Queued { job_id })))
}

/// A configured metadata provider.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProviderView {
    /// Id of the provider.
    id: &'static str,
    /// Name of the provider.
    label: &'static str,
    /// Ids of the kinds that the provider supports.
    kinds: &'static [&'static str],
}

/// Lists the metadata providers that can be queried, by rank.
#[utoipa::path(
    get, path = "/providers", tag = "enrichment",
    responses(
        (status = 200, description = "The providers", body = Items<ProviderView>),
    )
)]
pub(crate) async fn list_providers(State(app): State<App>) -> ApiJson<Items<ProviderView>> {
    let view = |provider: Arc<ledge_core::net::Provider>| ProviderView {
        id: provider.descriptor.id,
        label: provider.descriptor.label,
        kinds: provider.descriptor.kinds,
    };
    let items = app.providers.iter().map(view).collect();
    ApiJson(Items { items })
}
