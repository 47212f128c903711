//! File names of real ROMs and discs, with the values that are expected from them.

mod releases;

use self::releases::ROWS;
use ledge_core::registry::naming::{FileName, FolderListing, Group};
use ledge_kind_games::KIND;
use serde_json::{Value, json};

fn group(path: &str, names: &[&str]) -> Vec<Group> {
    let mut names = names.to_vec();
    names.sort_unstable();
    let files: Vec<FileName> = names.iter().map(|name| FileName::new(name)).collect();
    (KIND.group)(&FolderListing {
        library: "Games",
        path,
        files: &files,
        folders: &[],
    })
}

fn only(path: &str, names: &[&str]) -> Group {
    let mut groups = group(path, names);
    assert_eq!(groups.len(), 1, "{path} {names:?}: {groups:#?}");
    groups.remove(0)
}

/// Folder, file, platform, search title, and required facts
type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

#[test]
fn names_provide_platform_release_and_search_title() {
    for (path, name, platform, search, facts) in ROWS {
        let group = only(path, &[name]);
        let found = &group.names.facts;
        assert_eq!(found.get("platform"), Some(&json!(platform)), "{name}");
        assert_eq!((KIND.search_title)(&group.names.title), *search, "{name}");
        for (fact, expected) in *facts {
            assert_eq!(text(found.get(*fact)), *expected, "{fact} of {name}");
        }
    }
}

fn text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(list)) => {
            let words: Vec<_> = list.iter().filter_map(Value::as_str).collect();
            words.join(", ")
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn stored_title_keeps_release_marks() {
    let group = only("", &["Contra (USA) (Rev 1) [b1].nes"]);
    assert_eq!(group.names.title, "Contra (USA) (Rev 1) [b1]");
    assert_eq!(group.names.year, None);
    let group = only("", &["Contra (1988)(Firm)(US).nes"]);
    assert_eq!(group.names.year, Some(1988));
}

#[test]
fn platform_without_core_is_not_playable() {
    let facts = only("", &["Astrosmash (USA).int"]).names.facts;
    assert_eq!(facts.get("playable"), Some(&json!(false)));
    assert_eq!(facts.get("core"), Some(&Value::Null));
    let facts = only("", &["Contra (USA).nes"]).names.facts;
    assert_eq!(facts.get("playable"), Some(&json!(true)));
    assert_eq!(facts.get("core"), Some(&json!("fceumm")));
}

/// Returns the names of a group's files in order, with their sequence numbers.
fn order(group: &Group, names: &[&str]) -> Vec<(String, Option<i64>)> {
    let mut names = names.to_vec();
    names.sort_unstable();
    let member = |m: &ledge_core::registry::naming::Member| {
        (
            names.get(m.file).copied().unwrap_or_default().to_owned(),
            m.sequence,
        )
    };
    group.members.iter().map(member).collect()
}

#[test]
fn discs_are_members_of_one_game() {
    let names = [
        "Final Fantasy VII (USA) (Disc 1).chd",
        "Final Fantasy VII (USA) (Disc 2).chd",
        "Final Fantasy VII (USA) (Disc 3).chd",
        "Final Fantasy VII (USA).m3u",
    ];
    let group = only("PSX", &names);
    assert_eq!(group.names.title, "Final Fantasy VII (USA)");
    assert_eq!(group.names.facts.get("discs"), Some(&json!(3)));
    assert_eq!(
        order(&group, &names),
        [
            (names[3].to_owned(), Some(0)),
            (names[0].to_owned(), Some(1)),
            (names[1].to_owned(), Some(2)),
            (names[2].to_owned(), Some(3)),
        ]
    );
    assert_eq!(group.members[1].title.as_deref(), Some("Disc 1"));
}

#[test]
fn cue_precedes_its_tracks() {
    let names = [
        "Ridge (USA) (Track 1).bin",
        "Ridge (USA) (Track 2).bin",
        "Ridge (USA).cue",
    ];
    let group = only("PSX", &names);
    let files: Vec<_> = order(&group, &names)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(files, [names[2], names[0], names[1]]);
    assert_eq!(group.names.title, "Ridge (USA)");
}

#[test]
fn discs_with_tracks_are_ordered_by_number() {
    let names = [
        "Game (Disc 1) (Track 1).bin",
        "Game (Disc 1) (Track 2).bin",
        "Game (Disc 1).cue",
        "Game (Disc 2).bin",
        "Game (Disc 2).cue",
    ];
    let group = only("PSX", &names);
    let files: Vec<_> = order(&group, &names)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(files, [names[2], names[4], names[0], names[1], names[3]]);
}

#[test]
fn track_with_another_name_belongs_to_the_only_disc() {
    assert_eq!(
        only("PSX/Game", &["Game (USA).cue", "slus_123.bin", "discs.m3u"])
            .members
            .len(),
        3
    );
    assert_eq!(group("PSX", &["A.cue", "B.cue", "C.bin"]).len(), 3);
}

#[test]
fn folders_of_discs_share_a_key() {
    let one = only("PSX/Game (USA)/Disc 1", &["game.cue"]);
    let two = only("PSX/Game (USA)/Disc 2", &["game.cue"]);
    assert_eq!(one.key, two.key);
    assert_eq!(
        (one.members[0].sequence, two.members[0].sequence),
        (Some(1), Some(2))
    );
    let one = only("PSX/Game (USA) (Disc 1)", &["Game (USA) (Disc 1).cue"]);
    let two = only("PSX/Game (USA) (Disc 2)", &["Game (USA) (Disc 2).cue"]);
    assert_eq!(one.key, two.key);
    let bare = only("PSX/Xenogears (USA)", &["Disc 1.chd", "Disc 2.chd"]);
    assert_eq!(bare.names.title, "Xenogears (USA)");
}

#[test]
fn releases_and_platforms_are_separate_games() {
    let names = [
        "Tetris (Japan).gb",
        "Tetris (USA).gb",
        "Tetris (USA).nes",
        "Tetris (USA) [b1].gb",
        "Tetris (USA) (Rev 1).gb",
    ];
    assert_eq!(group("", &names).len(), 5);
}

#[test]
fn rom_and_its_zip_are_alternatives_in_a_platform_folder() {
    let group = only("NES", &["Contra (USA).nes", "Contra (USA).zip"]);
    assert!(group.members.iter().all(|member| member.sequence.is_none()));
}

#[test]
fn gd_rom_and_its_tracks_are_one_game() {
    let names = ["Game (USA).gdi", "track01.bin", "track03.bin"];
    let group = only("Dreamcast/Game", &names);
    let files: Vec<_> = order(&group, &names)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(files, names);
    assert_eq!(group.names.title, "Game (USA)");
    assert_eq!(group.names.facts.get("platform"), Some(&json!("dreamcast")));
    assert_eq!(group.names.facts.get("playable"), Some(&json!(false)));
}
