//! Preparing: the files of changed folders are judged, recognised, read and grouped, before any
//! transaction opens.

use crossbeam_channel::{Receiver, Sender};
use rusqlite::Connection;

use super::change::{ChangedFolder, PreparedFolder, PreparedGroup, Reading, SeenFile};
use super::disk::Look;
use super::grouped::{self, Taken};
use super::read::{self, Company};
use super::room::Share;
use super::run::{Run, lock};
use super::seen::Seen;
use super::{contested, fingerprint, identity, name, parts};
use crate::id::FileId;
use crate::registry::reading::Verdict;
use crate::store::StoreResult;
use crate::store::file;

/// Files that are handed on at once, beyond the first group's.
const PIECE: usize = 4_000;

/// One reading thread's work: until no walker sends any more.
pub(super) fn prepare(
    run: &Run<'_>,
    seen: &Seen,
    changed: &Receiver<(ChangedFolder, Share)>,
    prepared: &Sender<(PreparedFolder, Share)>,
) -> StoreResult<()> {
    let connection = run.app.db.connect_reader()?;
    let mut buffer = Vec::new();
    for (folder, share) in changed {
        if run.should_stop() {
            run.break_off(None);
            continue;
        }
        let mut desk = Desk {
            run,
            seen,
            connection: &connection,
            buffer: &mut buffer,
        };
        desk.prepare(folder, share, prepared)?;
    }
    Ok(())
}

/// How a folder stands after the files that were read so far.
struct Standing {
    /// Whether all that is stored of it will agree with its listing.
    is_settled: bool,
    /// Whether each file that is there could be read.
    is_complete: bool,
}

/// What a reading thread works with.
struct Desk<'a> {
    run: &'a Run<'a>,
    seen: &'a Seen,
    connection: &'a Connection,
    buffer: &'a mut Vec<u8>,
}

/// What became of one file.
enum Outcome {
    /// It takes part, with what was read of it.
    Taken {
        claim: Option<FileId>,
        reading: Option<Box<Reading>>,
        is_settled: bool,
    },
    /// It is still being written: left for the next scan as it is.
    Growing,
    /// Its kind cannot do anything with it as it is: what is stored of it stays.
    Kept {
        /// Whether nothing but a change of it would change that.
        is_settled: bool,
    },
    /// Its kind does not want it.
    Left,
}

/// What came of taking a fingerprint.
enum Print {
    /// The fingerprint; `None` for an empty file.
    Of(Option<[u8; 16]>),
    /// The file is not the one the walk saw any more.
    Growing,
}

/// A file that is known by name already: it keeps its place among the others.
fn as_stored(mut file: SeenFile) -> Option<Taken> {
    let stored = file.stored.as_ref()?;
    file.look = Look {
        size: stored.size,
        mtime_ns: stored.mtime_ns,
    };
    Some(Taken {
        file,
        claim: None,
        reading: None,
    })
}

