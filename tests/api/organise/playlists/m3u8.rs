//! Playlists exported for other players.

use ledge_fixtures::{AudioTags, mp3};
use ledge_tests::server::scanned_library;
use ledge_tests::{Client, Server};
use serde_json::json;

use crate::http::conventions::{id_of, page, refused, write};
use crate::organise::shelf::shelf;

fn song(title: &str, artist: &str) -> Vec<u8> {
    mp3(&AudioTags {
        title: title.to_owned(),
        artist: artist.to_owned(),
        album: "Rooftops".to_owned(),
        ..AudioTags::default()
    })
}

/// Creates a playlist of all items, and returns its path.
fn playlist(admin: &Client, name: &str) -> String {
    let items: Vec<i64> = page(&admin.get("/items")).iter().map(id_of).collect();
    let made = admin.post("/playlists", &json!({"name": name, "items": items}));
    format!("/playlists/{}", id_of(&made.expect(201).json()))
}

#[test]
fn export_contains_length_authors_title_and_link_of_each_entry() {
    let server = Server::start();
    let media = server.folder().join("media");
    write(&media, "Rooftops/01.mp3", song("Gutter", "Paper Orchestra"));
    write(
        &media,
        "Rooftops/02.mp3",
        song("Chimney", "Paper Orchestra"),
    );
    let admin = server.admin();
    scanned_library(&admin, "Media", &media);
    let path = playlist(&admin, "Über den Dächern");
    let length = admin.get(&path).expect(200).json()["duration"].clone();
    let answer = admin.get(&format!("{path}.m3u8")).expect(200);
    assert_eq!(answer.header("content-type"), "audio/mpegurl");
    assert_eq!(answer.header("cache-control"), "no-store");
    let disposition = answer.header("content-disposition");
    assert!(
        disposition.ends_with("UTF-8''%C3%9Cber%20den%20D%C3%A4chern.m3u8"),
        "{disposition}"
    );
    let text = String::from_utf8(answer.body).expect("UTF-8");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..2], ["#EXTM3U", "#PLAYLIST:Über den Dächern"]);
    assert_eq!(lines.len(), 6, "{text}");
    let mut seconds = 0;
    for (entry, title) in lines[2..].chunks(2).zip(["Gutter", "Chimney"]) {
        let (length, label) = entry[0]
            .strip_prefix("#EXTINF:")
            .and_then(|line| line.split_once(','))
            .expect("a line of an entry");
        assert_eq!(label, format!("Paper Orchestra - {title}"));
        seconds += length.parse::<i64>().expect("seconds");
        // The link needs no session, and contains the public URL.
        let below = entry[1]
            .strip_prefix(server.client().base())
            .expect("an absolute URL");
        let content = server.client().get(&format!("/{below}")).expect(200);
        assert_eq!(content.body, song(title, "Paper Orchestra"));
    }
    assert_eq!(length, seconds);
    assert!(seconds > 0);
}

#[test]
fn control_characters_never_begin_another_line() {
    let server = Server::start();
    let media = server.folder().join("media");
    let title = "Gut\nter\r\n#EXTINF:0,x";
    write(&media, "a/01.mp3", song(title, "Paper\u{b}Orchestra"));
    write(&media, "b/Line\nbreak.mp4", "film");
    let admin = server.admin();
    scanned_library(&admin, "Media", &media);
    let path = playlist(&admin, "Name");
    let answer = admin.get(&format!("{path}.m3u8")).expect(200);
    let text = String::from_utf8(answer.body).expect("UTF-8");
    assert_eq!(text.lines().count(), 6, "{text}");
    let is_control = |c: char| c.is_control() && c != '\n';
    assert!(!text.contains(is_control), "{text:?}");
    assert_eq!(text.matches("\n#EXTINF:").count(), 2, "{text}");
}

#[test]
fn link_ends_with_grant() {
    let shelf = shelf();
    let (id, mia) = shelf.user("mia");
    let path = shelf.playlist(&mia, "One Four");
    let answer = mia.get(&format!("{path}.m3u8")).expect(200);
    let text = String::from_utf8(answer.body).expect("UTF-8");
    let base = shelf.server.client().base().to_owned();
    let links: Vec<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix(&base))
        .map(|below| format!("/{below}"))
        .collect();
    let statuses = || -> Vec<u16> {
        let status = |link: &String| shelf.server.client().get(link).status;
        links.iter().map(status).collect()
    };
    assert_eq!(statuses(), [200, 200]);
    shelf.grant(shelf.attic, id, false);
    assert_eq!(statuses(), [200, 404]);
}

#[test]
fn only_whole_suffix_selects_export() {
    let shelf = shelf();
    let path = shelf.playlist(&shelf.admin, "One");
    for below in [".m3u", ".m3u8x", ".m3u8.m3u8", ".M3U8", ".json", "m3u8"] {
        refused(
            &shelf.admin.get(&format!("{path}{below}")),
            404,
            "not_found",
        );
    }
    for answer in [
        shelf.admin.delete(&format!("{path}.m3u8")),
        shelf
            .admin
            .patch(&format!("{path}.m3u8"), &json!({"name": "x"})),
    ] {
        refused(&answer, 404, "not_found");
    }
    let head = shelf.admin.send("HEAD", &format!("{path}.m3u8"), &[], None);
    assert_eq!((head.status, head.body.len()), (200, 0));
}
