//! Metadata of documents that the reader of sound files cannot read: encrypted ones that open
//! without a password, and damaged ones.
//!
//! The renderer's library decrypts and repairs them. It loads the whole file and has no limits, so
//! it runs in a subprocess, as for covers.

use std::fs::File;
use std::io::Seek as _;
use std::path::Path;
use std::time::Duration;

use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::object::{DateTime, Dict, Stream};
use ledge_core::error::ReadError;
use ledge_core::process::worker::{self, Work};
use ledge_core::registry::reading::Inspection;

use super::cover::to_read_error;
use super::xmp::Xmp;
use super::{Metadata, valid_count};
use crate::archive::{ReadResult, damaged};

const METADATA: Work = Work {
    name: "pdf-metadata",
    task: "reading its metadata",
    run: metadata,
};

inventory::submit! { METADATA }

/// Reads the metadata of a document. Returns `None` if no subprocess can be started.
pub(super) fn inspect(
    path: &Path,
    mut file: File,
    time: Duration,
) -> ReadResult<Option<Inspection>> {
    file.rewind()?;
    worker::output(&METADATA, path, file, time)?
        .map(|output| inspection_of(&output))
        .transpose()
}

/// Reads a document that opens without a password and serializes its metadata. The caller must
/// trust the document or limit the process.
pub fn metadata(document: Vec<u8>) -> Result<Vec<u8>, ReadError> {
    let document = Pdf::new(document).map_err(to_read_error)?;
    let metadata = document.metadata();
    let date = metadata.creation_date.as_ref().map(written);
    let information = [
        ("Title", metadata.title.as_deref()),
        ("Author", metadata.author.as_deref()),
        ("Subject", metadata.subject.as_deref()),
        ("Keywords", metadata.keywords.as_deref()),
        ("CreationDate", date.as_deref()),
    ];
    let root: Option<Dict<'_>> = document.xref().get(document.xref().root_id());
    let xmp = root.as_ref().and_then(|root| {
        let stream: Stream<'_> = root.get(b"Metadata".as_slice())?;
        Some(Xmp::read(&stream.decoded_data().ok()?))
    });
    let declared = root.as_ref().and_then(|root| {
        let pages: Dict<'_> = root.get(b"Pages".as_slice())?;
        valid_count(pages.get::<i32>(b"Count".as_slice())?.into())
    });
    let counted = || valid_count(i64::try_from(document.pages().len()).ok()?);
    let metadata = Metadata {
        information: information
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_vec())))
            .collect(),
        xmp: xmp.unwrap_or_default(),
        pages: declared.or_else(counted),
    };
    serde_json::to_vec(&metadata).map_err(|error| damaged(error.to_string()))
}

/// Deserializes the subprocess's output.
pub fn inspection_of(output: &[u8]) -> ReadResult<Inspection> {
    let metadata: Metadata =
        serde_json::from_slice(output).map_err(|error| damaged(error.to_string()))?;
    Ok(metadata.into_inspection())
}

fn written(date: &DateTime) -> Vec<u8> {
    let DateTime {
        year, month, day, ..
    } = date;
    format!("D:{year:04}{month:02}{day:02}").into_bytes()
}
