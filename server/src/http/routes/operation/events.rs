//! Server-sent events about scans, jobs and covers that the user may see.

mod check;
mod feed;
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
use ledge_core::http::{ApiError, ApiResult, CurrentSession, CurrentUser, ErrorBody};

use feed::Feed;

/// Retry time in seconds for a user with too many streams.
const TRY_AGAIN: u64 = 10;

/// Streams events of the granted libraries.
///
/// An event `scan` contains a `ScanStatus` with `library_id`, at most four per second and library.
/// An event `job` contains `{id, kind, ref_id, status}`. Users who see the item or the library of a
/// job receive its events. Administrators receive the events of jobs that belong to no library. The
/// session and the grants are checked before each event. The stream begins with the scans that are
/// queued or running. It ends with the session, with a change of the user's role, and with the
/// server.
///
/// Events are not stored. A client that reconnects with the `Last-Event-ID` of an earlier stream,
/// or that read too slowly, receives an event `reset`, `{reason: "reconnected"|"lagged"}`: it must
/// fetch the state of jobs again. Then follows the status of every library that was ever scanned,
/// including ended scans.
#[utoipa::path(
    get,
    path = "/events",
    tag = "system",
    params((
        "Last-Event-ID" = Option<String>,
        Header,
        description = "Id of the last event of an earlier stream; browsers send it"
    )),
    responses(
        (
            status = 200,
            description = "Events, until the session ends",
            body = String,
            content_type = "text/event-stream"
        ),
        (status = 429, description = "Too many streams of this user", body = ErrorBody),
        (status = 503, description = "Too many streams, or the server is stopping", body = ErrorBody),
    )
)]
pub(crate) async fn get_events(
    user: CurrentUser,
    session: CurrentSession,
    State(app): State<App>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let listener = app.events.listen(user.id).map_err(|full| match full {
        Full::User => ApiError::TooManyRequests(TRY_AGAIN),
        Full::Server => ApiError::Unavailable,
    })?;
    let is_back = headers.contains_key("last-event-id");
    let feed = Feed::open(app, (&user, session), listener, is_back).await?;
    let stream = futures_util::stream::unfold(feed, |mut feed| async move {
        let event = feed.next().await?;
        Some((Ok::<_, Infallible>(event), feed))
    });
    // A buffering proxy would delay the events.
    let headers = [
        (CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((headers, Sse::new(stream)).into_response())
}
