//! Grouping of folders of recordings into items.

use ledge_core::registry::naming::Group;
use ledge_kind_audio::KIND;
use ledge_proving::{assert_every_file_once, assert_groups_quickly};
use proptest::prelude::*;

fn groups(path: &str, names: &[&str]) -> Vec<Group> {
    ledge_proving::groups(&KIND, path, &[], names)
}

/// Returns the titles of the parts in playing order.
fn parts(group: &Group) -> Vec<&str> {
    let mut members = group.members.clone();
    members.sort_by_key(|member| member.sequence);
    let titles = group
        .members
        .iter()
        .map(|m| m.title.as_deref().unwrap_or(""));
    let mut titles: Vec<(Option<i64>, &str)> = group
        .members
        .iter()
        .map(|m| m.sequence)
        .zip(titles)
        .collect();
    titles.sort_by_key(|(sequence, _)| *sequence);
    titles.into_iter().map(|(_, title)| title).collect()
}

#[test]
fn numbered_folder_is_one_item() {
    let groups = groups(
        "Music/Pink Floyd/1975 - Wish You Were Here [FLAC]",
        &[
            "01 Shine On.flac",
            "02 Welcome.flac",
            "10 Outro.flac",
            "bonus.flac",
        ],
    );
    let [album] = groups.as_slice() else {
        panic!("one album: {groups:?}");
    };
    assert_eq!(
        album.key,
        "Music/Pink Floyd/1975 - Wish You Were Here [FLAC]"
    );
    assert_eq!(album.names.title, "Wish You Were Here");
    assert_eq!(album.names.year, Some(1975));
    assert_eq!(album.names.credits[0].name, "Pink Floyd");
    assert_eq!(parts(album), ["Shine On", "Welcome", "Outro", "bonus"]);
}

#[test]
fn chapters_are_ordered_by_number() {
    let groups = groups(
        "Unknown Author - Untagged Book",
        &[
            "Chapter 1.mp3",
            "Chapter 10.mp3",
            "Chapter 11.mp3",
            "Chapter 2.mp3",
            "Chapter 9.mp3",
        ],
    );
    let sequences: Vec<Option<i64>> = groups[0].members.iter().map(|m| m.sequence).collect();
    assert_eq!(groups.len(), 1);
    assert_eq!(sequences, [1, 2, 9, 10, 11].map(Some));
    assert_eq!(groups[0].names.title, "Untagged Book");
}

#[test]
fn disc_folders_share_the_album_folder_above() {
    let first = groups("Roger Waters/Amused (1992)/CD1", &["01 A.mp3", "02 B.mp3"]);
    let second = groups(
        "Roger Waters/Amused (1992)/CD 2 - Live",
        &["01 C.mp3", "02 D.mp3"],
    );
    let loose = ledge_proving::groups(
        &KIND,
        "Roger Waters/Amused (1992)",
        &["CD 2 - Live", "CD1"],
        ["hello.mp3"],
    );
    for groups in [&first, &second, &loose] {
        assert_eq!(groups.len(), 1);
        assert_eq!(groups[0].key, "Roger Waters/Amused (1992)");
        assert_eq!(groups[0].names.title, "Amused");
        assert_eq!(groups[0].names.credits[0].name, "Roger Waters");
    }
    assert!(first[0].members[1].sequence < second[0].members[0].sequence);
}

#[test]
fn sibling_disc_folders_share_their_album() {
    let first = groups("Pink Floyd/The Wall (1979) (Disc 1) [FLAC]", &["01 A.flac"]);
    let second = groups("Pink Floyd/The Wall (1979) (Disc 2) [FLAC]", &["01 B.flac"]);
    assert_eq!(first[0].key, second[0].key);
    assert!(first[0].key.starts_with("Pink Floyd/"));
    assert_eq!(first[0].names.title, "The Wall");
    assert_eq!(first[0].names.year, Some(1979));
    assert_eq!(first[0].names.credits[0].name, "Pink Floyd");
}

#[test]
fn discs_in_one_folder_are_counted() {
    let groups = groups(
        "A/B",
        &["1-01 a.mp3", "1-02 b.mp3", "2-01 c.mp3", "2-02 d.mp3"],
    );
    assert_eq!(groups.len(), 1);
    assert_eq!(groups[0].names.facts.get("discs"), Some(&2.into()));
    assert_eq!(parts(&groups[0]), ["a", "b", "c", "d"]);
}

