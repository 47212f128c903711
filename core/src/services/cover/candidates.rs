//! Search for all pictures of an item, so that an administrator can choose one.

use std::collections::HashSet;

use rusqlite::Connection;

use super::find::{self, LocationResult};
use super::picture_cache::PictureCache;
use crate::App;
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::image::{Purpose, StoredPicture};
use crate::store::catalogue::field::source;
use crate::store::cover::candidate::{EMBEDDED, FOLDER, FoundPicture};
use crate::store::cover::{self, queue};

/// Maximum number of pictures of an item.
const MAX_PICTURES: usize = 24;

/// Returns the pictures in the item's files and next to them, in the order in which the automatic
/// search prefers them. Pictures that cannot be read are left out: the scan reports them. The search
/// reads files and decodes pictures, so it must not run on an async thread.
pub fn candidates_unscoped(
    app: &App,
    connection: &Connection,
    item: ItemId,
) -> StoreResult<Vec<FoundPicture>> {
    let Some(subject) = queue::subject_unscoped(connection, item, find::MAX_FILES)? else {
        return Ok(Vec::new());
    };
    let Some(kind) = app.registry.kind(&subject.kind) else {
        return Ok(Vec::new());
    };
    let mut locations = find::embedded_locations(&subject, kind);
    let mut cache = PictureCache::default();
    locations.extend(find::sidecar_locations(
        connection, &mut cache, &subject, kind,
    )?);
    let (mut found, mut hashes) = (Vec::new(), HashSet::new());
    for location in locations.iter().take(MAX_PICTURES) {
        let LocationResult::Found(candidate) = find::read_location(app, &subject, kind, location)
        else {
            continue;
        };
        let mut is_stored = Ok(None);
        let made = StoredPicture::new(&candidate.body, Purpose::Cover, |hash| {
            is_stored = cover::hashed(connection, hash);
            matches!(is_stored, Ok(Some(_)))
        });
        is_stored?;
        let source = if candidate.source == source::FILE {
            EMBEDDED
        } else {
            FOLDER
        };
        if let Ok(picture) = made
            && hashes.insert(picture.hash.clone())
        {
            found.push(FoundPicture { source, picture });
        }
    }
    Ok(found)
}
