//! Matroska and WebM files without video: metadata elements only, no clusters.

mod walk;

use std::io::{Read, Seek};

use ledge_core::registry::reading::{Chapter, Stream, StreamKind};
use ledge_core::text::language;
use ledge_formats::{ReadResult, Source, damaged};

use super::mp4::boxes::Bounds;
use super::{Recording, Sound, bitrate, seconds};
use crate::tags::{Key, MAX_CHAPTERS, MAX_PICTURE_SIZE, TagSelection};
use crate::text;
use walk::Walk;

const DOC_TYPE: u32 = 0x4282;
const SEGMENT: u32 = 0x1853_8067;
const SEEK_HEAD: u32 = 0x114d_9b74;
const SEEK: u32 = 0x4dbb;
const INFO: u32 = 0x1549_a966;
const TRACKS: u32 = 0x1654_ae6b;
const CHAPTERS: u32 = 0x1043_a770;
const TAGS: u32 = 0x1254_c367;
const ATTACHMENTS: u32 = 0x1941_a469;
const CLUSTER: u32 = 0x1f43_b675;

/// Reads a Matroska file.
pub(super) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    selection: TagSelection,
) -> ReadResult<Recording> {
    let mut walk = Walk {
        source,
        selection,
        seen: 0,
        scale: 1_000_000,
        length: None,
        recording: Recording {
            container: Some("matroska"),
            ..Recording::default()
        },
        later_elements: Vec::new(),
    };
    walk.file()?;
    let mut recording = walk.recording;
    #[expect(clippy::cast_precision_loss, reason = "a scale is a round number")]
    let length = walk.length.map(|length| length * walk.scale as f64 / 1e9);
    recording.duration = length.filter(|length| (0.0..1e9).contains(length));
    if let Some(sound) = &mut recording.sound {
        sound.bitrate = bitrate(source.size(), recording.duration);
    }
    Ok(recording)
}

