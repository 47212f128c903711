//! Matches of an item: the attempts of providers, and the choices of administrators.

use axum::extract::{FromRequestParts, Path, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use ledge_core::App;
use ledge_core::access::{Visible, VisibleItem};
use ledge_core::enrich::{self, ChoiceOutcome};
use ledge_core::http::{ApiError, ApiJson, ApiResult, ErrorBody};
use ledge_core::id::ItemId;
use ledge_core::paging::Items;
use ledge_core::registry::provider::Candidate;
use ledge_core::store::catalogue::person;
use ledge_core::store::cover;
use ledge_core::store::item::{self, ItemDetail};
use ledge_core::store::matches::{self, MatchAttempt, MatchOutcome, write};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub(super) const NO_ITEM: ApiError = ApiError::NotFound("item");
const NO_PROVIDER: ApiError = ApiError::NotFound("provider");

/// Limit of an id at a provider in characters.
const MAX_ID: usize = 200;
/// Limit of a query in characters.
const MAX_WORDS: usize = 300;

/// Choice of a match.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "provider_id": "OL893415W" }))]
pub(crate) struct ChooseMatch {
    /// Id of the entry at the provider.
    #[schema(min_length = 1, max_length = 200)]
    provider_id: String,
}

impl ChooseMatch {
    pub(super) fn check(self) -> ApiResult<String> {
        let id = self.provider_id.trim();
        let is_sound = !id.is_empty() && !id.chars().any(char::is_control);
        if !is_sound || id.chars().count() > MAX_ID {
            let message = "The value must be one line of 1 to 200 characters.";
            return Err(ApiError::invalid("provider_id", message));
        }
        Ok(id.to_owned())
    }
}

/// Query for matches.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "query": "Moby Dick" }))]
pub(crate) struct SearchMatches {
    /// Text of the query; the default is derived from the item.
    #[serde(default)]
    #[schema(max_length = 300)]
    query: Option<String>,
}

impl SearchMatches {
    pub(super) fn check(self) -> ApiResult<Option<String>> {
        let words = self.query.map(|words| words.trim().to_owned());
        let words = words.filter(|words| !words.is_empty());
        let is_long = |words: &String| words.chars().count() > MAX_WORDS;
        if words.as_ref().is_some_and(is_long) {
            let message = "The query has at most 300 characters.";
            return Err(ApiError::invalid("query", message));
        }
        Ok(words)
    }
}

/// Entry of a provider that may match the item.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CandidateView {
    /// Id of the entry at the provider.
    provider_id: String,
    /// Title of the entry.
    title: String,
    /// Subtitle of the entry.
    subtitle: Option<String>,
    /// Year of the entry.
    year: Option<i32>,
    /// Authors, joined by commas.
    authors: String,
    /// Platforms of the entry, as identifiers of the kind.
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

/// An item and a provider id. They are extracted before the body, so that an absent one is reported
/// first.
#[derive(Debug, Clone)]
pub(crate) struct ItemProvider {
    item: VisibleItem,
    provider: String,
}

impl ItemProvider {
    /// Returns the id of the item.
    pub(super) fn item(&self) -> ItemId {
        self.item.id()
    }

    /// Returns the item with the user's access.
    pub(super) fn visible(&self) -> VisibleItem {
        self.item
    }

    /// Returns the id of the provider.
    pub(super) fn provider(&self) -> &str {
        &self.provider
    }
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

/// An item and a configured provider.
#[derive(Debug, Clone)]
pub(crate) struct ItemAsked(pub(super) ItemProvider);

impl FromRequestParts<App> for ItemAsked {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let asked = ItemProvider::from_request_parts(parts, app).await?;
        let known = app.providers.get(&asked.provider);
        known.map(|_| Self(asked)).ok_or(NO_PROVIDER)
    }
}

/// Lists the attempts of all providers, the newest first. A provider that reads local files and
/// found none has no attempt.
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
    let looks_only = |id: &str| (providers.iter()).any(|one| one.id == id && !one.is_remote);
    items.retain(|one| one.outcome != MatchOutcome::Notfound || !looks_only(&one.provider));
    Ok(ApiJson(Items { items }))
}

/// Queries a provider for entries that may match the item.
#[utoipa::path(
    post, path = "/items/{id}/matches/{provider}/search", tag = "enrichment",
    params(
        ("id" = i64, Path, description = "The item's id"),
        ("provider" = String, Path, description = "The provider's identifier"),
    ),
    request_body = Option<SearchMatches>,
    responses(
        (status = 200, description = "The candidates, the best matches first", body = Items<CandidateView>),
        (status = 404, description = "No such item, or no such provider for it", body = ErrorBody),
        (status = 409, description = "The provider did not respond", body = ErrorBody),
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

/// Applies an entry of a provider as the item's match. The stored id is the canonical id of the
/// provider: the work's id if the request contains the id of an edition.
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
        (status = 409, description = "The provider did not respond", body = ErrorBody),
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
        .read_inline(move |conn| {
            item::detail(conn, &registry, Visible::of(item.viewer()), item.id())
        })
        .await?;
    detail.map(ApiJson).ok_or(NO_ITEM)
}

pub(super) fn refusal(choosing: &ChoiceOutcome) -> Option<ApiError> {
    match choosing {
        ChoiceOutcome::Done => None,
        ChoiceOutcome::NoItem => Some(NO_ITEM),
        ChoiceOutcome::NoProvider => Some(NO_PROVIDER),
        ChoiceOutcome::NoSuchId => {
            let message = "The provider has nothing with this id.";
            Some(ApiError::invalid("provider_id", message))
        }
        ChoiceOutcome::NoAnswer(error) => {
            let message = format!("The provider does not respond: {error}. Try again later.");
            Some(ApiError::Conflict(message))
        }
    }
}

/// Removes the match of a provider with its values. The same match is applied again only by a
/// user's choice.
#[utoipa::path(
    delete, path = "/items/{id}/matches/{provider}", tag = "enrichment",
    params(
        ("id" = i64, Path, description = "The item's id"),
        ("provider" = String, Path, description = "The provider's identifier"),
    ),
    responses(
        (status = 204, description = "Removed, or there was none"),
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
            // A provider that is not part of this build may have left a match.
            let unlinked = write::unlink(tx, asked.item, &asked.provider, now)?;
            cover::request_job(tx, now)?;
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
