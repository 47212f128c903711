//! The images that are served, made of a picture.

use fast_image_resize::images::{Image as View, ImageRef};
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};
use image::{DynamicImage, RgbImage};

use super::picture::{self, Picture, PictureError};
use super::tint;

/// Quality of the stored images.
const QUALITY: u8 = 82;
/// A picture that is this many times as high as wide, or less, has the full width of its size; a
/// longer strip is bounded by its height.
const TALLEST: u32 = 3;

/// How large an image is wanted.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Default,
    serde::Deserialize,
    utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Size {
    /// 240 pixels wide.
    Small,
    /// 480 pixels wide.
    #[default]
    Medium,
    /// 960 pixels wide.
    Large,
}

impl Size {
    /// The sizes, smallest first.
    pub const ALL: [Self; 3] = [Self::Small, Self::Medium, Self::Large];

    /// The word in the database and the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Medium => "medium",
            Self::Large => "large",
        }
    }

    fn width(self) -> u32 {
        match self {
            Self::Small => 240,
            Self::Medium => 480,
            Self::Large => 960,
        }
    }

    /// What a picture becomes at this size: never larger than it is, and in its proportions.
    fn fit(self, (width, height): (u32, u32)) -> (u32, u32) {
        let (widest, tallest) = (self.width(), self.width() * TALLEST);
        if width <= widest && height <= tallest {
            return (width, height);
        }
        let scaled = |side: u32, to: u32, of: u32| {
            let exact = (u64::from(side) * u64::from(to) + u64::from(of) / 2) / u64::from(of);
            u32::try_from(exact).unwrap_or(to).max(1)
        };
        // Which side binds: `width / height` against `widest / tallest`.
        if u64::from(width) * u64::from(tallest) >= u64::from(height) * u64::from(widest) {
            (widest, scaled(height, widest, width))
        } else {
            (scaled(width, tallest, height), tallest)
        }
    }
}

/// A picture as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// Width of the picture in pixels, as it is shown.
    pub width: u32,
    /// Its height.
    pub height: u32,
    /// Its main colour, `#rrggbb`.
    pub tint: String,
    /// Its images, smallest first; a size that would be no larger than the one before is left out.
    pub images: Vec<Image>,
}

impl Rendered {
    /// How much is stored of it.
    pub(super) fn bytes(&self) -> usize {
        self.images.iter().map(|image| image.body.len()).sum()
    }
}

/// One image of a cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Its size.
    pub size: Size,
    /// Its media type.
    pub mime: &'static str,
    /// The file.
    pub body: Vec<u8>,
}

/// Makes the images of a picture as it lies in its file.
pub fn render(source: &[u8]) -> Result<Rendered, PictureError> {
    let Picture {
        pixels,
        orientation,
    } = picture::decode(source)?;
    let stored = pixels.dimensions();
    let is_lying = is_lying(orientation);
    let shown = turned(stored, is_lying);
    let mut resizer = Resizer::new();
    let large = resize(
        &mut resizer,
        pixels,
        turned(Size::Large.fit(shown), is_lying),
    )?;
    let mut large = DynamicImage::from(large);
    large.apply_orientation(orientation);
    let large = large.into_rgb8();
    let medium = resize(&mut resizer, large.clone(), Size::Medium.fit(shown))?;
    let small = resize(&mut resizer, medium.clone(), Size::Small.fit(shown))?;
    let tint = tint::of(&small);
    let mut images: Vec<Image> = Vec::with_capacity(Size::ALL.len());
    let mut before = None;
    for (size, pixels) in Size::ALL.into_iter().zip([small, medium, large]) {
        if before == Some(pixels.dimensions()) {
            continue;
        }
        before = Some(pixels.dimensions());
        images.push(encode(size, &pixels)?);
    }
    Ok(Rendered {
        width: shown.0,
        height: shown.1,
        tint,
        images,
    })
}

/// Whether width and height change places when the picture is shown.
fn is_lying(orientation: image::metadata::Orientation) -> bool {
    use image::metadata::Orientation;
    matches!(
        orientation,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    )
}

fn turned((width, height): (u32, u32), is_lying: bool) -> (u32, u32) {
    if is_lying {
        (height, width)
    } else {
        (width, height)
    }
}

fn resize(
    resizer: &mut Resizer,
    pixels: RgbImage,
    (width, height): (u32, u32),
) -> Result<RgbImage, PictureError> {
    let (from_width, from_height) = pixels.dimensions();
    if (from_width, from_height) == (width, height) {
        return Ok(pixels);
    }
    let failed = |error: &dyn std::fmt::Display| PictureError::Damaged(error.to_string());
    let from = ImageRef::new(from_width, from_height, pixels.as_raw(), PixelType::U8x3)
        .map_err(|error| failed(&error))?;
    let mut to = View::new(width, height, PixelType::U8x3);
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::CatmullRom));
    resizer
        .resize(&from, &mut to, &options)
        .map_err(|error| failed(&error))?;
    RgbImage::from_raw(width, height, to.into_vec())
        .ok_or_else(|| PictureError::Damaged("it cannot be scaled".to_owned()))
}

fn encode(size: Size, pixels: &RgbImage) -> Result<Image, PictureError> {
    let failed = |error: &dyn std::fmt::Display| PictureError::Damaged(error.to_string());
    let short = |side: u32| u16::try_from(side).map_err(|error| failed(&error));
    let (width, height) = pixels.dimensions();
    let mut body = Vec::new();
    // Without tables of its own: with them the encoder writes each channel in a scan of its own,
    // which is painted grey first and which not every decoder reads.
    let encoder = jpeg_encoder::Encoder::new(&mut body, QUALITY);
    encoder
        .encode(
            pixels.as_raw(),
            short(width)?,
            short(height)?,
            jpeg_encoder::ColorType::Rgb,
        )
        .map_err(|error| failed(&error))?;
    Ok(Image {
        size,
        mime: "image/jpeg",
        body,
    })
}

#[cfg(test)]
mod tests;
