//! Seasons and episodes of an item.

use axum::extract::State;
use ledge_core::App;
use ledge_core::access::VisibleItem;
use ledge_core::http::{ApiError, ApiJson, ApiQuery, ApiResult, ErrorBody, PageQuery};
use ledge_core::paging::{Items, Page};
use ledge_core::store::item::detail::episodes::{self, AbsentEpisode, Episode, Season};
use serde::Deserialize;
use utoipa::IntoParams;

const NO_SEASONS: ApiError = ApiError::NotFound("season");

/// Lists the seasons of an item in order, with the specials (season 0) last.
#[utoipa::path(
    get, path = "/items/{id}/seasons", tag = "items",
    params(("id" = i64, Path, description = "The item's id")),
    responses(
        (status = 200, description = "The seasons", body = Items<Season>),
        (status = 404, description = "No such item, or it has no seasons", body = ErrorBody),
    ),
)]
pub(crate) async fn list_seasons(
    item: VisibleItem,
    State(app): State<App>,
) -> ApiResult<ApiJson<Items<Season>>> {
    let registry = app.registry.clone();
    let items = app
        .db
        .read(move |conn| episodes::seasons(conn, &registry, item))
        .await?;
    if items.is_empty() {
        return Err(NO_SEASONS);
    }
    Ok(ApiJson(Items { items }))
}

/// Criteria of a list of episodes.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SeasonQuery {
    /// Only the episodes of this season; 0 for specials.
    season: Option<i64>,
}

/// Lists the broadcast episodes of an item without a file, as the provider of its match knows them.
/// Specials are left out.
#[utoipa::path(
    get, path = "/items/{id}/absent-episodes", tag = "items",
    params(("id" = i64, Path, description = "The item's id")),
    responses(
        (status = 200, description = "The episodes, in order", body = Items<AbsentEpisode>),
        (status = 404, description = "No such item", body = ErrorBody),
    ),
)]
pub(crate) async fn list_absent_episodes(
    item: VisibleItem,
    State(app): State<App>,
) -> ApiResult<ApiJson<Items<AbsentEpisode>>> {
    let registry = app.registry.clone();
    let now = app.clock.now().to_string();
    let items = app
        .db
        .read(move |conn| {
            let today = now.get(..10).unwrap_or_default();
            episodes::absent(conn, &registry, item, today)
        })
        .await?;
    Ok(ApiJson(Items { items }))
}

/// Lists the episodes of an item in order, with the specials last. Versions of one episode are
/// listed once.
#[utoipa::path(
    get, path = "/items/{id}/episodes", tag = "items",
    params(("id" = i64, Path, description = "The item's id"), SeasonQuery, PageQuery),
    responses(
        (status = 200, description = "The episodes", body = Page<Episode>),
        (status = 404, description = "No such item, or it has no seasons", body = ErrorBody),
    ),
)]
pub(crate) async fn list_episodes(
    item: VisibleItem,
    State(app): State<App>,
    ApiQuery(query): ApiQuery<SeasonQuery>,
    ApiQuery(page): ApiQuery<PageQuery>,
) -> ApiResult<ApiJson<Page<Episode>>> {
    let window = page.window()?;
    let registry = app.registry.clone();
    let mut episodes = app
        .db
        .read(move |conn| episodes::episodes(conn, &registry, item))
        .await?;
    if episodes.is_empty() {
        return Err(NO_SEASONS);
    }
    if let Some(season) = query.season {
        episodes.retain(|episode| episode.season == season);
    }
    Ok(ApiJson(Page::of_all(episodes, window)))
}
