//! Readers of containers. The first bytes of a file select the reader.

pub mod asf;
pub mod avi;
pub mod flv;
pub mod matroska;
pub mod media;
pub mod mp4;
pub mod mpeg_ps;
pub mod mpeg_ts;
pub mod ogg;
#[cfg(test)]
pub(crate) mod tests;

use std::io::{Read, Seek};

use ledge_core::registry::UNKNOWN_CODEC;
use ledge_formats::{ReadResult, Source};

use crate::reading::codec::{h263, mpeg};
use media::Media;

/// Names of containers without a reader, as in ffprobe, by the first bytes of a file.
const NAMES: &[(&[u8], &str)] = &[
    (b".RMF", "rm"),
    (b".ra\xfd", "rm"),
    (b"\x06\x0e\x2b\x34\x02\x05\x01\x01", "mxf"),
    (b"\x1f\x07\x00", "dv"),
    (b"DKIF", "ivf"),
    (b"YUV4MPEG2", "yuv4mpegpipe"),
    (b"NSVf", "nsv"),
    (b"NSVs", "nsv"),
    (b"nut/multimedia container\0", "nut"),
    (b"NuppelVideo", "nuv"),
    (b"MythTVVideo", "nuv"),
    (b"\xb7\xd8\x00\x20\x37\x49\xda\x11", "wtv"),
    (b"\xff\xd8\xff", "mjpeg"),
];

/// Reads the streams and tags of a file. Returns `None` for formats without a reader in this crate.
pub(crate) fn read<R: Read + Seek>(source: &mut Source<R>) -> ReadResult<Option<Media>> {
    let head = source.read_at(0, 1_024)?;
    let read = match head {
        _ if head.starts_with(matroska::MAGIC) => matroska::read,
        _ if mp4::begins(head) => mp4::read,
        _ if avi::begins(head) => avi::read,
        _ if head.starts_with(asf::MAGIC) => asf::read,
        _ if head.starts_with(flv::MAGIC) => flv::read,
        _ if head.starts_with(ledge_formats::ogg::MAGIC) => ogg::read,
        _ if head.starts_with(mpeg_ps::MAGIC) => mpeg_ps::read,
        _ if head.starts_with(mpeg_ps::SEQUENCE_START) => mpeg_ps::read_video,
        _ if h263::picture(head).is_some() => mpeg_ps::read_h263,
        _ if mpeg::begins_unit(head) => return mpeg_ps::read_units(source),
        _ => match mpeg_ts::shape(head) {
            Some(shape) => return mpeg_ts::read(source, shape).map(Some),
            None => return Ok(None),
        },
    };
    read(source).map(Some)
}

/// Returns the container name for the first bytes of a file, or `unknown`.
pub(crate) fn name(head: &[u8]) -> &'static str {
    let known = NAMES.iter().find(|(magic, _)| head.starts_with(magic));
    known.map_or(UNKNOWN_CODEC, |(_, name)| name)
}
