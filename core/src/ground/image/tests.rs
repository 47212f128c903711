use std::time::{Duration, Instant};

use image::{ExtendedColorType, ImageEncoder, Rgb, Rgba, RgbaImage};

use super::*;

/// Returns a picture that is red on the left half and blue on the right half.
fn halves() -> RgbImage {
    RgbImage::from_fn(40, 20, |x, _| {
        Rgb(if x < 20 { [250, 0, 0] } else { [0, 0, 250] })
    })
}

fn encoded(format: ImageFormat) -> Vec<u8> {
    let mut body = Cursor::new(Vec::new());
    halves().write_to(&mut body, format).expect("an image");
    body.into_inner()
}

/// Returns a JPEG with an orientation in its EXIF block.
fn held(orientation: u8) -> Vec<u8> {
    let exif = [
        b"MM\0*\0\0\0\x08".as_slice(),
        b"\0\x01\x01\x12\0\x03\0\0\0\x01\0",
        &[orientation],
        b"\0\0\0\0\0\0",
    ];
    let pixels = halves();
    let mut body = Vec::new();
    let mut encoder = jpeg_encoder::Encoder::new(&mut body, 95);
    encoder
        .add_exif_metadata(&exif.concat())
        .expect("a short block");
    encoder
        .encode(pixels.as_raw(), 40, 20, jpeg_encoder::ColorType::Rgb)
        .expect("an image");
    body
}

fn progressive() -> Vec<u8> {
    let pixels = halves();
    let mut body = Vec::new();
    let mut encoder = jpeg_encoder::Encoder::new(&mut body, 90);
    encoder.set_progressive(true);
    encoder
        .encode(pixels.as_raw(), 40, 20, jpeg_encoder::ColorType::Rgb)
        .expect("an image");
    body
}

/// Returns a JPEG with one scan per channel.
fn separate() -> Vec<u8> {
    let pixels = halves();
    let mut body = Vec::new();
    let mut encoder = jpeg_encoder::Encoder::new(&mut body, 80);
    encoder.set_optimized_huffman_tables(true);
    encoder
        .encode(pixels.as_raw(), 40, 20, jpeg_encoder::ColorType::Rgb)
        .expect("an image");
    body
}

/// Returns the header of a PNG with these dimensions, without pixels.
fn promised(width: u32, height: u32) -> Vec<u8> {
    let pixels = vec![0; 1];
    let mut body = Vec::new();
    image::codecs::png::PngEncoder::new(&mut body)
        .write_image(&pixels, 1, 1, ExtendedColorType::L8)
        .expect("an image");
    body[16..20].copy_from_slice(&width.to_be_bytes());
    body[20..24].copy_from_slice(&height.to_be_bytes());
    let crc = crc(&body[12..29]);
    body[29..33].copy_from_slice(&crc.to_be_bytes());
    body
}

fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0xEDB8_8320 & 0u32.wrapping_sub(crc & 1))
        })
    })
}

#[test]
fn every_supported_format_is_decoded() {
    for format in [
        ImageFormat::Jpeg,
        ImageFormat::Png,
        ImageFormat::WebP,
        ImageFormat::Gif,
        ImageFormat::Bmp,
    ] {
        let picture = decode(&encoded(format)).expect("a picture");
        assert_eq!(picture.pixels.dimensions(), (40, 20), "{format:?}");
        let [red, _, blue] = picture.pixels.get_pixel(2, 10).0;
        assert!(red > 200 && blue < 50, "{format:?}: {red} {blue}");
    }
}

fn has_both_halves(source: &[u8]) {
    let picture = decode(source).expect("a picture");
    assert_eq!(picture.pixels.dimensions(), (40, 20));
    let [red, _, blue] = picture.pixels.get_pixel(2, 10).0;
    assert!(red > 200 && blue < 50, "left: {red} {blue}");
    let [red, _, blue] = picture.pixels.get_pixel(37, 10).0;
    assert!(red < 50 && blue > 200, "right: {red} {blue}");
}

#[test]
fn jpeg_is_decoded_in_every_layout() {
    has_both_halves(&encoded(ImageFormat::Jpeg));
    has_both_halves(&progressive());
    // Each channel is in a separate scan, and the colour channels are smaller than the luminance
    // channel.
    let separate = separate();
    assert_eq!(jpeg::layout(&separate), Layout::Channels);
    has_both_halves(&separate);
}

#[test]
fn camera_jpeg_without_jfif_header_keeps_its_colours() {
    let held = held(1);
    let (header, rest) = held[2..].split_at(18);
    assert_eq!(&header[..9], b"\xFF\xE0\0\x10JFIF\0");
    has_both_halves(&[&held[..2], rest].concat());
}

#[test]
fn cmyk_jpeg_is_converted_to_rgb() {
    let pixels = halves();
    let ink = |pixel: &Rgb<u8>| {
        let [red, green, blue] = pixel.0;
        [255 - red, 255 - green, 255 - blue, 0]
    };
    let inks: Vec<u8> = pixels.pixels().flat_map(ink).collect();
    for colours in [
        jpeg_encoder::ColorType::Cmyk,
        jpeg_encoder::ColorType::CmykAsYcck,
    ] {
        let mut body = Vec::new();
        jpeg_encoder::Encoder::new(&mut body, 95)
            .encode(&inks, 40, 20, colours)
            .expect("an image");
        has_both_halves(&body);
    }
}

