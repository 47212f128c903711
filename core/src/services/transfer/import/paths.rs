//! Mapping of the source's paths to the paths that Ledge sees.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Folder of the other program and the same folder as Ledge sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PathMapping {
    /// Folder in the paths of the other program.
    pub from: String,
    /// The same folder for Ledge.
    pub to: String,
}

/// Mappings, the longest first.
#[derive(Debug, Default)]
pub(super) struct PathMap {
    entries: Vec<(Vec<String>, String)>,
}

impl PathMap {
    pub(super) fn new(mappings: &[PathMapping]) -> Self {
        let entry = |mapping: &PathMapping| {
            let to = slashes(&mapping.to);
            (
                components(&mapping.from),
                to.trim_end_matches('/').to_owned(),
            )
        };
        let mut entries: Vec<_> = mappings.iter().map(entry).collect();
        entries.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
        Self { entries }
    }

    /// Replaces the leading components of a path. Returns `None` for a path that is not absolute
    /// afterwards, or that contains `..`.
    pub(super) fn apply(&self, path: &str) -> Option<String> {
        let components = components(path);
        let mapped = self.entries.iter().find_map(|(from, to)| {
            let rest = components.strip_prefix(from.as_slice())?;
            Some(joined(to, rest))
        });
        let mapped = match mapped {
            Some(mapped) => mapped,
            None if is_absolute(path) => joined("", &components),
            None => return None,
        };
        let is_safe = mapped
            .split('/')
            .all(|component| component != ".." && !component.contains('\0'));
        (is_safe && mapped.starts_with('/')).then_some(mapped)
    }
}

fn slashes(path: &str) -> String {
    path.replace('\\', "/")
}

fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\'])
}

fn components(path: &str) -> Vec<String> {
    let path = slashes(path);
    let components = path.split('/');
    let kept = components.filter(|component| !matches!(*component, "" | "."));
    kept.map(str::to_owned).collect()
}

fn joined(folder: &str, rest: &[String]) -> String {
    let mut path = folder.to_owned();
    for component in rest {
        path.push('/');
        path.push_str(component);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(entries: &[(&str, &str)]) -> PathMap {
        let mapping = |(from, to): &(&str, &str)| PathMapping {
            from: (*from).to_owned(),
            to: (*to).to_owned(),
        };
        PathMap::new(&entries.iter().map(mapping).collect::<Vec<_>>())
    }

    #[test]
    fn longest_whole_components_are_replaced() {
        let map = map(&[
            ("/music", "/srv/a"),
            ("/music/new/", "/srv/b/"),
            ("D:\\Media", "/m"),
        ]);
        for (path, expected) in [
            ("/music/x.mp3", Some("/srv/a/x.mp3")),
            ("/music/new/x.mp3", Some("/srv/b/x.mp3")),
            ("/music/newer/x.mp3", Some("/srv/a/newer/x.mp3")),
            ("/musical/x.mp3", Some("/musical/x.mp3")),
            ("D:\\Media\\A\\x.mp3", Some("/m/A/x.mp3")),
            ("/other//./x.mp3", Some("/other/x.mp3")),
            ("E:\\x.mp3", None),
            ("x.mp3", None),
            ("/music/../../etc/passwd", None),
            ("/a\0b", None),
        ] {
            assert_eq!(map.apply(path).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn whole_path_can_be_mapped_to_the_root() {
        assert_eq!(
            map(&[("/", "/srv")]).apply("/a/b").as_deref(),
            Some("/srv/a/b")
        );
        assert_eq!(
            map(&[("/data", "/")]).apply("/data/b").as_deref(),
            Some("/b")
        );
    }
}
