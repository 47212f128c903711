use std::io::Cursor;

use image::{ImageFormat, Rgb};
use proptest::prelude::*;

use super::*;

fn png(width: u32, height: u32) -> Vec<u8> {
    let pixels = RgbImage::from_fn(width, height, |x, y| {
        Rgb([
            200,
            u8::try_from(x % 64).expect("small"),
            u8::try_from(y % 64).expect("small"),
        ])
    });
    let mut body = Cursor::new(Vec::new());
    pixels
        .write_to(&mut body, ImageFormat::Png)
        .expect("an image");
    body.into_inner()
}

/// Returns the sizes and dimensions of the rendered images.
fn made(source: &[u8]) -> Vec<(Size, (u32, u32))> {
    let rendered = render(source).expect("a cover");
    let dimensions = |image: &Image| {
        assert_eq!(image.mime, "image/jpeg");
        let decoded = image::load_from_memory(&image.body).expect("an image");
        (decoded.width(), decoded.height())
    };
    let images = rendered.images.iter();
    images
        .map(|image| (image.size, dimensions(image)))
        .collect()
}

#[test]
fn picture_is_scaled_to_each_width_and_never_enlarged() {
    use Size::{Large, Medium, Small};
    assert_eq!(
        made(&png(1200, 1800)),
        [
            (Small, (240, 360)),
            (Medium, (480, 720)),
            (Large, (960, 1440))
        ]
    );
    assert_eq!(
        made(&png(600, 400)),
        [
            (Small, (240, 160)),
            (Medium, (480, 320)),
            (Large, (600, 400))
        ]
    );
    assert_eq!(
        made(&png(300, 300)),
        [(Small, (240, 240)), (Medium, (300, 300))]
    );
    assert_eq!(made(&png(100, 150)), [(Small, (100, 150))]);
    assert_eq!(made(&png(1, 1)), [(Small, (1, 1))]);
}

#[test]
fn long_strip_is_limited_by_height() {
    let strip = made(&png(500, 5000));
    assert_eq!(
        strip,
        [
            (Size::Small, (72, 720)),
            (Size::Medium, (144, 1440)),
            (Size::Large, (288, 2880))
        ]
    );
}

#[test]
fn rotated_picture_is_rendered_upright() {
    let pixels = RgbImage::from_fn(400, 200, |x, _| {
        Rgb(if x < 200 { [250, 0, 0] } else { [0, 0, 250] })
    });
    let exif = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    let mut source = Vec::new();
    let mut encoder = jpeg_encoder::Encoder::new(&mut source, 95);
    encoder.add_exif_metadata(exif).expect("a short block");
    encoder
        .encode(pixels.as_raw(), 400, 200, jpeg_encoder::ColorType::Rgb)
        .expect("an image");
    let rendered = render(&source).expect("a cover");
    assert_eq!((rendered.width, rendered.height), (200, 400));
    let [small] = &rendered.images[..] else {
        panic!("one image: {:?}", rendered.images.len());
    };
    let image = image::load_from_memory(&small.body)
        .expect("an image")
        .into_rgb8();
    assert_eq!(image.dimensions(), (200, 400));
    let (above, below) = (image.get_pixel(100, 50), image.get_pixel(100, 350));
    assert!(above.0[0] > 200 && below.0[2] > 200, "{above:?} {below:?}");
}

#[test]
fn tint_is_main_colour_of_picture() {
    let rendered = render(&png(300, 300)).expect("a cover");
    let tint = u32::from_str_radix(rendered.tint.trim_start_matches('#'), 16);
    let tint = tint.expect("hexadecimal");
    assert!(tint >> 16 > 180 && tint < 1 << 24, "{}", rendered.tint);
}

proptest! {
    #[test]
    fn every_size_keeps_proportions_and_bounds(
        width in 1u32..=16_384,
        height in 1u32..=16_384,
    ) {
        for size in Size::ALL {
            let (w, h) = size.fit((width, height));
            prop_assert!(w >= 1 && h >= 1);
            prop_assert!(w <= width && h <= height);
            prop_assert!(w <= size.width() && h <= TALLEST * size.width());
            // The sides are integers, so the ratio is exact only within a pixel.
            let off = (f64::from(w) * f64::from(height) / f64::from(width) - f64::from(h)).abs();
            let of_width = (f64::from(h) * f64::from(width) / f64::from(height) - f64::from(w)).abs();
            prop_assert!(off <= 1.0 || of_width <= 1.0);
        }
    }
}
