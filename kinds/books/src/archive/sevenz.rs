//! 7z archives.

use std::collections::BTreeMap;
use std::io::{Read, Seek};
use std::sync::Arc;

use ledge_formats::archive::sevenz;
use sevenz_rust2::{Archive, BlockDecoder, Error, Password};

use super::head_search::{Find, HeadSearch};
use super::permits::{self, Permit};
use super::{
    Allowance, MOST_MEMBERS, Member, ReadResult, damaged, limit, missing_member,
    with_forward_slashes,
};

/// Parsed directory of an archive. Several readers of one file can share it.
#[derive(Debug)]
pub struct Directory {
    archive: Archive,
    /// Indexes of the files in the archive's entry list, which also has folders.
    files: Vec<usize>,
}

/// An opened archive.
#[derive(Debug)]
pub struct SevenZip<R> {
    reader: R,
    directory: Arc<Directory>,
    _permit: Permit,
}

impl<R: Read + Seek> SevenZip<R> {
    /// Opens an archive and parses its directory.
    pub fn open(mut reader: R) -> ReadResult<Self> {
        let permit = permits::unpacker();
        sevenz::check_directory(&mut reader)?;
        let archive = Archive::read(&mut reader, &Password::empty()).map_err(to_read_error)?;
        let entries = archive.files.iter().enumerate();
        let mut files: Vec<usize> = entries
            .filter(|(_, entry)| !entry.is_directory)
            .map(|(at, _)| at)
            .collect();
        if files.len() > MOST_MEMBERS {
            return Err(limit("has too many files"));
        }
        files.shrink_to_fit();
        Ok(Self {
            reader,
            directory: Arc::new(Directory { archive, files }),
            _permit: permit,
        })
    }

    /// Opens an archive whose directory has been parsed before.
    pub fn with_directory(reader: R, directory: Arc<Directory>) -> Self {
        Self {
            reader,
            directory,
            _permit: permits::unpacker(),
        }
    }

    /// Returns the parsed directory.
    pub fn directory(&self) -> &Arc<Directory> {
        &self.directory
    }

    /// Unpacks one file. The files before it in the same block are unpacked as well.
    pub fn read(&mut self, index: usize, allowance: &Allowance) -> ReadResult<Vec<u8>> {
        let directory = &self.directory;
        let wanted = *directory.files.get(index).ok_or_else(missing_member)?;
        let entry = directory
            .archive
            .files
            .get(wanted)
            .ok_or_else(missing_member)?;
        let size = entry.size;
        if size > allowance.bytes {
            return Err(limit("a file in it is too large"));
        }
        let Some(block) = directory.block_of(wanted) else {
            return Ok(Vec::new());
        };
        let mut at = directory.first_file_of(block)?;
        let password = Password::empty();
        let decoder = BlockDecoder::new(1, block, &directory.archive, &password, &mut self.reader);
        let mut unpacked_bytes = 0;
        let mut found = None;
        let mut visit = |_: &sevenz_rust2::ArchiveEntry, bytes: &mut dyn Read| {
            let is_it = at == wanted;
            at += 1;
            let mut content = Vec::new();
            let mut keep = |piece: &[u8]| {
                if is_it {
                    content.extend(piece);
                    if content.len() as u64 > allowance.bytes {
                        return Err(limit("a file in it is too large"));
                    }
                }
                Ok(true)
            };
            let unpacked = unpack(bytes, &mut keep, allowance, &mut unpacked_bytes);
            if is_it || unpacked.is_err() {
                found = Some(unpacked.map(|()| content));
                return Ok(false);
            }
            Ok(true)
        };
        decoder
            .for_each_entries(&mut visit)
            .map_err(to_read_error)?;
        let content = found.unwrap_or_else(|| Err(missing_member()))?;
        if content.len() as u64 != size {
            return Err(damaged("is a 7z archive that was cut short or damaged"));
        }
        Ok(content)
    }

