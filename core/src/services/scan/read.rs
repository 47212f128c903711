//! Prepare phase: files of changed folders are checked, identified, read and grouped before a
//! transaction opens.

mod contested;
pub(super) mod fingerprint;
mod metadata;

use crossbeam_channel::{Receiver, Sender};
use rusqlite::Connection;

use crate::error::StoreResult;
use crate::fs::disk::FileStat;
use crate::id::FileId;
use crate::path;
use crate::registry::reading::Verdict;
use crate::scan::diff::folder_change::{
    ChangedFolder, PreparedFolder, PreparedGroup, Reading, SeenFile,
};
use crate::scan::group::lazy::UngroupedFile;
use crate::scan::group::{lazy, parts};
use crate::scan::identity;
use crate::scan::run::Run;
use crate::scan::run::file_budget::Permit;
use crate::scan::walk::visited_folders::VisitedFolders;
use crate::store::file;
use metadata::SiblingNames;

/// Maximum number of files in one message to the writer. The first group may exceed it.
const PIECE: usize = 4_000;

/// Runs one reader thread until the walkers have stopped sending.
pub(super) fn prepare(
    run: &Run<'_>,
    seen: &VisitedFolders,
    changed: &Receiver<(ChangedFolder, Permit)>,
    prepared: &Sender<(PreparedFolder, Permit)>,
) -> StoreResult<()> {
    let connection = run.app.db.connect_reader()?;
    let mut buffer = Vec::new();
    for (folder, permit) in changed {
        if run.should_stop() {
            run.abort(None);
            continue;
        }
        let mut reader = FolderReader {
            run,
            seen,
            connection: &connection,
            buffer: &mut buffer,
        };
        reader.prepare(folder, permit, prepared)?;
    }
    Ok(())
}

/// State of a folder after the files that were read so far.
struct FolderState {
    /// `true` if all stored values will match the listing.
    is_settled: bool,
    /// `true` if every existing file could be read.
    is_complete: bool,
}

/// Resources of a reader thread.
struct FolderReader<'a> {
    run: &'a Run<'a>,
    seen: &'a VisitedFolders,
    connection: &'a Connection,
    buffer: &'a mut Vec<u8>,
}

/// Result for one file.
enum Outcome {
    /// The file is catalogued, with the values that were read.
    Taken {
        claim: Option<FileId>,
        reading: Option<Box<Reading>>,
        is_settled: bool,
    },
    /// The file is still being written. Its stored values stay until the next scan.
    Growing,
    /// The kind cannot use the file in its current state. Its stored values stay.
    Kept {
        /// `true` if only a change of the file can change this result.
        is_settled: bool,
    },
    /// The kind does not accept the file.
    Left,
}

/// Result of a fingerprint computation.
enum Print {
    /// The fingerprint, or `None` for an empty file.
    Of(Option<[u8; 16]>),
    /// The file differs from the one that the walk saw.
    Growing,
}

/// Returns a file with its stored size and time, so that it keeps its position in its group.
fn as_stored(mut file: SeenFile) -> Option<UngroupedFile> {
    let stored = file.stored.as_ref()?;
    file.stat = FileStat {
        size: stored.size,
        mtime_ns: stored.mtime_ns,
    };
    Some(UngroupedFile {
        file,
        claim: None,
        reading: None,
    })
}

