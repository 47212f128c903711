//! Server-sent events: what happens to scans and jobs, as far as one may see it.

mod feed;
mod look;
#[cfg(test)]
mod tests;

use std::convert::Infallible;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, HeaderName};
use axum::response::sse::Sse;
use axum::response::{IntoResponse, Response};
use ledge_core::App;
use ledge_core::events::Full;
use ledge_core::http::{ApiError, ApiResult, CurrentUser, ErrorBody};

use feed::Feed;

/// Seconds after which one who listens too often may ask again.
const TRY_AGAIN: u64 = 10;

/// What happens, as it happens, in libraries that are granted to one.
///
/// An event `scan` brings a `ScanStatus` with `library_id`, at most four a second of a library;
/// an event `job` brings `{id, kind, ref_id, status}`. A job that works on an item is told to those
/// who see the item. Jobs that belong to no library are told to administrators. The session and the grants are asked again before each event. At the start
/// come the scans that wait or run. The stream ends with the session, when its user becomes an
/// administrator or ceases to be one, and with the server.
///
/// Events are not kept. One who comes back with the `Last-Event-ID` of an earlier stream, and one
/// who read too slowly, is told so by an event `reset`, `{reason: "reconnected"|"lagged"}`: what is
/// shown of jobs is to be fetched anew. After it comes the status of every library that was ever
/// scanned, ended scans included.
#[utoipa::path(
    get,
    path = "/events",
    tag = "system",
    params((
        "Last-Event-ID" = Option<String>,
        Header,
        description = "The id of the last event of an earlier stream; browsers send it"
    )),
    responses(
        (
            status = 200,
            description = "Events, until the session ends",
            body = String,
            content_type = "text/event-stream"
        ),
        (status = 429, description = "Too many streams of this user", body = ErrorBody),
        (status = 503, description = "Too many streams, or stopping", body = ErrorBody),
    )
)]
pub(crate) async fn get_events(
    user: CurrentUser,
    State(app): State<App>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let listener = app.events.listen(user.id).map_err(|full| match full {
        Full::User => ApiError::TooManyRequests(TRY_AGAIN),
        Full::Server => ApiError::Unavailable,
    })?;
    let is_back = headers.contains_key("last-event-id");
    let feed = Feed::open(app, &user, listener, is_back).await?;
    let stream = futures_util::stream::unfold(feed, |mut feed| async move {
        let event = feed.next().await?;
        Some((Ok::<_, Infallible>(event), feed))
    });
    // A proxy that collected the stream would hold it back.
    let headers = [
        (CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((headers, Sse::new(stream)).into_response())
}
