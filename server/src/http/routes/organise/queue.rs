//! The saved queue of a user, for players on several devices.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::http::version::etag;
use ledge_core::http::{ApiError, ApiJson, ApiQuery, ApiResult, ErrorBody, PageQuery, Versioned};
use ledge_core::id::FileId;
use ledge_core::paging::{DEFAULT_LIMIT, Window};
use ledge_core::store::user_data::lists::playlist::queue::{
    self, NewQueue, Queue, QueuePatch, QueuePosition,
};
use ledge_core::version::ExpectedVersion;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::patch_field::present;
use crate::http::routes::id_list;

/// Page of the responses to changes.
const FIRST_PAGE: Window = Window {
    offset: 0,
    limit: DEFAULT_LIMIT,
};

/// Content of the queue.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "files": [1], "current": 0, "position": 42 }))]
pub(crate) struct ReplaceQueue {
    /// Files in order; a file may occur several times.
    #[schema(min_items = 1, max_items = 1_000)]
    files: Vec<FileId>,
    /// Index of the current file.
    #[serde(default)]
    #[schema(minimum = 0)]
    current: usize,
    /// Position in the current file, in seconds.
    #[serde(default)]
    #[schema(minimum = 0)]
    position: i64,
}

impl ReplaceQueue {
    fn check(self) -> ApiResult<NewQueue> {
        id_list::check_length("files", &self.files)?;
        check_position(self.position)?;
        Ok(NewQueue {
            files: self.files,
            current: self.current,
            position: QueuePosition::at_second(self.position),
            changed_by: None,
        })
    }
}

/// Changes to the queue; an omitted field stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "current": 0, "position": 42 }))]
pub(crate) struct UpdateQueue {
    /// Index of the current entry.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = usize, required = false, minimum = 0)]
    current: Option<usize>,
    /// Position in the current entry, in seconds.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = i64, required = false, minimum = 0)]
    position: Option<i64>,
}

impl UpdateQueue {
    fn check(self) -> ApiResult<QueuePatch> {
        check_position(self.position.unwrap_or_default())?;
        Ok(QueuePatch {
            current: self.current,
            position: self.position,
        })
    }
}

fn check_position(position: i64) -> ApiResult<()> {
    if position >= 0 {
        return Ok(());
    }
    Err(ApiError::invalid("position", "`position` is 0 or more."))
}

/// Returns a page of the user's queue. A queue that was never saved is empty and has version 0.
#[utoipa::path(
    get, path = "/queue", tag = "playlists",
    params(PageQuery, ("If-Match" = Option<String>, Header, description = "Expected version")),
    responses(
        (status = 200, description = "The queue", body = Queue),
        (status = 412, description = "The queue has another version", body = ErrorBody),
    ),
)]
pub(crate) async fn get_queue(
    user: Visible,
    State(app): State<App>,
    expected: ExpectedVersion,
    ApiQuery(page): ApiQuery<PageQuery>,
) -> ApiResult<Versioned<Queue>> {
    let window = page.window()?;
    let queue = app
        .db
        .read(move |conn| queue::get(conn, user, window))
        .await?;
    expected.check(queue.version)?;
    Ok(versioned(queue))
}

/// Replaces the user's whole queue, and returns its first page.
#[utoipa::path(
    put, path = "/queue", tag = "playlists",
    params(("If-Match" = Option<String>, Header, description = "Expected version")),
    request_body = ReplaceQueue,
    responses(
        (status = 200, description = "The queue", body = Queue),
        (status = 412, description = "The queue has another version", body = ErrorBody),
    ),
)]
pub(crate) async fn replace_queue(
    user: Visible,
    State(app): State<App>,
    expected: ExpectedVersion,
    ApiJson(body): ApiJson<ReplaceQueue>,
) -> ApiResult<Versioned<Queue>> {
    let new = body.check()?;
    let (now, registry) = (app.clock.now(), app.registry.clone());
    let queue = app.db.write(move |tx| {
        queue::replace(tx, &registry, user, &new, &expected, now)?;
        queue::get(tx, user, FIRST_PAGE)
    });
    Ok(versioned(queue.await?))
}

/// Changes the position of the user's queue, and returns its first page.
#[utoipa::path(
    patch, path = "/queue", tag = "playlists",
    params(("If-Match" = Option<String>, Header, description = "Expected version")),
    request_body = UpdateQueue,
    responses(
        (status = 200, description = "The queue", body = Queue),
        (status = 412, description = "The queue has another version", body = ErrorBody),
    ),
)]
pub(crate) async fn update_queue(
    user: Visible,
    State(app): State<App>,
    expected: ExpectedVersion,
    ApiJson(body): ApiJson<UpdateQueue>,
) -> ApiResult<Versioned<Queue>> {
    let (patch, now) = (body.check()?, app.clock.now());
    let queue = app.db.write(move |tx| {
        queue::update(tx, user, patch, &expected, now)?;
        queue::get(tx, user, FIRST_PAGE)
    });
    Ok(versioned(queue.await?))
}

/// Empties the user's queue.
#[utoipa::path(
    delete, path = "/queue", tag = "playlists",
    params(("If-Match" = Option<String>, Header, description = "Expected version")),
    responses(
        (status = 204, description = "Emptied"),
        (status = 412, description = "The queue has another version", body = ErrorBody),
    ),
)]
pub(crate) async fn clear_queue(
    user: Visible,
    State(app): State<App>,
    expected: ExpectedVersion,
) -> ApiResult<impl IntoResponse> {
    let now = app.clock.now();
    let version = app
        .db
        .write(move |tx| queue::clear(tx, user, &expected, now))
        .await?;
    Ok((StatusCode::NO_CONTENT, etag(version)))
}

fn versioned(queue: Queue) -> Versioned<Queue> {
    Versioned {
        version: queue.version,
        body: queue,
    }
}
