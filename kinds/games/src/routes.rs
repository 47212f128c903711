//! The routes of the games kind.

use axum::Json;
use ledge_core::http::{CurrentUser, Items};
use ledge_core::registry::KindRouter;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::platforms::{PLATFORMS, Platform};

/// The kind's routes below `/api/v1`.
pub fn router() -> KindRouter {
    OpenApiRouter::new()
        .routes(routes!(list_platforms))
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
    /// `missing` where the core is not on this server; null without a core.
    core_state: Option<&'static str>,
}

impl From<&'static Platform> for PlatformRow {
    fn from(platform: &'static Platform) -> Self {
        Self {
            id: platform.id,
            name: platform.name,
            extensions: platform.extensions,
            core: platform.core,
            playable: platform.playable(),
            core_state: platform.core.map(core_state),
        }
    }
}

/// Whether this server has a core. It carries none itself.
fn core_state(_core: &str) -> &'static str {
    "missing"
}

/// Every platform that is recognised.
#[utoipa::path(
    get,
    path = "/kinds/games/platforms",
    tag = "games",
    responses((status = 200, description = "The platforms", body = Items<PlatformRow>))
)]
async fn list_platforms(_user: CurrentUser) -> Json<Items<PlatformRow>> {
    let items = PLATFORMS.iter().map(PlatformRow::from).collect();
    Json(Items { items })
}
