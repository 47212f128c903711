//! Applies the staged rows in short transactions, so that users can write meanwhile. A dry run makes
//! the same comparisons in read transactions.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::collect::{Collected, FINISHED};
use super::rows::RowType;
use super::summary::Summary;
use super::{Environment, ImportError, ImportResult};
use crate::error::StoreResult;
use crate::store::catalogue::batch::import::{Import, Outcome};

/// Number of rows in one transaction.
const CHUNK: usize = 500;

/// Result of one transaction.
#[derive(Debug)]
pub struct Step {
    import: Import,
    outcomes: Vec<(i64, Outcome)>,
}

/// Work of one transaction.
pub type Work = Box<dyn FnOnce(&Transaction<'_>) -> StoreResult<Step> + Send>;

/// Database that an import changes.
pub trait Target {
    /// Runs `work` in a durable transaction.
    fn write(&mut self, work: Work) -> StoreResult<Step>;
}

/// A connection of the command line.
impl Target for Connection {
    fn write(&mut self, work: Work) -> StoreResult<Step> {
        let tx = self.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let step = work(&tx)?;
        tx.commit()?;
        Ok(step)
    }
}

/// Connection that is only read, for a dry run.
struct ReadOnly<'a>(&'a Connection);

impl Target for ReadOnly<'_> {
    fn write(&mut self, work: Work) -> StoreResult<Step> {
        let tx = self.0.unchecked_transaction()?;
        work(&tx)
    }
}

/// Applies all staged rows, and completes summary and report.
pub(super) fn apply(
    ledge: &Connection,
    environment: Environment<'_>,
    target: &mut dyn Target,
    collected: &mut Collected,
    is_stopped: &dyn Fn() -> bool,
) -> ImportResult<()> {
    let fields = collected.staging.types()?;
    let dry_run = collected.summary.dry_run;
    let import = Import::new(environment.user, fields, environment.now, dry_run);
    let mut read_only = ReadOnly(ledge);
    let target: &mut dyn Target = if dry_run { &mut read_only } else { target };
    let import = apply_items(target, collected, import, is_stopped)?;
    let import = apply_lists(target, collected, import, is_stopped)?;
    collected.summary.batch = import.batch;
    complete(collected)
}

fn apply_items(
    target: &mut dyn Target,
    collected: &Collected,
    mut import: Import,
    is_stopped: &dyn Fn() -> bool,
) -> ImportResult<Import> {
    let mut cursor = (i64::MIN, 0, 0, 0, String::new());
    loop {
        let items = collected.staging.next_items(&mut cursor, CHUNK)?;
        if items.is_empty() {
            return Ok(import);
        }
        if is_stopped() {
            return Err(ImportError::Stopped);
        }
        let mut next = import;
        let step = target.write(Box::new(move |tx| {
            let outcomes = next.apply_items(tx, &items)?;
            Ok(Step {
                import: next,
                outcomes,
            })
        }))?;
        for (n, outcome) in step.outcomes {
            collected.staging.set_outcome(n, outcome)?;
        }
        import = step.import;
    }
}

fn apply_lists(
    target: &mut dyn Target,
    collected: &Collected,
    mut import: Import,
    is_stopped: &dyn Fn() -> bool,
) -> ImportResult<Import> {
    let mut last = 0;
    let source = &collected.summary.source;
    while let Some((n, list)) = collected.staging.next_list(last, source)? {
        if is_stopped() {
            return Err(ImportError::Stopped);
        }
        last = n;
        let mut next = import;
        let step = target.write(Box::new(move |tx| {
            let outcome = next.apply_list(tx, &list)?;
            Ok(Step {
                import: next,
                outcomes: vec![(n, outcome)],
            })
        }))?;
        for (n, outcome) in step.outcomes {
            collected.staging.set_outcome(n, outcome)?;
        }
        import = step.import;
    }
    Ok(import)
}

/// Counts the outcomes, and reports the rows that were not stored.
fn complete(collected: &mut Collected) -> ImportResult<()> {
    let Collected {
        staging,
        report,
        summary,
    } = collected;
    staging.each_outcome(|row, outcome| {
        let reason = match outcome {
            Outcome::NewerHere => "newer_here",
            Outcome::Unsupported => "unsupported",
            _ => "",
        };
        count(summary, row.kind, outcome);
        if reason.is_empty() {
            return Ok(());
        }
        let kind = if row.kind == FINISHED {
            RowType::Progress.as_str()
        } else {
            row.kind
        };
        report.add([kind, row.user, row.path, row.title, reason])
    })
}

fn count(summary: &mut Summary, kind: &str, outcome: Outcome) {
    let (taken, skipped) = (&mut summary.taken, &mut summary.skipped);
    let number = match outcome {
        Outcome::Unchanged => &mut skipped.unchanged,
        Outcome::Unsupported => &mut skipped.unsupported,
        Outcome::NewerHere => &mut skipped.newer_here,
        Outcome::ChangedHere => &mut skipped.changed_here,
        Outcome::Taken => match kind {
            FINISHED => &mut taken.finished,
            "favourite" => &mut taken.favourites,
            "rating" => &mut taken.ratings,
            "playlist" => &mut taken.playlists,
            "collection" => &mut taken.collections,
            "plays" => &mut taken.plays,
            "bookmark" => &mut taken.bookmarks,
            "session" => &mut taken.sessions,
            "save" => &mut taken.saves,
            _ => &mut taken.progress,
        },
    };
    *number += 1;
}
