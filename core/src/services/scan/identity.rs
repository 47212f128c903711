//! Identity: assigns new content at a path to the stored file that it belongs to.
//!
//! The content belongs to the stored file with the same fingerprint whose own path no longer has
//! this content. That path may be gone, or may contain something else. If the stored path still has
//! the content, the new file is a copy.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use crate::error::StoreResult;
use crate::fs::disk::{Disk, FileStat};
use crate::id::{FileId, LibraryId};
use crate::path;
use crate::scan::read::fingerprint;
use crate::store::file::{self, Fingerprint, FingerprintMatch};

/// Maximum number of stored files with the same fingerprint that are examined. Further ones are
/// copies of copies.
const MAX_MATCHES: usize = 64;
/// Maximum number of bytes for full hashes in one finder. They only decide ties.
const FULL_BUDGET: u64 = 8 << 30;

/// Assigns content to stored files during one run.
#[derive(Debug)]
pub(super) struct IdentityFinder {
    disk: Arc<dyn Disk>,
    library: LibraryId,
    /// Bytes that may still be read for full hashes.
    full_budget: AtomicU64,
    /// Fingerprints that new content replaced in this run. The old content may still be found
    /// elsewhere.
    replaced: Mutex<HashMap<Fingerprint, FileId>>,
    /// Stored files whose content was found at another path in this run.
    claimed: Mutex<HashSet<FileId>>,
}

impl IdentityFinder {
    pub(super) fn new(disk: Arc<dyn Disk>, library: LibraryId) -> Self {
        Self {
            disk,
            library,
            full_budget: AtomicU64::new(FULL_BUDGET),
            replaced: Mutex::default(),
            claimed: Mutex::default(),
        }
    }

    /// Returns the stored files whose content was found at another path.
    pub(super) fn claimed(&self) -> MutexGuard<'_, HashSet<FileId>> {
        self.claimed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the fingerprints that new content replaced, with their files.
    pub(super) fn replaced(&self) -> MutexGuard<'_, HashMap<Fingerprint, FileId>> {
        self.replaced.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves bytes of the budget for full hashes. Returns `false` if it is exhausted.
    fn may_hash(&self, size: i64) -> bool {
        let size = u64::try_from(size).unwrap_or(u64::MAX);
        let take = |left: u64| left.checked_sub(size);
        self.full_budget
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .is_ok()
    }
}

/// File whose content is not the content stored for its path.
#[derive(Debug)]
pub(super) struct CandidateFile<'a> {
    pub(super) path: &'a [u8],
    pub(super) name: &'a [u8],
    pub(super) stat: FileStat,
    pub(super) fingerprint: Fingerprint,
    /// The file that is stored for this path.
    pub(super) stored: Option<FileId>,
}

/// Result of the search.
#[derive(Debug, Default)]
pub(super) struct Identity {
    /// The stored file that this content belongs to. No other file can claim it in this finder.
    pub(super) claim: Option<FileId>,
    /// Hash of the whole content, if it was needed.
    pub(super) full_hash: Option<[u8; 32]>,
    /// `true` if the stored values of the claimed file may describe other content.
    pub(super) is_to_be_read: bool,
}

/// Finds the stored file that the new content belongs to.
pub(super) fn find(
    finder: &IdentityFinder,
    connection: &Connection,
    candidate: &CandidateFile<'_>,
) -> StoreResult<Identity> {
    let mut matches = file::with_fingerprint_unscoped(
        connection,
        finder.library,
        &candidate.fingerprint,
        MAX_MATCHES,
    )?;
    matches.retain(|stored| Some(stored.file.id) != candidate.stored);
    if matches.is_empty() {
        return Ok(replaced(finder, candidate));
    }
    let (gone, there): (Vec<_>, Vec<_>) = matches
        .into_iter()
        .partition(|stored| has_lost_its_path(finder, stored));
    let mut identity = Identity::default();
    if needs_full_hash(candidate, &gone, &there) {
        identity.full_hash = full_hash(finder, candidate);
    }
    let mut claimed = finder.claimed();
    let free: Vec<&FingerprintMatch> = gone
        .iter()
        .filter(|stored| !claimed.contains(&stored.file.id))
        .collect();
    identity.claim = choose(candidate, &free, identity.full_hash);
    claimed.extend(identity.claim);
    Ok(identity)
}

