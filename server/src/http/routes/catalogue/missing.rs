//! Missing items.

use axum::extract::State;
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::http::{ApiJson, ApiQuery, ApiResult, PageQuery};
use ledge_core::paging::Page;
use ledge_core::store::file::missing::{self, MissingItem};

/// Lists the visible items without a present file.
#[utoipa::path(
    get, path = "/missing", tag = "items",
    params(PageQuery),
    responses(
        (status = 200, description = "The missing items", body = Page<MissingItem>),
    ),
)]
pub(crate) async fn list_missing(
    visible: Visible,
    State(app): State<App>,
    ApiQuery(page): ApiQuery<PageQuery>,
) -> ApiResult<ApiJson<Page<MissingItem>>> {
    let window = page.window()?;
    let page = app
        .db
        .read(move |conn| missing::page(conn, visible, window))
        .await?;
    Ok(ApiJson(page))
}
