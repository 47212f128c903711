//! Cursor over the columns of a row in statement order. Access by name would search the column list
//! for every row.

use rusqlite::Row;
use rusqlite::types::FromSql;

/// The remaining columns of a row.
pub(crate) struct ColumnReader<'a, 's> {
    row: &'a Row<'s>,
    next: usize,
}

impl<'a, 's> ColumnReader<'a, 's> {
    /// Starts at the first column.
    pub(crate) fn of(row: &'a Row<'s>) -> Self {
        Self { row, next: 0 }
    }

    /// Returns the next column.
    pub(crate) fn take<T: FromSql>(&mut self) -> rusqlite::Result<T> {
        let value = self.row.get(self.next)?;
        self.next += 1;
        Ok(value)
    }

    /// Skips `count` columns.
    pub(crate) fn skip(&mut self, count: usize) {
        self.next += count;
    }
}
