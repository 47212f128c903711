//! RAR archives of every version, with a password for none.

use std::collections::HashMap;
use std::io::{self, Read, Seek, Write};
use std::sync::{Arc, Mutex, PoisonError};

use rars::{
    ArchiveMember, ArchiveReadOptions, ErrorKind, ExtractionDecision, ExtractionErrorAction,
};

use super::look::{Find, Look};
use super::permits::{self, Permit};
use super::{Allowance, Member, ReadResult, damaged, limit, missing, with_slashes};

/// Most headers: of files, folders, links, and of what belongs to a file. The library keeps about a
/// kilobyte of each, so that this many take 25 MB. Comics have some thousand.
const MOST_HEADERS: u64 = 25_000;
/// Most bytes of headers, largest dictionary, and most memory for unpacking.
const MOST_HEADER_BYTES: u64 = 8 << 20;
const LARGEST_DICTIONARY: u64 = 64 << 20;
const LARGEST_WORKSPACE: u64 = 160 << 20;

/// Parsed headers of an archive, and the file behind them. Several readers can share them.
#[derive(Debug)]
pub struct Directory {
    archive: rars::Archive,
    /// Places of the files, without folders and links, among the archive's members.
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
    /// Reads an archive's headers.
    pub fn open(reader: impl Read + Seek + Send + 'static) -> ReadResult<Self> {
        let permit = permits::unpacker();
        let options = ArchiveReadOptions::new()
            .with_max_header_count(MOST_HEADERS)
            .with_max_header_bytes(MOST_HEADER_BYTES);
        let archive = rars::ArchiveReader::read_reader_with_options(reader, options)
            .map_err(|error| told(&error))?;
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

    /// The parsed headers.
    pub fn directory(&self) -> &Arc<Directory> {
        &self.directory
    }

    /// The bytes of a file. In a solid archive those before it are unpacked as well.
    pub fn read(&self, index: usize, allowance: &Allowance) -> ReadResult<Vec<u8>> {
        let wanted = *self.directory.files.get(index).ok_or_else(missing)?;
        let is_solid = self.directory.is_solid;
        // Of a solid archive other files are unpacked as well, however large.
        let largest = if is_solid {
            allowance.total
        } else {
            allowance.bytes
        };
        let options = options(largest, allowance.total);
        let kept = Arc::new(Mutex::new(Vec::new()));
        let mut at = 0;
        let archive = &self.directory.archive;
        let unpacked = archive.extract_with_control(options, |member| {
            let this = at;
            at += 1;
            if this > wanted {
                return Ok(ExtractionDecision::Stop);
            }
            if this < wanted && !(is_solid && is_file(member)) {
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

    /// What is found in the first bytes of files. In a solid archive those before them are unpacked
    /// as well, in any other no more than is looked at.
    pub fn look<T: Send + 'static>(
        &self,
        wanted: &[usize],
        find: Find<T>,
        allowance: &Allowance,
    ) -> Vec<Option<T>> {
        let mut looking = Looking {
            found: wanted.iter().map(|_| None).collect(),
            open: None,
            seen: Arc::new(Mutex::new(Seen {
                look: None,
                spent: 0,
            })),
        };
        let places: HashMap<usize, usize> = (wanted.iter().enumerate())
            .filter_map(|(place, index)| Some((*self.directory.files.get(*index)?, place)))
            .collect();
        let last = places.keys().max().copied();
        let is_solid = self.directory.is_solid;
        let mut at = 0;
        let decide = |member: &ArchiveMember| {
            let this = at;
            at += 1;
            let spent = looking.settle();
            let is_over = spent >= allowance.total || allowance.check().is_err();
            if is_over || last.is_none_or(|last| this > last) {
                return Ok(ExtractionDecision::Stop);
            }
            let place = places.get(&this).copied();
            let is_wanted = place.is_some() && can_be_had(member, allowance);
            if !is_file(member) || !(is_solid || is_wanted) {
                return Ok(ExtractionDecision::Skip);
            }
            let is_rest_needed = is_solid && last != Some(this);
            let sink = looking.sink(place, find, is_rest_needed, *allowance);
            Ok(ExtractionDecision::Extract(Box::new(sink)))
        };
        // The rest of a file is refused once enough is seen, which is no reason not to go on. What
        // is found before something worse happens stands.
        let go_on = |_: &ArchiveMember, _: &rars::Error| Ok(ExtractionErrorAction::Continue);
        // A file counts there in its whole length before anything of it is unpacked: what is really
        // unpacked is counted here.
        let options = options(
            allowance.bytes,
            allowance.total.saturating_add(allowance.bytes),
        )
        .with_rar50_buffered_decode_limit(UNPACKED_AT_ONCE);
        let archive = &self.directory.archive;
        let _ = archive.extract_with_control_and_errors(options, decide, go_on);
        looking.settle();
        looking.found
    }
}

impl Directory {
    /// The files in order.
    pub fn members(&self) -> Vec<Member<'_>> {
        let mut files = self.files.iter().copied().peekable();
        let members = self.archive.members().enumerate();
        members
            .filter(|(at, _)| files.next_if_eq(at).is_some())
            .map(|(_, member)| Member {
                name: with_slashes(member.meta.name_lossy().into()),
                size: member.meta.unpacked_size,
                is_locked: member.meta.is_encrypted,
            })
            .collect()
    }
}

/// Files of a RAR 5 archive that are longer are told bit by bit while they are looked at, so that
/// they can be broken off; shorter ones come as a whole.
const UNPACKED_AT_ONCE: u64 = 64 << 10;

/// Limits of unpacking: of one file, and of all.
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

/// Whether an attempt to unpack a file of its own may be made: some failures end all.
fn can_be_had(member: &ArchiveMember, allowance: &Allowance) -> bool {
    let meta = &member.meta;
    let is_whole = !meta.is_split_before && !meta.is_split_after;
    is_whole && !meta.is_encrypted && meta.unpacked_size <= allowance.bytes
}

/// What is looked for in the files of an archive.
struct Looking<T> {
    found: Vec<Option<T>>,
    /// Place of the file that is being unpacked.
    open: Option<usize>,
    seen: Arc<Mutex<Seen<T>>>,
}

/// What is shared with the sink of the file that is being unpacked.
struct Seen<T> {
    look: Option<Look<T>>,
    /// Bytes unpacked of all files.
    spent: u64,
}

impl<T> Looking<T> {
    /// Puts away what the last file told. Returns how many bytes were unpacked so far.
    fn settle(&mut self) -> u64 {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = self.open.take().and_then(|place| self.found.get_mut(place)) {
            *place = seen.look.take().and_then(Look::end);
        }
        seen.spent
    }

    fn sink(
        &mut self,
        place: Option<usize>,
        find: Find<T>,
        is_rest_needed: bool,
        allowance: Allowance,
    ) -> LookingSink<T> {
        self.open = place;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.look = place.map(|_| Look::new(find));
        LookingSink {
            seen: self.seen.clone(),
            is_rest_needed,
            allowance,
        }
    }
}

/// Takes the beginning of a file; the rest only where later files need it.
struct LookingSink<T> {
    seen: Arc<Mutex<Seen<T>>>,
    is_rest_needed: bool,
    allowance: Allowance,
}

impl<T> Write for LookingSink<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.allowance.check().map_err(io::Error::other)?;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.spent += bytes.len() as u64;
        let is_more_wanted = seen.look.as_mut().is_some_and(|look| look.take(bytes));
        if !(is_more_wanted || self.is_rest_needed) || seen.spent > self.allowance.total {
            return Err(io::Error::other("enough was seen"));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
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
