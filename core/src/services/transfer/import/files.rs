//! Finds the files of a source in Ledge: by their path, otherwise by size and name if these are
//! unique.

use std::cell::Cell;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Row, named_params};
use unicode_normalization::UnicodeNormalization;

use super::paths::PathMap;
use super::rows::{SourceFile, SourceSave};
use super::staging::{KnownStem, Staging};
use crate::error::StoreResult;
use crate::id::{FileId, ItemId, LibraryId};
use crate::path;
use crate::registry::{MediaKind, Registry, Unit};
use crate::store::library;

/// File of Ledge that a source names.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) file: FileId,
    pub(super) item: ItemId,
    pub(super) library: LibraryId,
    /// Length in the file's unit.
    pub(super) extent: Option<i64>,
    /// `true` if the item has no other file.
    pub(super) is_single: bool,
    /// Unit of positions.
    pub(super) unit: Unit,
    /// `true` if playlists may contain the file.
    pub(super) has_timeline: bool,
    /// Kind of the item, if it is linked.
    pub(super) kind: Option<&'static MediaKind>,
    /// Root of the library, and the path of the file.
    pub(super) location: (PathBuf, PathBuf),
}

/// Result of a search.
#[derive(Debug, Clone)]
pub(super) enum Lookup {
    /// The file was found.
    Found(Box<Found>),
    /// Ledge has no such file.
    Absent,
    /// Several files have this size and name.
    Ambiguous,
}

/// Search for files.
pub(super) struct Finder<'a> {
    ledge: &'a Connection,
    registry: &'a Registry,
    map: PathMap,
    /// Roots of the libraries, the longest first.
    roots: Vec<(LibraryId, Vec<u8>)>,
    /// `true` after all names were copied into the staging database.
    has_names: Cell<bool>,
    /// `true` after the stems of files with states were copied.
    has_stems: Cell<bool>,
}

const COLUMNS: &str = "file.id, file.item_id, folder.library_id, file.extent, item.kind, file.name,
    folder.path, library.path,
    (SELECT count(*)
       FROM (SELECT 1 FROM file AS other WHERE other.item_id = file.item_id LIMIT 2) AS page)";

impl<'a> Finder<'a> {
    pub(super) fn new(
        (ledge, registry): (&'a Connection, &'a Registry),
        map: PathMap,
    ) -> StoreResult<Self> {
        let roots = library::roots_unscoped(ledge)?.into_iter();
        let mut roots: Vec<_> = roots
            .map(|(id, root)| (id, root.into_os_string().into_vec()))
            .collect();
        roots.sort_by_key(|(_, root)| std::cmp::Reverse(root.len()));
        Ok(Self {
            ledge,
            registry,
            map,
            roots,
            has_names: Cell::new(false),
            has_stems: Cell::new(false),
        })
    }

    /// Searches for a file.
    pub(super) fn find(&self, file: &SourceFile, staging: &Staging) -> StoreResult<Lookup> {
        if let Some(mapped) = self.map.apply(&file.path)
            && let Some(found) = self.by_path(&mapped)?
        {
            return Ok(Lookup::Found(Box::new(found)));
        }
        let name = file.path.rsplit(['/', '\\']).next().unwrap_or_default();
        match file.size {
            Some(size) if !name.is_empty() => self.by_size(size, name, staging),
            _ => Ok(Lookup::Absent),
        }
    }

    /// Searches for the file whose stem is the stem of a state. Only kinds whose players store states
    /// have such files.
    pub(super) fn find_by_stem(&self, save: &SourceSave, staging: &Staging) -> StoreResult<Lookup> {
        if !self.has_stems.get() {
            self.copy_stems(staging)?;
            self.has_stems.set(true);
        }
        let name: String = save.name.nfc().collect();
        for is_folder in [false, true] {
            for stem in stems(&name) {
                let files = staging.files_of_stem(stem, is_folder)?;
                if files.is_empty() {
                    continue;
                }
                let Some(file) = only_item(&files, &save.folder) else {
                    return Ok(Lookup::Ambiguous);
                };
                let found = self.by_id(file)?;
                return Ok(found.map_or(Lookup::Absent, |found| Lookup::Found(Box::new(found))));
            }
        }
        Ok(Lookup::Absent)
    }

