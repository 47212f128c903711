//! Settings of the signed-in user.

use axum::extract::State;
use ledge_core::App;
use ledge_core::http::{ApiJson, ApiResult, CurrentUser};
use ledge_core::store::user_data::statistics::setting::{self, UserSettings};
use serde::Deserialize;
use utoipa::ToSchema;

/// Changes of settings.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "statistics": false }))]
pub(crate) struct UpdateSettings {
    /// `true` if the server stores sessions for the statistics. Stored sessions stay.
    statistics: Option<bool>,
}

/// Returns the user's settings.
#[utoipa::path(
    get, path = "/me/settings", tag = "auth",
    responses(
        (status = 200, description = "The settings", body = UserSettings),
    ),
)]
pub(crate) async fn get_settings(
    user: CurrentUser,
    State(app): State<App>,
) -> ApiResult<ApiJson<UserSettings>> {
    let settings = app
        .db
        .read_inline(move |conn| setting::get(conn, user.id))
        .await?;
    Ok(ApiJson(settings))
}

/// Changes the user's settings. Absent settings stay.
#[utoipa::path(
    patch, path = "/me/settings", tag = "auth",
    request_body = UpdateSettings,
    responses(
        (status = 200, description = "The settings", body = UserSettings),
    ),
)]
pub(crate) async fn update_settings(
    user: CurrentUser,
    State(app): State<App>,
    ApiJson(body): ApiJson<UpdateSettings>,
) -> ApiResult<ApiJson<UserSettings>> {
    let settings = app
        .db
        .write(move |tx| {
            let mut settings = setting::get(tx, user.id)?;
            if let Some(statistics) = body.statistics {
                settings.statistics = statistics;
                setting::set(tx, user.id, settings)?;
            }
            Ok(settings)
        })
        .await?;
    Ok(ApiJson(settings))
}
