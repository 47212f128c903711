//! Database check immediately before an event is sent: visibility to the listener, and the current
//! status.

use ledge_core::access::Visible;
use ledge_core::enrich::{self, EnrichmentStatus};
use ledge_core::error::StoreResult;
use ledge_core::events::JobChange;
use ledge_core::id::{ItemId, LibraryId};
use ledge_core::store::library::scan_run::{self, ScanStatus};
use rusqlite::Connection;

use super::feed::Work;
use crate::serve::job_kinds::{self, Subject};

/// Result of the check.
pub(super) enum Look {
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
pub(super) enum Question {
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

impl Question {
    pub(super) fn about(work: &Work) -> Self {
        match work {
            Work::Scan(library) => Self::Scan(*library),
            Work::Covers(library) => Self::Library(*library),
            Work::Enrichment(library) => Self::Enrichment(*library),
            Work::Job(job) => Self::about_job(job),
            Work::Reset(_) | Work::Session | Work::KeepAlive => Self::Nothing,
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

    pub(super) fn ask(self, conn: &Connection, user: Visible, is_admin: bool) -> StoreResult<Look> {
        let seen = |is_seen| if is_seen { Look::Seen } else { Look::Hidden };
        Ok(match self {
            Self::Nothing => Look::Seen,
            Self::Administrator => seen(is_admin),
            Self::Library(id) => seen(user.library(conn, id)?.is_some()),
            Self::Item(id) => seen(user.item(conn, id)?.is_some()),
            Self::Scan(id) => match user.library(conn, id)? {
                Some(library) => Look::Scan(Box::new(scan_run::status(conn, library)?)),
                None => Look::Hidden,
            },
            Self::Enrichment(id) if is_admin => {
                Look::Enrichment(Box::new(enrich::status_unscoped(conn, id)?))
            }
            Self::Enrichment(_) => Look::Hidden,
        })
    }
}
