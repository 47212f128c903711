//! 7z archives.

use std::collections::BTreeMap;
use std::io::{Read, Seek};
use std::sync::Arc;

use ledge_core::seven;
use sevenz_rust2::{Archive, BlockDecoder, Error, Password};

use super::look::{Find, Look};
use super::permits::{self, Permit};
use super::{Allowance, MOST_MEMBERS, Member, ReadResult, damaged, limit, missing, with_slashes};

/// Parsed directory of an archive. Several readers of one file can share it.
#[derive(Debug)]
pub struct Directory {
    archive: Archive,
    /// Places of the files, without folders, among the archive's entries.
    files: Vec<usize>,
}

/// An opened archive.
#[derive(Debug)]
pub struct Seven<R> {
    reader: R,
    directory: Arc<Directory>,
    _permit: Permit,
}

impl<R: Read + Seek> Seven<R> {
    /// Reads an archive's directory.
    pub fn open(mut reader: R) -> ReadResult<Self> {
        let permit = permits::unpacker();
        seven::check_directory(&mut reader)?;
        let archive = Archive::read(&mut reader, &Password::empty()).map_err(told)?;
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

    /// The parsed directory.
    pub fn directory(&self) -> &Arc<Directory> {
        &self.directory
    }

    /// The bytes of a file. What is packed before it in the same block is unpacked as well.
    pub fn read(&mut self, index: usize, allowance: &Allowance) -> ReadResult<Vec<u8>> {
        let directory = &self.directory;
        let wanted = *directory.files.get(index).ok_or_else(missing)?;
        let entry = directory.archive.files.get(wanted).ok_or_else(missing)?;
        let size = entry.size;
        if size > allowance.bytes {
            return Err(limit("a file in it is too large"));
        }
        let Some(block) = directory.block_of(wanted) else {
            return Ok(Vec::new());
        };
        let mut at = directory.first_of(block)?;
        let password = Password::empty();
        let decoder = BlockDecoder::new(1, block, &directory.archive, &password, &mut self.reader);
        let mut spent = 0;
        let mut found = None;
        let mut see = |_: &sevenz_rust2::ArchiveEntry, bytes: &mut dyn Read| {
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
            let unpacked = unpack(bytes, &mut keep, allowance, &mut spent);
            if is_it || unpacked.is_err() {
                found = Some(unpacked.map(|()| content));
                return Ok(false);
            }
            Ok(true)
        };
        decoder.for_each_entries(&mut see).map_err(told)?;
        let content = found.unwrap_or_else(|| Err(missing()))?;
        if content.len() as u64 != size {
            return Err(damaged("is a 7z archive that was cut short or damaged"));
        }
        Ok(content)
    }

    /// What is found in the first bytes of files. Blocks without any of them are left alone, and
    /// others end with the last that is looked at.
    pub fn look<T>(
        &mut self,
        wanted: &[usize],
        find: Find<T>,
        allowance: &Allowance,
    ) -> Vec<Option<T>> {
        let mut found: Vec<Option<T>> = wanted.iter().map(|_| None).collect();
        let mut blocks: BTreeMap<usize, BTreeMap<usize, usize>> = BTreeMap::new();
        for (place, index) in wanted.iter().enumerate() {
            let file = self.directory.files.get(*index).copied();
            let block = file.and_then(|file| self.directory.block_of(file));
            if let Some((file, block)) = file.zip(block) {
                blocks.entry(block).or_default().insert(file, place);
            }
        }
        let mut spent = 0;
        for (block, files) in blocks {
            // What cannot be unpacked says nothing of the next block.
            let _ = self.look_in(block, &files, find, allowance, &mut spent, &mut found);
            if spent > allowance.total || allowance.check().is_err() {
                break;
            }
        }
        found
    }

    /// Looks at files of a block, which are given with their places in `found`.
    fn look_in<T>(
        &mut self,
        block: usize,
        files: &BTreeMap<usize, usize>,
        find: Find<T>,
        allowance: &Allowance,
        spent: &mut u64,
        found: &mut [Option<T>],
    ) -> ReadResult<()> {
        let directory = &self.directory;
        let mut at = directory.first_of(block)?;
        let last = files.keys().max().copied();
        let password = Password::empty();
        let decoder = BlockDecoder::new(1, block, &directory.archive, &password, &mut self.reader);
        let mut see = |_: &sevenz_rust2::ArchiveEntry, bytes: &mut dyn Read| {
            let this = at;
            at += 1;
            let is_last = Some(this) == last;
            let place = files.get(&this).and_then(|place| found.get_mut(*place));
            let mut look = place.is_some().then(|| Look::new(find));
            let mut take = |piece: &[u8]| {
                let is_more_wanted = look.as_mut().is_some_and(|look| look.take(piece));
                Ok(is_more_wanted || !is_last)
            };
            let unpacked = unpack(bytes, &mut take, allowance, spent);
            if let Some(place) = place {
                *place = look.and_then(Look::end);
            }
            Ok(unpacked.is_ok() && !is_last)
        };
        decoder.for_each_entries(&mut see).map_err(told)?;
        Ok(())
    }
}

impl Directory {
    /// The files in order.
    pub fn members(&self) -> Vec<Member<'_>> {
        let files = self.files.iter();
        let entries = files.filter_map(|at| self.archive.files.get(*at));
        entries
            .map(|entry| Member {
                name: with_slashes((&entry.name).into()),
                size: entry.size,
                is_locked: false,
            })
            .collect()
    }

    /// The block that a file is packed in; none where it is empty.
    fn block_of(&self, file: usize) -> Option<usize> {
        let blocks = &self.archive.stream_map.file_block_index;
        blocks.get(file).copied().flatten()
    }

    /// The first file of a block, which is packed in a way that does not take too much.
    fn first_of(&self, block: usize) -> ReadResult<usize> {
        let coders = self.archive.blocks.get(block).ok_or_else(missing)?;
        let coders = coders.coders.iter();
        if !seven::is_modest(coders.map(|coder| (coder.encoder_method_id(), coder.properties()))) {
            return Err(limit("is packed in a way that takes too much to unpack"));
        }
        let first = &self.archive.stream_map.block_first_file_index;
        first.get(block).copied().ok_or_else(missing)
    }
}

/// Reads a file to its end, or until `take` wants no more of it.
fn unpack(
    bytes: &mut dyn Read,
    take: &mut dyn FnMut(&[u8]) -> ReadResult<bool>,
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
        if !take(buffer.get(..read).unwrap_or_default())? {
            return Ok(());
        }
    }
}

fn told(error: Error) -> ledge_core::registry::reading::ReadError {
    match error {
        Error::PasswordRequired | Error::MaybeBadPassword(_) => damaged("is encrypted"),
        error => damaged(format!("is a 7z archive that cannot be read: {error}")),
    }
}
