//! Documents that are encrypted and still open without a password, as most do: what they say once
//! they are decrypted.
//!
//! What decrypts them is what renders covers, and works in a process of its own as it does there.

use std::fs::File;
use std::io::Seek as _;
use std::path::Path;
use std::time::Duration;

use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::object::DateTime;
use ledge_core::aside::{self, Work};
use ledge_core::registry::reading::{Inspection, ReadError};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::cover::told;
use super::xmp::Xmp;
use super::{Information, MOST_PAGES};
use crate::archive::{ReadResult, damaged};

const UNLOCKING: Work = Work {
    name: "pdf-unlock",
    task: "decrypting its metadata",
    run: unlocked,
};

inventory::submit! { UNLOCKING }

/// What one process tells the other.
#[derive(Serialize, Deserialize)]
struct Answer {
    pages: usize,
    information: Information,
}

/// What an encrypted document says; `None` where no process can be begun.
pub(super) fn inspect(
    path: &Path,
    mut file: File,
    time: Duration,
) -> ReadResult<Option<Inspection>> {
    file.rewind()?;
    aside::output(&UNLOCKING, path, file, time)?
        .map(|answer| said(&answer))
        .transpose()
}

/// What is to be told of a document that opens without a password. For documents that are trusted,
/// or within limits set elsewhere.
pub fn unlocked(document: Vec<u8>) -> Result<Vec<u8>, ReadError> {
    let document = Pdf::new(document).map_err(told)?;
    let metadata = document.metadata();
    let date = metadata.creation_date.as_ref().map(written);
    let information = [
        ("Title", metadata.title.as_deref()),
        ("Author", metadata.author.as_deref()),
        ("Subject", metadata.subject.as_deref()),
        ("Keywords", metadata.keywords.as_deref()),
        ("CreationDate", date.as_deref()),
    ];
    let answer = Answer {
        pages: document.pages().len(),
        information: information
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_vec())))
            .collect(),
    };
    serde_json::to_vec(&answer).map_err(|error| damaged(error.to_string()))
}

/// What such an answer says.
pub fn said(answer: &[u8]) -> ReadResult<Inspection> {
    let answer: Answer =
        serde_json::from_slice(answer).map_err(|error| damaged(error.to_string()))?;
    let pages = i64::try_from(answer.pages).ok();
    let pages = pages.filter(|pages| (1..=MOST_PAGES).contains(pages));
    let mut inspection = super::inspection(&answer.information, &Xmp::default(), pages);
    inspection.facts.insert("encrypted".to_owned(), json!(true));
    Ok(inspection)
}

fn written(date: &DateTime) -> Vec<u8> {
    let DateTime {
        year, month, day, ..
    } = date;
    format!("D:{year:04}{month:02}{day:02}").into_bytes()
}
