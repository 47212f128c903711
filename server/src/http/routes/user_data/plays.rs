//! Plays of files, and the files that the user's players play now.

use axum::extract::State;
use axum::http::StatusCode;
use ledge_core::App;
use ledge_core::access::{Visible, VisibleFile};
use ledge_core::app::now_playing::{Player, PlayerState, Report};
use ledge_core::error::StoreResult;
use ledge_core::http::{ApiError, ApiJson, ApiResult};
use ledge_core::id::{FileId, ItemId};
use ledge_core::paging::Items;
use ledge_core::store::file::request::{self, PlayedFile};
use ledge_core::store::user_data::play::{self, Plays};
use ledge_core::time::Timestamp;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::http::routes::text::line;

/// Limit of the name of a player in characters.
const MAX_DEVICE: usize = 64;
/// Limit of a position in seconds.
const MAX_POSITION: i64 = 1 << 40;

/// A play.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({}))]
pub(crate) struct NewPlay {
    /// Time of the play within the last year; now if it is omitted. A time up to a minute in the
    /// future becomes the current time.
    #[serde(default)]
    played_at: Option<Timestamp>,
}

/// Counts a play of a file, and a view of its item unless it had one in the last minute. A second
/// play in the same second changes nothing.
#[utoipa::path(
    post, path = "/files/{id}/play", tag = "files",
    params(("id" = i64, Path, description = "The file's id")),
    request_body = NewPlay,
    responses(
        (status = 200, description = "The plays of the file by the user", body = Plays),
    ),
)]
pub(crate) async fn count_play(
    file: VisibleFile,
    State(app): State<App>,
    ApiJson(body): ApiJson<NewPlay>,
) -> ApiResult<ApiJson<Plays>> {
    let now = app.clock.now();
    let played_at = body.played_at.unwrap_or(now);
    let plays = app
        .db
        .write(move |tx| play::add(tx, file, played_at, now))
        .await?;
    plays.map(ApiJson).ok_or(ApiError::NotFound("file"))
}

/// Report of a player.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "file_id": 1, "state": "playing", "position": 42, "device": "Kitchen" }))]
pub(crate) struct ReportPlayer {
    /// Id of the file.
    file_id: FileId,
    /// State of the player.
    state: PlayerState,
    /// Position in seconds.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1_099_511_627_776_i64)]
    position: i64,
    /// Name of the player, 1 to 64 characters without control characters.
    #[schema(min_length = 1, max_length = 64)]
    device: String,
}

/// A player and the file that it plays.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PlayerView {
    /// Name of the player.
    device: String,
    /// State of the player; never `stopped`.
    state: PlayerState,
    /// Id of the file.
    file_id: FileId,
    /// Id of the item that contains the file.
    item_id: ItemId,
    /// Kind of the item.
    #[schema(format = "kind")]
    kind: String,
    /// Title of the part, otherwise of the item.
    title: String,
    /// Title of the item.
    item_title: String,
    /// Last reported position in seconds.
    position: i64,
    /// Time at which the playback of the file began.
    started_at: Timestamp,
    /// Time of the last report.
    reported_at: Timestamp,
}

impl PlayerView {
    fn new(player: &Player, file: PlayedFile) -> Self {
        Self {
            device: player.report.device.clone(),
            state: player.report.state,
            file_id: player.report.file,
            item_id: file.item,
            kind: file.kind,
            title: file.title,
            item_title: file.item_title,
            position: player.report.position / 1000,
            started_at: player.started_at,
            reported_at: player.reported_at,
        }
    }
}

/// Lists the user's own players that play visible files now, the newest report first.
#[utoipa::path(
    get, path = "/now-playing", tag = "playback",
    responses(
        (status = 200, description = "The players", body = Items<PlayerView>),
    ),
)]
pub(crate) async fn list_now_playing(
    visible: Visible,
    State(app): State<App>,
) -> ApiResult<ApiJson<Items<PlayerView>>> {
    let players = app.now_playing.list(visible.user(), app.clock.now());
    let read = move |conn: &Connection| -> StoreResult<Vec<PlayerView>> {
        let mut views = Vec::with_capacity(players.len());
        for player in &players {
            let file = request::played(conn, visible, player.report.file)?;
            views.extend(file.map(|file| PlayerView::new(player, file)));
        }
        Ok(views)
    };
    let items = app.db.read_inline(read).await?;
    Ok(ApiJson(Items { items }))
}

/// Reports that a player of the user plays a file. The server keeps the report in memory only. It
/// counts neither a play nor progress.
#[utoipa::path(
    put, path = "/now-playing", tag = "playback",
    request_body = ReportPlayer,
    responses(
        (status = 204, description = "Done"),
    ),
)]
pub(crate) async fn report_now_playing(
    visible: Visible,
    State(app): State<App>,
    ApiJson(body): ApiJson<ReportPlayer>,
) -> ApiResult<StatusCode> {
    if !(0..=MAX_POSITION).contains(&body.position) {
        let message = "`position` is a number of seconds from 0.";
        return Err(ApiError::invalid("position", message));
    }
    let device = line("device", &body.device, MAX_DEVICE)?;
    let file = body.file_id;
    let read = move |conn: &_| request::played(conn, visible, file);
    let Some(played) = app.db.read_inline(read).await? else {
        let message = format!("There is no file {file}.");
        return Err(ApiError::invalid("file_id", message));
    };
    let report = Report {
        device,
        file,
        state: body.state,
        position: body.position * 1000,
        rate: 1.0,
        duration: played.duration_millis(),
        is_play: false,
    };
    let now = app.clock.now();
    app.now_playing.report(visible.user(), report, now);
    Ok(StatusCode::NO_CONTENT)
}