impl FolderReader<'_> {
    /// Prepares a folder and sends the result to the writer. A large folder is sent in parts.
    fn prepare(
        &mut self,
        mut folder: ChangedFolder,
        permit: Permit,
        prepared: &Sender<(PreparedFolder, Permit)>,
    ) -> StoreResult<()> {
        contested::assign_stored(self.connection, &mut folder.files)?;
        let siblings = folder
            .files
            .iter()
            .any(|file| !file.is_as_stored() && file.kind.accepts.is_some())
            .then(|| SiblingNames::of(&self.run.rules, all_names(&folder)));
        if let Some(siblings) = &siblings {
            contested::assign_changed(self.run, &folder.path, &mut folder.files, siblings);
        }
        let mut state = FolderState {
            is_settled: folder.is_settled,
            is_complete: true,
        };
        let mut parts = parts::of(self.run, &mut folder);
        let mut whole = Some(permit);
        while let Some(files) = parts.next() {
            let is_last = parts.len() == 0;
            let permit = if parts.is_one() {
                whole.take()
            } else {
                let should_stop = || self.run.should_stop();
                self.run.part_budget.take(files.len(), should_stop)
            };
            let taken = self.read_files(&folder, files, siblings.as_ref(), &mut state)?;
            let Some((permit, taken)) = permit.zip(taken) else {
                self.run.abort(None);
                return Ok(());
            };
            if let Some(id) = folder.id
                && is_last
                && state.is_complete
                && !state.is_settled
            {
                self.seen.listed(id, folder.digest);
            }
            let (path, folders) = (folder.path.as_slice(), folder.folders.as_slice());
            let groups = lazy::grouped(self.run, self.connection, (path, folders), taken)?;
            let ready = |groups, is_end| PreparedFolder {
                groups,
                path: folder.path.clone(),
                is_mount: folder.is_mount,
                digest: folder.digest,
                pictures: folder.pictures,
                is_settled: state.is_settled,
                is_last: is_last && is_end,
            };
            if !send_groups(groups, permit, ready, prepared) {
                self.run.abort(None);
                return Ok(());
            }
        }
        Ok(())
    }

    /// Returns the files that are catalogued, with the values that were read. Returns `None` if the
    /// run must stop.
    fn read_files(
        &mut self,
        folder: &ChangedFolder,
        seen: Vec<SeenFile>,
        siblings: Option<&SiblingNames>,
        state: &mut FolderState,
    ) -> StoreResult<Option<Vec<UngroupedFile>>> {
        let mut files = Vec::with_capacity(seen.len());
        for file in seen {
            if self.run.should_stop() {
                return Ok(None);
            }
            let path = path::join(&folder.path, &file.name);
            match self.read(&path, &file, siblings)? {
                Outcome::Taken {
                    claim,
                    reading,
                    is_settled,
                } => {
                    state.is_settled &= is_settled;
                    state.is_complete &= is_settled;
                    files.push(UngroupedFile {
                        file,
                        claim,
                        reading,
                    });
                }
                Outcome::Growing => {
                    state.is_settled = false;
                    state.is_complete = false;
                    files.extend(as_stored(file));
                }
                Outcome::Kept { is_settled } => {
                    state.is_settled &= is_settled;
                    state.is_complete &= is_settled;
                    let is_there = file.stored.as_ref().is_some_and(|stored| !stored.missing);
                    files.extend(as_stored(file).filter(|_| is_there));
                }
                Outcome::Left => {
                    if let (Some(stored), Some(id)) = (&file.stored, folder.id)
                        && !stored.missing
                    {
                        self.seen.absent(id, &[stored.id]);
                        state.is_settled = false;
                    }
                }
            }
        }
        Ok(Some(files))
    }

    fn read(
        &mut self,
        path: &[u8],
        file: &SeenFile,
        siblings: Option<&SiblingNames>,
    ) -> StoreResult<Outcome> {
        if file.is_as_stored() {
            return Ok(Outcome::Taken {
                claim: None,
                reading: None,
                is_settled: true,
            });
        }
        if self.run.growing.contains(path) {
            return Ok(Outcome::Growing);
        }
        if file.has_stored_content() {
            return Ok(self.read_again(path, file));
        }
        if let Some(siblings) = siblings {
            match metadata::judged(self.run, file.kind, (path, &file.name), siblings) {
                Verdict::Accept => {}
                Verdict::Ignore => return Ok(Outcome::Left),
                Verdict::Reject(_) => return Ok(Outcome::Kept { is_settled: true }),
                Verdict::RetryLater(_) => return Ok(Outcome::Kept { is_settled: false }),
            }
        }
        match self.fingerprint(path, file) {
            Ok(Print::Of(fingerprint)) => self.recognise(path, file, fingerprint),
            Ok(Print::Growing) => Ok(Outcome::Growing),
            Err(error) if identity::is_gone(&error) => Ok(Outcome::Growing),
            Err(error) => {
                self.run.error(path, &error);
                // The file is catalogued anyway, and the next scan tries again. Stored values stay
                // if size and time are unchanged.
                Ok(Outcome::Taken {
                    claim: None,
                    reading: is_new_content(file).then(Box::default),
                    is_settled: false,
                })
            }
        }
    }

    fn fingerprint(&mut self, path: &[u8], file: &SeenFile) -> std::io::Result<Print> {
        let opened = fingerprint::open(&*self.run.disk, path)?;
        if fingerprint::stat(&opened)? != file.stat {
            return Ok(Print::Growing);
        }
        let fingerprint = match fingerprint::of(&opened, file.stat.size, self.buffer) {
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                return Ok(Print::Growing);
            }
            answer => answer?,
        };
        if fingerprint::stat(&opened)? != file.stat {
            return Ok(Print::Growing);
        }
        Ok(Print::Of(fingerprint))
    }

    /// Reads a file with stored content again, because its reader version or its sidecar files
    /// changed.
    fn read_again(&self, path: &[u8], file: &SeenFile) -> Outcome {
        let (inspection, probe, is_settled) = metadata::findings(self.run, file.kind, path);
        let reading = Box::new(Reading {
            fingerprint: file.stored.as_ref().and_then(|stored| stored.fingerprint),
            full_hash: None,
            is_metadata_read: true,
            read_signature: Some(file.read_signature),
            inspection: inspection.map(Box::new),
            probe: probe.map(Box::new),
        });
        Outcome::Taken {
            claim: None,
            // If the operating system refused the read, the stored values stay.
            reading: is_settled.then_some(reading),
            is_settled,
        }
    }

    /// Handles a file with the stored fingerprint but another modification time. The fingerprint of
    /// a large file covers only its head and tail: a tag editor may have rewritten tags between
    /// them in place.
    fn read_touched(&self, path: &[u8], file: &SeenFile) -> Outcome {
        let stored = file.stored.as_ref();
        if fingerprint::covers(file.stat.size) && stored.is_some_and(|row| file.is_current(row)) {
            return Outcome::Taken {
                claim: None,
                reading: None,
                is_settled: true,
            };
        }
        match self.read_again(path, file) {
            // The stored time stays unchanged, so that the next scan tries again.
            Outcome::Taken {
                is_settled: false, ..
            } => Outcome::Growing,
            outcome => outcome,
        }
    }

    fn recognise(
        &mut self,
        path: &[u8],
        file: &SeenFile,
        fingerprint: Option<[u8; 16]>,
    ) -> StoreResult<Outcome> {
        let stored = file.stored.as_ref();
        let mut reading = Box::new(Reading {
            fingerprint,
            ..Reading::default()
        });
        let is_touched =
            fingerprint.is_some() && stored.is_some_and(|stored| stored.fingerprint == fingerprint);
        if is_touched {
            return Ok(self.read_touched(path, file));
        }
        let mut claim = None;
        if let Some(fingerprint) = fingerprint {
            let candidate = identity::CandidateFile {
                path,
                name: &file.name,
                stat: file.stat,
                fingerprint,
                stored: stored.map(|stored| stored.id),
            };
            let identity = identity::find(&self.run.identity, self.connection, &candidate)?;
            reading.full_hash = identity.full_hash;
            claim = identity.claim;
            if let Some(id) = claim
                && !identity.is_to_be_read
                && self.is_read_at(id, file)?
            {
                return Ok(Outcome::Taken {
                    claim,
                    reading: Some(reading),
                    is_settled: true,
                });
            }
        }
        if let Some(stored) = stored.filter(|_| claim.is_none())
            && let Some(old) = stored.fingerprint
        {
            self.run.identity.replaced().insert(old, stored.id);
        }
        let is_settled = self.read_metadata_into(path, file, &mut reading);
        // If a file could not be read before and cannot be read now, nothing has changed.
        let is_news = is_settled || claim.is_some() || is_new_content(file);
        Ok(Outcome::Taken {
            claim,
            reading: is_news.then_some(reading),
            is_settled,
        })
    }

    /// Returns `true` if the stored file that a moved file claims was read with the same content.
    fn is_read_at(&self, claim: FileId, file: &SeenFile) -> StoreResult<bool> {
        let stored = file::get_unscoped(self.connection, claim)?;
        Ok(stored.is_some_and(|stored| {
            let is_same =
                stored.mtime_ns == file.stat.mtime_ns || fingerprint::covers(file.stat.size);
            is_same && file.is_current(&stored)
        }))
    }

    /// Adds the metadata of a file to `reading`. Returns `false` if the next scan must decide.
    fn read_metadata_into(&self, path: &[u8], file: &SeenFile, reading: &mut Reading) -> bool {
        let (inspection, probe, is_settled) = match reading.fingerprint {
            // An empty file has nothing to read. This is not an error.
            None => (None, None, true),
            Some(_) => metadata::findings(self.run, file.kind, path),
        };
        reading.is_metadata_read = true;
        reading.read_signature = Some(file.read_signature);
        reading.inspection = inspection.map(Box::new);
        reading.probe = probe.map(Box::new);
        if !is_settled {
            // Without a fingerprint, the next scan treats the file as unread.
            reading.fingerprint = None;
        }
        is_settled
    }
}

