//! Audio files with tags: albums, songs, audiobooks and lyrics.

use std::fs;
use std::path::Path;

use ledge_fixtures::{AudioTags, mp3};
use ledge_tests::server::{all_items, scan, scanned_library};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::id_of;

fn song(album: &str, track: u32, title: &str) -> AudioTags {
    AudioTags {
        title: title.to_owned(),
        artist: "Paper Orchestra".to_owned(),
        album: album.to_owned(),
        genre: "Rock".to_owned(),
        year: Some(2021),
        track: Some((track, 3)),
        ..AudioTags::default()
    }
}

fn write(media: &Path, name: &str, tags: &AudioTags) {
    let path = media.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, mp3(tags)).expect("a file");
}

fn titled(admin: &Client, title: &str) -> Value {
    let cards = all_items(admin, "/items");
    let card = cards.iter().find(|card| card["title"] == title);
    let id = id_of(card.unwrap_or_else(|| panic!("no {title} in {cards:?}")));
    admin.get(&format!("/items/{id}")).expect(200).json()
}

fn parts(item: &Value) -> Vec<(Value, Value)> {
    let files = item["files"].as_array().expect("files");
    files
        .iter()
        .map(|file| (file["part"].clone(), file["title"].clone()))
        .collect()
}

#[test]
fn album_follows_tags_of_its_files() {
    let server = Server::start();
    let media = server.folder().join("media");
    write(
        &media,
        "Stuff/From Somewhere/zz.mp3",
        &song("Rooftops", 1, "Gutter"),
    );
    write(
        &media,
        "Stuff/From Somewhere/aa.mp3",
        &song("Rooftops", 2, "Chimney"),
    );
    let admin = server.admin();
    let (library, status) = scanned_library(&admin, "Music", &media);
    assert_eq!(status["errors"], json!([]), "{status}");
    let album = titled(&admin, "Rooftops");
    assert_eq!(
        (&album["authors"], &album["year"]),
        (&json!("Paper Orchestra"), &json!(2021))
    );
    assert_eq!(album["facts"]["form"], "album");
    assert_eq!(
        parts(&album),
        [(json!(1), json!("Gutter")), (json!(2), json!("Chimney"))]
    );
    let file = &album["files"][0];
    assert_eq!(
        (&file["container"], &file["acodec"]),
        (&json!("mp3"), &json!("mp3"))
    );
    assert!(
        file["duration"]
            .as_f64()
            .is_some_and(|seconds| (0.5..2.0).contains(&seconds))
    );

    // A new track is added. The others are not read again, and their metadata still counts.
    write(
        &media,
        "Stuff/From Somewhere/mm.mp3",
        &song("Rooftops", 3, "Sky"),
    );
    scan(&admin, library);
    let later = titled(&admin, "Rooftops");
    assert_eq!(later["id"], album["id"]);
    let titles: Vec<Value> = parts(&later).into_iter().map(|(_, title)| title).collect();
    assert_eq!(titles, [json!("Gutter"), json!("Chimney"), json!("Sky")]);
}

#[test]
fn gains_of_album_are_listed_by_file() {
    let server = Server::start();
    let media = server.folder().join("media");
    for (track, gain) in [(1, Some(-6.5)), (2, None), (3, Some(2.25))] {
        let gains = gain.map(|gain| (gain, -4.0));
        let tags = AudioTags {
            gains,
            ..song("Rooftops", track, &format!("Song {track}"))
        };
        write(&media, &format!("Rooftops/{track}.mp3"), &tags);
    }
    let admin = server.admin();
    scanned_library(&admin, "Music", &media);
    let album = titled(&admin, "Rooftops");
    let gains = admin
        .get(&format!("/kinds/audio/items/{}/gains", album["id"]))
        .expect(200)
        .json();
    let gain = |file: usize, gain: f64| {
        json!({
            "file_id": album["files"][file]["id"],
            "track_gain": gain, "track_peak": null, "album_gain": -4.0, "album_peak": null,
        })
    };
    assert_eq!(gains["items"], json!([gain(0, -6.5), gain(2, 2.25)]));
}

#[test]
fn item_of_another_kind_has_no_gains() {
    let server = Server::start();
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    fs::write(media.join("Melville, Herman - Moby-Dick.epub"), "no book").expect("a file");
    let admin = server.admin();
    scanned_library(&admin, "Books", &media);
    let id = titled(&admin, "Moby-Dick")["id"].clone();
    admin
        .get(&format!("/kinds/audio/items/{id}/gains"))
        .expect(404);
}

