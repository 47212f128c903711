//! Codec detection in elementary streams.
//!
//! MPEG-TS and MPEG-PS often lack these data, so they are read from the streams themselves.

use ledge_core::registry::reading::StreamKind;

use super::config::Picture;
use super::{avc, hevc};

/// Maximum number of units between start codes that are examined.
const MAX_UNITS: usize = 4_000;

/// Parses the picture properties at the start of a stream of this codec.
pub fn picture(codec: &str, stream: &[u8]) -> Option<Picture> {
    let reader: fn(&[u8]) -> Option<Picture> = match codec {
        "h264" => |unit| {
            let is_parameter_set = unit.first().is_some_and(|byte| byte & 0x1f == 7);
            is_parameter_set.then(|| avc::parameters(unit))?
        },
        "hevc" => |unit| {
            let is_parameter_set = unit.first().is_some_and(|byte| byte >> 1 & 0x3f == 33);
            is_parameter_set.then(|| hevc::parameters(unit))?
        },
        "mpeg1video" | "mpeg2video" => sequence,
        _ => return None,
    };
    units(stream).take(MAX_UNITS).find_map(reader)
}

/// Splits a stream at its start codes.
pub fn units(stream: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = after_code(stream);
    std::iter::from_fn(move || {
        let unit = rest?;
        rest = after_code(unit);
        let end = rest.map_or(unit.len(), |next| {
            unit.len().saturating_sub(next.len()).saturating_sub(3)
        });
        unit.get(..end)
    })
}

fn after_code(bytes: &[u8]) -> Option<&[u8]> {
    let at = bytes.windows(3).position(|three| three == [0, 0, 1])?;
    bytes.get(at + 3..)
}

/// Parses an MPEG-1 or MPEG-2 sequence header (ISO/IEC 13818-2, 6.2.2.1).
fn sequence(unit: &[u8]) -> Option<Picture> {
    let [0xb3, a, b, c, ..] = unit else {
        return None;
    };
    let width = u32::from(*a) << 4 | u32::from(*b) >> 4;
    let height = u32::from(*b & 0xf) << 8 | u32::from(*c);
    (width > 0 && height > 0).then_some(Picture {
        size: Some((width, height)),
        ..Picture::default()
    })
}

/// Detects the codec of a video stream by its start codes.
pub fn video_codec(stream: &[u8]) -> Option<&'static str> {
    let mut found = None;
    for unit in units(stream).take(MAX_UNITS) {
        match unit.first()? {
            0xb3 => found = Some("mpeg1video"),
            // Only MPEG-2 has a sequence extension.
            0xb5 if found.is_some() => return Some("mpeg2video"),
            0xb0 => return Some("mpeg4"),
            byte if byte & 0x9f == 7 && avc::parameters(unit).is_some() => return Some("h264"),
            _ => {}
        }
    }
    found
}

/// Returns `true` if a stream begins with a start code.
pub fn begins_unit(head: &[u8]) -> bool {
    head.starts_with(&[0, 0, 1]) || head.starts_with(&[0, 0, 0, 1])
}

/// Detects the kind and codec of a private stream by the first bytes of a packet.
///
/// Sources: ETSI TS 101 154; for subtitles and teletext, the data identifiers of EN 300 743 and EN
/// 300 472.
pub fn private(content: &[u8]) -> Option<(StreamKind, &'static str)> {
    Some(match content {
        // E-AC-3 has a bit stream id above 10.
        [0x0b, 0x77, _, _, _, id, ..] if id >> 3 > 10 => (StreamKind::Audio, "eac3"),
        [0x0b, 0x77, ..] => (StreamKind::Audio, "ac3"),
        [0x7f, 0xfe, 0x80, 0x01, ..] | [0x64, 0x58, 0x20, 0x25, ..] => (StreamKind::Audio, "dts"),
        [0x20, 0, 0x0f, ..] => (StreamKind::Subtitle, "dvb_subtitle"),
        [0x10..=0x1f, 0x02 | 0x03, 0x2c, ..] => (StreamKind::Subtitle, "dvb_teletext"),
        _ => return None,
    })
}

/// Returns the codec of MPEG audio by the layer in the first frame header.
pub fn audio_layer(stream: &[u8]) -> Option<&'static str> {
    stream.windows(4).find_map(|four| {
        let [0xff, second, third, _] = four else {
            return None;
        };
        let is_frame = second & 0xe0 == 0xe0
            && second & 0x18 != 0x08
            && third & 0xf0 != 0xf0
            && third & 0x0c != 0x0c;
        if !is_frame {
            return None;
        }
        match second >> 1 & 3 {
            1 => Some("mp3"),
            2 => Some("mp2"),
            3 => Some("mp1"),
            _ => Some("aac"),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_split_at_start_codes() {
        let stream = [9, 0, 0, 1, 7, 8, 0, 0, 1, 5];
        let found: Vec<&[u8]> = units(&stream).collect();
        assert_eq!(found, [&[7, 8][..], &[5]]);
        assert_eq!(units(&[0, 0, 1]).count(), 1);
        assert_eq!(units(&[]).count(), 0);
    }

    #[test]
    fn mpeg_2_is_detected_by_its_sequence_extension() {
        let header = [0, 0, 1, 0xb3, 0x16, 0x01, 0x20, 0x13];
        let picture = picture("mpeg2video", &header).expect("a header");
        assert_eq!(picture.size, Some((352, 288)));
        assert_eq!(video_codec(&header), Some("mpeg1video"));
        let extended = [&header[..], &[0, 0, 1, 0xb5, 0x14]].concat();
        assert_eq!(video_codec(&extended), Some("mpeg2video"));
    }

    #[test]
    fn audio_layers_are_distinguished() {
        assert_eq!(audio_layer(&[0, 0xff, 0xfb, 0x90, 0]), Some("mp3"));
        assert_eq!(audio_layer(&[0xff, 0xfd, 0x90, 0]), Some("mp2"));
        assert_eq!(audio_layer(&[0xff, 0xff, 0xff, 0xff]), None);
    }
}
