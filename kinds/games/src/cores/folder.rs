//! Cores and BIOS files in the data folder. Only files with known names are read.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use ledge_core::App;
use md5::{Digest as _, Md5};

use super::{Core, Part, embedded};

/// Largest file that is read or accepted, in bytes: twice the size of the largest core.
pub(super) const MAX_FILE_BYTES: u64 = 32 << 20;

/// Paths of the folders with cores and BIOS files.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    cores: PathBuf,
    bios: PathBuf,
}

/// Size and version of a file, known without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileVersion {
    pub(super) size: u64,
    /// Entity tag, which differs between versions of the file.
    pub(super) tag: String,
}

/// Path of a file with a known name.
#[derive(Debug, Clone)]
pub(super) struct DataFile(PathBuf);

impl Folder {
    /// Returns the folders of this server.
    pub(crate) fn from_app(app: &App) -> Self {
        let data = &app.settings.data;
        Self {
            cores: data.join("cores"),
            bios: data.join("bios"),
        }
    }

    /// Returns the path of a part of a core.
    pub(super) fn part(&self, core: &Core, part: Part) -> DataFile {
        DataFile(self.cores.join(part.file_name(&core.id)))
    }

    /// Returns the path and type of a core's file, if the name is known.
    pub(super) fn core_file(&self, name: &str) -> Option<(DataFile, Part)> {
        let part = Part::from_file_name(name)?;
        Some((DataFile(self.cores.join(name)), part))
    }

    /// Returns the path of a BIOS file, if a core looks for this name.
    pub(super) fn bios_file(&self, name: &str) -> Option<DataFile> {
        let bios = super::bios(name)?;
        Some(DataFile(self.bios.join(&bios.name)))
    }
}

impl DataFile {
    /// Returns size and version without opening the file. Returns `None` if it is absent or too
    /// large.
    pub(super) fn version(&self) -> Option<FileVersion> {
        version_of(&fs::metadata(&self.0).ok()?)
    }

    /// Returns the MD5 in hexadecimal. The file is read once per version.
    pub(super) fn md5(&self, version: &FileVersion) -> Option<String> {
        /// Version and MD5 of each requested file. The known names limit the number of entries.
        static SUMS: Mutex<BTreeMap<PathBuf, (String, String)>> = Mutex::new(BTreeMap::new());
        let sums = || SUMS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((tag, sum)) = sums().get(&self.0)
            && *tag == version.tag
        {
            return Some(sum.clone());
        }
        let (read, bytes) = self.read().ok()??;
        let digest: [u8; 16] = Md5::digest(&bytes).into();
        let sum = format!("{:032x}", u128::from_be_bytes(digest));
        sums().insert(self.0.clone(), (read.tag, sum.clone()));
        Some(sum)
    }

    /// Reads the whole file.
    pub(super) fn read(&self) -> io::Result<Option<(FileVersion, Vec<u8>)>> {
        let file = match File::open(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let Some(version) = version_of(&file.metadata()?) else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        file.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
        Ok(Some((version, bytes)))
    }

    /// Writes a file atomically. Returns true if it is new.
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

    /// Removes the file. Returns true if it existed.
    pub(super) fn remove(&self) -> io::Result<bool> {
        match fs::remove_file(&self.0) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn version_of(metadata: &fs::Metadata) -> Option<FileVersion> {
    let size = metadata.len();
    if !metadata.is_file() || size > MAX_FILE_BYTES {
        return None;
    }
    let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let tag = format!("{size:x}-{:x}", changed.as_nanos());
    Some(FileVersion { size, tag })
}

/// Returns the source of a core on this server. Added files take precedence over embedded ones.
pub(crate) fn core_state(folder: &Folder, core: &Core) -> &'static str {
    let parts = [Part::Script, Part::Wasm];
    let is_added = |part: Part| folder.part(core, part).version().is_some();
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
impl DataFile {
    /// Returns a path without checking the name.
    pub(super) fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn md5_is_computed_once_per_file_version() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("disksys.rom");
        let data_file = DataFile::at(&path);
        let sum = || {
            data_file
                .md5(&data_file.version().expect("a file"))
                .expect("a sum")
        };
        fs::write(&path, "abc").expect("a file");
        assert_eq!(sum(), "900150983cd24fb0d6963f7d28e17f72");
        // Different content with the same size and time shows whether the file is read again.
        let time = fs::metadata(&path).and_then(|found| found.modified());
        fs::write(&path, "xyz").expect("a file");
        let file = File::options().write(true).open(&path).expect("the file");
        file.set_modified(time.expect("a time")).expect("its time");
        assert_eq!(sum(), "900150983cd24fb0d6963f7d28e17f72");
        fs::write(&path, "abcd").expect("a file");
        assert_eq!(sum(), "e2fc714c4727ee9395f324cd2e7f331f");
    }
}
