//! Routes of the games kind.

pub(crate) mod api_docs;
pub(crate) mod body_type;

use axum::extract::State;
use ledge_core::App;
use ledge_core::http::{ApiError, ApiJson, ApiResult, CurrentUser, KindRouter};
use ledge_core::paging::Items;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::cores::{self, Folder};
use crate::formats::platforms::{PLATFORMS, Platform};

/// Returns the kind's routes below `/api/v1`.
pub fn router() -> KindRouter {
    OpenApiRouter::new()
        .routes(routes!(list_platforms))
        .merge(crate::cores::routes::router())
        .merge(crate::saves::router())
}

/// Game platform.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlatformRow {
    /// Identifier, such as `snes`
    id: &'static str,
    /// Display name
    name: &'static str,
    /// File extensions, without the dot
    extensions: &'static [&'static str],
    /// Identifier of the browser core; null if there is none
    core: Option<&'static str>,
    /// True if a browser core exists
    playable: bool,
    /// State of that core on this server: `embedded`, `added` or `missing`; null without a core
    core_state: Option<&'static str>,
}

impl PlatformRow {
    fn new(platform: &'static Platform, folder: &Folder) -> Self {
        let core = cores::all()
            .iter()
            .find(|core| platform.core == Some(core.id.as_str()));
        Self {
            id: platform.id,
            name: platform.name,
            extensions: platform.extensions,
            core: platform.core,
            playable: platform.playable(),
            core_state: core.map(|core| cores::core_state(folder, core)),
        }
    }
}

/// Lists all supported platforms.
#[utoipa::path(
    get,
    path = "/kinds/games/platforms",
    tag = "games",
    responses((status = 200, description = "The platforms", body = Items<PlatformRow>))
)]
async fn list_platforms(
    _user: CurrentUser,
    State(app): State<App>,
) -> ApiResult<ApiJson<Items<PlatformRow>>> {
    let folder = Folder::from_app(&app);
    let list = move || {
        let rows = PLATFORMS.iter();
        rows.map(|platform| PlatformRow::new(platform, &folder))
            .collect()
    };
    let items = tokio::task::spawn_blocking(list).await;
    let items = items.map_err(ApiError::internal)?;
    Ok(ApiJson(Items { items }))
}
