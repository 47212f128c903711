//! The images that are served, made of a picture.

use image::RgbImage;

use super::tint;
use crate::picture::{self, PictureError, Resizer};

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
#[schema(default = "medium")]
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
    let picture = picture::decode(source)?;
    let shown = picture.shown();
    let mut resizer = Resizer::new();
    let large = picture.scaled(&mut resizer, Size::Large.fit(shown))?;
    let medium = picture::scaled(&mut resizer, large.clone(), Size::Medium.fit(shown))?;
    let small = picture::scaled(&mut resizer, medium.clone(), Size::Small.fit(shown))?;
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

fn encode(size: Size, pixels: &RgbImage) -> Result<Image, PictureError> {
    Ok(Image {
        size,
        mime: "image/jpeg",
        body: picture::jpeg(pixels.as_raw(), pixels.dimensions(), QUALITY)?,
    })
}

#[cfg(test)]
mod tests;
