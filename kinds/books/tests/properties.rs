//! Property tests of grouping and titles, for arbitrary file names.

use std::collections::BTreeSet;

use ledge_core::registry::naming::Group;
use ledge_kind_books::KIND;
use ledge_proving::{assert_alike_in_parts, assert_every_file_once, assert_groups_quickly};
use proptest::prelude::*;

fn listing(path: &str, names: &BTreeSet<String>) -> Vec<Group> {
    ledge_proving::groups(&KIND, path, &[], names)
}

fn file_name() -> impl Strategy<Value = String> {
    let stem = prop_oneof![
        "(Ann Lee|Dune|Ann|#1|01|Vol. 3|v01|c001|1999|The|by|-| - |\\(1999\\)|\\[x 01\\]|, | -- ){1,6}",
        "( |_|\\.|-|\\(|\\)|\\[|\\]|[0-9]|[a-cv#]){0,16}",
        "\\PC{0,16}",
        ".{0,16}",
    ];
    let extension = prop_oneof![
        Just("epub"),
        Just("pdf"),
        Just("cbz"),
        Just("kepub.epub"),
        Just("txt")
    ];
    (stem, extension)
        .prop_map(|(stem, extension)| format!("{}.{extension}", stem.replace('/', "-")))
}

fn folder() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("Ann Lee/Dune (12)".to_owned()),
        Just("Dune/Volume 01".to_owned()),
        "[^/]{1,8}(/[^/]{1,8}){0,2}",
    ]
}

proptest! {
    #[test]
    fn every_file_is_in_one_group(path in folder(), names in prop::collection::btree_set(file_name(), 0..24)) {
        let groups = listing(&path, &names);
        assert_every_file_once(&groups, names.len());
        for group in &groups {
            let names = &group.names;
            prop_assert!(names.year.is_none_or(|year| (1000..3000).contains(&year)));
            prop_assert!(names.credits.iter().all(|credit| !credit.name.trim().is_empty()));
            prop_assert!(names.series.iter().all(|series| !series.name.trim().is_empty()));
            prop_assert!(!(KIND.search_title)(&names.title).is_empty());
            prop_assert!(group.key.starts_with(&path));
            prop_assert!(group.members.iter().all(|member| member.sequence.is_none()));
        }
    }

    #[test]
    fn grouping_of_a_book_is_independent_of_other_files(path in folder(), names in prop::collection::btree_set(file_name(), 1..8)) {
        let all = listing(&path, &names);
        for name in &names {
            let alone = listing(&path, &BTreeSet::from([name.clone()]));
            prop_assert!(alone.iter().all(|group| all.iter().any(|other| other.key == group.key)));
        }
    }
}

#[test]
fn wide_folder_is_grouped_in_linear_time() {
    let groups = assert_groups_quickly(&KIND, |n| {
        format!("Ann Leckie - The Book of {n} (1999).epub")
    });
    assert_eq!(groups.len(), 100_000);
}

const PATHS: [&str; 2] = ["", "Ann Lee"];

fn names_of(n: usize) -> Vec<String> {
    let names = ["epub", "kepub.epub", "pdf", "fb2", "fb2.fbz"];
    let stem = if n.is_multiple_of(2) {
        format!("Dune {n}")
    } else {
        format!("{n} - Ann Lee - Dune")
    };
    names
        .iter()
        .take(1 + n % 5)
        .map(|rest| format!("{stem}.{rest}"))
        .collect()
}

#[test]
fn large_folder_has_same_groups_in_parts_and_as_a_whole() {
    for path in PATHS {
        assert_alike_in_parts(&KIND, path, (0..900).flat_map(names_of).collect());
    }
}
