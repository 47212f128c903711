//! Signing in and out, and one's own password.

#[cfg(test)]
mod tests;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use ledge_core::events::Event;
use ledge_core::http::{ApiError, ApiJson, ApiResult, CurrentUser, ErrorBody, SecretJson};
use ledge_core::id::UserId;
use ledge_core::store::{session, user};
use ledge_core::{App, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::first_password::FirstPassword;
use crate::session::cookie::{self, Token};
use crate::session::csrf::SameSite;
use crate::session::hasher::Lane;
use crate::session::{Client, Gate, password};

/// Name and password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "username": "ada", "password": "correct horse battery" }))]
pub(crate) struct LoginRequest {
    username: String,
    password: String,
}

/// A session has begun.
#[derive(Serialize, ToSchema)]
pub(crate) struct LoginResponse {
    /// Who signed in.
    user: user::User,
    /// The session's token, for programs that send `Authorization: Bearer`.
    token: String,
    /// When the session ends unless it is used.
    expires_at: Timestamp,
}

/// The old password and the new one.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "current_password": "correct horse battery", "new_password": "purple staple shark" }))]
pub(crate) struct PasswordChange {
    current_password: String,
    /// 8 to 1,024 bytes in UTF-8.
    #[schema(max_length = 1024)]
    new_password: String,
}

const WRONG: &str = "Wrong username or password.";

/// Begins a session.
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
        (status = 429, description = "Too many failures; see Retry-After", body = ErrorBody),
    )
)]
pub(crate) async fn login(
    _: SameSite,
    State(app): State<App>,
    gate: Gate,
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
    let right = check_password(&app, &gate, &client, account, login.password);
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
            // Hashing takes its turn: the password may have been reset or the user disabled or
            // deleted since it was read.
            let current = user::credentials(tx, &login.username)?;
            if !current.is_some_and(|current| current.still_admits(&verified)) {
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

/// Ends the session.
#[utoipa::path(
    post,
    path = "/auth/logout",
    tag = "auth",
    responses(
        (status = 204, description = "The session is gone"),
        (status = 403, description = "Sent by another site", body = ErrorBody),
    )
)]
pub(crate) async fn logout(
    user: CurrentUser,
    State(app): State<App>,
    client: Client,
) -> ApiResult<Response> {
    app.db
        .write(move |tx| session::delete(tx, &user.session_hash))
        .await?;
    app.events.publish(Event::Sessions);
    let cookie = cookie::clear(client.secure);
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response())
}

/// Who is signed in.
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
        .read_few(move |conn| user::get(conn, current.id))
        .await?;
    user.map(ApiJson)
        .ok_or(ApiError::Unauthenticated("Sign in first."))
}

/// Changes one's own password and ends one's other sessions.
#[utoipa::path(
    put,
    path = "/auth/password",
    tag = "auth",
    request_body = PasswordChange,
    responses(
        (status = 204, description = "Changed; the other sessions have ended"),
        (status = 403, description = "Wrong current password", body = ErrorBody),
        (status = 429, description = "Too many failures; see Retry-After", body = ErrorBody),
    )
)]
pub(crate) async fn change_password(
    current: CurrentUser,
    State(app): State<App>,
    gate: Gate,
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
    if !check_password(&app, &gate, &client, account, change.current_password).await? {
        let message = "The current password is wrong.";
        return Err(ApiError::Forbidden(message.to_owned()));
    }
    let lane = Lane::User(id);
    let hash = gate.hasher().hash(change.new_password, lane).await?;
    app.db
        .write(move |tx| user::set_password(tx, id, &hash, Some(&current.session_hash)))
        .await?;
    FirstPassword::forget_changed(&app, previous).await;
    app.events.publish(Event::Sessions);
    Ok(StatusCode::NO_CONTENT)
}

/// The account that a password is checked for.
struct Account<'a> {
    username: &'a str,
    /// Hash of its password; `None` if there is no such account.
    stored: Option<String>,
    /// The account whose session sends the request.
    signed_in: Option<UserId>,
}

/// Compares a password, under the one throttle and the one queue of every path with a password.
async fn check_password(
    app: &App,
    gate: &Gate,
    client: &Client,
    account: Account<'_>,
    given: String,
) -> ApiResult<bool> {
    let throttle = gate.throttle();
    let attempt = throttle.attempt(account.username, client, account.signed_in);
    let admit = || {
        let admitted = throttle.admit(&attempt, app.clock.now());
        admitted.map_err(ApiError::TooManyRequests)
    };
    let (lane, rank) = admit()?;
    let turn = gate.hasher().turn(lane, rank).await?;
    // Asked again: while this one waited, others may have failed.
    admit()?;
    let gate = gate.clone();
    let clock = app.clock.clone();
    let stored = account.stored;
    turn.run(move |memory| {
        let right = password::verify(&given, stored.as_deref(), memory)?;
        gate.throttle().record(&attempt, right, clock.now());
        Ok(right)
    })
    .await
}
