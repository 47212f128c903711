//! Responses with the bytes of a save.

use std::io;

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use ledge_core::App;
use ledge_core::http::content::conditional::Verdict;
use ledge_core::http::{ApiError, ApiResult};
use ledge_core::registry::OCTET_STREAM;
use ledge_core::store::user_data::save::{self, State};

/// Bytes that are read at once. SQLite walks to an offset from the start of the row each time, so
/// smaller pieces of a long save would cost more in total.
const CHUNK_BYTES: usize = 1 << 20;

/// Returns the response with a save, after evaluating the client's conditions.
pub(super) async fn bytes(app: &App, state: State, headers: &HeaderMap) -> ApiResult<Response> {
    let validators = super::validators(state.sha256());
    let body = match validators.judge(headers) {
        Verdict::Failed => return Err(ApiError::PreconditionFailed),
        Verdict::NotModified => None,
        Verdict::Proceed => Some(first_chunk(app, &state).await?),
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
            stream_body(app.clone(), state, first),
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

async fn first_chunk(app: &App, state: &State) -> ApiResult<Bytes> {
    let state = state.clone();
    let read = move |conn: &_| save::chunk(conn, &state, 0, CHUNK_BYTES);
    let chunk = app.db.read(read).await?;
    Ok(chunk.ok_or(ApiError::NotFound("save"))?.into())
}

/// Returns a body that reads the rest on demand. A disconnected client ends it.
fn stream_body(app: App, state: State, first: Bytes) -> Body {
    if first.len() as u64 >= state.size() {
        return first.into();
    }
    let rest = stream::try_unfold((app, state, 0, Some(first)), next_chunk);
    Body::from_stream(rest)
}

type StreamState = (App, State, u64, Option<Bytes>);

async fn next_chunk(
    (app, state, at, first): StreamState,
) -> io::Result<Option<(Bytes, StreamState)>> {
    if at >= state.size() {
        return Ok(None);
    }
    let chunk = if let Some(first) = first {
        first
    } else {
        let wanted = state.clone();
        let read = move |conn: &_| save::chunk(conn, &wanted, at, CHUNK_BYTES);
        let chunk = app.db.read(read).await.map_err(io::Error::other)?;
        // The transfer is aborted: the client receives fewer bytes than declared.
        chunk.ok_or(io::ErrorKind::NotFound)?.into()
    };
    let read = at + chunk.len() as u64;
    Ok(Some((chunk, (app, state, read, None))))
}
