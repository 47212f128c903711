//! The kinds of background jobs: who does them, and what each works on, on which it depends who
//! may hear of it.

use ledge_core::jobs::{Handler, JobHandlers};
use ledge_core::{cover, enrich, scan};

/// What a job's `ref_id` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A library.
    Library,
    /// An item.
    Item,
    /// Nothing that could be granted.
    Server,
}

/// A kind of job.
struct JobKind {
    id: &'static str,
    subject: Subject,
    /// Whether it waits for strangers most of the time: others are to find a worker beside it.
    is_patient: bool,
    run: Handler,
}

const KINDS: &[JobKind] = &[
    JobKind {
        id: scan::HANDLER_KIND,
        subject: Subject::Library,
        is_patient: false,
        run: scan::run_job,
    },
    JobKind {
        id: cover::HANDLER_KIND,
        subject: Subject::Server,
        is_patient: false,
        run: cover::run_job,
    },
    JobKind {
        id: enrich::LIBRARY_HANDLER_KIND,
        subject: Subject::Library,
        is_patient: true,
        run: enrich::run_library_job,
    },
    JobKind {
        id: enrich::ITEM_HANDLER_KIND,
        subject: Subject::Item,
        is_patient: true,
        run: enrich::run_item_job,
    },
];

/// What jobs of a kind work on; those of a kind that is gone work on nothing.
pub(crate) fn subject(kind: &str) -> Subject {
    let known = KINDS.iter().find(|known| known.id == kind);
    known.map_or(Subject::Server, |known| known.subject)
}

/// The handlers of all kinds, for so many workers.
pub(crate) fn handlers(workers: usize) -> JobHandlers {
    KINDS.iter().fold(JobHandlers::default(), |handlers, kind| {
        if kind.is_patient {
            handlers.with_limit(kind.id, workers / 2, kind.run)
        } else {
            handlers.with(kind.id, kind.run)
        }
    })
}
