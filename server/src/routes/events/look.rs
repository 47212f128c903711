//! What the database is asked at the moment of telling: whether this listener may hear of it, and
//! how it stands now.

use ledge_core::access::Visible;
use ledge_core::enrich::{self, EnrichmentStatus};
use ledge_core::events::JobChange;
use ledge_core::id::{ItemId, LibraryId};
use ledge_core::store::StoreResult;
use ledge_core::store::scan_run::{self, ScanStatus};
use rusqlite::Connection;

use super::feed::Work;
use crate::job_kinds::{self, Subject};

/// What the database says.
pub(super) enum Look {
    /// The session has ended, or its user has another role.
    SignedOut,
    /// Not, or not any more, to be seen.
    Hidden,
    /// It may be seen, and there is nothing to read.
    Seen,
    Scan(Box<ScanStatus>),
    Enrichment(Box<EnrichmentStatus>),
}

/// What it is asked.
#[derive(Debug, Clone, Copy)]
pub(super) enum Question {
    /// Nothing: it is told to everybody whose session holds.
    Nothing,
    /// Whether it is an administrator who listens.
    Administrator,
    /// Whether the library may be seen.
    Library(LibraryId),
    /// Whether the item may be seen.
    Item(ItemId),
    /// How the scan of a library stands that may be seen.
    Scan(LibraryId),
    /// How the enrichment of a library stands; administrators manage every library.
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

    /// What a job works on decides, for administrators as for others.
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