/// Sends the groups of a folder to the writer. Very large folders are sent in pieces, so that
/// written pieces are freed while others are still prepared. Returns `false` if the receiver is
/// gone.
fn send_groups(
    groups: impl Iterator<Item = PreparedGroup>,
    mut permit: Permit,
    ready: impl Fn(Vec<PreparedGroup>, bool) -> PreparedFolder,
    prepared: &Sender<(PreparedFolder, Permit)>,
) -> bool {
    let (mut piece, mut files) = (Vec::new(), 0);
    for group in groups {
        let of_group = group.files.len();
        if files > 0 && files + of_group > PIECE {
            let full = ready(std::mem::take(&mut piece), false);
            if prepared.send((full, permit.part(files))).is_err() {
                return false;
            }
            files = 0;
        }
        files += of_group;
        piece.push(group);
    }
    prepared.send((ready(piece, true), permit)).is_ok()
}

fn is_new_content(file: &SeenFile) -> bool {
    file.stored
        .as_ref()
        .is_none_or(|stored| (stored.size, stored.mtime_ns) != (file.stat.size, file.stat.mtime_ns))
}

fn all_names(folder: &ChangedFolder) -> impl Iterator<Item = &[u8]> {
    folder
        .files
        .iter()
        .map(|file| file.name.as_slice())
        .chain(folder.others.iter().map(Vec::as_slice))
}
