//! Pictures in books: format detection, dimensions, and scaling.

use ledge_core::image::{self as core_image, Picture, Resizer};
use ledge_core::registry::OCTET_STREAM;
use ledge_formats::bytes::BytesAt;

/// JPEG quality of scaled pictures, from 1 to 100.
const QUALITY: u8 = 85;

/// Detects the media type of a picture by its first bytes.
pub fn mime(bytes: &[u8]) -> &'static str {
    let brand = bytes.get(8..12).unwrap_or_default();
    match bytes {
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
        [b'B', b'M', ..] => "image/bmp",
        [b'R', b'I', b'F', b'F', ..] if brand == b"WEBP" => "image/webp",
        [0, 0, 0, _, b'f', b't', b'y', b'p', ..] if brand == b"avif" || brand == b"avis" => {
            "image/avif"
        }
        [0xff, 0x0a, ..] | [0, 0, 0, 0x0c, b'J', b'X', b'L', b' ', ..] => "image/jxl",
        [b'I', b'I', 42, 0, ..] | [b'M', b'M', 0, 42, ..] => "image/tiff",
        _ => OCTET_STREAM,
    }
}

/// Returns width and height in pixels from a picture's header. The start of the file is sufficient.
pub fn size(head: &[u8]) -> Option<(u32, u32)> {
    let size = match mime(head) {
        "image/jpeg" => jpeg_size(head),
        "image/png" => Some((head.be32(16)?, head.be32(20)?)),
        "image/gif" => Some((head.le16(6)?.into(), head.le16(8)?.into())),
        "image/webp" => webp_size(head),
        "image/bmp" => Some((head.le32(18)?, head.le32(22)?.cast_signed().unsigned_abs())),
        _ => None,
    };
    size.filter(|(width, height)| *width > 0 && *height > 0)
}

/// Finds the frame header of a JPEG by walking its segments.
fn jpeg_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        let marker = *bytes.get(at + 1)?;
        if *bytes.get(at)? != 0xff {
            return None;
        }
        match marker {
            0xff => at += 1,
            0x01 | 0xd0..=0xd8 => at += 2,
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                return Some((bytes.be16(at + 7)?.into(), bytes.be16(at + 5)?.into()));
            }
            0xd9 | 0xda => return None,
            _ => at += 2 + usize::from(bytes.be16(at + 2)?).max(2),
        }
    }
}

/// Reads the dimensions of the three WebP variants (RFC 9649).
fn webp_size(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8 " => {
            let side = |at| Some(u32::from(bytes.le16(at)? & 0x3fff));
            Some((side(26)?, side(28)?))
        }
        b"VP8L" => {
            let bits = bytes.le32(21)?;
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        b"VP8X" => {
            let sides: [u8; 6] = bytes.get(24..30)?.try_into().ok()?;
            let [w0, w1, w2, h0, h1, h2] = sides;
            let side = |a, b, c| u32::from_le_bytes([a, b, c, 0]) + 1;
            Some((side(w0, w1, w2), side(h0, h1, h2)))
        }
        _ => None,
    }
}

/// Scales a picture to `width` pixels and encodes it as JPEG. Returns `None` if it is not wider,
/// cannot be decoded, or exceeds the decoder's limits.
pub fn scaled(source: &[u8], width: u32) -> Option<Vec<u8>> {
    let picture = core_image::decode(source).ok()?;
    if picture.shown().0 <= width {
        return None;
    }
    encoded(picture, width)
}

/// Returns `true` for the formats that every reading program displays.
pub fn is_common(bytes: &[u8]) -> bool {
    matches!(mime(bytes), "image/jpeg" | "image/png" | "image/gif")
}

/// Encodes a picture as JPEG, at most `width` pixels wide. Returns `None` if it cannot be decoded,
/// or exceeds the decoder's limits.
pub fn as_jpeg(source: &[u8], width: u32) -> Option<Vec<u8>> {
    encoded(core_image::decode(source).ok()?, width)
}

/// Scales a decoded picture to at most `width` pixels, and encodes it as JPEG.
fn encoded(picture: Picture, width: u32) -> Option<Vec<u8>> {
    let (from_width, from_height) = picture.shown();
    let width = width.min(from_width);
    let height = u64::from(from_height) * u64::from(width) / u64::from(from_width);
    let size = (width, u32::try_from(height).ok()?.max(1));
    let pixels = picture.scaled(&mut Resizer::new(), size).ok()?;
    core_image::jpeg(pixels.as_raw(), size, QUALITY).ok()
}

/// Encodes RGB pixels as JPEG.
pub(crate) fn jpeg(pixels: &[u8], width: u16, height: u16) -> Option<Vec<u8>> {
    core_image::jpeg(pixels, (width.into(), height.into()), QUALITY).ok()
}

#[cfg(test)]
mod tests {
    use image::{ExtendedColorType, ImageEncoder};

    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut png = Vec::new();
        let pixels = vec![100; (width * height * 4) as usize];
        image::codecs::png::PngEncoder::new(&mut png)
            .write_image(&pixels, width, height, ExtendedColorType::Rgba8)
            .expect("a picture");
        png
    }

    #[test]
    fn size_is_read_from_headers() {
        let jpeg = b"\xff\xd8\xff\xe0\0\x04AB\xff\xff\xc2\0\x11\x08\x01\x02\x03\x04";
        assert_eq!(size(jpeg), Some((0x304, 0x102)));
        assert_eq!(size(&png(7, 5)), Some((7, 5)));
        assert_eq!(size(b"GIF89a\x02\x01\x04\x03"), Some((0x102, 0x304)));
        let webp = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x01\x02\0\x03\x04\0";
        assert_eq!(size(webp), Some((0x202, 0x404)));
        let lossless = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x01\x40\0\0";
        assert_eq!(size(lossless), Some((2, 2)));
        for bytes in [&b""[..], b"\xff\xd8\xff\xe0\0\0\0\0", b"BM", b"text"] {
            assert_eq!(size(bytes), None);
        }
    }

    #[test]
    fn scaled_reduces_to_width_and_never_enlarges() {
        let picture = png(400, 300);
        let smaller = scaled(&picture, 100).expect("a picture");
        assert_eq!(mime(&smaller), "image/jpeg");
        assert_eq!(size(&smaller), Some((100, 75)));
        assert_eq!(scaled(&picture, 400), None);
        assert_eq!(scaled(b"text", 100), None);
    }
}
