//! The home page in one request.

use axum::extract::State;
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::home::{self, Home};
use ledge_core::http::{ApiJson, ApiResult};

/// The five shelves.
#[utoipa::path(
    get, path = "/home", tag = "home",
    responses((status = 200, description = "The shelves", body = Home)),
)]
pub(crate) async fn get_home(visible: Visible, State(app): State<App>) -> ApiResult<ApiJson<Home>> {
    let registry = app.registry.clone();
    let shelves = app
        .db
        .read(move |conn| home::home(conn, visible, &registry))
        .await?;
    Ok(ApiJson(shelves))
}
