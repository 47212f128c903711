//! Texts of MP4: their places are listed.

use std::io::{Read, Seek};
use std::time::Instant;

use super::in_time;
use crate::input::{Bytes, Input, ReadResult};
use crate::mp4::{atom, samples_of, tracks};
use crate::subtitles::cue::{self, Cue, MOST};
use crate::subtitles::{markup, vtt};

/// Longest text, in bytes.
const LONGEST: u32 = 64 << 10;

pub(super) fn cues<R: Read + Seek>(
    input: &mut Input<R>,
    place: usize,
    deadline: Instant,
) -> ReadResult<Option<Vec<Cue>>> {
    let tracks = tracks(input)?;
    let Some(track) = tracks.get(place) else {
        return Ok(None);
    };
    let is_web = match track.track.codec.as_deref() {
        Some("webvtt") => true,
        Some("mov_text") => false,
        _ => return Ok(None),
    };
    let mut cues = Vec::new();
    let mut length = 0;
    for sample in samples_of(input, track, MOST)? {
        in_time(deadline)?;
        let bytes = input.at(sample.offset, sample.length.min(LONGEST) as usize)?;
        let (start, end) = (milliseconds(sample.start), milliseconds(sample.end));
        let found = if is_web {
            web(bytes, start, end)
        } else {
            Vec::from_iter(Cue::new(start, end, plain(bytes).unwrap_or_default()))
        };
        length += found.iter().map(|cue| cue.text.len()).sum::<usize>();
        cues.extend(found);
        // All samples may lie in one place: what is written is enough.
        if length > cue::LONGEST {
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

/// A length and the text; styles may follow. UTF-16 bears a mark.
fn plain(bytes: &[u8]) -> Option<String> {
    let mut bytes = Bytes(bytes);
    let length = bytes.u16()?;
    let content = bytes.take(usize::from(length).min(bytes.0.len()))?;
    let text = crate::subtitles::charset::decode(content, None);
    Some(markup::html(&text))
}

/// Boxes of a sample of WebVTT: ISO/IEC 14496-30, 7.5. Several may be shown at once.
fn web(bytes: &[u8], start: u64, end: u64) -> Vec<Cue> {
    let texts = atom::in_memory(bytes).filter(|(kind, _)| kind == b"vttc");
    texts
        .filter_map(|(_, content)| {
            let (mut text, mut place) = (String::new(), String::new());
            for (kind, content) in atom::in_memory(content) {
                let content = String::from_utf8_lossy(content);
                match &kind {
                    b"payl" => text = vtt::sample(&content),
                    b"sttg" => place = vtt::place(&content),
                    _ => {}
                }
            }
            Cue::new(start, end, text).map(|cue| Cue { place, ..cue })
        })
        .collect()
}