#[test]
fn files_in_the_root_are_separate_items() {
    let groups = groups(
        "",
        &["01 - One.mp3", "02 - Two.mp3", "Queen - One Vision.mp3"],
    );
    let titles: Vec<&str> = groups
        .iter()
        .map(|group| group.names.title.as_str())
        .collect();
    assert_eq!(titles, ["One", "Two", "One Vision"]);
    assert_eq!(groups[2].names.credits[0].name, "Queen");
}

#[test]
fn files_of_an_unnumbered_folder_are_separate_items() {
    let names = [
        "99 Luftballons.mp3",
        "Creep.mp3",
        "Song 2.mp3",
        "Yesterday.mp3",
    ];
    let groups = groups("Mix", &names);
    let titles: Vec<&str> = groups
        .iter()
        .map(|group| group.names.title.as_str())
        .collect();
    assert_eq!(titles, ["99 Luftballons", "Creep", "Song 2", "Yesterday"]);
}

#[test]
fn songs_with_repeated_numbers_are_not_an_album() {
    let names = ["01 - A.mp3", "01 - B.mp3", "01 - C.mp3", "02 - D.mp3"];
    assert_eq!(groups("Downloads", &names).len(), 4);
}

#[test]
fn m4b_files_are_separate_books() {
    let books = groups(
        "Terry Pratchett/Discworld",
        &["01 - Mort.m4b", "02 - Sourcery.m4b"],
    );
    assert_eq!(books.len(), 2);
    assert_eq!(books[0].names.title, "Mort");
    assert_eq!(books[0].names.credits[0].name, "Terry Pratchett");
    let series = books[0].names.series.as_ref().expect("a series");
    assert_eq!(
        (series.name.as_str(), series.index),
        ("Discworld", Some(1.0))
    );

    let parts = groups(
        "Bram Stoker/Dracula",
        &["Dracula Part 1.m4b", "Dracula Part 2.m4b"],
    );
    assert_eq!(parts.len(), 1);
    assert_eq!(parts[0].names.title, "Dracula");
    let numbers = groups("Bram Stoker/Dracula", &["01.m4b", "02.m4b"]);
    assert_eq!(numbers.len(), 1);
}

#[test]
fn single_book_takes_the_names_of_its_folder() {
    let groups = groups(
        "Frank Herbert/Dune/01 - Dune (1965) {Scott Brick}",
        &["Dune.m4b"],
    );
    let names = &groups[0].names;
    assert_eq!(names.year, Some(1965));
    assert_eq!(
        names.series.as_ref().and_then(|series| series.index),
        Some(1.0)
    );
    let people: Vec<_> = names
        .credits
        .iter()
        .map(|c| (c.name.as_str(), c.role.as_str()))
        .collect();
    assert_eq!(
        people,
        [("Frank Herbert", "author"), ("Scott Brick", "narrator")]
    );
}

#[test]
fn hundred_thousand_files_are_grouped_in_time() {
    assert_groups_quickly(&KIND, |n| format!("{n:06} a song.mp3"));
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "(Track|Chapter|Part|Disc|CD)? ?[0-9]{0,4}[ ._-]{0,3}[A-Za-zé ()\\[\\]{}'&,-]{0,20}\\.(mp3|m4b|flac)",
        "[^/]{1,30}\\.(mp3|m4b)",
    ]
}

fn folder() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[A-Z][a-z]{0,5}( \\((19|20)[0-9]{2}\\))?(/(CD|Disc |Part )?[0-9]{0,2})?",
        "[^/]{1,20}(/[^/]{1,20}){0,3}",
    ]
}

proptest! {
    #[test]
    fn every_file_is_in_exactly_one_group(
        path in folder(),
        names in prop::collection::btree_set(name(), 0..12),
        folders in prop::collection::btree_set(folder(), 0..3),
    ) {
        let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
        let groups = ledge_proving::groups(&KIND, &path, &folders, &names);
        assert_every_file_once(&groups, names.len());
    }
}
