//! Which file beside a video tells of it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags};

use super::{Nfo, read};
use crate::season;

/// Largest one, in bytes.
const LARGEST: u64 = 2 << 20;

/// What is told of the file itself: by its own name, or of the only film of a folder.
pub fn of_file(path: &Path, is_part: bool) -> Option<Nfo> {
    let own = path.with_extension("nfo");
    let found = at(&own).filter(|nfo| nfo.root != "tvshow");
    if is_part {
        return found;
    }
    found.or_else(|| at(&path.with_file_name("movie.nfo")).filter(|nfo| nfo.root == "movie"))
}

/// What is told of the show that a file is an episode of: in its folder, or above its season's.
pub fn of_show(path: &Path) -> Option<Nfo> {
    let folder = path.parent()?;
    let name = folder.file_name().map(|name| name.to_string_lossy());
    let is_season = name.is_some_and(|name| season::parse(&name).is_some());
    let folders = [Some(folder), folder.parent().filter(|_| is_season)];
    folders
        .into_iter()
        .flatten()
        .find_map(|folder| at(&folder.join("tvshow.nfo")))
        .filter(|nfo| nfo.root == "tvshow")
}

/// What is no file, no such note, or cannot be read, says nothing; the video is there all the same.
fn at(path: &Path) -> Option<Nfo> {
    // Links may lead anywhere, and a pipe would hold up whoever opens it.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty()).ok()?;
    let stat = rustix::fs::fstat(&file).ok()?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return None;
    }
    let mut bytes = Vec::new();
    File::from(file)
        .take(LARGEST)
        .read_to_end(&mut bytes)
        .ok()?;
    read(&bytes).ok().flatten()
}
