//! Covers of candidates: fetched, decoded within limits and converted to the stored sizes.

pub(in crate::services::enrich) mod further;

use super::ProviderSession;
use crate::image::{Purpose, StoredPicture};
use crate::net::is_outage;
use crate::registry::provider::{AskError, Cover, Request};

/// Maximum size of a fetched picture, in bytes.
const MAX_PICTURE: u64 = 16 << 20;

/// Reason why there is no cover.
#[derive(Debug)]
pub(in crate::services::enrich) enum Fault {
    /// The job was stopped.
    Stopped,
    /// The fetch failed, but a later one may succeed.
    Later(AskError),
    /// The data cannot be a cover. The text completes a sentence for administrators.
    Useless(String),
}

/// Returns the cover, or the reason why there is none.
pub(in crate::services::enrich) fn take(
    session: &ProviderSession<'_>,
    cover: &Cover,
    purpose: Purpose,
) -> Result<StoredPicture, Fault> {
    let bytes = bytes(session, cover)?;
    StoredPicture::new(&bytes, purpose, |hash| {
        let hash = hash.to_owned();
        let read = move |conn: &rusqlite::Connection| crate::store::cover::hashed(conn, &hash);
        session.app.db.read_blocking(read).ok().flatten().is_some()
    })
    .map_err(Fault::Useless)
}

/// Returns the picture with its images, also if it is stored already.
pub(in crate::services::enrich) fn render(
    session: &ProviderSession<'_>,
    cover: &Cover,
    purpose: Purpose,
) -> Result<StoredPicture, Fault> {
    let bytes = bytes(session, cover)?;
    StoredPicture::new(&bytes, purpose, |_| false).map_err(Fault::Useless)
}

fn bytes(session: &ProviderSession<'_>, cover: &Cover) -> Result<Vec<u8>, Fault> {
    match cover {
        Cover::Bytes(bytes) => Ok(bytes.clone()),
        Cover::Address(url) => fetch(session, url),
    }
}

fn fetch(session: &ProviderSession<'_>, url: &str) -> Result<Vec<u8>, Fault> {
    let answer = session.fetch(&Request::get(url), MAX_PICTURE);
    match answer {
        Ok(answer) => {
            let is_text = answer.content_type.starts_with("text/")
                || answer.content_type == "application/json";
            if is_text {
                // The server sent an error page instead of the picture. The picture itself may
                // still exist.
                let what = "the answer is text instead of a picture";
                return Err(Fault::Later(AskError::Malformed(what.to_owned())));
            }
            Ok(answer.body)
        }
        Err(AskError::Stopped) => Err(Fault::Stopped),
        Err(error) if is_passing(&error) => Err(Fault::Later(error)),
        Err(error) => Err(Fault::Useless(error.to_string())),
    }
}

/// Returns `true` if a later attempt may succeed. A refused access is permanent.
fn is_passing(error: &AskError) -> bool {
    is_outage(error) && ![401, 403, 407].iter().any(|code| error.has_status(*code))
}
