//! Scope of a scan: the whole library, or the folders that changed.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::fs::disk::{Disk, Node};
use crate::path;
use crate::scan::identity;

/// Maximum number of folders of a limited scan. A larger scope becomes the whole library.
const MAX_FOLDERS: usize = 1_000;
/// Maximum number of growing files that one scan skips. Further ones are scanned as they are.
const MAX_GROWING: usize = 1_000;

/// Scope of a scan. Paths are relative to the library's root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// Folders to scan, or `None` for the whole library.
    pub folders: Option<Folders>,
    /// Files that are still being written. Their stored values stay until another scan.
    pub growing: BTreeSet<Vec<u8>>,
}

/// Some folders of a library.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folders {
    /// Folders whose files are scanned without their subfolders.
    pub alone: BTreeSet<Vec<u8>>,
    /// Folders that are scanned with everything below them.
    pub trees: BTreeSet<Vec<u8>>,
}

impl Scope {
    /// Adds the scope of another scan.
    pub(crate) fn merge(&mut self, other: Self) {
        self.growing.extend(other.growing);
        self.folders = match (self.folders.take(), other.folders) {
            (Some(mut folders), Some(others)) => {
                folders.alone.extend(others.alone);
                folders.trees.extend(others.trees);
                Some(folders)
            }
            _ => None,
        };
    }

    /// Returns the scope as a job payload. A path that is not UTF-8 is replaced by its nearest
    /// ancestor whose path is.
    pub(crate) fn to_payload(&self) -> Map<String, Value> {
        let mut payload = Map::new();
        let growing = self
            .growing
            .iter()
            .take(MAX_GROWING)
            .filter_map(|path| text(path));
        payload.insert("growing".to_owned(), growing.collect());
        let Some(folders) = &self.folders else {
            return payload;
        };
        let alone = folders.alone.iter().filter_map(|path| text(path)).collect();
        let shown = |path: &Vec<u8>| {
            let mut above = path::ancestors(path);
            above.find_map(|path| std::str::from_utf8(path).ok().map(str::to_owned))
        };
        let is_shown = |path: &&Vec<u8>| text(path).is_none();
        let instead = folders.alone.iter().filter(is_shown);
        let trees: BTreeSet<String> = folders
            .trees
            .iter()
            .chain(instead)
            .filter_map(shown)
            .collect();
        let count = folders.alone.len() + trees.len();
        if count <= MAX_FOLDERS && !trees.contains("") {
            payload.insert("folders".to_owned(), alone);
            payload.insert("trees".to_owned(), json!(trees));
        }
        payload
    }

    /// Reads the scope from a job payload.
    pub(crate) fn of_payload(payload: &Value) -> Self {
        let paths = |key: &str| {
            let texts = payload.get(key)?.as_array()?.iter();
            let paths = texts.filter_map(|text| Some(text.as_str()?.as_bytes().to_vec()));
            Some(paths.collect::<BTreeSet<_>>())
        };
        let folders = paths("folders").map(|alone| Folders {
            alone,
            trees: paths("trees").unwrap_or_default(),
        });
        Self {
            folders,
            growing: paths("growing").unwrap_or_default(),
        }
    }
}

fn text(path: &[u8]) -> Option<Value> {
    std::str::from_utf8(path).ok().map(Value::from)
}

/// Part of a library that a run covers. Unseen files can become missing only there.
#[derive(Debug)]
pub(crate) enum Area {
    Whole,
    Of(Folders),
}

impl Area {
    /// Returns `true` if a folder is in the area.
    pub(crate) fn contains(&self, path: &[u8]) -> bool {
        match self {
            Self::Whole => true,
            Self::Of(folders) => {
                let mut above = path::ancestors(path);
                folders.alone.contains(path) || above.any(|path| folders.trees.contains(path))
            }
        }
    }

    /// Returns the folders above those in the area, without the root. Empty for the whole library,
    /// because the walk saw them all.
    pub(crate) fn above(&self) -> BTreeSet<Vec<u8>> {
        let Self::Of(folders) = self else {
            return BTreeSet::new();
        };
        let paths = folders.alone.iter().chain(&folders.trees);
        let above = paths.flat_map(|path| path::ancestors(path).skip(1));
        above
            .filter(|path| !path.is_empty())
            .map(<[u8]>::to_owned)
            .collect()
    }
}

/// Folder at which a run starts to walk.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) path: Vec<u8>,
    /// The folders above it, starting with the root.
    pub(crate) above: Vec<Node>,
    /// `true` if the walk includes everything below it.
    pub(crate) is_deep: bool,
}

/// Plan for a run that is limited to some folders.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) starts: Vec<Start>,
    /// Folders that the run covers. Folders that no longer exist are covered with everything below
    /// them.
    pub(crate) folders: Folders,
    /// Folders that could not be reached, with the error.
    pub(crate) failures: Vec<(Vec<u8>, std::io::Error)>,
}

