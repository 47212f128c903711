//! Current file requests, for administrators.

use axum::Extension;
use axum::extract::State;
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::error::StoreResult;
use ledge_core::http::{ApiJson, ApiResult};
use ledge_core::id::{FileId, ItemId, UserId};
use ledge_core::store::file::request::{self, FileRequest};
use ledge_core::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::http::transfers::{Transfer, Transfers};

/// Current file requests, and the bytes that file requests have sent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActivityView)]
pub(crate) struct Activity {
    /// File requests that are open or ended less than 30 seconds ago, the newest first; at most
    /// 1,000.
    streams: Vec<Stream>,
    /// Bytes sent in the last 24 hours, at most since the start of the server.
    bytes_24h: u64,
    /// Bytes sent per hour, the current hour last.
    #[schema(min_items = 24, max_items = 24)]
    hours: Vec<u64>,
}

/// A file request.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActivityStream)]
pub(crate) struct Stream {
    /// User who sent the request.
    user: StreamUser,
    /// Name of the client's program; null if the client does not send one.
    device: Option<String>,
    /// Kind of the item.
    #[schema(format = "kind")]
    kind: String,
    /// Id of the item; null without a grant of the administrator.
    item_id: Option<ItemId>,
    /// Id of the file; null without a grant of the administrator.
    file_id: Option<FileId>,
    /// Title of the item; null without a grant of the administrator.
    title: Option<String>,
    /// Size of the file in bytes.
    size: u64,
    /// Number of bytes sent.
    sent: u64,
    /// Average number of bytes per second.
    rate: u64,
    /// Time of the request.
    started_at: Timestamp,
}

/// User of a file request.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActivityUser)]
pub(crate) struct StreamUser {
    /// Id of the user.
    id: UserId,
    /// Name of the user.
    username: String,
}

impl Stream {
    fn new(transfer: &Transfer, request: FileRequest, now: Timestamp) -> Self {
        let (item_id, title) = request.item.unzip();
        Self {
            user: StreamUser {
                id: transfer.user,
                username: request.username,
            },
            device: transfer.device.clone(),
            kind: transfer.kind.clone(),
            item_id,
            file_id: item_id.map(|_| transfer.file),
            title,
            size: transfer.size,
            sent: transfer.sent(),
            rate: transfer.rate(now),
            started_at: transfer.started_at,
        }
    }
}

/// Returns the current file requests, and the bytes sent in the last 24 hours.
#[utoipa::path(
    get, path = "/activity", tag = "system",
    responses(
        (status = 200, description = "The file requests", body = Activity),
    ),
)]
pub(crate) async fn get_activity(
    visible: Visible,
    State(app): State<App>,
    Extension(transfers): Extension<Transfers>,
) -> ApiResult<ApiJson<Activity>> {
    let now = app.clock.now();
    let (list, hours) = (transfers.list(now), transfers.hours(now));
    let described = app.db.read(move |conn| {
        let describe = |transfer: &std::sync::Arc<Transfer>| {
            let of = (transfer.user, transfer.file);
            let request = request::describe(conn, visible, of)?;
            Ok(request.map(|request| Stream::new(transfer, request, now)))
        };
        let streams: StoreResult<Vec<Option<Stream>>> = list.iter().map(describe).collect();
        Ok(streams?.into_iter().flatten().collect())
    });
    Ok(ApiJson(Activity {
        streams: described.await?,
        bytes_24h: hours.iter().sum(),
        hours: hours.to_vec(),
    }))
}
