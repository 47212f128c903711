//! ID3 tags: version 1 at the end of a file, version 2 at its start or in a chunk.
//!
//! Frames are read one by one. Unused frames are skipped, and so are pictures during a scan.

mod frames;
mod text;

use std::io::{Read, Seek};

use ledge_core::registry::reading::Chapter;
use ledge_formats::{ReadResult, Source, limit};

use super::{Key, MAX_CHAPTERS, MAX_PICTURE_SIZE, TagSelection, Tags, genre};
use frames::Frame;

/// Size of a version 2 header, in bytes.
const HEADER: u64 = 10;
/// Size of a version 1 tag, in bytes.
pub(crate) const V1_SIZE: u64 = 128;
/// Maximum number of frames that are read.
const MAX_FRAMES: usize = 20_000;
/// Maximum length of a text frame, in bytes.
const MAX_TEXT_SIZE: usize = 1 << 20;
/// Maximum size of a fully unsynchronised tag, in bytes. Such a tag is read as a whole.
const MAX_UNSYNC_SIZE: usize = 4 << 20;

/// Owner of the file identifiers that are ids of recordings at MusicBrainz.
const MUSICBRAINZ_OWNER: &[u8] = b"http://musicbrainz.org";

/// Position and properties of a version 2 tag.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Header {
    /// Minor version: 2, 3 or 4.
    pub(crate) version: u8,
    flags: u8,
    /// Offset of the first frame.
    body: u64,
    /// Offset after the last frame.
    end: u64,
    /// Offset after the tag and its footer.
    pub(crate) next: u64,
}

impl Header {
    /// Parses the tag header at this offset. Returns `None` if there is no tag.
    pub(crate) fn at<R: Read + Seek>(source: &mut Source<R>, at: u64) -> ReadResult<Option<Self>> {
        let bytes = source.read_at(at, 10)?;
        let &[b'I', b'D', b'3', version @ 2..=4, _, flags, a, b, c, d] = bytes else {
            return Ok(None);
        };
        let size = u64::from(synchsafe([a, b, c, d]));
        let footer = if version == 4 && flags & 0x10 != 0 {
            HEADER
        } else {
            0
        };
        let body = at + HEADER;
        Ok(Some(Self {
            version,
            flags,
            body,
            end: body.saturating_add(size).min(source.size()),
            next: body.saturating_add(size).saturating_add(footer),
        }))
    }

    fn is_unsynchronised(self) -> bool {
        self.flags & 0x80 != 0
    }

    fn is_extended(self) -> bool {
        self.version > 2 && self.flags & 0x40 != 0
    }
}

/// Reads a version 2 tag.
pub(crate) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    header: Header,
    selection: TagSelection,
) -> ReadResult<Tags> {
    let mut tags = Tags::default();
    if header.version < 4 && header.is_unsynchronised() {
        let most = if selection == TagSelection::Picture {
            MAX_PICTURE_SIZE
        } else {
            MAX_UNSYNC_SIZE
        };
        let len = usize::try_from(header.end - header.body)
            .unwrap_or(usize::MAX)
            .min(most);
        let plain = frames::synchronised(source.read_at(header.body, len)?);
        let end = u64::try_from(plain.len()).unwrap_or(u64::MAX);
        let mut inner = Source::new(std::io::Cursor::new(plain), source.limits())?;
        let header = Header {
            body: 0,
            end,
            ..header
        };
        read_frames(&mut inner, header, selection, &mut tags)?;
    } else {
        read_frames(source, header, selection, &mut tags)?;
    }
    Ok(tags)
}

fn read_frames<R: Read + Seek>(
    source: &mut Source<R>,
    header: Header,
    selection: TagSelection,
    tags: &mut Tags,
) -> ReadResult<()> {
    let mut at = header.body;
    if header.is_extended() {
        at += frames::extended_header(source, header.version, at)?;
    }
    for _ in 0..MAX_FRAMES {
        let Some(frame) = Frame::at(source, header.version, at, header.end)? else {
            return Ok(());
        };
        at = frame.end();
        if frame.end() > header.end {
            // The frame is truncated by the end of the tag.
            return Ok(());
        }
        if wanted(&frame, selection) {
            if frame.len()
                > if selection == TagSelection::Picture {
                    MAX_PICTURE_SIZE
                } else {
                    MAX_TEXT_SIZE
                }
            {
                continue;
            }
            let is_unsynchronised = header.version == 4 && header.is_unsynchronised();
            if let Some(body) = frame.body(source, is_unsynchronised)? {
                read_frame(tags, header.version, frame.id(), &body, selection);
            }
        }
    }
    Err(limit("the ID3 tag has too many frames"))
}

fn wanted(frame: &Frame, selection: TagSelection) -> bool {
    match frame.id() {
        b"APIC" | b"PIC" => selection == TagSelection::Picture,
        _ if selection == TagSelection::Picture => false,
        b"USLT" | b"ULT" | b"SYLT" | b"SLT" => selection == TagSelection::Lyrics,
        b"CHAP" | b"COMM" | b"COM" | b"MVNM" | b"MVIN" | b"GRP1" | b"UFID" | b"UFI" => true,
        id => id.first() == Some(&b'T'),
    }
}

