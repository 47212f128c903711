//! Report of an import: one line for each row that was not stored, with the reason.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ImportError, ImportResult};
use crate::text::csv::cell;

/// Limit of rows in the response of the API.
const MAX_ROWS: usize = 1_000;
/// Limit of the characters of a cell in the response of the API.
const MAX_CELL: usize = 500;

/// Row that was not stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReportRow {
    /// Type of the row: `progress`, `favourite`, ….
    pub r#type: String,
    /// User in the other program.
    pub user: String,
    /// Path of the file in the other program.
    pub path: String,
    /// Title in the other program.
    pub title: String,
    /// `no_user`, `no_file`, `ambiguous`, `newer_here` or `unsupported`.
    pub reason: String,
}

/// Report that is being written.
pub(super) struct Report {
    file: Option<BufWriter<File>>,
    rows: Vec<ReportRow>,
}

impl Report {
    /// Creates the file, if there is one, and writes the names of the columns.
    pub(super) fn create(path: Option<&Path>) -> ImportResult<Self> {
        let file = path.map(File::create).transpose();
        let file = file.map_err(|error| {
            let path = path.unwrap_or(Path::new("")).display();
            ImportError::Refused(format!("The report {path} cannot be written: {error}."))
        })?;
        let mut report = Self {
            file: file.map(BufWriter::new),
            rows: Vec::new(),
        };
        report.write_line(["type", "user", "path", "title", "reason"])?;
        Ok(report)
    }

    /// Adds a row: type, user, path, title, reason.
    pub(super) fn add(&mut self, cells: [&str; 5]) -> ImportResult<()> {
        self.write_line(cells)?;
        if self.rows.len() < MAX_ROWS {
            let [kind, user, path, title, reason] =
                cells.map(|cell| cell.chars().take(MAX_CELL).collect());
            self.rows.push(ReportRow {
                r#type: kind,
                user,
                path,
                title,
                reason,
            });
        }
        Ok(())
    }

    fn write_line(&mut self, cells: [&str; 5]) -> ImportResult<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let line = cells.map(cell).join(",");
        writeln!(file, "{line}").map_err(|error| failed(&error))
    }

    /// Completes the file, and returns the first rows.
    pub(super) fn finish(self) -> ImportResult<Vec<ReportRow>> {
        if let Some(mut file) = self.file {
            file.flush().map_err(|error| failed(&error))?;
        }
        Ok(self.rows)
    }
}

fn failed(error: &std::io::Error) -> ImportError {
    ImportError::Refused(format!("The report cannot be written: {error}."))
}
