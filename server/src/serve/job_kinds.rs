//! Kinds of background jobs: their handlers and the type of their subject. The subject determines
//! which users receive events about a job.

use ledge_core::app::ScanHook;
use ledge_core::http::publications::digests;
use ledge_core::jobs::{Handler, JobHandlers};
use ledge_core::transfer::import;
use ledge_core::{backup, cover, enrich, job_kind, scan};

/// Type of the object that a job's `ref_id` identifies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A library.
    Library,
    /// An item.
    Item,
    /// The server as a whole, for which no grants exist.
    Server,
}

/// A kind of job.
struct JobKind {
    id: &'static str,
    subject: Subject,
    /// `true` if the job mostly waits for remote servers. Such jobs occupy at most half of the
    /// workers.
    is_patient: bool,
    run: Handler,
}

const KINDS: &[JobKind] = &[
    JobKind {
        id: job_kind::SCAN,
        subject: Subject::Library,
        is_patient: false,
        run: scan::run_job,
    },
    JobKind {
        id: job_kind::COVERS,
        subject: Subject::Server,
        is_patient: false,
        run: cover::run_job,
    },
    JobKind {
        id: job_kind::ENRICH_LIBRARY,
        subject: Subject::Library,
        is_patient: true,
        run: enrich::run_library_job,
    },
    JobKind {
        id: job_kind::ENRICH_ITEM,
        subject: Subject::Item,
        is_patient: true,
        run: enrich::run_item_job,
    },
    JobKind {
        id: job_kind::ENRICH_ITEMS,
        subject: Subject::Server,
        is_patient: true,
        run: enrich::run_items_job,
    },
    JobKind {
        id: job_kind::BACKUP,
        subject: Subject::Server,
        is_patient: false,
        run: backup::run_job,
    },
    JobKind {
        id: job_kind::IMPORT,
        subject: Subject::Server,
        is_patient: false,
        run: import::run_job,
    },
    JobKind {
        id: job_kind::DIGESTS,
        subject: Subject::Server,
        is_patient: false,
        run: digests::run_job,
    },
];

/// Work that follows a scan.
pub(crate) const AFTER_SCAN: &[ScanHook] =
    &[enrich::after_scan, cover::after_scan, digests::after_scan];

/// Returns the type of subject of a job kind; an unknown kind belongs to the server.
pub(crate) fn subject(kind: &str) -> Subject {
    let known = KINDS.iter().find(|known| known.id == kind);
    known.map_or(Subject::Server, |known| known.subject)
}

/// Returns the handlers of all kinds for this number of workers.
pub(crate) fn handlers(workers: usize) -> JobHandlers {
    KINDS.iter().fold(JobHandlers::default(), |handlers, kind| {
        if kind.is_patient {
            handlers.with_limit(kind.id, workers / 2, kind.run)
        } else {
            handlers.with(kind.id, kind.run)
        }
    })
}
