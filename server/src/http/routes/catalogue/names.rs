//! People, series and genres with their numbers of items.

use axum::extract::State;
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::error::StoreResult;
use ledge_core::http::{ApiJson, ApiQuery, ApiResult, PageQuery};
use ledge_core::paging::{Page, Window};
use ledge_core::store::catalogue::named::{self, Named};
use rusqlite::Connection;
use serde::Deserialize;
use utoipa::IntoParams;

/// Criteria of a list of people.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PeopleQuery {
    /// Only names that contain all these words or parts of words.
    q: Option<String>,
}

/// Criteria of a list of series or genres.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct NamesQuery {
    /// Only names that contain all these words or parts of words.
    q: Option<String>,
    /// Only names of items of this kind. The numbers of genres count items of this kind.
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
    params(NamesQuery, PageQuery),
    responses(
        (status = 200, description = "Names with their numbers of items", body = Page<Named>),
    ),
)]
pub(crate) async fn list_series(
    visible: Visible,
    State(app): State<App>,
    ApiQuery(asked): ApiQuery<NamesQuery>,
    ApiQuery(page): ApiQuery<PageQuery>,
) -> ApiResult<ApiJson<Page<Named>>> {
    of_kind(&app, visible, asked, page, named::series).await
}

/// Lists the genres of visible items, by name.
#[utoipa::path(
    get, path = "/genres", tag = "items",
    params(NamesQuery, PageQuery),
    responses(
        (status = 200, description = "Names with their numbers of items", body = Page<Named>),
    ),
)]
pub(crate) async fn list_genres(
    visible: Visible,
    State(app): State<App>,
    ApiQuery(asked): ApiQuery<NamesQuery>,
    ApiQuery(page): ApiQuery<PageQuery>,
) -> ApiResult<ApiJson<Page<Named>>> {
    of_kind(&app, visible, asked, page, named::genres).await
}

/// Reads a page of names, optionally of one kind.
type ReadNames = fn(&Connection, Visible, Option<&str>, &str, Window) -> StoreResult<Page<Named>>;

async fn of_kind(
    app: &App,
    visible: Visible,
    asked: NamesQuery,
    page: PageQuery,
    read: ReadNames,
) -> ApiResult<ApiJson<Page<Named>>> {
    let window = page.window()?;
    let kind = app.registry.wanted_kind(asked.kind)?;
    let query = asked.q.unwrap_or_default();
    let page = app
        .db
        .read(move |conn| read(conn, visible, kind.as_deref(), &query, window))
        .await?;
    Ok(ApiJson(page))
}
