//! Main colour of a picture: the colour that a person would name. The average is not used, because
//! it is brown for most pictures.

use image::RgbImage;

/// Maximum number of sampled pixels.
const SAMPLES: usize = 8_192;
/// Number of sectors of the hue circle.
const HUES: usize = 24;
/// Minimum difference of the strongest and the weakest channel of a coloured pixel.
const COLOURED: u64 = 40;

/// Weighted sum of pixels.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    red: u64,
    green: u64,
    blue: u64,
    weight: u64,
}

impl Sum {
    fn add(&mut self, [red, green, blue]: [u8; 3], weight: u64) {
        self.red += u64::from(red) * weight;
        self.green += u64::from(green) * weight;
        self.blue += u64::from(blue) * weight;
        self.weight += weight;
    }

    fn and(self, other: Self) -> Self {
        Self {
            red: self.red + other.red,
            green: self.green + other.green,
            blue: self.blue + other.blue,
            weight: self.weight + other.weight,
        }
    }

    fn colour(self) -> String {
        let mean = |sum: u64| {
            (sum + self.weight / 2)
                .checked_div(self.weight)
                .unwrap_or(0)
        };
        format!(
            "#{:02x}{:02x}{:02x}",
            mean(self.red),
            mean(self.green),
            mean(self.blue)
        )
    }
}

/// Returns the main colour as `#rrggbb`. It is the mean of the hue with the most and strongest
/// coloured pixels, or of all pixels if few are coloured.
pub(super) fn of(image: &RgbImage) -> String {
    let pixels = image.width() as usize * image.height() as usize;
    // The step is odd, so that it does not align with stripes or the image width.
    let step = (pixels / SAMPLES) | 1;
    let mut all = Sum::default();
    let mut by_hue = [Sum::default(); HUES];
    let mut coloured = 0;
    for pixel in image.pixels().step_by(step) {
        all.add(pixel.0, 1);
        let chroma = chroma(pixel.0);
        if chroma < COLOURED {
            continue;
        }
        coloured += 1;
        if let Some(sum) = by_hue.get_mut(hue(pixel.0)) {
            sum.add(pixel.0, chroma * chroma);
        }
    }
    // A small coloured part of a grey cover is not the main colour.
    if coloured * 50 < all.weight {
        return all.colour();
    }
    // A hue near the edge of a sector is partly in the next sector.
    let pairs = by_hue.iter().zip(by_hue.iter().cycle().skip(1));
    pairs
        .map(|(part, next)| part.and(*next))
        .max_by_key(|sum| sum.weight)
        .unwrap_or(all)
        .colour()
}

fn chroma([red, green, blue]: [u8; 3]) -> u64 {
    let strongest = red.max(green).max(blue);
    let weakest = red.min(green).min(blue);
    u64::from(strongest - weakest)
}

/// Returns the sector of the hue circle for a coloured pixel.
fn hue([red, green, blue]: [u8; 3]) -> usize {
    let [r, g, b] = [red, green, blue].map(i32::from);
    let strongest = r.max(g).max(b);
    let range = (strongest - r.min(g).min(b)).max(1);
    // Unit: 1/100 of a sixth of the circle.
    let angle = if strongest == r {
        100 * (g - b) / range
    } else if strongest == g {
        200 + 100 * (b - r) / range
    } else {
        400 + 100 * (r - g) / range
    };
    let angle = usize::try_from(angle.rem_euclid(600)).unwrap_or(0);
    angle * HUES / 600
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

    use super::*;

    fn painted(colour: impl Fn(u32, u32) -> [u8; 3]) -> String {
        of(&RgbImage::from_fn(120, 180, |x, y| Rgb(colour(x, y))))
    }

    #[test]
    fn plain_picture_has_its_own_colour() {
        assert_eq!(painted(|_, _| [200, 30, 40]), "#c81e28");
        assert_eq!(painted(|_, _| [255, 255, 255]), "#ffffff");
        assert_eq!(painted(|_, _| [0, 0, 0]), "#000000");
    }

    #[test]
    fn vivid_part_precedes_grey_and_average() {
        let tint = painted(|x, _| {
            if x < 30 {
                [20, 60, 220]
            } else {
                [230, 230, 228]
            }
        });
        assert_eq!(tint, "#143cdc");
        let tint = painted(|x, _| if x < 70 { [220, 30, 30] } else { [30, 160, 60] });
        assert_eq!(tint, "#dc1e1e");
    }

    #[test]
    fn small_coloured_part_leaves_grey_picture_grey() {
        let tint = painted(|x, y| if x + y < 8 { [255, 0, 0] } else { [90, 90, 90] });
        assert!(tint.starts_with("#5"), "{tint}");
    }

    #[test]
    fn hues_around_red_are_combined() {
        let tint = painted(|x, _| {
            if x % 2 == 0 {
                [220, 20, 32]
            } else {
                [220, 32, 20]
            }
        });
        assert_eq!(tint, "#dc1a1a");
    }
}
