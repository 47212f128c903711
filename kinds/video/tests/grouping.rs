//! Grouping of folders of videos into items.

use ledge_core::registry::naming::{Group, Member};
use ledge_kind_video::KIND;
use ledge_proving::{assert_every_file_once, assert_groups_quickly};
use proptest::prelude::*;

fn groups(path: &str, names: &[&str]) -> Vec<Group> {
    ledge_proving::groups(&KIND, path, &[], names)
}

fn only(path: &str, names: &[&str]) -> Group {
    let mut groups = groups(path, names);
    assert_eq!(groups.len(), 1, "{path}: {groups:#?}");
    groups.remove(0)
}

fn numbers(group: &Group) -> Vec<(Option<i64>, Option<i64>)> {
    let mut members: Vec<&Member> = group.members.iter().collect();
    members.sort_by_key(|member| member.sequence);
    members
        .iter()
        .map(|member| (member.season, member.episode))
        .collect()
}

#[test]
fn seasons_of_a_show_are_one_item() {
    let first = only(
        "Shows/Test Pattern (2019)/Season 01",
        &[
            "Test Pattern - S01E01 - Bars.mkv",
            "Test Pattern - S01E02 - Tone.mkv",
        ],
    );
    let second = only("Shows/Test Pattern (2019)/S02", &["tp.s02e01.mkv"]);
    let specials = only(
        "Shows/Test Pattern (2019)/Specials",
        &["Test Pattern - S00E01 - Pilot.avi", "Making of.mkv"],
    );
    let loose = only("Shows/Test Pattern (2019)", &["Test Pattern 3x01.mkv"]);
    for group in [&first, &second, &specials, &loose] {
        assert_eq!(group.key, first.key);
        assert!(group.key.starts_with("Shows/"));
        assert_eq!(group.names.title, "Test Pattern");
        assert_eq!(group.names.year, Some(2019));
    }
    assert_eq!(numbers(&first), [(Some(1), Some(1)), (Some(1), Some(2))]);
    assert_eq!(numbers(&specials), [(Some(0), Some(1)), (Some(0), None)]);
    assert_eq!(first.members[0].title.as_deref(), Some("Bars"));
    assert!(first.members[1].sequence < second.members[0].sequence);
    // Specials follow the last season.
    assert!(loose.members[0].sequence < specials.members[0].sequence);
}

#[test]
fn shows_in_a_flat_folder_are_separated_by_name() {
    let names = [
        "Lost.S01E01.720p.mkv",
        "Lost.S01E02.720p.mkv",
        "Fargo.S01E01.mkv",
    ];
    let groups = groups("TV", &names);
    let mut titles: Vec<_> = groups
        .iter()
        .map(|g| (g.names.title.as_str(), g.members.len()))
        .collect();
    titles.sort_unstable();
    assert_eq!(titles, [("Fargo", 1), ("Lost", 2)]);
    let packed = only("TV/Lost.S02.1080p.BluRay.x264-GRP", &["lost.s02e01.mkv"]);
    let lone = only("TV/Lost.S03E01.1080p-GRP", &["lost.s03e01.mkv"]);
    let lost = groups
        .iter()
        .find(|group| group.names.title == "Lost")
        .expect("Lost");
    assert_eq!(packed.key, lost.key);
    assert_eq!(lone.key, lost.key);
    assert_eq!(packed.names.title, "Lost");
}

#[test]
fn versions_of_a_film_are_alternatives() {
    let film = only(
        "Movies/Blade Runner (1982)",
        &[
            "Blade Runner (1982) - 1080p.mkv",
            "Blade Runner (1982) - Director's Cut.mkv",
            "Blade Runner (1982) {edition-Final Cut} 2160p.mkv",
        ],
    );
    assert_eq!(film.names.title, "Blade Runner");
    assert_eq!(film.names.year, Some(1982));
    assert!(film.members.iter().all(|member| member.sequence.is_none()));
    let titles: Vec<_> = film
        .members
        .iter()
        .map(|m| m.title.as_deref().expect("a version"))
        .collect();
    assert_eq!(titles, ["1080p", "Director's Cut", "Final Cut 2160p"]);
}

