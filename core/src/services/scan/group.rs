//! Grouping: applies a kind's rule to one folder and enforces that every file is in exactly one
//! group.

pub(super) mod lazy;
pub(super) mod parts;

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::registry::MediaKind;
use crate::registry::naming::{FileName, FolderListing, Group, ItemNames, one_item_per_file};
use crate::scan::run::Run;

/// Returns the groups of a folder's files of one kind. Every file is in exactly one group, whatever
/// the kind returns.
pub(super) fn groups(
    run: &Run<'_>,
    kind: &MediaKind,
    path: &[u8],
    listing: &FolderListing<'_>,
) -> Vec<Group> {
    let answer = catch_unwind(AssertUnwindSafe(|| (kind.group)(listing)));
    let groups = answer.unwrap_or_else(|_| {
        run.error(path, &"could not be grouped: every file is an item");
        one_item_per_file(listing)
    });
    sound(groups, listing)
}

fn sound(groups: Vec<Group>, listing: &FolderListing<'_>) -> Vec<Group> {
    let mut taken = vec![false; listing.files.len()];
    let mut sound: Vec<Group> = groups
        .into_iter()
        .map(|mut group| {
            group.members.retain(|member| {
                let slot = taken.get_mut(member.file);
                slot.is_some_and(|taken| !std::mem::replace(taken, true))
            });
            let first = group.members.first().map(|member| member.file);
            name_if_blank(&mut group.names, first, listing);
            group
        })
        .filter(|group| !group.members.is_empty())
        .collect();
    if taken.iter().any(|taken| !taken) {
        let left = one_item_per_file(listing)
            .into_iter()
            .zip(&taken)
            .filter(|(_, taken)| !**taken)
            .map(|(group, _)| group);
        sound.extend(left);
    }
    sound
}

fn name_if_blank(names: &mut ItemNames, file: Option<usize>, listing: &FolderListing<'_>) {
    if !names.title.trim().is_empty() {
        return;
    }
    let file = file.and_then(|file| listing.files.get(file));
    names.title = file.map_or_else(String::new, |file: &FileName| {
        if file.stem.trim().is_empty() {
            file.name.clone()
        } else {
            file.stem.clone()
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::naming::Member;

    #[test]
    fn groups_of_invalid_answer_contain_every_file_once() {
        let files = [
            FileName::new("a.x"),
            FileName::new("b.x"),
            FileName::new("c.x"),
        ];
        let listing = FolderListing {
            library: "L",
            path: "p",
            files: &files,
            folders: &[],
        };
        let group = |key: &str, files: &[usize]| Group {
            key: key.to_owned(),
            members: files
                .iter()
                .map(|file| Member::alternative(*file))
                .collect(),
            names: ItemNames::titled(""),
        };
        let answer = vec![
            group("one", &[0, 0, 7]),
            group("two", &[0]),
            group("three", &[]),
        ];
        let groups = sound(answer, &listing);
        let members: Vec<Vec<usize>> = groups
            .iter()
            .map(|group| group.members.iter().map(|member| member.file).collect())
            .collect();
        assert_eq!(members, [vec![0], vec![1], vec![2]]);
        assert!(groups.iter().all(|group| !group.names.title.is_empty()));
    }
}
