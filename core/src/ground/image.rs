//! Untrusted pictures: decoded within limits of bytes, pixels and memory, scaled down, and encoded
//! as JPEG.

mod jpeg;
mod logo;
mod mosaic;
pub mod render;
pub mod stored;
mod tint;

use std::io::Cursor;

pub use fast_image_resize::Resizer;
use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8x3;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions};
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, RgbImage};
use jpeg::Layout;
pub use mosaic::mosaic;
pub use render::{Image, Purpose, Rendered, Size, render, render_within};
pub use stored::StoredPicture;

/// Maximum size of an encoded picture, in bytes.
pub const MAX_SOURCE: u64 = 32 << 20;
/// Limits of a picture.
#[derive(Debug, Clone, Copy)]
pub struct PictureLimits {
    /// Maximum length of a side, in pixels.
    side: u32,
    /// Maximum number of pixels.
    pixels: u64,
    /// Maximum memory for decoding in bytes, including the encoded picture.
    memory: u64,
}

impl PictureLimits {
    /// Limits of pictures that are found without a request, several at a time.
    pub const FOUND: Self = Self {
        side: 16_384,
        pixels: 40_000_000,
        memory: 176 << 20,
    };
    /// Limits of a picture that an administrator chooses. The caller decodes one at a time.
    pub const CHOSEN: Self = Self {
        side: 65_535,
        pixels: 100_000_000,
        memory: 1_200 << 20,
    };
}

/// Reason why a picture cannot be a cover.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PictureError {
    /// The format is not JPEG, PNG, WebP, GIF or BMP.
    #[error("the format of the picture is not supported")]
    Unknown,
    /// The picture exceeds a limit.
    #[error("the picture is too large: {0}")]
    TooLarge(String),
    /// The content is damaged or contradicts its header.
    #[error("the picture is damaged: {0}")]
    Damaged(String),
}

/// Decoded picture in its stored orientation.
#[derive(Debug)]
pub struct Picture {
    /// Pixels. Transparent parts are blended over white.
    pub pixels: RgbImage,
    /// Transformation that must be applied before display.
    pub orientation: Orientation,
}

impl Picture {
    /// Returns width and height after the orientation is applied.
    pub fn shown(&self) -> (u32, u32) {
        self.turned(self.pixels.dimensions())
    }

    /// Returns the picture in this size, with the orientation applied.
    pub fn scaled(self, resizer: &mut Resizer, size: (u32, u32)) -> Result<RgbImage, PictureError> {
        let orientation = self.orientation;
        let lying = self.turned(size);
        // The orientation is applied after scaling, when there are fewer pixels.
        let mut smaller = DynamicImage::from(scaled(resizer, self.pixels, lying)?);
        smaller.apply_orientation(orientation);
        Ok(smaller.into_rgb8())
    }

    /// Swaps width and height if the orientation rotates the picture by 90 degrees.
    fn turned(&self, (width, height): (u32, u32)) -> (u32, u32) {
        let is_lying = matches!(
            self.orientation,
            Orientation::Rotate90
                | Orientation::Rotate270
                | Orientation::Rotate90FlipH
                | Orientation::Rotate270FlipH
        );
        if is_lying {
            (height, width)
        } else {
            (width, height)
        }
    }
}

/// Scales pixels to another size.
pub fn scaled(
    resizer: &mut Resizer,
    pixels: RgbImage,
    (width, height): (u32, u32),
) -> Result<RgbImage, PictureError> {
    let (from_width, from_height) = pixels.dimensions();
    if (from_width, from_height) == (width, height) {
        return Ok(pixels);
    }
    let mut smaller = RgbImage::new(width, height);
    // The typed API links only the code for this pixel type into the executable.
    let from = TypedImageRef::<U8x3>::from_buffer(from_width, from_height, pixels.as_raw())
        .map_err(|error| failed(&error))?;
    let mut to = TypedImage::<U8x3>::from_buffer(width, height, &mut smaller)
        .map_err(|error| failed(&error))?;
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::CatmullRom));
    resizer
        .resize_typed(&from, &mut to, &options)
        .map_err(|error| failed(&error))?;
    Ok(smaller)
}

/// Encodes RGB pixels as JPEG. `quality` is at most 100.
pub fn jpeg(
    pixels: &[u8],
    (width, height): (u32, u32),
    quality: u8,
) -> Result<Vec<u8>, PictureError> {
    let short = |side: u32| u16::try_from(side).map_err(|error| failed(&error));
    let mut body = Vec::new();
    // No optimized Huffman tables: with them, the encoder writes each channel in a separate scan.
    // Such a picture first appears grey, and some decoders cannot read it.
    jpeg_encoder::Encoder::new(&mut body, quality)
        .encode(
            pixels,
            short(width)?,
            short(height)?,
            jpeg_encoder::ColorType::Rgb,
        )
        .map_err(|error| failed(&error))?;
    Ok(body)
}

