//! A candidate's cover: fetched, decoded within limits, made into the images that are stored.

use std::panic::catch_unwind;

use super::line::Line;
use crate::cover::render;
use crate::registry::provider::{AskError, Cover, Request};
use crate::store::cover;
use crate::store::matches::write::Picture;

/// Largest picture that is fetched.
const MAX_PICTURE: u64 = 16 << 20;

/// The cover, or why there is none; a sentence's rest, to be shown to administrators.
pub(super) fn take(line: &Line<'_>, cover: &Cover) -> Result<Picture, Fault> {
    let bytes = match cover {
        Cover::Bytes(bytes) => bytes.clone(),
        Cover::Address(url) => fetch(line, url)?,
    };
    let hash = blake3::hash(&bytes).to_hex().to_string();
    let known = {
        let hash = hash.clone();
        let read = move |conn: &rusqlite::Connection| cover::hashed(conn, &hash);
        line.app.db.read_blocking(read).ok().flatten()
    };
    if known.is_some() {
        let rendered = None;
        return Ok(Picture { hash, rendered });
    }
    match catch_unwind(|| render(&bytes)) {
        Ok(Ok(rendered)) => Ok(Picture {
            hash,
            rendered: Some(rendered),
        }),
        Ok(Err(error)) => Err(Fault::Useless(error.to_string())),
        Err(_) => Err(Fault::Useless(
            "the picture could not be read: the decoder crashed".to_owned(),
        )),
    }
}

/// Why there is no cover.
#[derive(Debug)]
pub(super) enum Fault {
    /// The work was stopped.
    Stopped,
    /// Nothing that could be a cover.
    Useless(String),
}

fn fetch(line: &Line<'_>, url: &str) -> Result<Vec<u8>, Fault> {
    let answer = line.fetch(&Request::get(url), MAX_PICTURE);
    match answer {
        Ok(answer) => {
            let is_text = answer.content_type.starts_with("text/")
                || answer.content_type == "application/json";
            if is_text {
                let what = "the answer is no picture but text";
                return Err(Fault::Useless(what.to_owned()));
            }
            Ok(answer.body)
        }
        Err(AskError::Stopped) => Err(Fault::Stopped),
        Err(error) => Err(Fault::Useless(error.to_string())),
    }
}
