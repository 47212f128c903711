//! The session layer: finds out who sent a request, lets the session last, refuses the rest.

use axum::extract::{Request, State};
use axum::http::header::{self, Entry};
use axum::middleware::Next;
use axum::response::Response;
use ledge_core::App;
use ledge_core::http::{ApiError, ApiResult, CurrentUser};
use ledge_core::store::session::{self, TokenHash};
use rusqlite::Connection;

use super::cookie::{self, Credential};
use super::{Client, Gate, csrf};

/// Lets only signed-in users through, and tells the handlers who it is.
pub(crate) async fn require_session(
    State(app): State<App>,
    gate: Gate,
    client: Client,
    mut request: Request,
    next: Next,
) -> ApiResult<Response> {
    const SIGN_IN: ApiError = ApiError::Unauthenticated("Sign in first.");
    let credential = Credential::of(request.headers(), client.secure).ok_or(SIGN_IN)?;
    let hash = credential.token().hash();
    let now = app.clock.now();
    let find = move |conn: &Connection| session::find(conn, &hash, now);
    let found = app.db.read(find).await?.ok_or(SIGN_IN)?;
    let cookie = match &credential {
        Credential::Cookie(token) => Some(token),
        Credential::Bearer(_) => None,
    };
    if cookie.is_some() && !csrf::is_safe(request.method()) {
        csrf::check(request.headers(), request.uri(), &client, &gate)?;
    }
    let renewed = found.wants_renewal(now);
    if renewed {
        renew(&app, hash);
    }
    tracing::Span::current().record("user", found.user.0);
    request.extensions_mut().insert(CurrentUser {
        id: found.user,
        admin: found.admin,
        session_hash: hash,
    });
    let mut response = next.run(request).await;
    // Signing out has taken the cookie away; it must not come back.
    if let (Some(token), true, Entry::Vacant(entry)) = (
        cookie,
        renewed,
        response.headers_mut().entry(header::SET_COOKIE),
    ) {
        entry.insert(cookie::set(token, client.secure));
    }
    Ok(response)
}

/// Lets only administrators through; stands inside [`require_session`].
pub(crate) async fn require_admin(
    user: CurrentUser,
    request: Request,
    next: Next,
) -> ApiResult<Response> {
    user.require_admin()?;
    Ok(next.run(request).await)
}

/// Beside the request: it does not wait for the disk.
fn renew(app: &App, hash: TokenHash) {
    let app = app.clone();
    let now = app.clock.now();
    tokio::spawn(async move {
        let renewed = app.db.write(move |tx| session::renew(tx, &hash, now)).await;
        if let Err(error) = renewed {
            tracing::warn!(%error, "a session could not be renewed");
        }
    });
}