impl<R: Read + Seek> Walk<'_, R> {
    fn file(&mut self) -> ReadResult<()> {
        let whole = Bounds {
            from: 0,
            to: self.source.size(),
        };
        let Some((_, head)) = self.element(0, whole.to)? else {
            return Err(damaged("has a broken header"));
        };
        self.each(head, |walk, id, inside| {
            if id == DOC_TYPE && inside.bytes(walk.source, 8)?.starts_with(b"webm") {
                walk.recording.container = Some("webm");
            }
            Ok(true)
        })?;
        let Some((SEGMENT, segment)) = self.element(head.to, whole.to)? else {
            return Err(damaged("has no segment"));
        };
        let mut is_over = false;
        self.each(segment, |walk, id, inside| {
            is_over = id == CLUSTER;
            if !is_over {
                walk.top_level(segment, id, inside)?;
                walk.later_elements.retain(|(known, _)| *known != id);
            }
            Ok(!is_over)
        })?;
        for (id, offset) in std::mem::take(&mut self.later_elements) {
            let at = segment.from.saturating_add(offset);
            if let Some((found, inside)) = self.element(at, segment.to)?
                && found == id
            {
                self.top_level(segment, id, inside)?;
            }
        }
        Ok(())
    }

    /// Reads an element directly below the segment.
    fn top_level(&mut self, segment: Bounds, id: u32, inside: Bounds) -> ReadResult<()> {
        let wants_texts = self.selection != TagSelection::Picture;
        match id {
            SEEK_HEAD => self.each(inside, Self::seek_entry),
            INFO => self.each(inside, Self::info),
            TRACKS if wants_texts => self.each(inside, |walk, id, inside| {
                if id == 0xae {
                    walk.track(inside)?;
                }
                Ok(true)
            }),
            CHAPTERS if wants_texts => self.chapters(inside, segment),
            TAGS if wants_texts => self.tags(inside, 0),
            ATTACHMENTS if self.selection == TagSelection::Picture => {
                self.each(inside, |walk, id, inside| {
                    if id == 0x61a7 {
                        walk.attachment(inside)?;
                    }
                    Ok(true)
                })
            }
            _ => Ok(()),
        }
    }

    fn seek_entry(&mut self, id: u32, inside: Bounds) -> ReadResult<bool> {
        if id == SEEK {
            let (mut target, mut offset) = (0, None);
            self.each(inside, |walk, id, inside| {
                match id {
                    0x53ab => target = walk.unsigned(inside)?,
                    0x53ac => offset = Some(walk.unsigned(inside)?),
                    _ => {}
                }
                Ok(true)
            })?;
            let target = u32::try_from(target).unwrap_or(0);
            let is_wanted = matches!(target, TAGS | CHAPTERS | ATTACHMENTS | INFO | TRACKS);
            if let Some(offset) = offset.filter(|_| is_wanted && self.later_elements.len() < 16) {
                self.later_elements.push((target, offset));
            }
        }
        Ok(true)
    }

    fn info(&mut self, id: u32, inside: Bounds) -> ReadResult<bool> {
        match id {
            0x002a_d7b1 => self.scale = self.unsigned(inside)?.max(1),
            0x4489 => self.length = self.float(inside)?,
            0x7ba9 if self.selection != TagSelection::Picture => {
                let title = self.text(inside)?;
                self.recording.tags.add(Key::Title, &title);
            }
            _ => {}
        }
        Ok(true)
    }

    fn track(&mut self, inside: Bounds) -> ReadResult<()> {
        let (mut kind, mut codec) = (0, String::new());
        let (mut older, mut newer) = (None, None);
        let mut sound = Sound::default();
        self.each(inside, |walk, id, inside| {
            match id {
                0x83 => kind = walk.unsigned(inside)?,
                0x86 => codec = walk.text(inside)?,
                0x0022_b59c => older = text::line(&walk.text(inside)?),
                0x0022_b59d => newer = text::line(&walk.text(inside)?),
                0xe1 => walk.each(inside, |walk, id, inside| {
                    match id {
                        0xb5 => sound.sample_rate = walk.float(inside)?.and_then(rate),
                        0x9f => sound.channels = u32::try_from(walk.unsigned(inside)?).ok(),
                        0x6264 => sound.bits = u32::try_from(walk.unsigned(inside)?).ok(),
                        _ => {}
                    }
                    Ok(true)
                })?,
                _ => {}
            }
            Ok(true)
        })?;
        codec_of(&codec).clone_into(&mut sound.codec);
        let kind = match kind {
            1 => StreamKind::Video,
            2 => StreamKind::Audio,
            17 => StreamKind::Subtitle,
            _ => return Ok(()),
        };
        self.recording.streams.push(Stream {
            kind,
            codec: Some(sound.codec.clone()).filter(|codec| codec != "unknown"),
            language: newer.or(older).as_deref().and_then(language::tag),
            default: self.recording.streams.is_empty(),
            ..Stream::default()
        });
        match kind {
            StreamKind::Audio if self.recording.sound.is_none() => {
                // Defaults of the specification: one channel at 8 kHz.
                sound.sample_rate = sound.sample_rate.or(Some(8_000));
                sound.channels = sound.channels.or(Some(1));
                self.recording.sound = Some(sound);
            }
            StreamKind::Video if self.recording.vcodec.is_none() => {
                self.recording.vcodec = Some(sound.codec);
            }
            _ => {}
        }
        Ok(())
    }

    /// Reads the chapters of the first edition.
    fn chapters(&mut self, inside: Bounds, segment: Bounds) -> ReadResult<()> {
        if let Some((0x45b9, edition)) = self.element(inside.from, segment.to)? {
            self.each(edition, |walk, id, inside| {
                if id == 0xb6 && walk.recording.chapters.len() < MAX_CHAPTERS {
                    walk.chapter(inside)?;
                }
                Ok(true)
            })?;
        }
        Ok(())
    }

    fn chapter(&mut self, inside: Bounds) -> ReadResult<()> {
        let mut start = 0;
        let mut title: Option<String> = None;
        self.each(inside, |walk, id, inside| {
            match id {
                0x91 => start = walk.unsigned(inside)?,
                0x80 if title.is_none() => walk.each(inside, |walk, id, inside| {
                    if id == 0x85 {
                        title = text::line(&walk.text(inside)?);
                    }
                    Ok(true)
                })?,
                _ => {}
            }
            Ok(true)
        })?;
        self.recording.chapters.push(Chapter {
            title: title.unwrap_or_default(),
            start: seconds(start, 1_000_000_000).unwrap_or_default(),
        });
        Ok(())
    }

    /// Reads tags recursively; a tag may contain tags.
    fn tags(&mut self, inside: Bounds, depth: u8) -> ReadResult<()> {
        let (mut name, mut value) = (String::new(), String::new());
        self.each(inside, |walk, id, inside| {
            match id {
                0x7373 | 0x67c8 if depth < 4 => walk.tags(inside, depth + 1)?,
                0x45a3 => name = walk.text(inside)?,
                0x4487 => value = walk.text(inside)?,
                _ => {}
            }
            Ok(true)
        })?;
        let key = match name.to_uppercase().as_str() {
            "PART_NUMBER" => Some(Key::Track),
            "DATE_RELEASED" | "DATE_RECORDED" => Some(Key::Date),
            other => Key::named(other),
        };
        match key {
            Some(Key::Lyrics) if self.selection != TagSelection::Lyrics => {}
            Some(key) => self.recording.tags.add(key, &value),
            None => {}
        }
        Ok(())
    }

    fn attachment(&mut self, inside: Bounds) -> ReadResult<()> {
        let (mut name, mut kind, mut data) = (String::new(), String::new(), None);
        self.each(inside, |walk, id, inside| {
            match id {
                0x466e => name = walk.text(inside)?.to_lowercase(),
                0x4660 => kind = walk.text(inside)?,
                0x465c => data = Some(inside),
                _ => {}
            }
            Ok(true)
        })?;
        let is_front = name.starts_with("cover.");
        if let Some(data) = data.filter(|data| data.len() <= MAX_PICTURE_SIZE as u64)
            && kind.starts_with("image/")
            && self.recording.tags.wants_picture(is_front)
        {
            let bytes = data.bytes(self.source, MAX_PICTURE_SIZE)?.to_vec();
            self.recording.tags.add_picture(is_front, bytes);
        }
        Ok(())
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be a sensible number"
)]
fn rate(rate: f64) -> Option<u32> {
    (1.0..1e8).contains(&rate).then_some(rate as u32)
}

