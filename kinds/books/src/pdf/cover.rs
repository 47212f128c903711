//! The first page of a PDF as a picture.
//!
//! What renders it can neither be told to stop nor kept from taking memory, so it works in a
//! process of its own.

use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::Path;
use std::time::Duration;

use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use hayro::vello_cpu::Pixmap;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings};
use ledge_core::aside::{self, Work};
use ledge_core::registry::reading::ReadError;

use super::file::{HEAD, beginning};
use crate::archive::{ReadResult, damaged};
use crate::picture;

/// Largest picture: as wide as the widest cover, and not much higher than wide.
const WIDTH: f32 = 960.0;
const HEIGHT: f32 = 1920.0;

const RENDERING: Work = Work {
    name: "pdf-cover",
    task: "rendering page 1",
    run: rendered,
};

inventory::submit! { RENDERING }

/// The first page of a document, where it can be rendered.
pub fn cover(path: &Path, mut file: File, time: Duration) -> ReadResult<Option<Vec<u8>>> {
    // What the reader of facts takes for no PDF need not cost a process.
    let mut head = Vec::new();
    file.by_ref().take(HEAD).read_to_end(&mut head)?;
    beginning(&head)?;
    file.rewind()?;
    aside::output(&RENDERING, path, file, time)
}

/// The first page as a JPEG. For documents that are trusted, or within limits set elsewhere.
pub fn rendered(document: Vec<u8>) -> Result<Vec<u8>, ReadError> {
    let document = Pdf::new(document).map_err(told)?;
    let pages = document.pages();
    let page = pages.first().ok_or_else(|| damaged("has no page"))?;
    let (width, height) = page.render_dimensions();
    if !(width >= 1.0 && height >= 1.0) {
        return Err(damaged("has a first page without a size"));
    }
    let scale = (WIDTH / width).min(HEIGHT / height);
    let settings = PixmapSettings {
        // A page that is a mere line is drawn one pixel wide.
        x_scale: scale.max(1.0 / width),
        y_scale: scale.max(1.0 / height),
        bg_color: WHITE,
    };
    let pixels = hayro::render(
        page,
        &RenderCache::new(),
        &InterpreterSettings::default(),
        &RenderSettings::default(),
        &settings,
    );
    let (width, height) = (pixels.width(), pixels.height());
    picture::jpeg(&opaque(&pixels), width, height)
        .ok_or_else(|| damaged("has a first page that cannot be rendered"))
}

/// Without the alpha channel: the page is white below everything.
fn opaque(pixels: &Pixmap) -> Vec<u8> {
    let pixels = pixels.data().iter();
    pixels
        .flat_map(|pixel| [pixel.r, pixel.g, pixel.b])
        .collect()
}

pub(super) fn told(error: LoadPdfError) -> ReadError {
    damaged(match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => {
            "is encrypted with a password: its first page cannot be rendered"
        }
        LoadPdfError::Decryption(_) => "is encrypted in a way that is not read",
        LoadPdfError::Invalid => "is no PDF that can be rendered",
    })
}
