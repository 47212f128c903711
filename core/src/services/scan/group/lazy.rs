//! Groups the files of a folder lazily, one group after another: a single folder may contain as
//! many files as a whole library.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::vec::IntoIter;

use rusqlite::Connection;

use crate::error::StoreResult;
use crate::id::FileId;
use crate::path;
use crate::registry::MediaKind;
use crate::registry::naming::{FileName, FolderListing, Group};
use crate::registry::reading::ItemSummary;
use crate::scan::diff::folder_change::{PreparedFile, PreparedGroup, Reading, SeenFile};
use crate::scan::group::{self, parts};
use crate::scan::rules::Rules;
use crate::scan::run::Run;
use crate::store::file::content;

/// File that is about to be assigned to a group.
pub(crate) struct UngroupedFile {
    pub(crate) file: SeenFile,
    pub(crate) claim: Option<FileId>,
    pub(crate) reading: Option<Box<Reading>>,
}

/// Files of one kind and their groups.
struct Grouped {
    kind: &'static MediaKind,
    files: Vec<Option<UngroupedFile>>,
    groups: IntoIter<(Group, Option<ItemSummary>)>,
}

/// Returns the groups of some files of a folder. The path and the subfolder names describe the
/// folder to the kind.
pub(crate) fn grouped(
    run: &Run<'_>,
    connection: &Connection,
    (path, folders): (&[u8], &[Vec<u8>]),
    files: Vec<UngroupedFile>,
) -> StoreResult<impl Iterator<Item = PreparedGroup>> {
    let text = path::display(path);
    let folders: Vec<String> = folders.iter().map(|name| path::display(name)).collect();
    let mut kinds = Vec::new();
    for (kind, mut files) in parts::by_kind(files, |taken| taken.file.kind) {
        let names = files
            .iter_mut()
            .map(|taken| shown(run, connection, taken))
            .collect::<StoreResult<Vec<_>>>()?;
        let listing = FolderListing {
            library: &run.root_name,
            path: &text,
            files: &names,
            folders: &folders,
        };
        let groups = group::groups(run, kind, path, &listing).into_iter();
        let groups: Vec<_> = groups
            .map(|group| {
                let summary = summarize(run, (kind, path), &listing, &group);
                (group, summary)
            })
            .collect();
        for (taken, name) in files.iter_mut().zip(names) {
            if let Some(kind_data) = kind_data(kind, taken) {
                *kind_data = name.kind_data;
            }
        }
        kinds.push(Grouped {
            kind,
            files: files.into_iter().map(Some).collect(),
            groups: groups.into_iter(),
        });
    }
    Ok(kinds.into_iter().flatten())
}

impl Iterator for Grouped {
    type Item = PreparedGroup;

    fn next(&mut self) -> Option<PreparedGroup> {
        let (group, summary) = self.groups.next()?;
        let mut files = Vec::with_capacity(group.members.len());
        files.extend(group.members.into_iter().filter_map(|member| {
            let taken = self.files.get_mut(member.file)?.take()?;
            Some(PreparedFile {
                name: taken.file.name,
                stat: taken.file.stat,
                member,
                stored: taken.file.stored,
                claim: taken.claim,
                reading: taken.reading,
            })
        }));
        Some(PreparedGroup {
            kind: self.kind,
            files,
            key: group.key,
            names: group.names,
            summary: summary.map(Box::new),
        })
    }
}

/// Returns a file's name with the kind's data about it. Data from this scan is moved out of the
/// reading, otherwise the stored data is loaded.
fn shown(
    run: &Run<'_>,
    connection: &Connection,
    taken: &mut UngroupedFile,
) -> StoreResult<FileName> {
    let mut name = file_name(&run.rules, &taken.file);
    let kind = taken.file.kind;
    if kind.summarize.is_none() {
        return Ok(name);
    }
    let reading = taken.reading.as_ref();
    let is_fresh = reading.is_some_and(|reading| reading.is_metadata_read);
    let stored = taken.file.stored.as_ref().map(|stored| stored.id);
    name.kind_data = match taken.claim.or(stored) {
        _ if is_fresh => kind_data(kind, taken).and_then(Option::take),
        Some(id) => content::said_unscoped(connection, id)?,
        None => None,
    };
    Ok(name)
}

/// Returns the slot for the kind's data of a file that this scan read, if the kind uses it for
/// grouping.
fn kind_data<'a>(kind: &MediaKind, taken: &'a mut UngroupedFile) -> Option<&'a mut Option<String>> {
    kind.summarize?;
    let fresh = taken
        .reading
        .as_mut()
        .filter(|fresh| fresh.is_metadata_read);
    let inspection = fresh?.inspection.as_mut()?;
    Some(&mut inspection.kind_data)
}

/// Returns the merged metadata of a group's files, if the kind provides it.
fn summarize(
    run: &Run<'_>,
    (kind, path): (&MediaKind, &[u8]),
    listing: &FolderListing<'_>,
    group: &Group,
) -> Option<ItemSummary> {
    let summarize = kind.summarize?;
    let members = group.members.iter();
    let files: Vec<&FileName> = members
        .filter_map(|member| listing.files.get(member.file))
        .collect();
    let answer = catch_unwind(AssertUnwindSafe(|| summarize(listing, group, &files)));
    if answer.is_err() {
        run.error(path, &"the metadata of its files could not be merged");
    }
    answer.ok()
}

pub(crate) fn file_name(rules: &Rules, file: &SeenFile) -> FileName {
    let mut name = FileName::new(&path::display(&file.name));
    name.extension = rules.extension(&file.name);
    if name.extension.contains('.') {
        // Both parts of a double extension are known, so neither belongs to the stem.
        let end = name.name.len().saturating_sub(name.extension.len() + 1);
        name.stem = name.name.get(..end).unwrap_or_default().to_owned();
    }
    name.size = u64::try_from(file.stat.size).unwrap_or(0);
    name
}
