//! A candidate's cover: fetched, decoded within limits, made into the images that are stored.

use super::line::Line;
use crate::cover::{self, Picture};
use crate::fetch::is_outage;
use crate::registry::provider::{AskError, Cover, Request};

/// Largest picture that is fetched.
const MAX_PICTURE: u64 = 16 << 20;

/// Why there is no cover.
#[derive(Debug)]
pub(super) enum Fault {
    /// The work was stopped.
    Stopped,
    /// It could not be fetched now.
    Later(AskError),
    /// Nothing that could be a cover; a sentence's rest, to be shown to administrators.
    Useless(String),
}

/// The cover, or why there is none.
pub(super) fn take(line: &Line<'_>, cover: &Cover) -> Result<Picture, Fault> {
    let bytes = match cover {
        Cover::Bytes(bytes) => bytes.clone(),
        Cover::Address(url) => fetch(line, url)?,
    };
    cover::picture(&bytes, |hash| {
        let hash = hash.to_owned();
        let read = move |conn: &rusqlite::Connection| crate::store::cover::hashed(conn, &hash);
        line.app.db.read_blocking(read).ok().flatten().is_some()
    })
    .map_err(Fault::Useless)
}

fn fetch(line: &Line<'_>, url: &str) -> Result<Vec<u8>, Fault> {
    let answer = line.fetch(&Request::get(url), MAX_PICTURE);
    match answer {
        Ok(answer) => {
            let is_text = answer.content_type.starts_with("text/")
                || answer.content_type == "application/json";
            if is_text {
                // An error or a page in place of the picture: it says nothing of the picture itself.
                let what = "the answer is no picture but text";
                return Err(Fault::Later(AskError::Malformed(what.to_owned())));
            }
            Ok(answer.body)
        }
        Err(AskError::Stopped) => Err(Fault::Stopped),
        Err(error) if is_passing(&error) => Err(Fault::Later(error)),
        Err(error) => Err(Fault::Useless(error.to_string())),
    }
}

/// Whether the next attempt may succeed. Who may not have a picture may not have it tomorrow.
fn is_passing(error: &AskError) -> bool {
    is_outage(error) && ![401, 403, 407].iter().any(|code| error.has_status(*code))
}
