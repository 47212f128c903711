//! Which file beside a video tells of it.

use std::io::Read;
use std::path::Path;

use ledge_core::registry::reading::ReadTools;

use super::{Nfo, read};
use crate::season;

/// Largest one, in bytes.
const LARGEST: u64 = 2 << 20;

/// What is told of the file itself: by its own name, or of the only film of a folder.
pub fn of_file(path: &Path, is_part: bool, tools: &ReadTools<'_>) -> Option<Nfo> {
    let own = path.with_extension("nfo");
    let found = at(&own, tools).filter(|nfo| nfo.root != "tvshow");
    if is_part {
        return found;
    }
    found.or_else(|| at(&path.with_file_name("movie.nfo"), tools).filter(|nfo| nfo.root == "movie"))
}

/// What is told of the show that a file is an episode of: in its folder, or above its season's.
pub fn of_show(path: &Path, tools: &ReadTools<'_>) -> Option<Nfo> {
    let folder = path.parent()?;
    let name = folder.file_name().map(|name| name.to_string_lossy());
    let is_season = name.is_some_and(|name| season::parse(&name).is_some());
    let folders = [Some(folder), folder.parent().filter(|_| is_season)];
    folders
        .into_iter()
        .flatten()
        .find_map(|folder| at(&folder.join("tvshow.nfo"), tools))
        .filter(|nfo| nfo.root == "tvshow")
}

/// What is no file, no such note, or cannot be read, says nothing; the video is there all the same.
fn at(path: &Path, tools: &ReadTools<'_>) -> Option<Nfo> {
    // A link tells of something else than what it lies beside.
    if !std::fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    tools
        .open(path)
        .ok()?
        .take(LARGEST)
        .read_to_end(&mut bytes)
        .ok()?;
    read(&bytes).ok().flatten()
}
