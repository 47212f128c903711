//! Reads a file: asks its kind for a verdict, for its metadata and for its streams.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::ReadError;
use crate::path;
use crate::registry::reading::{Candidate, FolderNotes, Inspection, Probe, Verdict};
use crate::registry::{MediaKind, metadata};
use crate::scan::rules::Rules;
use crate::scan::run::Run;

/// Maximum length of a stored description, in characters.
const MAX_DESCRIPTION: usize = 20_000;

/// Names of all files of a folder, for kinds that check a file by its siblings.
#[derive(Debug)]
pub(crate) struct SiblingNames {
    names: Vec<String>,
    extensions: Vec<String>,
    notes: FolderNotes,
}

impl SiblingNames {
    pub(crate) fn of<'a>(rules: &Rules, names: impl Iterator<Item = &'a [u8]>) -> Self {
        let (names, extensions): (Vec<_>, Vec<_>) = names
            .map(|name| (path::display(name), rules.extension(name)))
            .unzip();
        Self {
            names,
            extensions,
            notes: FolderNotes::default(),
        }
    }
}

/// Returns the verdict of a kind on a file, and records the reason of a rejection as an error of
/// the run. A panic counts as acceptance, because one item too many does less harm.
pub(crate) fn judged(
    run: &Run<'_>,
    kind: &MediaKind,
    (path, file): (&[u8], &[u8]),
    siblings: &SiblingNames,
) -> Verdict {
    let verdict = verdict(run, kind, (path, file), siblings);
    if let Verdict::Reject(why) | Verdict::RetryLater(why) = &verdict {
        run.error(path, why);
    }
    verdict
}

/// Returns the verdict of a kind on a file without recording it. A panic counts as acceptance.
pub(crate) fn verdict(
    run: &Run<'_>,
    kind: &MediaKind,
    (path, file): (&[u8], &[u8]),
    siblings: &SiblingNames,
) -> Verdict {
    let Some(accepts) = kind.accepts else {
        return Verdict::Accept;
    };
    let (root, absolute) = (run.disk.absolute(b""), run.disk.absolute(path));
    let candidate = Candidate {
        path: &absolute,
        root: &root,
        extension: &run.rules.extension(file),
        siblings: &siblings.extensions,
        names: &siblings.names,
        notes: &siblings.notes,
    };
    catch_unwind(AssertUnwindSafe(|| accepts(&candidate))).unwrap_or_else(|_| {
        run.error(path, &"its kind could not judge it: the reader crashed");
        Verdict::Accept
    })
}

/// Reads a file and records errors in the run. The flag is `false` if the operating system refused
/// a read: the next scan then tries again.
pub(crate) fn findings(
    run: &Run<'_>,
    kind: &MediaKind,
    path: &[u8],
) -> (Option<Inspection>, Option<Probe>, bool) {
    let (root, absolute) = (run.disk.absolute(b""), run.disk.absolute(path));
    let (inspected, probed) =
        metadata::read_metadata(kind, &absolute, &run.app.settings.read_tools(&root));
    let mut is_whole = true;
    let errors = [
        metadata::error_of(inspected.as_ref()),
        metadata::error_of(probed.as_ref()),
    ];
    for error in metadata::without_duplicates(errors) {
        is_whole &= !matches!(error, ReadError::Io(error) if is_refusal(error));
        run.error(path, error);
    }
    for fault in metadata::faults(inspected.as_ref()) {
        run.error(path, fault);
    }
    let mut inspection = inspected.and_then(Result::ok);
    if let Some(inspection) = &mut inspection {
        trim(inspection);
    }
    (inspection, probed.and_then(Result::ok), is_whole)
}

/// Returns `true` for an error of the operating system, as opposed to an error of a reader about
/// the content.
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