/// Returns the key of a text frame.
fn key_of(id: &[u8]) -> Option<Key> {
    Some(match id {
        b"TIT2" | b"TT2" => Key::Title,
        b"TIT3" | b"TT3" => Key::Subtitle,
        b"TALB" | b"TAL" => Key::Album,
        b"TPE1" | b"TP1" => Key::Artist,
        b"TPE2" | b"TP2" => Key::AlbumArtist,
        b"TPE3" | b"TP3" => Key::Conductor,
        b"TCOM" | b"TCM" => Key::Composer,
        b"TEXT" | b"TXT" => Key::Lyricist,
        b"TRCK" | b"TRK" => Key::Track,
        b"TPOS" | b"TPA" => Key::Disc,
        b"TDRC" | b"TYER" | b"TYE" | b"TDRL" => Key::Date,
        b"TDOR" | b"TORY" | b"TOR" => Key::OriginalDate,
        b"TCON" | b"TCO" => Key::Genre,
        b"TPUB" | b"TPB" => Key::Publisher,
        b"TLAN" | b"TLA" => Key::Language,
        b"TIT1" | b"TT1" | b"GRP1" | b"GP1" => Key::Grouping,
        b"MVNM" => Key::Movement,
        b"MVIN" => Key::MovementNumber,
        b"TCMP" | b"TCP" => Key::Compilation,
        b"TBPM" | b"TBP" => Key::Bpm,
        b"TCOP" | b"TCR" => Key::Copyright,
        b"TDES" => Key::Description,
        _ => return None,
    })
}

fn read_frame(tags: &mut Tags, version: u8, id: &[u8], body: &[u8], selection: TagSelection) {
    match id {
        b"APIC" | b"PIC" => {
            if let Some((is_front, bytes)) = text::picture(version, body) {
                tags.add_picture(is_front, bytes.to_vec());
            }
        }
        b"TXXX" | b"TXX" => {
            if let Some((name, values)) = text::described(body)
                && let Some(key) = Key::named(&name).filter(|key| selection.includes(*key))
            {
                for value in values {
                    tags.add(key, &value);
                }
            }
        }
        b"COMM" | b"COM" => comment(tags, body),
        b"UFID" | b"UFI" => {
            if let Some(id) = text::file_identifier(body, MUSICBRAINZ_OWNER) {
                tags.add(Key::MusicBrainzRecording, &id);
            }
        }
        b"USLT" | b"ULT" => {
            if let Some((_, words)) = text::in_language(body) {
                tags.add(Key::Lyrics, &words);
            }
        }
        b"SYLT" | b"SLT" => {
            if tags.synced_lyrics.is_none() {
                tags.synced_lyrics = text::timed(body);
            }
        }
        b"CHAP" => {
            if selection != TagSelection::Picture && tags.chapters.len() < MAX_CHAPTERS {
                tags.chapters.extend(chapter(version, body));
            }
        }
        _ => {
            let Some(key) = key_of(id) else {
                return;
            };
            for value in text::values(body) {
                if key == Key::Genre {
                    for genre in genre::in_frame(&value) {
                        tags.add(key, &genre);
                    }
                } else {
                    tags.add(key, &value);
                }
            }
        }
    }
}

/// Reads a comment frame. iTunes stores technical values as comments.
fn comment(tags: &mut Tags, body: &[u8]) {
    let Some((description, comment)) = text::in_language(body) else {
        return;
    };
    match Key::named(&description) {
        Some(key @ (Key::SoundCheck | Key::Gapless)) => tags.add(key, &comment),
        _ if description.starts_with("iTun") || description.starts_with("ID3v1") => {}
        _ => tags.add(Key::Comment, &comment),
    }
}

/// Reads a chapter frame: its start, and its title from a nested frame.
fn chapter(version: u8, body: &[u8]) -> Option<Chapter> {
    use ledge_formats::bytes::BytesAt;
    let name_end = body.iter().position(|byte| *byte == 0)? + 1;
    let start = body.be32(name_end)?;
    let frames = body.get(name_end.checked_add(16)?..)?;
    let mut at = 0;
    let mut title = None;
    // Nested frames are few: a title, a URL, a picture.
    for _ in 0..16 {
        let Some((id, inner, end)) = frames::inner(version, frames, at) else {
            break;
        };
        if id == b"TIT2" {
            title = text::values(inner).into_iter().next();
            break;
        }
        at = end;
    }
    Some(Chapter {
        title: title
            .and_then(|title| crate::text::line(&title))
            .unwrap_or_default(),
        start: f64::from(start) / 1000.0,
    })
}

/// Reads a version 1 tag that ends at `end`.
pub(crate) fn read_v1<R: Read + Seek>(
    source: &mut Source<R>,
    end: u64,
) -> ReadResult<Option<Tags>> {
    let Some(at) = end.checked_sub(V1_SIZE) else {
        return Ok(None);
    };
    let bytes: [u8; 128] = source.read_array(at)?;
    let Some(fields) = bytes.strip_prefix(b"TAG") else {
        return Ok(None);
    };
    let mut tags = Tags::default();
    let field = |from: usize, len: usize| {
        let bytes = fields.get(from..from + len).unwrap_or_default();
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(len);
        crate::text::latin1(bytes.get(..end).unwrap_or_default())
    };
    tags.add(Key::Title, &field(0, 30));
    tags.add(Key::Artist, &field(30, 30));
    tags.add(Key::Album, &field(60, 30));
    tags.add(Key::Date, &field(90, 4));
    if let Some(&[0, track]) = fields.get(122..124)
        && track > 0
    {
        tags.add(Key::Track, &track.to_string());
        tags.add(Key::Comment, &field(94, 28));
    } else {
        tags.add(Key::Comment, &field(94, 30));
    }
    let number = fields.get(124).copied().map_or(usize::MAX, usize::from);
    if let Some(genre) = genre::numbered(number) {
        tags.add(Key::Genre, genre);
    }
    Ok(Some(tags))
}

/// Decodes a synchsafe integer, which has seven bits per byte.
fn synchsafe(bytes: [u8; 4]) -> u32 {
    bytes
        .iter()
        .fold(0, |sum, byte| sum << 7 | u32::from(byte & 0x7f))
}
