//! RomM: its assets folder, because its database is not SQLite.
//!
//! Layout: romm `assets_handler.py`. `users/HEX/saves/PLATFORM/ROM_ID/CORE/FILE`, also without `CORE`,
//! and the same below `states`. `HEX` decodes to `User:ID`. Names are untrusted; links never lead out
//! of the folder, and links to folders are not followed.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use ledge_core::fs::listing::{Listed, list_inside};
use ledge_core::fs::media_file::open_blocking;
use ledge_core::path::display;
use ledge_core::store::user_data::save::MAX_VERSIONS;
use ledge_core::transfer::import::rows::{RowType, Rows, SourceSave, SourceUser};
use ledge_core::transfer::import::{ImportResult, ImportSource, SourceData, refuse};

inventory::submit! {
    ImportSource {
        id: "romm",
        label: "RomM",
        input: "assets",
        is_folder: true,
        library: None,
        refused: &[],
        versions: None,
        tables: &[],
        version: |_| Ok(None),
        users,
        read,
    }
}

/// Folder of the users.
const USERS: &str = "users";
/// Folders of a user, and their slots in Ledge.
const FOLDERS: [(&str, &str); 2] = [("saves", "sram"), ("states", "romm")];
/// Limit of the entries of a folder of users, platforms or games.
const MAX_FOLDERS: usize = 100_000;
/// Limit of the entries of a game's folder.
const MAX_FILES: usize = 1_000;
/// Limit of the states with one name in a game's folder: the current one and its versions.
const MAX_STATES: usize = 1 + MAX_VERSIONS as usize;
/// Limit of a core's name in bytes.
const MAX_CORE: usize = 64;

fn users(data: &SourceData) -> ImportResult<Vec<SourceUser>> {
    let mut users: Vec<SourceUser> = Vec::new();
    for entry in folders(data, Path::new(USERS))? {
        let Some(id) = user_id(&entry.name) else {
            continue;
        };
        if !users.iter().any(|user| user.id == id) {
            users.push(SourceUser {
                name: id.clone(),
                id,
                is_nameless: true,
                ..SourceUser::default()
            });
        }
    }
    Ok(users)
}

/// Decodes the name of a user's folder: hexadecimal digits of `User:ID`.
fn user_id(name: &OsStr) -> Option<String> {
    let (pairs, rest) = name.as_bytes().as_chunks::<2>();
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = |&[high, low]: &[u8; 2]| u8::try_from(digit(high)? * 16 + digit(low)?).ok();
    let text: Vec<u8> = pairs.iter().map(byte).collect::<Option<_>>()?;
    let id = text.strip_prefix(b"User:")?;
    let is_number = !id.is_empty() && id.len() <= 20 && id.iter().all(u8::is_ascii_digit);
    let id = std::str::from_utf8(id).ok()?;
    (rest.is_empty() && is_number).then(|| id.to_owned())
}

fn read(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    for user in folders(data, Path::new(USERS))? {
        let path = Path::new(USERS).join(&user.name);
        match user_id(&user.name) {
            Some(id) => read_user(data, rows, &id, &path)?,
            // The row appears in the report, because the name belongs to no user.
            None => rows.unsupported(&text(&user.name), RowType::Save, &text(&path))?,
        }
    }
    Ok(())
}

fn read_user(
    data: &SourceData,
    rows: &mut dyn Rows,
    user: &str,
    folder: &Path,
) -> ImportResult<()> {
    // The folders are listed instead of opened by name, because a listing leaves out links.
    for entry in folders(data, folder)? {
        let known = FOLDERS.iter().find(|(name, _)| entry.name == *name);
        let Some(&(name, slot)) = known else {
            continue;
        };
        let folder = folder.join(name);
        for platform in folders(data, &folder)? {
            let path = folder.join(&platform.name);
            for game in folders(data, &path)? {
                let states = Folder {
                    data,
                    path: path.join(&game.name),
                    platform: text(&platform.name),
                    slot,
                };
                states.read(rows, user)?;
            }
        }
    }
    Ok(())
}

/// Folder of a game's states.
struct Folder<'a> {
    data: &'a SourceData,
    /// Path below the assets folder.
    path: PathBuf,
    platform: String,
    slot: &'static str,
}

/// File of a state.
struct State {
    path: PathBuf,
    mtime_ns: i128,
    core: Option<String>,
}

