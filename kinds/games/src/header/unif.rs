//! UNIF files of the NES: chunks with a name and a length each.

use std::io::{Read, Seek};

use super::Header;
use crate::text;
use crate::windows::{ReadResult, Windows, array, le32};

/// Most chunks that are looked at.
const MOST_CHUNKS: usize = 64;
/// What is read of a chunk.
const LONGEST: usize = 256;
const START: u64 = 32;

/// The board, the title and the rest of what the chunks say.
pub fn read<R: Read + Seek>(file: &mut Windows<R>) -> ReadResult<Header> {
    let mut header = Header::default();
    header.put("header_format", "UNIF");
    let mut at = START;
    for _ in 0..MOST_CHUNKS {
        let head = file.read(at, 8)?;
        let (Some(name), Some(length)) = (array::<4>(&head, 0), le32(&head, 4)) else {
            break;
        };
        let content = |file: &mut Windows<R>| {
            let length = usize::try_from(length).unwrap_or(LONGEST).min(LONGEST);
            file.read(at + 8, length)
        };
        match &name {
            b"MAPR" => header.put_known("board", text::ascii(&content(file)?)),
            b"NAME" => header.title = text::ascii(&content(file)?),
            b"TVCI" => {
                let system = match content(file)?.first() {
                    Some(0) => Some("NTSC"),
                    Some(1) => Some("PAL"),
                    Some(2) => Some("NTSC, PAL"),
                    _ => None,
                };
                header.put_known("tv_system", system);
            }
            b"BATR" => header.put("battery", true),
            _ => {}
        }
        at = at.saturating_add(8).saturating_add(length.into());
    }
    Ok(header)
}
