//! A row whose columns are taken in the order of the statement: by name, each would be looked for
//! in every row.

use rusqlite::Row;
use rusqlite::types::FromSql;

/// The columns of a row that are left.
pub(crate) struct InOrder<'a, 's> {
    row: &'a Row<'s>,
    next: usize,
}

impl<'a, 's> InOrder<'a, 's> {
    /// All columns.
    pub(crate) fn of(row: &'a Row<'s>) -> Self {
        Self { row, next: 0 }
    }

    /// The next column.
    pub(crate) fn take<T: FromSql>(&mut self) -> rusqlite::Result<T> {
        let value = self.row.get(self.next)?;
        self.next += 1;
        Ok(value)
    }

    /// Passes columns over.
    pub(crate) fn skip(&mut self, count: usize) {
        self.next += count;
    }
}
