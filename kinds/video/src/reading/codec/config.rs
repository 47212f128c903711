//! Decoder configuration records, which containers store next to a stream.

use super::{avc, hevc};

/// Picture properties from a decoder configuration.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Picture {
    /// Size in pixels, width first.
    pub size: Option<(u32, u32)>,
    /// Profile name, as in ffprobe.
    pub profile: Option<&'static str>,
    /// Bits per sample.
    pub bit_depth: Option<u8>,
    /// Name of the high dynamic range format. `None` for standard dynamic range.
    pub hdr: Option<&'static str>,
}

/// Parses an `AVCDecoderConfigurationRecord` (ISO/IEC 14496-15, 5.3.3.1).
pub fn avc(record: &[u8]) -> Option<Picture> {
    let [1, idc, constraints, _, _, counts, rest @ ..] = record else {
        return None;
    };
    let set = first_set(*counts & 0x1f, rest).and_then(avc::parameters);
    Some(set.unwrap_or(Picture {
        profile: avc::profile(*idc, *constraints),
        ..Picture::default()
    }))
}

fn first_set(count: u8, rest: &[u8]) -> Option<&[u8]> {
    let [high, low, rest @ ..] = rest else {
        return None;
    };
    (count > 0).then(|| rest.get(..usize::from(u16::from_be_bytes([*high, *low]))))?
}

/// Parses an `HEVCDecoderConfigurationRecord` (ISO/IEC 14496-15, 8.3.3.1).
pub fn hevc(record: &[u8]) -> Option<Picture> {
    let idc = record.get(1)? & 0x1f;
    let bit_depth = (record.get(17)? & 7) + 8;
    Some(Picture {
        size: hevc_set(record).and_then(|picture| picture.size),
        profile: hevc::profile(idc),
        bit_depth: Some(bit_depth),
        hdr: None,
    })
}

fn hevc_set(record: &[u8]) -> Option<Picture> {
    let mut rest = record.get(22..)?;
    let (arrays, after) = rest.split_first()?;
    rest = after;
    for _ in 0..*arrays {
        let [kind, high, low, after @ ..] = rest else {
            return None;
        };
        rest = after;
        for _ in 0..u16::from_be_bytes([*high, *low]).min(64) {
            let [high, low, after @ ..] = rest else {
                return None;
            };
            let (unit, after) =
                after.split_at_checked(usize::from(u16::from_be_bytes([*high, *low])))?;
            rest = after;
            if kind & 0x3f == 33 {
                return hevc::parameters(unit);
            }
        }
    }
    None
}

/// Parses an `AV1CodecConfigurationRecord` (AV1 in ISOBMFF, 2.3.3).
pub fn av1(record: &[u8]) -> Option<Picture> {
    let [0x81, profile, depth, ..] = record else {
        return None;
    };
    let (is_high, is_twelve) = (depth & 0x40 != 0, depth & 0x20 != 0);
    Some(Picture {
        profile: match profile >> 5 {
            0 => Some("Main"),
            1 => Some("High"),
            2 => Some("Professional"),
            _ => None,
        },
        bit_depth: Some(match (is_high, is_twelve) {
            (false, _) => 8,
            (true, false) => 10,
            (true, true) => 12,
        }),
        ..Picture::default()
    })
}

/// Parses a `VPCodecConfigurationRecord` without the version and flags of its box.
pub fn vp9(record: &[u8]) -> Option<Picture> {
    let [profile, _, depth, _, transfer, ..] = record else {
        return None;
    };
    Some(Picture {
        profile: vp9_profile(*profile),
        bit_depth: Some(depth >> 4),
        hdr: crate::container::media::hdr((*transfer).into()),
        ..Picture::default()
    })
}

/// Parses the VP9 codec features of WebM: entries of id, length and value.
pub fn vp9_features(private: &[u8]) -> Option<Picture> {
    let mut picture = Picture::default();
    let mut rest = private;
    while let [id, 1, value, after @ ..] = rest {
        match id {
            1 => picture.profile = vp9_profile(*value),
            3 => picture.bit_depth = Some(*value),
            _ => {}
        }
        rest = after;
    }
    Some(picture)
}

fn vp9_profile(number: u8) -> Option<&'static str> {
    Some(match number {
        0 => "Profile 0",
        1 => "Profile 1",
        2 => "Profile 2",
        3 => "Profile 3",
        _ => return None,
    })
}
