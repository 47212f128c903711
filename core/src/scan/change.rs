//! What goes from stage to stage of a scan: folders that differ from what is stored.

use crate::id::{FileId, FolderId};
use crate::registry::MediaKind;
use crate::registry::naming::{ItemNames, Member};
use crate::registry::reading::{Inspection, Probe, Together};
use crate::scan::disk::Look;
use crate::store::file::content::Findings;
use crate::store::file::{Fingerprint, StoredFile};
use crate::store::folder::Digest;

/// A folder whose listing differs from the stored one, as the walk found it.
#[derive(Debug)]
pub(super) struct ChangedFolder {
    pub(super) id: Option<FolderId>,
    pub(super) path: Vec<u8>,
    pub(super) is_mount: bool,
    pub(super) digest: Digest,
    /// Of the pictures that may be covers.
    pub(super) pictures: Option<Digest>,
    /// Whether no present file has gone from here.
    pub(super) is_settled: bool,
    /// Files of known kinds, by name.
    pub(super) files: Vec<SeenFile>,
    /// Names of the other files.
    pub(super) others: Vec<Vec<u8>>,
    /// Names of the folders in it.
    pub(super) folders: Vec<Vec<u8>>,
}

/// A file on the disk and what is stored at its path.
#[derive(Debug)]
pub(super) struct SeenFile {
    pub(super) name: Vec<u8>,
    pub(super) look: Look,
    pub(super) kind: &'static MediaKind,
    pub(super) stored: Option<Box<StoredFile>>,
    /// The mark that what is read of it today bears.
    pub(super) mark: i64,
    /// Further kinds that may take it by its content, with their marks.
    pub(super) contestants: Vec<(&'static MediaKind, i64)>,
}

impl SeenFile {
    /// Nothing suggests that the content is another than the stored one.
    pub(super) fn has_stored_content(&self) -> bool {
        self.stored.as_ref().is_some_and(|stored| {
            stored.size == self.look.size
                && stored.mtime_ns == self.look.mtime_ns
                && (stored.fingerprint.is_some() || stored.size == 0)
        })
    }

    /// Nor would its readers find anything else in it, or beside it.
    pub(super) fn is_as_stored(&self) -> bool {
        self.has_stored_content()
            && self
                .stored
                .as_ref()
                .is_some_and(|stored| self.bears(stored))
    }

    /// Whether what is stored of a file was read by today's readers from today's notes.
    pub(super) fn bears(&self, stored: &StoredFile) -> bool {
        stored.size == 0 || stored.mark == Some(self.mark)
    }
}

/// A changed folder, or a part of one, read and grouped: ready to be written.
#[derive(Debug)]
pub(super) struct PreparedFolder {
    pub(super) path: Vec<u8>,
    pub(super) is_mount: bool,
    pub(super) digest: Digest,
    /// Of the pictures that may be covers.
    pub(super) pictures: Option<Digest>,
    /// Whether the stored files will agree with the listing once the groups are written: not
    /// where a file is gone, is growing or could not be read.
    pub(super) is_settled: bool,
    /// Whether no more of the folder comes: large ones come in parts.
    pub(super) is_last: bool,
    pub(super) groups: Vec<PreparedGroup>,
}

/// The part of an item that lies in one folder.
#[derive(Debug)]
pub(super) struct PreparedGroup {
    pub(super) kind: &'static MediaKind,
    pub(super) key: String,
    pub(super) names: ItemNames,
    /// What its files say together, where its kind makes that out.
    pub(super) together: Option<Box<Together>>,
    pub(super) files: Vec<PreparedFile>,
}

/// One file of a group.
#[derive(Debug)]
pub(super) struct PreparedFile {
    pub(super) name: Vec<u8>,
    pub(super) look: Look,
    pub(super) member: Member,
    pub(super) stored: Option<Box<StoredFile>>,
    /// The stored file whose content has come here from another path.
    pub(super) claim: Option<FileId>,
    /// What was read; `None` where the content is the stored one.
    pub(super) reading: Option<Box<Reading>>,
}

impl PreparedFile {
    /// Whether its content was looked into: not that of a file that only moved.
    pub(super) fn was_read(&self) -> bool {
        self.reading
            .as_ref()
            .is_some_and(|reading| self.claim.is_none() || reading.is_looked_into)
    }
}

/// What was read of a file.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) fingerprint: Option<Fingerprint>,
    pub(super) full_hash: Option<[u8; 32]>,
    /// Whether its kind was asked what is in it, be the answer nothing.
    pub(super) is_looked_into: bool,
    /// The mark of what was found then.
    pub(super) mark: Option<i64>,
    pub(super) inspection: Option<Box<Inspection>>,
    pub(super) probe: Option<Box<Probe>>,
}

impl Reading {
    pub(super) fn findings(&self) -> Findings<'_> {
        Findings {
            inspection: self.inspection.as_deref(),
            probe: self.probe.as_deref(),
            mark: self.mark,
        }
    }
}
