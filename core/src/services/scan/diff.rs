//! Difference phase: a listed folder is compared with its stored state. An unchanged folder costs
//! one row lookup.

pub(super) mod folder_change;
pub(super) mod sidecars;

use rusqlite::Connection;

use super::rules;
use super::run::Run;
use crate::error::StoreResult;
use crate::fs::disk::Listing;
use crate::path;
use crate::scan::walk::visited_folders::VisitedFolders;
use crate::store::file::folder::{Digest, Folder};
use crate::store::file::{self, folder};
use folder_change::{ChangedFolder, SeenFile};
use sidecars::Sidecars;

/// Compares a folder with its stored state. Returns the folder if something must be written.
pub(super) fn compare(
    run: &Run<'_>,
    connection: &Connection,
    path: Vec<u8>,
    (listing, sidecars): (Listing, Sidecars),
    seen: &VisitedFolders,
) -> StoreResult<Option<ChangedFolder>> {
    let mut is_doubtful = false;
    for failure in &listing.failures {
        run.error(&path::join(&path, &failure.name), &failure.what);
        is_doubtful |= !failure.is_gone && run.rules.kind_of(&failure.name).is_some();
    }
    let stored = folder::at_unscoped(connection, run.library, &path)?;
    if path.is_empty() {
        seen.mark_root_visited(listing.is_mount);
    } else if let Some(folder) = &stored
        && folder.is_mount != listing.is_mount
    {
        seen.boundary_changed(folder.id, &path, listing.is_mount);
    }
    if listing.is_mount {
        seen.mounted(&path);
    }
    let pictures = rules::digest_of(&run.rules.pictures(&*run.disk, &path, &listing));
    let digests = Digests {
        listing: run
            .rules
            .digest(&listing, pictures.as_ref(), &sidecars, &run.root_name),
        pictures,
    };
    match stored {
        Some(folder) => {
            seen.mark_visited(folder.id);
            if folder.listing == Some(digests.listing) && !is_doubtful {
                return Ok(None);
            }
            known_folder(
                run,
                connection,
                &folder,
                (path, listing, sidecars, digests),
                seen,
            )
        }
        None if listing.files.is_empty() && pictures.is_none() && !listing.is_mount => Ok(None),
        None => Ok(Some(changed(
            run,
            None,
            (path, listing, sidecars, digests),
            Vec::new(),
            true,
        ))),
    }
}

/// Digests that identify the state of a folder.
#[derive(Clone, Copy)]
struct Digests {
    listing: Digest,
    /// Digest of the possible covers only.
    pictures: Option<Digest>,
}

fn known_folder(
    run: &Run<'_>,
    connection: &Connection,
    folder: &Folder,
    (path, listing, sidecars, digests): (Vec<u8>, Listing, Sidecars, Digests),
    seen: &VisitedFolders,
) -> StoreResult<Option<ChangedFolder>> {
    let rows = file::in_folder_unscoped(connection, folder.id)?;
    // An entry that could not be examined is not gone.
    let is_there = |name: &[u8]| {
        let listed = listing
            .files
            .binary_search_by(|file| file.name.as_slice().cmp(name));
        let mut unclear = listing.failures.iter().filter(|failure| !failure.is_gone);
        listed.is_ok() || unclear.any(|failure| failure.name == name)
    };
    let absent: Vec<_> = rows
        .iter()
        .filter(|row| !row.missing && !is_there(&row.name))
        .map(|row| row.id)
        .collect();
    seen.absent(folder.id, &absent);
    if listing.files.is_empty() && folder.pictures == digests.pictures {
        // There is nothing to catalogue. The listing is stored once the absent files are marked.
        seen.listed(folder.id, digests.listing);
        return Ok(None);
    }
    let is_settled = absent.is_empty();
    Ok(Some(changed(
        run,
        Some(folder),
        (path, listing, sidecars, digests),
        rows,
        is_settled,
    )))
}

fn changed(
    run: &Run<'_>,
    folder: Option<&Folder>,
    (path, listing, sidecars, digests): (Vec<u8>, Listing, Sidecars, Digests),
    rows: Vec<file::StoredFile>,
    is_settled: bool,
) -> ChangedFolder {
    let mut rows = rows.into_iter().peekable();
    let files = listing.files.into_iter().filter_map(|entry| {
        while rows.next_if(|row| row.name < entry.name).is_some() {}
        let stored = rows.next_if(|row| row.name == entry.name);
        let kind = run.rules.kind_of(&entry.name)?;
        let contestants = run.rules.contestants(&entry.name).iter();
        Some(SeenFile {
            kind,
            read_signature: sidecars.signature(kind, &entry.name),
            contestants: contestants
                .map(|kind| (*kind, sidecars.signature(kind, &entry.name)))
                .collect(),
            name: entry.name,
            stat: entry.stat,
            stored: stored.map(Box::new),
        })
    });
    ChangedFolder {
        id: folder.map(|folder| folder.id),
        path,
        is_mount: listing.is_mount,
        digest: digests.listing,
        pictures: digests.pictures,
        is_settled,
        files: files.collect(),
        others: listing.others,
        folders: listing
            .folders
            .into_iter()
            .map(|folder| folder.name)
            .collect(),
    }
}
