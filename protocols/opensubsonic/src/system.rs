//! State of the server, and answers to unknown methods.

use axum::http::StatusCode;

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
