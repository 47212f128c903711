//! Dispatch to the reader of each format, by the file's extension.

use std::path::Path;
use std::time::Duration;

use ledge_core::error::ReadError;
use ledge_core::registry::reading::{Inspection, ReadTools};

use crate::archive::permits;
use crate::formats::FORMATS;
use crate::formats::{comic, epub, fb2, mobi, pdf, plain};

/// Time limit for reading one book.
const LONGEST: Duration = Duration::from_secs(4);

/// Reads title, credits and facts of a book.
pub fn inspect(path: &Path, tools: &ReadTools<'_>) -> Result<Inspection, ReadError> {
    let time = tools.time_limit.min(LONGEST);
    let extension = extension(path);
    let _permit = is_archive(&extension).then(permits::background);
    match extension.as_str() {
        "epub" => epub::inspect(tools.open(path)?),
        "cbz" | "cbr" | "cb7" | "cbt" => comic::inspect(tools.open(path)?, time),
        "mobi" | "prc" | "azw" | "azw3" | "kf8" => mobi::inspect(tools.open(path)?),
        "pdf" => pdf::inspect_file(path, tools.open(path)?, time),
        "fb2" => fb2::inspect(tools.open(path)?),
        "fbz" | "fb2.zip" => fb2::inspect_zipped(tools.open(path)?),
        "txt" => plain::inspect(tools.open(path)?),
        _ => Ok(Inspection::default()),
    }
}

/// Returns the cover of a book. The bytes are those of the file.
pub fn cover(path: &Path, tools: &ReadTools<'_>) -> Result<Option<Vec<u8>>, ReadError> {
    let time = tools.time_limit.min(LONGEST);
    let extension = extension(path);
    let _permit = is_archive(&extension).then(permits::background);
    match extension.as_str() {
        "epub" => epub::cover(tools.open(path)?),
        "cbz" | "cbr" | "cb7" | "cbt" => comic::cover(tools.open(path)?, time),
        "mobi" | "prc" | "azw" | "azw3" | "kf8" => mobi::cover(tools.open(path)?),
        "pdf" => pdf::cover::cover(path, tools.open(path)?, time),
        "fb2" => fb2::cover(tools.open(path)?),
        "fbz" | "fb2.zip" => fb2::cover_zipped(tools.open(path)?),
        _ => Ok(None),
    }
}

/// Returns the section of an EPUB whose file has this name in the archive.
pub fn section_of(
    path: &Path,
    tools: &ReadTools<'_>,
    href: &str,
) -> Result<Option<i64>, ReadError> {
    if extension(path) != "epub" {
        return Ok(None);
    }
    let _permit = permits::background();
    epub::section_of(tools.open(path)?, href)
}

/// Returns true for archive formats, which are only opened with a permit.
fn is_archive(extension: &str) -> bool {
    const ARCHIVES: &[&str] = &["cb7", "cbr", "cbt", "cbz", "epub", "fb2.zip", "fbz"];
    ARCHIVES.contains(&extension)
}

/// Returns the longest suffix that is the extension of a known format.
fn extension(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    let name = name.to_string_lossy().to_lowercase();
    let mut dots = name.match_indices('.').map(|(dot, _)| dot);
    let is_known = |ending: &&str| FORMATS.iter().any(|format| format.extension == *ending);
    let found = dots.find_map(|dot| name.get(dot + 1..).filter(is_known));
    found.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extension_is_the_longest_known_suffix() {
        for (name, expected) in [
            ("A Book.fb2.zip", "fb2.zip"),
            ("A.Book.v1.FB2.ZIP", "fb2.zip"),
            ("A Book.fb2.epub", "epub"),
            ("A Book.zip", ""),
            ("A Book", ""),
        ] {
            assert_eq!(extension(Path::new(name)), expected, "{name}");
        }
    }
}
