//! The home page in one response.

use axum::extract::State;
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::home::{self, Home};
use ledge_core::http::{ApiJson, ApiQuery, ApiResult};

use crate::http::routes::media::playback::EnginesQuery;

/// Returns the six shelves of the home page.
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
        .read(move |conn| home::home(conn, visible, &registry, engines.as_ref()))
        .await?;
    Ok(ApiJson(shelves))
}
