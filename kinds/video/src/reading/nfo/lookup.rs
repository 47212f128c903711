//! Lookup of the NFO files of a video.

use std::io::Read;
use std::path::Path;

use ledge_core::registry::reading::ReadTools;

use super::{Nfo, read};
use crate::naming::season;

/// Maximum size of an NFO file, in bytes.
const MAX_SIZE: u64 = 2 << 20;

/// Reads the NFO file of a video: the one with its name, or the `movie.nfo` of a folder with a
/// single film.
pub fn read_for_file(path: &Path, is_part: bool, tools: &ReadTools<'_>) -> Option<Nfo> {
    let own_path = path.with_extension("nfo");
    let found = read_nfo(&own_path, tools).filter(|nfo| nfo.root != "tvshow");
    if is_part {
        return found;
    }
    found.or_else(|| {
        read_nfo(&path.with_file_name("movie.nfo"), tools).filter(|nfo| nfo.root == "movie")
    })
}

/// Reads the `tvshow.nfo` of an episode's show, from its folder or from the folder above its
/// season.
pub fn read_for_show(path: &Path, tools: &ReadTools<'_>) -> Option<Nfo> {
    let folder = path.parent()?;
    let name = folder.file_name().map(|name| name.to_string_lossy());
    let is_season = name.is_some_and(|name| season::parse(&name).is_some());
    let folders = [Some(folder), folder.parent().filter(|_| is_season)];
    folders
        .into_iter()
        .flatten()
        .find_map(|folder| read_nfo(&folder.join("tvshow.nfo"), tools))
        .filter(|nfo| nfo.root == "tvshow")
}

/// Reads an NFO file. Errors yield `None` because a damaged sidecar file must not hide the video.
fn read_nfo(path: &Path, tools: &ReadTools<'_>) -> Option<Nfo> {
    // A link may lead outside the library.
    if !std::fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    tools
        .open(path)
        .ok()?
        .take(MAX_SIZE)
        .read_to_end(&mut bytes)
        .ok()?;
    read(&bytes).ok().flatten()
}
