//! Picture at the end of a tune.

use std::io::Read;
use std::path::Path;

use ledge_core::error::ReadError;
use ledge_core::registry::reading::ReadTools;

use crate::worker;

/// Line before the picture of the title page.
const PICTURE: &[u8] = b"\n%%picture\n";
/// Maximum size of a tune with its picture that is read, in bytes.
const LONGEST: u64 = 16 << 20;

/// Returns the picture unchanged, or `None` if there is none.
pub(crate) fn cover(path: &Path, tools: &ReadTools<'_>) -> Result<Option<Vec<u8>>, ReadError> {
    let mut body = Vec::new();
    tools.open(path)?.take(LONGEST).read_to_end(&mut body)?;
    if worker::is_wanted(&body) {
        return worker::picture(path, tools);
    }
    let start = body
        .windows(PICTURE.len())
        .position(|line| line == PICTURE)
        .map(|line| line + PICTURE.len());
    match start.and_then(|start| body.get(start..)) {
        Some([]) => Err(ReadError::Damaged("its picture is empty".to_owned())),
        picture => Ok(picture.map(<[u8]>::to_vec)),
    }
}
