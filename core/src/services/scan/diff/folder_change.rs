//! Data that the scan stages exchange: folders that differ from the stored state.

use crate::fs::disk::FileStat;
use crate::id::{FileId, FolderId};
use crate::registry::MediaKind;
use crate::registry::naming::{ItemNames, Member};
use crate::registry::reading::{Inspection, ItemSummary, Probe};
use crate::store::file::content::Findings;
use crate::store::file::folder::Digest;
use crate::store::file::{Fingerprint, StoredFile};

/// Folder whose listing differs from the stored one, as the walk found it.
#[derive(Debug)]
pub(crate) struct ChangedFolder {
    pub(crate) id: Option<FolderId>,
    pub(crate) path: Vec<u8>,
    pub(crate) is_mount: bool,
    pub(crate) digest: Digest,
    /// Digest of the picture files that may be covers.
    pub(crate) pictures: Option<Digest>,
    /// `true` if no file that is stored as present is gone from the folder.
    pub(crate) is_settled: bool,
    /// Files of known kinds, sorted by name.
    pub(crate) files: Vec<SeenFile>,
    /// Names of the other files.
    pub(crate) others: Vec<Vec<u8>>,
    /// Names of the subfolders.
    pub(crate) folders: Vec<Vec<u8>>,
}

/// File on the disk, with the row that is stored for its path.
#[derive(Debug)]
pub(crate) struct SeenFile {
    pub(crate) name: Vec<u8>,
    pub(crate) stat: FileStat,
    pub(crate) kind: &'static MediaKind,
    pub(crate) stored: Option<Box<StoredFile>>,
    /// Read signature that the file gets if it is read now.
    pub(crate) read_signature: i64,
    /// Other kinds that may accept the file by its content, with their read signatures.
    pub(crate) contestants: Vec<(&'static MediaKind, i64)>,
}

impl SeenFile {
    /// Returns `true` if size and modification time match the stored row.
    pub(crate) fn has_stored_content(&self) -> bool {
        self.stored.as_ref().is_some_and(|stored| {
            stored.size == self.stat.size
                && stored.mtime_ns == self.stat.mtime_ns
                && (stored.fingerprint.is_some() || stored.size == 0)
        })
    }

    /// Returns `true` if the content is unchanged and a new read would give the same result.
    pub(crate) fn is_as_stored(&self) -> bool {
        self.has_stored_content()
            && self
                .stored
                .as_ref()
                .is_some_and(|stored| self.is_current(stored))
    }

    /// Returns `true` if the stored values were read by the current reader version from the current
    /// sidecar files.
    pub(crate) fn is_current(&self, stored: &StoredFile) -> bool {
        stored.size == 0 || stored.read_signature == Some(self.read_signature)
    }
}

/// Changed folder, or a part of one, that is read and grouped and can be written.
#[derive(Debug)]
pub(crate) struct PreparedFolder {
    pub(crate) path: Vec<u8>,
    pub(crate) is_mount: bool,
    pub(crate) digest: Digest,
    /// Digest of the picture files that may be covers.
    pub(crate) pictures: Option<Digest>,
    /// `true` if the stored files will match the listing once the groups are written. `false` if a
    /// file is gone, is still growing or could not be read.
    pub(crate) is_settled: bool,
    /// `true` if this is the last part of the folder. Large folders are sent in parts.
    pub(crate) is_last: bool,
    pub(crate) groups: Vec<PreparedGroup>,
}

/// The part of an item that is in one folder.
#[derive(Debug)]
pub(crate) struct PreparedGroup {
    pub(crate) kind: &'static MediaKind,
    pub(crate) key: String,
    pub(crate) names: ItemNames,
    /// Merged metadata of all its files, if the kind provides it.
    pub(crate) summary: Option<Box<ItemSummary>>,
    pub(crate) files: Vec<PreparedFile>,
}

/// File of a group.
#[derive(Debug)]
pub(crate) struct PreparedFile {
    pub(crate) name: Vec<u8>,
    pub(crate) stat: FileStat,
    pub(crate) member: Member,
    pub(crate) stored: Option<Box<StoredFile>>,
    /// The stored file whose content moved here from another path.
    pub(crate) claim: Option<FileId>,
    /// Values that were read. `None` if the content is the stored one.
    pub(crate) reading: Option<Box<Reading>>,
}

impl PreparedFile {
    /// Returns `true` if the content was inspected. The content of a file that only moved is not.
    pub(crate) fn was_read(&self) -> bool {
        self.reading
            .as_ref()
            .is_some_and(|reading| self.claim.is_none() || reading.is_metadata_read)
    }
}

/// Values that were read from a file.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) fingerprint: Option<Fingerprint>,
    pub(crate) full_hash: Option<[u8; 32]>,
    /// `true` if the kind inspected the file, even if it found nothing.
    pub(crate) is_metadata_read: bool,
    /// Read signature at the time of the inspection.
    pub(crate) read_signature: Option<i64>,
    pub(crate) inspection: Option<Box<Inspection>>,
    pub(crate) probe: Option<Box<Probe>>,
}

impl Reading {
    pub(crate) fn findings(&self) -> Findings<'_> {
        Findings {
            inspection: self.inspection.as_deref(),
            probe: self.probe.as_deref(),
            read_signature: self.read_signature,
        }
    }
}
