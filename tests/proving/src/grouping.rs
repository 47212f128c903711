//! What must hold of every kind's grouping, whatever the names are.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use ledge_core::registry::MediaKind;
use ledge_core::registry::naming::{FileName, FolderListing, Group};

/// What a kind makes of the files of these names, sorted, in a folder in which these folders lie.
pub fn groups(
    kind: &MediaKind,
    path: &str,
    folders: &[&str],
    names: impl IntoIterator<Item = impl AsRef<str>>,
) -> Vec<Group> {
    let names = names.into_iter();
    let mut files: Vec<FileName> = names.map(|name| FileName::new(name.as_ref())).collect();
    files.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    let folders: Vec<String> = folders.iter().map(|name| (*name).to_owned()).collect();
    (kind.group)(&FolderListing {
        library: "Library",
        path,
        files: &files,
        folders: &folders,
    })
}

/// Each of so many files stands in exactly one group; each group has a key and a title of its own.
pub fn assert_every_file_once(groups: &[Group], files: usize) {
    let members = groups.iter().flat_map(|group| &group.members);
    let mut seen: Vec<usize> = members.map(|member| member.file).collect();
    seen.sort_unstable();
    assert_eq!(seen, (0..files).collect::<Vec<_>>());
    let keys: BTreeSet<&str> = groups.iter().map(|group| group.key.as_str()).collect();
    assert_eq!(keys.len(), groups.len());
    for group in groups {
        assert!(!group.members.is_empty());
        assert!(!group.names.title.trim().is_empty(), "{group:?}");
        assert!(
            !group.names.title.chars().any(char::is_control),
            "{group:?}"
        );
    }
}

/// A folder of a hundred thousand files is grouped in linear time.
pub fn assert_groups_quickly(kind: &MediaKind, name: impl Fn(usize) -> String) -> Vec<Group> {
    const FILES: usize = 100_000;
    let names: Vec<String> = (0..FILES).map(name).collect();
    let start = Instant::now();
    let groups = groups(kind, "Heap", &[], &names);
    let took = start.elapsed();
    assert!(took < Duration::from_secs(20), "{took:?}");
    let members: usize = groups.iter().map(|group| group.members.len()).sum();
    assert_eq!(members, FILES);
    groups
}