#[test]
fn numbered_parts_of_a_film_are_one_item() {
    let film = only(
        "Movies/Gandhi (1982)",
        &["Gandhi (1982) cd1.avi", "Gandhi (1982) cd2.avi"],
    );
    assert_eq!(film.names.title, "Gandhi");
    let sequences: Vec<_> = film.members.iter().map(|member| member.sequence).collect();
    assert_eq!(sequences, [Some(1), Some(2)]);
    let bare = only("Movies/Gandhi (1982)", &["cd1.avi", "cd2.avi"]);
    assert_eq!(
        (bare.names.title.as_str(), bare.names.year),
        ("Gandhi", Some(1982))
    );
    let sequels = ["Dune Part 1 (2021).mkv", "Dune Part 2 (2024).mkv"];
    assert_eq!(groups("Movies", &sequels).len(), 2);
}

#[test]
fn films_in_one_folder_are_separate_items() {
    let names = [
        "Alien (1979).mkv",
        "Aliens (1986).mkv",
        "Alien 3 (1992).mkv",
        "Birthday.mp4",
    ];
    assert_eq!(groups("Movies", &names).len(), 4);
    assert_eq!(groups("", &names).len(), 4);
    let sequel = groups("Movies/Alien (1979)", &["Alien (1979).mkv", "Alien 3.mkv"]);
    assert_eq!(sequel.len(), 2);
}

#[test]
fn meaningless_file_name_takes_the_folder_title() {
    let film = only(
        "Movies/The.Matrix.1999.1080p.BluRay.x264-GRP",
        &["grp-mtrx.mkv"],
    );
    assert_eq!(
        (film.names.title.as_str(), film.names.year),
        ("The Matrix", Some(1999))
    );
    let clip = only("Holidays 2019", &["beach.mp4"]);
    assert_eq!(clip.names.title, "beach");
}

#[test]
fn extras_are_one_item_separate_from_their_film() {
    let folder = only(
        "Movies/Alien (1979)/Featurettes",
        &["10 Sets.mkv", "2 Cast.mkv"],
    );
    assert_eq!(folder.names.title, "Alien: Featurettes");
    assert_eq!(folder.key, "Movies/Alien (1979)/Featurettes");
    let titles: Vec<_> = folder.members.iter().map(|m| m.title.as_deref()).collect();
    assert_eq!(titles, [Some("2 Cast"), Some("10 Sets")]);
    let beside = groups(
        "Movies/Alien (1979)",
        &["Alien (1979).mkv", "The Cast-interview.mkv"],
    );
    assert_eq!(beside.len(), 2);
    assert!(
        beside
            .iter()
            .any(|group| group.key == "Movies/Alien (1979)/Extras")
    );
    let shorts = groups("Movies/Shorts", &["Bao (2018).mkv", "Piper (2016).mkv"]);
    assert_eq!(shorts.len(), 2);
}

#[test]
fn new_file_does_not_change_keys() {
    let before = groups("Movies/Alien (1979)", &["Alien (1979).mkv"]);
    let after = groups(
        "Movies/Alien (1979)",
        &["Alien (1979) - 4k.mkv", "Alien (1979).mkv"],
    );
    assert_eq!(before[0].key, after[0].key);
    assert_eq!(after.len(), 1);
}

#[test]
fn hundred_thousand_files_are_grouped_in_time() {
    let films = assert_groups_quickly(&KIND, |n| {
        format!("Some Film Number {n:06} (1999) [1080p].mkv")
    });
    assert_eq!(films.len(), 100_000);
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Z][a-z]{0,4}( - )?(S[0-9]{1,2}E[0-9]{1,3}|[0-9]x[0-9]{2}|Episode [0-9]|cd[12]|\\((19|20)[0-9]{2}\\))?[ .a-z0-9-]{0,12}\\.(mkv|mp4|avi)",
        "[^/]{1,30}\\.(mp4|ts)",
    ]
}

fn folder() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "(Movies|TV|[A-Z][a-z]{0,5})( \\((19|20)[0-9]{2}\\))?(/(Season |S|Extras|Specials)[0-9]{0,2})?",
        "[^/]{1,20}(/[^/]{1,20}){0,3}",
    ]
}

proptest! {
    #[test]
    fn every_file_is_in_exactly_one_group(
        path in folder(),
        names in prop::collection::btree_set(name(), 0..12),
    ) {
        let groups = ledge_proving::groups(&KIND, &path, &[], &names);
        assert_every_file_once(&groups, names.len());
    }
}
