//! Series with their items.

use axum::extract::State;
use ledge_core::App;
use ledge_core::access::VisibleSeries;
use ledge_core::http::{ApiError, ApiJson, ApiQuery, ApiResult, PageQuery};
use ledge_core::paging::Page;
use ledge_core::store::catalogue::series::items::{self, SeriesCard, SeriesDetail};

use crate::http::routes::media::playback::EnginesQuery;

/// Returns a series with its absent numbers and the item to continue with. A series without a
/// visible item gives 404.
#[utoipa::path(
    get, path = "/series/{id}", tag = "items",
    params(("id" = i64, Path, description = "The series' id"), EnginesQuery),
    responses(
        (status = 200, description = "The series", body = SeriesDetail),
    ),
)]
pub(crate) async fn get_series(
    series: VisibleSeries,
    State(app): State<App>,
    ApiQuery(query): ApiQuery<EnginesQuery>,
) -> ApiResult<ApiJson<SeriesDetail>> {
    let engines = query.offer(&app.registry)?;
    let detail = app
        .db
        .read(move |conn| items::of_series(conn, series, engines.as_ref()))
        .await?;
    detail.map(ApiJson).ok_or(ApiError::NotFound("series"))
}

/// Lists the visible items of a series by number. Items without a number come last, by title.
#[utoipa::path(
    get, path = "/series/{id}/items", tag = "items",
    params(("id" = i64, Path, description = "The series' id"), EnginesQuery, PageQuery),
    responses(
        (status = 200, description = "The items with their numbers", body = Page<SeriesCard>),
    ),
)]
pub(crate) async fn list_series_items(
    series: VisibleSeries,
    State(app): State<App>,
    ApiQuery(query): ApiQuery<EnginesQuery>,
    ApiQuery(page): ApiQuery<PageQuery>,
) -> ApiResult<ApiJson<Page<SeriesCard>>> {
    let engines = query.offer(&app.registry)?;
    let window = page.window()?;
    let page = app
        .db
        .read(move |conn| items::of_series_page(conn, series, engines.as_ref(), window))
        .await?;
    Ok(ApiJson(page))
}
