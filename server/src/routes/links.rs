//! Links to files for other players: the address holds a ticket in place of a session.

use axum::extract::State;
use axum::http::{HeaderMap, Uri, header};
use ledge_core::access::VisibleFile;
use ledge_core::http::{ApiError, ApiResult, CurrentUser, SecretJson};
use ledge_core::store::ticket::{self, Issued};
use ledge_core::{App, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use crate::session::cookie::Token;
use crate::session::{Client, Gate, csrf};

/// An address that opens one file.
#[derive(Serialize, ToSchema)]
pub(crate) struct FileLink {
    /// The address. It is a secret: who has it reads the file on the user's behalf.
    url: String,
    /// When it stops to work; sooner if the session ends.
    expires_at: Timestamp,
}

/// Makes a link to a file, for players and download managers that cannot sign in.
#[utoipa::path(
    post, path = "/files/{id}/link", tag = "files",
    params(("id" = i64, Path, description = "The file's id")),
    responses(
        (status = 200, description = "The link", body = FileLink),
    ),
)]
pub(crate) async fn link_file(
    file: VisibleFile,
    user: CurrentUser,
    State(app): State<App>,
    gate: Gate,
    client: Client,
    uri: Uri,
    headers: HeaderMap,
) -> ApiResult<SecretJson<FileLink>> {
    let token = Token::random();
    let (hash, now) = (token.hash(), app.clock.now());
    let issued = app
        .db
        .write(move |tx| ticket::create(tx, &hash, file, &user.session_hash, now))
        .await?;
    let expires_at = match issued {
        Issued::Until(expires_at) => expires_at,
        Issued::SignedOut => return Err(ApiError::Unauthenticated("Sign in first.")),
        Issued::Absent => return Err(ApiError::NotFound("file")),
    };
    let base = base(&gate, &client, &uri, &headers);
    let url = format!(
        "{base}/api/v1/files/{}/content?ticket={}",
        file.id(),
        token.reveal()
    );
    Ok(SecretJson(FileLink { url, expires_at }))
}

/// Where the server is for the outside: as configured, or as this request found it. Nothing
/// where neither is known, so that the link is at least good below the same address.
fn base(gate: &Gate, client: &Client, uri: &Uri, headers: &HeaderMap) -> String {
    if let Some(url) = gate.public_url() {
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

#[cfg(test)]
mod tests;
