//! Commands `ledge backup`, `ledge restore` and `ledge check`.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::Path;

use anyhow::bail;
use ledge_core::db::{backup, migrate, open, restore, verify};
use ledge_core::store::library;
use ledge_core::time::Clock;
use rusqlite::Connection;

use crate::serve::folder;

/// Copies the database to a new file.
pub(crate) fn backup(database: &Path, target: &Path) -> anyhow::Result<()> {
    let connection = open::inspected(database)?;
    let rows = backup::backup(&connection, target)?;
    let mut out = io::stdout();
    writeln!(
        out,
        "Wrote {}, checked: {}.",
        target.display(),
        row_counts(&rows)
    )?;
    Ok(())
}

/// Replaces the database by a backup.
pub(crate) fn restore(database: &Path, backup: &Path) -> anyhow::Result<()> {
    let moved_aside = restore::restore(backup, database, Clock::system().now())?;
    let mut out = io::stdout();
    writeln!(
        out,
        "Restored {} from {}.",
        database.display(),
        backup.display()
    )?;
    if let Some(moved_aside) = moved_aside {
        let moved_aside = moved_aside.display();
        writeln!(
            out,
            "What was there is kept as {moved_aside}; delete it when all is well."
        )?;
    }
    Ok(())
}

/// Checks for damage and prints every problem as a line on standard error.
pub(crate) fn check(database: &Path) -> anyhow::Result<()> {
    let connection = open::inspected(database)?;
    let version = migrate::version(&connection)?;
    if !(migrate::OLDEST..=migrate::LATEST).contains(&version) {
        bail!(
            "The database is of version {version}; this program knows {} to {}.",
            migrate::OLDEST,
            migrate::LATEST
        );
    }
    let mut problems = verify::problems(&connection)?;
    if version == migrate::LATEST {
        problems.extend(folders(&connection)?);
        problems.extend(unused_covers(&connection)?);
    }
    let Some((last, others)) = problems.split_last() else {
        let rows = row_counts(&verify::counts(&connection)?);
        writeln!(io::stdout(), "{} is whole: {rows}.", database.display())?;
        return Ok(());
    };
    for problem in others {
        writeln!(io::stderr(), "ledge: {problem}")?;
    }
    bail!("{last}")
}

/// Returns messages about libraries whose folders the current user cannot read.
fn folders(connection: &Connection) -> anyhow::Result<Vec<String>> {
    let roots = library::roots_unscoped(connection)?;
    let gone = roots
        .into_iter()
        .filter(|(_, root)| !folder::is_readable(root));
    let describe = |(id, root): (_, std::path::PathBuf)| {
        let root = root.display();
        format!("the folder of library {id} cannot be read: {root}")
    };
    Ok(gone.map(describe).collect())
}

/// Reports covers without an item, which only occupy space.
fn unused_covers(connection: &Connection) -> anyhow::Result<Option<String>> {
    let unused: u64 = connection.query_row(
        "SELECT count(*)
           FROM cover
          WHERE NOT EXISTS (SELECT 1 FROM item WHERE item.cover_id = cover.id)
            AND NOT EXISTS (SELECT 1 FROM item_cover WHERE item_cover.cover_id = cover.id)",
        [],
        |row| row.get(0),
    )?;
    let covers = || {
        counted(
            unused,
            "cover belongs to no item",
            "covers belong to no item",
        )
    };
    Ok((unused > 0).then(covers))
}

/// Formats the counts that users check first.
fn row_counts(rows: &BTreeMap<String, u64>) -> String {
    let texts = [
        ("user", "user", "users"),
        ("library", "library", "libraries"),
        ("item", "item", "items"),
        ("progress", "place", "places"),
        ("game_save", "save", "saves"),
    ]
    .map(|(table, one, many)| counted(rows.get(table).copied().unwrap_or(0), one, many));
    texts.join(", ")
}

/// Formats a count with its noun.
fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
