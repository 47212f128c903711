//! Square mosaics of pictures.

use image::RgbImage;
use image::imageops::{crop_imm, replace};

use super::render::encode;
use super::{Image, PictureError, Resizer, Size, decode, scaled};

/// Part of a square with the side 2: left, top, width and height.
type Tile = (u32, u32, u32, u32);

/// Returns the tiles of a mosaic of one to four pictures.
fn layout(pictures: usize) -> &'static [Tile] {
    match pictures {
        0 | 1 => &[(0, 0, 2, 2)],
        2 => &[(0, 0, 1, 2), (1, 0, 1, 2)],
        3 => &[(0, 0, 1, 2), (1, 0, 1, 1), (1, 1, 1, 1)],
        _ => &[(0, 0, 1, 1), (1, 0, 1, 1), (0, 1, 1, 1), (1, 1, 1, 1)],
    }
}

/// Renders a mosaic of the first four encoded pictures. Each fills its tile: the parts that do not
/// fit are cut off.
///
/// # Errors
///
/// Fails if there is no picture, or if one is damaged.
pub fn mosaic(sources: &[Vec<u8>], size: Size) -> Result<Image, PictureError> {
    if sources.is_empty() {
        return Err(PictureError::Damaged("there is no picture".to_owned()));
    }
    let half = size.width() / 2;
    let mut resizer = Resizer::new();
    let mut square = RgbImage::new(2 * half, 2 * half);
    for (source, (left, top, width, height)) in sources.iter().zip(layout(sources.len())) {
        let tile = filled(&mut resizer, source, (width * half, height * half))?;
        replace(
            &mut square,
            &tile,
            (left * half).into(),
            (top * half).into(),
        );
    }
    encode(size, &square)
}

/// Decodes a picture, and scales its centre to exactly this size.
fn filled(
    resizer: &mut Resizer,
    source: &[u8],
    (width, height): (u32, u32),
) -> Result<RgbImage, PictureError> {
    let picture = decode(source)?;
    let shown = picture.shown();
    let whole = picture.scaled(resizer, shown)?;
    let (across, down) = covering(shown, (width, height));
    let (left, top) = ((shown.0 - across) / 2, (shown.1 - down) / 2);
    let centre = crop_imm(&whole, left, top, across, down).to_image();
    scaled(resizer, centre, (width, height))
}

/// Returns the size of the largest part of a picture that has the proportions of a tile.
fn covering((across, down): (u32, u32), (width, height): (u32, u32)) -> (u32, u32) {
    let share = |side: u32, of: u32, to: u32| {
        let exact = u64::from(side) * u64::from(to) / u64::from(of);
        u32::try_from(exact).unwrap_or(side).max(1)
    };
    if u64::from(across) * u64::from(height) > u64::from(down) * u64::from(width) {
        (share(down, height, width), down)
    } else {
        (across, share(across, width, height))
    }
}

#[cfg(test)]
mod tests {
    use image::{ImageFormat, Rgb};
    use std::io::Cursor;

    use super::*;

    const COLOURS: [[u8; 3]; 4] = [[220, 20, 20], [20, 200, 20], [20, 20, 220], [220, 220, 20]];

    /// Returns a picture of one colour with white borders at the ends of its longer side.
    fn picture(width: u32, height: u32, colour: [u8; 3]) -> Vec<u8> {
        let inside = |at: u32, long: u32, short: u32| {
            let border = (long.saturating_sub(short)) / 2;
            (border..long - border).contains(&at)
        };
        let pixels = RgbImage::from_fn(width, height, |x, y| {
            let is_inside = inside(x, width, height) && inside(y, height, width);
            Rgb(if is_inside { colour } else { [255; 3] })
        });
        let mut body = Cursor::new(Vec::new());
        pixels
            .write_to(&mut body, ImageFormat::Png)
            .expect("an image");
        body.into_inner()
    }

    #[track_caller]
    fn assert_colour(mosaic: &RgbImage, (x, y): (u32, u32), colour: [u8; 3]) {
        let Rgb(found) = *mosaic.get_pixel(x, y);
        let differs = found.iter().zip(colour).any(|(a, b)| a.abs_diff(b) > 24);
        assert!(!differs, "{found:?} at {x}, {y} instead of {colour:?}");
    }

    #[test]
    fn mosaic_of_four_pictures_has_one_in_each_quarter() {
        let sizes = [(300, 300), (300, 600), (500, 250), (40, 40)];
        let sources: Vec<Vec<u8>> = sizes
            .into_iter()
            .zip(COLOURS)
            .map(|((width, height), colour)| picture(width, height, colour))
            .collect();
        for (size, side) in [(Size::Small, 240), (Size::Medium, 480), (Size::Large, 960)] {
            let image = mosaic(&sources, size).expect("a mosaic");
            assert_eq!((image.size, image.mime), (size, "image/jpeg"));
            let pixels = image::load_from_memory(&image.body).expect("an image");
            let pixels = pixels.into_rgb8();
            assert_eq!(pixels.dimensions(), (side, side));
            let (near, far) = (16, side - 16);
            for (place, colour) in [(near, near), (far, near), (near, far), (far, far)]
                .into_iter()
                .zip(COLOURS)
            {
                assert_colour(&pixels, place, colour);
            }
        }
    }

    #[test]
    fn fewer_pictures_fill_the_square() {
        let sources = COLOURS.map(|colour| picture(100, 100, colour));
        let corners = [(8, 8), (231, 8), (8, 231), (231, 231)];
        for (count, expected) in [(1, [0, 0, 0, 0]), (2, [0, 1, 0, 1]), (3, [0, 1, 0, 2])] {
            let image = mosaic(&sources[..count], Size::Small).expect("a mosaic");
            let pixels = image::load_from_memory(&image.body).expect("an image");
            let pixels = pixels.into_rgb8();
            for (corner, colour) in corners.into_iter().zip(expected) {
                assert_colour(&pixels, corner, COLOURS[colour]);
            }
        }
    }

    #[test]
    fn mosaic_of_nothing_or_of_damaged_picture_fails() {
        assert!(mosaic(&[], Size::Small).is_err());
        assert!(mosaic(&[b"no picture".to_vec()], Size::Small).is_err());
    }
}