impl Desk<'_> {
    /// Prepares a folder, a large one part by part, and hands on what is ready.
    fn prepare(
        &mut self,
        mut folder: ChangedFolder,
        share: Share,
        prepared: &Sender<(PreparedFolder, Share)>,
    ) -> StoreResult<()> {
        contested::assign_stored(self.connection, &mut folder.files)?;
        let company = folder
            .files
            .iter()
            .any(|file| !file.is_as_stored() && file.kind.accepts.is_some())
            .then(|| Company::of(&self.run.rules, all_names(&folder)));
        if let Some(company) = &company {
            contested::assign_changed(self.run, &folder.path, &mut folder.files, company);
        }
        let mut standing = Standing {
            is_settled: folder.is_settled,
            is_complete: true,
        };
        let mut parts = parts::of(self.run, &mut folder);
        let mut whole = Some(share);
        while let Some(files) = parts.next() {
            let is_last = parts.len() == 0;
            let share = if parts.is_one() {
                whole.take()
            } else {
                let should_stop = || self.run.should_stop();
                self.run.part_room.take(files.len(), should_stop)
            };
            let taken = self.taken(&folder, files, company.as_ref(), &mut standing)?;
            let Some((share, taken)) = share.zip(taken) else {
                self.run.break_off(None);
                return Ok(());
            };
            if let Some(id) = folder.id
                && is_last
                && standing.is_complete
                && !standing.is_settled
            {
                self.seen.listed(id, folder.digest);
            }
            let (path, folders) = (folder.path.as_slice(), folder.folders.as_slice());
            let groups = grouped::grouped(self.run, self.connection, (path, folders), taken)?;
            let ready = |groups, is_end| PreparedFolder {
                groups,
                path: folder.path.clone(),
                is_mount: folder.is_mount,
                digest: folder.digest,
                pictures: folder.pictures,
                is_settled: standing.is_settled,
                is_last: is_last && is_end,
            };
            if !hand_on(groups, share, ready, prepared) {
                self.run.break_off(None);
                return Ok(());
            }
        }
        Ok(())
    }

    /// The files that take part, with what was read of them; `None` if the run is to stop.
    fn taken(
        &mut self,
        folder: &ChangedFolder,
        seen: Vec<SeenFile>,
        company: Option<&Company>,
        standing: &mut Standing,
    ) -> StoreResult<Option<Vec<Taken>>> {
        let mut files = Vec::with_capacity(seen.len());
        for file in seen {
            if self.run.should_stop() {
                return Ok(None);
            }
            let path = name::join(&folder.path, &file.name);
            match self.read(&path, &file, company)? {
                Outcome::Taken {
                    claim,
                    reading,
                    is_settled,
                } => {
                    standing.is_settled &= is_settled;
                    standing.is_complete &= is_settled;
                    files.push(Taken {
                        file,
                        claim,
                        reading,
                    });
                }
                Outcome::Growing => {
                    standing.is_settled = false;
                    standing.is_complete = false;
                    files.extend(as_stored(file));
                }
                Outcome::Kept { is_settled } => {
                    standing.is_settled &= is_settled;
                    standing.is_complete &= is_settled;
                    let is_there = file.stored.as_ref().is_some_and(|stored| !stored.missing);
                    files.extend(as_stored(file).filter(|_| is_there));
                }
                Outcome::Left => {
                    if let (Some(stored), Some(id)) = (&file.stored, folder.id)
                        && !stored.missing
                    {
                        self.seen.absent(id, &[stored.id]);
                        standing.is_settled = false;
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
        company: Option<&Company>,
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
        if let Some(company) = company {
            match read::judged(self.run, file.kind, (path, &file.name), company) {
                Verdict::Taken => {}
                Verdict::Left => return Ok(Outcome::Left),
                Verdict::Refused(_) => return Ok(Outcome::Kept { is_settled: true }),
                Verdict::Unclear(_) => return Ok(Outcome::Kept { is_settled: false }),
            }
        }
        match self.fingerprint(path, file) {
            Ok(Print::Of(fingerprint)) => self.recognise(path, file, fingerprint),
            Ok(Print::Growing) => Ok(Outcome::Growing),
            Err(error) if identity::is_gone(&error) => Ok(Outcome::Growing),
            Err(error) => {
                self.run.error(path, &error);
                // Catalogued all the same; the next scan tries again. What was known of a file
                // of this size and time stays known.
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
        if fingerprint::look(&opened)? != file.look {
            return Ok(Print::Growing);
        }
        let fingerprint = match fingerprint::of(&opened, file.look.size, self.buffer) {
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                return Ok(Print::Growing);
            }
            answer => answer?,
        };
        if fingerprint::look(&opened)? != file.look {
            return Ok(Print::Growing);
        }
        Ok(Print::Of(fingerprint))
    }

    /// The content is the stored one, but its kind's readers are better now, or something beside
    /// it is other than it was.
    fn read_again(&self, path: &[u8], file: &SeenFile) -> Outcome {
        let (inspection, probe, is_settled) = read::findings(self.run, file.kind, path);
        let reading = Box::new(Reading {
            fingerprint: file.stored.as_ref().and_then(|stored| stored.fingerprint),
            full_hash: None,
            is_looked_into: true,
            mark: Some(file.mark),
            inspection: inspection.map(Box::new),
            probe: probe.map(Box::new),
        });
        Outcome::Taken {
            claim: None,
            // What the system refuses today stays as it is known.
            reading: is_settled.then_some(reading),
            is_settled,
        }
    }

    /// The fingerprint is the stored one and the time is another. The fingerprint of a large file
    /// covers its ends only: a tag editor may have rewritten the tags between them in place.
    fn read_touched(&self, path: &[u8], file: &SeenFile) -> Outcome {
        let stored = file.stored.as_ref();
        if fingerprint::covers(file.look.size) && stored.is_some_and(|stored| file.bears(stored)) {
            return Outcome::Taken {
                claim: None,
                reading: None,
                is_settled: true,
            };
        }
        match self.read_again(path, file) {
            // The stored time stays the old one, so that the next scan tries again.
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
            let newcomer = identity::Newcomer {
                path,
                name: &file.name,
                look: file.look,
                fingerprint,
                stored: stored.map(|stored| stored.id),
            };
            let identity = identity::find(self.run, self.connection, &newcomer)?;
            reading.full_hash = identity.full_hash;
            claim = identity.claim;
            if let Some(id) = claim
                && !identity.is_to_be_read
                && file::get_unscoped(self.connection, id)?.is_some_and(|known| {
                    let is_same =
                        known.mtime_ns == file.look.mtime_ns || fingerprint::covers(file.look.size);
                    is_same && file.bears(&known)
                })
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
            lock(&self.run.replaced).insert(old, stored.id);
        }
        let (inspection, probe, is_settled) = match fingerprint {
            // There is nothing to read in an empty file, and no error in that.
            None => (None, None, true),
            Some(_) => read::findings(self.run, file.kind, path),
        };
        reading.is_looked_into = true;
        reading.mark = Some(file.mark);
        reading.inspection = inspection.map(Box::new);
        reading.probe = probe.map(Box::new);
        if !is_settled {
            // Without a fingerprint the next scan takes it for unread.
            reading.fingerprint = None;
        }
        // What could not be read before and cannot be read now is as it was.
        let is_news = is_settled || claim.is_some() || is_new_content(file);
        Ok(Outcome::Taken {
            claim,
            reading: is_news.then_some(reading),
            is_settled,
        })
    }
}

/// Hands on the groups of a folder, those of very many files in pieces, which are written and
/// forgotten while others are still made; whether anybody took them.
fn hand_on(
    groups: impl Iterator<Item = PreparedGroup>,
    mut share: Share,
    ready: impl Fn(Vec<PreparedGroup>, bool) -> PreparedFolder,
    prepared: &Sender<(PreparedFolder, Share)>,
) -> bool {
    let (mut piece, mut files) = (Vec::new(), 0);
    for group in groups {
        let of_group = group.files.len();
        if files > 0 && files + of_group > PIECE {
            let full = ready(std::mem::take(&mut piece), false);
            if prepared.send((full, share.part(files))).is_err() {
                return false;
            }
            files = 0;
        }
        files += of_group;
        piece.push(group);
    }
    prepared.send((ready(piece, true), share)).is_ok()
}

fn is_new_content(file: &SeenFile) -> bool {
    file.stored
        .as_ref()
        .is_none_or(|stored| (stored.size, stored.mtime_ns) != (file.look.size, file.look.mtime_ns))
}

fn all_names(folder: &ChangedFolder) -> impl Iterator<Item = &[u8]> {
    folder
        .files
        .iter()
        .map(|file| file.name.as_slice())
        .chain(folder.others.iter().map(Vec::as_slice))
}
