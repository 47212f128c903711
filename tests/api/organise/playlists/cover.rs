//! Mosaics of playlists.

use ledge_fixtures::{AudioTags, mp3, png};
use ledge_tests::server::{all_items, is_idle, scanned_library, until};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::{id_of, invalid, refused, write};

/// Starts a server with four albums of two songs each in the library `media`, and one in `attic`.
/// The albums `a` and `b` have the same cover.
fn albums() -> (Server, Client, [i64; 2]) {
    let server = Server::start();
    for (folder, album, seed) in [
        ("media", "a", 1),
        ("media", "b", 1),
        ("media", "c", 2),
        ("media", "d", 3),
        ("attic", "e", 4),
    ] {
        for track in 1..3 {
            let song = mp3(&AudioTags {
                title: format!("{album}{track}"),
                album: album.to_owned(),
                cover: Some(png(300, 300, seed)),
                ..AudioTags::default()
            });
            write(
                &server.folder().join(folder),
                &format!("{album}/{track}.mp3"),
                song,
            );
        }
    }
    write(&server.folder().join("media"), "f/1.mp3", "no cover");
    let admin = server.admin();
    let libraries = ["media", "attic"].map(|name| {
        let (id, _) = scanned_library(&admin, name, &server.folder().join(name));
        id
    });
    until("the covers", || {
        let items = all_items(&admin, "/items");
        let covers = items.iter().filter(|item| !item["cover"].is_null());
        (covers.count() == 5 && is_idle(&admin)).then_some(())
    });
    (server, admin, libraries)
}

/// Creates a public playlist of the items with these titles.
fn playlist(admin: &Client, titles: &str) -> String {
    let all = all_items(admin, "/items");
    let id = |title: &str| id_of(all.iter().find(|item| item["title"] == title).expect(title));
    let items: Vec<i64> = titles.split(' ').map(id).collect();
    let body = json!({"name": titles, "public": true, "items": items});
    format!(
        "/playlists/{}",
        id_of(&admin.post("/playlists", &body).expect(201).json())
    )
}

fn tag(client: &Client, path: &str) -> String {
    let answer = client.get(&format!("{path}/cover")).expect(200);
    answer.header("etag").to_owned()
}

#[test]
fn mosaic_is_a_square_in_three_sizes() {
    let (_server, admin, _) = albums();
    let path = playlist(&admin, "a b c d e");
    let cover = admin.get(&path).expect(200).json()["cover"].clone();
    let url = cover["url"].as_str().expect("a URL");
    let url = url.strip_prefix("/api/v1").expect("below the API");
    assert!(url.starts_with(&format!("{path}/cover?v=")), "{url}");
    let mut tags = Vec::new();
    for (size, side) in [
        ("", 480),
        ("&size=small", 240),
        ("&size=medium", 480),
        ("&size=large", 960),
    ] {
        let sized = format!("{url}{size}");
        let answer = admin.get(&sized).expect(200);
        assert_eq!(answer.header("content-type"), "image/jpeg");
        assert_eq!(answer.header("cache-control"), "private, no-cache");
        let image = image::load_from_memory(&answer.body).expect("an image");
        assert_eq!((image.width(), image.height()), (side, side));
        tags.push(answer.header("etag").to_owned());
        let known = [("If-None-Match", answer.header("etag"))];
        let again = admin.send("GET", &sized, &known, None);
        assert_eq!((again.status, again.body.len()), (304, 0));
        let head = admin.send("HEAD", &sized, &[], None);
        assert_eq!(
            (head.status, head.header("etag")),
            (200, answer.header("etag"))
        );
    }
    assert_eq!(tags[0], tags[2]);
    assert!(tags[1] != tags[2] && tags[2] != tags[3]);
    invalid(&admin.get(&format!("{path}/cover?size=huge")), "size");
    let stale = [("If-Match", "\"x\"")];
    let answer = admin.send("GET", &format!("{path}/cover"), &stale, None);
    refused(&answer, 412, "precondition_failed");
}

#[test]
fn first_four_distinct_covers_determine_the_tag() {
    let (_server, admin, _) = albums();
    let of = |titles: &str| tag(&admin, &playlist(&admin, titles));
    assert_eq!(of("a b c d e"), of("b c d e a"));
    assert_eq!(of("a"), of("f b a"));
    assert_ne!(of("a c"), of("c a"));
    assert_ne!(of("a c d"), of("a c d e"));
    let path = playlist(&admin, "a c");
    let before = tag(&admin, &path);
    let entries = format!("{path}/entries");
    let last = admin.get(&entries).expect(200).json()["items"][3]["id"].clone();
    admin
        .patch(&entries, &json!({"move": [{"id": last, "to": 0}]}))
        .expect(200);
    assert_ne!(tag(&admin, &path), before);
}

#[test]
fn mosaic_shows_covers_that_the_reader_sees() {
    let (server, admin, [media, attic]) = albums();
    let (mia, reader) = server.user(&admin, "mia");
    let path = playlist(&admin, "e a");
    let grant = |library: i64, method: &str| {
        let path = format!("/libraries/{library}/grants/{mia}");
        admin.send(method, &path, &[], None).expect(204);
    };
    grant(media, "PUT");
    let part = tag(&reader, &path);
    assert_ne!(part, tag(&admin, &path));
    assert_eq!(part, tag(&admin, &playlist(&admin, "a")));
    grant(attic, "PUT");
    assert_eq!(tag(&reader, &path), tag(&admin, &path));
}

#[test]
fn playlist_without_visible_cover_has_none() {
    let (server, admin, [media, _]) = albums();
    let path = playlist(&admin, "f");
    assert_eq!(admin.get(&path).expect(200).json()["cover"], Value::Null);
    refused(&admin.get(&format!("{path}/cover")), 404, "not_found");
    let (mia, reader) = server.user(&admin, "mia");
    let grant = format!("/libraries/{media}/grants/{mia}");
    admin.send("PUT", &grant, &[], None).expect(204);
    let path = playlist(&admin, "f e");
    assert!(!admin.get(&path).expect(200).json()["cover"].is_null());
    assert_eq!(reader.get(&path).expect(200).json()["cover"], Value::Null);
    refused(&reader.get(&format!("{path}/cover")), 404, "not_found");
}
