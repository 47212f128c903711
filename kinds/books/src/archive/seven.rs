//! 7z archives.

use std::io::{Read, Seek};

use ledge_core::seven;
use sevenz_rust2::{Archive, BlockDecoder, Error, Password};

use super::{Allowance, MOST_MEMBERS, Member, ReadResult, damaged, limit, missing};

/// An opened archive.
#[derive(Debug)]
pub struct Seven<R> {
    reader: R,
    archive: Archive,
    /// Places of the files, without folders, among the archive's entries.
    files: Vec<usize>,
}

impl<R: Read + Seek> Seven<R> {
    /// Reads an archive's directory.
    pub fn open(mut reader: R) -> ReadResult<Self> {
        seven::check_directory(&mut reader)?;
        let archive = Archive::read(&mut reader, &Password::empty()).map_err(told)?;
        let entries = archive.files.iter().enumerate();
        let files: Vec<usize> = entries
            .filter(|(_, entry)| !entry.is_directory)
            .map(|(at, _)| at)
            .collect();
        if files.len() > MOST_MEMBERS {
            return Err(limit("has too many files"));
        }
        Ok(Self {
            reader,
            archive,
            files,
        })
    }

    /// The files in order.
    pub fn members(&self) -> Vec<Member> {
        let entries = self
            .files
            .iter()
            .filter_map(|at| self.archive.files.get(*at));
        entries
            .map(|entry| Member {
                name: entry.name.replace('\\', "/"),
                size: entry.size,
                is_locked: false,
            })
            .collect()
    }

    /// The bytes of a file. What is packed before it in the same block is unpacked as well.
    pub fn read(&mut self, index: usize, allowance: &Allowance) -> ReadResult<Vec<u8>> {
        let wanted = *self.files.get(index).ok_or_else(missing)?;
        let entry = self.archive.files.get(wanted).ok_or_else(missing)?;
        if entry.size > allowance.bytes {
            return Err(limit("a file in it is too large"));
        }
        let blocks = &self.archive.stream_map.file_block_index;
        let Some(Some(block)) = blocks.get(wanted).copied() else {
            return Ok(Vec::new());
        };
        let coders = self.archive.blocks.get(block).ok_or_else(missing)?;
        let coders = coders.coders.iter();
        if !seven::is_modest(coders.map(|coder| (coder.encoder_method_id(), coder.properties()))) {
            return Err(limit("is packed in a way that takes too much to unpack"));
        }
        let password = Password::empty();
        let decoder = BlockDecoder::new(1, block, &self.archive, &password, &mut self.reader);
        let mut at = *self
            .archive
            .stream_map
            .block_first_file_index
            .get(block)
            .ok_or_else(missing)?;
        let mut spent = 0;
        let mut found = None;
        let mut see = |_: &sevenz_rust2::ArchiveEntry, bytes: &mut dyn Read| {
            let is_it = at == wanted;
            at += 1;
            let mut content = Vec::new();
            let unpacked = unpack(bytes, is_it.then_some(&mut content), allowance, &mut spent);
            if is_it || unpacked.is_err() {
                found = Some(unpacked.map(|()| content));
                return Ok(false);
            }
            Ok(true)
        };
        decoder.for_each_entries(&mut see).map_err(told)?;
        found.unwrap_or_else(|| Err(missing()))
    }
}

/// Reads a file to its end, and keeps its bytes where they are wanted.
fn unpack(
    bytes: &mut dyn Read,
    mut content: Option<&mut Vec<u8>>,
    allowance: &Allowance,
    spent: &mut u64,
) -> ReadResult<()> {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = bytes.read(&mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        *spent += read as u64;
        if *spent > allowance.total {
            return Err(limit("unpacking takes too much"));
        }
        allowance.check()?;
        if let Some(content) = content.as_deref_mut() {
            content.extend(buffer.get(..read).unwrap_or_default());
            if content.len() as u64 > allowance.bytes {
                return Err(limit("a file in it is too large"));
            }
        }
    }
}

fn told(error: Error) -> ledge_core::registry::reading::ReadError {
    match error {
        Error::PasswordRequired | Error::MaybeBadPassword(_) => damaged("is encrypted"),
        error => damaged(format!("is a 7z archive that cannot be read: {error}")),
    }
}
