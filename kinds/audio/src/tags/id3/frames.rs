//! Frames of an ID3v2 tag: position, size and decoding of their content.

use std::io::{Read, Seek};

use flate2::read::ZlibDecoder;
use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source};

use super::synchsafe;

/// Maximum size of a decompressed frame, in bytes.
const MAX_UNPACKED: u64 = 4 << 20;

/// Frame header of an ID3v2 tag.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    id: [u8; 4],
    version: u8,
    flags: u16,
    body: u64,
    size: u32,
}

impl Frame {
    /// Parses the frame at offset `at`. Returns `None` at the padding and at the end of the tag.
    pub(super) fn at<R: Read + Seek>(
        source: &mut Source<R>,
        version: u8,
        at: u64,
        end: u64,
    ) -> ReadResult<Option<Self>> {
        let header = header_size(version);
        if at + header > end {
            return Ok(None);
        }
        let bytes = source.read_at(at, 10)?;
        let Some(mut frame) = Self::read(version, bytes, at + header) else {
            return Ok(None);
        };
        // Some writers store plain integers instead of synchsafe ones. The correct size is the one
        // that leads to another frame.
        if version == 4 && frame.size > 0x7f {
            let plain = bytes.be32(4).unwrap_or(0);
            if plain != frame.size
                && !is_followed(source, frame.end(), end)?
                && is_followed(source, frame.body.saturating_add(plain.into()), end)?
            {
                frame.size = plain;
            }
        }
        Ok(Some(frame))
    }

    fn read(version: u8, bytes: &[u8], body: u64) -> Option<Self> {
        if version == 2 {
            let name: [u8; 3] = bytes.array_at(0)?;
            let [x, y, z] = is_name(&name).then_some(name)?;
            // The size has three bytes and follows the three-letter name.
            let size = bytes.be32(2)? & 0x00ff_ffff;
            return Some(Self {
                id: [x, y, z, 0],
                version,
                flags: 0,
                body,
                size,
            });
        }
        let id: [u8; 4] = bytes.array_at(0)?;
        // Some writers keep version 2.2 names in version 2.3 tags.
        let is_old = id.last() == Some(&0) && is_name(id.get(..3)?);
        if !is_name(&id) && !is_old {
            return None;
        }
        let size: [u8; 4] = bytes.array_at(4)?;
        Some(Self {
            id,
            version,
            flags: bytes.be16(8)?,
            body,
            size: if version == 4 {
                synchsafe(size)
            } else {
                u32::from_be_bytes(size)
            },
        })
    }

    pub(super) fn id(&self) -> &[u8] {
        let end = if self.id.ends_with(&[0]) { 3 } else { 4 };
        self.id.get(..end).unwrap_or_default()
    }

    pub(super) fn len(&self) -> usize {
        usize::try_from(self.size).unwrap_or(usize::MAX)
    }

    pub(super) fn end(&self) -> u64 {
        self.body.saturating_add(self.size.into())
    }

    /// Returns the decoded content. Returns `None` if it is encrypted or damaged.
    pub(super) fn body<R: Read + Seek>(
        &self,
        source: &mut Source<R>,
        is_unsynchronised: bool,
    ) -> ReadResult<Option<Vec<u8>>> {
        let bytes = source.read_at(self.body, self.len())?.to_vec();
        let flag = |bit: u16| self.flags & bit != 0;
        let byte = |is_there: bool, size: usize| if is_there { size } else { 0 };
        let wrapping = match self.version {
            3 => FrameEncoding {
                is_packed: flag(0x80),
                is_encrypted: flag(0x40),
                before: byte(flag(0x80), 4) + byte(flag(0x20), 1),
                is_unsynchronised: false,
            },
            4 => FrameEncoding {
                is_packed: flag(0x08),
                is_encrypted: flag(0x04),
                before: byte(flag(0x40), 1) + byte(flag(0x01), 4),
                is_unsynchronised: is_unsynchronised || flag(0x02),
            },
            _ => return Ok(Some(bytes)),
        };
        Ok(wrapping.decoded(bytes))
    }
}

/// Encodings applied to the content of a frame.
struct FrameEncoding {
    is_packed: bool,
    is_encrypted: bool,
    is_unsynchronised: bool,
    /// Bytes before the content.
    before: usize,
}

impl FrameEncoding {
    fn decoded(&self, mut bytes: Vec<u8>) -> Option<Vec<u8>> {
        if self.is_encrypted {
            return None;
        }
        if self.before > 0 {
            bytes.drain(..self.before.min(bytes.len()));
        }
        if self.is_unsynchronised {
            bytes = synchronised(&bytes);
        }
        if self.is_packed {
            let mut out = Vec::new();
            let mut unpacked = ZlibDecoder::new(bytes.as_slice()).take(MAX_UNPACKED);
            unpacked.read_to_end(&mut out).ok()?;
            return Some(out);
        }
        Some(bytes)
    }
}

/// Parses a frame in a slice. Returns its name, its content and the offset of the next frame.
pub(super) fn inner(version: u8, frames: &[u8], at: usize) -> Option<(&[u8], &[u8], usize)> {
    let id = frames.get(at..at.checked_add(4)?)?;
    if !is_name(id) {
        return None;
    }
    let size: [u8; 4] = frames.array_at(at + 4)?;
    let size = if version == 4 {
        synchsafe(size)
    } else {
        u32::from_be_bytes(size)
    };
    let start = at.checked_add(10)?;
    let end = start.checked_add(usize::try_from(size).ok()?)?;
    Some((id, frames.get(start..end)?, end))
}

fn header_size(version: u8) -> u64 {
    if version == 2 { 6 } else { 10 }
}

/// Returns `true` if a frame, padding or the end of the tag follows at `at`.
fn is_followed<R: Read + Seek>(source: &mut Source<R>, at: u64, end: u64) -> ReadResult<bool> {
    if at >= end {
        return Ok(at == end);
    }
    let name = source.read_at(at, 4)?;
    Ok(is_name(name) || name.iter().all(|byte| *byte == 0))
}

fn is_name(id: &[u8]) -> bool {
    !id.is_empty()
        && id
            .iter()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

/// Returns the total size of the extended header.
pub(super) fn extended_header<R: Read + Seek>(
    source: &mut Source<R>,
    version: u8,
    at: u64,
) -> ReadResult<u64> {
    let size: [u8; 4] = source.read_array(at)?;
    Ok(if version == 4 {
        synchsafe(size).into()
    } else {
        u64::from(u32::from_be_bytes(size)) + 4
    })
}

/// Reverses unsynchronisation: removes the zero byte after every `FF`.
pub(super) fn synchronised(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut was_full = false;
    for byte in bytes {
        if !(was_full && *byte == 0) {
            out.push(*byte);
        }
        was_full = *byte == 0xff;
    }
    out
}
