//! The routes of the games kind.

use axum::Json;
use axum::extract::State;
use ledge_core::App;
use ledge_core::http::{ApiError, ApiResult, CurrentUser, Items};
use ledge_core::registry::KindRouter;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::cores::{self, Folder};
use crate::platforms::{PLATFORMS, Platform};

/// The kind's routes below `/api/v1`.
pub fn router() -> KindRouter {
    OpenApiRouter::new()
        .routes(routes!(list_platforms))
        .merge(crate::cores::routes::router())
        .merge(crate::saves::router())
}

/// A platform as clients see it.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlatformRow {
    /// Identifier: `snes`.
    id: &'static str,
    /// Name shown to people.
    name: &'static str,
    /// Extensions of its files, without the dot.
    extensions: &'static [&'static str],
    /// The browser core that runs it.
    core: Option<&'static str>,
    /// Whether there is such a core.
    playable: bool,
    /// `embedded`, `added` or `missing`: whether that core is on this server; null without one.
    core_state: Option<&'static str>,
}

impl PlatformRow {
    fn of(platform: &'static Platform, folder: &Folder) -> Self {
        let core = cores::all()
            .iter()
            .find(|core| platform.core == Some(core.id.as_str()));
        Self {
            id: platform.id,
            name: platform.name,
            extensions: platform.extensions,
            core: platform.core,
            playable: platform.playable(),
            core_state: core.map(|core| cores::state_of(folder, core)),
        }
    }
}

/// Every platform that is recognised.
#[utoipa::path(
    get,
    path = "/kinds/games/platforms",
    tag = "games",
    responses((status = 200, description = "The platforms", body = Items<PlatformRow>))
)]
async fn list_platforms(
    _user: CurrentUser,
    State(app): State<App>,
) -> ApiResult<Json<Items<PlatformRow>>> {
    let folder = Folder::of(&app);
    let list = move || {
        let rows = PLATFORMS.iter();
        rows.map(|platform| PlatformRow::of(platform, &folder))
            .collect()
    };
    let items = tokio::task::spawn_blocking(list).await;
    let items = items.map_err(ApiError::internal)?;
    Ok(Json(Items { items }))
}
