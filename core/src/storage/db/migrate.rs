//! Schema of the database. A new database gets `core/migrations/schema.sql`; numbered files upgrade
//! older databases to it. `user_version` contains the version.

use rusqlite::{Connection, TransactionBehavior};

use crate::error::{StoreError, StoreResult};

/// Schema of a new database.
const SCHEMA: &str = include_str!("../../../migrations/schema.sql");

/// Oldest version that can be upgraded. Only development builds created earlier ones.
pub const OLDEST: usize = 30;

/// Upgrade steps in order. The first one upgrades a database of version [`OLDEST`].
const STEPS: [&str; 28] = [
    include_str!("../../../migrations/0031_no_profile_counts.sql"),
    include_str!("../../../migrations/0032_profile_index.sql"),
    include_str!("../../../migrations/0033_standard_names.sql"),
    include_str!("../../../migrations/0034_genres_tags_ratings.sql"),
    include_str!("../../../migrations/0035_playlists.sql"),
    include_str!("../../../migrations/0036_collections.sql"),
    include_str!("../../../migrations/0037_edits.sql"),
    include_str!("../../../migrations/0038_sorts_covers.sql"),
    include_str!("../../../migrations/0039_queue_repairs.sql"),
    include_str!("../../../migrations/0040_app_passwords.sql"),
    include_str!("../../../migrations/0041_series_order.sql"),
    include_str!("../../../migrations/0042_vocabulary.sql"),
    include_str!("../../../migrations/0043_statistics.sql"),
    include_str!("../../../migrations/0044_imported_lists.sql"),
    include_str!("../../../migrations/0045_works.sql"),
    include_str!("../../../migrations/0046_parts.sql"),
    include_str!("../../../migrations/0047_plays.sql"),
    include_str!("../../../migrations/0048_file_digests.sql"),
    include_str!("../../../migrations/0049_details.sql"),
    include_str!("../../../migrations/0050_provider_settings.sql"),
    include_str!("../../../migrations/0051_exact_positions.sql"),
    include_str!("../../../migrations/0052_person_details.sql"),
    include_str!("../../../migrations/0053_season_posters.sql"),
    include_str!("../../../migrations/0054_last_episodes.sql"),
    include_str!("../../../migrations/0055_series_by_year.sql"),
    include_str!("../../../migrations/0056_fewer_subkind_indexes.sql"),
    include_str!("../../../migrations/0057_queue_positions.sql"),
    include_str!("../../../migrations/0058_volumes_of_works.sql"),
];

/// Schema version of this program.
pub const LATEST: usize = OLDEST + STEPS.len();

/// Returns the schema version of a database. A new database has version 0.
pub fn version(connection: &Connection) -> StoreResult<usize> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    usize::try_from(version).map_err(|_| {
        StoreError::Refused(format!(
            "The database has the impossible version {version}."
        ))
    })
}

/// Creates the schema of a new database, or upgrades an older one, in one transaction. Does nothing
/// if the schema is current.
///
/// # Errors
///
/// Returns [`StoreError::Refused`] for a database of a later version, or of a version before
/// [`OLDEST`], without changing it.
pub fn migrate(connection: &mut Connection) -> StoreResult<()> {
    check_version(version(connection)?)?;
    // The version is read again under the write lock, because another process may migrate too.
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let before = version(&tx)?;
    check_version(before)?;
    if before == 0 {
        tx.execute_batch(SCHEMA)?;
    } else {
        for step in STEPS.iter().skip(before.saturating_sub(OLDEST)) {
            tx.execute_batch(step)?;
        }
    }
    if before < LATEST {
        tx.pragma_update(None, "user_version", LATEST)?;
    }
    tx.commit()?;
    Ok(())
}

fn check_version(version: usize) -> StoreResult<()> {
    if version > LATEST {
        return Err(StoreError::Refused(format!(
            "The database has schema version {version}, but this program knows versions up to \
             {LATEST}: it was written by a newer Ledge. Start that one, or restore a backup."
        )));
    }
    if (1..OLDEST).contains(&version) {
        return Err(StoreError::Refused(format!(
            "The database has schema version {version} of a development build, which this program \
             cannot upgrade: start a build with schema version {OLDEST} once, or begin with a new \
             database."
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
