//! What a JPEG's segments tell before any pixel is decoded: how much memory that takes, and which
//! decoder reads it.

use std::io::Cursor;

use image::RgbImage;

use super::PictureError;

/// How the pixels lie in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// From top to bottom, all channels together.
    Rows,
    /// From top to bottom, one channel after another.
    Channels,
    /// From coarse to fine, or what cannot be told.
    Passes,
}

/// A segment's marker and what is in it; what begins with no marker is passed over.
fn segment(source: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let mut rest = source;
    loop {
        match rest {
            [0xFF, 0xFF, ..] => rest = rest.get(1..)?,
            [0xFF, marker, high, low, ..] => {
                let length = usize::from(u16::from_be_bytes([*high, *low]));
                let body = rest.get(4..2 + length).unwrap_or_default();
                return Some((*marker, body, rest.get(2 + length..).unwrap_or_default()));
            }
            _ => rest = rest.get(1..)?,
        }
    }
}

/// How a JPEG's pixels lie in it.
pub(super) fn layout(source: &[u8]) -> Layout {
    const START_OF_SCAN: u8 = 0xDA;
    let mut channels = None;
    let mut rest = source.get(2..).unwrap_or_default();
    while let Some((marker, body, next)) = segment(rest) {
        rest = next;
        match (marker, body) {
            (0xC0 | 0xC1, [_, _, _, _, _, count, ..]) => channels = Some(*count),
            (0xC4 | 0xC8 | 0xCC, _) => {}
            (0xC2..=0xCF, _) => return Layout::Passes,
            (START_OF_SCAN, [count, ..]) => {
                return match channels {
                    Some(all) if *count < all => Layout::Channels,
                    Some(_) => Layout::Rows,
                    None => Layout::Passes,
                };
            }
            _ => {}
        }
    }
    Layout::Passes
}

/// Decodes a picture whose channels lie one after another: the usual decoder takes them for noise
/// where they are not all of the same size.
pub(super) fn decode_channels(
    source: &[u8],
    (width, height): (u32, u32),
) -> Result<RgbImage, PictureError> {
    let mut decoder = jpeg_decoder::Decoder::new(Cursor::new(source));
    let bytes = 3 * width as usize * height as usize;
    decoder.set_max_decoding_buffer_size(bytes);
    let pixels = decoder
        .decode()
        .map_err(|error| PictureError::Damaged(error.to_string()))?;
    let format = decoder.info().map(|info| info.pixel_format);
    if format != Some(jpeg_decoder::PixelFormat::RGB24) {
        return Err(PictureError::Unknown);
    }
    RgbImage::from_raw(width, height, pixels)
        .ok_or_else(|| PictureError::Damaged("it has other sides than it says".to_owned()))
}
