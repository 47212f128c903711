//! HEVC sequence parameter sets (ITU-T H.265, 7.3.2.2).

use super::bits::{Bits, unescaped};
use super::config::Picture;

/// Maximum bytes that are parsed of a parameter set.
const MAX_SIZE: usize = 512;

/// Returns the profile name for `general_profile_idc`.
pub fn profile(idc: u8) -> Option<&'static str> {
    Some(match idc {
        1 => "Main",
        2 => "Main 10",
        3 => "Main Still Picture",
        4 => "Rext",
        6 => "Multiview Main",
        9 => "Scc",
        _ => return None,
    })
}

/// Parses a NAL unit of type 33, including its two header bytes.
pub fn parameters(unit: &[u8]) -> Option<Picture> {
    let bytes = unescaped(unit.get(2..)?, MAX_SIZE);
    let mut bits = Bits::new(&bytes);
    bits.skip(4);
    let layers = bits.number(3)?;
    bits.skip(1);
    bits.skip(3);
    let idc = u8::try_from(bits.number(5)?).ok()?;
    bits.skip(32 + 48 + 8);
    let present: Vec<(bool, bool)> = (0..layers)
        .map(|_| Some((bits.bit()?, bits.bit()?)))
        .collect::<Option<_>>()?;
    if layers > 0 {
        bits.skip(usize::try_from(8 - layers.min(8)).ok()? * 2);
    }
    for (has_profile, has_level) in present {
        bits.skip(if has_profile { 88 } else { 0 } + if has_level { 8 } else { 0 });
    }
    bits.golomb()?;
    let chroma = bits.golomb()?;
    if chroma == 3 {
        bits.skip(1);
    }
    let (width, height) = (bits.golomb()?, bits.golomb()?);
    let (mut across, mut down) = (0, 0);
    if bits.bit()? {
        let (unit_x, unit_y) = match chroma {
            1 => (2, 2),
            2 => (2, 1),
            _ => (1, 1),
        };
        across = unit_x * (u64::from(bits.golomb()?) + u64::from(bits.golomb()?));
        down = unit_y * (u64::from(bits.golomb()?) + u64::from(bits.golomb()?));
    }
    let depth = bits.golomb()?.checked_add(8)?;
    let width = u64::from(width).checked_sub(across)?;
    let height = u64::from(height).checked_sub(down)?;
    Some(Picture {
        size: Some((width.try_into().ok()?, height.try_into().ok()?)),
        profile: profile(idc),
        bit_depth: depth.try_into().ok(),
        hdr: None,
    })
}
