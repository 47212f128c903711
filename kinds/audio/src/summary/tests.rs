//! Combination of several files into one item.

use ledge_core::registry::naming::Credit;

use super::*;
use crate::grouping;

fn item(path: &str, extension: &str, stored: &[StoredTags]) -> ItemSummary {
    let files: Vec<FileName> = stored
        .iter()
        .enumerate()
        .map(|(index, tags)| {
            let mut file = FileName::new(&format!("{:02} - Part.{extension}", index + 1));
            file.kind_data = tags.to_json();
            file
        })
        .collect();
    let listing = FolderListing {
        library: "Library",
        path,
        files: &files,
        folders: &[],
    };
    let groups = grouping::group(&listing);
    let [group] = groups.as_slice() else {
        panic!("one item: {groups:?}");
    };
    summarize(&listing, group, &files.iter().collect::<Vec<_>>())
}

fn track(number: i64, artist: &str) -> StoredTags {
    StoredTags {
        title: Some(format!("Song {number}")),
        album: Some("Record".to_owned()),
        track: Some(number),
        artists: vec![artist.to_owned()],
        date: Some("1999-05-06".to_owned()),
        genres: vec!["Rock".to_owned()],
        ..StoredTags::default()
    }
}

fn named(inspection: &Inspection, role: &str) -> Vec<String> {
    let credits = inspection
        .credits
        .iter()
        .filter(|credit| credit.role == role);
    credits.map(|Credit { name, .. }| name.clone()).collect()
}

#[test]
fn album_takes_common_title_and_artist_of_its_tracks() {
    let found = item(
        "A/B",
        "mp3",
        &[
            track(1, "Band"),
            track(2, "Band"),
            track(3, "Band feat. Guest"),
        ],
    );
    let inspection = found.inspection;
    assert_eq!(inspection.title.as_deref(), Some("Record"));
    assert_eq!(
        (named(&inspection, "author"), inspection.year),
        (vec!["Band".to_owned()], Some(1999))
    );
    assert_eq!(named(&inspection, "performer"), ["Band feat. Guest"]);
    assert_eq!(inspection.facts["form"], "album");
    assert_eq!(found.coverage, Coverage::Whole);
}

#[test]
fn album_artist_overrides_track_artists() {
    let mut songs = [track(1, "One"), track(2, "Two")];
    for song in &mut songs {
        song.album_artists = vec!["Label Mates".to_owned()];
    }
    let inspection = item("A/B", "mp3", &songs).inspection;
    assert_eq!(named(&inspection, "author"), ["Label Mates"]);
    assert_eq!(named(&inspection, "performer"), ["One", "Two"]);
}

#[test]
fn album_of_many_artists_is_by_various_artists() {
    let inspection = item(
        "A/B",
        "mp3",
        &[track(1, "One"), track(2, "Two"), track(3, "Three")],
    )
    .inspection;
    assert_eq!(named(&inspection, "author"), ["Various Artists"]);
    let mut songs = [track(1, "One"), track(2, "Two")];
    songs[0].album_artists = vec!["VA".to_owned()];
    let inspection = item("A/B", "mp3", &songs).inspection;
    assert_eq!(named(&inspection, "author"), ["Various Artists"]);
}

#[test]
fn files_without_tags_set_no_fields() {
    let inspection = item(
        "A/B",
        "mp3",
        &[StoredTags::default(), StoredTags::default()],
    )
    .inspection;
    assert_eq!(
        (inspection.title, inspection.year, inspection.credits),
        (None, None, vec![])
    );
}

#[test]
fn disc_is_removed_from_title_and_first_disc_defines_the_item() {
    let mut song = track(1, "Band");
    song.album = Some("Record (Disc 2)".to_owned());
    let found = item("A/Record/CD2", "mp3", &[song.clone()]);
    assert_eq!(found.inspection.title.as_deref(), Some("Record"));
    assert_eq!(found.coverage, Coverage::Later);
    assert_eq!(
        item("A/Record/CD1", "mp3", &[song]).coverage,
        Coverage::First
    );
}

