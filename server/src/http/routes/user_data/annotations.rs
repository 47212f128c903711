//! Bookmarks and highlights of a user in an item.

mod request;

use axum::extract::{FromRequestParts, Path, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use ledge_core::App;
use ledge_core::access::VisibleItem;
use ledge_core::http::{ApiError, ApiJson, ApiResult, ErrorBody, parse_id};
use ledge_core::id::AnnotationId;
use ledge_core::paging::Items;
use ledge_core::store::user_data::annotation::{self, Annotation};

use request::{CreateAnnotation, UpdateAnnotation};

const NO_ANNOTATION: ApiError = ApiError::NotFound("annotation");

/// Lists the user's annotations of an item, ordered by file and position.
#[utoipa::path(
    get, path = "/items/{id}/annotations", tag = "annotations",
    params(("id" = i64, Path, description = "The item's id")),
    responses(
        (status = 200, description = "The annotations, by place", body = Items<Annotation>),
    ),
)]
pub(crate) async fn list_annotations(
    item: VisibleItem,
    State(app): State<App>,
) -> ApiResult<ApiJson<Items<Annotation>>> {
    let items = app
        .db
        .read(move |conn| annotation::of_item(conn, item))
        .await?;
    Ok(ApiJson(Items { items }))
}

/// Creates a bookmark or a highlight.
#[utoipa::path(
    post, path = "/items/{id}/annotations", tag = "annotations",
    params(("id" = i64, Path, description = "The item's id")),
    request_body = CreateAnnotation,
    responses(
        (status = 201, description = "Created", body = Annotation),
        (status = 409, description = "The item has too many annotations", body = ErrorBody),
    ),
)]
pub(crate) async fn create_annotation(
    item: VisibleItem,
    State(app): State<App>,
    ApiJson(body): ApiJson<CreateAnnotation>,
) -> ApiResult<(StatusCode, ApiJson<Annotation>)> {
    let new = body.check()?;
    let now = app.clock.now();
    let made = app
        .db
        .write(move |tx| annotation::create(tx, item, &new, now))
        .await?;
    let made = made.ok_or(ApiError::NotFound("item"))?;
    Ok((StatusCode::CREATED, ApiJson(made)))
}

/// Changes an annotation of the user.
#[utoipa::path(
    patch, path = "/items/{id}/annotations/{annotation}", tag = "annotations",
    params(
        ("id" = i64, Path, description = "The item's id"),
        ("annotation" = i64, Path, description = "The annotation's id"),
    ),
    request_body = UpdateAnnotation,
    responses(
        (status = 200, description = "Changed", body = Annotation),
        (status = 404, description = "No such item or annotation", body = ErrorBody),
        (status = 409, description = "The annotations of this item have too much text", body = ErrorBody),
    ),
)]
pub(crate) async fn update_annotation(
    own: OwnAnnotation,
    State(app): State<App>,
    ApiJson(body): ApiJson<UpdateAnnotation>,
) -> ApiResult<ApiJson<Annotation>> {
    let patch = body.check()?;
    let changed = app
        .db
        .write(move |tx| annotation::update(tx, own.item, own.id, &patch))
        .await?;
    Ok(ApiJson(changed.ok_or(NO_ANNOTATION)?))
}

/// Deletes an annotation of the user.
#[utoipa::path(
    delete, path = "/items/{id}/annotations/{annotation}", tag = "annotations",
    params(
        ("id" = i64, Path, description = "The item's id"),
        ("annotation" = i64, Path, description = "The annotation's id"),
    ),
    responses(
        (status = 204, description = "Deleted"),
        (status = 404, description = "No such item or annotation", body = ErrorBody),
    ),
)]
pub(crate) async fn delete_annotation(
    own: OwnAnnotation,
    State(app): State<App>,
) -> ApiResult<StatusCode> {
    let deleted = app
        .db
        .write(move |tx| annotation::delete(tx, own.item, own.id))
        .await?;
    if deleted {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(NO_ANNOTATION)
    }
}

/// An annotation of the viewer. It is extracted before the body, so that an absent one is reported
/// first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnAnnotation {
    item: VisibleItem,
    id: AnnotationId,
}

impl FromRequestParts<App> for OwnAnnotation {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let item = VisibleItem::from_request_parts(parts, app).await?;
        let path = Path::<(String, String)>::from_request_parts(parts, app).await;
        let Path((_, segment)) = path.map_err(|_| NO_ANNOTATION)?;
        let id = parse_id(&segment).map(AnnotationId).ok_or(NO_ANNOTATION)?;
        let exists = app
            .db
            .read(move |conn| annotation::exists(conn, item, id))
            .await?;
        exists.then_some(Self { item, id }).ok_or(NO_ANNOTATION)
    }
}
