//! Identification of an item: candidates of all its providers at once.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use ledge_core::App;
use ledge_core::access::VisibleItem;
use ledge_core::enrich::{self, ProviderAnswer, ScoredCandidate};
use ledge_core::http::{ApiError, ApiJson, ApiQuery, ApiResult, ErrorBody, picture};
use ledge_core::paging::Items;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::matches::{CandidateView, ItemAsked, NO_ITEM, refusal};

/// Limit of a query in characters.
const MAX_WORDS: usize = 300;

/// Values that replace those of the item in the query.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "query": "Solaris", "year": 1972 }))]
pub(crate) struct Identify {
    /// Text of the query; the default is derived from the item.
    #[serde(default)]
    #[schema(max_length = 300)]
    query: Option<String>,
    /// Year of the work; the default is the item's year.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 2999)]
    year: Option<i32>,
}

impl Identify {
    fn check(self) -> ApiResult<(Option<String>, Option<i32>)> {
        if self.year.is_some_and(|year| !(1..=2999).contains(&year)) {
            let message = "The year must be from 1 to 2999.";
            return Err(ApiError::invalid("year", message));
        }
        let words = self.query.map(|words| words.trim().to_owned());
        let words = words.filter(|words| !words.is_empty());
        if words
            .as_ref()
            .is_some_and(|words| words.chars().count() > MAX_WORDS)
        {
            let message = "The query has at most 300 characters.";
            return Err(ApiError::invalid("query", message));
        }
        Ok((words, self.year))
    }
}

/// Answer of one provider.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AnswerView {
    /// Id of the provider.
    provider: &'static str,
    /// Name of the provider.
    label: &'static str,
    /// Candidates, the best ones first.
    candidates: Vec<IdentifiedView>,
    /// Reason why the provider did not answer; null if it did.
    error: Option<String>,
}

/// Candidate with its score.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IdentifiedView {
    /// The entry.
    #[serde(flatten)]
    entry: CandidateView,
    /// Similarity to the item from 0 to 1; null if a fact rules the entry out. A match is made
    /// automatically from 0.8 on.
    score: Option<f64>,
    /// `true` if the entry has a picture.
    has_picture: bool,
}

impl From<ScoredCandidate> for IdentifiedView {
    fn from(found: ScoredCandidate) -> Self {
        Self {
            score: found.score,
            has_picture: found.has_picture,
            entry: found.candidate.into(),
        }
    }
}

impl From<ProviderAnswer> for AnswerView {
    fn from(answer: ProviderAnswer) -> Self {
        let candidates = answer.candidates.into_iter();
        Self {
            provider: answer.provider.id,
            label: answer.provider.label,
            candidates: candidates.map(IdentifiedView::from).collect(),
            error: answer.error,
        }
    }
}

/// Queries all remote providers of an item for entries that may match it.
#[utoipa::path(
    post, path = "/items/{id}/identify", tag = "enrichment",
    params(("id" = i64, Path, description = "The item's id")),
    request_body = Option<Identify>,
    responses(
        (status = 200, description = "The answers, in query order", body = Items<AnswerView>),
        (status = 404, description = "No such item", body = ErrorBody),
    )
)]
pub(crate) async fn identify_item(
    item: VisibleItem,
    State(app): State<App>,
    body: Option<ApiJson<Identify>>,
) -> ApiResult<ApiJson<Items<AnswerView>>> {
    let (words, year) = match body {
        Some(ApiJson(body)) => body.check()?,
        None => (None, None),
    };
    let ask = move || enrich::identify(&app, item.id(), words.as_deref(), year);
    let asked = tokio::task::spawn_blocking(ask).await;
    let answers = asked.map_err(ApiError::internal)??.ok_or(NO_ITEM)?;
    let items = answers.into_iter().map(AnswerView::from).collect();
    Ok(ApiJson(Items { items }))
}

/// Entry of a provider.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct EntryQuery {
    /// Id of the entry at the provider.
    provider_id: String,
}

/// Returns a small image of a candidate that an identification has found within the last hour.
#[utoipa::path(
    get, path = "/items/{id}/matches/{provider}/picture", tag = "enrichment",
    params(
        ("id" = i64, Path, description = "The item's id"),
        ("provider" = String, Path, description = "The provider's identifier"),
        EntryQuery,
    ),
    responses(
        (status = 200, description = "The image", content_type = "image/jpeg"),
        (status = 404, description = "No such item or provider, or no picture", body = ErrorBody),
        (status = 409, description = "The provider did not respond", body = ErrorBody),
    )
)]
pub(crate) async fn get_candidate_picture(
    ItemAsked(asked): ItemAsked,
    State(app): State<App>,
    ApiQuery(query): ApiQuery<EntryQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let fetch =
        move || enrich::candidate_picture(&app, asked.item(), asked.provider(), &query.provider_id);
    let fetched = tokio::task::spawn_blocking(fetch).await;
    let image = fetched.map_err(ApiError::internal)?;
    let image = image.map_err(|why| refusal(&why).unwrap_or(NO_ITEM))?;
    picture::respond(image.ok_or(NO_ITEM)?, false, &headers)
}
