//! Ratings of items, files and people by users.

use axum::extract::State;
use axum::http::StatusCode;
use ledge_core::App;
use ledge_core::access::{VisibleFile, VisibleItem, VisiblePerson};
use ledge_core::http::{ApiError, ApiJson, ApiResult};
use ledge_core::store::user_data::mark::{self, Subject};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::routes::catalogue::filter::check_rating;

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
    store(&app, item, body.rating, "item").await
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
    remove(&app, item, "item").await
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
    store(&app, file, body.rating, "file").await
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
    remove(&app, file, "file").await
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
    store(&app, person, body.rating, "person").await
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
    remove(&app, person, "person").await
}

async fn store(
    app: &App,
    subject: impl Subject + Send + 'static,
    rating: i64,
    noun: &'static str,
) -> ApiResult<StatusCode> {
    let rating = check_rating("rating", rating)?;
    let now = app.clock.now();
    let write = app.db.write(move |tx| mark::rate(tx, subject, rating, now));
    done(write.await?, noun)
}

async fn remove(
    app: &App,
    subject: impl Subject + Send + 'static,
    noun: &'static str,
) -> ApiResult<StatusCode> {
    let write = app.db.write(move |tx| mark::remove_rating(tx, subject));
    done(write.await?, noun)
}

fn done(is_there: bool, noun: &'static str) -> ApiResult<StatusCode> {
    let absent = ApiError::NotFound(noun);
    is_there.then_some(StatusCode::NO_CONTENT).ok_or(absent)
}
