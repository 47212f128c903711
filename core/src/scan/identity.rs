//! Identity: which stored file a new content at a path is.
//!
//! Content found at a path where it was not before belongs to the stored file with the same
//! fingerprint whose own path has lost it: because nothing is there any more, or because
//! something else is. Where the stored path still has it, the new one is a copy.

use std::io;

use rusqlite::Connection;

use super::disk::Look;
use super::fingerprint;
use super::name;
use super::run::{Run, lock};
use crate::id::FileId;
use crate::store::StoreResult;
use crate::store::file::{self, Fingerprint, Namesake};

/// Stored files of one fingerprint that are looked at; more are copies of copies.
const MAX_NAMESAKES: usize = 64;
/// Full hashes in one run stop after so many bytes: they decide ties only.
pub(super) const FULL_BUDGET: u64 = 8 << 30;

/// A file whose content is not the one stored at its path.
#[derive(Debug)]
pub(super) struct Newcomer<'a> {
    pub(super) path: &'a [u8],
    pub(super) name: &'a [u8],
    pub(super) look: Look,
    pub(super) fingerprint: Fingerprint,
    /// The file stored at its path.
    pub(super) stored: Option<FileId>,
}

/// What became of the search.
#[derive(Debug, Default)]
pub(super) struct Identity {
    /// The stored file that this is; nobody else gets it in this run.
    pub(super) claim: Option<FileId>,
    /// Hash of the whole, where it was needed.
    pub(super) full_hash: Option<[u8; 32]>,
    /// Whether what is stored of the claimed file may be of another content by now.
    pub(super) is_to_be_read: bool,
}

/// Finds the stored file that a newcomer is.
pub(super) fn find(
    run: &Run<'_>,
    connection: &Connection,
    newcomer: &Newcomer<'_>,
) -> StoreResult<Identity> {
    let mut namesakes = file::with_fingerprint_unscoped(
        connection,
        run.library,
        &newcomer.fingerprint,
        MAX_NAMESAKES,
    )?;
    namesakes.retain(|namesake| Some(namesake.file.id) != newcomer.stored);
    if namesakes.is_empty() {
        return Ok(replaced(run, newcomer));
    }
    let (gone, there): (Vec<_>, Vec<_>) = namesakes
        .into_iter()
        .partition(|namesake| has_lost_its_path(run, namesake));
    let mut identity = Identity::default();
    if needs_full_hash(newcomer, &gone, &there) {
        identity.full_hash = full_hash(run, newcomer);
    }
    let mut claimed = lock(&run.claimed);
    let free: Vec<&Namesake> = gone
        .iter()
        .filter(|namesake| !claimed.contains(&namesake.file.id))
        .collect();
    identity.claim = choose(newcomer, &free, identity.full_hash);
    claimed.extend(identity.claim);
    Ok(identity)
}

/// The file whose content was moved here while something new took its path, where the walk met
/// that path first.
fn replaced(run: &Run<'_>, newcomer: &Newcomer<'_>) -> Identity {
    let known = lock(&run.replaced).get(&newcomer.fingerprint).copied();
    let mut claimed = lock(&run.claimed);
    let claim = known.filter(|id| Some(*id) != newcomer.stored && claimed.insert(*id));
    Identity {
        claim,
        full_hash: None,
        is_to_be_read: claim.is_some(),
    }
}

/// Where the fingerprint covers everything there is no tie; else a hash of the whole tells copies
/// and candidates apart, now or when the original is gone one day.
fn needs_full_hash(newcomer: &Newcomer<'_>, gone: &[Namesake], there: &[Namesake]) -> bool {
    if fingerprint::covers(newcomer.look.size) {
        return false;
    }
    let knows_hash = gone.iter().any(|namesake| namesake.full_hash.is_some());
    !there.is_empty() || gone.len() > 1 || knows_hash
}

fn full_hash(run: &Run<'_>, newcomer: &Newcomer<'_>) -> Option<[u8; 32]> {
    if newcomer.look.size > fingerprint::MAX_FULL || !run.may_hash(newcomer.look.size) {
        return None;
    }
    fingerprint::full(&*run.disk, newcomer.path).ok()
}

/// The same name first, then the same whole; where neither decides among several, none.
fn choose(
    newcomer: &Newcomer<'_>,
    gone: &[&Namesake],
    full_hash: Option<[u8; 32]>,
) -> Option<FileId> {
    let differs = |namesake: &Namesake| {
        full_hash
            .zip(namesake.full_hash)
            .is_some_and(|(a, b)| a != b)
    };
    let possible: Vec<&&Namesake> = gone.iter().filter(|namesake| !differs(namesake)).collect();
    let same_name = possible
        .iter()
        .find(|namesake| name::original(&namesake.file.name) == newcomer.name);
    if let Some(namesake) = same_name {
        return Some(namesake.file.id);
    }
    let same_whole = possible
        .iter()
        .find(|namesake| full_hash.is_some() && namesake.full_hash == full_hash);
    if let Some(namesake) = same_whole {
        return Some(namesake.file.id);
    }
    match possible.as_slice() {
        [only] => Some(only.file.id),
        [first, ..] if fingerprint::covers(newcomer.look.size) => Some(first.file.id),
        _ => None,
    }
}

/// Whether a stored file's content is not at its path any more. What cannot be looked at is not
/// gone.
fn has_lost_its_path(run: &Run<'_>, namesake: &Namesake) -> bool {
    if name::is_parked(&namesake.file.name) {
        return true;
    }
    let path = name::join(&namesake.folder_path, &namesake.file.name);
    match run.disk.look(&path) {
        Err(error) => is_gone(&error),
        Ok(look) if (look.size, look.mtime_ns) == (namesake.file.size, namesake.file.mtime_ns) => {
            false
        }
        Ok(_) => has_other_content(run, &path, namesake.file.fingerprint.as_ref()).unwrap_or(false),
    }
}

/// Only these two say that nothing is there.
pub(super) fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn has_other_content(
    run: &Run<'_>,
    path: &[u8],
    fingerprint: Option<&Fingerprint>,
) -> io::Result<bool> {
    let file = fingerprint::open(&*run.disk, path)?;
    let look = fingerprint::look(&file)?;
    let now = fingerprint::of(&file, look.size, &mut Vec::new())?;
    Ok(now.as_ref() != fingerprint)
}
