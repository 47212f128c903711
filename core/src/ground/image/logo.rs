//! Logos: pictures with transparent parts, stored as PNG.

use image::codecs::png::{CompressionType, FilterType as PngFilter, PngEncoder};
use image::imageops::{self, FilterType};
use image::{DynamicImage, ExtendedColorType, ImageEncoder, RgbaImage};

use super::render::{Image, Purpose, Rendered, Size};
use super::{PictureError, PictureLimits, opaque, open, tint, to_picture_error};

/// Limits of a logo. Its pixels are scaled in memory with four channels.
const LIMITS: PictureLimits = PictureLimits {
    side: 8_192,
    pixels: 10_000_000,
    memory: 176 << 20,
};

/// Decodes a picture file and renders its images with their transparent parts.
pub(super) fn render(source: &[u8]) -> Result<Rendered, PictureError> {
    let (decoder, _) = open(source, LIMITS)?;
    let picture = DynamicImage::from_decoder(decoder).map_err(to_picture_error)?;
    let mut pixels = picture.into_rgba8();
    let shown = pixels.dimensions();
    let mut images: Vec<Image> = Vec::with_capacity(Size::ALL.len());
    for size in Size::ALL.into_iter().rev() {
        let (width, height) = Purpose::Logo.fit(size, shown);
        if (width, height) == pixels.dimensions() {
            // This size replaces the larger one, because both have the same pixels.
            images.retain(|other| other.size <= size);
        } else {
            pixels = imageops::resize(&pixels, width, height, FilterType::CatmullRom);
        }
        images.push(encode(size, &pixels)?);
    }
    images.reverse();
    Ok(Rendered {
        width: shown.0,
        height: shown.1,
        tint: tint::of(&opaque(DynamicImage::ImageRgba8(pixels))),
        images,
    })
}

fn encode(size: Size, pixels: &RgbaImage) -> Result<Image, PictureError> {
    let mut body = Vec::new();
    PngEncoder::new_with_quality(&mut body, CompressionType::Default, PngFilter::Adaptive)
        .write_image(
            pixels.as_raw(),
            pixels.width(),
            pixels.height(),
            ExtendedColorType::Rgba8,
        )
        .map_err(to_picture_error)?;
    Ok(Image {
        size,
        mime: "image/png",
        body,
    })
}

#[cfg(test)]
mod tests {
    use image::{ImageFormat, Rgba};

    use super::*;

    fn logo(width: u32, height: u32) -> Vec<u8> {
        let mut pixels = RgbaImage::from_pixel(width, height, Rgba([0, 0, 0, 0]));
        for x in 0..width / 2 {
            pixels.put_pixel(x, 0, Rgba([200, 30, 30, 255]));
        }
        let mut bytes = std::io::Cursor::new(Vec::new());
        pixels
            .write_to(&mut bytes, ImageFormat::Png)
            .expect("a picture");
        bytes.into_inner()
    }

    #[test]
    fn transparent_parts_stay_transparent_in_all_sizes() {
        let rendered = render(&logo(1_200, 400)).expect("a logo");
        let sizes: Vec<Size> = rendered.images.iter().map(|image| image.size).collect();
        assert_eq!(sizes, Size::ALL);
        for (image, width) in rendered.images.iter().zip([240, 480, 960]) {
            let decoded = image::load_from_memory(&image.body)
                .expect("a picture")
                .into_rgba8();
            assert_eq!((image.mime, decoded.width()), ("image/png", width));
            assert_eq!(decoded.get_pixel(width - 1, 5).0[3], 0);
        }
    }

    #[test]
    fn small_logo_is_stored_once_and_not_enlarged() {
        let rendered = render(&logo(100, 40)).expect("a logo");
        assert_eq!(rendered.images.len(), 1);
        assert_eq!(
            rendered.images.first().map(|image| image.size),
            Some(Size::Small)
        );
        assert_eq!((rendered.width, rendered.height), (100, 40));
    }

    #[test]
    fn oversized_logo_is_rejected_before_decoding() {
        assert!(matches!(
            render(&logo(9_000, 2)),
            Err(PictureError::TooLarge(_))
        ));
        assert!(render(b"no picture").is_err());
    }
}
