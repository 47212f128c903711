//! The schema's versions: numbered files, applied in order, counted in `user_version`.

use rusqlite::{Connection, TransactionBehavior};

use crate::store::{StoreError, StoreResult, progress};

/// The migrations in order; the first brings the schema to version 1.
const MIGRATIONS: [&str; 30] = [
    include_str!("../../../migrations/0001_users.sql"),
    include_str!("../../../migrations/0002_libraries.sql"),
    include_str!("../../../migrations/0003_items.sql"),
    include_str!("../../../migrations/0004_people.sql"),
    include_str!("../../../migrations/0005_progress.sql"),
    include_str!("../../../migrations/0006_jobs.sql"),
    include_str!("../../../migrations/0007_search.sql"),
    include_str!("../../../migrations/0008_covers.sql"),
    include_str!("../../../migrations/0009_enrichment_and_saves.sql"),
    include_str!("../../../migrations/0010_probe.sql"),
    include_str!("../../../migrations/0011_missing_since.sql"),
    include_str!("../../../migrations/0012_continue.sql"),
    include_str!("../../../migrations/0013_places.sql"),
    include_str!("../../../migrations/0014_people_and_series.sql"),
    include_str!("../../../migrations/0015_edits.sql"),
    include_str!("../../../migrations/0016_home.sql"),
    include_str!("../../../migrations/0017_media_profile.sql"),
    include_str!("../../../migrations/0018_off_profile.sql"),
    include_str!("../../../migrations/0019_folder_scans.sql"),
    include_str!("../../../migrations/0020_unused_people.sql"),
    include_str!("../../../migrations/0021_covers_due.sql"),
    include_str!("../../../migrations/0022_said.sql"),
    include_str!("../../../migrations/0023_profile_totals.sql"),
    include_str!("../../../migrations/0024_mark.sql"),
    include_str!("../../../migrations/0025_matches.sql"),
    include_str!("../../../migrations/0026_settled.sql"),
    include_str!("../../../migrations/0027_set_at.sql"),
    include_str!("../../../migrations/0028_merge.sql"),
    include_str!("../../../migrations/0029_search_epoch.sql"),
    include_str!("../../../migrations/0030_subkinds.sql"),
];

/// The version this program writes.
pub const LATEST: usize = MIGRATIONS.len();

/// The version a database has.
pub fn version(connection: &Connection) -> StoreResult<usize> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    usize::try_from(version).map_err(|_| {
        StoreError::Refused(format!(
            "The database has the impossible version {version}."
        ))
    })
}

/// The first version in which a user's row of an item tells what to go on with. What was kept
/// before knows only how to begin.
const PLACES_TELL_ITEMS: usize = 12;

/// Applies what is missing, all of it or nothing. Running it twice changes nothing; a database of
/// a later version is refused untouched.
pub fn migrate(connection: &mut Connection) -> StoreResult<()> {
    migrate_to(connection, LATEST)
}

/// Applies what is missing of the first `last` migrations.
pub(crate) fn migrate_to(connection: &mut Connection, last: usize) -> StoreResult<()> {
    refuse_future(version(connection)?)?;
    // The version is asked again under the write lock: another process may migrate too.
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let before = version(&tx)?;
    refuse_future(before)?;
    for sql in MIGRATIONS.iter().take(last).skip(before) {
        tx.execute_batch(sql)?;
    }
    if (1..PLACES_TELL_ITEMS).contains(&before) {
        progress::recompute_all(&tx)?;
    }
    if before < last {
        tx.pragma_update(None, "user_version", last)?;
    }
    tx.commit()?;
    Ok(())
}

fn refuse_future(version: usize) -> StoreResult<()> {
    if version <= LATEST {
        return Ok(());
    }
    Err(StoreError::Refused(format!(
        "The database has schema version {version}, but this program knows versions up to \
         {LATEST}: it was written by a newer Ledge. Start that one, or restore a backup."
    )))
}

#[cfg(test)]
mod grown;
#[cfg(test)]
mod rows;

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn schema(connection: &Connection) -> Vec<String> {
        let mut statement = connection
            .prepare("SELECT type || ' ' || name || ' ' || ifnull(sql, '') FROM sqlite_schema ORDER BY 1")
            .expect("a statement");
        let rows = statement.query_map([], |row| row.get(0)).expect("rows");
        rows.map(|row| row.expect("a row")).collect()
    }

    #[test]
    fn a_fresh_database_gets_every_migration_and_twice_is_harmless() {
        let mut connection = Connection::open_in_memory().expect("a database");
        migrate(&mut connection).expect("the first time");
        assert_eq!(version(&connection).expect("a version"), LATEST);
        let before = schema(&connection);
        migrate(&mut connection).expect("the second time");
        assert_eq!(schema(&connection), before);
    }

    #[test]
    fn every_earlier_version_is_brought_up_to_the_same_schema() {
        let mut fresh = Connection::open_in_memory().expect("a database");
        migrate(&mut fresh).expect("fresh");
        for start in 0..LATEST {
            let mut old = Connection::open_in_memory().expect("a database");
            for sql in MIGRATIONS.iter().take(start) {
                old.execute_batch(sql).expect("an old schema");
            }
            old.pragma_update(None, "user_version", start)
                .expect("a version");
            migrate(&mut old).expect("an upgrade");
            assert_eq!(schema(&old), schema(&fresh), "from version {start}");
        }
    }

    #[test]
    fn a_database_from_the_future_is_refused_untouched() {
        let mut connection = Connection::open_in_memory().expect("a database");
        connection
            .pragma_update(None, "user_version", 99)
            .expect("a version");
        let error = migrate(&mut connection).expect_err("refused").to_string();
        assert!(error.contains("99") && error.contains("newer"), "{error}");
        assert!(schema(&connection).is_empty());
    }
}
