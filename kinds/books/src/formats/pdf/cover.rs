//! Rendering of a PDF's first page.
//!
//! The renderer can be neither interrupted nor limited in memory, so it runs in a subprocess.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use hayro::vello_cpu::Pixmap;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings};
use ledge_core::error::ReadError;
use ledge_core::process::worker::{self, Work};

use super::file::check_header;
use crate::archive::{ReadResult, damaged};
use crate::formats::picture;

/// Largest picture in pixels: the width of the largest cover, and twice that as height.
const WIDTH: f32 = 960.0;
const HEIGHT: f32 = 1920.0;

const RENDERING: Work = Work {
    name: "pdf-cover",
    task: "rendering page 1",
    run: render,
};

inventory::submit! { RENDERING }

/// Renders the first page as a JPEG. Returns `None` if no subprocess can be started.
pub fn cover(path: &Path, mut file: File, time: Duration) -> ReadResult<Option<Vec<u8>>> {
    // A file that is not a PDF is rejected before a subprocess is started.
    check_header(&mut file)?;
    worker::output(&RENDERING, path, file, time)
}

/// Renders the first page as a JPEG, in the current process. The caller must trust the document or
/// limit the process.
pub fn render(document: Vec<u8>) -> Result<Vec<u8>, ReadError> {
    let document = Pdf::new(document).map_err(to_read_error)?;
    let pages = document.pages();
    let page = pages.first().ok_or_else(|| damaged("has no page"))?;
    let (width, height) = page.render_dimensions();
    if !(width >= 1.0 && height >= 1.0) {
        return Err(damaged("has a first page without a size"));
    }
    let scale = (WIDTH / width).min(HEIGHT / height);
    let settings = PixmapSettings {
        // An extremely narrow page is still drawn one pixel wide.
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

/// Removes the alpha channel. The background is white already.
fn opaque(pixels: &Pixmap) -> Vec<u8> {
    let pixels = pixels.data().iter();
    pixels
        .flat_map(|pixel| [pixel.r, pixel.g, pixel.b])
        .collect()
}

pub(super) fn to_read_error(error: LoadPdfError) -> ReadError {
    damaged(match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => {
            "is encrypted with a password: its first page cannot be rendered"
        }
        LoadPdfError::Decryption(_) => "is encrypted with an unsupported method",
        LoadPdfError::Invalid => "is not a PDF that can be rendered",
    })
}