/// Returns the file that moved here while new content took its path, if the walk saw that path
/// first.
fn replaced(finder: &IdentityFinder, candidate: &CandidateFile<'_>) -> Identity {
    let replaced = finder.replaced().get(&candidate.fingerprint).copied();
    let mut claimed = finder.claimed();
    let claim = replaced.filter(|id| Some(*id) != candidate.stored && claimed.insert(*id));
    Identity {
        claim,
        full_hash: None,
        is_to_be_read: claim.is_some(),
    }
}

/// Returns `true` if a full hash is needed. If the fingerprint covers the whole content, there is
/// no tie. Otherwise, the full hash distinguishes copies and candidates, now or after the original
/// is gone.
fn needs_full_hash(
    candidate: &CandidateFile<'_>,
    gone: &[FingerprintMatch],
    there: &[FingerprintMatch],
) -> bool {
    if fingerprint::covers(candidate.stat.size) {
        return false;
    }
    let knows_hash = gone.iter().any(|stored| stored.full_hash.is_some());
    !there.is_empty() || gone.len() > 1 || knows_hash
}

fn full_hash(finder: &IdentityFinder, candidate: &CandidateFile<'_>) -> Option<[u8; 32]> {
    if candidate.stat.size > fingerprint::MAX_FULL || !finder.may_hash(candidate.stat.size) {
        return None;
    }
    fingerprint::full(&*finder.disk, candidate.path).ok()
}

/// Chooses among candidates: first by the same name, then by the same full hash. Returns `None` if
/// neither decides.
fn choose(
    candidate: &CandidateFile<'_>,
    gone: &[&FingerprintMatch],
    full_hash: Option<[u8; 32]>,
) -> Option<FileId> {
    let differs =
        |stored: &FingerprintMatch| full_hash.zip(stored.full_hash).is_some_and(|(a, b)| a != b);
    let possible: Vec<&&FingerprintMatch> = gone.iter().filter(|stored| !differs(stored)).collect();
    let same_name = possible
        .iter()
        .find(|stored| path::original(&stored.file.name) == candidate.name);
    if let Some(stored) = same_name {
        return Some(stored.file.id);
    }
    let same_whole = possible
        .iter()
        .find(|stored| full_hash.is_some() && stored.full_hash == full_hash);
    if let Some(stored) = same_whole {
        return Some(stored.file.id);
    }
    match possible.as_slice() {
        [only] => Some(only.file.id),
        [first, ..] if fingerprint::covers(candidate.stat.size) => Some(first.file.id),
        _ => None,
    }
}

/// Returns `true` if a stored file's content is no longer at its path. A path that cannot be
/// examined is not gone.
fn has_lost_its_path(finder: &IdentityFinder, stored: &FingerprintMatch) -> bool {
    if path::is_tombstone(&stored.file.name) {
        return true;
    }
    let path = path::join(&stored.folder_path, &stored.file.name);
    match finder.disk.stat(&path) {
        Err(error) => is_gone(&error),
        Ok(stat) if (stat.size, stat.mtime_ns) == (stored.file.size, stored.file.mtime_ns) => false,
        Ok(_) => {
            has_other_content(finder, &path, stored.file.fingerprint.as_ref()).unwrap_or(false)
        }
    }
}

/// Returns `true` for the only two errors that prove that nothing exists at the path.
pub(super) fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn has_other_content(
    finder: &IdentityFinder,
    path: &[u8],
    fingerprint: Option<&Fingerprint>,
) -> io::Result<bool> {
    let file = fingerprint::open(&*finder.disk, path)?;
    let stat = fingerprint::stat(&file)?;
    let now = fingerprint::of(&file, stat.size, &mut Vec::new())?;
    Ok(now.as_ref() != fingerprint)
}
