//! ASF, WMV and WMA files: objects identified by GUIDs (Microsoft ASF specification 1.20).

mod tags;

use std::io::{Read, Seek};

use ledge_core::registry::reading::{Chapter, StreamKind};
use ledge_core::text::language;
use ledge_formats::bytes::ByteReader;
use ledge_formats::{ReadResult, Source, damaged};

use crate::container::media::{MAX_CHAPTERS, MAX_TRACKS, Media, Track};
use crate::reading::codec::{fourcc, wave};
use crate::reading::text;

/// GUID of the header object, with which every ASF file begins.
pub const MAGIC: &[u8] = &[
    0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11, 0xa6, 0xd9, 0x00, 0xaa, 0x00, 0x62, 0xce, 0x6c,
];

/// Maximum size of an object that is read as a whole, in bytes. Objects may contain pictures.
const MAX_SIZE: usize = 40 << 20;
/// Maximum number of objects in the header.
const MAX_COUNT: usize = 10_000;

pub(crate) type Name = [u8; 16];

pub(crate) const FILE: Name = *b"\xa1\xdc\xab\x8c\x47\xa9\xcf\x11\x8e\xe4\x00\xc0\x0c\x20\x53\x65";
pub(crate) const STREAM: Name =
    *b"\x91\x07\xdc\xb7\xb7\xa9\xcf\x11\x8e\xe6\x00\xc0\x0c\x20\x53\x65";
pub(crate) const EXTENSION: Name =
    *b"\xb5\x03\xbf\x5f\x2e\xa9\xcf\x11\x8e\xe3\x00\xc0\x0c\x20\x53\x65";
pub(crate) const LANGUAGES: Name =
    *b"\xa9\x46\x43\x7c\xe0\xef\xfc\x4b\xb2\x29\x39\x3e\xde\x41\x5c\x85";
pub(crate) const EXTENDED_STREAM: Name =
    *b"\xcb\xa5\xe6\x14\x72\xc6\x32\x43\x83\x99\xa9\x69\x52\x06\x5b\x5a";
pub(crate) const DESCRIPTION: Name =
    *b"\x33\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c";
pub(crate) const EXTENDED_CONTENT: Name =
    *b"\x40\xa4\xd0\xd2\x07\xe3\xd2\x11\x97\xf0\x00\xa0\xc9\x5e\xa8\x50";
pub(crate) const MARKERS: Name =
    *b"\x01\xcd\x87\xf4\x51\xa9\xcf\x11\x8e\xe6\x00\xc0\x0c\x20\x53\x65";

pub(crate) const VIDEO: Name = *b"\xc0\xef\x19\xbc\x4d\x5b\xcf\x11\xa8\xfd\x00\x80\x5f\x5c\x44\x2b";
pub(crate) const AUDIO: Name = *b"\x40\x9e\x69\xf8\x4d\x5b\xcf\x11\xa8\xfd\x00\x80\x5f\x5c\x44\x2b";

/// Intermediate results of the header walk.
#[derive(Default)]
struct HeaderState {
    media: Media,
    /// Preroll in milliseconds.
    preroll: u64,
    languages: Vec<Option<String>>,
    /// Stream numbers and their indices in `languages`.
    stream_languages: Vec<(u64, usize)>,
}

/// Reads the header object of a file.
pub fn read<R: Read + Seek>(source: &mut Source<R>) -> ReadResult<Media> {
    let end = ByteReader(source.read_at(16, 8)?).u64_le().unwrap_or(0);
    let mut state = HeaderState {
        media: Media::new("asf"),
        ..HeaderState::default()
    };
    walk(source, (30, end.min(source.size())), &mut state, 0)?;
    let HeaderState {
        mut media,
        languages,
        stream_languages,
        ..
    } = state;
    if media.tracks.is_empty() {
        return Err(damaged(
            "is a Windows Media file without audio or video streams",
        ));
    }
    for track in &mut media.tracks {
        let of_track = stream_languages
            .iter()
            .find(|(number, _)| *number == track.number);
        track.language = of_track.and_then(|(_, at)| languages.get(*at).cloned().flatten());
    }
    Ok(media)
}

fn walk<R: Read + Seek>(
    source: &mut Source<R>,
    (mut at, end): (u64, u64),
    state: &mut HeaderState,
    depth: u32,
) -> ReadResult<()> {
    for _ in 0..MAX_COUNT {
        if end.saturating_sub(at) < 24 {
            break;
        }
        let mut head = ByteReader(source.read_at(at, 24)?);
        let (Some(name), Some(length)) = (head.take(16), head.u64_le()) else {
            break;
        };
        let Ok(name) = Name::try_from(name) else {
            break;
        };
        if length < 24 {
            break;
        }
        let inside = (at.saturating_add(24), at.saturating_add(length).min(end));
        at = inside.1;
        if name == EXTENSION && depth == 0 {
            walk(source, (inside.0.saturating_add(22), inside.1), state, 1)?;
            continue;
        }
        object(source, name, inside, state)?;
    }
    Ok(())
}

