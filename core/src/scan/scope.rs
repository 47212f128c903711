//! What a scan is to look at: the whole library, or the folders in which something changed.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::disk::{Disk, Node};
use super::identity;
use super::name;

/// Folders that one scan may be limited to; more are as good as the whole library.
const MAX_FOLDERS: usize = 1_000;
/// Files that one scan leaves out; more are scanned as they are.
const MAX_GROWING: usize = 1_000;

/// What a scan is to look at. Paths are below the library's root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// Which folders; `None` for the whole library.
    pub folders: Option<Folders>,
    /// Files that are being written: left as they are known until another scan.
    pub growing: BTreeSet<Vec<u8>>,
}

/// Some folders of a library.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folders {
    /// Folders of which only the files are looked at.
    pub alone: BTreeSet<Vec<u8>>,
    /// Folders with everything below them.
    pub trees: BTreeSet<Vec<u8>>,
}

impl Scope {
    /// Adds what another scan was to look at.
    pub(super) fn merge(&mut self, other: Self) {
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

    /// What a job's payload says about it. A path that is no text is as the nearest folder above
    /// it whose path is.
    pub(super) fn to_payload(&self) -> Map<String, Value> {
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
            let mut above = name::ancestors(path);
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

    /// What a job's payload says.
    pub(super) fn of_payload(payload: &Value) -> Self {
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

/// The part of a library that a run answers for: only there may what was not seen be missing.
#[derive(Debug)]
pub(super) enum Area {
    Whole,
    Of(Folders),
}

impl Area {
    /// Whether a folder lies in it.
    pub(super) fn contains(&self, path: &[u8]) -> bool {
        match self {
            Self::Whole => true,
            Self::Of(folders) => {
                let mut above = name::ancestors(path);
                folders.alone.contains(path) || above.any(|path| folders.trees.contains(path))
            }
        }
    }

    /// The folders above those in it, without the root; none where the walk saw them all.
    pub(super) fn above(&self) -> BTreeSet<Vec<u8>> {
        let Self::Of(folders) = self else {
            return BTreeSet::new();
        };
        let paths = folders.alone.iter().chain(&folders.trees);
        let above = paths.flat_map(|path| name::ancestors(path).skip(1));
        above
            .filter(|path| !path.is_empty())
            .map(<[u8]>::to_owned)
            .collect()
    }
}

/// Where a run begins to walk.
#[derive(Debug)]
pub(super) struct Start {
    pub(super) path: Vec<u8>,
    /// The folders above it, the root first.
    pub(super) above: Vec<Node>,
    /// Whether what is below it is walked, too.
    pub(super) is_deep: bool,
}

/// What a run does about the folders it is limited to.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) starts: Vec<Start>,
    /// What of them is answered for, the gone ones with all that was below them.
    pub(super) folders: Folders,
    /// Folders that could not be reached, and why.
    pub(super) troubles: Vec<(Vec<u8>, std::io::Error)>,
}

impl Plan {
    /// Looks where the folders lie. `None` if one of them is a link by now, or lies behind one:
    /// only a walk from the root can tell whether and how it is to be followed.
    pub(super) fn of(disk: &dyn Disk, folders: &Folders) -> Option<Self> {
        let mut plan = Self::default();
        let is_covered =
            |path: &[u8]| name::ancestors(path).any(|path| folders.trees.contains(path));
        let trees = folders.trees.iter().filter(|path| {
            let mut above = name::ancestors(path).skip(1);
            !above.any(|path| folders.trees.contains(path))
        });
        let alone = folders.alone.iter().filter(|path| !is_covered(path));
        for (path, is_deep) in trees
            .map(|path| (path, true))
            .chain(alone.map(|path| (path, false)))
        {
            if name::is_passed_over_as_folder(path) {
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
            Err(error) => self.troubles.push((path.to_owned(), error)),
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

/// The folders on the way to a path and the one at it, the root first; `None` if one is no folder.
fn nodes(disk: &dyn Disk, path: &[u8]) -> std::io::Result<Option<Vec<Node>>> {
    let mut way: Vec<&[u8]> = name::ancestors(path).collect();
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
    fn a_job_keeps_what_is_to_be_looked_at() {
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
    fn a_path_that_is_no_text_has_the_folder_above_it_looked_at() {
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
    fn too_many_folders_are_the_whole_library() {
        let mut scope = some(&[], &[]);
        let folders = scope.folders.as_mut().expect("folders");
        folders.alone = (0..=MAX_FOLDERS)
            .map(|n| n.to_string().into_bytes())
            .collect();
        assert_eq!(kept(&scope).folders, None);
    }

    #[test]
    fn the_whole_library_supersedes_folders_and_folders_add_up() {
        let mut scope = some(&["a"], &["b"]);
        scope.merge(some(&["c"], &[]));
        assert_eq!(scope, some(&["a", "c"], &["b"]));
        scope.merge(Scope::default());
        assert_eq!(scope.folders, None);
        scope.merge(some(&["a"], &[]));
        assert_eq!(scope.folders, None);
    }

    #[test]
    fn an_area_is_its_folders_and_what_is_below_its_trees() {
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
