//! Files of an extension that several kinds read, such as containers that hold sound or pictures:
//! the first kind that takes the content gets the file.

use rusqlite::Connection;

use super::change::SeenFile;
use super::name;
use super::read::{self, Company};
use super::run::Run;
use crate::registry::MediaKind;
use crate::registry::reading::Verdict;
use crate::store::{StoreResult, catalogue};

/// Assigns contested files that are stored to the kind of their item.
pub(super) fn assign_stored(connection: &Connection, files: &mut [SeenFile]) -> StoreResult<()> {
    for file in files.iter_mut().filter(|file| is_contested(file)) {
        let Some(stored) = &file.stored else { continue };
        let item = catalogue::get_unscoped(connection, stored.item)?;
        let kind = item.map(|item| item.kind);
        let mut contestants = file.contestants.iter().copied();
        if let Some(found) = contestants.find(|(known, _)| kind.as_deref() == Some(known.id)) {
            swap(file, found);
        }
    }
    Ok(())
}

/// Assigns contested files that are new or changed, or that were read by older readers, to the
/// first kind that takes them: the owner of the extension, then the others by rank. A file that no
/// kind takes stays with the owner, whose verdict then applies.
pub(super) fn assign_changed(
    run: &Run<'_>,
    folder: &[u8],
    files: &mut [SeenFile],
    company: &Company,
) {
    for file in files.iter_mut().filter(|file| is_contested(file)) {
        if file.is_as_stored() {
            continue;
        }
        let path = name::join(folder, &file.name);
        let verdict = |kind: &MediaKind| read::verdict(run, kind, (&path, &file.name), company);
        let owner = owner(run, file);
        let taker = match verdict(owner.0) {
            Verdict::Taken | Verdict::Unclear(_) => None,
            Verdict::Left | Verdict::Refused(_) => all(file)
                .filter(|(kind, _)| kind.id != owner.0.id)
                .find(|(kind, _)| verdict(kind) == Verdict::Taken),
        };
        let assigned = taker.unwrap_or(owner);
        if assigned.0.id != file.kind.id {
            swap(file, assigned);
            if let Some(stored) = &mut file.stored {
                // Another kind's readers read it.
                stored.mark = None;
            }
        }
    }
}

fn is_contested(file: &SeenFile) -> bool {
    !file.contestants.is_empty()
}

/// All kinds that may take the file.
fn all(file: &SeenFile) -> impl Iterator<Item = (&'static MediaKind, i64)> {
    std::iter::once((file.kind, file.mark)).chain(file.contestants.iter().copied())
}

/// The kind that the extension belongs to.
fn owner(run: &Run<'_>, file: &SeenFile) -> (&'static MediaKind, i64) {
    let owner = run.rules.kind_of(&file.name).map(|kind| kind.id);
    all(file)
        .find(|(kind, _)| owner == Some(kind.id))
        .unwrap_or((file.kind, file.mark))
}

/// Exchanges the file's kind for one of its contestants.
fn swap(file: &mut SeenFile, with: (&'static MediaKind, i64)) {
    let before = (file.kind, file.mark);
    for contestant in &mut file.contestants {
        if contestant.0.id == with.0.id {
            *contestant = before;
        }
    }
    (file.kind, file.mark) = with;
}
