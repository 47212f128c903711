//! A picture as it is stored: under its hash, and made into images unless those are there already.

use std::panic::catch_unwind;

use super::render::{Rendered, render};

/// A cover to be stored.
#[derive(Debug)]
pub struct Picture {
    /// Hash of the picture as it came.
    pub hash: String,
    /// `None` where one of this hash is stored already.
    pub rendered: Option<Rendered>,
}

/// Makes the images of a picture, unless `is_known` knows its hash; else why it is none, the rest of
/// a sentence.
pub fn picture(bytes: &[u8], is_known: impl FnOnce(&str) -> bool) -> Result<Picture, String> {
    let hash = blake3::hash(bytes).to_hex().to_string();
    if is_known(&hash) {
        let rendered = None;
        return Ok(Picture { hash, rendered });
    }
    match catch_unwind(|| render(bytes)) {
        Ok(Ok(rendered)) => Ok(Picture {
            hash,
            rendered: Some(rendered),
        }),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("the picture could not be read: the decoder crashed".to_owned()),
    }
}