    /// Searches the first bytes of files. Blocks without a wanted file are skipped; the others are
    /// unpacked up to their last wanted file.
    pub fn search_heads<T>(
        &mut self,
        wanted: &[usize],
        find: Find<T>,
        allowance: &Allowance,
    ) -> Vec<Option<T>> {
        let mut found: Vec<Option<T>> = wanted.iter().map(|_| None).collect();
        let mut blocks: BTreeMap<usize, BTreeMap<usize, usize>> = BTreeMap::new();
        for (position, index) in wanted.iter().enumerate() {
            let file = self.directory.files.get(*index).copied();
            let block = file.and_then(|file| self.directory.block_of(file));
            if let Some((file, block)) = file.zip(block) {
                blocks.entry(block).or_default().insert(file, position);
            }
        }
        let mut unpacked_bytes = 0;
        for (block, files) in blocks {
            // A block that cannot be unpacked does not affect the next block.
            let _ = self.search_block(
                block,
                &files,
                find,
                allowance,
                &mut unpacked_bytes,
                &mut found,
            );
            if unpacked_bytes > allowance.total || allowance.check().is_err() {
                break;
            }
        }
        found
    }

    /// Searches the wanted files of one block. `files` maps them to their indexes in `found`.
    fn search_block<T>(
        &mut self,
        block: usize,
        files: &BTreeMap<usize, usize>,
        find: Find<T>,
        allowance: &Allowance,
        unpacked_bytes: &mut u64,
        found: &mut [Option<T>],
    ) -> ReadResult<()> {
        let directory = &self.directory;
        let mut at = directory.first_file_of(block)?;
        let last = files.keys().max().copied();
        let password = Password::empty();
        let decoder = BlockDecoder::new(1, block, &directory.archive, &password, &mut self.reader);
        let mut visit = |_: &sevenz_rust2::ArchiveEntry, bytes: &mut dyn Read| {
            let current = at;
            at += 1;
            let is_last = Some(current) == last;
            let position = files
                .get(&current)
                .and_then(|position| found.get_mut(*position));
            let mut search = position.is_some().then(|| HeadSearch::new(find));
            let mut take = |piece: &[u8]| {
                let is_more_wanted = search.as_mut().is_some_and(|search| search.push(piece));
                Ok(is_more_wanted || !is_last)
            };
            let unpacked = unpack(bytes, &mut take, allowance, unpacked_bytes);
            if let Some(position) = position {
                *position = search.and_then(HeadSearch::finish);
            }
            Ok(unpacked.is_ok() && !is_last)
        };
        decoder
            .for_each_entries(&mut visit)
            .map_err(to_read_error)?;
        Ok(())
    }
}

impl Directory {
    /// Returns the files in archive order.
    pub fn members(&self) -> Vec<Member<'_>> {
        let files = self.files.iter();
        let entries = files.filter_map(|at| self.archive.files.get(*at));
        entries
            .map(|entry| Member {
                name: with_forward_slashes((&entry.name).into()),
                size: entry.size,
                is_locked: false,
            })
            .collect()
    }

    /// Returns the block that contains a file, or `None` for an empty file.
    fn block_of(&self, file: usize) -> Option<usize> {
        let blocks = &self.archive.stream_map.file_block_index;
        blocks.get(file).copied().flatten()
    }

    /// Returns the first file of a block. Fails if unpacking the block would take too much memory.
    fn first_file_of(&self, block: usize) -> ReadResult<usize> {
        let coders = self.archive.blocks.get(block).ok_or_else(missing_member)?;
        let coders = coders.coders.iter();
        if !sevenz::is_modest(coders.map(|coder| (coder.encoder_method_id(), coder.properties()))) {
            return Err(limit("is packed in a way that takes too much to unpack"));
        }
        let first = &self.archive.stream_map.block_first_file_index;
        first.get(block).copied().ok_or_else(missing_member)
    }
}

/// Reads a file to its end, or until `take` returns false.
fn unpack(
    bytes: &mut dyn Read,
    take: &mut dyn FnMut(&[u8]) -> ReadResult<bool>,
    allowance: &Allowance,
    unpacked_bytes: &mut u64,
) -> ReadResult<()> {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = bytes.read(&mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        *unpacked_bytes += read as u64;
        if *unpacked_bytes > allowance.total {
            return Err(limit("unpacking takes too much"));
        }
        allowance.check()?;
        if !take(buffer.get(..read).unwrap_or_default())? {
            return Ok(());
        }
    }
}

fn to_read_error(error: Error) -> ledge_core::error::ReadError {
    match error {
        Error::PasswordRequired | Error::MaybeBadPassword(_) => damaged("is encrypted"),
        error => damaged(format!("is a 7z archive that cannot be read: {error}")),
    }
}
