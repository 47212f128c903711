//! Grouping of files with album tags.

use super::*;
use crate::tags::stored::StoredTags;

struct Song {
    name: &'static str,
    tags: StoredTags,
}

fn song(name: &'static str, album: &str, track: i64) -> Song {
    Song {
        name,
        tags: StoredTags {
            album: Some(album.to_owned()).filter(|album| !album.is_empty()),
            track: Some(track).filter(|track| *track > 0),
            ..StoredTags::default()
        },
    }
}

fn by(mut song: Song, album_artist: &str) -> Song {
    song.tags.album_artists = vec![album_artist.to_owned()];
    song
}

/// Groups songs. Returns the keys with the file names in playing order.
fn grouped(path: &str, songs: &[Song]) -> Vec<(String, Vec<&'static str>)> {
    let files: Vec<FileName> = songs
        .iter()
        .map(|song| {
            let mut file = FileName::new(song.name);
            file.kind_data = song.tags.to_json();
            file
        })
        .collect();
    let listing = FolderListing {
        library: "Library",
        path,
        files: &files,
        folders: &[],
    };
    let mut groups: Vec<(String, Vec<&str>)> = group(&listing)
        .into_iter()
        .map(|group| {
            let mut members = group.members;
            members.sort_by_key(|member| member.sequence);
            let names = members.iter().map(|member| songs[member.file].name);
            (group.key, names.collect())
        })
        .collect();
    groups.sort();
    groups
}

fn keys(groups: &[(String, Vec<&str>)]) -> Vec<String> {
    groups.iter().map(|(key, _)| key.clone()).collect()
}

#[test]
fn songs_of_one_album_without_numbered_names_are_one_item() {
    let songs = [
        song("b.mp3", "X", 1),
        song("a.mp3", "X", 2),
        song("c.mp3", "x!", 3),
    ];
    assert_eq!(
        grouped("Band/X", &songs),
        [("Band/X".to_owned(), vec!["b.mp3", "a.mp3", "c.mp3"])]
    );
}

#[test]
fn folder_of_two_albums_yields_two_items() {
    let songs = [
        song("a1.mp3", "X", 1),
        song("a2.mp3", "X", 2),
        song("b1.mp3", "Y", 1),
        song("b2.mp3", "Y", 2),
    ];
    let groups = grouped("Band", &songs);
    assert_eq!(keys(&groups), ["Band//x//", "Band//y//"]);
    assert!(groups.iter().all(|(_, files)| files.len() == 2));
}

#[test]
fn albums_of_equal_title_by_two_bands_are_two_items() {
    let songs = [
        by(song("a1.mp3", "Greatest Hits", 1), "A"),
        by(song("a2.mp3", "Greatest Hits", 2), "A"),
        by(song("b1.mp3", "Greatest Hits", 1), "B"),
        by(song("b2.mp3", "Greatest Hits", 2), "B"),
    ];
    assert_eq!(grouped("Music", &songs).len(), 2);
}

#[test]
fn album_with_a_different_artist_per_track_is_one_item() {
    let songs = [
        by(song("1.mp3", "Top 3", 1), "A"),
        by(song("2.mp3", "Top 3", 2), "B"),
        by(song("3.mp3", "Top 3", 3), "C"),
    ];
    assert_eq!(keys(&grouped("Music/Top 3", &songs)), ["Music/Top 3"]);
}

#[test]
fn songs_of_different_albums_are_separate_items() {
    let songs = [
        song("x.mp3", "X", 4),
        song("y.mp3", "Y", 9),
        song("z.mp3", "", 0),
    ];
    let groups = grouped("Downloads", &songs);
    assert_eq!(
        keys(&groups),
        ["Downloads/x.mp3", "Downloads/y.mp3", "Downloads/z.mp3"]
    );
}

#[test]
fn songs_of_many_albums_with_consecutive_numbers_are_one_item() {
    let songs = [
        song("01 - x.mp3", "X", 4),
        song("02 - y.mp3", "Y", 9),
        song("03 - z.mp3", "Z", 1),
    ];
    let groups = grouped("Mixtape", &songs);
    assert_eq!(keys(&groups), ["Mixtape"]);
}

#[test]
fn files_in_the_root_are_separate_items() {
    let songs = [song("01 - a.mp3", "X", 1), song("02 - b.mp3", "X", 2)];
    assert_eq!(keys(&grouped("", &songs)), ["01 - a.mp3", "02 - b.mp3"]);
}

#[test]
fn tagged_discs_and_tracks_define_the_order() {
    let on = |mut song: Song, disc| {
        song.tags.disc = Some(disc);
        song
    };
    let songs = [
        on(song("a.mp3", "X", 1), 2),
        on(song("b.mp3", "X", 2), 1),
        on(song("c.mp3", "X", 1), 1),
    ];
    let groups = grouped("Band/X", &songs);
    assert_eq!(groups[0].1, ["c.mp3", "b.mp3", "a.mp3"]);
}

#[test]
fn repeated_tagged_numbers_are_ignored_for_the_order() {
    let songs = [song("02 - b.mp3", "X", 1), song("01 - a.mp3", "X", 1)];
    let groups = grouped("Band/X", &songs);
    assert_eq!(groups[0].1, ["01 - a.mp3", "02 - b.mp3"]);
}

#[test]
fn audiobook_files_of_one_title_with_numbers_are_parts() {
    let parts = [
        song("Dracula.m4b", "Dracula", 1),
        song("Dracula end.m4b", "Dracula", 2),
    ];
    assert_eq!(keys(&grouped("Stoker/Dracula", &parts)), ["Stoker/Dracula"]);
    let books = [
        song("Dracula.m4b", "Dracula", 1),
        song("Lair.m4b", "Lair", 1),
    ];
    assert_eq!(grouped("Stoker", &books).len(), 2);
}

#[test]
fn single_song_in_a_folder_named_after_its_album_is_the_album() {
    assert_eq!(
        keys(&grouped("Band/X", &[song("a.mp3", "X", 1)])),
        ["Band/X"]
    );
    assert_eq!(
        keys(&grouped("Band", &[song("a.mp3", "X", 1)])),
        ["Band/a.mp3"]
    );
}
