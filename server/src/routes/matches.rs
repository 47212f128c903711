//! Matches of an item: what providers answered, and what administrators make of it.

use axum::extract::{FromRequestParts, Path, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use ledge_core::App;
use ledge_core::access::{Visible, VisibleItem};
use ledge_core::cover;
use ledge_core::enrich::{self, Choosing};
use ledge_core::http::{ApiError, ApiJson, ApiResult, ErrorBody, Items};
use ledge_core::registry::provider::Candidate;
use ledge_core::store::item::{self, ItemDetail};
use ledge_core::store::matches::{self, MatchAttempt, MatchOutcome, write};
use ledge_core::store::person;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

const NO_ITEM: ApiError = ApiError::NotFound("item");
const NO_PROVIDER: ApiError = ApiError::NotFound("provider");

/// Longest id at a provider, in characters.
const MAX_ID: usize = 200;
/// Longest text to search for, in characters.
const MAX_WORDS: usize = 300;

/// What to take as the match.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "provider_id": "OL893415W" }))]
pub(crate) struct ChooseMatch {
    /// Id at the provider.
    #[schema(min_length = 1, max_length = 200)]
    provider_id: String,
}

impl ChooseMatch {
    fn check(self) -> ApiResult<String> {
        let id = self.provider_id.trim();
        let is_sound = !id.is_empty() && !id.chars().any(char::is_control);
        if !is_sound || id.chars().count() > MAX_ID {
            let message = "This is one line of 1 to 200 characters.";
            return Err(ApiError::invalid("provider_id", message));
        }
        Ok(id.to_owned())
    }
}

/// What to look for.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "query": "Moby Dick" }))]
pub(crate) struct SearchMatches {
    /// Words to search for; without them, what is known of the item.
    #[serde(default)]
    #[schema(max_length = 300)]
    query: Option<String>,
}

impl SearchMatches {
    fn check(self) -> ApiResult<Option<String>> {
        let words = self.query.map(|words| words.trim().to_owned());
        let words = words.filter(|words| !words.is_empty());
        let is_long = |words: &String| words.chars().count() > MAX_WORDS;
        if words.as_ref().is_some_and(is_long) {
            let message = "These are at most 300 characters.";
            return Err(ApiError::invalid("query", message));
        }
        Ok(words)
    }
}

/// Something at a provider that may be the item.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CandidateView {
    /// Its id at the provider.
    provider_id: String,
    /// Its title.
    title: String,
    /// What follows the title.
    subtitle: Option<String>,
    /// Its year.
    year: Option<i32>,
    /// Its authors, joined.
    authors: String,
    /// The platforms it came out for, by the kind's identifiers.
    platforms: Vec<String>,
}

impl From<Candidate> for CandidateView {
    fn from(found: Candidate) -> Self {
        Self {
            authors: person::author_line(&found.authors),
            provider_id: found.provider_id,
            title: found.title,
            subtitle: found.subtitle,
            year: found.year,
            platforms: found.platforms,
        }
    }
}

/// An item and the name of a provider: absence is told before anything of the body.
#[derive(Debug, Clone)]
pub(crate) struct ItemProvider {
    item: VisibleItem,
    provider: String,
}

impl FromRequestParts<App> for ItemProvider {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let item = VisibleItem::from_request_parts(parts, app).await?;
        let path = Path::<(String, String)>::from_request_parts(parts, app).await;
        let Path((_, provider)) = path.map_err(|_| NO_PROVIDER)?;
        Ok(Self { item, provider })
    }
}

/// An item and a provider that can be asked.
#[derive(Debug, Clone)]
pub(crate) struct ItemAsked(ItemProvider);

impl FromRequestParts<App> for ItemAsked {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let asked = ItemProvider::from_request_parts(parts, app).await?;
        let known = app.providers.get(&asked.provider);
        known.map(|_| Self(asked)).ok_or(NO_PROVIDER)
    }
}

/// What each provider was asked and answered, the newest attempt first. One that only looks at files
/// and found none was asked nothing, and is left out.
#[utoipa::path(
    get, path = "/items/{id}/matches", tag = "enrichment",
    params(("id" = i64, Path, description = "The item's id")),
    responses(
        (status = 200, description = "The attempts", body = Items<MatchAttempt>),
        (status = 404, description = "No such item", body = ErrorBody),
    )
)]
pub(crate) async fn list_matches(
    item: VisibleItem,
    State(app): State<App>,
) -> ApiResult<ApiJson<Items<MatchAttempt>>> {
    let mut items = app.db.read(move |conn| matches::list(conn, item)).await?;
    let providers = app.registry.providers();
    let looks_only = |id: &str| (providers.iter()).any(|one| one.id == id && !one.asks_somebody);
    items.retain(|one| one.outcome != MatchOutcome::Notfound || !looks_only(&one.provider));
    Ok(ApiJson(Items { items }))
}

