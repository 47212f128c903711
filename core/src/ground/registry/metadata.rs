//! Calls the readers of a kind for one file.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::error::ReadError;
use crate::registry::MediaKind;
use crate::registry::reading::{Inspection, Probe, ReadTools};

/// Results of the kind's readers. `None` if the kind has no such reader.
pub(crate) type Readings = (
    Option<Result<Inspection, ReadError>>,
    Option<Result<Probe, ReadError>>,
);

/// Calls the readers of a kind. A panic becomes an error.
pub(crate) fn read_metadata(kind: &MediaKind, path: &Path, tools: &ReadTools<'_>) -> Readings {
    if let Some(examine) = kind.examine {
        return guarded(|| examine(path, tools)).map_or_else(
            |crash| (Some(Err(crash)), None),
            |(inspected, probed)| (Some(inspected), Some(probed)),
        );
    }
    let inspected = kind.inspect.map(|read| guarded(|| read(path, tools)));
    let probed = kind.probe.map(|read| guarded(|| read(path, tools)));
    (inspected.map(flat), probed.map(flat))
}

/// Returns `true` if a scan of the file would record an error.
pub(crate) fn is_unreadable(kind: &MediaKind, path: &Path, tools: &ReadTools<'_>) -> bool {
    let (inspected, probed) = read_metadata(kind, path, tools);
    let has_error = error_of(inspected.as_ref()).is_some() || error_of(probed.as_ref()).is_some();
    has_error || !faults(inspected.as_ref()).is_empty()
}

/// Returns the errors about parts of a file whose other parts could be read.
pub(crate) fn faults(inspected: Option<&Result<Inspection, ReadError>>) -> &[String] {
    inspected
        .and_then(|inspected| inspected.as_ref().ok())
        .map_or(&[], |inspection| &inspection.faults)
}

/// Calls a reader and turns a panic into an error.
fn guarded<T>(read: impl FnOnce() -> T) -> Result<T, ReadError> {
    catch_unwind(AssertUnwindSafe(read))
        .map_err(|_| ReadError::Damaged("could not be read: the reader crashed".to_owned()))
}

fn flat<T>(answer: Result<Result<T, ReadError>, ReadError>) -> Result<T, ReadError> {
    answer.and_then(|answer| answer)
}

pub(crate) fn error_of<T>(answer: Option<&Result<T, ReadError>>) -> Option<&ReadError> {
    answer.and_then(|answer| answer.as_ref().err())
}

/// Returns both errors, or only the first if their texts are equal.
pub(crate) fn without_duplicates(
    errors: [Option<&ReadError>; 2],
) -> impl Iterator<Item = &ReadError> {
    let [first, second] = errors;
    let is_news =
        |second: &&ReadError| first.is_none_or(|first| first.to_string() != second.to_string());
    first.into_iter().chain(second.filter(is_news))
}