impl Folder<'_> {
    /// Sends the newest states with each name.
    fn read(&self, rows: &mut dyn Rows, user: &str) -> ImportResult<()> {
        let Some(files) = self.files()? else {
            return rows.unsupported(user, RowType::Save, &text(&self.path));
        };
        let mut states: BTreeMap<String, Vec<State>> = BTreeMap::new();
        for (path, core) in files {
            match open_blocking(self.data.folder(), &path) {
                Ok(Some(file)) => {
                    let name = path.file_name().map(text).unwrap_or_default();
                    states.entry(undated_name(&name)).or_default().push(State {
                        path,
                        mtime_ns: file.mtime_ns,
                        core,
                    });
                }
                Ok(None) | Err(_) => rows.unsupported(user, RowType::Save, &text(&path))?,
            }
        }
        for (name, mut states) in states {
            states.sort_by(|a, b| (b.mtime_ns, &b.path).cmp(&(a.mtime_ns, &a.path)));
            for (index, state) in states.into_iter().enumerate() {
                let path = text(&state.path);
                let opened = open_blocking(self.data.folder(), &state.path);
                let Some(body) = opened.ok().flatten().filter(|_| index < MAX_STATES) else {
                    rows.unsupported(user, RowType::Save, &path)?;
                    continue;
                };
                let save = SourceSave {
                    path,
                    name: name.clone(),
                    folder: self.platform.clone(),
                    slot: self.slot,
                    core: state.core,
                };
                rows.save(user, &save, &body)?;
            }
        }
        Ok(())
    }

    /// Returns the files with their cores. Returns `None` for too many entries, and for a folder that
    /// cannot be read.
    fn files(&self) -> ImportResult<Option<Vec<(PathBuf, Option<String>)>>> {
        let mut files = Vec::new();
        let Some(entries) = list(self.data, &self.path, MAX_FILES)? else {
            return Ok(None);
        };
        for entry in entries {
            let path = self.path.join(&entry.name);
            if !entry.is_folder {
                files.push((path, None));
                continue;
            }
            let Some(entries) = list(self.data, &path, MAX_FILES)? else {
                return Ok(None);
            };
            let core = core(&entry.name);
            // A folder at this depth is not a state, and is reported as such.
            let paths = entries.into_iter().map(|entry| path.join(entry.name));
            files.extend(paths.map(|path| (path, core.clone())));
            if files.len() > MAX_FILES {
                return Ok(None);
            }
        }
        Ok(Some(files))
    }
}

/// Returns the name of a core as Ledge accepts it.
fn core(name: &OsStr) -> Option<String> {
    let name = name.to_str()?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (name.len() <= MAX_CORE && name.bytes().all(is_plain)).then(|| name.to_owned())
}

/// Returns a file name without the date at the end of its stem: `Name [2024-01-31_12-00-00].srm`.
fn undated_name(name: &str) -> String {
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) => (stem, Some(extension)),
        None => (name, None),
    };
    let is_date = |text: &str| {
        let mut bytes = text.bytes();
        let has_year = bytes.by_ref().take(4).filter(u8::is_ascii_digit).count() == 4;
        has_year && bytes.all(|byte| byte.is_ascii_digit() || b"-_:. TZ".contains(&byte))
    };
    let undated = stem
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once(" ["))
        .filter(|(rest, date)| !rest.is_empty() && is_date(date))
        .map_or(stem, |(rest, _)| rest);
    match extension {
        Some(extension) => format!("{undated}.{extension}"),
        None => undated.to_owned(),
    }
}

/// Returns the folders of a folder by name. A folder of users must exist; another one may be absent.
fn folders(data: &SourceData, path: &Path) -> ImportResult<Vec<Listed>> {
    let Some(entries) = list(data, path, MAX_FOLDERS)? else {
        return refuse(format!(
            "The folder {} has more than {MAX_FOLDERS} entries, or it cannot be read.",
            data.folder().join(path).display()
        ));
    };
    let is_hidden = |name: &OsString| name.as_bytes().starts_with(b".");
    let shown = |entry: &Listed| entry.is_folder && !is_hidden(&entry.name);
    Ok(entries.into_iter().filter(shown).collect())
}

/// Returns the entries of a folder by name. An absent folder has none. Returns `None` if it has more
/// than `most` entries, or cannot be read.
fn list(data: &SourceData, path: &Path, most: usize) -> ImportResult<Option<Vec<Listed>>> {
    let root = data.folder();
    match list_inside(root, &root.join(path), most.saturating_add(1)) {
        Ok(mut entries) if entries.len() <= most => {
            entries.sort_by(|a, b| a.name.cmp(&b.name));
            Ok(Some(entries))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if path == Path::new(USERS) {
                return refuse(format!(
                    "{} is not an assets folder of RomM: the folder `{USERS}` is missing.",
                    root.display()
                ));
            }
            Ok(Some(Vec::new()))
        }
        Ok(_) | Err(_) => Ok(None),
    }
}

fn text(name: impl AsRef<OsStr>) -> String {
    display(name.as_ref().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_of_a_user_decodes_to_its_number() {
        for (name, id) in [
            ("557365723a31", Some("1")),
            ("557365723A3132", Some("12")),
            ("557365723a", None),
            ("557365723a3", None),
            ("557365723a31zz", None),
            ("557365723a2e2e2f", None),
            ("41646d696e3a31", None),
            ("..", None),
            ("", None),
        ] {
            assert_eq!(user_id(OsStr::new(name)).as_deref(), id, "{name}");
        }
        assert_eq!(user_id(OsStr::from_bytes(b"\xff\xfe")), None);
    }

    #[test]
    fn only_a_date_is_removed_from_a_name() {
        for (name, undated) in [
            ("Fog (World).srm", "Fog (World).srm"),
            ("Fog (World) [2024-01-31_12-00-00].srm", "Fog (World).srm"),
            ("Fog [2024-01-31 12:00:00.123].state", "Fog.state"),
            ("Fog [!].srm", "Fog [!].srm"),
            ("Fog [202].srm", "Fog [202].srm"),
            ("Fog [T-En].srm", "Fog [T-En].srm"),
            (" [2024-01-31].srm", " [2024-01-31].srm"),
            ("Fog [2024-01-31]", "Fog"),
        ] {
            assert_eq!(undated_name(name), undated, "{name}");
        }
    }
}
