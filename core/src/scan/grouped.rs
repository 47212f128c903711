//! The files of a folder in their groups, made ready one group after another: a folder may hold
//! as many files as whole libraries.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::vec::IntoIter;

use rusqlite::Connection;

use super::change::{PreparedFile, PreparedGroup, Reading, SeenFile};
use super::rules::Rules;
use super::run::Run;
use super::{grouping, name, parts};
use crate::id::FileId;
use crate::registry::MediaKind;
use crate::registry::naming::{FileName, FolderListing, Group};
use crate::registry::reading::Together;
use crate::store::StoreResult;
use crate::store::file::content;

/// A file on its way into a group.
pub(super) struct Taken {
    pub(super) file: SeenFile,
    pub(super) claim: Option<FileId>,
    pub(super) reading: Option<Box<Reading>>,
}

/// The files of one kind and their groups.
struct Grouped {
    kind: &'static MediaKind,
    files: Vec<Option<Taken>>,
    groups: IntoIter<(Group, Option<Together>)>,
}

/// The groups of some files of a folder, of which the path and the names of the folders in it are
/// told.
pub(super) fn grouped(
    run: &Run<'_>,
    connection: &Connection,
    (path, folders): (&[u8], &[Vec<u8>]),
    files: Vec<Taken>,
) -> StoreResult<impl Iterator<Item = PreparedGroup>> {
    let text = name::display(path);
    let folders: Vec<String> = folders.iter().map(|name| name::display(name)).collect();
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
        let groups = grouping::groups(run, kind, path, &listing).into_iter();
        let groups: Vec<_> = groups
            .map(|group| {
                let together = together(run, (kind, path), &listing, &group);
                (group, together)
            })
            .collect();
        for (taken, name) in files.iter_mut().zip(names) {
            if let Some(said) = said(kind, taken) {
                *said = name.said;
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
        let (group, together) = self.groups.next()?;
        let mut files = Vec::with_capacity(group.members.len());
        files.extend(group.members.into_iter().filter_map(|member| {
            let taken = self.files.get_mut(member.file)?.take()?;
            Some(PreparedFile {
                name: taken.file.name,
                look: taken.file.look,
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
            together: together.map(Box::new),
        })
    }
}

/// A file's name, and what is kept of its words: those just read, which are lent, else the stored
/// ones.
fn shown(run: &Run<'_>, connection: &Connection, taken: &mut Taken) -> StoreResult<FileName> {
    let mut name = file_name(&run.rules, &taken.file);
    let kind = taken.file.kind;
    if kind.together.is_none() {
        return Ok(name);
    }
    let reading = taken.reading.as_ref();
    let is_fresh = reading.is_some_and(|reading| reading.is_looked_into);
    let stored = taken.file.stored.as_ref().map(|stored| stored.id);
    name.said = match taken.claim.or(stored) {
        _ if is_fresh => said(kind, taken).and_then(Option::take),
        Some(id) => content::said_unscoped(connection, id)?,
        None => None,
    };
    Ok(name)
}

/// Where the words of a file stand that was read just now and whose kind is shown them.
fn said<'a>(kind: &MediaKind, taken: &'a mut Taken) -> Option<&'a mut Option<String>> {
    kind.together?;
    let fresh = taken.reading.as_mut().filter(|fresh| fresh.is_looked_into);
    let inspection = fresh?.inspection.as_mut()?;
    Some(&mut inspection.said)
}

/// What a group's files say together, where the kind has a word on that.
fn together(
    run: &Run<'_>,
    (kind, path): (&MediaKind, &[u8]),
    listing: &FolderListing<'_>,
    group: &Group,
) -> Option<Together> {
    let together = kind.together?;
    let members = group.members.iter();
    let files: Vec<&FileName> = members
        .filter_map(|member| listing.files.get(member.file))
        .collect();
    let answer = catch_unwind(AssertUnwindSafe(|| together(listing, group, &files)));
    if answer.is_err() {
        run.error(path, &"what its files say together could not be made out");
    }
    answer.ok()
}

pub(super) fn file_name(rules: &Rules, file: &SeenFile) -> FileName {
    let mut name = FileName::new(&name::display(&file.name));
    name.extension = rules.extension(&file.name);
    if name.extension.contains('.') {
        // Both its parts are known: neither is a part of the stem.
        let end = name.name.len().saturating_sub(name.extension.len() + 1);
        name.stem = name.name.get(..end).unwrap_or_default().to_owned();
    }
    name.size = u64::try_from(file.look.size).unwrap_or(0);
    name
}
