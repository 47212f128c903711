//! Session middleware: identifies the user of a request, renews the session and rejects other
//! requests.

use std::sync::Arc;

use axum::extract::{Query, Request, State};
use axum::http::header::{self, Entry};
use axum::http::{Extensions, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use ledge_core::App;
use ledge_core::http::{ApiError, ApiResult, CurrentSession, CurrentUser};
use ledge_core::id::{FileId, UserId};
use ledge_core::store::account::session::TokenHash;
use ledge_core::store::account::ticket;
use rusqlite::Connection;

use super::cookie::{self, Credential, Token};
use super::requests::InFlight;
use super::{Client, SessionService, csrf};
use crate::serve::connection::Activity;

const SIGN_IN: ApiError = ApiError::Unauthenticated("Sign in first.");

/// Admits signed-in users only, and inserts the user into the request extensions.
pub(crate) async fn require_session(
    State(app): State<App>,
    sessions: SessionService,
    client: Client,
    mut request: Request,
    next: Next,
) -> ApiResult<Response> {
    let credential = Credential::of(request.headers(), client.secure).ok_or(SIGN_IN)?;
    let hash = credential.token().hash();
    let now = app.clock.now();
    let found = sessions.session(&app, hash, now).await?.ok_or(SIGN_IN)?;
    let cookie = match &credential {
        Credential::Cookie(token) => Some(token),
        Credential::Bearer(_) => None,
    };
    if cookie.is_some() && !csrf::is_safe(request.method()) {
        csrf::check(request.headers(), request.uri(), &client, &sessions)?;
    }
    let renewed = found.wants_renewal(now);
    if renewed {
        sessions.renewals().renew(&app, hash);
    }
    record_user(request.extensions(), &sessions, found.user)?;
    let extensions = request.extensions_mut();
    extensions.insert(CurrentUser {
        id: found.user,
        admin: found.admin,
    });
    extensions.insert(CurrentSession(hash));
    let mut response = next.run(request).await;
    // A logout deletes the cookie, so it must not be set again.
    if let (Some(token), true, Entry::Vacant(entry)) = (
        cookie,
        renewed,
        response.headers_mut().entry(header::SET_COOKIE),
    ) {
        entry.insert(cookie::set(token, client.secure));
    }
    Ok(response)
}

/// Records the user in the log span, in the counts of requests and on the connection.
///
/// # Errors
/// 429 if the user has too many requests in flight.
pub(crate) fn record_user(
    extensions: &Extensions,
    sessions: &SessionService,
    user: UserId,
) -> ApiResult<()> {
    tracing::Span::current().record("user", user.0);
    if let Some(in_flight) = extensions.get::<Arc<InFlight>>() {
        in_flight.set_authenticated();
    }
    if let Some(activity) = extensions.get::<Activity>() {
        activity.set_authenticated(user);
        activity.hold(sessions.begin_user_request(user)?);
    }
    Ok(())
}

/// Admits requests like [`require_session`], or with a ticket for the file in the path. If a ticket
/// is present, other credentials are ignored, so that a link behaves equally everywhere.
pub(crate) async fn require_session_or_ticket(
    State(app): State<App>,
    sessions: SessionService,
    client: Client,
    mut request: Request,
    next: Next,
) -> ApiResult<Response> {
    let Some(ticket) = Ticket::of(&request) else {
        return require_session(State(app), sessions, client, request, next).await;
    };
    let owner = ticket.owner(&app).await?.ok_or(SIGN_IN)?;
    record_user(request.extensions(), &sessions, owner.user)?;
    let extensions = request.extensions_mut();
    extensions.insert(CurrentUser {
        id: owner.user,
        admin: owner.admin,
    });
    extensions.insert(CurrentSession(owner.session));
    let mut response = next.run(request).await;
    // The URL is a secret, so it must not be sent as a referrer.
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

/// A ticket of the query, with the file of the path.
struct Ticket {
    hash: TokenHash,
    file: Option<FileId>,
}

impl Ticket {
    fn of(request: &Request) -> Option<Self> {
        let query = Query::<TicketQuery>::try_from_uri(request.uri()).ok()?;
        let ticket = query.0.ticket?;
        // The path ends in `/files/{id}/content`, the only route behind this middleware.
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
        Ok(app.db.read_inline(find).await?)
    }
}

/// Admits administrators only; runs inside [`require_session`].
pub(crate) async fn require_admin(
    user: CurrentUser,
    request: Request,
    next: Next,
) -> ApiResult<Response> {
    user.require_admin()?;
    Ok(next.run(request).await)
}
