//! Login, logout, and the user's own password.

#[cfg(test)]
mod tests;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use ledge_core::events::Event;
use ledge_core::http::{
    ApiError, ApiJson, ApiResult, CurrentSession, CurrentUser, ErrorBody, SecretJson,
};
use ledge_core::id::UserId;
use ledge_core::store::account::session;
use ledge_core::store::account::user::{self, Kept};
use ledge_core::{App, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::first_password::FirstPassword;
use crate::http::session::cookie::{self, Token};
use crate::http::session::csrf::SameSite;
use crate::http::session::hasher::Lane;
use crate::http::session::{Client, SessionService, password};

/// Username and password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "username": "ada", "password": "correct horse battery" }))]
pub(crate) struct LoginRequest {
    username: String,
    password: String,
}

/// A new session.
#[derive(Serialize, ToSchema)]
pub(crate) struct LoginResponse {
    /// The signed-in user.
    user: user::User,
    /// Session token, for clients that send `Authorization: Bearer`.
    token: String,
    /// Expiry of the session without further use.
    expires_at: Timestamp,
}

/// Current and new password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "current_password": "correct horse battery", "new_password": "purple staple shark" }))]
pub(crate) struct PasswordChange {
    current_password: String,
    /// New password: 8 to 1,024 bytes in UTF-8.
    #[schema(max_length = 1024)]
    new_password: String,
    /// `true` if the app passwords stay valid.
    #[serde(default)]
    keep_app_passwords: bool,
}

const WRONG: &str = "Wrong username or password.";

/// Logs a user in and creates a session.
#[utoipa::path(
    post,
    path = "/auth/login",
    tag = "auth",
    security(()),
    request_body = LoginRequest,
    responses(
        (status = 200, description = "Signed in; the cookie is set", body = LoginResponse),
        (status = 401, description = "Wrong username or password", body = ErrorBody),
        (status = 403, description = "Sent by another site", body = ErrorBody),
        (status = 429, description = "Too many attempts; see Retry-After", body = ErrorBody),
    )
)]
pub(crate) async fn login(
    _: SameSite,
    State(app): State<App>,
    sessions: SessionService,
    client: Client,
    ApiJson(login): ApiJson<LoginRequest>,
) -> ApiResult<Response> {
    let name = login.username.clone();
    let found = app
        .db
        .read(move |conn| user::credentials(conn, &name))
        .await?;
    let stored = found.as_ref().map(|found| found.password_hash.clone());
    let account = Account {
        username: &login.username,
        stored,
        signed_in: None,
    };
    let right = check_password(&app, &sessions, &client, account, login.password);
    let verified = match (right.await?, found) {
        (true, Some(found)) if !found.disabled => found,
        _ => return Err(ApiError::Unauthenticated(WRONG)),
    };
    let token = Token::random();
    let hash = token.hash();
    let now = app.clock.now();
    let begun = app
        .db
        .write(move |tx| {
            // Hashing waits in a queue. Meanwhile the password may have been reset, or the user
            // disabled or deleted.
            let current = user::credentials(tx, &login.username)?;
            if !current.is_some_and(|current| current.is_valid_for(&verified)) {
                return Ok(None);
            }
            let expires_at = session::create(tx, &hash, verified.id, now)?;
            Ok(user::get(tx, verified.id)?.map(|user| (user, expires_at)))
        })
        .await?;
    let (user, expires_at) = begun.ok_or(ApiError::Unauthenticated(WRONG))?;
    let cookie = cookie::set(&token, client.secure);
    let body = LoginResponse {
        user,
        token: token.reveal().to_owned(),
        expires_at,
    };
    Ok(([(header::SET_COOKIE, cookie)], SecretJson(body)).into_response())
}

