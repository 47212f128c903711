//! The session layer: finds out who sent a request, lets the session last, refuses the rest.

use axum::extract::{Query, Request, State};
use axum::http::HeaderValue;
use axum::http::header::{self, Entry};
use axum::middleware::Next;
use axum::response::Response;
use ledge_core::App;
use ledge_core::http::{ApiError, ApiResult, CurrentUser};
use ledge_core::id::{FileId, UserId};
use ledge_core::store::session::TokenHash;
use ledge_core::store::ticket;
use rusqlite::Connection;

use super::cookie::{self, Credential, Token};
use super::{Client, Gate, csrf};
use crate::connection::Activity;

const SIGN_IN: ApiError = ApiError::Unauthenticated("Sign in first.");

/// Lets only signed-in users through, and tells the handlers who it is.
pub(crate) async fn require_session(
    State(app): State<App>,
    gate: Gate,
    client: Client,
    mut request: Request,
    next: Next,
) -> ApiResult<Response> {
    let credential = Credential::of(request.headers(), client.secure).ok_or(SIGN_IN)?;
    let hash = credential.token().hash();
    let now = app.clock.now();
    let found = gate.session(&app, hash, now).await?.ok_or(SIGN_IN)?;
    let cookie = match &credential {
        Credential::Cookie(token) => Some(token),
        Credential::Bearer(_) => None,
    };
    if cookie.is_some() && !csrf::is_safe(request.method()) {
        csrf::check(request.headers(), request.uri(), &client, &gate)?;
    }
    let renewed = found.wants_renewal(now);
    if renewed {
        gate.renewals().renew(&app, hash);
    }
    record_user(&request, found.user);
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

/// Records the user in the log's span, and lifts the limits of the connection.
fn record_user(request: &Request, user: UserId) {
    tracing::Span::current().record("user", user.0);
    if let Some(activity) = request.extensions().get::<Activity>() {
        activity.set_authenticated();
    }
}

/// Like [`require_session`], but a ticket for the file in the path will do. Where there is one,
/// nothing else counts: a link does the same wherever it is opened.
pub(crate) async fn require_session_or_ticket(
    State(app): State<App>,
    gate: Gate,
    client: Client,
    mut request: Request,
    next: Next,
) -> ApiResult<Response> {
    let Some(ticket) = Ticket::of(&request) else {
        return require_session(State(app), gate, client, request, next).await;
    };
    let owner = ticket.owner(&app).await?.ok_or(SIGN_IN)?;
    record_user(&request, owner.user);
    request.extensions_mut().insert(CurrentUser {
        id: owner.user,
        admin: owner.admin,
        session_hash: owner.session,
    });
    let mut response = next.run(request).await;
    // The address is a secret: what is opened from it must not tell where it was.
    let referrer = HeaderValue::from_static("no-referrer");
    response
        .headers_mut()
        .insert(header::REFERRER_POLICY, referrer);
    Ok(response)
}

#[derive(serde::Deserialize)]
struct TicketQuery {
    ticket: Option<String>,
}

/// A ticket in the query, and the file in the path that it is for.
struct Ticket {
    hash: TokenHash,
    file: Option<FileId>,
}

impl Ticket {
    fn of(request: &Request) -> Option<Self> {
        let query = Query::<TicketQuery>::try_from_uri(request.uri()).ok()?;
        let ticket = query.0.ticket?;
        // The path ends in `/files/{id}/content`: no other route stands behind this layer.
        let file = request.uri().path().rsplit('/').nth(1);
        Some(Self {
            hash: Token::given(&ticket).hash(),
            file: file.and_then(|id| id.parse().ok()),
        })
    }

    async fn owner(&self, app: &App) -> ApiResult<Option<ticket::Owner>> {
        let (Some(file), hash) = (self.file, self.hash) else {
            return Ok(None);
        };
        let now = app.clock.now();
        let find = move |conn: &Connection| ticket::find(conn, &hash, file, now);
        Ok(app.db.read_few(find).await?)
    }
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
