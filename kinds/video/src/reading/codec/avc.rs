//! H.264 sequence parameter sets (ITU-T H.264, 7.3.2.1).

use super::bits::{Bits, unescaped};
use super::config::Picture;

/// Maximum bytes that are parsed of a parameter set.
const MAX_SIZE: usize = 512;

/// Returns the profile name for `profile_idc` and the constraint flags.
pub fn profile(idc: u8, constraints: u8) -> Option<&'static str> {
    let third_is_set = constraints & 0x10 != 0;
    Some(match idc {
        66 if constraints & 0x40 != 0 => "Constrained Baseline",
        66 => "Baseline",
        77 => "Main",
        88 => "Extended",
        100 => "High",
        110 if third_is_set => "High 10 Intra",
        110 => "High 10",
        122 if third_is_set => "High 4:2:2 Intra",
        122 => "High 4:2:2",
        144 => "High 4:4:4",
        244 if third_is_set => "High 4:4:4 Intra",
        244 => "High 4:4:4 Predictive",
        44 => "CAVLC 4:4:4",
        118 => "Multiview High",
        128 => "Stereo High",
        _ => return None,
    })
}

/// Parses a NAL unit of type 7, including its header byte.
pub fn parameters(unit: &[u8]) -> Option<Picture> {
    let bytes = unescaped(unit.get(1..)?, MAX_SIZE);
    let mut bits = Bits::new(&bytes);
    let idc = u8::try_from(bits.number(8)?).ok()?;
    let constraints = u8::try_from(bits.number(8)?).ok()?;
    bits.skip(8);
    bits.golomb()?;
    let (mut chroma, mut depth, mut planes) = (1, 8, false);
    if matches!(
        idc,
        100 | 110 | 122 | 244 | 44 | 83 | 86 | 118 | 128 | 138 | 139 | 134 | 135
    ) {
        chroma = bits.golomb()?;
        planes = chroma == 3 && bits.bit()?;
        depth = 8 + bits.golomb()?;
        bits.golomb()?;
        bits.skip(1);
        if bits.bit()? {
            skip_scaling(&mut bits, if chroma == 3 { 12 } else { 8 })?;
        }
    }
    bits.golomb()?;
    skip_picture_order(&mut bits)?;
    bits.golomb()?;
    bits.skip(1);
    let width = u64::from(bits.golomb()?) + 1;
    let height = u64::from(bits.golomb()?) + 1;
    let frames_only = bits.bit()?;
    if !frames_only {
        bits.skip(1);
    }
    bits.skip(1);
    let fields = if frames_only { 1 } else { 2 };
    let (mut across, mut down) = (0, 0);
    if bits.bit()? {
        let (unit_x, unit_y) = match (chroma, planes) {
            (1, _) => (2, 2 * fields),
            (2, _) => (2, fields),
            _ => (1, fields),
        };
        across = unit_x * (u64::from(bits.golomb()?) + u64::from(bits.golomb()?));
        down = unit_y * (u64::from(bits.golomb()?) + u64::from(bits.golomb()?));
    }
    let width = (width * 16).checked_sub(across)?;
    let height = (height * 16 * fields).checked_sub(down)?;
    Some(Picture {
        size: Some((width.try_into().ok()?, height.try_into().ok()?)),
        profile: profile(idc, constraints),
        bit_depth: depth.try_into().ok(),
        hdr: None,
    })
}

fn skip_picture_order(bits: &mut Bits<'_>) -> Option<()> {
    match bits.golomb()? {
        0 => drop(bits.golomb()?),
        1 => {
            bits.skip(1);
            bits.signed_golomb()?;
            bits.signed_golomb()?;
            let cycle = bits.golomb()?;
            for _ in 0..cycle.min(255) {
                bits.signed_golomb()?;
            }
        }
        _ => {}
    }
    Some(())
}

fn skip_scaling(bits: &mut Bits<'_>, lists: u32) -> Option<()> {
    for list in 0..lists {
        if !bits.bit()? {
            continue;
        }
        let (mut last, mut next) = (8, 8);
        for _ in 0..if list < 6 { 16 } else { 64 } {
            if next != 0 {
                next = (last + bits.signed_golomb()?).rem_euclid(256);
            }
            last = if next == 0 { last } else { next };
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picture_size_is_cropped() {
        // High profile, 1920 × 1088 cropped by 8 lines, as written by x264.
        let unit = [
            0x67, 0x64, 0x00, 0x28, 0xac, 0xd9, 0x40, 0x78, 0x02, 0x27, 0xe5, 0xc0, 0x44, 0x00,
        ];
        let picture = parameters(&unit).expect("a parameter set");
        assert_eq!(picture.size, Some((1920, 1080)));
        assert_eq!(
            (picture.profile, picture.bit_depth),
            (Some("High"), Some(8))
        );
        assert_eq!(parameters(&unit[..6]), None);
    }
}
