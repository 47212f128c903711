//! Settings of the metadata providers, for administrators. Secrets can be written, but not read.

mod change;
mod view;

use axum::extract::{Path, State};
use ledge_core::App;
use ledge_core::enrich::{self, CheckOutcome};
use ledge_core::http::{ApiError, ApiJson, ApiResult, ErrorBody};
use serde::Serialize;
use utoipa::ToSchema;

use change::{Change, UpdateMetadataSettings};
use view::MetadataSettings;

const NO_PROVIDER: ApiError = ApiError::NotFound("provider");

/// Returns the settings of all metadata providers. Secrets are never returned.
#[utoipa::path(
    get, path = "/metadata/settings", tag = "enrichment",
    responses(
        (status = 200, description = "The settings", body = MetadataSettings),
    ),
)]
pub(crate) async fn get_metadata_settings(State(app): State<App>) -> ApiJson<MetadataSettings> {
    ApiJson(MetadataSettings::of(&app.providers))
}

/// Changes the settings of metadata providers. Absent fields stay. The change is valid for the next
/// request to a provider.
#[utoipa::path(
    patch, path = "/metadata/settings", tag = "enrichment",
    request_body = UpdateMetadataSettings,
    responses(
        (status = 200, description = "The settings", body = MetadataSettings),
        (status = 409, description = "A variable of the environment sets this value", body = ErrorBody),
    ),
)]
pub(crate) async fn update_metadata_settings(
    State(app): State<App>,
    ApiJson(body): ApiJson<UpdateMetadataSettings>,
) -> ApiResult<ApiJson<MetadataSettings>> {
    let change = Change::check(body, &app.providers)?;
    // One task, which also ends if the client disconnects: a stored change is always applied.
    let apply = move || -> ApiResult<MetadataSettings> {
        app.db.write_blocking(move |tx| change.apply(tx))?;
        app.providers.reload(&app.db)?;
        Ok(MetadataSettings::of(&app.providers))
    };
    let settings = tokio::task::spawn_blocking(apply).await;
    settings.map_err(ApiError::internal)?.map(ApiJson)
}

/// Result of a test.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProviderTest {
    /// `true` if the provider can be used.
    ok: bool,
    /// Kind of the result.
    outcome: CheckOutcome,
    /// Sentence in English.
    message: String,
    /// Wait in seconds before another test, if the provider demands one.
    retry_after: Option<u64>,
}

/// Tests the address and the key of a provider with one query, which contains no data of a library.
/// A disabled provider can be tested, too.
#[utoipa::path(
    post, path = "/metadata/providers/{provider}/test", tag = "enrichment",
    params(("provider" = String, Path, description = "The provider's identifier")),
    responses(
        (status = 200, description = "The result of the test", body = ProviderTest),
        (status = 404, description = "No such provider", body = ErrorBody),
    ),
)]
pub(crate) async fn test_provider(
    Path(provider): Path<String>,
    State(app): State<App>,
) -> ApiResult<ApiJson<ProviderTest>> {
    let test = move || enrich::check_provider(&app, &provider);
    let check = tokio::task::spawn_blocking(test).await;
    let check = check.map_err(ApiError::internal)?.ok_or(NO_PROVIDER)?;
    Ok(ApiJson(ProviderTest {
        ok: matches!(check.outcome, CheckOutcome::Accepted | CheckOutcome::Local),
        outcome: check.outcome,
        message: check.message,
        retry_after: check.retry_after,
    }))
}
