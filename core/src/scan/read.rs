//! Reading a file: whether it is its kind's, what it says about itself, what streams it has.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::rules;
use super::run::Run;
use crate::registry::MediaKind;
use crate::registry::reading::{Candidate, FolderNotes, Inspection, Probe, ReadError, ReadTools};
use crate::scan::name;

/// Longest description that is kept, in characters.
const MAX_DESCRIPTION: usize = 20_000;

/// Names of all files of a folder, for those who judge a file by its company.
#[derive(Debug)]
pub(super) struct Company {
    names: Vec<String>,
    extensions: Vec<String>,
    notes: FolderNotes,
}

impl Company {
    pub(super) fn of<'a>(names: impl Iterator<Item = &'a [u8]>) -> Self {
        let (names, extensions): (Vec<_>, Vec<_>) = names
            .map(|name| (name::display(name), rules::extension(name)))
            .unzip();
        Self {
            names,
            extensions,
            notes: FolderNotes::default(),
        }
    }
}

/// Whether the kind takes the file. A panic counts as a yes: better one item too many.
pub(super) fn is_accepted(
    run: &Run<'_>,
    kind: &MediaKind,
    (path, file): (&[u8], &[u8]),
    company: &Company,
) -> bool {
    let Some(accepts) = kind.accepts else {
        return true;
    };
    let absolute = run.disk.absolute(path);
    let candidate = Candidate {
        path: &absolute,
        extension: &rules::extension(file),
        siblings: &company.extensions,
        names: &company.names,
        notes: &company.notes,
    };
    catch_unwind(AssertUnwindSafe(|| accepts(&candidate))).unwrap_or_else(|_| {
        run.error(path, &"its kind could not judge it: the reader crashed");
        true
    })
}

/// Looks into a file; what goes wrong is an error line. Whether all of it could be read: what
/// the system refuses today is tried again in the next scan.
pub(super) fn findings(
    run: &Run<'_>,
    kind: &MediaKind,
    path: &[u8],
) -> (Option<Inspection>, Option<Probe>, bool) {
    let tools = run.app.settings.read_tools();
    let absolute = run.disk.absolute(path);
    let mut is_whole = true;
    let mut inspection = kind
        .inspect
        .and_then(|inspect| guarded(run, path, inspect, &absolute, &tools, &mut is_whole));
    if let Some(inspection) = &mut inspection {
        trim(inspection);
    }
    let probe = kind
        .probe
        .and_then(|probe| guarded(run, path, probe, &absolute, &tools, &mut is_whole));
    (inspection, probe, is_whole)
}

/// What a reader of files is.
type Reader<T> = fn(&Path, &ReadTools<'_>) -> Result<T, ReadError>;

fn guarded<T>(
    run: &Run<'_>,
    path: &[u8],
    read: Reader<T>,
    absolute: &Path,
    tools: &ReadTools<'_>,
    is_whole: &mut bool,
) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(|| read(absolute, tools))) {
        Ok(Ok(found)) => Some(found),
        Ok(Err(error)) => {
            *is_whole &= !matches!(&error, ReadError::Io(error) if is_refusal(error));
            run.error(path, &error);
            None
        }
        Err(_) => {
            run.error(path, &"could not be read: the reader crashed");
            None
        }
    }
}

/// An answer of the system about the file, rather than of a reader about its content.
fn is_refusal(error: &std::io::Error) -> bool {
    error.raw_os_error().is_some()
}

fn trim(inspection: &mut Inspection) {
    if let Some(text) = &mut inspection.description
        && let Some((end, _)) = text.char_indices().nth(MAX_DESCRIPTION)
    {
        text.truncate(end);
    }
}
