//! UNIF files of the NES: a list of chunks with name and length.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source};

use super::Header;
use crate::reading::text;

/// Most chunks that are read.
const MOST_CHUNKS: usize = 64;
/// Bytes that are read of a chunk.
const LONGEST: usize = 256;
const START: u64 = 32;

/// Reads the board, the title and other facts from the chunks.
pub fn read<R: Read + Seek>(file: &mut Source<R>) -> ReadResult<Header> {
    let mut header = Header::default();
    header.put("header_format", "UNIF");
    let mut at = START;
    for _ in 0..MOST_CHUNKS {
        let head = file.read_vec_at(at, 8)?;
        let (Some(name), Some(length)) = (head.array_at::<4>(0), head.le32(4)) else {
            break;
        };
        let content = |file: &mut Source<R>| {
            let length = usize::try_from(length).unwrap_or(LONGEST).min(LONGEST);
            file.read_vec_at(at + 8, length)
        };
        match &name {
            b"MAPR" => header.put_some("board", text::ascii(&content(file)?)),
            b"NAME" => header.title = text::ascii(&content(file)?),
            b"TVCI" => {
                let system = match content(file)?.first() {
                    Some(0) => Some("NTSC"),
                    Some(1) => Some("PAL"),
                    Some(2) => Some("NTSC, PAL"),
                    _ => None,
                };
                header.put_some("tv_system", system);
            }
            b"BATR" => header.put("battery", true),
            _ => {}
        }
        at = at.saturating_add(8).saturating_add(length.into());
    }
    Ok(header)
}
