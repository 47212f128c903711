//! Search in all visible items.

use axum::extract::State;
use ledge_core::access::Visible;
use ledge_core::http::{ApiError, ApiJson, ApiLastQuery, ApiResult};
use ledge_core::paging::MAX_LIMIT;
use ledge_core::store::item::{self, Found, SearchRequest};
use ledge_core::{App, search};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::http::routes::media::playback;

/// Default limit of matches per kind.
const DEFAULT_LIMIT: u32 = 20;

/// Criteria of a search.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SearchQuery {
    /// Words of titles, people, series and paths. The first 256 characters and 16 words are evaluated,
    /// without operators. If the parameter is repeated, the last value counts.
    q: Option<String>,
    /// Only this kind.
    #[param(format = "kind")]
    kind: Option<String>,
    /// Limit of items per kind.
    #[param(minimum = 1, maximum = 500, default = 20)]
    limit: Option<i64>,
    /// Engine ids, separated by commas. The cards then state if one of the engines plays the item.
    engines: Option<String>,
    /// `false` disables similar words. Otherwise, if fewer than five items contain the terms, similar
    /// words match too: words with one edit for terms of four to seven letters, with two edits for
    /// longer ones.
    #[param(default = true)]
    fuzzy: Option<bool>,
}

/// Searches present items that match all words. The results are grouped by kind, the best matches
/// first.
#[utoipa::path(
    get, path = "/search", tag = "items",
    params(SearchQuery),
    responses(
        (status = 200, description = "The matches", body = Found),
    ),
)]
pub(crate) async fn search_items(
    visible: Visible,
    State(app): State<App>,
    ApiLastQuery(asked): ApiLastQuery<SearchQuery>,
) -> ApiResult<ApiJson<Found>> {
    let kind = app.registry.wanted_kind(asked.kind)?;
    let limit = u32::try_from(asked.limit.unwrap_or(DEFAULT_LIMIT.into()))
        .ok()
        .filter(|limit| (1..=MAX_LIMIT).contains(limit))
        .ok_or_else(|| ApiError::invalid("limit", "`limit` is between 1 and 500."))?;
    let engines = playback::offer_of_list(&app.registry, asked.engines.as_deref())?;
    let registry = app.registry.clone();
    let found = app
        .db
        .read_with_index(move |conn, view| {
            let kinds: Vec<&str> = registry.kinds().iter().map(|kind| kind.id).collect();
            let request = SearchRequest {
                query: search::Query {
                    text: asked.q.as_deref().unwrap_or_default(),
                    kind: kind.as_deref(),
                    limit: limit as usize,
                    fuzzy: asked.fuzzy.unwrap_or(true),
                },
                engines: engines.as_ref(),
            };
            item::search(conn, view, visible, &kinds, &request)
        })
        .await?;
    Ok(ApiJson(found))
}
