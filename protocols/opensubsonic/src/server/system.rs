//! State of the server, and answers to unknown methods.

use axum::http::StatusCode;
use ledge_core::store::library::scan_run::{self, ScanState};
use rusqlite::Connection;

use crate::browsing::folders;
use crate::envelope::{Outcome, empty, reply};
use crate::failure::{Code, Failure};
use crate::node::{Node, Value};
use crate::params::Call;

/// Extensions of OpenSubsonic, each in its version 1.
const EXTENSIONS: [&str; 6] = [
    "apiKeyAuthentication",
    "formPost",
    "songLyrics",
    "indexBasedQueue",
    "playbackReport",
    "topSongsByArtistId",
];

/// Handles `ping`.
pub(crate) async fn ping(_: Call) -> Outcome {
    empty()
}

/// Handles `getLicense`.
pub(crate) async fn license(_: Call) -> Outcome {
    reply("license", Node::new().with("valid", true))
}

/// Handles `getOpenSubsonicExtensions`.
pub(crate) fn extensions() -> Outcome {
    let extension = |name: &str| {
        Node::new()
            .with("name", name)
            .with("versions", Value::Integers(vec![1]))
    };
    let extensions: Vec<Node> = EXTENSIONS.into_iter().map(extension).collect();
    reply("openSubsonicExtensions", extensions)
}

/// Responds to an unknown method.
pub(crate) async fn unknown(_: Call) -> Outcome {
    let failure = Failure::new(Code::Other, "This method does not exist.");
    Err(failure.with_status(StatusCode::NOT_FOUND))
}

/// Handles `getScanStatus`: any running scan of a visible library.
pub(crate) async fn scan_status(call: Call) -> Outcome {
    let visible = call.visible;
    let read = move |conn: &Connection| {
        let (mut is_scanning, mut count) = (false, 0_u64);
        for library in folders::libraries(conn, visible)? {
            if let Some(library) = visible.library(conn, library.id)? {
                let status = scan_run::status(conn, library)?;
                is_scanning |= matches!(status.status, ScanState::Queued | ScanState::Running);
                count = count.saturating_add(status.scanned);
            }
        }
        Ok((is_scanning, count))
    };
    let (is_scanning, count) = call.app.db.read(read).await?;
    let node = Node::new()
        .with("scanning", is_scanning)
        .with("count", i64::try_from(count).unwrap_or(i64::MAX));
    reply("scanStatus", node)
}
