//! The data folder: cores and BIOS files that were added. They are known by name alone: whatever
//! else lies there is never read.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use ledge_core::App;
use md5::{Digest as _, Md5};

use super::{Core, Part, embedded};

/// Largest file that is read or taken, in bytes: twice the largest core there is.
pub(super) const LIMIT: u64 = 32 << 20;

/// The folders of cores and of BIOS files.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    cores: PathBuf,
    bios: PathBuf,
}

/// What a file is known by without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) size: u64,
    /// Tells one state of the file from another.
    pub(super) tag: String,
}

/// Where a file lies, once its name is found to be one of ours.
#[derive(Debug, Clone)]
pub(super) struct Place(PathBuf);

impl Folder {
    /// The folders of this server.
    pub(crate) fn of(app: &App) -> Self {
        let data = &app.settings.data;
        Self {
            cores: data.join("cores"),
            bios: data.join("bios"),
        }
    }

    /// The place of a part of a core.
    pub(super) fn part(&self, core: &Core, part: Part) -> Place {
        Place(self.cores.join(part.of(&core.id)))
    }

    /// The place of a core's file, if there is a file of that name.
    pub(super) fn core_file(&self, name: &str) -> Option<(Place, Part)> {
        let part = Part::named(name)?;
        Some((Place(self.cores.join(name)), part))
    }

    /// The place of a BIOS file, if a core looks for one of that name.
    pub(super) fn bios_file(&self, name: &str) -> Option<Place> {
        let bios = super::bios(name)?;
        Some(Place(self.bios.join(&bios.name)))
    }
}

impl Place {
    /// Size and state, without opening it; `None` where there is no such file or it is too long.
    pub(super) fn known(&self) -> Option<Known> {
        known(&fs::metadata(&self.0).ok()?)
    }

    /// Its MD5 in hexadecimal. It is read once for each of its states.
    pub(super) fn md5(&self, known: &Known) -> Option<String> {
        /// The state and the sum of each file that was asked for: there are no more than names.
        static SUMS: Mutex<BTreeMap<PathBuf, (String, String)>> = Mutex::new(BTreeMap::new());
        let sums = || SUMS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((tag, sum)) = sums().get(&self.0)
            && *tag == known.tag
        {
            return Some(sum.clone());
        }
        let (read, bytes) = self.read().ok()??;
        let digest: [u8; 16] = Md5::digest(&bytes).into();
        let sum = format!("{:032x}", u128::from_be_bytes(digest));
        sums().insert(self.0.clone(), (read.tag, sum.clone()));
        Some(sum)
    }

    /// All of it.
    pub(super) fn read(&self) -> io::Result<Option<(Known, Vec<u8>)>> {
        let file = match File::open(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let Some(known) = known(&file.metadata()?) else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        file.take(LIMIT).read_to_end(&mut bytes)?;
        Ok(Some((known, bytes)))
    }

    /// Puts a file there, whole or not at all; tells whether there was none before.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<bool> {
        let folder = self.0.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let is_new = !self.0.exists();
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(&self.0)?;
        Ok(is_new)
    }

    /// Takes it away; tells whether it was there.
    pub(super) fn remove(&self) -> io::Result<bool> {
        match fs::remove_file(&self.0) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn known(metadata: &fs::Metadata) -> Option<Known> {
    let size = metadata.len();
    if !metadata.is_file() || size > LIMIT {
        return None;
    }
    let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let tag = format!("{size:x}-{:x}", changed.as_nanos());
    Some(Known { size, tag })
}

/// Where this server has a core from: what was added comes before what is embedded.
pub(crate) fn state_of(folder: &Folder, core: &Core) -> &'static str {
    let parts = [Part::Script, Part::Wasm];
    let is_added = |part: Part| folder.part(core, part).known().is_some();
    if parts.into_iter().all(is_added) {
        return "added";
    }
    let is_inside = |part: Part| embedded::url(core, part).is_some();
    if parts.into_iter().all(is_inside) {
        return "embedded";
    }
    "missing"
}

#[cfg(test)]
impl Place {
    /// Any file at all.
    pub(super) fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_is_made_once_for_each_state_of_a_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("disksys.rom");
        let place = Place::at(&path);
        let sum = || place.md5(&place.known().expect("a file")).expect("a sum");
        fs::write(&path, "abc").expect("a file");
        assert_eq!(sum(), "900150983cd24fb0d6963f7d28e17f72");
        // Other bytes under the same size and time: whoever reads them again tells.
        let time = fs::metadata(&path).and_then(|found| found.modified());
        fs::write(&path, "xyz").expect("a file");
        let file = File::options().write(true).open(&path).expect("the file");
        file.set_modified(time.expect("a time")).expect("its time");
        assert_eq!(sum(), "900150983cd24fb0d6963f7d28e17f72");
        fs::write(&path, "abcd").expect("a file");
        assert_eq!(sum(), "e2fc714c4727ee9395f324cd2e7f331f");
    }
}