#[test]
fn picture_is_decoded_at_every_bit_depth() {
    use image::DynamicImage;
    let whole = DynamicImage::from(halves());
    for deep in [
        DynamicImage::from(whole.to_rgb16()),
        DynamicImage::from(whole.to_rgba16()),
        DynamicImage::from(whole.to_rgba8()),
    ] {
        let mut body = Cursor::new(Vec::new());
        deep.write_to(&mut body, ImageFormat::Png)
            .expect("an image");
        has_both_halves(&body.into_inner());
    }
    for grey in [
        DynamicImage::from(whole.to_luma8()),
        DynamicImage::from(whole.to_luma16()),
        DynamicImage::from(whole.to_luma_alpha8()),
        DynamicImage::from(whole.to_luma_alpha16()),
    ] {
        let mut body = Cursor::new(Vec::new());
        grey.write_to(&mut body, ImageFormat::Png)
            .expect("an image");
        let picture = decode(&body.into_inner()).expect("a picture");
        let [red, green, blue] = picture.pixels.get_pixel(2, 10).0;
        assert!(red == green && green == blue && red < 100, "{red}");
    }
}

#[test]
fn first_frame_of_animation_is_decoded() {
    use image::codecs::gif::GifEncoder;
    let other = RgbaImage::from_pixel(40, 20, Rgba([0, 250, 0, 255]));
    let mut body = Vec::new();
    let mut encoder = GifEncoder::new(&mut body);
    let first = image::DynamicImage::from(halves()).into_rgba8();
    for pixels in [first, other] {
        encoder
            .encode_frame(image::Frame::new(pixels))
            .expect("a frame");
    }
    drop(encoder);
    has_both_halves(&body);
}

#[test]
fn transparent_pixels_become_white() {
    let glass = RgbaImage::from_fn(2, 1, |x, _| Rgba([0, 0, 0, if x == 0 { 0 } else { 128 }]));
    let mut body = Cursor::new(Vec::new());
    glass
        .write_to(&mut body, ImageFormat::Png)
        .expect("an image");
    let picture = decode(&body.into_inner()).expect("a picture");
    assert_eq!(picture.pixels.get_pixel(0, 0).0, [255; 3]);
    assert_eq!(picture.pixels.get_pixel(1, 0).0, [127; 3]);
}

#[test]
fn orientation_is_read_from_exif() {
    assert_eq!(
        decode(&held(6)).expect("a picture").orientation,
        Orientation::Rotate90
    );
    assert_eq!(
        decode(&held(9)).expect("a picture").orientation,
        Orientation::NoTransforms
    );
}

#[test]
fn too_large_picture_is_refused_before_decoding() {
    for (width, height) in [(16_385, 1), (1, 20_000), (16_000, 16_000), (8_000, 8_000)] {
        let refused = decode(&promised(width, height)).expect_err("too large");
        assert!(
            matches!(refused, PictureError::TooLarge(_)),
            "{width} × {height}: {refused}"
        );
    }
    let much = vec![0; usize::try_from(MAX_SOURCE).expect("fits") + 1];
    assert_eq!(
        decode(&much).expect_err("too large").to_string(),
        "the picture is too large: more than 32 MiB"
    );
}

#[test]
fn formats_that_need_more_memory_have_smaller_limits() {
    assert_eq!(jpeg::layout(&encoded(ImageFormat::Jpeg)), Layout::Rows);
    assert_eq!(jpeg::layout(&progressive()), Layout::Passes);
    // An unknown layout gets the larger allowance.
    assert_eq!(jpeg::layout(b"\xFF\xD8\xFF\xE0\0\x10"), Layout::Passes);
    let memory = |source: &[u8]| working_memory(ImageFormat::Jpeg, source);
    assert!(memory(&encoded(ImageFormat::Jpeg)) < memory(&progressive()));
    assert!(memory(&progressive()) < memory(&separate()));
}

#[test]
fn other_file_is_not_a_picture() {
    for source in [&b""[..], b"no picture", b"<svg/>", b"II*\0\x08\0\0\0"] {
        assert_eq!(decode(source).expect_err("none"), PictureError::Unknown);
    }
    let whole = encoded(ImageFormat::Png);
    let torn = decode(&whole[..whole.len() / 2]).expect_err("torn");
    assert!(matches!(torn, PictureError::Damaged(_)), "{torn}");
}

/// Deterministic pseudo-random numbers.
struct Rng(u64);

impl Rng {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).expect("31 bits") % sides.max(1)
    }
}

/// Returns the number of mutations. `LEDGE_MUTATIONS` overrides it.
fn mutations() -> usize {
    let wanted = std::env::var("LEDGE_MUTATIONS").ok();
    wanted.map_or(1_000, |n| n.parse().expect("a number"))
}

#[test]
fn mutated_pictures_are_decoded_quickly_and_without_panic() {
    let mut seeds = vec![progressive(), held(6), separate()];
    let formats = [
        ImageFormat::Jpeg,
        ImageFormat::Png,
        ImageFormat::WebP,
        ImageFormat::Gif,
        ImageFormat::Bmp,
    ];
    seeds.extend(formats.map(encoded));
    let mut rng = Rng(2026);
    for n in 0..mutations() {
        let mut source = seeds[n % seeds.len()].clone();
        for _ in 0..=rng.roll(6) {
            let at = rng.roll(source.len());
            match rng.roll(4) {
                0 => source[at] = u8::try_from(rng.roll(256)).expect("a byte"),
                1 => source[at] ^= 1 << rng.roll(8),
                2 => source.truncate(at.max(1)),
                _ => {
                    let end = (at + rng.roll(16)).min(source.len());
                    let part = source[at..end].to_vec();
                    source.splice(at..at, part);
                }
            }
        }
        let start = Instant::now();
        // The result does not matter, only that there is one.
        let _ = decode(&source);
        assert!(start.elapsed() < Duration::from_secs(5), "mutation {n}");
    }
}
