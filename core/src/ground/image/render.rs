//! Conversion of a picture to the served images.

use image::RgbImage;

use super::{PictureError, PictureLimits, Resizer, decode_within, jpeg, logo, scaled, tint};

/// JPEG quality of the stored images.
const QUALITY: u8 = 82;
/// Maximum ratio of height to width at which an image has the full width of its size. A longer
/// strip is limited by its height.
const TALLEST: u32 = 3;

/// Requested size of a cover image.
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
#[schema(default = "medium")]
pub enum Size {
    /// At most 240 pixels wide.
    Small,
    /// At most 480 pixels wide.
    #[default]
    Medium,
    /// At most 960 pixels wide.
    Large,
}

impl Size {
    /// All sizes, smallest first.
    pub const ALL: [Self; 3] = [Self::Small, Self::Medium, Self::Large];

    /// Returns the name in the database and the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Medium => "medium",
            Self::Large => "large",
        }
    }

    /// Returns the largest width of an image of this size, in pixels.
    pub(super) fn width(self) -> u32 {
        match self {
            Self::Small => 240,
            Self::Medium => 480,
            Self::Large => 960,
        }
    }

    /// Returns the dimensions of a cover at this size. The proportions stay, and the picture is
    /// never enlarged.
    pub fn fit(self, dimensions: (u32, u32)) -> (u32, u32) {
        Purpose::Cover.fit(self, dimensions)
    }
}

/// Purpose of a picture. It determines the dimensions and the format of the stored images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Cover, picture of an episode, or portrait.
    Cover,
    /// Background of a page: twice as wide as a cover of the same size.
    Backdrop,
    /// Title with transparent parts.
    Logo,
}

impl Purpose {
    /// Returns the dimensions of a picture at this size. The proportions stay, and the picture is
    /// never enlarged.
    pub(super) fn fit(self, size: Size, (width, height): (u32, u32)) -> (u32, u32) {
        let widest = match self {
            Self::Cover | Self::Logo => size.width(),
            Self::Backdrop => size.width() * 2,
        };
        let tallest = widest * TALLEST;
        if width <= widest && height <= tallest {
            return (width, height);
        }
        let scaled = |side: u32, to: u32, of: u32| {
            let exact = (u64::from(side) * u64::from(to) + u64::from(of) / 2) / u64::from(of);
            u32::try_from(exact).unwrap_or(to).max(1)
        };
        // Compares `width / height` with `widest / tallest` to find the limiting side.
        if u64::from(width) * u64::from(tallest) >= u64::from(height) * u64::from(widest) {
            (widest, scaled(height, widest, width))
        } else {
            (scaled(width, tallest, height), tallest)
        }
    }
}

/// Picture with its stored images.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// Width of the picture in pixels, after its orientation is applied.
    pub width: u32,
    /// Height of the picture in pixels, after its orientation is applied.
    pub height: u32,
    /// Main colour, as `#rrggbb`.
    pub tint: String,
    /// Images, smallest first. A size that would equal the next smaller one is left out.
    pub images: Vec<Image>,
}

impl Rendered {
    /// Returns the size of all images in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.images.iter().map(|image| image.body.len()).sum()
    }
}

/// Image of a cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Size class.
    pub size: Size,
    /// Media type.
    pub mime: &'static str,
    /// Encoded image.
    pub body: Vec<u8>,
}

/// Decodes a picture file that was found and renders its images.
pub fn render(source: &[u8]) -> Result<Rendered, PictureError> {
    render_within(source, PictureLimits::FOUND)
}

/// Decodes a picture file within these limits and renders its images.
pub fn render_within(source: &[u8], limits: PictureLimits) -> Result<Rendered, PictureError> {
    render_for(source, limits, Purpose::Cover)
}

/// Decodes a picture file within these limits and renders its images for a purpose.
pub(super) fn render_for(
    source: &[u8],
    limits: PictureLimits,
    purpose: Purpose,
) -> Result<Rendered, PictureError> {
    if purpose == Purpose::Logo {
        return logo::render(source);
    }
    let picture = decode_within(source, limits)?;
    let shown = picture.shown();
    let mut resizer = Resizer::new();
    let large = picture.scaled(&mut resizer, purpose.fit(Size::Large, shown))?;
    let medium = scaled(
        &mut resizer,
        large.clone(),
        purpose.fit(Size::Medium, shown),
    )?;
    let small = scaled(
        &mut resizer,
        medium.clone(),
        purpose.fit(Size::Small, shown),
    )?;
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

/// Encodes the image of a size.
pub(super) fn encode(size: Size, pixels: &RgbImage) -> Result<Image, PictureError> {
    Ok(Image {
        size,
        mime: "image/jpeg",
        body: jpeg(pixels.as_raw(), pixels.dimensions(), QUALITY)?,
    })
}

#[cfg(test)]
mod tests;
