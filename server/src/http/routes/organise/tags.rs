//! Tags of items: own ones and shared ones.

use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use ledge_core::App;
use ledge_core::access::{Visible, VisibleItem};
use ledge_core::http::{
    ApiError, ApiJson, ApiQuery, ApiResult, CurrentUser, ErrorBody, Id, PageQuery,
};
use ledge_core::id::TagId;
use ledge_core::paging::Page;
use ledge_core::store::user_data::tag::{self, CountedTag, MAX_TAGS, Owner, Tag};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::http::routes::text::line;

/// Limit of a tag's name in characters.
const MAX_NAME: usize = 60;

const NO_TAG: ApiError = ApiError::NotFound("tag");

/// Criteria of a list of tags.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct TagsQuery {
    /// Only names that contain this text.
    q: Option<String>,
    /// Only tags of items of this kind; their numbers count items of this kind.
    #[param(format = "kind")]
    kind: Option<String>,
}

/// Lists the shared tags and the user's own tags of visible items, by name.
#[utoipa::path(
    get, path = "/tags", tag = "organise",
    params(TagsQuery, PageQuery),
    responses(
        (status = 200, description = "Tags with their numbers of items", body = Page<CountedTag>),
    ),
)]
pub(crate) async fn list_tags(
    visible: Visible,
    State(app): State<App>,
    ApiQuery(asked): ApiQuery<TagsQuery>,
    ApiQuery(page): ApiQuery<PageQuery>,
) -> ApiResult<ApiJson<Page<CountedTag>>> {
    let window = page.window()?;
    let kind = app.registry.wanted_kind(asked.kind)?;
    let query = asked.q.unwrap_or_default();
    let tags = app
        .db
        .read_with_index(move |conn, view| tag::list(conn, view, visible, kind.as_deref(), &query))
        .await?;
    Ok(ApiJson(Page::of_all(tags, window)))
}

/// Tags of an item.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "tags": ["to read", "summer"] }))]
pub(crate) struct SetTags {
    /// Names of all tags of the owner.
    #[schema(max_items = 50)]
    tags: Vec<String>,
    /// `true` for the shared tags, `false` for the user's own tags.
    #[serde(default)]
    shared: bool,
}

/// All tags of an item that the user sees.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ItemTags {
    /// Shared tags and own tags, by name.
    tags: Vec<Tag>,
}

/// Replaces the user's own tags of an item, or its shared tags. Only administrators change shared
/// tags. A name without a tag creates one, and a tag without items is deleted.
#[utoipa::path(
    put, path = "/items/{id}/tags", tag = "organise",
    params(("id" = i64, Path, description = "The item's id")),
    request_body = SetTags,
    responses(
        (status = 200, description = "All tags of the item", body = ItemTags),
        (status = 403, description = "Shared tags are for administrators", body = ErrorBody),
    ),
)]
pub(crate) async fn set_tags(
    item: VisibleItem,
    user: CurrentUser,
    State(app): State<App>,
    ApiJson(body): ApiJson<SetTags>,
) -> ApiResult<ApiJson<ItemTags>> {
    let owner = if body.shared {
        user.require_admin()?;
        Owner::Everyone
    } else {
        Owner::User(user.id)
    };
    if body.tags.len() > MAX_TAGS {
        let message = format!("An item has at most {MAX_TAGS} tags.");
        return Err(ApiError::invalid("tags", message));
    }
    let names = body.tags.iter().map(|name| check_name("tags", name));
    let names: Vec<String> = names.collect::<ApiResult<_>>()?;
    let tags = app
        .db
        .write(move |tx| tag::set(tx, item, owner, &names))
        .await?;
    let tags = tags.ok_or(ApiError::NotFound("item"))?;
    Ok(ApiJson(ItemTags { tags }))
}

/// Returns the trimmed name of a tag.
pub(crate) fn check_name(field: &'static str, name: &str) -> ApiResult<String> {
    line(field, name, MAX_NAME)
}

/// A tag that the user may change. It is extracted before the body, so that an absent tag is
/// reported first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChangeableTag {
    id: TagId,
    visible: Visible,
}

impl FromRequestParts<App> for ChangeableTag {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let user = CurrentUser::from_request_parts(parts, app).await?;
        let Id(id) = Id::from_request_parts(parts, app)
            .await
            .map_err(|_| NO_TAG)?;
        let (id, visible) = (TagId(id), Visible::of(user.id));
        let tag = app.db.read(move |conn| tag::get(conn, visible, id)).await?;
        if tag.ok_or(NO_TAG)?.shared {
            user.require_admin()?;
        }
        Ok(Self { id, visible })
    }
}

/// New name of a tag.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "name": "to read" }))]
pub(crate) struct RenameTag {
    /// The name.
    #[schema(min_length = 1, max_length = 60)]
    name: String,
}

/// Renames an own tag, or a shared tag as an administrator.
#[utoipa::path(
    patch, path = "/tags/{id}", tag = "organise",
    params(("id" = i64, Path, description = "The tag's id")),
    request_body = RenameTag,
    responses(
        (status = 200, description = "The renamed tag", body = Tag),
        (status = 403, description = "Shared tags are for administrators", body = ErrorBody),
        (status = 404, description = "No such tag", body = ErrorBody),
        (status = 409, description = "Another tag has this name", body = ErrorBody),
    ),
)]
pub(crate) async fn rename_tag(
    tag: ChangeableTag,
    State(app): State<App>,
    ApiJson(body): ApiJson<RenameTag>,
) -> ApiResult<ApiJson<Tag>> {
    let name = check_name("name", &body.name)?;
    let renamed = app
        .db
        .write(move |tx| tag::rename(tx, tag.visible, tag.id, &name))
        .await?;
    renamed.map(ApiJson).ok_or(NO_TAG)
}

/// Removes an own tag, or a shared tag as an administrator, from all visible items.
#[utoipa::path(
    delete, path = "/tags/{id}", tag = "organise",
    params(("id" = i64, Path, description = "The tag's id")),
    responses(
        (status = 204, description = "Removed"),
        (status = 403, description = "Shared tags are for administrators", body = ErrorBody),
        (status = 404, description = "No such tag", body = ErrorBody),
    ),
)]
pub(crate) async fn delete_tag(
    tag: ChangeableTag,
    State(app): State<App>,
) -> ApiResult<StatusCode> {
    let deleted = app
        .db
        .write(move |tx| tag::delete(tx, tag.visible, tag.id))
        .await?;
    deleted.then_some(StatusCode::NO_CONTENT).ok_or(NO_TAG)
}
