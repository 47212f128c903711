//! Metadata in the header of a tune in ABC notation.

use std::io::Read;
use std::path::Path;

use ledge_core::error::ReadError;
use ledge_core::registry::naming::Credit;
use ledge_core::registry::reading::{Inspection, ReadTools};

/// Maximum number of bytes that are read from a tune.
const LONGEST: u64 = 64 << 10;

/// Reads the header. `T:` is a title, `C:` a composer, `N:` a note. The header ends with the key,
/// `K:`.
pub(crate) fn inspect(path: &Path, tools: &ReadTools<'_>) -> Result<Inspection, ReadError> {
    let mut body = Vec::new();
    tools.open(path)?.take(LONGEST).read_to_end(&mut body)?;
    let text = String::from_utf8_lossy(&body);
    let mut inspection = Inspection::default();
    for line in text.lines() {
        match line.split_once(':') {
            Some(("T", title)) => inspection.title = Some(title.trim().to_owned()),
            Some(("C", name)) => inspection.credits.push(Credit::author(name.trim())),
            Some(("N", note)) => inspection.description = Some(note.trim().to_owned()),
            Some(("K", _)) => break,
            _ => {}
        }
    }
    Ok(inspection)
}
