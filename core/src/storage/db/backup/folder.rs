//! Folder of the backups that the server writes: names, list, and deletion of old ones.

use std::cmp::Reverse;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::time::Timestamp;

const PREFIX: &str = "ledge-";
const SUFFIX: &str = ".db";
/// Positions of the colons of a time, which some file systems do not allow.
const COLONS: [usize; 2] = [13, 16];

/// Backup in the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupFile {
    /// Name of the file.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// Time at which the backup began.
    pub created_at: Timestamp,
    /// `true` if the file is as long as its header states. The server checks the content before it
    /// gives the file its name.
    pub checked: bool,
}

/// Returns the path of a backup that begins now.
pub fn new_path(folder: &Path, now: Timestamp) -> PathBuf {
    let time = now.to_string().replace(':', "-");
    folder.join(format!("{PREFIX}{time}{SUFFIX}"))
}

/// Returns the time in the name of a backup.
fn time_of(name: &str) -> Option<Timestamp> {
    let time = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let with_colon = |(n, c): (usize, char)| if COLONS.contains(&n) { ':' } else { c };
    let text: String = time.chars().enumerate().map(with_colon).collect();
    let parsed: Timestamp = text.parse().ok()?;
    // Other spellings of a time are not names of this program.
    (parsed.to_string() == text).then_some(parsed)
}

/// Returns the backups in the folder, the newest first. Other files are ignored, and an absent
/// folder contains none.
pub fn list(folder: &Path) -> io::Result<Vec<BackupFile>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut backups = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(created_at) = time_of(&name) else {
            continue;
        };
        // The file may have been deleted since the listing.
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        backups.push(BackupFile {
            size: metadata.len(),
            checked: is_complete(&entry.path(), metadata.len()),
            name,
            created_at,
        });
    }
    backups.sort_by_key(|backup| Reverse(backup.created_at));
    Ok(backups)
}

/// Compares the size of a database with its header (<https://www.sqlite.org/fileformat.html>).
fn is_complete(path: &Path, size: u64) -> bool {
    let mut header = [0; 32];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut header));
    let [magic @ .., _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _] = &header;
    if read.is_err() || magic != b"SQLite format 3\0" {
        return false;
    }
    let [.., p0, p1, _, _, _, _, _, _, _, _, _, _, n0, n1, n2, n3] = header;
    let page = match u64::from(u16::from_be_bytes([p0, p1])) {
        1 => 65_536,
        page => page,
    };
    size > 0 && size == page * u64::from(u32::from_be_bytes([n0, n1, n2, n3]))
}

/// Deletes complete backups beyond the newest `keep` ones. Call it after a successful backup only.
pub fn delete_old(folder: &Path, keep: usize) -> io::Result<()> {
    let complete = list(folder)?.into_iter().filter(|backup| backup.checked);
    for old in complete.skip(keep) {
        fs::remove_file(folder.join(old.name))?;
    }
    Ok(())
}

/// Deletes the incomplete files of backups that were interrupted. Call it while no backup runs.
pub fn delete_partial(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let stem = name.split_once(".db.").map(|(stem, _)| stem);
        let is_own = stem.is_some_and(|stem| time_of(&format!("{stem}{SUFFIX}")).is_some());
        if is_own && name.contains(".partial") {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::{backup, migrate, open};

    fn at(text: &str) -> Timestamp {
        text.parse().expect("a time")
    }

    fn names(folder: &Path) -> Vec<String> {
        let backups = list(folder).expect("a list");
        backups.into_iter().map(|backup| backup.name).collect()
    }

    #[test]
    fn only_complete_backups_of_the_server_are_deleted() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = tempfile::tempdir().expect("a folder");
        let mut source = open::writable(&folder.path().join("ledge.db")).expect("a database");
        migrate::migrate(&mut source).expect("a schema");
        for day in 20..24 {
            let path = new_path(target.path(), at(&format!("2026-11-{day}T01:02:03Z")));
            backup::backup(&source, &path).expect("a backup");
        }
        let newest = "ledge-2026-11-23T01-02-03.000000Z.db";
        let path = target.path().join(newest);
        let whole = fs::read(&path).expect("a file");
        fs::write(&path, whole.get(..5000).expect("bytes")).expect("a shorter file");
        let foreign = ["ledge-2026-11-20.db", "notes.txt", "ledge-2026-11-1.db"];
        for name in foreign {
            fs::write(target.path().join(name), "").expect("a file");
        }
        let backups = list(target.path()).expect("a list");
        let checked: Vec<bool> = backups.iter().map(|backup| backup.checked).collect();
        assert_eq!(checked, [false, true, true, true]);
        delete_old(target.path(), 2).expect("deleted");
        assert_eq!(
            names(target.path()),
            [
                newest,
                "ledge-2026-11-22T01-02-03.000000Z.db",
                "ledge-2026-11-21T01-02-03.000000Z.db"
            ]
        );
        assert!(foreign.iter().all(|name| target.path().join(name).exists()));
    }

    #[test]
    fn remains_of_interrupted_backups_are_deleted() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = "ledge-2026-11-20T01-02-03.000000Z.db.0123456789abcdef.partial";
        let others = ["ledge-2026-11-20.db.0123456789abcdef.partial", "x.partial"];
        for name in others.iter().chain([&own]) {
            fs::write(folder.path().join(name), "").expect("a file");
        }
        delete_partial(folder.path()).expect("deleted");
        assert!(!folder.path().join(own).exists());
        assert!(others.iter().all(|name| folder.path().join(name).exists()));
        assert_eq!(names(&folder.path().join("absent")), [""; 0]);
    }
}
