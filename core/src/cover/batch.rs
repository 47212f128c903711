//! What was found for a few items, written in one transaction.

use std::collections::BTreeSet;

use rusqlite::Transaction;

use super::render::Rendered;
use crate::id::{CoverId, LibraryId};
use crate::store::catalogue::source;
use crate::store::cover::due::{self, Due};
use crate::store::{StoreResult, cover, scan_run};

/// What was found for one item.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) due: Due,
    /// `None` for none.
    pub(super) cover: Option<Choice>,
}

/// The cover of an item.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) hash: String,
    /// `None` where it is stored already, or stands in the same batch.
    pub(super) rendered: Option<Rendered>,
    /// One of `catalogue::source`.
    pub(super) source: i64,
}

/// A picture that could not be read.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) library: LibraryId,
    /// How every line about its file begins.
    pub(super) file: String,
    pub(super) line: String,
}

/// What is to be written.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) findings: Vec<Finding>,
    /// Items that were let alone: their cover is a provider's or a person's, or they are missing.
    pub(super) let_alone: Vec<Due>,
    pub(super) errors: Vec<Fault>,
    pub(super) bytes: usize,
}

impl Batch {
    pub(super) fn is_empty(&self) -> bool {
        self.findings.is_empty() && self.let_alone.is_empty() && self.errors.is_empty()
    }

    pub(super) fn has(&self, hash: &str) -> bool {
        let mut covers = self
            .findings
            .iter()
            .filter_map(|found| found.cover.as_ref());
        covers.any(|cover| cover.hash == hash)
    }
}

/// What a batch changed.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) covers: u64,
    pub(super) libraries: BTreeSet<LibraryId>,
    /// Libraries whose last run got error lines.
    pub(super) told: BTreeSet<LibraryId>,
}

/// Writes a batch.
pub(super) fn write(tx: &Transaction<'_>, batch: &Batch) -> StoreResult<Written> {
    let mut written = Written::default();
    for fault in &batch.errors {
        let Fault {
            library,
            file,
            line,
        } = fault;
        if scan_run::add_error(tx, *library, file, line)? {
            written.told.insert(*library);
        }
    }
    for due in &batch.let_alone {
        due::settle(tx, *due)?;
    }
    for finding in &batch.findings {
        // Noted again meanwhile: another look follows.
        if due::settle(tx, finding.due)? {
            write_cover(tx, finding, &mut written)?;
        }
    }
    Ok(written)
}

fn write_cover(tx: &Transaction<'_>, finding: &Finding, written: &mut Written) -> StoreResult<()> {
    let item = finding.due.item;
    let Some(choice) = &finding.cover else {
        let library = cover::set(tx, item, None, source::NAME)?;
        written.libraries.extend(library);
        return Ok(());
    };
    let Some(id) = stored(tx, choice)? else {
        // It went with the last item that had it.
        return due::note(tx, item);
    };
    match cover::set(tx, item, Some(id), choice.source)? {
        Some(library) => {
            written.covers += 1;
            written.libraries.insert(library);
            Ok(())
        }
        None => cover::forget_unused(tx, id),
    }
}

fn stored(tx: &Transaction<'_>, choice: &Choice) -> StoreResult<Option<CoverId>> {
    match &choice.rendered {
        Some(rendered) => cover::ensure(tx, &choice.hash, rendered).map(Some),
        None => cover::hashed(tx, &choice.hash),
    }
}
