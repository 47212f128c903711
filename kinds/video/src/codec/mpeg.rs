//! What stands in streams themselves, where the container has no words for it: MPEG-TS and
//! MPEG-PS carry pictures and sound as they left the encoder.

use ledge_core::registry::reading::StreamKind;

use super::config::Picture;
use super::{avc, hevc};

/// Units between start codes that are looked at.
const MOST_UNITS: usize = 4_000;

/// Pictures and their size in the beginning of a stream of this codec, where they are told.
pub fn picture(codec: &str, stream: &[u8]) -> Option<Picture> {
    let reader: fn(&[u8]) -> Option<Picture> = match codec {
        "h264" => |unit| {
            let is_one = unit.first().is_some_and(|byte| byte & 0x1f == 7);
            is_one.then(|| avc::parameters(unit))?
        },
        "hevc" => |unit| {
            let is_one = unit.first().is_some_and(|byte| byte >> 1 & 0x3f == 33);
            is_one.then(|| hevc::parameters(unit))?
        },
        "mpeg1video" | "mpeg2video" => sequence,
        _ => return None,
    };
    units(stream).take(MOST_UNITS).find_map(reader)
}

/// The stretches that start codes begin.
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

/// A sequence header of MPEG-1 or MPEG-2: ISO/IEC 13818-2, 6.2.2.1.
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

/// Which codec pictures without a name are of, by their start codes.
pub fn video_codec(stream: &[u8]) -> Option<&'static str> {
    let mut found = None;
    for unit in units(stream).take(MOST_UNITS) {
        match unit.first()? {
            0xb3 => found = Some("mpeg1video"),
            // Only MPEG-2 extends its sequence header.
            0xb5 if found.is_some() => return Some("mpeg2video"),
            0xb0 => return Some("mpeg4"),
            byte if byte & 0x9f == 7 && avc::parameters(unit).is_some() => return Some("h264"),
            _ => {}
        }
    }
    found
}

/// Whether a stream begins with a start code.
pub fn begins_unit(head: &[u8]) -> bool {
    head.starts_with(&[0, 0, 1]) || head.starts_with(&[0, 0, 0, 1])
}

/// The kind and codec of a private stream, by the first bytes of a packet: ETSI TS 101 154 and,
/// for subtitles and teletext, the data identifier of EN 300 743 and EN 300 472.
pub fn private(content: &[u8]) -> Option<(StreamKind, &'static str)> {
    Some(match content {
        // The stream id of bit stream syntax is above 10 in E-AC-3.
        [0x0b, 0x77, _, _, _, id, ..] if id >> 3 > 10 => (StreamKind::Audio, "eac3"),
        [0x0b, 0x77, ..] => (StreamKind::Audio, "ac3"),
        [0x7f, 0xfe, 0x80, 0x01, ..] | [0x64, 0x58, 0x20, 0x25, ..] => (StreamKind::Audio, "dts"),
        [0x20, 0, 0x0f, ..] => (StreamKind::Subtitle, "dvb_subtitle"),
        [0x10..=0x1f, 0x02 | 0x03, 0x2c, ..] => (StreamKind::Subtitle, "dvb_teletext"),
        _ => return None,
    })
}

/// The layer of MPEG audio, by the first frame's header.
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
    fn units_stand_between_start_codes() {
        let stream = [9, 0, 0, 1, 7, 8, 0, 0, 1, 5];
        let found: Vec<&[u8]> = units(&stream).collect();
        assert_eq!(found, [&[7, 8][..], &[5]]);
        assert_eq!(units(&[0, 0, 1]).count(), 1);
        assert_eq!(units(&[]).count(), 0);
    }

    #[test]
    fn mpeg_2_extends_what_mpeg_1_has() {
        let header = [0, 0, 1, 0xb3, 0x16, 0x01, 0x20, 0x13];
        let picture = picture("mpeg2video", &header).expect("a header");
        assert_eq!(picture.size, Some((352, 288)));
        assert_eq!(video_codec(&header), Some("mpeg1video"));
        let extended = [&header[..], &[0, 0, 1, 0xb5, 0x14]].concat();
        assert_eq!(video_codec(&extended), Some("mpeg2video"));
    }

    #[test]
    fn layers_are_told_apart() {
        assert_eq!(audio_layer(&[0, 0xff, 0xfb, 0x90, 0]), Some("mp3"));
        assert_eq!(audio_layer(&[0xff, 0xfd, 0x90, 0]), Some("mp2"));
        assert_eq!(audio_layer(&[0xff, 0xff, 0xff, 0xff]), None);
    }
}