fn codec_of(id: &str) -> &'static str {
    match id {
        "A_OPUS" => "opus",
        "A_VORBIS" => "vorbis",
        "A_FLAC" => "flac",
        "A_ALAC" => "alac",
        "A_MPEG/L3" => "mp3",
        "A_MPEG/L2" => "mp2",
        "A_MPEG/L1" => "mp1",
        "A_AC3" => "ac3",
        "A_EAC3" => "eac3",
        "A_TRUEHD" => "truehd",
        "A_MLP" => "mlp",
        "A_TTA1" => "tta",
        "A_WAVPACK4" => "wavpack",
        "A_PCM/INT/LIT" => "pcm_s16le",
        "A_PCM/INT/BIG" => "pcm_s16be",
        "A_PCM/FLOAT/IEEE" => "pcm_f32le",
        "V_VP8" => "vp8",
        "V_VP9" => "vp9",
        "V_AV1" => "av1",
        "V_MPEG4/ISO/AVC" => "h264",
        "V_MPEGH/ISO/HEVC" => "hevc",
        "S_TEXT/UTF8" => "subrip",
        "S_TEXT/ASS" => "ass",
        id if id.starts_with("A_AAC") => "aac",
        id if id.starts_with("A_DTS") => "dts",
        _ => "unknown",
    }
}
