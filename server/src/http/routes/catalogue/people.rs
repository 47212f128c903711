//! People, for their pages.

use axum::extract::State;
use ledge_core::App;
use ledge_core::access::VisiblePerson;
use ledge_core::enrich;
use ledge_core::http::{ApiError, ApiJson, ApiResult, ErrorBody};
use ledge_core::store::matches::people::{self, PersonDetail};
use ledge_core::store::matches::person_detail;

/// Returns a person who is credited in a visible item. If the biography is not known yet, the server
/// requests it from the providers after the response, and `is_pending` is true.
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
    let (registry, now) = (app.registry.clone(), app.clock.now());
    let read = app.db.read(move |conn| {
        let found = people::detail(conn, &registry, person)?;
        Ok((found, person_detail::due(conn, person, now)?))
    });
    let (found, due) = read.await?;
    let mut found = found.ok_or(ApiError::NotFound("person"))?;
    found.is_pending = !app.providers.of_person(&due).is_empty();
    if found.is_pending {
        request_details(app, person);
    }
    Ok(ApiJson(found))
}

/// Requests the details of a person in the background. Does nothing if too many requests are
/// running: the next response about the person starts it.
fn request_details(app: App, person: VisiblePerson) {
    let Some(permit) = app.providers.permit_person(person.id()) else {
        return;
    };
    tokio::task::spawn_blocking(move || {
        if let Err(error) = enrich::fetch_person(&app, person) {
            tracing::warn!(person = person.id().0, %error, "cannot store the details of a person");
        }
        drop(permit);
    });
}
