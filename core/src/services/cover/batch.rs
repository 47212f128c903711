//! Results for some items, written in one transaction.

use std::collections::BTreeSet;

use rusqlite::Transaction;

use crate::error::StoreResult;
use crate::id::{CoverId, LibraryId};
use crate::image::render::Rendered;
use crate::store::catalogue::field::source;
use crate::store::cover;
use crate::store::cover::queue::{self, QueuedItem};
use crate::store::library::scan_run;

/// Result for one item.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) queued: QueuedItem,
    /// The cover, or `None` if the item has none.
    pub(super) cover: Option<Choice>,
}

/// Cover of an item.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) hash: String,
    /// Images of the cover. `None` if they are stored already or are in the same batch.
    pub(super) rendered: Option<Rendered>,
    /// Constant of `catalogue::source`.
    pub(super) source: i64,
}

/// Picture that could not be read.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) library: LibraryId,
    /// Common prefix of all error lines about its file.
    pub(super) file: String,
    pub(super) line: String,
}

/// Results that wait to be written.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) findings: Vec<Finding>,
    /// Items without a change: their cover is a provider's or a user's, or they are missing.
    pub(super) unchanged: Vec<QueuedItem>,
    pub(super) errors: Vec<Fault>,
    pub(super) bytes: usize,
}

impl Batch {
    pub(super) fn is_empty(&self) -> bool {
        self.findings.is_empty() && self.unchanged.is_empty() && self.errors.is_empty()
    }

    pub(super) fn has(&self, hash: &str) -> bool {
        let mut covers = self
            .findings
            .iter()
            .filter_map(|found| found.cover.as_ref());
        covers.any(|cover| cover.hash == hash)
    }
}

/// Changes of a batch.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) covers: u64,
    pub(super) libraries: BTreeSet<LibraryId>,
    /// Libraries whose last run received error lines.
    pub(super) changed_runs: BTreeSet<LibraryId>,
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
            written.changed_runs.insert(*library);
        }
    }
    for queued in &batch.unchanged {
        queue::dequeue(tx, *queued)?;
    }
    for finding in &batch.findings {
        // If the item was queued again in the meantime, its next turn handles it.
        if queue::dequeue(tx, finding.queued)? {
            write_cover(tx, finding, &mut written)?;
        }
    }
    Ok(written)
}

fn write_cover(tx: &Transaction<'_>, finding: &Finding, written: &mut Written) -> StoreResult<()> {
    let item = finding.queued.item;
    let Some(choice) = &finding.cover else {
        let library = cover::set(tx, item, None, source::NAME)?;
        written.libraries.extend(library);
        return Ok(());
    };
    let Some(id) = stored(tx, choice)? else {
        // The stored cover was deleted together with the last item that had it.
        return queue::enqueue(tx, item);
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
