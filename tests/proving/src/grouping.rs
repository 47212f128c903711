//! Invariants of every kind's grouping, for any names.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use ledge_core::registry::MediaKind;
use ledge_core::registry::naming::{FileName, FolderListing, Group, ItemNames, Member};

/// Returns a kind's groups for files with these names, sorted, in a folder with these subfolders.
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

/// Asserts that each file is in exactly one group, and that each group has a unique key and a
/// title.
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

/// Asserts that a folder of a hundred thousand files is grouped in linear time.
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

/// Asserts that a large folder gives the same groups in parts (with whole partitions) and as a
/// whole. The kind must support partitions, and each of three parts must get files.
pub fn assert_alike_in_parts(kind: &MediaKind, path: &str, mut names: Vec<String>) {
    const PARTS: u64 = 3;
    names.sort_unstable();
    let files: Vec<FileName> = names.iter().map(|name| FileName::new(name)).collect();
    let partition = kind.partition.expect("a kind with a partition")(&FolderListing {
        library: "Library",
        path,
        files: &files,
        folders: &[],
    });
    assert_eq!(partition.len(), names.len());
    let mut in_parts = Vec::new();
    for part in 0..PARTS {
        let mine = names.iter().zip(&partition);
        let mine: Vec<String> = mine
            .filter(|(_, family)| *family % PARTS == part)
            .map(|(name, _)| name.clone())
            .collect();
        assert!(mine.len() > names.len() / 6);
        in_parts.extend(summaries(kind, path, &mine));
    }
    in_parts.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(in_parts, summaries(kind, path, &names));
}

/// Key of a group, names of its files, and values from the names.
type GroupSummary = (String, Vec<(String, Member)>, ItemNames);

/// Returns a kind's groups for these names, sorted by key.
fn summaries(kind: &MediaKind, path: &str, names: &[String]) -> Vec<GroupSummary> {
    let to_summary = |group: Group| {
        let member = |member: Member| {
            let name = names.get(member.file).expect("a file").clone();
            (name, Member { file: 0, ..member })
        };
        let members = group.members.into_iter().map(member).collect();
        (group.key, members, group.names)
    };
    let groups = groups(kind, path, &[], names).into_iter();
    let mut groups: Vec<GroupSummary> = groups.map(to_summary).collect();
    groups.sort_by(|a, b| a.0.cmp(&b.0));
    groups
}
