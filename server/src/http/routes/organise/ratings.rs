//! Ratings of items, files and people by users.

use axum::extract::State;
use axum::http::StatusCode;
use ledge_core::App;
use ledge_core::access::{VisibleFile, VisibleItem, VisiblePerson};
use ledge_core::http::{ApiError, ApiJson, ApiResult};
use ledge_core::store::user_data::rating;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::routes::catalogue::filter::check_rating;

const NO_ITEM: ApiError = ApiError::NotFound("item");

/// A rating.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "rating": 8 }))]
pub(crate) struct RatingBody {
    /// The rating, from 1 to 10.
    #[schema(minimum = 1, maximum = 10)]
    rating: i64,
}

/// Stores the user's rating of an item.
#[utoipa::path(
    put, path = "/items/{id}/rating", tag = "organise",
    params(("id" = i64, Path, description = "The item's id")),
    request_body = RatingBody,
    responses(
        (status = 204, description = "Done"),
    ),
)]
pub(crate) async fn set_rating(
    item: VisibleItem,
    State(app): State<App>,
    ApiJson(body): ApiJson<RatingBody>,
) -> ApiResult<StatusCode> {
    let rating = check_rating("rating", body.rating)?;
    let now = app.clock.now();
    let is_there = app
        .db
        .write(move |tx| rating::set(tx, item, rating, now))
        .await?;
    is_there.then_some(StatusCode::NO_CONTENT).ok_or(NO_ITEM)
}

/// Removes the user's rating of an item. Repeated requests succeed.
#[utoipa::path(
    delete, path = "/items/{id}/rating", tag = "organise",
    params(("id" = i64, Path, description = "The item's id")),
    responses(
        (status = 204, description = "Done"),
    ),
)]
pub(crate) async fn remove_rating(
    item: VisibleItem,
    State(app): State<App>,
) -> ApiResult<StatusCode> {
    let is_there = app.db.write(move |tx| rating::remove(tx, item)).await?;
    is_there.then_some(StatusCode::NO_CONTENT).ok_or(NO_ITEM)
}

/// Stores the user's rating of a file.
#[utoipa::path(
    put, path = "/files/{id}/rating", tag = "organise",
    params(("id" = i64, Path, description = "The file's id")),
    request_body = RatingBody,
    responses(
        (status = 204, description = "Done"),
    ),
)]
pub(crate) async fn set_file_rating(
    file: VisibleFile,
    State(app): State<App>,
    ApiJson(body): ApiJson<RatingBody>,
) -> ApiResult<StatusCode> {
    let rating = check_rating("rating", body.rating)?;
    let now = app.clock.now();
    let write = app
        .db
        .write(move |tx| rating::set_file(tx, file, rating, now));
    let is_there = write.await?;
    is_there
        .then_some(StatusCode::NO_CONTENT)
        .ok_or(ApiError::NotFound("file"))
}

/// Removes the user's rating of a file. Repeated requests succeed.
#[utoipa::path(
    delete, path = "/files/{id}/rating", tag = "organise",
    params(("id" = i64, Path, description = "The file's id")),
    responses(
        (status = 204, description = "Done"),
    ),
)]
pub(crate) async fn remove_file_rating(
    file: VisibleFile,
    State(app): State<App>,
) -> ApiResult<StatusCode> {
    let is_there = app
        .db
        .write(move |tx| rating::remove_file(tx, file))
        .await?;
    is_there
        .then_some(StatusCode::NO_CONTENT)
        .ok_or(ApiError::NotFound("file"))
}

/// Stores the user's rating of a person.
#[utoipa::path(
    put, path = "/people/{id}/rating", tag = "organise",
    params(("id" = i64, Path, description = "The person's id")),
    request_body = RatingBody,
    responses(
        (status = 204, description = "Done"),
    ),
)]
pub(crate) async fn set_person_rating(
    person: VisiblePerson,
    State(app): State<App>,
    ApiJson(body): ApiJson<RatingBody>,
) -> ApiResult<StatusCode> {
    let rating = check_rating("rating", body.rating)?;
    let now = app.clock.now();
    let write = app
        .db
        .write(move |tx| rating::set_person(tx, person, rating, now));
    let is_there = write.await?;
    is_there
        .then_some(StatusCode::NO_CONTENT)
        .ok_or(ApiError::NotFound("person"))
}

/// Removes the user's rating of a person. Repeated requests succeed.
#[utoipa::path(
    delete, path = "/people/{id}/rating", tag = "organise",
    params(("id" = i64, Path, description = "The person's id")),
    responses(
        (status = 204, description = "Done"),
    ),
)]
pub(crate) async fn remove_person_rating(
    person: VisiblePerson,
    State(app): State<App>,
) -> ApiResult<StatusCode> {
    let is_there = app
        .db
        .write(move |tx| rating::remove_person(tx, person))
        .await?;
    is_there
        .then_some(StatusCode::NO_CONTENT)
        .ok_or(ApiError::NotFound("person"))
}
