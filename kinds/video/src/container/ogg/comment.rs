//! Comments in the Vorbis format, which Theora, Opus and FLAC in Ogg use, too.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ledge_core::registry::reading::{Chapter, StreamKind};
use ledge_core::text::language;
use ledge_formats::bytes::ByteReader;

use crate::container::media::{MAX_CHAPTERS, Media, Track};
use crate::reading::text;

/// Maximum number of comments.
const MAX_COUNT: u32 = 10_000;
/// Maximum length of a comment that is read as text, in bytes.
const MAX_SIZE: usize = 64 << 10;

/// Comments with names in upper case.
#[derive(Default)]
pub(super) struct Comments {
    all: Vec<(String, String)>,
    pub(super) language: Option<String>,
}

impl Comments {
    fn get(&self, name: &str) -> Option<&str> {
        let found = self.all.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// Parses a comment packet of any codec.
pub(super) fn read(packet: &[u8]) -> Comments {
    let mut comments = Comments::default();
    let _ = each(packet, |name, value| {
        if value.len() <= MAX_SIZE {
            let value = String::from_utf8_lossy(value).into_owned();
            comments.all.push((name, value));
        }
    });
    comments.language = comments.get("LANGUAGE").and_then(language::tag);
    comments
}

fn each(packet: &[u8], mut visit: impl FnMut(String, &[u8])) -> Option<()> {
    let heads: [&[u8]; 3] = [b"\x81theora", b"\x03vorbis", b"OpusTags"];
    let inside = heads.iter().find_map(|head| packet.strip_prefix(*head));
    // A FLAC block has a header of four bytes.
    let inside = inside.or_else(|| {
        packet
            .get(4..)
            .filter(|_| packet.first().is_some_and(|b| b & 0x7f == 4))
    })?;
    let mut bytes = ByteReader(inside);
    let vendor = bytes.u32_le()?;
    bytes.skip(vendor as usize)?;
    for _ in 0..bytes.u32_le()?.min(MAX_COUNT) {
        let length = bytes.u32_le()? as usize;
        let comment = bytes.take(length)?;
        let Some(at) = comment.iter().position(|byte| *byte == b'=') else {
            continue;
        };
        let name = String::from_utf8_lossy(comment.get(..at.min(100))?).to_uppercase();
        visit(name, comment.get(at + 1..)?);
    }
    Some(())
}

/// Copies the comments of a stream to the file's tags. A video stream overrides audio streams.
pub(super) fn put(comments: &Comments, track: &Track, media: &mut Media) {
    let line = |name: &str| comments.get(name).and_then(text::line);
    let is_first = track.kind == Some(StreamKind::Video);
    let tags = &mut media.tags;
    let keep = |old: &mut Option<String>, new: Option<String>| {
        if old.is_none() || is_first && new.is_some() {
            *old = new;
        }
    };
    keep(&mut tags.title, line("TITLE"));
    keep(&mut tags.date, line("DATE"));
    keep(
        &mut tags.description,
        comments.get("DESCRIPTION").and_then(text::lines),
    );
    if media.chapters.is_empty() {
        media.chapters = chapters(comments);
    }
}

/// Parses `CHAPTER001=00:01:02.500` and `CHAPTER001NAME=…`.
fn chapters(comments: &Comments) -> Vec<Chapter> {
    let chapters = (0..1_000).map_while(|number| {
        let name = format!("CHAPTER{number:03}");
        let start = comments.get(&name).and_then(seconds);
        if start.is_none() && number > 0 {
            return None;
        }
        let title = comments.get(&format!("{name}NAME")).and_then(text::line);
        Some(start.map(|start| Chapter {
            title: title.unwrap_or_default(),
            start,
        }))
    });
    chapters.flatten().take(MAX_CHAPTERS).collect()
}

fn seconds(time: &str) -> Option<f64> {
    let mut parts = time.trim().rsplit(':');
    let seconds: f64 = parts.next()?.parse().ok()?;
    let minutes: f64 = parts.next().map_or(Ok(0.0), str::parse).ok()?;
    let hours: f64 = parts.next().map_or(Ok(0.0), str::parse).ok()?;
    let all = hours * 3_600.0 + minutes * 60.0 + seconds;
    (all.is_finite() && all >= 0.0).then_some(all)
}

/// Returns the picture of a Base64-encoded FLAC picture block.
pub(super) fn picture(packet: &[u8]) -> Option<Vec<u8>> {
    let mut found = None;
    let _ = each(packet, |name, value| {
        if name == "METADATA_BLOCK_PICTURE" && found.is_none() {
            found = STANDARD.decode(value).ok();
        }
    });
    let block = found?;
    let mut bytes = ByteReader(&block);
    bytes.skip(4)?;
    for _ in 0..2 {
        let length = bytes.u32()?;
        bytes.skip(length as usize)?;
    }
    bytes.skip(16)?;
    let length = bytes.u32()?;
    let picture = bytes.take(length as usize)?;
    (!picture.is_empty() && picture.len() <= 32 << 20).then(|| picture.to_vec())
}
