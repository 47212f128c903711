//! Extraction of text tracks from MP4 files by their sample tables.

use std::io::{Read, Seek};
use std::time::Instant;

use ledge_formats::bmff;
use ledge_formats::bytes::ByteReader;
use ledge_formats::{ReadResult, Source};

use super::check_deadline;
use crate::container::mp4::{samples_of, tracks};
use crate::subtitles::cue::{self, Cue, MAX_COUNT};
use crate::subtitles::{markup, vtt};

/// Maximum length of a text, in bytes.
const MAX_SIZE: u32 = 64 << 10;

pub(super) fn cues<R: Read + Seek>(
    source: &mut Source<R>,
    index: usize,
    deadline: Instant,
) -> ReadResult<Option<Vec<Cue>>> {
    let tracks = tracks(source)?;
    let Some(track) = tracks.get(index) else {
        return Ok(None);
    };
    let is_webvtt = match track.track.codec {
        Some("webvtt") => true,
        Some("mov_text") => false,
        _ => return Ok(None),
    };
    let mut cues = Vec::new();
    let mut length = 0;
    for sample in samples_of(source, track, MAX_COUNT)? {
        check_deadline(deadline)?;
        let bytes = source.read_at(sample.offset, sample.length.min(MAX_SIZE) as usize)?;
        let (start, end) = (milliseconds(sample.start), milliseconds(sample.end));
        let found = if is_webvtt {
            webvtt_cues(bytes, start, end)
        } else {
            Vec::from_iter(Cue::new(start, end, text_of(bytes).unwrap_or_default()))
        };
        length += found.iter().map(|cue| cue.text.len()).sum::<usize>();
        cues.extend(found);
        // The output limit is needed because hostile samples may all have the same offset.
        if length > cue::MAX_SIZE {
            break;
        }
    }
    Ok(Some(cues))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates"
)]
fn milliseconds(seconds: f64) -> u64 {
    (seconds * 1e3).round() as u64
}

/// Decodes a length-prefixed text and ignores the styles after it. UTF-16 has a byte order mark.
fn text_of(bytes: &[u8]) -> Option<String> {
    let mut bytes = ByteReader(bytes);
    let length = bytes.u16()?;
    let content = bytes.take(usize::from(length).min(bytes.0.len()))?;
    let text = crate::subtitles::charset::decode(content, None);
    Some(markup::html(&text))
}

/// Parses the boxes of a WebVTT sample (ISO/IEC 14496-30, 7.5). A sample may contain several cues.
fn webvtt_cues(bytes: &[u8], start: u64, end: u64) -> Vec<Cue> {
    let texts = bmff::in_memory(bytes).filter(|(kind, _)| kind == b"vttc");
    texts
        .filter_map(|(_, content)| {
            let (mut text, mut settings) = (String::new(), String::new());
            for (kind, content) in bmff::in_memory(content) {
                let content = String::from_utf8_lossy(content);
                match &kind {
                    b"payl" => text = vtt::sample(&content),
                    b"sttg" => settings = vtt::settings(&content),
                    _ => {}
                }
            }
            Cue::new(start, end, text).map(|cue| Cue { settings, ..cue })
        })
        .collect()
}
