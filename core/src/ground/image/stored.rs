//! Pictures in their stored form: by their hash, with their images unless those are already stored.

use std::panic::catch_unwind;

use image::ImageFormat;

use super::PictureLimits;
use crate::image::render::{Purpose, Rendered, render_for};

/// Cover to store.
#[derive(Debug)]
pub struct StoredPicture {
    /// BLAKE3 hash of the original picture, in hexadecimal.
    pub hash: String,
    /// Images, or `None` if a picture with this hash is already stored.
    pub rendered: Option<Rendered>,
}

impl StoredPicture {
    /// Renders the images of a picture, unless `is_known` returns `true` for its hash. The error
    /// completes a sentence.
    pub fn new(
        bytes: &[u8],
        purpose: Purpose,
        is_known: impl FnOnce(&str) -> bool,
    ) -> Result<Self, String> {
        Self::within(bytes, PictureLimits::FOUND, purpose, is_known)
    }

    /// Renders the images of a picture that an administrator uploads: JPEG, PNG or WebP, with higher
    /// limits. The caller must decode one picture at a time.
    pub fn uploaded(bytes: &[u8], is_known: impl FnOnce(&str) -> bool) -> Result<Self, String> {
        let format = image::guess_format(bytes).ok();
        let accepted = [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP];
        if !format.is_some_and(|format| accepted.contains(&format)) {
            return Err("it is neither JPEG, PNG nor WebP".to_owned());
        }
        Self::within(bytes, PictureLimits::CHOSEN, Purpose::Cover, is_known)
    }

    fn within(
        bytes: &[u8],
        limits: PictureLimits,
        purpose: Purpose,
        is_known: impl FnOnce(&str) -> bool,
    ) -> Result<Self, String> {
        let hash = hash(bytes, purpose);
        if is_known(&hash) {
            let rendered = None;
            return Ok(Self { hash, rendered });
        }
        match catch_unwind(|| render_for(bytes, limits, purpose)) {
            Ok(Ok(rendered)) => Ok(Self {
                hash,
                rendered: Some(rendered),
            }),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("the picture could not be read: the decoder crashed".to_owned()),
        }
    }
}

/// Returns the hash of a picture. The same bytes have another hash for each purpose, because their
/// images differ.
fn hash(bytes: &[u8], purpose: Purpose) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(bytes);
    match purpose {
        Purpose::Cover => {}
        Purpose::Backdrop => {
            hasher.update(b"backdrop");
        }
        Purpose::Logo => {
            hasher.update(b"logo");
        }
    }
    hasher.finalize().to_hex().to_string()
}
