//! The home page in one request.

use axum::extract::State;
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::home::{self, Home};
use ledge_core::http::{ApiJson, ApiQuery, ApiResult};

use super::playback::EnginesQuery;

/// The five shelves.
#[utoipa::path(
    get, path = "/home", tag = "home",
    params(EnginesQuery),
    responses((status = 200, description = "The shelves", body = Home)),
)]
pub(crate) async fn get_home(
    visible: Visible,
    State(app): State<App>,
    ApiQuery(query): ApiQuery<EnginesQuery>,
) -> ApiResult<ApiJson<Home>> {
    let engines = query.offer(&app.registry)?;
    let registry = app.registry.clone();
    let shelves = app
        .db
        .read_with_places(move |conn, view| {
            home::home(conn, view, visible, &registry, engines.as_ref())
        })
        .await?;
    Ok(ApiJson(shelves))
}
