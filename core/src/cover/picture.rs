//! Decoding a picture that nobody vouches for, within limits of bytes, pixels and memory.

mod jpeg;

use std::io::Cursor;

use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, RgbImage};
use jpeg::Layout;

/// Largest picture that is read, in bytes as it lies in its file.
pub const MAX_SOURCE: u64 = 32 << 20;
/// Longest side.
const MAX_SIDE: u32 = 16_384;
/// Most pixels.
const MAX_PIXELS: u64 = 40_000_000;
/// Most memory that decoding may take, with the picture as it lies there.
const MAX_MEMORY: u64 = 176 << 20;

/// Why a picture is no cover.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PictureError {
    /// It is no JPEG, PNG, WebP, GIF or BMP.
    #[error("the picture is in no format that is read")]
    Unknown,
    /// More than decoding may take.
    #[error("the picture is too large: {0}")]
    TooLarge(String),
    /// It is not what it says it is.
    #[error("the picture is damaged: {0}")]
    Damaged(String),
}

/// A decoded picture, as it lies in its file.
#[derive(Debug)]
pub(super) struct Picture {
    /// Its pixels, over white where they let something through.
    pub(super) pixels: RgbImage,
    /// How it is to be turned before it is shown.
    pub(super) orientation: Orientation,
}

/// Decodes a picture; of an animated one, the first.
pub(super) fn decode(source: &[u8]) -> Result<Picture, PictureError> {
    if source.len() as u64 > MAX_SOURCE {
        return Err(PictureError::TooLarge("more than 32 MiB".to_owned()));
    }
    let mut reader = ImageReader::new(Cursor::new(source))
        .with_guessed_format()
        .map_err(|error| PictureError::Damaged(error.to_string()))?;
    let format = reader.format().ok_or(PictureError::Unknown)?;
    reader.limits(limits());
    let mut decoder = reader.into_decoder().map_err(said)?;
    check(&decoder, format, source)?;
    // A picture whose orientation cannot be read is shown as it lies there.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let pixels = if format == ImageFormat::Jpeg && jpeg::layout(source) == Layout::Channels {
        jpeg::decode_channels(source, decoder.dimensions())?
    } else {
        opaque(DynamicImage::from_decoder(decoder).map_err(said)?)
    };
    Ok(Picture {
        pixels,
        orientation,
    })
}

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_MEMORY);
    limits
}

/// Refuses what would take too much before any of it is decoded: decoders allocate more than the
/// pixels that they hand out, and not all of them keep to the limits.
fn check(
    decoder: &impl ImageDecoder,
    format: ImageFormat,
    source: &[u8],
) -> Result<(), PictureError> {
    let (width, height) = decoder.dimensions();
    let size = || format!("{width} × {height} pixels");
    if width == 0 || height == 0 {
        return Err(PictureError::Damaged("it has no pixels".to_owned()));
    }
    let pixels = u64::from(width) * u64::from(height);
    if width > MAX_SIDE || height > MAX_SIDE || pixels > MAX_PIXELS {
        return Err(PictureError::TooLarge(size()));
    }
    let rgb = 3 * pixels;
    let is_rgb = decoder.total_bytes() == rgb;
    // The pixels as they come, and once more as they are wanted.
    let handed_out = decoder.total_bytes() + if is_rgb { 0 } else { rgb };
    // The decoder keeps a copy of what it reads.
    let sources = 2 * source.len() as u64;
    let memory = sources + handed_out + pixels * working_memory(format, source);
    if memory > MAX_MEMORY {
        return Err(PictureError::TooLarge(size()));
    }
    Ok(())
}

/// Bytes a pixel that a decoder needs beside its output.
fn working_memory(format: ImageFormat, source: &[u8]) -> u64 {
    match format {
        ImageFormat::Jpeg => match jpeg::layout(source) {
            Layout::Rows => 0,
            // All coefficients are kept until the last scan.
            Layout::Passes => 6,
            // And the channels, before they become one picture.
            Layout::Channels => 9,
        },
        ImageFormat::Png | ImageFormat::Bmp => 1,
        ImageFormat::Gif => 5,
        _ => 4,
    }
}

fn said(error: image::ImageError) -> PictureError {
    use image::ImageError;
    match error {
        ImageError::Unsupported(_) => PictureError::Unknown,
        ImageError::Limits(error) => PictureError::TooLarge(error.to_string()),
        error => PictureError::Damaged(error.to_string()),
    }
}

/// The pixels over white.
fn opaque(image: DynamicImage) -> RgbImage {
    if !image.color().has_alpha() {
        return image.into_rgb8();
    }
    let mut image = image.into_rgba8();
    for pixel in image.pixels_mut() {
        let [red, green, blue, alpha] = pixel.0;
        let alpha = u16::from(alpha);
        let over_white = |channel: u8| {
            let sum = u16::from(channel) * alpha + 255 * (255 - alpha);
            u8::try_from((sum + 127) / 255).unwrap_or(255)
        };
        pixel.0 = [over_white(red), over_white(green), over_white(blue), 255];
    }
    DynamicImage::from(image).into_rgb8()
}

#[cfg(test)]
mod tests;