#[test]
fn book_has_authors_narrators_and_series() {
    let book = StoredTags {
        title: Some("Chapter 1".to_owned()),
        album: Some("Guards! Guards!".to_owned()),
        artists: vec!["Terry Pratchett".to_owned()],
        composers: vec!["Nigel Planer".to_owned()],
        series: Some("Discworld".to_owned()),
        series_part: Some(8.0),
        genres: vec!["Audiobook".to_owned()],
        is_spoken: true,
        ..StoredTags::default()
    };
    let inspection = item("Books", "m4b", &[book]).inspection;
    assert_eq!(inspection.title.as_deref(), Some("Guards! Guards!"));
    assert_eq!(named(&inspection, "author"), ["Terry Pratchett"]);
    assert_eq!(named(&inspection, "narrator"), ["Nigel Planer"]);
    assert_eq!(inspection.facts["narrator"], "Nigel Planer");
    assert_eq!(inspection.facts["form"], "audiobook");
    let series = inspection.series.expect("a series");
    assert_eq!(
        (series.name.as_str(), series.index),
        ("Discworld", Some(8.0))
    );
}

#[test]
fn author_and_narrator_in_one_field_are_separated() {
    let book = StoredTags {
        album: Some("Emma".to_owned()),
        artists: vec!["Jane Austen, Juliet Stevenson".to_owned()],
        narrators: vec!["Juliet Stevenson".to_owned()],
        is_spoken: true,
        ..StoredTags::default()
    };
    let inspection = item("Books", "m4b", &[book]).inspection;
    assert_eq!(named(&inspection, "author"), ["Jane Austen"]);
    assert_eq!(named(&inspection, "narrator"), ["Juliet Stevenson"]);
}

#[test]
fn composers_of_music_are_not_narrators() {
    let mut song = track(1, "Orchestra");
    song.composers = vec!["Bach".to_owned()];
    let inspection = item(
        "Music/B",
        "flac",
        &[
            song.clone(),
            StoredTags {
                track: Some(2),
                ..song
            },
        ],
    )
    .inspection;
    assert_eq!(named(&inspection, "composer"), ["Bach"]);
    assert!(named(&inspection, "narrator").is_empty());
}

#[test]
fn untagged_files_in_audiobook_folders_are_audiobooks() {
    let plain = StoredTags {
        album: Some("Emma".to_owned()),
        track: Some(1),
        ..StoredTags::default()
    };
    let parts = [
        plain.clone(),
        StoredTags {
            track: Some(2),
            ..plain
        },
    ];
    assert_eq!(
        item("Audiobooks/Emma", "mp3", &parts).inspection.facts["form"],
        "audiobook"
    );
    assert_eq!(
        item("Austen/Emma", "mp3", &parts).inspection.facts["form"],
        "album"
    );
}

#[test]
fn single_recording_uses_its_own_title_and_artists() {
    let mut song = track(7, "One");
    song.artists.push("Two".to_owned());
    song.album_artists = vec!["Band".to_owned()];
    let inspection = item("", "mp3", &[song]).inspection;
    assert_eq!(inspection.title.as_deref(), Some("Song 7"));
    assert_eq!(named(&inspection, "author"), ["One", "Two"]);
    assert_eq!(inspection.facts["form"], "track");
}

#[test]
fn ids_of_musicbrainz_are_facts_if_all_files_agree() {
    let ids = |number: i64, release: &str| StoredTags {
        musicbrainz_release: Some(release.to_owned()),
        musicbrainz_release_group: Some("group".to_owned()),
        musicbrainz_artist: Some("artist".to_owned()),
        musicbrainz_recording: Some(format!("recording {number}")),
        ..track(number, "Band")
    };
    let facts = |stored: &[StoredTags]| item("A/B", "mp3", stored).inspection.facts;
    let same = facts(&[ids(1, "release"), ids(2, "release")]);
    assert_eq!(same["musicbrainz_release"], "release");
    assert_eq!(same["musicbrainz_release_group"], "group");
    assert_eq!(same["musicbrainz_artist"], "artist");
    assert!(!same.contains_key("musicbrainz_recording"), "of an album");
    let mixed = facts(&[ids(1, "release"), ids(2, "remaster")]);
    assert!(!mixed.contains_key("musicbrainz_release"), "{mixed:?}");
    assert_eq!(mixed["musicbrainz_release_group"], "group");
    // A file without the id, or without any tags, may belong to another release.
    for other in [track(3, "Band"), StoredTags::default()] {
        let facts = facts(&[ids(1, "release"), ids(2, "release"), other]);
        assert!(!facts.keys().any(|name| name.starts_with("musicbrainz")));
    }
    let single = item("", "mp3", &[ids(1, "release")]).inspection.facts;
    assert_eq!(single["musicbrainz_recording"], "recording 1");
}
