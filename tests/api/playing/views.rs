//! Views: only one request counts them.

use ledge_tests::server::{all_items, scanned_library, until};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::{id_of, list, write};
use crate::playing::playback::{recording, resolve, titled};

/// Starts a server with a book and a film, both with a cover.
fn shelf() -> (Server, Client) {
    let server = Server::start();
    let media = server.folder().join("media");
    write(&media, "Quiet.epub", crate::catalogue::books::epub());
    let folder = media.join("Metropolis (1927)");
    write(&folder, "Metropolis (1927).mp4", recording("h264-aac.mp4"));
    write(&folder, "poster.png", ledge_fixtures::png(60, 90, 1));
    let admin = server.admin();
    scanned_library(&admin, "Media", &media);
    until("the covers", || {
        let cards = all_items(&admin, "/items");
        let covered = cards.iter().filter(|card| !card["cover"].is_null());
        (covered.count() == 2).then_some(())
    });
    (server, admin)
}

/// Requests lists that contain the item.
fn look_around(client: &Client) {
    for path in [
        "/home",
        "/items",
        "/history",
        "/people",
        "/series",
        "/search?q=quiet",
        "/search?q=metropolis",
    ] {
        client.get(path).expect(200);
    }
}

/// Requests everything that the item's page shows, and uses its actions.
fn look_at(client: &Client, item: i64) {
    let own = format!("/items/{item}");
    for part in [
        "",
        "/cover",
        "/cover?size=large",
        "/progress",
        "/progress/history",
        "/annotations",
        "/matches",
    ] {
        client.get(&format!("{own}{part}")).expect(200);
    }
    let favourite = format!("{own}/favourite");
    client.send("PUT", &favourite, &[], None).expect(204);
    client.delete(&favourite).expect(204);
    let edit = json!({"description": "Seen from outside."});
    client.patch(&own, &edit).expect(200);
    let found = format!("{own}/matches/openlibrary");
    client.delete(&found).expect(204);
}

/// Sends the requests of the item's viewer, except the one that opens it.
fn go_on(client: &Client, item: i64, file: i64) {
    resolve(client, item, &["html5", "mpv"]);
    let progress = format!("/items/{item}/progress");
    for finished in [false, true] {
        let place = json!({"file_id": file, "position": 0, "finished": finished});
        client.put(&progress, &place).expect(200);
    }
    let past = list(&client.get(&format!("{progress}/history")));
    let restore = format!("{progress}/history/{}/restore", past[0]["id"]);
    client.send("POST", &restore, &[], None).expect(200);
    let bookmark = json!({"file_id": file, "position": 0, "type": "bookmark"});
    let annotations = format!("/items/{item}/annotations");
    client.post(&annotations, &bookmark).expect(201);
}

/// Requests the content of this path, as a whole and in parts.
fn fetch(client: &Client, path: &str) {
    client.get(path).expect(200);
    client.send("HEAD", path, &[], None).expect(200);
    for range in ["bytes=0-0", "bytes=5-"] {
        let part = client.send("GET", path, &[("Range", range)], None);
        part.expect(206);
    }
}

/// Returns a link's path and query, relative to the client's root.
fn ticketed(client: &Client, file: i64) -> String {
    let link = client.send("POST", &format!("/files/{file}/link"), &[], None);
    let link = link.expect(200).json();
    let url = link["url"].as_str().expect("an address");
    let below = url.strip_prefix(client.base());
    format!("/{}", below.expect("the server's own"))
}

/// Returns the number of views of an item, from its page and from the home page.
fn views(client: &Client, item: i64) -> (Value, Option<Value>) {
    let detail = client.get(&format!("/items/{item}")).expect(200).json();
    let home = client.get("/home").expect(200).json();
    let shelf = home["most_viewed"].as_array().expect("a shelf");
    let card = shelf.iter().find(|card| id_of(&card["item"]) == item);
    let shown = card.map(|card| card["views"].clone());
    (detail["views"].clone(), shown)
}

#[test]
fn only_view_request_counts_view() {
    let (server, admin) = shelf();
    for (title, kind, inside) in [
        ("The Quiet Harbour", "books", "entries/mimetype"),
        ("Metropolis", "video", "subtitles"),
    ] {
        let item = titled(&admin, title);
        let detail = admin.get(&format!("/items/{item}")).expect(200).json();
        let file = id_of(&detail["files"][0]);
        look_at(&admin, item);
        go_on(&admin, item, file);
        let inside = format!("/kinds/{kind}/files/{file}/{inside}");
        admin.get(&inside).expect(200);
        fetch(&admin, &format!("/files/{file}/content"));
        fetch(&admin, &format!("/files/{file}/content?download=1"));
        fetch(server.client(), &ticketed(&admin, file));
        look_around(&admin);
        assert_eq!(views(&admin, item), (json!(0), None), "{title}");
        let opened = admin.send("POST", &format!("/items/{item}/view"), &[], None);
        assert_eq!(opened.expect(200).json(), json!({"views": 1}));
        let once = (json!(1), Some(json!(1)));
        assert_eq!(views(&admin, item), once, "{title}");
    }
}
