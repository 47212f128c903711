//! Grouping: a kind's rule on one folder, held to its promise that every file is in one group.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::run::Run;
use crate::registry::MediaKind;
use crate::registry::naming::{FileName, FolderListing, Group, ItemNames, one_item_per_file};

/// The groups of a folder's files of one kind: none overlap and none is left out, whatever the
/// kind answers.
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
    fn every_file_is_in_one_group_whatever_a_kind_answers() {
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