fn object<R: Read + Seek>(
    source: &mut Source<R>,
    name: Name,
    (start, end): (u64, u64),
    state: &mut HeaderState,
) -> ReadResult<()> {
    let is_known = [
        FILE,
        STREAM,
        LANGUAGES,
        EXTENDED_STREAM,
        DESCRIPTION,
        EXTENDED_CONTENT,
        MARKERS,
    ]
    .contains(&name);
    if !is_known {
        return Ok(());
    }
    let length = usize::try_from(end.saturating_sub(start)).unwrap_or(usize::MAX);
    let bytes = ByteReader(source.read_at(start, length.min(MAX_SIZE))?);
    let _ = match name {
        FILE => file(bytes, state),
        STREAM => stream(bytes, &mut state.media),
        LANGUAGES => languages(bytes, state),
        EXTENDED_STREAM => extended_stream(bytes, state),
        DESCRIPTION => tags::content(bytes, &mut state.media.tags),
        EXTENDED_CONTENT => tags::extended(bytes, start, &mut state.media),
        _ => markers(bytes, state),
    };
    Ok(())
}

/// Reads the file properties object: the duration in units of 100 ns, less the preroll.
#[expect(clippy::cast_precision_loss, reason = "a fraction of a second at most")]
fn file(mut bytes: ByteReader<'_>, state: &mut HeaderState) -> Option<()> {
    bytes.skip(40)?;
    let length = bytes.u64_le()?;
    bytes.skip(8)?;
    state.preroll = bytes.u64_le()?;
    let seconds = length as f64 / 1e7 - state.preroll as f64 / 1e3;
    state.media.duration = Some(seconds).filter(|seconds| *seconds > 0.0);
    Some(())
}

fn stream(mut bytes: ByteReader<'_>, media: &mut Media) -> Option<()> {
    let kind = bytes.take(16)?;
    bytes.skip(24)?;
    let length = bytes.u32_le()?;
    bytes.skip(4)?;
    let number = bytes.u16_le()? & 0x7f;
    bytes.skip(4)?;
    let content = bytes.take((length as usize).min(bytes.0.len()))?;
    let mut track = if kind == VIDEO {
        video(ByteReader(content))?
    } else if kind == AUDIO {
        let wave = wave::format(content);
        Track {
            channels: wave.as_ref().map(|wave| wave.channels),
            ..Track::with_codec(StreamKind::Audio, wave.and_then(|wave| wave.codec))
        }
    } else {
        return None;
    };
    track.number = number.into();
    track.is_default = media.first(track.kind?).is_none();
    if media.tracks.len() < MAX_TRACKS {
        media.tracks.push(track);
    }
    Some(())
}

fn video(mut bytes: ByteReader<'_>) -> Option<Track> {
    let (width, height) = (bytes.u32_le()?, bytes.u32_le()?);
    // The flags and the length of a `BITMAPINFOHEADER`, and its fields before the codec.
    bytes.skip(3 + 16)?;
    Some(Track {
        size: Some((width, height)),
        ..Track::with_codec(StreamKind::Video, fourcc::riff(bytes.tag()?))
    })
}

fn languages(mut bytes: ByteReader<'_>, state: &mut HeaderState) -> Option<()> {
    for _ in 0..bytes.u16_le()?.min(1_000) {
        let length = bytes.u8()?;
        let tag = utf16(bytes.take(length.into())?);
        state.languages.push(language::tag(&tag));
    }
    Some(())
}

fn extended_stream(mut bytes: ByteReader<'_>, state: &mut HeaderState) -> Option<()> {
    bytes.skip(48)?;
    let number = u64::from(bytes.u16_le()? & 0x7f);
    let language = usize::from(bytes.u16_le()?);
    if state.stream_languages.len() < MAX_TRACKS {
        state.stream_languages.push((number, language));
    }
    bytes.skip(8)?;
    let (names, systems) = (bytes.u16_le()?, bytes.u16_le()?);
    for _ in 0..names.min(100) {
        bytes.skip(2)?;
        let length = bytes.u16_le()?;
        bytes.skip(length.into())?;
    }
    for _ in 0..systems.min(100) {
        bytes.skip(18)?;
        let length = bytes.u32_le()?;
        bytes.skip(length as usize)?;
    }
    // A stream properties object may be embedded here.
    if Name::try_from(bytes.take(16)?).ok()? == STREAM {
        bytes.skip(8)?;
        stream(bytes, &mut state.media);
    }
    Some(())
}

#[expect(clippy::cast_precision_loss, reason = "a fraction of a second at most")]
fn markers(mut bytes: ByteReader<'_>, state: &mut HeaderState) -> Option<()> {
    bytes.skip(16)?;
    let count = bytes.u32_le()?;
    bytes.skip(2)?;
    let name = bytes.u16_le()?;
    bytes.skip(name.into())?;
    for _ in 0..count {
        bytes.skip(8)?;
        let time = bytes.u64_le()? as f64 / 1e7 - state.preroll as f64 / 1e3;
        bytes.skip(2 + 4 + 4)?;
        let length = (bytes.u32_le()? as usize).saturating_mul(2);
        let title = text::line(&utf16(bytes.take(length)?)).unwrap_or_default();
        if state.media.chapters.len() < MAX_CHAPTERS {
            state.media.chapters.push(Chapter {
                title,
                start: time.max(0.0),
            });
        }
    }
    Some(())
}

/// Decodes little-endian UTF-16 up to its terminator.
fn utf16(bytes: &[u8]) -> String {
    let units = bytes
        .as_chunks()
        .0
        .iter()
        .map(|pair| u16::from_le_bytes(*pair));
    let units: Vec<u16> = units.take_while(|unit| *unit != 0).take(20_000).collect();
    String::from_utf16_lossy(&units)
}
