//! Files with an extension that several kinds read, such as containers for audio or pictures. The
//! first kind that accepts the content gets the file.

use rusqlite::Connection;

use crate::error::StoreResult;
use crate::path;
use crate::registry::MediaKind;
use crate::registry::reading::Verdict;
use crate::scan::diff::folder_change::SeenFile;
use crate::scan::read::metadata::{self, SiblingNames};
use crate::scan::run::Run;
use crate::store::catalogue;

/// Assigns stored contested files to the kind of their item.
pub(crate) fn assign_stored(connection: &Connection, files: &mut [SeenFile]) -> StoreResult<()> {
    for file in files.iter_mut().filter(|file| is_contested(file)) {
        let Some(stored) = &file.stored else { continue };
        let item = catalogue::get_unscoped(connection, stored.item)?;
        let kind = item.map(|item| item.kind);
        let mut contestants = file.contestants.iter().copied();
        if let Some(found) =
            contestants.find(|(candidate, _)| kind.as_deref() == Some(candidate.id))
        {
            swap(file, found);
        }
    }
    Ok(())
}

/// Assigns contested files that must be read to the first kind that accepts them. The owner of the
/// extension is asked first, then the other kinds by rank. A file that no kind accepts stays with
/// the owner, whose verdict then applies.
pub(crate) fn assign_changed(
    run: &Run<'_>,
    folder: &[u8],
    files: &mut [SeenFile],
    siblings: &SiblingNames,
) {
    for file in files.iter_mut().filter(|file| is_contested(file)) {
        if file.is_as_stored() {
            continue;
        }
        let path = path::join(folder, &file.name);
        let verdict =
            |kind: &MediaKind| metadata::verdict(run, kind, (&path, &file.name), siblings);
        let owner = owner(run, file);
        let taker = match verdict(owner.0) {
            Verdict::Accept | Verdict::RetryLater(_) => None,
            Verdict::Ignore | Verdict::Reject(_) => all(file)
                .filter(|(kind, _)| kind.id != owner.0.id)
                .find(|(kind, _)| verdict(kind) == Verdict::Accept),
        };
        let assigned = taker.unwrap_or(owner);
        if assigned.0.id != file.kind.id {
            swap(file, assigned);
            if let Some(stored) = &mut file.stored {
                // The stored values were read by another kind.
                stored.read_signature = None;
            }
        }
    }
}

fn is_contested(file: &SeenFile) -> bool {
    !file.contestants.is_empty()
}

/// Returns all kinds that may accept the file.
fn all(file: &SeenFile) -> impl Iterator<Item = (&'static MediaKind, i64)> {
    std::iter::once((file.kind, file.read_signature)).chain(file.contestants.iter().copied())
}

/// Returns the kind that owns the extension.
fn owner(run: &Run<'_>, file: &SeenFile) -> (&'static MediaKind, i64) {
    let owner = run.rules.kind_of(&file.name).map(|kind| kind.id);
    all(file)
        .find(|(kind, _)| owner == Some(kind.id))
        .unwrap_or((file.kind, file.read_signature))
}

/// Exchanges the file's kind with one of its contestants.
fn swap(file: &mut SeenFile, with: (&'static MediaKind, i64)) {
    let before = (file.kind, file.read_signature);
    for contestant in &mut file.contestants {
        if contestant.0.id == with.0.id {
            *contestant = before;
        }
    }
    (file.kind, file.read_signature) = with;
}
