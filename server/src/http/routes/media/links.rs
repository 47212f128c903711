//! File links for external players. The URL contains a ticket instead of a session.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, Uri, header};
use ledge_core::access::VisibleFile;
use ledge_core::http::protocol::Origin;
use ledge_core::http::{ApiError, ApiResult, CurrentSession, SecretJson};
use ledge_core::id::FileId;
use ledge_core::store::account::ticket::{self, Issued};
use ledge_core::{App, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use crate::http::session::cookie::Token;
use crate::http::session::{Client, SessionService, csrf};

/// URL that gives access to one file.
#[derive(Serialize, ToSchema)]
pub(crate) struct FileLink {
    /// The URL. It is a secret: its holder can read the file on the user's behalf.
    url: String,
    /// Expiry of the URL; it ends earlier with the session.
    expires_at: Timestamp,
}

/// Creates a link to a file, for players and download managers that cannot log in.
#[utoipa::path(
    post, path = "/files/{id}/link", tag = "files",
    params(("id" = i64, Path, description = "The file's id")),
    responses(
        (status = 200, description = "The link", body = FileLink),
    ),
)]
pub(crate) async fn link_file(
    file: VisibleFile,
    CurrentSession(session): CurrentSession,
    State(app): State<App>,
    base: BaseUrl,
) -> ApiResult<SecretJson<FileLink>> {
    let token = Token::random();
    let (hash, now) = (token.hash(), app.clock.now());
    let issued = app
        .db
        .write(move |tx| ticket::create(tx, &hash, file, &session, now))
        .await?;
    let expires_at = match issued {
        Issued::Until(expires_at) => expires_at,
        Issued::SignedOut => return Err(ApiError::Unauthenticated("Sign in first.")),
        Issued::Absent => return Err(ApiError::NotFound("file")),
    };
    let url = base.of_file(file.id(), &token);
    Ok(SecretJson(FileLink { url, expires_at }))
}

/// Public base URL of the server, for links that other programs open.
pub(crate) struct BaseUrl(String);

impl BaseUrl {
    /// Returns the URL of a file's content for the holder of a ticket.
    pub(crate) fn of_file(&self, file: FileId, ticket: &Token) -> String {
        let Self(base) = self;
        let ticket = ticket.reveal();
        format!("{base}/api/v1/files/{file}/content?ticket={ticket}")
    }
}

impl<S: Send + Sync> FromRequestParts<S> for BaseUrl {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let sessions = SessionService::from_request_parts(parts, state).await?;
        let client = Client::from_request_parts(parts, state).await?;
        Ok(Self(base(&sessions, &client, &parts.uri, &parts.headers)))
    }
}

/// Returns the public base URL of the server: the configured one, or the one of this request.
/// Returns an empty text if neither is known, so that the link is relative.
fn base(sessions: &SessionService, client: &Client, uri: &Uri, headers: &HeaderMap) -> String {
    if let Some(url) = sessions.public_url() {
        return url.base();
    }
    let named = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let host = client
        .forwarded_host
        .as_deref()
        .or(named)
        .or_else(|| uri.authority().map(axum::http::uri::Authority::as_str))
        .filter(|host| csrf::is_host(host));
    let scheme = if client.secure { "https" } else { "http" };
    host.map_or_else(String::new, |host| format!("{scheme}://{host}"))
}

/// Returns the public address of the server for a protocol. A forwarding header of a proxy that is
/// not trusted hides the client's scheme: the addresses then begin with their path.
pub(crate) fn origin_of(parts: &Parts) -> Origin {
    let (headers, extensions) = (&parts.headers, &parts.extensions);
    let Some(sessions) = extensions.get::<SessionService>() else {
        return Origin(String::new());
    };
    let peer = extensions.get::<ConnectInfo<SocketAddr>>();
    let is_trusted = peer.is_some_and(|peer| sessions.is_trusted(peer.0.ip()));
    let is_forwarded = |name: &HeaderName| name.as_str().starts_with("x-forwarded-");
    if sessions.public_url().is_none() && !is_trusted && headers.keys().any(is_forwarded) {
        return Origin(String::new());
    }
    let client = Client::of_request(headers, extensions);
    Origin(base(sessions, &client, &parts.uri, headers))
}

#[cfg(test)]
mod tests;
