//! Search over everything one may see.

use axum::extract::State;
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::http::page::MAX_LIMIT;
use ledge_core::http::{ApiError, ApiJson, ApiLastQuery, ApiResult};
use ledge_core::search::{self, Found, Wanted};
use serde::Deserialize;
use utoipa::IntoParams;

use super::playback;

/// Best matches of each kind where no number is asked for.
const DEFAULT_LIMIT: u32 = 20;

/// What is looked for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SearchQuery {
    /// Words of titles, paths and authors; the first 256 characters and 16 words count. Nothing
    /// in it is an operator. Where it comes several times, the last one counts.
    q: Option<String>,
    /// Only this kind.
    #[param(format = "kind")]
    kind: Option<String>,
    /// How many items of each kind.
    #[param(minimum = 1, maximum = 500, default = 20)]
    limit: Option<i64>,
    /// Engines, with commas between: the cards then say whether one of them plays the item.
    engines: Option<String>,
}

/// Present items that match all words, best first, by kind.
#[utoipa::path(
    get, path = "/search", tag = "items",
    params(SearchQuery),
    responses(
        (status = 200, description = "What matches", body = Found),
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
        .read_with_presence(move |conn, view| {
            let kinds: Vec<&str> = registry.kinds().iter().map(|kind| kind.id).collect();
            let wanted = Wanted {
                query: asked.q.as_deref().unwrap_or_default(),
                kind: kind.as_deref(),
                limit: limit as usize,
                engines: engines.as_ref(),
            };
            search::find(conn, view, visible, &kinds, &wanted)
        })
        .await?;
    Ok(ApiJson(found))
}
