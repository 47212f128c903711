//! ASF, the container of Windows Media: objects identified by GUIDs.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source};

use super::chunks::wav::format_of;
use super::{Recording, Sound};
use crate::tags::{MAX_PICTURE_SIZE, TagSelection, asf};

/// Maximum number of objects that are read.
const MAX_OBJECTS: usize = 10_000;
/// Maximum size of an object with text, in bytes.
const MAX_SIZE: usize = 4 << 20;

const FILE: [u8; 16] = *b"\xa1\xdc\xab\x8c\x47\xa9\xcf\x11\x8e\xe4\0\xc0\x0c\x20\x53\x65";
const STREAM: [u8; 16] = *b"\x91\x07\xdc\xb7\xb7\xa9\xcf\x11\x8e\xe6\0\xc0\x0c\x20\x53\x65";
const AUDIO: [u8; 16] = *b"\x40\x9e\x69\xf8\x4d\x5b\xcf\x11\xa8\xfd\0\x80\x5f\x5c\x44\x2b";
const VIDEO: [u8; 16] = *b"\xc0\xef\x19\xbc\x4d\x5b\xcf\x11\xa8\xfd\0\x80\x5f\x5c\x44\x2b";
const DESCRIPTION: [u8; 16] = *b"\x33\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\0\xaa\0\x62\xce\x6c";
const EXTENDED: [u8; 16] = *b"\x40\xa4\xd0\xd2\x07\xe3\xd2\x11\x97\xf0\0\xa0\xc9\x5e\xa8\x50";
const EXTENSION: [u8; 16] = *b"\xb5\x03\xbf\x5f\x2e\xa9\xcf\x11\x8e\xe3\0\xc0\x0c\x20\x53\x65";
const METADATA: [u8; 16] = *b"\xea\xcb\xf8\xc5\xaf\x5b\x77\x48\x84\x67\xaa\x8c\x44\xfa\x4c\xca";
const LIBRARY: [u8; 16] = *b"\x94\x1c\x23\x44\x98\x94\xd1\x49\xa1\x41\x1d\x13\x4e\x45\x70\x54";

/// Reads the header object of a file.
pub(super) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    selection: TagSelection,
) -> ReadResult<Recording> {
    let head = source.read_exact_at(0, 30)?;
    let end = head.le64(16).unwrap_or(0).min(source.size());
    let mut recording = Recording {
        container: Some("asf"),
        ..Recording::default()
    };
    let mut at = 30_u64;
    for _ in 0..MAX_OBJECTS {
        if at.saturating_add(24) > end {
            break;
        }
        let head = source.read_at(at, 24)?;
        let (Some(name), Some(size)) = (head.array_at::<16>(0), head.le64(16)) else {
            break;
        };
        if name == EXTENSION {
            // The extension object contains further objects in the same format.
            at += 46;
            continue;
        }
        let len = usize::try_from(size.saturating_sub(24)).unwrap_or(usize::MAX);
        read_object(source, (name, at + 24, len), selection, &mut recording)?;
        at = at.saturating_add(size.max(24));
    }
    Ok(recording)
}

fn read_object<R: Read + Seek>(
    source: &mut Source<R>,
    (name, body, len): ([u8; 16], u64, usize),
    selection: TagSelection,
    recording: &mut Recording,
) -> ReadResult<()> {
    let most = if selection == TagSelection::Picture {
        MAX_PICTURE_SIZE
    } else {
        MAX_SIZE
    };
    match name {
        FILE => recording.duration = duration(source.read_at(body, 80)?),
        STREAM => stream(source.read_at(body, len.min(256))?, recording),
        DESCRIPTION if selection != TagSelection::Picture => {
            asf::description(
                source.read_at(body, len.min(MAX_SIZE))?,
                &mut recording.tags,
            );
        }
        EXTENDED => {
            asf::extended(
                source.read_at(body, len.min(most))?,
                selection,
                &mut recording.tags,
            );
        }
        METADATA | LIBRARY => {
            asf::library(
                source.read_at(body, len.min(most))?,
                selection,
                &mut recording.tags,
            );
        }
        _ => {}
    }
    Ok(())
}

/// Returns the play duration without the preroll, in seconds.
#[expect(clippy::cast_precision_loss, reason = "no recording is that long")]
fn duration(properties: &[u8]) -> Option<f64> {
    let ticks = properties.le64(40)?;
    let wait = properties.le64(56)?;
    let seconds = ticks as f64 / 1e7 - wait as f64 / 1e3;
    (ticks > 0 && (0.0..1e9).contains(&seconds)).then_some(seconds)
}

fn stream(properties: &[u8], recording: &mut Recording) {
    let format = properties.get(54..).unwrap_or_default();
    match properties.array_at::<16>(0) {
        Some(AUDIO) if recording.sound.is_none() => {
            recording.sound = format_of(format).or_else(|| Some(Sound::with_codec("unknown")));
        }
        Some(VIDEO) if recording.vcodec.is_none() => {
            recording.width = format.le32(0).map(i64::from);
            recording.height = format.le32(4).map(i64::from);
            let code = format.array_at::<4>(11 + 16).unwrap_or_default();
            recording.vcodec = Some(match &code {
                b"WMV1" => "wmv1".to_owned(),
                b"WMV2" => "wmv2".to_owned(),
                b"WMV3" => "wmv3".to_owned(),
                b"WVC1" | b"WMVA" => "vc1".to_owned(),
                _ => "unknown".to_owned(),
            });
        }
        _ => {}
    }
}
