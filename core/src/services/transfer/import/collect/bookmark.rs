//! Bookmarks of a source.

use super::position::Resolved;
use super::{Collector, position};
use crate::store::catalogue::batch::import::Value;
use crate::time::Timestamp;
use crate::transfer::import::ImportResult;
use crate::transfer::import::rows::{Part, RowType};

/// Limit of a note in characters.
const MAX_NOTE: usize = 10_000;

impl Collector<'_> {
    pub(super) fn add_bookmark(
        &mut self,
        user: &str,
        part: &Part,
        note: Option<String>,
        at: Option<Timestamp>,
    ) -> ImportResult<()> {
        let row = RowType::Bookmark;
        let note = note
            .map(|note| clean(&note))
            .filter(|note| !note.is_empty());
        let title = note.clone().unwrap_or_default();
        let label = (part.file.path.as_str(), title.as_str());
        let Some(reader) = self.reader(user, row, label)? else {
            return Ok(());
        };
        let parts = (title.as_str(), std::slice::from_ref(part));
        let Some(found) = self.parts(row, &reader, parts)? else {
            return Ok(());
        };
        let resolved = found
            .into_iter()
            .next()
            .and_then(|(part, found)| Some((position::resolve(part, &found)?, found)));
        let Some((Resolved { position, .. }, found)) = resolved else {
            return self.refuse(row, &reader.theirs, label);
        };
        let n = self.matched(row.as_str(), &reader, label)?;
        let value = Value::Bookmark {
            file: found.file,
            position: found
                .extent
                .map_or(position, |end| position.min(end))
                .max(0),
            note,
            at,
        };
        self.stage((found.item, reader.id, Some(found.file)), 0, n, value)
    }
}

/// Returns a text without control characters, and without the excess over the limit.
fn clean(text: &str) -> String {
    let plain = text.trim().chars().map(|c| {
        let is_odd = c.is_control() && !matches!(c, '\n' | '\t');
        if is_odd { ' ' } else { c }
    });
    plain.take(MAX_NOTE).collect()
}
