//! Segments of a JPEG file. They determine the memory that decoding needs, and the decoder that can
//! read the file.

use std::io::Cursor;

use image::RgbImage;

use super::PictureError;

/// Order of the pixels in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Sequential, with all channels interleaved.
    Rows,
    /// Sequential, with one scan per channel.
    Channels,
    /// Progressive, or unknown.
    Passes,
}

/// Returns the first segment's marker and body, and the remaining data. Skips bytes before the
/// marker.
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

/// Returns the order of the pixels in a JPEG.
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

/// Decodes a picture with one scan per channel. The default decoder returns noise for it if the
/// channels have different sizes.
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
        .ok_or_else(|| PictureError::Damaged("its dimensions differ from its header".to_owned()))
}
