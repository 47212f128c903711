//! The bytes of a state as an answer.

use std::io;

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use ledge_core::App;
use ledge_core::content::conditional::Verdict;
use ledge_core::http::{ApiError, ApiResult};
use ledge_core::registry::OCTET_STREAM;
use ledge_core::store::save::{self, State};

/// Bytes read at once. Each time SQLite walks to them from the start of the row, so that smaller
/// pieces of a long save would cost more than their share.
const PIECE: usize = 1 << 20;

/// Answers with the state, unless the client's conditions say otherwise.
pub(super) async fn bytes(app: &App, state: State, headers: &HeaderMap) -> ApiResult<Response> {
    let validators = super::validators(state.sha256());
    let body = match validators.judge(headers) {
        Verdict::Failed => return Err(ApiError::PreconditionFailed),
        Verdict::NotModified => None,
        Verdict::Proceed => Some(first_piece(app, &state).await?),
    };
    let size = state.size();
    let mut response = match body {
        None => StatusCode::NOT_MODIFIED.into_response(),
        Some(first) => (
            [
                (header::CONTENT_TYPE, OCTET_STREAM.to_owned()),
                (header::CONTENT_LENGTH, size.to_string()),
                (header::CONTENT_SECURITY_POLICY, "sandbox".to_owned()),
            ],
            pieces(app.clone(), state, first),
        )
            .into_response(),
    };
    let headers = response.headers_mut();
    validators.write(headers);
    headers.insert(
        header::CACHE_CONTROL,
        header::HeaderValue::from_static("private, no-cache"),
    );
    Ok(response)
}

async fn first_piece(app: &App, state: &State) -> ApiResult<Bytes> {
    let state = state.clone();
    let read = move |conn: &_| save::chunk(conn, &state, 0, PIECE);
    let piece = app.db.read(read).await?;
    Ok(piece.ok_or(ApiError::NotFound("save"))?.into())
}

/// The rest is read as fast as the client takes it; one who leaves ends it.
fn pieces(app: App, state: State, first: Bytes) -> Body {
    if first.len() as u64 >= state.size() {
        return first.into();
    }
    let rest = stream::try_unfold((app, state, 0, Some(first)), next_piece);
    Body::from_stream(rest)
}

type Reading = (App, State, u64, Option<Bytes>);

async fn next_piece((app, state, at, first): Reading) -> io::Result<Option<(Bytes, Reading)>> {
    if at >= state.size() {
        return Ok(None);
    }
    let piece = if let Some(first) = first {
        first
    } else {
        let wanted = state.clone();
        let read = move |conn: &_| save::chunk(conn, &wanted, at, PIECE);
        let piece = app.db.read(read).await.map_err(io::Error::other)?;
        // The answer is broken off: the client sees that it is shorter than was said.
        piece.ok_or(io::ErrorKind::NotFound)?.into()
    };
    let read = at + piece.len() as u64;
    Ok(Some((piece, (app, state, read, None))))
}
