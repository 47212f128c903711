//! Reading a file: whether it is its kind's, what it says about itself, what streams it has.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::rules::Rules;
use super::run::Run;
use crate::registry::MediaKind;
use crate::registry::reading::{
    Candidate, FolderNotes, Inspection, Probe, ReadError, ReadTools, Verdict,
};
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
    pub(super) fn of<'a>(rules: &Rules, names: impl Iterator<Item = &'a [u8]>) -> Self {
        let (names, extensions): (Vec<_>, Vec<_>) = names
            .map(|name| (name::display(name), rules.extension(name)))
            .unzip();
        Self {
            names,
            extensions,
            notes: FolderNotes::default(),
        }
    }
}

/// What the kind says to the file; why it does not take one is an error line. A panic counts as a
/// yes: better one item too many.
pub(super) fn judged(
    run: &Run<'_>,
    kind: &MediaKind,
    (path, file): (&[u8], &[u8]),
    company: &Company,
) -> Verdict {
    let verdict = verdict(run, kind, (path, file), company);
    if let Verdict::Refused(why) | Verdict::Unclear(why) = &verdict {
        run.error(path, why);
    }
    verdict
}

/// Returns the verdict of a kind on a file without recording it. A crash counts as a yes.
pub(super) fn verdict(
    run: &Run<'_>,
    kind: &MediaKind,
    (path, file): (&[u8], &[u8]),
    company: &Company,
) -> Verdict {
    let Some(accepts) = kind.accepts else {
        return Verdict::Taken;
    };
    let (root, absolute) = (run.disk.absolute(b""), run.disk.absolute(path));
    let candidate = Candidate {
        path: &absolute,
        root: &root,
        extension: &run.rules.extension(file),
        siblings: &company.extensions,
        names: &company.names,
        notes: &company.notes,
    };
    catch_unwind(AssertUnwindSafe(|| accepts(&candidate))).unwrap_or_else(|_| {
        run.error(path, &"its kind could not judge it: the reader crashed");
        Verdict::Taken
    })
}

/// Looks into a file; what goes wrong is an error line. Whether all of it could be read: what
/// the system refuses today is tried again in the next scan.
pub(super) fn findings(
    run: &Run<'_>,
    kind: &MediaKind,
    path: &[u8],
) -> (Option<Inspection>, Option<Probe>, bool) {
    let (root, absolute) = (run.disk.absolute(b""), run.disk.absolute(path));
    let (inspected, probed) = answers(kind, &absolute, &run.app.settings.read_tools(&root));
    let mut is_whole = true;
    let said = [error_of(inspected.as_ref()), error_of(probed.as_ref())];
    for error in told_once(said) {
        is_whole &= !matches!(error, ReadError::Io(error) if is_refusal(error));
        run.error(path, error);
    }
    for fault in faults(inspected.as_ref()) {
        run.error(path, fault);
    }
    let mut inspection = inspected.and_then(Result::ok);
    if let Some(inspection) = &mut inspection {
        trim(inspection);
    }
    (inspection, probed.and_then(Result::ok), is_whole)
}

/// What the kind's readers answer, where it has them.
type Answers = (
    Option<Result<Inspection, ReadError>>,
    Option<Result<Probe, ReadError>>,
);

fn answers(kind: &MediaKind, path: &Path, tools: &ReadTools<'_>) -> Answers {
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

/// Whether a scan that reads the file has an error to tell of it.
pub(crate) fn is_unreadable(kind: &MediaKind, path: &Path, tools: &ReadTools<'_>) -> bool {
    let (inspected, probed) = answers(kind, path, tools);
    let has_error = error_of(inspected.as_ref()).is_some() || error_of(probed.as_ref()).is_some();
    has_error || !faults(inspected.as_ref()).is_empty()
}

/// Parts of a file that could not be read although others could.
fn faults(inspected: Option<&Result<Inspection, ReadError>>) -> &[String] {
    inspected
        .and_then(|inspected| inspected.as_ref().ok())
        .map_or(&[], |inspection| &inspection.faults)
}

/// What a reader answers; that it crashed is an error like others.
fn guarded<T>(read: impl FnOnce() -> T) -> Result<T, ReadError> {
    catch_unwind(AssertUnwindSafe(read))
        .map_err(|_| ReadError::Damaged("could not be read: the reader crashed".to_owned()))
}

fn flat<T>(answer: Result<Result<T, ReadError>, ReadError>) -> Result<T, ReadError> {
    answer.and_then(|answer| answer)
}

fn error_of<T>(answer: Option<&Result<T, ReadError>>) -> Option<&ReadError> {
    answer.and_then(|answer| answer.as_ref().err())
}

/// Both errors, or one where they say the same.
fn told_once(errors: [Option<&ReadError>; 2]) -> impl Iterator<Item = &ReadError> {
    let [first, second] = errors;
    let is_news =
        |second: &&ReadError| first.is_none_or(|first| first.to_string() != second.to_string());
    first.into_iter().chain(second.filter(is_news))
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
