//! RAR archives of every version, without support for passwords.

use std::collections::HashMap;
use std::io::{self, Read, Seek, Write};
use std::sync::{Arc, Mutex, PoisonError};

use rars::{
    ArchiveMember, ArchiveReadOptions, ErrorKind, ExtractionDecision, ExtractionErrorAction,
};

use super::head_search::{Find, HeadSearch};
use super::permits::{self, Permit};
use super::{Allowance, Member, ReadResult, damaged, limit, missing_member, with_forward_slashes};

/// Most headers: of files, folders, links and service records. The library keeps about a kilobyte
/// per header, so this many take 25 MB. Comics have a few thousand.
const MOST_HEADERS: u64 = 25_000;
/// Most bytes of headers; largest dictionary and working memory for unpacking, in bytes.
const MOST_HEADER_BYTES: u64 = 8 << 20;
const LARGEST_DICTIONARY: u64 = 64 << 20;
const LARGEST_WORKSPACE: u64 = 160 << 20;

/// Parsed headers of an archive with the file handle. Several readers can share them.
#[derive(Debug)]
pub struct Directory {
    archive: rars::Archive,
    /// Indexes of the files in the archive's member list, which also has folders and links.
    files: Vec<usize>,
    is_solid: bool,
}

/// An opened archive.
#[derive(Debug)]
pub struct Rar {
    directory: Arc<Directory>,
    _permit: Permit,
}

impl Rar {
    /// Opens an archive and parses its headers.
    pub fn open(reader: impl Read + Seek + Send + 'static) -> ReadResult<Self> {
        let permit = permits::unpacker();
        let options = ArchiveReadOptions::new()
            .with_max_header_count(MOST_HEADERS)
            .with_max_header_bytes(MOST_HEADER_BYTES);
        let archive = rars::ArchiveReader::read_reader_with_options(reader, options)
            .map_err(|error| to_read_error(&error))?;
        let members = archive.members().enumerate();
        let files = members
            .filter(|(_, member)| is_file(member))
            .map(|(at, _)| at)
            .collect();
        let is_solid = archive.members().any(|member| member.is_solid());
        let directory = Directory {
            archive,
            files,
            is_solid,
        };
        Ok(Self {
            directory: Arc::new(directory),
            _permit: permit,
        })
    }

    /// Opens an archive whose headers have been parsed before.
    pub fn with_directory(directory: Arc<Directory>) -> Self {
        Self {
            directory,
            _permit: permits::unpacker(),
        }
    }

    /// Returns the parsed headers.
    pub fn directory(&self) -> &Arc<Directory> {
        &self.directory
    }

    /// Unpacks one file. A solid archive also unpacks the files before it.
    pub fn read(&self, index: usize, allowance: &Allowance) -> ReadResult<Vec<u8>> {
        let wanted = *self.directory.files.get(index).ok_or_else(missing_member)?;
        let is_solid = self.directory.is_solid;
        // In a solid archive, the files before the wanted one may be larger than the file's own
        // limit.
        let largest = if is_solid {
            allowance.total
        } else {
            allowance.bytes
        };
        let options = options(largest, allowance.total);
        let archive = &self.directory.archive;
        let declared = archive.members().nth(wanted);
        let declared = declared.map_or(0, |member| member.meta.unpacked_size);
        // A buffer that grows would hold old and new contents at the same time.
        let capacity = usize::try_from(declared.min(allowance.bytes)).unwrap_or(0);
        let collected = Arc::new(Mutex::new(Vec::with_capacity(capacity)));
        let mut at = 0;
        let unpacked = archive.extract_with_control(options, |member| {
            let current = at;
            at += 1;
            if current > wanted {
                return Ok(ExtractionDecision::Stop);
            }
            if current < wanted && !(is_solid && is_file(member)) {
                return Ok(ExtractionDecision::Skip);
            }
            Ok(ExtractionDecision::Extract(Box::new(CollectSink {
                collected: (current == wanted).then(|| collected.clone()),
                allowance: *allowance,
            })))
        });
        unpacked.map_err(|error| to_read_error(&error))?;
        let bytes = std::mem::take(&mut *collected.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(bytes)
    }

    /// Searches the first bytes of files. A solid archive also unpacks the files before them; any
    /// other archive unpacks only the searched bytes.
    pub fn search_heads<T: Send + 'static>(
        &self,
        wanted: &[usize],
        find: Find<T>,
        allowance: &Allowance,
    ) -> Vec<Option<T>> {
        let mut state = SearchState {
            found: wanted.iter().map(|_| None).collect(),
            open: None,
            shared: Arc::new(Mutex::new(SharedSearch {
                search: None,
                unpacked_bytes: 0,
            })),
        };
        let indexes: HashMap<usize, usize> = (wanted.iter().enumerate())
            .filter_map(|(position, index)| Some((*self.directory.files.get(*index)?, position)))
            .collect();
        let last = indexes.keys().max().copied();
        let is_solid = self.directory.is_solid;
        let mut at = 0;
        let decide = |member: &ArchiveMember| {
            let current = at;
            at += 1;
            let unpacked_bytes = state.store_result();
            let is_over = unpacked_bytes >= allowance.total || allowance.check().is_err();
            if is_over || last.is_none_or(|last| current > last) {
                return Ok(ExtractionDecision::Stop);
            }
            let position = indexes.get(&current).copied();
            let is_wanted = position.is_some() && is_extractable(member, allowance);
            if !is_file(member) || !(is_solid || is_wanted) {
                return Ok(ExtractionDecision::Skip);
            }
            let is_rest_needed = is_solid && last != Some(current);
            let sink = state.sink(position, find, is_rest_needed, *allowance);
            Ok(ExtractionDecision::Extract(Box::new(sink)))
        };
        // The sink rejects further bytes of a file once the search has ended, which must not end
        // the pass. Results found before a later error are kept.
        let continue_on_error =
            |_: &ArchiveMember, _: &rars::Error| Ok(ExtractionErrorAction::Continue);
        // The library counts a file's full declared size before it unpacks anything. The sink
        // counts the bytes that are really unpacked.
        let options = options(
            allowance.bytes,
            allowance.total.saturating_add(allowance.bytes),
        )
        .with_rar50_buffered_decode_limit(BUFFERED_DECODE_LIMIT);
        let archive = &self.directory.archive;
        let _ = archive.extract_with_control_and_errors(options, decide, continue_on_error);
        state.store_result();
        state.found
    }
}