#[test]
fn folder_of_several_albums_becomes_several_items() {
    let server = Server::start();
    let media = server.folder().join("media");
    write(&media, "Loose/a.mp3", &song("Attic", 1, "Beam"));
    write(&media, "Loose/b.mp3", &song("Attic", 2, "Dust"));
    write(&media, "Loose/c.mp3", &song("Cellar", 7, "Coal"));
    let admin = server.admin();
    scanned_library(&admin, "Music", &media);
    assert_eq!(parts(&titled(&admin, "Attic")).len(), 2);
    let alone = titled(&admin, "Coal");
    assert_eq!(
        (&alone["facts"]["form"], &alone["authors"]),
        (&json!("track"), &json!("Paper Orchestra"))
    );
}

#[test]
fn invalid_recording_is_item_with_error() {
    let server = Server::start();
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    fs::write(media.join("Broken.mp3"), "no song").expect("a file");
    let admin = server.admin();
    let (_, status) = scanned_library(&admin, "Music", &media);
    assert_eq!(
        status["errors"].as_array().map(Vec::len),
        Some(1),
        "{status}"
    );
    assert!(
        status["errors"][0]
            .as_str()
            .is_some_and(|line| line.contains("Broken.mp3"))
    );
    assert_eq!(titled(&admin, "Broken")["files"][0]["acodec"], Value::Null);
}

#[test]
fn lyrics_are_read_from_file_next_to_recording() {
    let server = Server::start();
    let media = server.folder().join("media");
    write(&media, "Song.mp3", &song("", 1, "Song"));
    write(&media, "Mute.mp3", &song("", 2, "Mute"));
    fs::write(media.join("Song.lrc"), "[00:01.50]Boats\n[00:03.00]\n").expect("a file");
    fs::write(server.folder().join("secret.lrc"), "[00:01.50]Secret\n").expect("a file");
    std::os::unix::fs::symlink(server.folder().join("secret.lrc"), media.join("Mute.lrc"))
        .expect("a link");
    let admin = server.admin();
    scanned_library(&admin, "Music", &media);
    let words = |title: &str| {
        let file = id_of(&titled(&admin, title)["files"][0]);
        let answer = admin.get(&format!("/kinds/audio/files/{file}/lyrics"));
        answer.expect(200).json()["items"].clone()
    };
    assert_eq!(
        words("Song"),
        json!([{
            "source": "sidecar",
            "synced": true,
            "lines": [{"start": 1.5, "text": "Boats"}, {"start": 3.0, "text": ""}],
        }])
    );
    // A link that leads out of the library counts as absent.
    assert_eq!(words("Mute"), json!([]));
}

/// Returns a recording with a tag of more frames than are read.
fn overloaded() -> Vec<u8> {
    const FRAME: &[u8] = b"TXXX\0\0\0\x01\0\0\0";
    const FRAMES: usize = 20_001;
    let size = FRAME.len() * FRAMES;
    let seven = |shift: usize| u8::try_from(size >> shift & 0x7f).expect("seven bits");
    let mut bytes = b"ID3\x03\0\0".to_vec();
    bytes.extend([seven(21), seven(14), seven(7), seven(0)]);
    bytes.extend(FRAME.repeat(FRAMES));
    bytes.extend(mp3(&song("", 1, "Full")));
    bytes
}

#[test]
fn lyrics_next_to_damaged_recording_are_returned() {
    let server = Server::start();
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    for (name, bytes) in [
        ("Broken.flac", b"no song".to_vec()),
        ("Full.mp3", overloaded()),
        ("Bare.mp3", overloaded()),
    ] {
        fs::write(media.join(name), bytes).expect("a file");
    }
    for name in ["Broken.lrc", "Full.lrc"] {
        fs::write(media.join(name), "[offset:-inf]\n[00:01.50]Boats").expect("a file");
    }
    let admin = server.admin();
    scanned_library(&admin, "Music", &media);
    let words = |title: &str| {
        let file = id_of(&titled(&admin, title)["files"][0]);
        admin.get(&format!("/kinds/audio/files/{file}/lyrics"))
    };
    for title in ["Broken", "Full"] {
        assert_eq!(
            words(title).expect(200).json()["items"],
            json!([{
                "source": "sidecar",
                "synced": true,
                "lines": [{"start": 1.5, "text": "Boats"}],
            }]),
            "{title}"
        );
    }
    // The same recording without a lyrics file cannot be read.
    words("Bare").expect(422);
}
