//! Property tests of grouping and titles, for arbitrary file names.

use std::collections::BTreeSet;

use ledge_core::registry::naming::Group;
use ledge_kind_games::KIND;
use ledge_proving::{assert_alike_in_parts, assert_every_file_once, assert_groups_quickly};
use proptest::prelude::*;

fn listing(path: &str, names: &BTreeSet<String>) -> Vec<Group> {
    ledge_proving::groups(&KIND, path, &[], names)
}

fn file_name() -> impl Strategy<Value = String> {
    let stem = prop_oneof![
        "[A-C]{1,2}( \\(USA\\)| \\(Japan\\))?( \\(Disc [1-3]\\)| \\(Track [1-3]\\)| \\[b1\\])?",
        "\\PC{0,12}",
        ".{0,12}",
        "(disc|cd|side|track|Rev|v| |\\(|\\)|[0-9]){0,6}",
    ];
    let extension = prop_oneof![
        Just("nes"),
        Just("gb"),
        Just("gbc"),
        Just("cue"),
        Just("bin"),
        Just("m3u"),
        Just("chd"),
        Just("zip"),
        Just("ecm"),
        Just("iso"),
        Just("md"),
    ];
    (stem, extension)
        .prop_map(|(stem, extension)| format!("{}.{extension}", stem.replace('/', "-")))
}

fn folder() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("SNES".to_owned()),
        Just("PSX/A (Disc 1)".to_owned()),
        Just("PSX/A/CD 2".to_owned()),
        "[^/]{1,8}(/[^/]{1,8}){0,2}",
    ]
}

proptest! {
    #[test]
    fn every_file_is_in_one_group(path in folder(), names in prop::collection::btree_set(file_name(), 0..24)) {
        let groups = listing(&path, &names);
        assert_every_file_once(&groups, names.len());
        for group in &groups {
            prop_assert!(!(KIND.search_title)(&group.names.title).is_empty());
            let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
            prop_assert!(group.key.starts_with(&path) || group.key.starts_with(parent));
        }
    }

    #[test]
    fn key_of_a_rom_is_independent_of_other_files(names in prop::collection::btree_set("[A-C]{1,3}( \\(USA\\))?\\.(nes|gb)", 1..12)) {
        let all: BTreeSet<_> = listing("NES", &names).into_iter().map(|g| g.key).collect();
        for name in &names {
            let alone = listing("NES", &BTreeSet::from([name.clone()]));
            prop_assert!(alone.iter().all(|g| all.contains(&g.key)));
        }
    }

    #[test]
    fn search_title_is_idempotent(title in ".{0,40}") {
        let once = (KIND.search_title)(&title);
        // A title that consists only of brackets is kept, so a second pass could not shorten it.
        if !once.contains(['(', '[', '{']) && !once.contains(" v") && !once.contains(" V") && !once.contains(" Rev") && !once.contains(" rev") {
            prop_assert_eq!((KIND.search_title)(&once), once);
        }
    }
}

#[test]
fn wide_folder_is_grouped_in_linear_time() {
    let groups = assert_groups_quickly(&KIND, |n| {
        format!("Game {n} (USA) (Disc {}).cue", n % 3 + 1)
    });
    assert_eq!(groups.len(), 100_000);
}

const PATHS: [&str; 3] = ["", "PSX", "SNES"];

fn names_of(n: usize) -> Vec<String> {
    let names = match n % 4 {
        0 => vec![
            "(USA) (Disc 1).cue",
            "(USA) (Disc 1).bin",
            "(USA) (Disc 2).chd",
            "(USA).m3u",
        ],
        1 => vec!["(Track 1).bin", "(Track 2).bin", ".cue"],
        2 => vec![".smc", "(Japan).smc", ".gb"],
        _ => vec!["Disc 1.iso", "Disc 2.iso", ".zip"],
    };
    names
        .iter()
        .map(|rest| format!("Game {n} {rest}"))
        .collect()
}

#[test]
fn large_folder_has_same_groups_in_parts_and_as_a_whole() {
    for path in PATHS {
        assert_alike_in_parts(&KIND, path, (0..900).flat_map(names_of).collect());
    }
}