impl Directory {
    /// Returns the files in archive order.
    pub fn members(&self) -> Vec<Member<'_>> {
        let mut files = self.files.iter().copied().peekable();
        let members = self.archive.members().enumerate();
        members
            .filter(|(at, _)| files.next_if_eq(at).is_some())
            .map(|(_, member)| Member {
                name: with_forward_slashes(member.meta.name_lossy().into()),
                size: member.meta.unpacked_size,
                is_locked: member.meta.is_encrypted,
            })
            .collect()
    }
}

/// RAR 5 files above this size are unpacked in pieces, so that unpacking can stop early. Smaller
/// files are unpacked at once.
const BUFFERED_DECODE_LIMIT: u64 = 64 << 10;

/// Returns unpacking limits: for one file, and for all files.
fn options(largest: u64, total: u64) -> ArchiveReadOptions<'static> {
    ArchiveReadOptions::new()
        .with_max_member_output_bytes(largest)
        .with_max_total_output_bytes(total)
        .with_max_reader_workspace_bytes(LARGEST_WORKSPACE)
        .with_rar50_dictionary_size_limit(LARGEST_DICTIONARY)
}

fn is_file(member: &ArchiveMember) -> bool {
    !member.meta.is_directory && !member.meta.is_redirection
}

/// Returns true if unpacking this file cannot end the whole pass with an error.
fn is_extractable(member: &ArchiveMember, allowance: &Allowance) -> bool {
    let meta = &member.meta;
    let is_whole = !meta.is_split_before && !meta.is_split_after;
    is_whole && !meta.is_encrypted && meta.unpacked_size <= allowance.bytes
}

/// State of a search through several files.
struct SearchState<T> {
    found: Vec<Option<T>>,
    /// Index in `found` of the file that is being unpacked.
    open: Option<usize>,
    shared: Arc<Mutex<SharedSearch<T>>>,
}

/// State that is shared with the sink of the current file.
struct SharedSearch<T> {
    search: Option<HeadSearch<T>>,
    /// Bytes unpacked so far, of all files.
    unpacked_bytes: u64,
}

impl<T> SearchState<T> {
    /// Stores the result of the last file. Returns the number of bytes unpacked so far.
    fn store_result(&mut self) -> u64 {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(position) = self
            .open
            .take()
            .and_then(|position| self.found.get_mut(position))
        {
            *position = shared.search.take().and_then(HeadSearch::finish);
        }
        shared.unpacked_bytes
    }

    fn sink(
        &mut self,
        position: Option<usize>,
        find: Find<T>,
        is_rest_needed: bool,
        allowance: Allowance,
    ) -> SearchSink<T> {
        self.open = position;
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.search = position.map(|_| HeadSearch::new(find));
        SearchSink {
            shared: self.shared.clone(),
            is_rest_needed,
            allowance,
        }
    }
}

/// Sink that passes the first bytes of a file to its search. It accepts the rest only if later
/// files of a solid archive need it.
struct SearchSink<T> {
    shared: Arc<Mutex<SharedSearch<T>>>,
    is_rest_needed: bool,
    allowance: Allowance,
}

impl<T> Write for SearchSink<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.allowance.check().map_err(io::Error::other)?;
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.unpacked_bytes += bytes.len() as u64;
        let is_more_wanted = shared
            .search
            .as_mut()
            .is_some_and(|search| search.push(bytes));
        if !(is_more_wanted || self.is_rest_needed) || shared.unpacked_bytes > self.allowance.total
        {
            return Err(io::Error::other("the search has ended"));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Sink that collects the unpacked bytes within the limits of time and size.
struct CollectSink {
    collected: Option<Arc<Mutex<Vec<u8>>>>,
    allowance: Allowance,
}

impl Write for CollectSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.allowance.check().map_err(io::Error::other)?;
        if let Some(collected) = &self.collected {
            let mut collected = collected.lock().unwrap_or_else(PoisonError::into_inner);
            if (collected.len() + bytes.len()) as u64 > self.allowance.bytes {
                return Err(io::Error::other("a file in it is too large"));
            }
            collected.extend(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn to_read_error(error: &rars::Error) -> ledge_core::error::ReadError {
    match error.kind() {
        ErrorKind::ResourceLimit => limit(error.to_string()),
        _ => damaged(format!("is a RAR archive that cannot be read: {error}")),
    }
}
