//! What several files say of one item.

use ledge_core::registry::naming::Credit;

use super::*;
use crate::grouping;

fn item(path: &str, extension: &str, said: &[Said]) -> Together {
    let files: Vec<FileName> = said
        .iter()
        .enumerate()
        .map(|(place, said)| {
            let mut file = FileName::new(&format!("{:02} - Part.{extension}", place + 1));
            file.said = said.written();
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
    together(&listing, group, &files.iter().collect::<Vec<_>>())
}

fn track(number: i64, artist: &str) -> Said {
    Said {
        title: Some(format!("Song {number}")),
        album: Some("Record".to_owned()),
        track: Some(number),
        artists: vec![artist.to_owned()],
        date: Some("1999-05-06".to_owned()),
        genres: vec!["Rock".to_owned()],
        ..Said::default()
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
fn an_album_has_the_title_and_the_artist_that_its_tracks_agree_on() {
    let found = item(
        "A/B",
        "mp3",
        &[
            track(1, "Band"),
            track(2, "Band"),
            track(3, "Band feat. Guest"),
        ],
    );
    let said = found.inspection;
    assert_eq!(said.title.as_deref(), Some("Record"));
    assert_eq!(
        (named(&said, "author"), said.year),
        (vec!["Band".to_owned()], Some(1999))
    );
    assert_eq!(named(&said, "performer"), ["Band feat. Guest"]);
    assert_eq!(said.facts["form"], "album");
    assert_eq!(found.share, Share::Whole);
}

#[test]
fn the_album_s_artist_stands_before_those_of_its_tracks() {
    let mut songs = [track(1, "One"), track(2, "Two")];
    for song in &mut songs {
        song.album_artists = vec!["Label Mates".to_owned()];
    }
    let said = item("A/B", "mp3", &songs).inspection;
    assert_eq!(named(&said, "author"), ["Label Mates"]);
    assert_eq!(named(&said, "performer"), ["One", "Two"]);
}

#[test]
fn an_album_of_many_is_by_various_artists() {
    let said = item(
        "A/B",
        "mp3",
        &[track(1, "One"), track(2, "Two"), track(3, "Three")],
    )
    .inspection;
    assert_eq!(named(&said, "author"), ["Various Artists"]);
    let mut songs = [track(1, "One"), track(2, "Two")];
    songs[0].album_artists = vec!["VA".to_owned()];
    let said = item("A/B", "mp3", &songs).inspection;
    assert_eq!(named(&said, "author"), ["Various Artists"]);
}

#[test]
fn files_that_say_nothing_leave_everything_to_names() {
    let said = item("A/B", "mp3", &[Said::default(), Said::default()]).inspection;
    assert_eq!((said.title, said.year, said.credits), (None, None, vec![]));
}

#[test]
fn a_disc_is_no_part_of_the_album_s_title_and_the_first_one_leads() {
    let mut song = track(1, "Band");
    song.album = Some("Record (Disc 2)".to_owned());
    let found = item("A/Record/CD2", "mp3", &[song.clone()]);
    assert_eq!(found.inspection.title.as_deref(), Some("Record"));
    assert_eq!(found.share, Share::Later);
    assert_eq!(item("A/Record/CD1", "mp3", &[song]).share, Share::First);
}

#[test]
fn a_book_has_authors_narrators_and_a_series() {
    let book = Said {
        title: Some("Chapter 1".to_owned()),
        album: Some("Guards! Guards!".to_owned()),
        artists: vec!["Terry Pratchett".to_owned()],
        composers: vec!["Nigel Planer".to_owned()],
        series: Some("Discworld".to_owned()),
        series_part: Some(8.0),
        genres: vec!["Audiobook".to_owned()],
        is_spoken: true,
        ..Said::default()
    };
    let said = item("Books", "m4b", &[book]).inspection;
    assert_eq!(said.title.as_deref(), Some("Guards! Guards!"));
    assert_eq!(named(&said, "author"), ["Terry Pratchett"]);
    assert_eq!(named(&said, "narrator"), ["Nigel Planer"]);
    assert_eq!(said.facts["narrator"], "Nigel Planer");
    assert_eq!(said.facts["form"], "audiobook");
    let series = said.series.expect("a series");
    assert_eq!(
        (series.name.as_str(), series.index),
        ("Discworld", Some(8.0))
    );
}

#[test]
fn author_and_narrator_in_one_field_are_told_apart() {
    let book = Said {
        album: Some("Emma".to_owned()),
        artists: vec!["Jane Austen, Juliet Stevenson".to_owned()],
        narrators: vec!["Juliet Stevenson".to_owned()],
        is_spoken: true,
        ..Said::default()
    };
    let said = item("Books", "m4b", &[book]).inspection;
    assert_eq!(named(&said, "author"), ["Jane Austen"]);
    assert_eq!(named(&said, "narrator"), ["Juliet Stevenson"]);
}

#[test]
fn composers_of_music_are_no_narrators() {
    let mut song = track(1, "Orchestra");
    song.composers = vec!["Bach".to_owned()];
    let said = item(
        "Music/B",
        "flac",
        &[
            song.clone(),
            Said {
                track: Some(2),
                ..song
            },
        ],
    )
    .inspection;
    assert_eq!(named(&said, "composer"), ["Bach"]);
    assert!(named(&said, "narrator").is_empty());
}

#[test]
fn folders_of_audiobooks_tell_where_tags_do_not() {
    let plain = Said {
        album: Some("Emma".to_owned()),
        track: Some(1),
        ..Said::default()
    };
    let parts = [
        plain.clone(),
        Said {
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
fn a_recording_that_is_alone_has_its_own_title_and_artists() {
    let mut song = track(7, "One");
    song.artists.push("Two".to_owned());
    song.album_artists = vec!["Band".to_owned()];
    let said = item("", "mp3", &[song]).inspection;
    assert_eq!(said.title.as_deref(), Some("Song 7"));
    assert_eq!(named(&said, "author"), ["One", "Two"]);
    assert_eq!(said.facts["form"], "track");
}