/// Logs out: deletes the session.
#[utoipa::path(
    post,
    path = "/auth/logout",
    tag = "auth",
    responses(
        (status = 204, description = "The session is deleted"),
        (status = 403, description = "Sent by another site", body = ErrorBody),
    )
)]
pub(crate) async fn logout(
    CurrentSession(current): CurrentSession,
    State(app): State<App>,
    client: Client,
) -> ApiResult<Response> {
    app.db
        .write(move |tx| session::delete(tx, &current))
        .await?;
    app.events.publish(Event::Sessions);
    let cookie = cookie::clear(client.secure);
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response())
}

/// Returns the signed-in user.
#[utoipa::path(
    get,
    path = "/auth/me",
    tag = "auth",
    responses(
        (status = 200, description = "The user", body = user::User),
    )
)]
pub(crate) async fn get_me(
    current: CurrentUser,
    State(app): State<App>,
) -> ApiResult<ApiJson<user::User>> {
    let user = app
        .db
        .read_inline(move |conn| user::get(conn, current.id))
        .await?;
    user.map(ApiJson)
        .ok_or(ApiError::Unauthenticated("Sign in first."))
}

/// Changes the user's own password. It ends the other sessions of the user, and the app passwords
/// unless `keep_app_passwords` is true.
#[utoipa::path(
    put,
    path = "/auth/password",
    tag = "auth",
    request_body = PasswordChange,
    responses(
        (status = 204, description = "Changed; the other sessions have ended"),
        (status = 403, description = "Wrong current password", body = ErrorBody),
        (status = 429, description = "Too many attempts; see Retry-After", body = ErrorBody),
    )
)]
pub(crate) async fn change_password(
    current: CurrentUser,
    CurrentSession(session): CurrentSession,
    State(app): State<App>,
    sessions: SessionService,
    client: Client,
    ApiJson(change): ApiJson<PasswordChange>,
) -> ApiResult<StatusCode> {
    password::validate(&change.new_password, "new_password")?;
    let id = current.id;
    let (username, stored) = app
        .db
        .read(move |conn| user::password_of(conn, id))
        .await?
        .ok_or(ApiError::Unauthenticated("Sign in first."))?;
    let previous = stored.clone();
    let account = Account {
        username: &username,
        stored: Some(stored),
        signed_in: Some(id),
    };
    if !check_password(&app, &sessions, &client, account, change.current_password).await? {
        let message = "The current password is wrong.";
        return Err(ApiError::Forbidden(message.to_owned()));
    }
    let lane = Lane::User(id);
    let hash = sessions.hasher().hash(change.new_password, lane).await?;
    app.db
        .write(move |tx| {
            let kept = Kept {
                session: Some(&session),
                app_passwords: change.keep_app_passwords,
            };
            user::set_password(tx, id, &hash, kept)
        })
        .await?;
    FirstPassword::forget_invalid(&app, previous).await;
    app.events.publish(Event::Sessions);
    Ok(StatusCode::NO_CONTENT)
}

/// Account whose password is checked.
struct Account<'a> {
    username: &'a str,
    /// Hash of its password; `None` if the account is absent.
    stored: Option<String>,
    /// Account of the session that sends the request.
    signed_in: Option<UserId>,
}

/// Verifies a password. All routes with a password share one throttle and one queue.
async fn check_password(
    app: &App,
    sessions: &SessionService,
    client: &Client,
    account: Account<'_>,
    given: String,
) -> ApiResult<bool> {
    let throttle = sessions.throttle();
    let attempt = throttle.attempt(account.username, client, account.signed_in);
    let admit = || {
        let admitted = throttle.admit(&attempt, app.clock.now());
        admitted.map_err(ApiError::TooManyRequests)
    };
    let request = admit()?;
    let turn = sessions.hasher().turn(request).await?;
    // Checked again, because other attempts may have failed while this one waited.
    admit()?;
    let sessions = sessions.clone();
    let clock = app.clock.clone();
    let stored = account.stored;
    turn.run(move |memory| {
        let right = password::verify(&given, stored.as_deref(), memory)?;
        sessions.throttle().record(&attempt, right, clock.now());
        Ok(right)
    })
    .await
}
