//! Picture reader that runs in a worker process. It fails there in the way that the tune requests:
//! `%%worker:panic`, `%%worker:abort`, `%%worker:memory`.

use std::path::Path;

use ledge_core::error::ReadError;
use ledge_core::process::worker::{self, Work};
use ledge_core::registry::reading::ReadTools;

/// Beginning of the line that requests this reader.
const MARK: &[u8] = b"%%worker:";

const ENGRAVING: Work = Work {
    name: "example-engraving",
    task: "engraving page 1",
    run: engraved,
};

inventory::submit! { ENGRAVING }

pub(crate) fn is_wanted(tune: &[u8]) -> bool {
    tune.windows(MARK.len()).any(|part| part == MARK)
}

pub(crate) fn picture(path: &Path, tools: &ReadTools<'_>) -> Result<Option<Vec<u8>>, ReadError> {
    worker::output(&ENGRAVING, path, tools.open(path)?, tools.time_limit)
}

fn engraved(tune: Vec<u8>) -> Result<Vec<u8>, ReadError> {
    let tune =
        String::from_utf8(tune).map_err(|_| ReadError::Damaged("is not UTF-8".to_owned()))?;
    match tune.rsplit_once("%%worker:").map(|(_, way)| way.trim()) {
        Some("panic") => panic!("the staff has {} lines\nand no clef", tune.lines().count()),
        Some("abort") => std::process::abort(),
        Some("memory") => Ok(vec![1; 1 << 30]),
        _ => Err(ReadError::Damaged("has no page".to_owned())),
    }
}