    /// Copies the stems of the files of kinds with states into the staging database.
    fn copy_stems(&self, staging: &Staging) -> StoreResult<()> {
        let mut statement = self.ledge.prepare(
            "SELECT file.id, item.id, file.name, folder.path, item.subkind
               FROM item
               JOIN file ON file.item_id = item.id
               JOIN folder ON folder.id = file.folder_id
              WHERE item.library_id = :library AND item.kind = :kind",
        )?;
        let kinds = self.registry.kinds().iter().filter(|kind| kind.has_saves);
        for kind in kinds {
            for (library, _) in &self.roots {
                let mut rows =
                    statement.query(named_params! { ":library": library, ":kind": kind.id })?;
                while let Some(row) = rows.next()? {
                    let (name, folder): (Vec<u8>, Vec<u8>) = (row.get(2)?, row.get(3)?);
                    if path::is_tombstone(&name) {
                        continue;
                    }
                    let mut known = KnownStem {
                        is_folder: false,
                        file: row.get(0)?,
                        item: row.get(1)?,
                        folder: path::display(&folder).nfc().collect(),
                        subkind: row.get(4)?,
                    };
                    let name: String = path::display(&name).nfc().collect();
                    for stem in stems(&name) {
                        staging.add_stem(stem, &known)?;
                    }
                    let parent = known.folder.rsplit('/').next().unwrap_or_default();
                    if !parent.is_empty() {
                        let parent = parent.to_owned();
                        known.is_folder = true;
                        staging.add_stem(&parent, &known)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Searches for a path as it is written, and in both forms of accents.
    fn by_path(&self, mapped: &str) -> StoreResult<Option<Found>> {
        if let Some(found) = self.by_exact_path(mapped)? {
            return Ok(Some(found));
        }
        if mapped.is_ascii() {
            return Ok(None);
        }
        let forms: [String; 2] = [mapped.nfc().collect(), mapped.nfd().collect()];
        for form in forms.iter().filter(|form| *form != mapped) {
            if let Some(found) = self.by_exact_path(form)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn by_exact_path(&self, mapped: &str) -> StoreResult<Option<Found>> {
        for (library, root) in &self.roots {
            let root = root.strip_suffix(b"/").unwrap_or(root);
            let below = mapped.as_bytes().strip_prefix(root);
            let Some(relative) = below.and_then(|rest| rest.strip_prefix(b"/")) else {
                continue;
            };
            let slash = relative.iter().rposition(|byte| *byte == b'/');
            let (folder, name) = match slash {
                Some(slash) => relative.split_at(slash),
                None => (&[][..], relative),
            };
            let name = name.strip_prefix(b"/").unwrap_or(name);
            let mut statement = self.ledge.prepare_cached(&format!(
                "SELECT {COLUMNS}
                   FROM folder
                   JOIN file ON file.folder_id = folder.id AND file.name = :name
                   JOIN item ON item.id = file.item_id
                   JOIN library ON library.id = folder.library_id
                  WHERE folder.library_id = :library AND folder.path = :folder"
            ))?;
            let params = named_params! { ":library": library, ":folder": folder, ":name": name };
            let found = statement
                .query_row(params, |row| self.found(row))
                .optional()?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn by_size(&self, size: i64, name: &str, staging: &Staging) -> StoreResult<Lookup> {
        if !self.has_names.get() {
            self.copy_names(staging)?;
            self.has_names.set(true);
        }
        let name: String = name.nfc().collect();
        match staging.files_named(size, &name)?.as_slice() {
            [] => Ok(Lookup::Absent),
            [file] => {
                let found = self.by_id(*file)?;
                Ok(found.map_or(Lookup::Absent, |found| Lookup::Found(Box::new(found))))
            }
            _ => Ok(Lookup::Ambiguous),
        }
    }

    fn by_id(&self, file: FileId) -> StoreResult<Option<Found>> {
        let mut statement = self.ledge.prepare_cached(&format!(
            "SELECT {COLUMNS}
               FROM file
               JOIN folder ON folder.id = file.folder_id
               JOIN item ON item.id = file.item_id
               JOIN library ON library.id = folder.library_id
              WHERE file.id = :file"
        ))?;
        let params = named_params! { ":file": file };
        Ok(statement
            .query_row(params, |row| self.found(row))
            .optional()?)
    }

    /// Copies sizes and names of all files into the staging database, which has an index of them.
    fn copy_names(&self, staging: &Staging) -> StoreResult<()> {
        let mut statement = self.ledge.prepare("SELECT id, size, name FROM file")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let name = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?;
            if !path::is_tombstone(name) {
                let name: String = path::display(name).nfc().collect();
                staging.add_name(row.get(0)?, row.get(1)?, &name)?;
            }
        }
        Ok(())
    }

    fn found(&self, row: &Row<'_>) -> rusqlite::Result<Found> {
        let (kind, name): (String, Vec<u8>) = (row.get(4)?, row.get(5)?);
        let (folder, root): (Vec<u8>, Vec<u8>) = (row.get(6)?, row.get(7)?);
        let kind = self.registry.kind(&kind);
        let format = kind.and_then(|kind| kind.format_of(&path::display(&name)));
        let root = PathBuf::from(OsString::from_vec(root));
        let relative = path::join(&folder, path::original(&name));
        let path = root.join(Path::new(std::ffi::OsStr::from_bytes(&relative)));
        Ok(Found {
            file: row.get(0)?,
            item: row.get(1)?,
            library: row.get(2)?,
            extent: row.get(3)?,
            is_single: row.get::<_, i64>(8)? == 1,
            unit: format.map_or(Unit::None, |format| format.unit),
            has_timeline: kind
                .zip(format)
                .is_some_and(|(kind, format)| kind.has_timeline(format)),
            kind,
            location: (root, path),
        })
    }
}

/// Returns a name without its extension, and without all its extensions if there are several, such as
/// `.state.auto`.
fn stems(name: &str) -> impl Iterator<Item = &str> {
    let without = |name: &str| {
        let (stem, _) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty())?;
        Some(stem.len())
    };
    let stem = without(name).map_or(name, |length| name.get(..length).unwrap_or(name));
    let mut short = stem;
    while let Some((rest, extension)) = short.rsplit_once('.')
        && !rest.is_empty()
        && !extension.is_empty()
        && extension.bytes().all(|byte| byte.is_ascii_lowercase())
    {
        short = rest;
    }
    std::iter::once(stem).chain((short != stem).then_some(short))
}

/// Returns a file if all files belong to one item. Otherwise, the folder or the subkind decides.
fn only_item(files: &[KnownStem], folder: &str) -> Option<FileId> {
    let is_in_folder = |known: &&KnownStem| {
        let mut names = known.folder.split('/');
        known.subkind.as_deref() == Some(folder)
            || names.any(|name| name.eq_ignore_ascii_case(folder))
    };
    of_one_item(files.iter()).or_else(|| of_one_item(files.iter().filter(is_in_folder)))
}

fn of_one_item<'a>(mut files: impl Iterator<Item = &'a KnownStem>) -> Option<FileId> {
    let first = files.next()?;
    files
        .all(|other| other.item == first.item)
        .then_some(first.file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_lack_one_or_all_extensions() {
        let found = |name| stems(name).collect::<Vec<_>>();
        assert_eq!(found("Drift (World).sfc"), ["Drift (World)"]);
        assert_eq!(found("Drift.state.auto"), ["Drift.state", "Drift"]);
        assert_eq!(found("Dr. Fog.nes"), ["Dr. Fog"]);
        assert_eq!(found("Vol.2.nes"), ["Vol.2"]);
        assert_eq!(found("Drift"), ["Drift"]);
        assert_eq!(found(".srm"), [".srm"]);
        assert_eq!(found(""), [""]);
    }

    #[test]
    fn folder_or_subkind_decides_among_equal_stems() {
        let known = |file: i64, item: i64, folder: &str, subkind: &str| KnownStem {
            is_folder: false,
            file: FileId(file),
            item: ItemId(item),
            folder: folder.to_owned(),
            subkind: Some(subkind.to_owned()),
        };
        let one = known(1, 1, "A/GB", "gb");
        let part = known(2, 1, "A/GB", "gb");
        let two = known(3, 2, "A/Nintendo", "nes");
        let three = known(4, 3, "B/gb", "gb");
        assert_eq!(only_item(&[one, part], "snes"), Some(FileId(1)));
        let one = known(1, 1, "A/GB", "gb");
        let files = [one, two];
        assert_eq!(only_item(&files, "gb"), Some(FileId(1)));
        assert_eq!(only_item(&files, "nes"), Some(FileId(3)));
        assert_eq!(only_item(&files, "snes"), None);
        let [one, two] = files;
        assert_eq!(only_item(&[one, two, three], "gb"), None);
    }
}
