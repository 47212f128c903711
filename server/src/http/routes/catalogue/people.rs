//! People, for their pages.

use axum::extract::State;
use ledge_core::App;
use ledge_core::access::VisiblePerson;
use ledge_core::http::{ApiError, ApiJson, ApiResult, ErrorBody};
use ledge_core::store::matches::people::{self, PersonDetail};

/// Returns a person who is credited in a visible item.
#[utoipa::path(
    get, path = "/people/{id}", tag = "items",
    params(("id" = i64, Path, description = "The person's id")),
    responses(
        (status = 200, description = "The person", body = PersonDetail),
        (status = 404, description = "No such person", body = ErrorBody),
    ),
)]
pub(crate) async fn get_person(
    person: VisiblePerson,
    State(app): State<App>,
) -> ApiResult<ApiJson<PersonDetail>> {
    let registry = app.registry.clone();
    let found = app
        .db
        .read(move |conn| people::detail(conn, &registry, person))
        .await?;
    found.map(ApiJson).ok_or(ApiError::NotFound("person"))
}