/// What a provider has that may be the item, asked now.
#[utoipa::path(
    post, path = "/items/{id}/matches/{provider}/search", tag = "enrichment",
    params(
        ("id" = i64, Path, description = "The item's id"),
        ("provider" = String, Path, description = "The provider's identifier"),
    ),
    request_body = Option<SearchMatches>,
    responses(
        (status = 200, description = "The candidates, the best guesses first", body = Items<CandidateView>),
        (status = 404, description = "No such item, or no such provider for it", body = ErrorBody),
        (status = 409, description = "The provider gives no answer", body = ErrorBody),
    )
)]
pub(crate) async fn search_matches(
    ItemAsked(asked): ItemAsked,
    State(app): State<App>,
    body: Option<ApiJson<SearchMatches>>,
) -> ApiResult<ApiJson<Items<CandidateView>>> {
    let words = match body {
        Some(ApiJson(body)) => body.check()?,
        None => None,
    };
    let search = move || {
        let (item, provider) = (asked.item.id(), asked.provider.as_str());
        enrich::candidates(&app, item, provider, words.as_deref())
    };
    let found = tokio::task::spawn_blocking(search).await;
    let found = found.map_err(ApiError::internal)??;
    let found = found.map_err(|why| refusal(&why).unwrap_or(NO_ITEM))?;
    let items = found.into_iter().map(CandidateView::from).collect();
    Ok(ApiJson(Items { items }))
}

/// Takes what a provider has under an id as the item's match. The match bears the id under which
/// the provider keeps it: that of the work where an edition's is given.
#[utoipa::path(
    put, path = "/items/{id}/matches/{provider}", tag = "enrichment",
    params(
        ("id" = i64, Path, description = "The item's id"),
        ("provider" = String, Path, description = "The provider's identifier"),
    ),
    request_body = ChooseMatch,
    responses(
        (status = 200, description = "The item as it is now", body = ItemDetail),
        (status = 404, description = "No such item, or no such provider for it", body = ErrorBody),
        (status = 409, description = "The provider gives no answer", body = ErrorBody),
    )
)]
pub(crate) async fn choose_match(
    ItemAsked(asked): ItemAsked,
    State(app): State<App>,
    ApiJson(body): ApiJson<ChooseMatch>,
) -> ApiResult<ApiJson<ItemDetail>> {
    let id = body.check()?;
    let (item, asking) = (asked.item, app.clone());
    let choose = move || enrich::choose(&asking, item, &asked.provider, &id);
    let choosing = tokio::task::spawn_blocking(choose).await;
    if let Some(refusal) = refusal(&choosing.map_err(ApiError::internal)??) {
        return Err(refusal);
    }
    let registry = app.registry.clone();
    let detail = app
        .db
        .read_few(move |conn| {
            item::detail(conn, &registry, None, Visible::of(item.viewer()), item.id())
        })
        .await?;
    detail.map(ApiJson).ok_or(NO_ITEM)
}

fn refusal(choosing: &Choosing) -> Option<ApiError> {
    match choosing {
        Choosing::Done => None,
        Choosing::NoItem => Some(NO_ITEM),
        Choosing::NoProvider => Some(NO_PROVIDER),
        Choosing::NoSuchId => {
            let message = "The provider has nothing with this id.";
            Some(ApiError::invalid("provider_id", message))
        }
        Choosing::NoAnswer(error) => {
            let message = format!("The provider gives no answer now: {error}. Try again later.");
            Some(ApiError::Conflict(message))
        }
    }
}

/// Undoes the match of a provider: what it said of the item goes, and this match is not made again
/// unless somebody chooses it.
#[utoipa::path(
    delete, path = "/items/{id}/matches/{provider}", tag = "enrichment",
    params(
        ("id" = i64, Path, description = "The item's id"),
        ("provider" = String, Path, description = "The provider's identifier"),
    ),
    responses(
        (status = 204, description = "Undone, or there was none"),
        (status = 404, description = "No such item or provider", body = ErrorBody),
    )
)]
pub(crate) async fn unlink_match(
    asked: ItemProvider,
    State(app): State<App>,
) -> ApiResult<StatusCode> {
    let is_known = app
        .registry
        .providers()
        .iter()
        .any(|known| known.id == asked.provider);
    let now = app.clock.now();
    let unlinked = app
        .db
        .write(move |tx| {
            // One that is not linked in any more may have left a match.
            let unlinked = write::unlink(tx, asked.item, &asked.provider, now)?;
            cover::request(tx, now)?;
            Ok(unlinked)
        })
        .await?;
    app.jobs.wake();
    if unlinked || is_known {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(NO_PROVIDER)
    }
}
