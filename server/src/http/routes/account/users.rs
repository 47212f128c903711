//! User accounts, for administrators.

#[cfg(test)]
mod tests;

use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use ledge_core::App;
use ledge_core::events::Event;
use ledge_core::http::{ApiError, ApiJson, ApiResult, CurrentSession, CurrentUser, ErrorBody, Id};
use ledge_core::id::{LibraryId, UserId};
use ledge_core::paging::Items;
use ledge_core::store::account::user::{self, Kept, NewUser, Role, User, UserPatch};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::first_password::FirstPassword;
use crate::http::session::hasher::Lane;
use crate::http::session::{SessionService, password};

/// Existing user of the path. It is extracted before the body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExistingUser(UserId);

impl ExistingUser {
    /// Returns the id of the user.
    pub(crate) fn id(self) -> UserId {
        self.0
    }
}

impl FromRequestParts<App> for ExistingUser {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let id = Id::from_request_parts(parts, app).await;
        let id = UserId(id.map_err(|_| NOT_FOUND)?.0);
        let user = app.db.read(move |conn| user::get(conn, id)).await?;
        user.map(|user| Self(user.id)).ok_or(NOT_FOUND)
    }
}

const NOT_FOUND: ApiError = ApiError::NotFound("user");

/// A user with the granted libraries.
#[derive(Serialize, ToSchema)]
pub(crate) struct UserDetail {
    #[serde(flatten)]
    user: User,
    /// Ids of the granted libraries.
    libraries: Vec<LibraryId>,
}

/// A new account.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "username": "ada", "password": "correct horse battery", "role": "user" }))]
pub(crate) struct CreateUser {
    #[schema(min_length = 1, max_length = 64)]
    username: String,
    /// Password: 8 to 1,024 bytes in UTF-8.
    #[schema(max_length = 1024)]
    password: String,
    #[serde(default)]
    role: Role,
}

/// Changes to an account; an omitted field stays.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "role": "admin" }))]
pub(crate) struct UpdateUser {
    #[schema(min_length = 1, max_length = 64)]
    username: Option<String>,
    role: Option<Role>,
    disabled: Option<bool>,
}

/// A new password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "password": "correct horse battery" }))]
pub(crate) struct NewPassword {
    /// Password: 8 to 1,024 bytes in UTF-8.
    #[schema(max_length = 1024)]
    password: String,
}

/// Libraries to grant to a user.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "library_ids": [1, 2] }))]
pub(crate) struct GrantedLibraries {
    library_ids: Vec<LibraryId>,
}

/// Lists all users by name.
#[utoipa::path(
    get,
    path = "/users",
    tag = "users",
    responses(
        (status = 200, description = "All users", body = Items<User>),
    )
)]
pub(crate) async fn list_users(State(app): State<App>) -> ApiResult<ApiJson<Items<User>>> {
    let items = app.db.read(user::list).await?;
    Ok(ApiJson(Items { items }))
}

/// Creates an account.
#[utoipa::path(
    post,
    path = "/users",
    tag = "users",
    request_body = CreateUser,
    responses(
        (status = 201, description = "Created", body = User),
        (status = 409, description = "The name is taken", body = ErrorBody),
    )
)]
pub(crate) async fn create_user(
    current: CurrentUser,
    State(app): State<App>,
    sessions: SessionService,
    ApiJson(new): ApiJson<CreateUser>,
) -> ApiResult<(StatusCode, ApiJson<User>)> {
    let username = user::valid_username(&new.username)?;
    password::validate(&new.password, "password")?;
    let new = NewUser {
        username,
        password_hash: sessions
            .hasher()
            .hash(new.password, Lane::User(current.id))
            .await?,
        role: new.role,
    };
    let now = app.clock.now();
    let user = app.db.write(move |tx| user::create(tx, &new, now)).await?;
    Ok((StatusCode::CREATED, ApiJson(user)))
}

/// Returns a user with the granted libraries.
#[utoipa::path(
    get,
    path = "/users/{id}",
    tag = "users",
    params(("id" = i64, Path, description = "The user's id")),
    responses(
        (status = 200, description = "The user", body = UserDetail),
        (status = 404, description = "No such user", body = ErrorBody),
    )
)]
pub(crate) async fn get_user(
    ExistingUser(id): ExistingUser,
    State(app): State<App>,
) -> ApiResult<ApiJson<UserDetail>> {
    let (user, libraries) = app
        .db
        .read(move |conn| Ok((user::get(conn, id)?, user::libraries(conn, id)?)))
        .await?;
    let user = user.ok_or(NOT_FOUND)?;
    Ok(ApiJson(UserDetail { user, libraries }))
}

