//! RAR archives of every version, with a password for none.

use std::io::{self, Read, Seek, Write};
use std::sync::{Arc, Mutex, PoisonError};

use rars::{ArchiveReadOptions, ErrorKind, ExtractionDecision};

use super::{Allowance, MOST_MEMBERS, Member, ReadResult, damaged, limit, missing};

/// Most bytes of headers, largest dictionary, and most memory for unpacking.
const MOST_HEADER_BYTES: u64 = 32 << 20;
const LARGEST_DICTIONARY: u64 = 64 << 20;
const LARGEST_WORKSPACE: u64 = 160 << 20;

/// An opened archive.
#[derive(Debug)]
pub struct Rar {
    archive: rars::Archive,
    /// Places of the files, without folders and links, among the archive's members.
    files: Vec<usize>,
}

impl Rar {
    /// Reads an archive's headers.
    pub fn open(reader: impl Read + Seek + Send + 'static) -> ReadResult<Self> {
        let options = ArchiveReadOptions::new()
            .with_max_header_count(MOST_MEMBERS as u64)
            .with_max_header_bytes(MOST_HEADER_BYTES);
        let archive = rars::ArchiveReader::read_reader_with_options(reader, options)
            .map_err(|error| told(&error))?;
        let members = archive.members().enumerate();
        let files = members
            .filter(|(_, member)| !member.meta.is_directory && !member.meta.is_redirection)
            .map(|(at, _)| at)
            .collect();
        Ok(Self { archive, files })
    }

    /// The files in order.
    pub fn members(&self) -> Vec<Member> {
        let mut files = self.files.iter().copied().peekable();
        let members = self.archive.members().enumerate();
        members
            .filter(|(at, _)| files.next_if_eq(at).is_some())
            .map(|(_, member)| Member {
                name: member.meta.name_lossy().replace('\\', "/"),
                size: member.meta.unpacked_size,
                is_locked: member.meta.is_encrypted,
            })
            .collect()
    }

    /// The bytes of a file. In a solid archive those before it are unpacked as well.
    pub fn read(&self, index: usize, allowance: &Allowance) -> ReadResult<Vec<u8>> {
        let wanted = *self.files.get(index).ok_or_else(missing)?;
        let is_solid = self.archive.members().any(|member| member.is_solid());
        let options = ArchiveReadOptions::new()
            .with_max_member_output_bytes(if is_solid {
                allowance.total
            } else {
                allowance.bytes
            })
            .with_max_total_output_bytes(allowance.total)
            .with_max_reader_workspace_bytes(LARGEST_WORKSPACE)
            .with_rar50_dictionary_size_limit(LARGEST_DICTIONARY);
        let kept = Arc::new(Mutex::new(Vec::new()));
        let mut at = 0;
        let unpacked = self.archive.extract_with_control(options, |member| {
            let this = at;
            at += 1;
            if this > wanted {
                return Ok(ExtractionDecision::Stop);
            }
            let is_file = !member.meta.is_directory && !member.meta.is_redirection;
            if this < wanted && !(is_solid && is_file) {
                return Ok(ExtractionDecision::Skip);
            }
            Ok(ExtractionDecision::Extract(Box::new(Sink {
                kept: (this == wanted).then(|| kept.clone()),
                allowance: *allowance,
            })))
        });
        unpacked.map_err(|error| told(&error))?;
        let bytes = std::mem::take(&mut *kept.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(bytes)
    }
}

/// Takes what is unpacked, while there is time and room.
struct Sink {
    kept: Option<Arc<Mutex<Vec<u8>>>>,
    allowance: Allowance,
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.allowance.check().map_err(io::Error::other)?;
        if let Some(kept) = &self.kept {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            if (kept.len() + bytes.len()) as u64 > self.allowance.bytes {
                return Err(io::Error::other("a file in it is too large"));
            }
            kept.extend(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn told(error: &rars::Error) -> ledge_core::registry::reading::ReadError {
    match error.kind() {
        ErrorKind::ResourceLimit => limit(error.to_string()),
        _ => damaged(format!("is a RAR archive that cannot be read: {error}")),
    }
}
