//! Database check immediately before an event is sent: visibility to the listener, and the current
//! status.

use ledge_core::access::Visible;
use ledge_core::enrich::{self, EnrichmentStatus};
use ledge_core::error::StoreResult;
use ledge_core::events::JobChange;
use ledge_core::id::{ItemId, LibraryId};
use ledge_core::store::library::scan_run::{self, ScanStatus};
use rusqlite::Connection;

use super::feed::PendingEvent;
use crate::serve::job_kinds::{self, Subject};

/// Result of the check.
pub(super) enum CheckResult {
    /// The session has ended, or the user's role has changed.
    SignedOut,
    /// The subject is not visible, or not any more.
    Hidden,
    /// The subject is visible, and the event needs no further data.
    Seen,
    Scan(Box<ScanStatus>),
    Enrichment(Box<EnrichmentStatus>),
}

/// Subject of the check.
#[derive(Debug, Clone, Copy)]
pub(super) enum Check {
    /// None: every user with a valid session may receive the event.
    Nothing,
    /// Role: only administrators may receive the event.
    Administrator,
    /// Visibility of a library.
    Library(LibraryId),
    /// Visibility of an item.
    Item(ItemId),
    /// Visibility and scan status of a library.
    Scan(LibraryId),
    /// Enrichment status of a library; administrators manage every library.
    Enrichment(LibraryId),
}

impl Check {
    pub(super) fn about(work: &PendingEvent) -> Self {
        match work {
            PendingEvent::Scan(library) => Self::Scan(*library),
            PendingEvent::Covers(library) => Self::Library(*library),
            PendingEvent::Enrichment(library) => Self::Enrichment(*library),
            PendingEvent::Job(job) => Self::about_job(job),
            PendingEvent::Reset(_) | PendingEvent::Session | PendingEvent::KeepAlive => {
                Self::Nothing
            }
        }
    }

    /// Returns the check for a job. The subject of the job decides, also for administrators.
    fn about_job(job: &JobChange) -> Self {
        match (job_kinds::subject(&job.kind), job.ref_id) {
            (Subject::Library, Some(id)) => Self::Library(LibraryId(id)),
            (Subject::Item, Some(id)) => Self::Item(ItemId(id)),
            (Subject::Server, _) | (_, None) => Self::Administrator,
        }
    }

    pub(super) fn run(
        self,
        conn: &Connection,
        user: Visible,
        is_admin: bool,
    ) -> StoreResult<CheckResult> {
        let seen = |is_seen| {
            if is_seen {
                CheckResult::Seen
            } else {
                CheckResult::Hidden
            }
        };
        Ok(match self {
            Self::Nothing => CheckResult::Seen,
            Self::Administrator => seen(is_admin),
            Self::Library(id) => seen(user.library(conn, id)?.is_some()),
            Self::Item(id) => seen(user.item(conn, id)?.is_some()),
            Self::Scan(id) => match user.library(conn, id)? {
                Some(library) => CheckResult::Scan(Box::new(scan_run::status(conn, library)?)),
                None => CheckResult::Hidden,
            },
            Self::Enrichment(id) if is_admin => {
                CheckResult::Enrichment(Box::new(enrich::status_unscoped(conn, id)?))
            }
            Self::Enrichment(_) => CheckResult::Hidden,
        })
    }
}