impl Plan {
    /// Looks up the folders on the disk. Returns `None` if one of them is a link or is behind a
    /// link: only a walk from the root can decide if a link may be followed.
    pub(crate) fn of(disk: &dyn Disk, folders: &Folders) -> Option<Self> {
        let mut plan = Self::default();
        let is_covered =
            |path: &[u8]| path::ancestors(path).any(|path| folders.trees.contains(path));
        let trees = folders.trees.iter().filter(|path| {
            let mut above = path::ancestors(path).skip(1);
            !above.any(|path| folders.trees.contains(path))
        });
        let alone = folders.alone.iter().filter(|path| !is_covered(path));
        for (path, is_deep) in trees
            .map(|path| (path, true))
            .chain(alone.map(|path| (path, false)))
        {
            if path::is_passed_over_as_folder(path) {
                continue;
            }
            plan.add(disk, path, is_deep)?;
        }
        Some(plan)
    }

    fn add(&mut self, disk: &dyn Disk, path: &[u8], is_deep: bool) -> Option<()> {
        match nodes(disk, path) {
            Ok(nodes) => {
                let mut above = nodes?;
                above.pop();
                self.starts.push(Start {
                    path: path.to_owned(),
                    above,
                    is_deep,
                });
            }
            Err(error) if identity::is_gone(&error) => {
                self.folders.trees.insert(path.to_owned());
                return Some(());
            }
            Err(error) => self.failures.push((path.to_owned(), error)),
        }
        let folders = &mut self.folders;
        let kind = if is_deep {
            &mut folders.trees
        } else {
            &mut folders.alone
        };
        kind.insert(path.to_owned());
        Some(())
    }
}

/// Returns the folders on the way to a path and the folder at it, starting with the root. Returns
/// `None` if one of them is not a folder.
fn nodes(disk: &dyn Disk, path: &[u8]) -> std::io::Result<Option<Vec<Node>>> {
    let mut way: Vec<&[u8]> = path::ancestors(path).collect();
    way.reverse();
    way.into_iter().map(|path| disk.folder(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(paths: &[&str]) -> BTreeSet<Vec<u8>> {
        paths.iter().map(|path| path.as_bytes().to_vec()).collect()
    }

    fn some(alone: &[&str], trees: &[&str]) -> Scope {
        Scope {
            folders: Some(Folders {
                alone: set(alone),
                trees: set(trees),
            }),
            growing: BTreeSet::new(),
        }
    }

    fn kept(scope: &Scope) -> Scope {
        Scope::of_payload(&Value::Object(scope.to_payload()))
    }

    #[test]
    fn payload_round_trip_keeps_scope() {
        let mut scope = some(&["", "a/b"], &["c"]);
        scope.growing = set(&["a/b/film.mkv"]);
        assert_eq!(kept(&scope), scope);
        assert_eq!(kept(&Scope::default()), Scope::default());
        assert_eq!(
            Scope::of_payload(&json!({"accept_missing": false})).folders,
            None
        );
    }

    #[test]
    fn path_of_invalid_utf8_becomes_its_parent_tree() {
        let mut scope = some(&[], &[]);
        let folders = scope.folders.as_mut().expect("folders");
        folders.alone.insert(b"a/caf\xe9/x".to_vec());
        assert_eq!(kept(&scope), some(&[], &["a"]));
        let folders = scope.folders.as_mut().expect("folders");
        folders.alone.insert(b"caf\xe9".to_vec());
        assert_eq!(
            kept(&scope).folders,
            None,
            "nothing but the root is above it"
        );
    }

    #[test]
    fn too_many_folders_become_the_whole_library() {
        let mut scope = some(&[], &[]);
        let folders = scope.folders.as_mut().expect("folders");
        folders.alone = (0..=MAX_FOLDERS)
            .map(|n| n.to_string().into_bytes())
            .collect();
        assert_eq!(kept(&scope).folders, None);
    }

    #[test]
    fn merge_with_whole_library_drops_folders_and_merge_of_folders_unites() {
        let mut scope = some(&["a"], &["b"]);
        scope.merge(some(&["c"], &[]));
        assert_eq!(scope, some(&["a", "c"], &["b"]));
        scope.merge(Scope::default());
        assert_eq!(scope.folders, None);
        scope.merge(some(&["a"], &[]));
        assert_eq!(scope.folders, None);
    }

    #[test]
    fn area_contains_its_folders_and_everything_below_its_trees() {
        let area = Area::Of(some(&["a"], &["b/c"]).folders.expect("folders"));
        for (path, expected) in [
            ("a", true),
            ("a/x", false),
            ("b", false),
            ("b/c", true),
            ("b/c/d/e", true),
            ("b/cd", false),
            ("", false),
        ] {
            assert_eq!(area.contains(path.as_bytes()), expected, "{path}");
            assert!(Area::Whole.contains(path.as_bytes()));
        }
        assert_eq!(area.above(), set(&["b"]));
    }
}