/// Changes name or role of an account, or disables or enables it.
#[utoipa::path(
    patch,
    path = "/users/{id}",
    tag = "users",
    params(("id" = i64, Path, description = "The user's id")),
    request_body = UpdateUser,
    responses(
        (status = 200, description = "The changed user", body = User),
        (status = 404, description = "No such user", body = ErrorBody),
        (status = 409, description = "The name is taken, or it is the last administrator", body = ErrorBody),
    )
)]
pub(crate) async fn update_user(
    ExistingUser(id): ExistingUser,
    State(app): State<App>,
    ApiJson(update): ApiJson<UpdateUser>,
) -> ApiResult<ApiJson<User>> {
    let patch = UserPatch {
        username: update.username,
        role: update.role,
        disabled: update.disabled,
    };
    let (previous, user) = app
        .db
        .write(move |tx| {
            let previous = user::password_of(tx, id)?;
            Ok((previous, user::update(tx, id, &patch)?))
        })
        .await?;
    if user.as_ref().is_some_and(|user| user.disabled) {
        forget_first_password(&app, previous).await;
    }
    app.events.publish(Event::Sessions);
    user.map(ApiJson).ok_or(NOT_FOUND)
}

/// Sets a user's password and ends the user's sessions, except the requesting one.
#[utoipa::path(
    put,
    path = "/users/{id}/password",
    tag = "users",
    params(("id" = i64, Path, description = "The user's id")),
    request_body = NewPassword,
    responses(
        (status = 204, description = "Set; the user's other sessions have ended"),
        (status = 404, description = "No such user", body = ErrorBody),
    )
)]
pub(crate) async fn set_password(
    ExistingUser(id): ExistingUser,
    current: CurrentUser,
    CurrentSession(session): CurrentSession,
    State(app): State<App>,
    sessions: SessionService,
    ApiJson(new): ApiJson<NewPassword>,
) -> ApiResult<StatusCode> {
    password::validate(&new.password, "password")?;
    let lane = Lane::User(current.id);
    let hash = sessions.hasher().hash(new.password, lane).await?;
    let (previous, set) = app
        .db
        .write(move |tx| {
            let previous = user::password_of(tx, id)?;
            let kept = Kept {
                session: Some(&session),
                app_passwords: false,
            };
            let set = user::set_password(tx, id, &hash, kept)?;
            Ok((previous, set))
        })
        .await?;
    forget_first_password(&app, previous).await;
    app.events.publish(Event::Sessions);
    done(set)
}

/// Replaces a user's grants.
#[utoipa::path(
    put,
    path = "/users/{id}/libraries",
    tag = "users",
    params(("id" = i64, Path, description = "The user's id")),
    request_body = GrantedLibraries,
    responses(
        (status = 204, description = "Granted"),
        (status = 404, description = "No such user", body = ErrorBody),
        (status = 422, description = "Not acceptable, or no such library", body = ErrorBody),
    )
)]
pub(crate) async fn set_libraries(
    ExistingUser(id): ExistingUser,
    State(app): State<App>,
    ApiJson(grants): ApiJson<GrantedLibraries>,
) -> ApiResult<StatusCode> {
    let set = app
        .db
        .write(move |tx| user::set_libraries(tx, id, &grants.library_ids))
        .await?;
    done(set)
}

/// Deletes an account with all its data.
#[utoipa::path(
    delete,
    path = "/users/{id}",
    tag = "users",
    params(("id" = i64, Path, description = "The user's id")),
    responses(
        (status = 204, description = "Deleted"),
        (status = 404, description = "No such user", body = ErrorBody),
        (status = 409, description = "The user itself, or the last administrator", body = ErrorBody),
    )
)]
pub(crate) async fn delete_user(
    ExistingUser(id): ExistingUser,
    current: CurrentUser,
    State(app): State<App>,
) -> ApiResult<StatusCode> {
    if id == current.id {
        let message = "You cannot delete your own account; another administrator can.";
        return Err(ApiError::Conflict(message.to_owned()));
    }
    let (previous, deleted) = app
        .db
        .write(move |tx| {
            let previous = user::password_of(tx, id)?;
            Ok((previous, user::delete(tx, id)?))
        })
        .await?;
    forget_first_password(&app, previous).await;
    app.events.publish(Event::Sessions);
    done(deleted)
}

/// Deletes the file of the first password if the password is no longer valid. Takes the name and
/// the password hash that the user had before.
async fn forget_first_password(app: &App, previous: Option<(String, String)>) {
    if let Some((_, hash)) = previous {
        FirstPassword::forget_invalid(app, hash).await;
    }
}

fn done(found: bool) -> ApiResult<StatusCode> {
    if found {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(NOT_FOUND)
    }
}
