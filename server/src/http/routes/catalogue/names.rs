//! People, series and genres with their numbers of items.

use axum::extract::State;
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::http::{ApiJson, ApiQuery, ApiResult, PageQuery};
use ledge_core::paging::Page;
use ledge_core::store::catalogue::named::{self, Named};
use serde::Deserialize;
use utoipa::IntoParams;

/// Criteria of a list of people.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PeopleQuery {
    /// Only names that contain all these words or parts of words.
    q: Option<String>,
}

/// Criteria of a list of series.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SeriesQuery {
    /// Only names that contain all these words or parts of words.
    q: Option<String>,
    /// Only series of this kind.
    #[param(format = "kind")]
    kind: Option<String>,
}

/// Criteria of a list of genres.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct GenresQuery {
    /// Only names that contain all these words or parts of words.
    q: Option<String>,
    /// Only genres of items of this kind; their numbers count items of this kind.
    #[param(format = "kind")]
    kind: Option<String>,
}

/// Lists the people credited in visible items, by name.
#[utoipa::path(
    get, path = "/people", tag = "items",
    params(PeopleQuery, PageQuery),
    responses(
        (status = 200, description = "Names with their numbers of items", body = Page<Named>),
    ),
)]
pub(crate) async fn list_people(
    visible: Visible,
    State(app): State<App>,
    ApiQuery(asked): ApiQuery<PeopleQuery>,
    ApiQuery(page): ApiQuery<PageQuery>,
) -> ApiResult<ApiJson<Page<Named>>> {
    let window = page.window()?;
    let query = asked.q.unwrap_or_default();
    let page = app
        .db
        .read(move |conn| named::people(conn, visible, &query, window))
        .await?;
    Ok(ApiJson(page))
}

/// Lists the series of visible items, by name.
#[utoipa::path(
    get, path = "/series", tag = "items",
    params(SeriesQuery, PageQuery),
    responses(
        (status = 200, description = "Names with their numbers of items", body = Page<Named>),
    ),
)]
pub(crate) async fn list_series(
    visible: Visible,
    State(app): State<App>,
    ApiQuery(asked): ApiQuery<SeriesQuery>,
    ApiQuery(page): ApiQuery<PageQuery>,
) -> ApiResult<ApiJson<Page<Named>>> {
    let window = page.window()?;
    let kind = app.registry.wanted_kind(asked.kind)?;
    let query = asked.q.unwrap_or_default();
    let page = app
        .db
        .read(move |conn| named::series(conn, visible, kind.as_deref(), &query, window))
        .await?;
    Ok(ApiJson(page))
}

/// Lists the genres of visible items, by name.
#[utoipa::path(
    get, path = "/genres", tag = "items",
    params(GenresQuery, PageQuery),
    responses(
        (status = 200, description = "Names with their numbers of items", body = Page<Named>),
    ),
)]
pub(crate) async fn list_genres(
    visible: Visible,
    State(app): State<App>,
    ApiQuery(asked): ApiQuery<GenresQuery>,
    ApiQuery(page): ApiQuery<PageQuery>,
) -> ApiResult<ApiJson<Page<Named>>> {
    let window = page.window()?;
    let kind = app.registry.wanted_kind(asked.kind)?;
    let query = asked.q.unwrap_or_default();
    let page = app
        .db
        .read(move |conn| named::genres(conn, visible, kind.as_deref(), &query, window))
        .await?;
    Ok(ApiJson(page))
}
