//! Lists of a source with their entries.

use std::collections::HashSet;

use super::{Collector, Reader, label};
use crate::error::StoreResult;
use crate::id::LibraryId;
use crate::store::catalogue::batch::import::{ListKind, ListRows};
use crate::store::user_data::lists::user_list::MAX_ENTRIES;
use crate::transfer::import::ImportResult;
use crate::transfer::import::rows::{RowType, SourceList, Target};
use crate::transfer::import::staging::SourceRow;

/// Limit of a name in characters.
const MAX_NAME: usize = 200;
/// Limit of a description in characters.
const MAX_DESCRIPTION: usize = 5_000;

/// List whose entries follow.
pub(super) struct OpenList {
    /// The user; `None` if the list is not imported.
    reader: Option<Reader>,
    list: SourceList,
    n: i64,
    count: usize,
    /// Members of a collection, which contains each item once.
    members: HashSet<i64>,
}

fn row_type(list: &SourceList) -> RowType {
    if list.is_playlist {
        RowType::Playlist
    } else {
        RowType::Collection
    }
}

impl Collector<'_> {
    pub(super) fn open_list(&mut self, user: &str, list: SourceList) -> ImportResult<()> {
        self.list = None;
        let row = row_type(&list);
        let reader = self.reader(user, row, ("", &list.name))?;
        self.list = Some(OpenList {
            reader,
            list,
            n: 0,
            count: 0,
            members: HashSet::new(),
        });
        Ok(())
    }

    pub(super) fn add_entry(&mut self, target: &Target) -> ImportResult<()> {
        let Some(mut open) = self.list.take() else {
            return Ok(());
        };
        let added = self.add_to(&mut open, target);
        self.list = Some(open);
        added
    }

    fn add_to(&mut self, open: &mut OpenList, target: &Target) -> ImportResult<()> {
        let Some(reader) = &open.reader else {
            return Ok(());
        };
        let row = row_type(&open.list);
        let Some(found) = self.item(row, reader, target)? else {
            return Ok(());
        };
        let is_playable = !open.list.is_playlist || found.has_timeline;
        if !is_playable || open.count >= MAX_ENTRIES {
            return self.refuse(row, &reader.theirs, label(target));
        }
        self.collected.summary.matched += 1;
        let member = if open.list.is_playlist {
            found.file.0
        } else {
            found.item.0
        };
        if !open.list.is_playlist && !open.members.insert(member) {
            return Ok(());
        }
        if open.count == 0 {
            open.n = self.stage_list(reader, &open.list)?;
        }
        let staging = &self.collected.staging;
        staging.add_entry((open.n, open.count), (member, found.library))?;
        open.count += 1;
        Ok(())
    }

    fn stage_list(&self, reader: &Reader, list: &SourceList) -> StoreResult<i64> {
        let kind = if list.is_playlist {
            ListKind::Playlist
        } else {
            ListKind::Collection
        };
        let rows = ListRows {
            kind,
            source: String::new(),
            key: list.key.clone(),
            owner: reader.id,
            name: name(&list.name),
            description: description(list.description.as_deref()),
            public: list.public,
            members: Vec::<(i64, LibraryId)>::new(),
        };
        let row = SourceRow {
            kind: row_type(list).as_str(),
            user: &reader.theirs,
            path: "",
            title: &list.name,
        };
        let n = self.collected.staging.add_row(&row)?;
        self.collected.staging.add_list(n, &rows)?;
        Ok(n)
    }
}

/// Returns a valid name of a list.
fn name(text: &str) -> String {
    let plain = text.chars().filter(|c| !c.is_control());
    let name: String = plain
        .collect::<String>()
        .trim()
        .chars()
        .take(MAX_NAME)
        .collect();
    let name = name.trim();
    if name.is_empty() {
        return "?".to_owned();
    }
    name.to_owned()
}

/// Returns a valid description of a list, or `None` for an empty one.
fn description(text: Option<&str>) -> Option<String> {
    let plain = text?
        .chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'));
    let text: String = plain.take(MAX_DESCRIPTION).collect();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