fn failed(error: &dyn std::fmt::Display) -> PictureError {
    PictureError::Damaged(error.to_string())
}

/// Decodes a picture that was found. Only the first frame of an animation is decoded.
pub fn decode(source: &[u8]) -> Result<Picture, PictureError> {
    decode_within(source, PictureLimits::FOUND)
}

/// Decodes a picture within these limits. Only the first frame of an animation is decoded.
pub fn decode_within(source: &[u8], limits: PictureLimits) -> Result<Picture, PictureError> {
    let (mut decoder, format) = open(source, limits)?;
    // If the orientation cannot be read, the picture is displayed as stored.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let pixels = if format == ImageFormat::Jpeg && jpeg::layout(source) == Layout::Channels {
        jpeg::decode_channels(source, decoder.dimensions())?
    } else {
        opaque(DynamicImage::from_decoder(decoder).map_err(to_picture_error)?)
    };
    Ok(Picture {
        pixels,
        orientation,
    })
}

/// Opens a decoder within these limits.
fn open(
    source: &[u8],
    limits: PictureLimits,
) -> Result<(impl ImageDecoder, ImageFormat), PictureError> {
    if source.len() as u64 > MAX_SOURCE {
        return Err(PictureError::TooLarge("more than 32 MiB".to_owned()));
    }
    let mut reader = ImageReader::new(Cursor::new(source))
        .with_guessed_format()
        .map_err(|error| PictureError::Damaged(error.to_string()))?;
    let format = reader.format().ok_or(PictureError::Unknown)?;
    reader.limits(decoder_limits(limits));
    let decoder = reader.into_decoder().map_err(to_picture_error)?;
    check(&decoder, format, source, limits)?;
    Ok((decoder, format))
}

fn decoder_limits(limits: PictureLimits) -> Limits {
    let mut of_decoder = Limits::default();
    of_decoder.max_image_width = Some(limits.side);
    of_decoder.max_image_height = Some(limits.side);
    of_decoder.max_alloc = Some(limits.memory);
    of_decoder
}

/// Rejects too large pictures before decoding. Decoders allocate more than the returned pixels, and
/// some of them ignore the configured limits.
fn check(
    decoder: &impl ImageDecoder,
    format: ImageFormat,
    source: &[u8],
    limits: PictureLimits,
) -> Result<(), PictureError> {
    let (width, height) = decoder.dimensions();
    let size = || format!("{width} × {height} pixels");
    if width == 0 || height == 0 {
        return Err(PictureError::Damaged("it has no pixels".to_owned()));
    }
    let pixels = u64::from(width) * u64::from(height);
    if width > limits.side || height > limits.side || pixels > limits.pixels {
        return Err(PictureError::TooLarge(size()));
    }
    let rgb = 3 * pixels;
    let is_rgb = decoder.total_bytes() == rgb;
    // Decoded pixels, and a second buffer if they must be converted to RGB.
    let handed_out = decoder.total_bytes() + if is_rgb { 0 } else { rgb };
    // The decoder keeps a copy of its input.
    let sources = 2 * source.len() as u64;
    let memory = sources + handed_out + pixels * working_memory(format, source);
    if memory > limits.memory {
        return Err(PictureError::TooLarge(size()));
    }
    Ok(())
}

/// Returns the bytes per pixel that a decoder needs in addition to its output.
fn working_memory(format: ImageFormat, source: &[u8]) -> u64 {
    match format {
        ImageFormat::Jpeg => match jpeg::layout(source) {
            Layout::Rows => 0,
            // All coefficients are kept until the last scan.
            Layout::Passes => 6,
            // The separate channels need memory too, before they are combined.
            Layout::Channels => 9,
        },
        ImageFormat::Png | ImageFormat::Bmp => 1,
        ImageFormat::Gif => 5,
        _ => 4,
    }
}

fn to_picture_error(error: image::ImageError) -> PictureError {
    use image::ImageError;
    match error {
        ImageError::Unsupported(_) => PictureError::Unknown,
        ImageError::Limits(error) => PictureError::TooLarge(error.to_string()),
        error => PictureError::Damaged(error.to_string()),
    }
}

/// Blends the pixels over white.
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
